// @ts-check
// The stores of the two lanes of a fork as cells of two maps: the first lane's store stands where the cluster does, the second's where the store does.
import { places } from '../wire/model.js';

/** @typedef {import('../wire/types.js').Fork} Fork */

/** Where an object is, by its character in the fork's map. @type {Record<string, number>} */
const where = { '=': places.cluster | places.store, '~': places.cluster | places.store | places.apart, '<': places.cluster, '>': places.store };

/** The cells of both stores. Their order is that of the fork's map. @param {Fork['stores']} stores */
export function forkCells({ map }) {
  return new Map([...map].map((c, slot) => [slot, { slot, key: String(slot).padStart(6, '0'), places: where[c] ?? 0, written: 0, at: 0 }]));
}

/** The key of the object of a cell, if it differs and is named. @param {Fork['stores']} stores @param {number} cell */
export function keyOf({ map, onlyKeys, otherKeys }, cell) {
  const c = map[cell];
  const named = c === '~' ? otherKeys : c === '<' ? onlyKeys[0] : c === '>' ? onlyKeys[1] : [];
  return named[map.slice(0, cell).split(c).length - 1] ?? '';
}
