// @ts-check
// Two releases on the phone: one wire that forks into two upright rails. A station stands between them, with a half at either side, and time
// runs down: where the two releases differ, they differ from left to right.
import { fonts, motion, type } from './phone.js';

/** @import { Arranged, Box } from '../wire/page-types.js' */

export const ids = ['api', 'reflector', 'queue', 'indexer', 'listeners'];
/** How far the rails are from the sides, how far the words of a station that is shut or open, and the middle of an open one. */
const side = { rail: 32, shut: 50, open: 54, middle: 6 };
/** Where the first station stands, and what is between two. */
const first = 20;
const gap = 2;

/** How tall a station is: shut, open, and quiet in presenter mode. An open Listener grows with the changes. */
const heights = {
  shut: { api: 106, reflector: 58, queue: 84, indexer: 58, listeners: 58 },
  open: { api: 106, reflector: 118, queue: 180, indexer: 164, listeners: 150 },
  quiet: { api: 106, reflector: 46, queue: 46, indexer: 46, listeners: 46 },
};

/** The way of each move. */
const ways = {
  wire: ['api.wire', 'wire.fork', 'reflector.wire'], store: ['reflector.store', 'queue.store'], pop: ['queue.pop', 'indexer.pop'],
  fan: ['indexer.fan', 'listeners.fan'],
};

/**
 * How far two changes are apart where they are compared.
 * @param {number} n changes
 */
export const pitch = (n) => (n > 4 ? 36 : 42);

/**
 * Where everything stands.
 * @param {{w: number, open: string, large: boolean, listener: number, changes: number, fork?: boolean}} o the listener whose handlers are compared; in a
 *   fork each lane has its own wire
 * @returns {Arranged}
 */
export function arrange({ w, open, large, listener, changes, fork: parted = false }) {
  const tall = (/** @type {string} */ id) => {
    if (id === open && id === 'listeners' && changes) return 104 + changes * pitch(changes);
    const kind = id === open ? heights.open : large ? heights.quiet : heights.shut;
    return kind[/** @type {keyof typeof kind} */ (id)];
  };
  /** @type {Record<string, number>} */
  const ys = {};
  let y = first;
  for (const id of ids) {
    ys[id] = y;
    y += tall(id) + gap;
  }
  const { api, reflector, queue, indexer, listeners } = ys;
  const xs = [side.rail, w - side.rail];
  const last = open === 'listeners';
  const fork = api + 36;
  const low = listeners + tall('listeners') - (last ? 66 : 40);
  /** @type {(id: string, density: Box['density'], x: number, w: number, lane?: number) => Box} */
  const box = (id, density, x, wide, lane = 0) => ({
    id, density, x, y: ys[id], w: wide, h: tall(id), rail: xs[lane], from: ys[id], to: ys[id], lane, type, fonts, chip: 18, pad: 0,
    bare: large && id !== open, lit: id === open, lean: large, listeners: [listener], main: listener, span: [ys[id] - 40, ys[id] + tall(id) - 20],
  });
  const sides = (/** @type {string} */ id) => xs.map((_, lane) => {
    const edge = id === open ? side.open : side.shut;
    const wide = w / 2 - side.middle - edge;
    return box(id, 'half', lane ? w / 2 + side.middle : edge, wide, lane);
  });
  return {
    w, h: y - (last ? 20 : large ? 4 : 18), upright: true, ways, motion,
    slots: ids.flatMap((id) => [...sides(id), id === 'api' ? box(id, 'between', 60, w - 76) : box(id, 'between', side.open, w - 2 * side.open)]),
    points: { 'api.wire': [xs[0], api + 10] },
    lanes: xs.map((x, i) => ({
      'wire.fork': i ? [xs[0], fork, x, fork] : [], 'reflector.wire': [x, reflector - 12], 'reflector.store': [x, reflector + 12],
      'queue.store': [x, queue - 16], 'queue.pop': [x, indexer - 24], 'indexer.pop': [x, indexer - 12], 'indexer.fan': [x, indexer + 12],
      'listeners.fan': (m) => (m.l === listener ? [x, listeners + 12] : null),
    })),
    rails: xs.flatMap((x, i) => [
      { station: 'api', pts: i ? [xs[0], fork, x, fork, x, reflector] : [x, api, x, reflector], wire: true, lane: parted ? i : 0 },
      { station: 'reflector', pts: [x, reflector, x, indexer] }, { station: 'indexer', pts: [x, indexer, x, low], behind: ['pop'], lane: i },
    ]),
    stems: [],
    nodes: xs.flatMap((x, lane) => [reflector, indexer].map((at, i) => ({ station: i ? 'indexer' : 'reflector', at: [x, at], r: 9, lane }))),
    source: { station: 'api', at: [xs[0], api] },
    cut: null, cuts: [[xs[0], api + 18], ...(parted ? [[xs[1], reflector - 20]] : [])],
    forks: [[xs[0], fork]],
    holds: xs.flatMap((x, lane) => [{ stage: 'store', at: [x, reflector + 22], lane }, { stage: 'pop', at: [x, indexer - 16], lane }]),
    way: null,
    canvases: [{ x: 0, y: 0, w, h: y }],
  };
}
