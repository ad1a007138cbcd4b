// @ts-check
// A bracket over what belongs together, with its words.
import { attr, s, show, text } from '../kit/dom.js';

/** @param {SVGElement} g @param {number} right where every bracket ends @param {number} y of its feet */
export function bracket(g, right, y) {
  const line = s('path', { d: '', class: 'brk' });
  g.append(line);
  const words = text(g, right, y - 10, 'l t1', 'end');
  return {
    /**
     * @param {number} reach how far it reaches to the left; 0 draws no bracket, only the words
     * @param {string} said
     * @param {number} [middle] where the middle of the words is; they end at the right without it
     */
    set(reach, said, middle) {
      show(line, reach > 0);
      if (reach > 0) attr(line, 'd', `M${right - reach} ${y}V${y - 4}H${right}V${y}`);
      attr(words.el, 'text-anchor', middle === undefined ? 'end' : 'middle');
      words.moveTo(middle ?? right, y - 10).set(said);
    },
  };
}
