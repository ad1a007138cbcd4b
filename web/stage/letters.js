// @ts-check
// The letters that a story gives to objects: each stands left of the bar of its object, or over the tick. Those that would lie on each other stand side by
// side, the lowest bar first, or in the order in which they passed.
import { tickHeight } from './tick.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('../wire/past.js').Span} Span */

/** How near to each other letters are that stand side by side, how wide such a one is, and how many do so at most, in units. */
const apart = 14;
const most = 8;

/**
 * Those that stand side by side, in their order.
 * @param {Span[]} spans in the order of their time @param {(millis: number) => number} xOf in units
 * @returns {Span[][]}
 */
export function gather(spans, xOf) {
  /** @type {Span[][]} */
  const groups = [];
  for (const span of spans) {
    const last = groups.at(-1);
    if (last && xOf(span.fromMillis) - xOf(last[last.length - 1].fromMillis) < apart) last.push(span);
    else groups.push([span]);
  }
  return groups;
}

/**
 * Writes the letters of a row.
 * @param {Pen} pen @param {import('./pile.js').Run[]} runs the row's piles @param {number} ticks how high its ticks are at most, in units; 0 if it has none
 */
export function writeLetters(pen, runs, ticks) {
  const { k, track, colour } = pen;
  const { step, dpr, xOf } = pen.scene;
  const say = (/** @type {Span[]} */ group, /** @type {import('./lettering.js').Place[]} */ places) => {
    if (group.length <= most) pen.say([group.map((span) => span.words).join(' ')], places, { colour: colour.t1, weight: 600, first: true });
  };
  const isPass = (/** @type {Span} */ span) => span.toMillis === span.fromMillis;
  const letters = pen.spans('letter');
  for (const group of gather(letters.filter((span) => !isPass(span)), (millis) => xOf(millis) / k)) {
    const x = pen.x(group[0].fromMillis);
    const column = Math.floor(group[0].fromMillis / step);
    const bar = (runs.find((run) => run.to >= column)?.unit ?? 0) / dpr;
    const places = group.map((span) => span.n ?? 0);
    const [low, high] = [pen.base - Math.min(...places) * bar, pen.base - (Math.max(...places) + 1) * bar];
    say(group, [{ x: x - 4 * k, y: Math.min(low - 3 * k, (low + high) / 2 + 4 * k), before: true }, { x: x + 2 * k, y: high - 3 * k }]);
  }
  if (!ticks) return;
  for (const group of gather(letters.filter(isPass), (millis) => xOf(millis) / k)) {
    const high = Math.max(...group.map((span) => {
      const passes = track.columns.get(Math.floor(span.fromMillis / step))?.[1] ?? [];
      return tickHeight(passes.reduce((n, x, i) => (i % 2 ? n + x : n), 0), ticks);
    }));
    const [x, y] = [pen.x(group[0].fromMillis), pen.foot - (high + 3) * k];
    // A call that began there lies on the tick, and what waits for it stands over that.
    say(group, [
      { x: x - 4 * k, y }, { x: x + 5 * k, y, before: true }, { x: x - 4 * k, y: Math.min(y, pen.base) }, { x: x - 4 * k, y: pen.foot - 3 * k, before: true },
    ]);
  }
}
