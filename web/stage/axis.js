// @ts-check
// The axis of the past: where its lines are, and what its labels say. It runs back from the rail, so it changes with the window and not with time.

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
