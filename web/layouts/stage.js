// @ts-check
// The main stage: 1280 × 720 units, six columns from left to right, the rail through all of them at one height.

/** @import { Arranged, Box } from '../wire/page-types.js' */

export const RAIL = 152;
export const columns = {
  api: { x: 16, w: 100 }, reflector: { x: 136, w: 196 }, queue: { x: 352, w: 172 }, indexer: { x: 544, w: 256 },
  listeners: { x: 820, w: 244 }, controller: { x: 1084, w: 180 },
};
/** Heights of the rails of the listeners that are drawn large. */
export const lanesY = [RAIL, 297, 442];
/** Where the Reflector and the Indexer stand on the rail, and where it forks to the listeners. */
const REFLECTOR_X = 234;
const INDEXER_X = 732.5;
const FORK_X = 810;

/**
 * Places along the rail, as x. `source` and `begin` are its source and its beginning; `store`, `pop` and `take` its holds; `cut` is where it
 * is cut. In the queue deltas wait at `waits` and are taken at `taken`. The rail `enters` a ring and leaves it at `ring`; a handler begins
 * at `handler` and `leaves` at its end. `more` is the y of the rows of the other listeners.
 */
const track = {
  source: 26, begin: 30, store: 342, pop: 534, take: 1182, cut: 124, waits: 440, taken: 513, enters: 878, ring: 942, handler: 994,
  leaves: 1046, workers: 1196, more: 410,
};

/** The station whose column, with the gutter before it, a place lies in. @param {number} x */
export function stationAt(x) {
  let found = 'api';
  for (const [id, c] of Object.entries(columns)) if (x >= c.x - 10) found = id;
  return found;
}

const type = { title: 'ti', number: 'num', value: 'n16', label: 'l', key: 'm1', state: 't14' };
const fonts = { title: '600 16px', number: '500 26px', value: '500 16px', label: '12px', key: '12px', state: '600 14px' };

/** The place of each station: its column, below the rail. @type {Box[]} */
const slots = Object.entries(columns).map(([id, { x, w }], i, all) => ({
  id, density: 'full', x, y: 196, w, h: 336, rail: RAIL, from: x, to: x + w, type, fonts, chip: 20, pad: 10, bare: false, lit: false,
  lean: false, listeners: [], main: 0, rails: lanesY, span: [x - 10, all[i + 1] ? all[i + 1][1].x - 10 : 1280],
}));

/**
 * The stage as it is drawn for some listeners.
 * @param {{large: number[], more: boolean, adds: number, controller: boolean}} o the listeners that are drawn large, 0 where one was
 *   removed; whether others stand below them as rows; the listener that adds keys, and whether there is a controller that takes them
 * @returns {Arranged}
 */
