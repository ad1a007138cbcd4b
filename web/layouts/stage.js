// @ts-check
// The main stage: 1280 × 720 units, six columns from left to right, the rail through all of them at one height.

export const RAIL = 152;
export const columns = {
  api: { x: 16, w: 100 }, reflector: { x: 136, w: 196 }, queue: { x: 352, w: 172 }, indexer: { x: 544, w: 256 },
  listeners: { x: 820, w: 244 }, controller: { x: 1084, w: 180 },
};
/** Heights of the rails of the listeners that are drawn large. */
export const lanesY = [RAIL, 297, 442];
/** Where the Reflector and the Indexer stand on the rail, and where it forks to the listeners. */
export const REFLECTOR_X = 234;
export const INDEXER_X = 732.5;
export const FORK_X = 810;

/**
 * Places along the rail, as x. `source` and `begin` are its source and its beginning; `store`, `pop` and `take` its holds; `cut` is where it
 * is cut. In the queue deltas wait at `waits` and are taken at `taken`. The rail `enters` a ring and leaves it at `ring`; a handler begins
 * at `handler` and `leaves` at its end. `more` is the y of the rows of the other listeners.
 */
export const track = {
  source: 26, begin: 30, store: 342, pop: 534, take: 1182, cut: 124, waits: 440, taken: 513, enters: 878, ring: 942, handler: 994,
  leaves: 1046, workers: 1196, more: 410,
};
/** The station whose column, with the gutter behind it, a place lies in. @param {number} x */
export function stationAt(x) {
  let found = 'api';
  for (const [id, c] of Object.entries(columns)) if (x >= c.x - 10) found = id;
  return found;
}

/** The ways back: what the lister reads, and what a controller writes. */
export const waysBack = { read: [672, 532, 672, 544, 1124, 544, 1124, 532], write: [1224, 532, 1224, 556, 66, 556, 66, 532] };

const type = { title: 'ti', number: 'num', value: 'n16', label: 'l', key: 'm1', state: 't14' };
const fonts = { title: '600 16px', number: '500 26px', value: '500 16px', label: '12px', key: '12px', state: '600 14px' };

/**
 * The place of a station: its column, below the rail.
 * @param {keyof typeof columns} id
 * @param {SVGElement} g the group to draw the details into
 * @param {SVGElement} head the group of what is always shown
 * @returns {import('../wire/page-types.js').Slot}
 */
export function stageSlot(id, g, head) {
  const { x, w } = columns[id];
  return {
    g, head, x, y: 196, w, h: 336, rail: RAIL, from: x, to: x + w, type, fonts, chip: 20, pad: 10, bare: false, lit: false, lean: false,
    listeners: [], main: 0, rails: lanesY,
  };
}

/** @satisfies {import('../wire/page-types.js').Layout} */
export const stage = {
  w: 1280,
  h: 720,
  rail: RAIL,
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
    'indexer.pop': [718, RAIL], 'indexer.fan': [746, RAIL], 'controller.take': [1150, RAIL], 'controller.worker': [1188, RAIL],
    'controller.write': [1224, 532], 'way.right': [1224, 556], 'way.left': [66, 556], 'api.write': [66, 532],
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
  /**
   * Along the rail; where it forks, with the cells; on the way of the writes. Each is a canvas of its own, as what changes with every frame
   * is copied and composed with every frame, and most of the stage has no chip ever.
   */
  canvases: [
    { x: 0, y: 98, w: 1280, h: 100 }, { x: 632, y: 198, w: 460, h: 338 }, { x: 40, y: 518, w: 1200, h: 54, paths: ['write'] },
  ],
};

/**
 * Where the moves of a listener run, by the row that it is drawn in; undefined for one that has none.
 * @param {(id: number) => number | undefined} rowOf
 * @returns {Record<string, import('../wire/page-types.js').Point>}
 */
export function listenerPoints(rowOf) {
  const at = (/** @type {import('../wire/types.js').Move} */ m) => {
    const row = m.l === undefined ? 0 : rowOf(m.l);
    return row === undefined ? undefined : lanesY[row];
  };
  return {
    'listeners.fan': (m) => {
      const y = at(m);
      if (y === RAIL) return [862, RAIL];
      return y === undefined ? [FORK_X, RAIL, FORK_X, 408] : [FORK_X, RAIL, FORK_X, y, 862, y];
    },
    'listeners.ring': (m) => {
      const y = at(m);
      return y === undefined ? null : [946, y];
    },
    'listeners.handler': (m) => [986, at(m) ?? RAIL],
    'listeners.key': (m) => {
      const y = at(m) ?? RAIL;
      return y === RAIL ? [1056, RAIL] : [1052, y, 1074, y, 1074, RAIL];
    },
  };
}

/** The timeline: at its right stands how far behind the log's end the view is. @type {import('../time/timeline.js').TimeBox} */
export const time = { w: 1280, h: 84, left: 16, edge: 1180, base: 64, high: 44, rise: 48, least: 72750, bare: false };
