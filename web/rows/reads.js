// @ts-check
// The reads of workers: a head at the worker's line, filled or, where what it got was old, outlined, as in the maps. A line of dots comes from the store's row.
import { exact, middle, version } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** @typedef {import('../stage/pen.js').Pen} Pen */
/** @typedef {import('../wire/past.js').Span} Span */

/** How much is free between a line and the read before it, in units: lines that stand closer would be a wall before the handlers. */
const apart = 12;
/** How near to each other reads are for the words of at most two, in units: they have two lines. */
const legible = 40;
/** Half of a head's width, and its height, in units. */
const head = { half: 3.5, high: 4.5 };

/** Whether a read got less than the cluster is known to have had. @param {Span} read */
const isOld = ({ behind = 0 }) => behind > 0;

/** What a read got, in words; at last without what the cluster had. @param {Span} read @returns {string[]} */
export function readWords(read) {
  const got = read.rv ? t('past.read', { rv: version(read.rv) }) : t('past.readNone');
  if (!isOld(read)) return [got];
  const { latest } = read;
  return [latest ? t('past.readOld', { got, latest: version(latest) }) : t('past.readGone', { got }), t('past.readShort', { got })];
}

/** A read in words, for who points at it. @param {Span} read @param {import('../wire/page-types.js').Ctx['t']} t */
export function sayRead(read, t) {
  const { n, merged, key = '' } = read;
  const who = t(n ? 'point.read' : 'point.readBy', { n: n ?? 0, key: middle(key, 40) });
  return [`${who} ${readWords(read)[0]}`, ...(merged ? [t('point.reads', { n: exact(merged) })] : [])].join(', ');
}

/** Draws the reads of a row. @param {Pen} pen @param {(worker: number) => number} footOf where the line of a worker is */
export function drawReads(pen, footOf) {
  const { cx, k, colour, scene } = pen;
  const store = scene.seatOf('indexer', pen.track.lane);
  for (const old of [false, true]) {
    const ink = old ? colour.t1 : colour.t3;
    const reads = pen.spans('read').filter((read) => isOld(read) === old).map((read) => (
      { read, x: pen.x(read.fromMillis), y: footOf(read.n ?? 0) }));
    cx.globalAlpha = 1;
    cx.fillStyle = old ? colour.bg : ink;
    cx.strokeStyle = ink;
    cx.lineWidth = 1.2 * k;
    cx.beginPath();
    let before = 0;
    for (const { x, y } of reads) {
      if (store && x - before >= apart * k) {
        cx.moveTo(x, store.y + store.h);
        cx.lineTo(x, y - head.high * k);
      }
      before = x;
    }
    cx.setLineDash([2 * k, 3 * k]);
    cx.stroke();
    cx.setLineDash([]);
    cx.beginPath();
    for (const { x, y } of reads) {
      cx.moveTo(x - head.half * k, y - head.high * k);
      cx.lineTo(x + head.half * k, y - head.high * k);
      cx.lineTo(x, y);
      cx.closePath();
      pen.marks.push([x - head.half * k, y - head.high * k, x + head.half * k, y]);
    }
    cx.fill();
    if (old) cx.stroke();
    /** Where the words of the last two reads begin. */
    let [earlier, last] = [-Infinity, -Infinity];
    for (const { read, x } of reads) {
      if (x - earlier < legible * k) continue;
      [earlier, last] = [last, x];
      pen.say(readWords(read), [{ x: x + 6 * k, y: pen.base - 10 * k, ground: true }, { x: x + 6 * k, y: pen.top + 4 * k, ground: true }],
        { colour: ink, weight: old ? 600 : 400 });
    }
  }
}
