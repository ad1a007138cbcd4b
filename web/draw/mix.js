// @ts-check
// A bar whose parts are the delta types of many changes, in the order in which they are everywhere.
import { attr, s } from '../kit/dom.js';
import { kindOf } from '../kit/glyphs.js';

/** @type {import('../kit/glyphs.js').Kind[]} */
const order = ['upd', 'add', 'del', 'rep', 'syn', 'bmk'];

/**
 * @param {SVGElement} parent
 * @param {number} x
 * @param {number} y
 * @param {number} width of the whole bar
 * @param {number} height
 */
export function mixBar(parent, x, y, width, height) {
  const parts = order.map((kind) => {
    const part = s('rect', { x, y, width: 0, height, class: 'mx k-' + kind });
    parent.append(part);
    return { kind, part };
  });
  return {
    /** @param {Record<string, number>} mix how many there are of each delta type @param {number} total */
    set(mix, total) {
      /** @type {Record<string, number>} */
      const counts = {};
      for (const op in mix) {
        const kind = kindOf(op);
        counts[kind] = (counts[kind] ?? 0) + mix[op];
      }
      let at = x;
      for (const { kind, part } of parts) {
        const wide = total ? ((counts[kind] ?? 0) / total) * width : 0;
        attr(part, 'x', at.toFixed(1));
        attr(part, 'width', wide.toFixed(1));
        at += wide;
      }
    },
  };
}
