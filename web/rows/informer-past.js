// @ts-check
// The past of an informer that is not open: stretches without a watch, and lists, at the foot of its one row.
import { exact, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';
import { stopWords } from './parts.js';

/** How high what stands at the foot is, in units. */
const high = 9;

export const informerPast = {
  ticks: 11,
  alpha: 0.6,
  /** @param {import('../stage/pen.js').Pen} pen */
  draw(pen) {
    const { k, colour } = pen;
    const y = pen.foot - (high + 1) * k;
    for (const gap of pen.spans('gap')) {
      const [x0, x1] = [pen.x(gap.fromMillis), pen.x(pen.end(gap))];
      pen.hatch(x0, x1, y, high * k, colour.warn, { alpha: pen.bright(gap), origin: pen.scene.xOf(gap.fromMillis) });
      const s = duration(pen.end(gap) - gap.fromMillis);
      pen.say([t('past.gap', { s }), t('past.noWatch')], [{ x: x1 + 6 * k, y: pen.foot - 2 * k }, { x: x0 + 4 * k, y: y - 2 * k }], { colour: colour.warn });
    }
    for (const stop of pen.spans('stopped')) pen.say([stopWords(stop)], [{ x: pen.x(stop.fromMillis) + 6 * k, y: pen.foot - 2 * k }], { colour: colour.t2 });
    for (const silent of pen.spans('silent')) pen.level(pen.x(silent.fromMillis), pen.x(pen.end(silent)), pen.foot - 4 * k, colour.warn, { dots: true });
    for (const list of pen.spans('list')) {
      const x1 = Math.max(pen.x(list.fromMillis) + 4 * k, pen.x(pen.end(list)));
      pen.block(pen.x(list.fromMillis), x1, y, high * k, colour.rep, Math.max(0.75, pen.bright(list)));
      if (list.n) pen.say([exact(list.n)], [{ x: x1 + 4 * k, y: pen.foot - 2 * k }], { colour: colour.rep });
    }
  },
};
