// @ts-check
// The past of a handler: its calls that lasted, its resyncs and tombstones, and where it began or ended.
import { exact, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** @typedef {import('../stage/pen.js').Pen} Pen */

/** From this width on, in units, a call says how long it took. */
const wide = 92;

/** Draws a block for each call that lasts. A call that changes wait for is bright. @param {Pen} pen */
function drawCalls(pen) {
  const { k, colour, track } = pen;
  const y = pen.foot - 15 * k;
  let named = false;
  for (const call of pen.spans('call')) {
    const [x0, x1] = [pen.x(call.fromMillis), pen.x(pen.end(call))];
    pen.block(x0, Math.max(x0 + k, x1 - k), y, 14 * k, colour.warn, track.waiting ? 1 : pen.bright(call));
    if (named || pen.lasts(call) || x1 - x0 < wide * k) continue;
    named = true;
    const words = t('past.call', { s: duration(pen.end(call) - call.fromMillis) });
    pen.say([words], [{ x: x0 + 6 * k, y: y + 10.5 * k, end: x1, inside: true }], { colour: colour.ink, weight: 600 });
  }
}

/** Draws a stone over the tick of deletions of which only a list has shown the end. @param {Pen} pen */
function drawTombstones(pen) {
  const { k, colour } = pen;
  for (const { fromMillis, n = 0 } of pen.spans('tombstone')) {
    const x = pen.x(fromMillis);
    const y = pen.foot - 18 * k;
    const [w, h] = [4 * k, 10 * k];
    pen.stroke([x - w, y, x - w, y - h * 0.7, x - w / 2, y - h, x + w / 2, y - h, x + w, y - h * 0.7, x + w, y, x - w, y], colour.del, 1.6);
    pen.marks.push([x - w - k, y - h - k, x + w + k, y + k]);
    const words = n > 1 ? t('past.tombstones', { n: exact(n) }) : t('past.tombstone');
    pen.say([words, t('past.tombstoneShort')], [{ x: x + 8 * k, y: y - k }], { colour: colour.t1, weight: 600, first: true });
  }
}

/** Draws where the row begins, and the line from the store whose objects it gets. @param {Pen} pen */
function drawBirth(pen) {
  const { k, colour, track } = pen;
  for (const added of pen.spans('added')) {
    const x = pen.x(added.fromMillis);
    const from = pen.scene.seatOf('indexer', track.lane);
    if (from) {
      pen.upright(x, from.y + from.h, pen.top - 2 * k, colour.t1, true);
      pen.stroke([x - 4 * k, pen.top - 5 * k, x, pen.top, x + 4 * k, pen.top - 5 * k], colour.t1, 1.4);
    }
    // Its objects come at that moment: the line ends over their tick.
    pen.upright(x, pen.top, pen.foot - 18 * k, colour.t1);
    const name = track.name ?? '';
    const short = t('past.addedShort', { name });
    const n = exact(added.n ?? 0);
    pen.say(added.n ? [t('past.added', { name, n }), t('past.addedHalf', { name, n }), t('past.addedLeast', { name, n }), short] : [short],
      [{ x: x + 8 * k, y: pen.top + 12 * k }, { x: x + 8 * k, y: pen.top - 4 * k }], { colour: colour.t1, weight: 600, first: true });
  }
  for (const removed of pen.spans('removed')) {
    const x = pen.x(removed.fromMillis);
    pen.upright(x, pen.top, pen.foot, colour.t1);
    pen.say([t('past.removed', { name: track.name ?? '' })], [{ x: x + 8 * k, y: pen.foot - 6 * k }], { colour: colour.t1 });
  }
}

export const handlerPast = {
  ticks: 15,
  alpha: 0.6,
  /** @param {Pen} pen */
  draw(pen) {
    const { k, colour } = pen;
    drawCalls(pen);
    for (const resync of pen.spans('resync')) {
      const x = pen.x(resync.fromMillis);
      pen.block(x, Math.max(x + 2 * k, pen.x(pen.end(resync))), pen.foot - 17 * k, 16 * k, colour.syn, 0.85);
      const words = resync.n ? t('past.resync', { n: exact(resync.n) }) : t('past.resyncs');
      pen.say([words], [{ x: pen.x(pen.end(resync)) + 8 * k, y: pen.foot - 18 * k }], { colour: colour.syn });
    }
    drawTombstones(pen);
    drawBirth(pen);
  },
};
