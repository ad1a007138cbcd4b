// @ts-check
// A lamp: filled is yes, hollow is no.
import { attr, s } from '../kit/dom.js';

/** @param {SVGElement} g @param {number} cx @param {number} cy @param {number} r */
export function lamp(g, cx, cy, r) {
  const el = s('circle', { cx, cy, r, class: 'lamp' });
  g.append(el);
  return {
    el,
    /** @param {boolean} on */
    set(on) {
      attr(el, 'class', on ? 'lamp on' : 'lamp');
    },
  };
}
