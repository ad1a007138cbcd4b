// @ts-check
// What waits where it is counted now and then, as a probe does: how many is known, and not which. It is a band, and has no bars.
import { t } from '../kit/i18n.js';
import { heightOf } from './pile.js';

/** @typedef {import('../wire/types.js').Column} Column */

/**
 * Draws neighbouring columns of a band: a ground with an edge.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} cx
 * @param {(Column | undefined)[]} columns
 * @param {{x: number, wide: number, foot: number, unit: number, edge: number, before: number[], ink: string}} o as of `drawPiles`; how thick the
 *   `edge` is
 */
export function drawBand(cx, columns, { x, wide, foot, unit, edge, before, ink }) {
  const highOf = (/** @type {number[]} */ pile) => (pile.length ? Math.max(2 * edge, Math.round(heightOf(pile) * unit)) : 0);
  let last = highOf(before);
  cx.fillStyle = ink;
  columns.forEach((column, i) => {
    const high = highOf(column?.[2] ?? []);
    const left = x + i * wide;
    cx.globalAlpha = 0.25;
    cx.fillRect(left, foot - high, wide, high);
    cx.globalAlpha = 1;
    if (high) cx.fillRect(left, foot - high, wide, edge);
    if (high !== last) cx.fillRect(left, foot - Math.max(high, last), edge, Math.abs(high - last));
    last = high;
  });
}

/**
 * Says in a band, or over it, how often it was counted.
 * @param {import('./pen.js').Pen} pen @param {import('./pile.js').Run[]} runs @param {string} why how the number is known: "20 times a second"
 */
export function writeBand(pen, runs, why) {
  const run = runs.at(-1);
  if (!run) return;
  const { k, base, scene } = pen;
  const high = (run.highest * run.unit) / scene.dpr;
  const x = pen.x(run.from * scene.step) + 6 * k;
  const places = high >= 18 * k ? [{ x, y: base - 6 * k, inside: true }] : [{ x, y: base - high - 5 * k }];
  const n = Number.parseInt(why, 10);
  pen.say([...(n ? [t('past.sampledOften', { n })] : []), t('past.sampled')], places, { colour: pen.colour.t1 });
}
