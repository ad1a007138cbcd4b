// @ts-check
// The followed change: one line from row to row, strictly at its times, with a dot at each and its time in words.
import { precise } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** @typedef {import('./pen.js').Pen} Pen */
/** @typedef {import('../wire/types.js').Stop} Stop */
/** A stop that shows: where its row's line is, and the row. @typedef {Stop & {y: number, row: string, station: string}} Shown */

/** A wait that is shorter, in ms, is not said. */
const brief = 0.01;

/** Whether the ground is white, on which yellow is not seen. @param {Record<string, string>} colour */
export const isLight = ({ bg }) => Number.parseInt(bg?.[1] ?? '0', 16) > 8;

/** @param {Pen} pen @param {Shown} stop @param {number} begin when the change was made */
function stopWords(pen, stop, begin) {
  const { cameMillis, leftMillis, endMillis, station } = stop;
  const calls = station === 'handler' || station === 'work';
  const at = t('past.at', { s: precise((calls ? leftMillis ?? cameMillis : cameMillis) - begin) });
  if (station === 'cluster' || station === 'indexer') return [at];
  const waits = (leftMillis ?? pen.now) - cameMillis;
  if (!calls && waits < brief) return [at];
  if (!calls) return [t('past.waits', { at, s: precise(waits) }), at];
  if (leftMillis === null) return waits > 0 ? [t('past.waits', { at, s: precise(waits) }), at] : [at];
  const lasts = (endMillis ?? pen.now) - leftMillis;
  // The log's clock counts some µs as none.
  return lasts > 0 ? [t(station === 'work' ? 'past.reconcile' : 'past.calls', { at, s: precise(lasts) }), at] : [at];
}

/**
 * Draws the way of the followed change.
 * @param {Pen} pen
 * @param {import('../wire/types.js').Journey} journey
 * @param {(row: string) => {y: number, station: string} | null} placeOf where a row's line is; null if it does not show
 * @param {string | undefined} feeder the row of the handler that puts keys into the work queue
 * @param {string} [marked] the row whose dot has a ring
 */
export function drawJourney(pen, journey, placeOf, feeder, marked) {
  const { k, colour } = pen;
  const { xOf } = pen.scene;
  const light = isLight(colour);
  const stops = journey.stops.flatMap((stop) => {
    const place = placeOf(stop.row);
    return place ? [{ ...stop, ...place }] : [];
  });
  if (!stops.length || xOf(Math.max(...stops.map((s) => s.endMillis ?? s.leftMillis ?? s.cameMillis))) < 0) return;
  const line = (/** @type {number[]} */ points, ink = colour.acc) => {
    // Yellow is not seen on white: there it is a band under a dark line.
    pen.stroke(points, ink, light && ink === colour.acc ? 6 : 2);
    if (light && ink === colour.acc) pen.stroke(points, colour.t1, 1.2);
  };
  const handlers = stops.filter((s) => s.station === 'handler');
  const store = stops.find((s) => s.station === 'indexer');
  /** @type {Shown | null} */
  let last = null;
  for (const stop of stops) {
    const [x0, x1] = [pen.x(stop.cameMillis), pen.x(stop.leftMillis ?? stop.cameMillis)];
    if (stop.station === 'work') {
      const from = stops.find((s) => s.row === feeder);
      if (from) line([x0, from.y, x0, stop.y, x1, stop.y], colour.t2);
    } else if (stop.station === 'handler') line([x0, stop.y, x1, stop.y]);
    else {
      if (last) line([pen.x(last.leftMillis ?? last.cameMillis), last.y, x0, stop.y]);
      line([x0, stop.y, x1, stop.y]);
      last = stop;
    }
  }
  // All handlers get it from the store, and none from another.
  const lowest = Math.max(...handlers.map((s) => s.y));
  if (store && handlers.length) pen.upright(pen.x(store.cameMillis), store.y, lowest, light ? colour.t1 : colour.acc, true);
  for (const stop of stops) {
    const x = pen.x(stop.station === 'handler' || stop.station === 'work' ? stop.leftMillis ?? stop.cameMillis : stop.cameMillis);
    if (xOf(stop.cameMillis) < 0) continue;
    pen.dot(x, stop.y, stop.station === 'work' ? colour.t2 : colour.acc, light);
    if (stop.row === marked) pen.ring(x, stop.y, colour.t1);
    if (stop === stops[0] && stop.station === 'cluster') {
      const places = [{ x: x + 9 * k, y: stop.y - 6 * k }, { x: x - 9 * k, y: stop.y - 6 * k, before: true }];
      pen.say([`${journey.op} ${journey.key}`, journey.key], places, { colour: light ? colour.t1 : colour.acc, size: 13, first: true });
      continue;
    }
    const y = stop.y - (stop.station === 'reflector' ? 6 : 3) * k;
    const places = [{ x: x + 9 * k, y, inside: true, ground: true }, { x: x - 9 * k, y, inside: true, ground: true, before: true }];
    pen.say(stopWords(pen, stop, stops[0].cameMillis), places, { colour: colour.t1, first: true });
  }
}
