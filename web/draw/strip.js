// @ts-check
// A long queue as a dense strip of columns, each for several deltas, the head at the right. A column shows the mix of
// the whole queue, as the order of a thousand deltas cannot be seen.
import { attr, s } from '../kit/dom.js';
import { kindOf } from '../kit/glyphs.js';

/** From the bottom of a column up, the rarest last. */
const order = /** @type {const} */ (['del', 'rep', 'syn', 'bmk', 'upd', 'add']);
const pitch = 4;
const thick = 3;

/** @param {SVGElement} g @param {{x: number, y: number, w: number, h: number}} box */
export function strip(g, { x, y, w, h }) {
  const most = Math.floor(w / pitch);
  g.append(s('rect', { x, y, width: w, height: h, rx: 3, class: 'qdb' }));
  // What is being taken and what waits, each a shape of its own for each kind.
  const shapes = ['', ' wt'].map((faint) => order.map((kind) => {
    const shape = s('path', { d: '', class: `mx k-${kind}${faint}` });
    g.append(shape);
    return shape;
  }));
  const right = x + pitch * most;
  return {
    /**
     * @param {Record<string, number>} mix how many of each delta type @param {number} total of them
     * @param {number} n deltas, those that are being taken included
     * @param {number} taken those at the head that are being taken
     * @returns {{per: number, reach: (n: number) => number}} how many a column stands for, and how far n of them reach from the head
     */
    set(mix, total, n, taken) {
      const per = Math.max(1, Math.ceil(n / most));
      const columns = Math.min(most, Math.ceil(n / per));
      const head = Math.min(columns, Math.ceil(taken / per));
      const shares = sharesOf(mix, total);
      let foot = y + h - 1;
      order.forEach((kind, k) => {
        const tall = shares[kind] * (h - 2);
        foot -= tall;
        shapes.forEach((shape, waits) => {
          let d = '';
          for (let i = waits ? head : 0; tall && i < (waits ? columns : head); i++) {
            d += `M${right - pitch * (i + 1)} ${foot.toFixed(1)}h${thick}v${tall.toFixed(1)}h-${thick}z`;
          }
          attr(shape[k], 'd', d);
        });
      });
      return { per, reach: (deltas) => pitch * Math.max(2, Math.ceil(deltas / per)) };
    },
  };
}

/** Which share of a queue each kind has. @param {Record<string, number>} mix @param {number} total */
function sharesOf(mix, total) {
  const shares = { add: 0, upd: 0, del: 0, rep: 0, syn: 0, bmk: 0, key: 0, err: 0 };
  for (const op in mix) shares[kindOf(op)] += mix[op] / total;
  return shares;
}
