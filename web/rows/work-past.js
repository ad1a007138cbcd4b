// @ts-check
// The past of the work queue: a line for each worker's reads and for its reconciles that last, keys that wait to be tried again, and reconciles that failed.
import { middle, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';
import { drawReads } from './reads.js';

/** So many workers have a line of their own. */
const lines = 4;
/** From this width on, in units, a wait has words, and so far apart are those of two. */
const long = 60;
/** Crosses that are nearer to each other, in units, are one. */
const near = 1.5;

export const workPast = {
  ticks: 15,
  alpha: 0.6,
  /** @param {import('../stage/pen.js').Pen} pen */
  draw(pen) {
    const { k, colour, track } = pen;
    const lineOf = (/** @type {number} */ worker) => pen.foot - (2 + 4 * Math.min(lines, Math.max(1, worker))) * k;
    for (const call of pen.spans('call')) {
      pen.block(pen.x(call.fromMillis), pen.x(pen.end(call)), lineOf(call.n ?? 1), 3 * k, colour.warn, track.waiting ? 1 : pen.bright(call));
    }
    drawReads(pen, lineOf);
    const y = pen.base - 3 * k;
    for (const lasts of [true, false]) {
      let before = -Infinity;
      for (const retry of pen.spans('retry')) {
        if (pen.lasts(retry) !== lasts) continue;
        const [x0, x1] = [pen.x(retry.fromMillis), pen.x(pen.end(retry))];
        pen.level(x0, x1, y, colour.warn, { wide: 3, alpha: pen.bright(retry) });
        if (x1 - x0 < long * k || x0 - before < long * k) continue;
        before = x0;
        const s = duration(retry.millis || pen.end(retry) - retry.fromMillis);
        const { n, key = '' } = retry;
        const words = n ? [t('past.retryOf', { key: middle(key, 40), n, s }), t('past.retry', { n, s })] : [t('past.retries', { s })];
        pen.say(words, [{ x: x0 + 4 * k, y: y - 5 * k }], { colour: colour.warn, weight: 600, first: lasts });
      }
    }
    let before = -Infinity;
    for (const failed of pen.spans('failed')) {
      const x = pen.x(pen.end(failed));
      if (x - before < near * k) continue;
      before = x;
      pen.cross(x, y);
    }
  },
};
