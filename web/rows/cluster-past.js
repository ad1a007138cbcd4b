// @ts-check
// The past of the cluster: its ticks are the highest, and the sum of a burst is written here, once.
import { exact, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** How high the lists of a crowd are at most, in parts of the row that is free for them; how high in units at least. */
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
  const begin = (/** @type {number} */ i) => pen.x(fromMillis + i * stepMillis);
  const top = (/** @type {number} */ n) => foot - (n ? Math.max(2 * k, (n / most) * high) : 0);
  requests.forEach((n, i) => {
    if (n && begin(i + 1) > 0 && begin(i) < pen.right) pen.block(begin(i), begin(i + 1) - k * 0.5, top(n), foot - top(n), colour.rep, 0.9);
  });
  unjittered.forEach((n, i) => {
    if (n && begin(i + 1) > 0 && begin(i) < pen.right) pen.stroke([begin(i), foot, begin(i), top(n), begin(i + 1), top(n), begin(i + 1), foot], colour.t1, 1.2);
  });
  const at = requests.indexOf(Math.max(...requests));
  const aside = { x: begin(at + 1) + 8 * k, y: top(requests[at]) + 10 * k };
  pen.say([t('past.crowd', { n: exact(requests[at]) })], [aside], { colour: colour.rep, weight: 600 });
  const last = unjittered.findLastIndex((n) => n > 0);
  if (last <= at) return;
  const end = { x: begin(last + 1), y: top(unjittered[last]) - 6 * k };
  pen.say([t('past.unjittered', { n: exact(unjittered[last]) })], [{ ...end, x: end.x - 150 * k }, end], { colour: colour.t1 });
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
