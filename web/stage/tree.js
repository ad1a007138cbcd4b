// @ts-check
// The lines that are no rail: the tree of the names, and from the cluster and the store to their maps.

/** @typedef {import('./rows.js').Band} Band */

/** The tree: the handlers under the Indexer, the work queue under the handler that feeds it. @param {Band[]} bands */
export function treePath(bands) {
  const middle = (/** @type {Band} */ b) => b.foot - 9;
  const store = bands.find((b) => b.station === 'indexer');
  const handlers = bands.filter((b) => b.level === 2);
  const work = bands.find((b) => b.level === 3);
  const feeder = work && (handlers.find((b) => b.listener === work.listener) ?? handlers[handlers.length - 1]);
  const branch = (/** @type {Band} */ from, /** @type {Band} */ to, /** @type {number} */ x) =>
    `M${x} ${middle(from) + 10}V${middle(to) - 6}q0 6 6 6h4`;
  return (store ? handlers.map((b) => branch(store, b, 20)).join('') : '') + (work && feeder ? branch(feeder, work, 38) : '');
}

/**
 * A line from a row to its map, which it meets at the row's own height where it can.
 * @param {Band | undefined} band @param {{y: number, h: number}} map @param {number} from @param {number} to where it begins and ends
 */
export function leadPath(band, map, from, to) {
  if (!band) return '';
  const y = band.foot - 9;
  const end = Math.max(map.y + 8, Math.min(map.y + map.h - 8, y));
  return `M${from} ${y}H${to - 12}${Math.abs(end - y) > 6 ? `V${end}` : ''}H${to}`;
}
