// @ts-check
// Ticks: what passed without waiting. Only their height is logarithmic, so that one among a thousand can be seen; numbers beside them are sums.

/** From the foot up: lists and resyncs, then what changed, then keys. */
const order = [4, 6, 5, 7, 2, 1, 3, 8, 0];

/** How high the tick of so many changes is, in units. @param {number} n @param {number} most */
export const tickHeight = (n, most) => Math.min(most, 4 + 3 * Math.log2(n + 1));

/**
 * Draws what passed in a column as a tick, by type one above the other.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} cx
 * @param {number[]} passes
 * @param {{x: number, wide: number, foot: number, k: number, most: number, inks: string[], broken: boolean}} o `k` are pixels per unit, `most` is
 *   how high it may be, in units; it is `broken` where no
 *   watch brought the changes
 */
export function drawTick(cx, passes, { x, wide, foot, k, most, inks, broken }) {
  let all = 0;
  for (let i = 1; i < passes.length; i += 2) all += passes[i];
  if (!all) return;
  const high = tickHeight(all, most) * k;
  let y = foot;
  for (const op of order) {
    for (let i = 0; i < passes.length; i += 2) {
      if (passes[i] !== op) continue;
      const part = (high * passes[i + 1]) / all;
      cx.fillStyle = inks[broken ? 0 : op];
      if (!broken) cx.fillRect(x, y - part, wide, part);
      else for (let at = 0; at < part; at += 3.6 * k) cx.fillRect(x, y - Math.min(part, at + 2 * k), wide, Math.min(2 * k, part - at));
      y -= part;
    }
  }
}
