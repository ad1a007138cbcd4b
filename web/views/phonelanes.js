// @ts-check
// Two releases on the phone: one wire that forks into two upright rails. A station stands between them with a number at
// either side, and time runs down: where the two releases differ, they differ from left to right.
import { bracketAt, changeChip, lineChips, reordered, seatWord, sent, takenLines, unframed, verdict } from '../draw/comparison.js';
import { attr, s, text } from '../kit/dom.js';
import { held, node, path, source as railHead, stretch } from '../draw/rail.js';
import { seats } from '../draw/seats.js';
import { exact, version } from '../kit/format.js';
import { wrap } from '../kit/measure.js';
import { kindOf } from '../kit/glyphs.js';
import { phone as room, railsAt } from '../layouts/lanes.js';
import { answer } from '../kit/trouble.js';
import { stationNames } from '../kit/names.js';

/** @typedef {import('./phone.js').Phone} Phone */

export const stations = ['api', 'reflector', 'queue', 'indexer', 'listeners'];
/** @type {Record<string, string>} */
const names = { ...stationNames, listeners: 'Listener' };

/** How tall a station is. @param {Phone} p @param {string} c @param {boolean} open @returns {number} */
export function tall(p, c, open) {
  const n = p.o.lanes.compare.changes.length;
  if (c === 'api') return 106;
  if (!open) return c === 'queue' && !p.large ? 84 : p.large ? 46 : 58;
  return { reflector: 118, queue: 180, indexer: 164, listeners: n ? 104 + n * pitch(n) : 150 }[c] ?? 60;
}

/** @param {number} n changes that are compared */
function pitch(n) {
  return n > 4 ? 36 : 42;
}

/** The rails, from one source. @param {Phone} p */
export function rails(p) {
  const { svg, ys } = p;
  const open = p.open === 'listeners';
  const low = ys.listeners + tall(p, 'listeners', open) - (open ? 66 : 40);
  const { xs, fork, before, after, held: at, lanes } = railsAt(p.W, ys, low);
  const both = lanes.map((pts) => stretch(pts));
  svg.append(...both, railHead([xs[0], ys.api], true), s('circle', { cx: xs[0], cy: fork, r: 4, class: 'fork' }));
  for (const x of xs) for (const c of ['reflector', 'indexer']) svg.append(node([x, ys[c]], 9));
  // Behind a held Pop nothing comes.
  const dead = xs.map((x) => {
    const r = s('path', { d: path([x, after, x, low]), class: 'rail starve' });
    svg.append(s('path', { d: path([x, before, x, low]), class: 'pn2r' }), r);
    return r;
  });
  const bars = xs.map((x) => held([x, at], true));
  svg.append(...bars);
  p.updates.push(() => {
    const { model } = p.ctx;
    for (const r of both) attr(r, 'class', model.down() ? 'rail dead' : 'rail');
    for (const r of [...dead, ...bars]) attr(r, 'display', model.hold('pop') ? null : 'none');
    for (const r of dead) attr(/** @type {Element} */ (r.previousElementSibling), 'display', model.hold('pop') ? null : 'none');
  });
}

/** Where the moves of a lane run. @param {Phone} p @param {number} i @returns {Record<string, number[]>} */
export function ways(p, i) {
  return railsAt(p.W, p.ys, p.ys.listeners).ways[i];
}

/** What stands in both lanes at a height: the same at either side. */
class Both {
  /** @param {Phone} p @param {boolean} open */
  constructor(p, open) {
    /** Where words begin at the left and end at the right. */
    this.x = open ? [57, p.W - 57] : [50, p.W - 50];
  }

  /** A line of words in each lane. @param {SVGElement} g @param {number} y @param {string} type */
  text(g, y, type) {
    const [a, b] = this.x;
    return [text(g, a, y, type), text(g, b, y, type, 'end')];
  }
}

