// @ts-check
// What can be in the past of any row: a hold, what somebody did, the number of a list, and the words of a pile that is over.
import { actWords } from '../kit/acts.js';
import { exact, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('../wire/past.js').Span} Span */

/** A list passes within so many columns; what takes longer waits. */
const few = 6;
/** So many must have waited for a pile that is over to have words. */
const worth = 8;

/** Draws the holds of a row, as long as they lasted. @param {Pen} pen */
export function drawHolds(pen) {
  const { k, colour, track } = pen;
  for (const hold of pen.spans('hold')) {
    const [x0, x1] = [pen.x(hold.fromMillis), pen.x(pen.end(hold))];
    const lasts = pen.lasts(hold);
    if (track.station === 'informer') {
      pen.block(x0, x1, pen.foot - 6 * k, 5 * k, colour.t1, pen.bright(hold));
      continue;
    }
    const y = pen.foot - 16 * k;
    pen.block(x0, x1, y, 15 * k, colour.t1, pen.bright(hold));
    const s = duration(pen.end(hold) - hold.fromMillis);
    pen.say([t(`past.${lasts ? 'hold' : 'held'}.${track.station}`, { s }), t('past.held', { s })],
      [{ x: x0 + 6 * k, y: y + 11.5 * k, end: x1 - 4 * k, inside: true }], { colour: colour.bg, weight: 700, first: true });
    if (lasts || !hold.n) continue;
    const counts = { n: exact(hold.n), p: exact(hold.pops ?? 0) };
    const words = hold.pops ? [t('past.thenPops', counts), t('past.pops', counts)] : [t('past.then', counts)];
    pen.say(words, [{ x: x1 + 8 * k, y: y - 4 * k }], { colour: colour.t1, weight: 600 });
  }
}

/** How near to each other acts are for the words of at most two, in units. */
const apart = 24;

/** Marks what somebody did at its moment, over the row. @param {Pen} pen */
export function drawActs(pen) {
  const { k, colour } = pen;
  /** Where the words of the last two acts begin. */
  let [later, last] = [Infinity, Infinity];
  for (const act of [...pen.spans('act')].reverse()) {
    const x = pen.x(act.fromMillis);
    const y = pen.top + 2 * k;
    pen.stroke([x - 4 * k, y - 5 * k, x, y, x + 4 * k, y - 5 * k], colour.t1, 1.6);
    pen.marks.push([x - 5 * k, y - 6 * k, x + 5 * k, y + k]);
    if (later - x < apart * k) continue;
    [later, last] = [last, x];
    const words = actWords(act.words ?? '', act.key ?? '', pen.scene.nameOf, pen.scene.hasStory);
    pen.say([words], [{ x: x + 9 * k, y: y + 2 * k }, { x: x + 9 * k, y: y - 14 * k }], { colour: colour.t1, first: true });
  }
}

/** Writes the number of a list where it passed the row. @param {Pen} pen */
export function writeLists(pen) {
  const { k, track, now } = pen;
  const { step, spansOf } = pen.scene;
  for (const list of spansOf('reflector', track.lane)) {
    if (list.kind !== 'list' || !list.n || list.fromMillis > now) continue;
    const passed = burstIn(track, Math.floor(list.fromMillis / step), Math.floor(pen.end(list) / step) + 8, list.n);
    const x = passed && pen.scene.xOf((passed.to + 1) * step);
    if (!x || x < 0) continue;
    pen.say([exact(passed.n)], [{ x: x + 5 * k, y: pen.foot - 18 * k }, { x: x + 5 * k, y: pen.foot - 5 * k }]);
  }
}

/**
 * The columns in which a list passed, as objects that are replaced, synced or added: the neighbours of the one that has the most, and their sum.
 * @param {import('../wire/past.js').Track} track @param {number} from @param {number} to @param {number} n of the list's objects
 */
function burstIn({ columns, station }, from, to, n) {
  const sum = (/** @type {number} */ at) => {
    const passes = columns.get(at)?.[1] ?? [];
    let [here, all] = [0, 0];
    for (let i = 0; i < passes.length; i += 2) {
      all += passes[i + 1];
      if (passes[i] === 1 || (passes[i] > 3 && passes[i] < 8)) here += passes[i + 1];
    }
    // A handler gets some of a list's objects as updated or deleted.
    if (here * 2 <= all) return 0;
    return station === 'handler' ? all : here;
  };
  let [highest, most] = [0, from];
  for (let at = from; at <= to; at++) {
    const here = sum(at);
    if (here > highest) [highest, most] = [here, at];
  }
  if (highest < Math.max(8, n / 4)) return null;
  let all = highest;
  let last = most;
  for (let at = most - 1; at > most - few && sum(at) > n / 20; at--) all += sum(at);
  while (last < most + few && sum(last + 1) > n / 20) all += sum(++last);
  return { to: last, n: all };
}

/**
 * Says of piles that are over how many waited, and how long.
 * @param {Pen} pen
 * @param {import('./pile.js').Run[]} runs
 */
export function writePiles(pen, runs) {
  const { k, track, colour } = pen;
  const { step } = pen.scene;
  for (const pile of pen.spans('pile')) {
    if (pen.lasts(pile) || (pile.n ?? 0) < worth) continue;
    // A hold says it itself.
    if (pen.spans('hold').some((hold) => hold.n && hold.fromMillis <= pen.end(pile) && pen.end(hold) >= pile.fromMillis)) continue;
    const [from, to] = [Math.floor(pile.fromMillis / step), Math.ceil(pen.end(pile) / step)];
    let high = 0;
    for (const run of runs) if (run.from <= to && run.to >= from) high = Math.max(high, run.highest * run.unit);
    high /= pen.scene.dpr;
    const plain = t(track.keyed ? 'past.pileKeys' : 'past.pile', { n: exact(pile.n ?? 0), s: duration(pen.end(pile) - pile.fromMillis) });
    const words = (pile.merged ?? 0) * 10 > (pile.n ?? 0) ? [t('past.merged', { what: plain, n: exact(pile.merged ?? 0) }), plain] : [plain];
    const [x0, x1] = [pen.x(pile.fromMillis), pen.x(pen.end(pile))];
    pen.say(words, [
      { x: x1 + 8 * k, y: pen.base - high / 2 + 4 * k }, { x: x1 + 8 * k, y: pen.base - 3 * k }, { x: x0, y: pen.base - high - 5 * k },
    ], { colour: colour.t2 });
  }
}

