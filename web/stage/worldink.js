// @ts-check
// The marks of a map's cells: plain, filled, outlined, dashed, and half for an object that is not asked for. No two differ by colour alone.

import { marks } from './worldgrid.js';

/** @typedef {import('./worldgrid.js').Mark} Mark */
/**
 * How a cell is drawn: `fill`, `edge` and `dash` in a colour; `half` is a triangle.
 * @typedef {{form: 'fill' | 'edge' | 'dash' | 'half' | 'none', colour: string}} Look
 */

/** What each map shows of an object. @type {Record<'cluster' | 'store', Record<Mark, Look>>} */
export const looks = {
  cluster: {
    same: { form: 'fill', colour: 'h1' }, older: { form: 'fill', colour: 'upd' }, missing: { form: 'fill', colour: 'add' },
    gone: { form: 'dash', colour: 'del' }, unsent: { form: 'half', colour: 'h2' }, left: { form: 'half', colour: 'del' },
  },
  store: {
    same: { form: 'fill', colour: 'h1' }, older: { form: 'edge', colour: 'upd' }, missing: { form: 'dash', colour: 'add' },
    gone: { form: 'edge', colour: 'del' }, unsent: { form: 'none', colour: 'h1' }, left: { form: 'edge', colour: 'del' },
  },
};

/** From this size on, in pixels, a square has room for a line within. */
const roomy = 6;

/**
 * Draws a cell in place of what was there.
 * @param {CanvasRenderingContext2D} cx @param {Record<string, string>} palette
 * @param {number} x @param {number} y @param {number} pitch @param {number} size
 * @param {Look} look
 * @param {boolean} isReduced its corner is cut: members of the object were dropped
 */
export function drawCell(cx, palette, x, y, pitch, size, { form, colour }, isReduced) {
  cx.clearRect(x, y, pitch, pitch);
  if (form === 'none') return;
  const edge = Math.max(1, Math.round(size / 6));
  cx.fillStyle = palette[form === 'edge' ? 'h1' : colour];
  if (form === 'fill' || form === 'edge') cx.fillRect(x, y, size, size);
  if (form === 'half') {
    cx.beginPath();
    cx.moveTo(x, y);
    cx.lineTo(x + size, y + size);
    cx.lineTo(x, y + size);
    cx.fill();
  }
  if (form === 'edge') {
    cx.fillStyle = palette[colour];
    cx.fillRect(x, y, size, edge);
    cx.fillRect(x, y + size - edge, size, edge);
    cx.fillRect(x, y, edge, size);
    cx.fillRect(x + size - edge, y, edge, size);
  }
  if (form === 'dash') {
    // Three pieces a side, of which the middle one is a gap.
    const piece = Math.max(1, Math.round(size / 3));
    for (const from of [0, size - piece]) {
      cx.fillRect(x + from, y, piece, edge);
      cx.fillRect(x + from, y + size - edge, piece, edge);
      cx.fillRect(x, y + from, edge, piece);
      cx.fillRect(x + size - edge, y + from, edge, piece);
    }
  }
  if (isReduced && size >= 6) {
    const cut = Math.round(size / 3);
    cx.beginPath();
    cx.moveTo(x + size - cut, y);
    cx.lineTo(x + size, y);
    cx.lineTo(x + size, y + cut);
    cx.closePath();
    cx.save();
    cx.clip();
    cx.clearRect(x, y, size, size);
    cx.restore();
  }
}

/**
 * Draws a square that stands for several objects: how many of its places are taken is its height. The part that differs stands at its foot, at least two
 * pixels high. It is filled in the cluster, and outlined in the store.
 * @param {CanvasRenderingContext2D} cx @param {Record<string, string>} palette
 * @param {number} x @param {number} y @param {number} pitch @param {number} size
 * @param {Record<Mark, number>} counts how many of its objects have each mark
 * @param {Record<Mark, Look>} looks of the map
 * @param {number} per how many objects it has room for
 */
export function drawShare(cx, palette, x, y, pitch, size, counts, looks, per) {
  cx.clearRect(x, y, pitch, pitch);
  let [shown, marked] = [0, 0];
  /** @type {Mark} */
  let most = 'same';
  for (const mark of marks) {
    if (looks[mark].form === 'none') continue;
    shown += counts[mark];
    if (mark === 'same') continue;
    marked += counts[mark];
    if (counts[mark] > 0 && (most === 'same' || counts[mark] > counts[most])) most = mark;
  }
  if (!shown) return;
  const tall = Math.max(1, Math.round((size * shown) / per));
  cx.fillStyle = palette.h1;
  cx.fillRect(x, y + size - tall, size, tall);
  if (!marked) return;
  const { form, colour } = looks[most];
  const high = Math.min(size, Math.max(2, Math.round((size * marked) / per)));
  cx.fillStyle = palette[colour];
  if (form === 'half') {
    cx.clearRect(x, y + size - high, size, high);
    cx.beginPath();
    cx.moveTo(x, y + size - high);
    cx.lineTo(x + size, y + size);
    cx.lineTo(x, y + size);
    cx.fill();
    return;
  }
  cx.fillRect(x, y + size - high, size, high);
  if (form !== 'fill' && high > 2) cx.clearRect(x + 1, y + size - high + 1, size - 2, high - 2);
}

/**
 * Draws what is left of a light: a change was here a moment ago. It is a fine grey line within the square, as no mark of a difference is. A square without room
 * for it, or one that stands for several objects, is a little brighter.
 * @param {CanvasRenderingContext2D} cx @param {Record<string, string>} palette
 * @param {number} x @param {number} y @param {number} size
 * @param {number} light how bright it is, up to 1 @param {boolean} several
 */
export function drawLight(cx, palette, x, y, size, light, several) {
  const isPlain = several || size < roomy;
  cx.globalAlpha = light * (isPlain ? 0.2 : 0.55);
  if (isPlain) {
    cx.fillStyle = palette.t2;
    cx.fillRect(x, y, size, size);
  } else {
    const wide = Math.max(1, Math.round(size / 18));
    cx.strokeStyle = palette.t2;
    cx.lineWidth = wide;
    cx.strokeRect(x + wide / 2, y + wide / 2, size - wide, size - wide);
  }
  cx.globalAlpha = 1;
}