/** What both lanes show. @param {Phone} p */
const lanesOf = (p) => ({ lanes: [0, 1].map((i) => p.ctx.model.lane(i)) });

/** One station, both lanes. @param {Phone} p @param {string} c @param {SVGElement} g what it is drawn on @param {SVGElement} tap */
export function station(p, c, g, tap) {
  const y = p.ys[c];
  const open = p.open === c;
  const both = new Both(p, open);
  if (c === 'api') return source(p, both, tap, y);
  text(tap, p.W / 2, y + 5, 'ti', 'middle').set(names[c]);
  const numbers = both.text(tap, y + 6, 'n20');
  const words = p.large && !open ? [] : both.text(tap, y + 25, 'l');
  /** @type {(path: string, as: import('../kit/bind.js').As, word: (state: import('../wire/types.js').State) => string) => void} */
  const put = (path, as, word) => {
    p.updates.push(() => numbers.forEach((number, i) => {
      number.bind(lanesOf(p), `lanes.${i}.${path}`, as);
      words[i]?.set(word(p.o.lanes.state(i)));
    }));
  };
  const { t } = p.ctx;
  if (c === 'reflector') {
    put('reflector.resourceVersion', 'bigVersion', (st) => st.reflector.phase);
    if (open) requests(p, both, g, y);
  } else if (c === 'queue') {
    const order = (/** @type {string} */ kind) => t(kind === 'DeltaFIFO' ? 'lanes.byKey' : 'lanes.arrival');
    put('queue.depth', 'count', (st) => (p.large ? '' : order(st.queue.kind)));
    lines(p, g, tap, y, open);
  } else if (c === 'indexer') {
    const held = (/** @type {string} */ rv) => (rv ? `rv ${version(rv, 8)}` : t('lanes.keepsNone'));
    put('indexer.count', 'count', (st) => held(st.indexer.resourceVersion));
  } else {
    p.updates.push(() => numbers.forEach((number, i) => {
      const given = open && !unframed(p.ctx);
      const listener = p.o.lanes.state(i).listeners.find((l) => l.id === p.o.lanes.compare.listener);
      number.set(given ? '' : exact(listener?.handled ?? 0));
      words[i]?.set(t(given ? 'lanes.received' : 'phone.handled'));
    }));
    if (open) {
      const asSent = text(tap, p.W / 2, y + 25, 'l', 'middle');
      p.updates.push(() => asSent.set(unframed(p.ctx) ? '' : t('lanes.asSent')));
    }
  }
  if (open) comparison(p, c, g, y);
}

/**
 * Where the one stream comes from, and which informer each lane is.
 * @param {Phone} p
 * @param {Both} both
 * @param {SVGElement} tap
 * @param {number} y
 */
function source(p, both, tap, y) {
  const { t, model } = p.ctx;
  text(tap, 60, y + 5, 'ti').set(names.api);
  const rv = text(tap, p.W - 16, y + 5, 'n20', 'end');
  const words = text(tap, 60, y + 24, 'l');
  const eras = both.text(tap, y + 64, 'n20');
  const kinds = both.text(tap, y + 82, 'l t1');
  p.updates.push((state) => {
    rv.bind({ state }, 'api.resourceVersion', 'bigVersion');
    words.cls(model.down() ? 'l cet' : 'l').set(model.down() ? answer(p.ctx) : t('phone.oneSource'));
    for (const i of [0, 1]) {
      eras[i].bind(lanesOf(p), `lanes.${i}.era`);
      kinds[i].bind(lanesOf(p), `lanes.${i}.queue.kind`);
    }
  });
}

