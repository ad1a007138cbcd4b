// @ts-check
// A crowd of clients at an API server: a dot for each by what it does, the seats, and the lists by time beside those of the same crowd without jitter.
import { attr, s, show, Txt } from '../kit/dom.js';
import { seats } from './seats.js';

/** @typedef {import('../wire/types.js').Crowd} Crowd */
/** @typedef {{x: number, y: number, w: number, h: number}} Box */

/** What a client does, in the order of the dots. */
const states = /** @type {const} */ (['listing', 'retrying', 'waiting', 'watching']);
/** So many dots at most; then one stands for several clients. */
const mostDots = 1000;
/** The time that the bars are of. */
const millis = 32_000;

/** How many clients a dot stands for, and how many dots each state has. @param {Pick<Crowd, 'clients' | typeof states[number]>} crowd */
export function dotsOf(crowd) {
  const per = Math.max(1, Math.ceil(crowd.clients / mostDots));
  let sum = 0;
  let shown = 0;
  const dots = states.map((state) => {
    sum += crowd[state];
    const n = Math.round(sum / per) - shown;
    shown += n;
    return n;
  });
  return { per, dots };
}

/** The largest whole pitch at which n dots fit into a box, up to 12, and then the columns. @param {Box} box @param {number} n */
export function gridOf({ w, h }, n) {
  let pitch = 12;
  while (pitch > 2 && Math.floor(w / pitch) * Math.floor(h / pitch) < n) pitch--;
  return { pitch, columns: Math.floor(w / pitch) };
}

/**
 * A stretch of dots as a line for each row, which dashes cut into dots.
 * @param {Box} box @param {{pitch: number, columns: number}} grid
 * @param {number} from the first dot @param {number} n @param {number} size
 */
export function rowsOf({ x, y }, { pitch, columns }, from, n, size) {
  let d = '';
  for (let i = from; i < from + n;) {
    const column = i % columns;
    const here = Math.min(columns - column, from + n - i);
    d += `M${x + column * pitch} ${y + Math.floor(i / columns) * pitch + size / 2}h${(here - 1) * pitch + size}`;
    i += here;
  }
  return d;
}

/** A path of dots of a state; those that wait are outlined, where they are large enough. @param {SVGElement} g @param {string} state */
function drawDots(g, state) {
  const path = s('path', { d: '', class: `crowd ${state}` });
  const hole = state === 'waiting' ? s('path', { d: '', class: 'crowd hole' }) : null;
  g.append(path, hole ?? '');
  return {
    /** @param {Box} box @param {{pitch: number, columns: number}} grid @param {number} from @param {number} n */
    set(box, grid, from, n) {
      const { pitch } = grid;
      const size = pitch - (pitch > 5 ? 2 : 1);
      attr(path, 'stroke-width', size);
      attr(path, 'stroke-dasharray', `${size} ${pitch - size}`);
      attr(path, 'd', rowsOf(box, grid, from, n, size));
      if (!hole) return;
      const inner = size - 2;
      attr(hole, 'stroke-width', inner);
      attr(hole, 'stroke-dasharray', `${inner} ${pitch - inner}`);
      attr(hole, 'd', inner > 1 ? rowsOf({ ...box, x: box.x + 1, y: box.y + 1 }, grid, from, n, inner) : '');
    },
  };
}

/** A dot for each client: who has a seat first, then who was refused, who waits, and who watches. @param {SVGElement} g @param {Box} box */
export function crowdDots(g, box) {
  const paths = states.map((state) => drawDots(g, state));
  return {
    /** @param {Crowd} crowd */
    set(crowd) {
      const { dots } = dotsOf(crowd);
      const grid = gridOf(box, Math.min(crowd.clients, mostDots));
      let from = 0;
      dots.forEach((n, i) => {
        paths[i].set(box, grid, from, n);
        from += n;
      });
    },
  };
}

/**
 * What the dots of a state mean: one of them, how many clients are in it, and the word for it.
 * @param {SVGElement} g @param {typeof states[number]} state @param {number} x @param {number} y
 * @param {{state: string, label: string}} type classes of the number and of the word
 */
export function crowdWord(g, state, x, y, type) {
  const size = type.label === 'l' ? 8 : 12;
  const dot = drawDots(g, state);
  const el = s('text', { x: x + size + 6, y });
  const [n, word] = [s('tspan', { class: type.state }), s('tspan', { class: type.label, dx: 5 })];
  el.append(n, word);
  g.append(el);
  const number = new Txt(n);
  const name = new Txt(word);
  dot.set({ x, y: y - size - 1, w: size, h: size }, { pitch: size + 2, columns: 1 }, 0, 1);
  return {
    /** @param {import('../wire/page-types.js').Lane} lane @param {string} words */
    paint(lane, words) {
      number.bind(lane, `api.crowd.${state}`, 'count');
      name.set(words);
    },
  };
}

/**
 * The seats in a row, from the left.
 * @param {SVGElement} g @param {number} x @param {number} y of the middle @param {number} size @param {number} pitch
 */
export function crowdSeats(g, x, y, size, pitch) {
  const n = 10;
  const own = s('g');
  g.append(own);
  const row = seats(own, { x: x + pitch * (n - 1) + size / 2, y, n, size, pitch, vacant: 'slotk' });
  return {
    /** @param {Crowd} crowd */
    set: ({ busy, seats: all }) => {
      show(own, all > 0);
      row.set(Array.from({ length: Math.min(n, busy) }, () => ({ kind: /** @type {const} */ ('key'), taken: true })));
    },
  };
}

/**
 * The lists in each step of time as bars, and as an outline those that the same crowd without jitter would send. All clients at once reach the top.
 * @param {SVGElement} g @param {Box} box
 */
export function listBars(g, { x, y, w, h }) {
  const low = y + h;
  const bars = s('path', { d: '', class: 'bar', 'data-bars': 'requests' });
  const ghost = s('path', { d: '', class: 'without', 'data-bars': 'unjittered' });
  g.append(s('path', { d: `M${x} ${low}H${x + w}`, class: 'hair2' }), ghost, bars);
  return {
    /** @param {Crowd} crowd @param {number} now */
    set({ clients, lists }, now) {
      const { fromMillis, stepMillis, requests, unjittered } = lists;
      const wide = (w * stepMillis) / millis;
      const top = Math.max(clients, ...requests);
      /** @param {number[]} numbers @param {number} gap */
      const draw = (numbers, gap) => numbers.map((n, i) => {
        const left = x + w - (w * (now - fromMillis - stepMillis * i)) / millis;
        if (!n || left < x) return '';
        const tall = Math.max(1, (h * n) / top).toFixed(1);
        return `M${Math.min(left, x + w - wide).toFixed(1)} ${low}v-${tall}h${(wide - gap).toFixed(2)}v${tall}z`;
      }).join('');
      attr(bars, 'd', draw(requests, wide > 2 ? 0.5 : 0));
      attr(ghost, 'd', draw(unjittered, 0));
    },
  };
}
