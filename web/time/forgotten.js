// @ts-check
// The time of events that the log has dropped, at the left of a timeline: hatched, up to a line where the log begins. The same on every layout.
import { attr, s, show } from '../kit/dom.js';

/**
 * @param {number} left where the line of time begins
 * @param {{top: number, tall: number, over: number, under: number}} box where the hatching stands, and how far the line goes beyond it
 */
export function forgottenTime(left, { top, tall, over, under }) {
  const hatch = s('rect', { x: left, y: top, width: 0, height: tall, class: 'hatch' });
  const line = s('path', { d: '', class: 'gone-line' });
  const el = s('g', { class: 'forgotten' }, hatch, line);
  return {
    el,
    /**
     * @param {boolean} on something was forgotten
     * @param {number} x where the log begins
     */
    set(on, x) {
      show(el, on);
      if (!on) return;
      attr(hatch, 'width', Math.max(0, x - left).toFixed(1));
      attr(line, 'd', `M${x.toFixed(1)} ${top - over}V${top + tall + under}`);
    },
  };
}