/** How each lane requests the objects. @param {Phone} p @param {Both} both @param {SVGElement} g @param {number} y */
function requests(p, both, g, y) {
  const how = both.text(g, y + 46, 'l t1');
  const lists = both.text(g, y + 65, 'l');
  const watches = both.text(g, y + 84, 'l');
  p.updates.push(() => {
    for (const i of [0, 1]) {
      const r = p.o.lanes.state(i).reflector;
      how[i].set(r.lists ? 'LIST + WATCH' : r.watches ? 'WatchList' : '');
      lists[i].set(`${exact(r.lists)} ${p.ctx.t('pres.lists', { n: r.lists })}`);
      watches[i].set(`${exact(r.watches)} ${p.ctx.t('pres.watches', { n: r.watches })}`);
    }
  });
}

/**
 * The queues on their rails: the head is lowest, as what leaves first is nearest to the store.
 * @param {Phone} p
 * @param {SVGElement} g
 * @param {SVGElement} tap
 * @param {number} y
 * @param {boolean} open
 */
function lines(p, g, tap, y, open) {
  const { t, model } = p.ctx;
  const n = open ? 6 : p.large ? 2 : 4;
  const row = { y: y - 6 + 20 * (n - 1), n, size: 18, pitch: 20, upright: true, vacant: 'slot off' };
  const rows = [32, p.W - 32].map((x) => seats(g, { x, ...row }));
  const held = open || p.large ? null : text(tap, p.W / 2, y + 45, 'l t1', 'middle');
  p.updates.push(() => {
    held?.set(model.hold('pop') ? t('lanes.held') : '');
    rows.forEach((seated, i) => {
      const { items } = p.o.lanes.state(i).queue;
      seated.set(items.slice(0, n).map((item) => ({ kind: kindOf(item.op), word: seatWord(p.o.lanes.compare, item) })));
    });
  });
}

/**
 * What the open station shows of the changes. It is drawn again for another comparison.
 * @param {Phone} p
 * @param {string} c
 * @param {SVGElement} g
 * @param {number} y
 */
function comparison(p, c, g, y) {
  const into = s('g');
  g.append(into);
  /** @type {import('../wire/types.js').Comparison | null} */
  let drawn = null;
  let bare = false;
  p.updates.push(() => {
    const { compare } = p.o.lanes;
    const none = unframed(p.ctx);
    if (compare === drawn && none === bare) return;
    drawn = compare;
    bare = none;
    into.replaceChildren();
    if (none) return;
    if (c === 'queue') queues(p, into, y);
    if (c === 'indexer') stores(p, into, y);
    if (c === 'listeners') orders(p, into, y);
  });
}

/** What Pop took, or what waits for it. @param {Phone} p @param {SVGElement} g @param {number} y */
function queues(p, g, y) {
  const { compare } = p.o.lanes;
  for (const i of [0, 1]) {
    const x = i ? p.W / 2 + 6 : 54;
    const { shown, hidden, head } = takenLines(p.ctx, compare, i, room);
    text(g, x, y + 47, 'l').set(hidden ? p.ctx.t('lanes.more', { n: exact(hidden) }) : p.large ? '' : head);
    const left = x + (p.large ? 2 : 40);
    shown.forEach((l, j) => {
      const top = y + 56 + 24 * j;
      if (l.name && !p.large) text(g, x, top + 15, 'l t1').set(l.name);
      g.append(bracketAt(l, left, top - 1, top + 22));
      lineChips(g, compare, i, l, { x: left + 6, y: top, w: 38, h: 21, step: 41, type: 'l t1 lb' });
    });
  }
}

/** The newest stored state of each object, and what the store was in between. @param {Phone} p @param {SVGElement} g @param {number} y */
function stores(p, g, y) {
  const { compare } = p.o.lanes;
  for (const i of [0, 1]) {
    const x = i ? p.W / 2 + 6 : 54;
    compare.lanes[i].newest.slice(0, p.large ? room.newest.large : room.newest.small).forEach((change, j) => {
      changeChip(g, { x: x + 44 * j, y: y + 38, w: 40, h: 24, type: 'l t1 lb' }, change, change.op);
    });
    const { words, odd } = verdict(p.ctx, compare, i);
    wrap(words, p.W / 2 - 60, 5).forEach((line, j) => text(g, x, y + 80 + 15 * j, odd ? 'l t1' : 'l').set(line));
  }
}