export function arrange({ large, more, adds, controller }) {
  const across = (/** @type {number} */ from, /** @type {number} */ to, y = RAIL) => [from, y, to, y];
  const n = large.length;
  const [, second, third] = lanesY;
  // The way to the last of them goes on where the drop has turned.
  const turn = FORK_X + 8;
  const [low, end] = n > 2 ? [third, turn] : more ? [track.more, FORK_X + 10] : [second, turn];
  const last = (/** @type {number} */ i) => i === 2 || (i === 1 && n <= 2 && !more);
  const rows = lanesY.flatMap((y, i) => (large[i] ? [{ id: large[i], y, i }] : []));
  const fans = n ? rows.map(({ y, i }) => across(last(i) ? turn : FORK_X, track.enters, y)) : [across(FORK_X, FORK_X + 10)];
  /** @type {Arranged['rails']} */
  const rails = [
    { station: 'api', pts: across(track.begin, track.cut), wire: true },
    { station: 'reflector', pts: across(track.cut, track.store) },
    { station: 'queue', pts: across(track.store, track.pop), behind: ['store'] },
    { station: 'indexer', pts: across(track.pop, FORK_X), behind: ['pop'] },
    ...(n > 1 ? [{ station: 'listeners', pts: [FORK_X, RAIL, FORK_X, low, end, low], behind: ['pop'] }] : []),
    ...fans.map((pts) => ({ station: 'listeners', pts, behind: ['pop'] })),
    ...rows.map(({ id, y }) => ({ station: 'listeners', pts: across(track.ring, track.handler, y), behind: ['deliver'], listener: id })),
    ...(controller ? [
      { station: 'controller', pts: across(track.leaves, track.take), idle: !!adds && large[0] !== adds },
      { station: 'controller', pts: across(track.take, track.workers), behind: ['take'] },
    ] : []),
  ];
  return {
    w: 1280, h: 720, upright: false, layered: true, slots, rails,
    /** Which way each move takes, between the points that the stations name. */
    ways: {
      wire: ['api.wire', 'reflector.wire'],
      store: ['reflector.store', 'queue.store'],
      pop: ['queue.pop', 'indexer.pop'],
      cell: ['indexer.cell'],
      fan: ['indexer.fan', 'listeners.fan'],
      next: ['listeners.ring', 'listeners.handler'],
      key: ['listeners.key', 'controller.key'],
      take: ['controller.take', 'controller.worker'],
      write: ['controller.write', 'way.right', 'way.left', 'api.write'],
    },
    points: {
      'api.wire': [42, RAIL], 'reflector.wire': [222, RAIL], 'reflector.store': [246, RAIL], 'queue.pop': [532, RAIL],
      'indexer.pop': [718, RAIL], 'indexer.fan': [746, RAIL], 'controller.take': [1150, RAIL],
      'controller.worker': [1188, RAIL], 'controller.write': [1224, 532], 'way.right': [1224, 556], 'way.left': [66, 556],
      'api.write': [66, 532],
    },
    motion: {
      size: 22,
      hero: 40,
      sizes: { next: 18, take: 18, write: 18, cell: 18 },
      spacing: 30,
      counts: {
        wire: { side: 'below', y: RAIL }, store: { side: 'below', y: RAIL, to: 345 },
        pop: { side: 'above', y: RAIL, from: 556, over: { held: 'pop', y: RAIL - 37 } },
        write: { side: 'behind', y: 556 },
      },
      names: { wire: { side: 'above', min: 72, max: 280 }, store: { side: 'below', min: 72, max: 470 } },
    },
    stems: [
      { station: 'queue', pts: [434, 164, 434, 196] }, { station: 'reflector', pts: [REFLECTOR_X, 161, REFLECTOR_X, 196] },
      { station: 'indexer', pts: [INDEXER_X, 161, INDEXER_X, 196] },
    ],
    nodes: [{ station: 'reflector', at: [REFLECTOR_X, RAIL], r: 9 }, { station: 'indexer', at: [INDEXER_X, RAIL], r: 9 }],
    forks: [...(n ? [[FORK_X, RAIL]] : []), ...(more || (n > 2 && large[1]) ? [[FORK_X, second]] : [])],
    source: { station: 'api', at: [track.source, RAIL] },
    cut: [track.cut, RAIL],
    holds: [
      { stage: 'store', at: [track.store, RAIL] }, ...rows.map(({ id, y }) => ({ stage: 'deliver', listener: id, at: [track.handler - 8, y] })),
    ],
    way: { pts: [1224, 532, 1224, 556, 66, 556, 66, 532], words: null },
    read: controller ? [672, 532, 672, 544, 1124, 544, 1124, 532] : null,
    /** The selected object's way: where it begins and ends, what interrupts it, and the places that the object comes to, or a ride's station. */
    reach: {
      begin: track.begin, rail: RAIL, end: controller ? track.workers + 1 : track.handler,
      gaps: controller ? [[track.enters, track.ring], [track.handler, track.leaves]] : [[track.enters, track.ring]],
      at: {
        api: 42, reflector: REFLECTOR_X, queue: track.waits, popped: track.taken, indexer: INDEXER_X, store: INDEXER_X,
        listeners: track.handler, handler: track.handler, controller: track.workers + 1, work: track.workers + 1,
      },
    },
    /**
     * Along the rail; where it forks, with the cells; on the way of the writes. Each is a canvas of its own, as what changes with every frame
     * is copied and composed with every frame, and most of the stage has no chip ever.
     */
    canvases: [
      { x: 0, y: 98, w: 1280, h: 100 }, { x: 632, y: 198, w: 460, h: 338 }, { x: 40, y: 518, w: 1200, h: 54, paths: ['write'] },
    ],
  };
}

/** The timeline: at its right stands how far behind the log's end the view is. @type {import('../time/timeline.js').TimeBox} */
export const time = { w: 1280, h: 84, left: 16, edge: 1180, base: 64, high: 44, rise: 48, least: 72750, bare: false };
