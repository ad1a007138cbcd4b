// @ts-check
// The phone: the rail stands upright at the left, a station is a line with its name, one number and two asides, and one is open at a time.
// In presenter mode the picture is a third larger, so it has a third fewer units, and a quiet station keeps its name and number.

/** @typedef {import('../wire/page-types.js').Arranged} Arranged */

export const ids = ['api', 'reflector', 'queue', 'indexer', 'listeners', 'controller'];
/** Where the rail stands, and where a controller's writes go back. */
export const RAIL = 32;
const BACK = 11;
/** Where a station's words begin and how much is free at their right. */
const left = 60;
const right = 16;

export const type = { title: 'ti', number: 'n20', value: 'n20', label: 'l', key: 'm1', state: 'l t1' };
export const fonts = { title: '600 16px', number: '500 20px', value: '500 20px', label: '12px', key: '12px monospace', state: '12px' };

/** How tall a station is: shut, open, and quiet in presenter mode. */
const heights = {
  shut: { api: 58, reflector: 58, queue: 80, indexer: 73, listeners: 60, controller: 62 },
  open: { api: 200, reflector: 206, queue: 220, indexer: 220, listeners: 226, controller: 196 },
  quiet: { api: 46, reflector: 46, queue: 56, indexer: 46, listeners: 46, controller: 46 },
};
/** Where the first station stands, and what is between two. */
const first = 20;
const gap = 2;

/** The way of each move. The rail continues to one of the listeners, and the rings lie beside it. */
const ways = {
  wire: ['api.wire', 'reflector.wire'],
  store: ['reflector.store', 'queue.store'],
  pop: ['queue.pop', 'indexer.pop'],
  fan: ['indexer.fan', 'listeners.first'],
  key: ['listeners.key', 'controller.key'],
  take: ['controller.take', 'controller.worker'],
  write: ['controller.write', 'way.low', 'way.high', 'api.write'],
};

/** How what travels looks. @type {import('../stage/motion.js').Plan} */
export const motion = { size: 20, hero: 28, spacing: 42, counts: {} };

/**
 * @param {string} id @param {string} open the station that is open @param {boolean} large presenter mode
 */
export function heightOf(id, open, large) {
  const kind = id === open ? heights.open : large ? heights.quiet : heights.shut;
  return kind[/** @type {keyof typeof kind} */ (id)];
}

/**
 * Where everything stands.
 * @param {{w: number, open: string, large: boolean, listeners: number[], main: number}} o
 * @returns {Arranged}
 */
export function arrange({ w, open, large, listeners, main }) {
  /** @type {Record<string, number>} */
  const ys = {};
  let y = first;
  for (const id of ids) {
    ys[id] = y;
    y += heightOf(id, open, large) + gap;
  }
  const last = open === 'controller' ? 20 : large ? 4 : 18;
  const { api, reflector, queue, indexer, controller } = ys;
  return {
    w, h: y - last, upright: true, ways, motion: { ...motion, between: ids.slice(1).map((id) => ys[id] - 21) },
    slots: ids.map((id, i) => ({
      id, density: id === open ? 'open' : 'line', x: left, y: ys[id], w: w - left - right, h: heightOf(id, open, large), rail: RAIL,
      from: i ? ys[ids[i - 1]] : ys[id], to: ys[ids[i + 1]] ?? ys[id], type, fonts, chip: 18, pad: 0,
      bare: large && id !== open, lit: id === open, lean: large, listeners, main,
      span: [ys[id] - 40, ys[id] + heightOf(id, open, large) - 20],
    })),
    points: {
      'api.wire': [RAIL, api + 26], 'reflector.wire': [RAIL, reflector - 12], 'reflector.store': [RAIL, reflector + 12],
      'queue.store': [RAIL, queue - 18], 'queue.pop': [RAIL, queue + 60], 'indexer.pop': [RAIL, indexer - 12],
      'indexer.fan': [RAIL, indexer + 12],
      'listeners.first': (m) => (m.l === listeners[0] ? [RAIL, ys.listeners + 8] : null), 'listeners.key': [RAIL, controller - 44],
      'controller.key': [RAIL, controller - 6], 'controller.take': [RAIL, controller], 'controller.worker': [RAIL, controller + 26],
      'controller.write': [RAIL - 11, controller + 30], 'way.low': [BACK, controller + 30], 'way.high': [BACK, api],
      'api.write': [RAIL - 9, api],
    },
    rails: [
      { station: 'api', pts: [RAIL, api, RAIL, reflector], wire: true }, { station: 'reflector', pts: [RAIL, reflector, RAIL, indexer] },
      { station: 'indexer', pts: [RAIL, indexer, RAIL, controller - 14], behind: ['pop'] },
      { station: 'controller', pts: [RAIL, controller - 14, RAIL, controller + 22] },
    ],
    stems: [],
    nodes: [reflector, indexer].map((at, i) => ({ station: i ? 'indexer' : 'reflector', at: [RAIL, at], r: 9 })),
    source: { station: 'api', at: [RAIL, api] },
    cut: [RAIL, (api + reflector) / 2 + (open === 'api' ? 60 : 0)],
    holds: [
      { stage: 'store', at: [RAIL, reflector + 22] }, { stage: 'pop', at: [RAIL, indexer - 16] },
      { stage: 'take', at: [RAIL, controller + 12] },
    ],
    way: { pts: [RAIL - 11, controller + 30, BACK, controller + 30, BACK, api, RAIL - 10, api], words: null },
    canvases: [{ x: 0, y: 0, w: 250, h: y }],
  };
}

/** The timeline: in CSS pixels, as wide as the screen, without words. @type {import('../time/timeline.js').TimeBox} */
export const time = { w: 370, h: 44, left: 6, edge: 364, base: 42, high: 28, rise: 40, least: 10e3, bare: true };
