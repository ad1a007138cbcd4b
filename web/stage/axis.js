// @ts-check
// The axis of the past: where its lines are, and what its labels say. It runs back from the rail, so it changes with the window and not with time.
import { t } from '../kit/i18n.js';

/** Steps of a label that people count in, in ms: 1, 2, 5 and their tenths and tens, then what divides a minute and an hour. */
const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 60e3, 120e3, 300e3];
/** A step has so many lines: those that begin with a 5 are in fifths, the others in halves. */
const linesOf = (/** @type {number} */ step) => (/^5|^3/.test(String(step / 10 ** Math.floor(Math.log10(step)))) ? 5 : 2);
/** How far labels stand apart at least, in px. */
const apart = 88;

/** A number without the noise of its last digits, and without zeros at its end. @param {number} n */
const plain = (n) => String(Number(n.toPrecision(3)));

/** How long a window is, in words: "8 s", "0.5 ms", "2 min 30 s". @param {number} ms */
export function lengthWords(ms) {
  if (ms < 999.5) return `${plain(ms)} ms`;
  if (ms < 119_500) return `${plain(ms / 1000)} s`;
  const s = Math.round(ms / 1000);
  return s % 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s / 60} min`;
}

/** A moment before the rail, in words. @param {number} ms @param {number} step between two labels */
function momentWords(ms, step) {
  if (step >= 60e3) return `−${plain(ms / 60e3)} min`;
  if (step >= 1000 || ms >= 1000) return `−${plain(ms / 1000)} s`;
  return `−${plain(ms)} ms`;
}

/**
 * The lines and the labels of an axis, each as ms before the rail.
 * @param {number} windowMillis how long the past is
 * @param {number} room how wide it is, in px
 * @returns {{lines: number[], labels: {before: number, words: string}[]}}
 */
export function axisOf(windowMillis, room) {
  const step = steps.find((s) => (s / windowMillis) * room >= apart) ?? 600e3;
  const parts = linesOf(step);
  const lines = [];
  const labels = [];
  for (let i = 1; (i * step) / parts < windowMillis * 0.999; i++) lines.push((i * step) / parts);
  for (let i = 1; i * step < windowMillis * 0.97; i++) labels.push({ before: i * step, words: momentWords(i * step, step) });
  return { lines, labels };
}

/**
 * Draws the axis and the ground of the rows. Words are aligned left before and after it.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} cx in CSS pixels
 * @param {{
 *   colour: Record<string, string>, k: number, dpr: number, right: number, columns: number, window: number, top: number, end: number, said: string | null,
 *   rows: {y: number, h: number, from: number, open: boolean, line: boolean}[]
 * }} o `k` are pixels per unit. `right` is where the rail begins, `columns` how wide the window's columns are, `window` how long, in ms.
 *   Rows lie between `top` and `end`. `said` is the moment at the rail, if that is not now. An `open` row has a band, one with a `line` a line
 *   at its foot; `from` is where it begins
 */
export function drawAxis(cx, { colour, k, dpr, right, columns, window, top, end, said, rows }) {
  const snap = (/** @type {number} */ x) => Math.round(x * dpr) / dpr;
  const thin = Math.max(1, Math.round(dpr * k * 0.75)) / dpr;
  const at = (/** @type {number} */ before) => snap(right - (before / window) * columns);
  const { lines, labels } = axisOf(window, right / k);
  cx.globalAlpha = 0.6;
  cx.fillStyle = colour.panel;
  for (const { y, h, from, open } of rows) if (open) cx.fillRect(from, y - 4 * k, right - from, h + 4 * k);
  cx.fillStyle = colour.line;
  for (const line of lines) cx.fillRect(at(line), top - 4 * k, thin, end - top + 8 * k);
  for (const { y, h, from, line } of rows) if (line) cx.fillRect(from, snap(y + h), right - from, thin);
  cx.globalAlpha = 1;
  cx.font = `400 ${12 * k}px ${colour.sans}`;
  cx.fillStyle = colour.t3;
  const s = lengthWords(window);
  cx.fillText(said ? t('past.until', { s, at: said }) : t('past.last', { s }), 0, top - 12 * k);
  cx.textAlign = 'center';
  for (const { before, words } of labels) cx.fillText(words, at(before), end + 20 * k);
  if (!said) {
    cx.fillStyle = colour.t1;
    cx.font = `600 ${12 * k}px ${colour.sans}`;
    for (const y of [top - 12 * k, end + 20 * k]) cx.fillText(t('past.now'), right + 10 * k, y);
  }
  cx.textAlign = 'left';
}
