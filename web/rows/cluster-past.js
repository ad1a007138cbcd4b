// @ts-check
// The past of the cluster: its ticks are the highest, and the sum of a burst is written here, once.
import { exact, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** What is free above the lists of a crowd, and how high they are at least, in units. */
const free = 26;
const lowest = 12;

/**
 * Draws how many lists all clients of the API server asked for, in each step of time, and how many there would have been without jitter.
 * @param {import('../stage/pen.js').Pen} pen @param {import('../wire/types.js').CrowdLists} lists
 */
function drawCrowd(pen, { fromMillis, stepMillis, requests, unjittered }) {
  const { k, colour, foot } = pen;
  const most = Math.max(1, ...requests, ...unjittered);
  const high = Math.max(lowest * k, foot - pen.top - free * k);
  const top = (/** @type {number} */ n) => foot - Math.max(2 * k, (n / most) * high);
  const bins = requests.map((n, i) => ({ x0: pen.x(fromMillis + i * stepMillis), x1: pen.x(fromMillis + (i + 1) * stepMillis), n, without: unjittered[i] }))
    .filter(({ x0, x1 }) => x1 > 0 && x0 < pen.right);
  for (const { x0, x1, n, without } of bins) {
    if (n) pen.block(x0, x1 - k * 0.5, top(n), foot - top(n), colour.rep, 0.9);
    if (without) pen.stroke([x0, foot, x0, top(without), x1, top(without), x1, foot], colour.t1, 1.2);
  }
  const peak = bins.reduce((a, b) => (b.n > a.n ? b : a), { n: 0, x1: 0 });
  if (peak.n) pen.say([t('past.crowd', { n: exact(peak.n) })], [{ x: peak.x1 + 8 * k, y: top(peak.n) + 10 * k }], { colour: colour.rep, weight: 600 });
  const last = bins.findLast(({ without }) => without > 0);
  if (!last || last.x1 <= peak.x1) return;
  const end = { x: last.x1, y: top(last.without) - 6 * k };
  pen.say([t('past.unjittered', { n: exact(last.without) })], [{ ...end, x: end.x - 150 * k }, end], { colour: colour.t1 });
}

export const clusterPast = {
  ticks: 24,
  alpha: 0.85,
  /** @param {import('../stage/pen.js').Pen} pen */
  draw(pen) {
    const { k } = pen;
    const lists = pen.scene.crowdOf(pen.track.lane)?.lists;
    if (lists?.requests.length) drawCrowd(pen, lists);
    for (const burst of pen.spans('burst')) {
      const [x0, x1] = [pen.x(burst.fromMillis), pen.x(pen.end(burst))];
      pen.marks.push([x0, pen.foot - 22 * k, x1 + 2 * k, pen.foot]);
      const words = t('past.burst', { n: exact(burst.n ?? 0), s: duration(pen.end(burst) - burst.fromMillis) });
      pen.say([words], [{ x: x1 + 7 * k, y: pen.foot - 14 * k }, { x: x0, y: pen.foot - 26 * k }], { colour: pen.colour.t1 });
    }
  },
};
