// @ts-check
// The curve of a number over a stretch of time that ends now. Small numbers keep their height: it is drawn by its square root.
import { attr, s } from '../kit/dom.js';

/**
 * @param {SVGElement} g
 * @param {{x: number, y: number, w: number, h: number}} box the line that nothing stands on is its lower edge
 * @param {number} millis how long the stretch is
 */
export function sparkline(g, { x, y, w, h }, millis) {
  const low = y + h;
  g.append(s('path', { d: `M${x} ${low}H${x + w}`, class: 'hair' }));
  const curve = s('path', { class: 'spark', d: '' });
  const dot = s('circle', { r: 2.5, cx: x + w, cy: low, class: 'sparkd' });
  g.append(curve, dot);
  return {
    /**
     * @param {{fromMillis: number, stepMillis: number, max: number[]}} steps the greatest number of each step of time, the oldest first
     * @param {number} last the number since
     * @param {number} now when the stretch ends
     */
    set({ fromMillis, stepMillis, max }, last, now) {
      const begin = now - millis;
      const first = Math.max(0, Math.floor((begin - fromMillis) / stepMillis));
      let top = Math.max(1, last);
      for (let i = first; i < max.length; i++) top = Math.max(top, max[i]);
      const height = (/** @type {number} */ n) => (low - 0.5 - (h - 0.5) * Math.sqrt(n / top)).toFixed(1);
      const place = (/** @type {number} */ at) => (x + (w * Math.min(millis, Math.max(0, at - begin))) / millis).toFixed(1);
      let d = '';
      for (let i = first; i < max.length; i++) {
        d += `${d ? 'L' : 'M'}${place(fromMillis + stepMillis * i)} ${height(max[i])}`;
      }
      if (d) d += `H${place(fromMillis + stepMillis * max.length)}`;
      d += `${d ? 'V' : `M${x} `}${height(last)}H${x + w}`;
      attr(curve, 'd', d);
      attr(dot, 'cy', height(last));
    },
  };
}