/**
 * Received, as sent, received: time runs down, and what changed places crosses.
 * @param {Phone} p
 * @param {SVGElement} g
 * @param {number} y
 */
function orders(p, g, y) {
  const { t, model } = p.ctx;
  const { changes } = p.o.lanes.compare;
  const mid = p.W / 2;
  if (!changes.length) {
    const words = wrap(t(model.simulated() ? 'lanes.nothing' : 'lanes.nothingLive'), p.W - 124, 5, '14px');
    words.forEach((line, i) => text(g, mid, y + 56 + 19 * i, 'c14', 'middle').set(line));
    return;
  }
  const step = pitch(changes.length);
  const at = { row: (/** @type {number} */ i) => y + 58 + step * i, wide: p.large ? 46 : 66, box: p.large ? 36 : 44, mid };
  for (const lane of [0, 1]) received(p, g, lane, at);
  for (const change of changes) {
    const cy = at.row(change.n - 1);
    const rect = s('rect', { x: mid - at.box / 2, y: cy - 13, width: at.box, height: 26, rx: 4, class: 'sentb' });
    const box = s('g', { 'data-row': 'sent' }, rect);
    text(box, mid, cy + 5, 't14', 'middle').set(change.label);
    g.append(box);
  }
}

/**
 * What one lane's handler was given, tied to where each was sent.
 * @param {Phone} p
 * @param {SVGElement} g
 * @param {number} lane
 * @param {{row: (i: number) => number, wide: number, box: number, mid: number}} at
 */
function received(p, g, lane, at) {
  const { compare } = p.o.lanes;
  const { given } = compare.lanes[lane];
  const rail = lane ? p.W - 32 : 32;
  const left = lane ? p.W - 52 - at.wide : 52;
  const inner = lane ? left : left + at.wide;
  const to = lane ? at.mid + at.box / 2 : at.mid - at.box / 2;
  const bend = (to - inner) * 0.55;
  compare.changes.forEach((_, i) => {
    const cy = at.row(i);
    g.append(s('circle', { cx: rail, cy, r: 3, class: 'fork' }));
    g.append(s('path', { d: `M${rail} ${cy}H${lane ? left + at.wide : left}`, class: 'rail' }));
    const step = given[i];
    if (!step) {
      g.append(s('rect', { x: left, y: cy - 15, width: at.wide, height: 30, rx: 4, class: 'slot off' }));
      return;
    }
    const end = at.row(step.n - 1);
    const d = `M${inner} ${cy}C${inner + bend} ${cy} ${to - bend} ${end} ${to} ${end}`;
    g.prepend(s('path', { d, class: step.n - 1 === i ? 'bump' : 'bump x' }));
    const chip = { x: left, y: cy - 15, w: at.wide, h: 30, type: p.large ? 't14' : 'n16', row: `given-${lane}` };
    changeChip(g, chip, sent(compare, step.n), step.op);
  });
  // Half the width for each: the words of one release never meet those of the other.
  const odd = reordered(compare, lane);
  const low = at.row(compare.changes.length - 1) + 34;
  const font = odd && !p.large ? '600 14px' : odd ? '700 12px' : '12px';
  const type = odd && !p.large ? 't14' : odd ? 'l t1 b' : 'l';
  const delta = p.o.lanes.state(lane).queue.kind === 'DeltaFIFO';
  const words = given.length ? p.ctx.t(odd ? 'lanes.notOrder' : delta ? 'lanes.keyOnly' : 'lanes.allKeys') : '';
  wrap(words, at.mid - 62, 2, font).forEach((line, j) => {
    text(g, lane ? p.W - 54 : 54, low + 16 * j, type, lane ? 'end' : 'start').set(line);
  });
}
