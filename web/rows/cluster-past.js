// @ts-check
// The past of the cluster: its ticks are the highest, and the sum of a burst is written here, once.
import { exact, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';

export const clusterPast = {
  ticks: 24,
  alpha: 0.85,
  /** @param {import('../stage/pen.js').Pen} pen */
  draw(pen) {
    const { k } = pen;
    for (const burst of pen.spans('burst')) {
      const [x0, x1] = [pen.x(burst.fromMillis), pen.x(pen.end(burst))];
      pen.marks.push([x0, pen.foot - 22 * k, x1 + 2 * k, pen.foot]);
      const words = t('past.burst', { n: exact(burst.n ?? 0), s: duration(pen.end(burst) - burst.fromMillis) });
      pen.say([words], [{ x: x1 + 7 * k, y: pen.foot - 14 * k }, { x: x0, y: pen.foot - 26 * k }], { colour: pen.colour.t1 });
    }
  },
};
