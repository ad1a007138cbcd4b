// @ts-check
// Several informers of one factory: the API server that they share at the left, and a row for each. A few share the height, in larger type; more
// have lower rows.
import { fonts as largeFonts, type as largeType } from './presenter.js';

/** @import { Arranged, Type } from '../wire/page-types.js' */

/**
 * A shape of the layout. `api` is the API server's panel: a part for each row, beside it, and below the rows what was asked in all. `rows` are the
 * boxes of the informers. `columns` are where each column begins, or ends when it is to the right, and how wide its words may be. `places` are the
 * Reflector, the queue's head, the store, the ring, the handlers and the work queue's head on a rail. `large` is the type of rows that are tall,
 * `scale` that of `large` to the stage's. `head` is the class of the columns' names.
 * @typedef {{
 *   w: number, h: number, heads: number, title: {x: number, y: number, w: number, cls: string, font: string},
 *   api: {x: number, y: number, w: number, h: number, title: number, second: number, sums: number[], faults: number, line: number},
 *   rows: {x: number, top: number, bottom: number, w: number}, columns: Record<string, {x: number, w: number, end?: boolean}>,
 *   places: {reflector: number, seats: number, store: number, ring: number, handlers: number, work: number},
 *   large: Type, fonts: Type, scale: number, head: string
 * }} Shape
 */

/** The type of a low row, and of a tall one on the stage. @type {Type} */
const type = { title: 't14', number: 'n16', value: 'n16', label: 'l', key: 'l', state: 't14' };
const fonts = { title: '600 14px', number: '500 16px', value: '500 16px', label: '12px', key: '12px', state: '600 14px' };

/** @type {Shape} */
export const stage = {
  w: 1280, h: 720, heads: 128, title: { x: 264, y: 80, w: 800, cls: 't14', font: '600 14px' },
  api: { x: 16, y: 106, w: 212, h: 426, title: 80, second: 66, sums: [492, 509], faults: 525, line: 474 },
  rows: { x: 248, top: 140, bottom: 468, w: 1016 },
  columns: {
    name: { x: 264, w: 150 }, phase: { x: 424, w: 104 }, version: { x: 598, w: 80, end: true }, queue: { x: 694, w: 70, end: true },
    store: { x: 778, w: 76, end: true }, ring: { x: 812, w: 112 }, lamps: { x: 934, w: 70 }, work: { x: 1016, w: 156 }, note: { x: 1062, w: 110 },
    aside: { x: 1178, w: 80 },
  },
  places: { reflector: 432, seats: 684, store: 770, ring: 836, handlers: 940, work: 1068 },
  large: { ...type, title: 'ti', number: 'num', value: 'n20' }, fonts: { ...fonts, title: '600 16px', number: '500 26px', value: '500 20px' },
  scale: 1, head: 'l',
};

/** In presenter mode, where nothing is pressed beside a row. @type {Shape} */
const wide = {
  ...stage, heads: 82, title: { x: 272, y: 44, w: 980, cls: 'p21', font: '600 21px' },
  api: { x: 24, y: 56, w: 216, h: 484, title: 44, second: 66, sums: [494, 516], faults: 533, line: 474 },
  rows: { x: 256, top: 92, bottom: 468, w: 1000 },
  columns: {
    name: { x: 276, w: 160 }, phase: { x: 450, w: 124 }, version: { x: 640, w: 80, end: true }, queue: { x: 754, w: 84, end: true },
    store: { x: 866, w: 96, end: true }, ring: { x: 918, w: 124 }, lamps: { x: 1054, w: 60 }, work: { x: 1126, w: 122 }, note: { x: 1164, w: 84 },
    aside: { x: 1256, w: 0 },
  },
  places: { reflector: 460, seats: 742, store: 852, ring: 950, handlers: 1062, work: 1188 }, large: largeType, fonts: largeFonts, scale: 4 / 3, head: 'p16',
};

/** A screen of 4:3 has fewer units across. @type {Shape} */
const four = {
  ...wide, w: 1024, h: 768, title: { ...wide.title, x: 216, w: 790 }, api: { ...wide.api, x: 16, w: 176 }, rows: { ...wide.rows, x: 208, w: 800 },
  columns: {
    name: { x: 222, w: 126 }, phase: { x: 356, w: 110 }, version: { x: 516, w: 68, end: true }, queue: { x: 594, w: 72, end: true },
    store: { x: 690, w: 88, end: true }, ring: { x: 728, w: 96 }, lamps: { x: 838, w: 64 }, work: { x: 908, w: 92 }, note: { x: 936, w: 64 },
    aside: { x: 1008, w: 0 },
  },
  places: { reflector: 366, seats: 582, store: 676, ring: 756, handlers: 846, work: 945 }, head: 'l',
  large: { ...largeType, number: largeType.value }, fonts: { ...largeFonts, number: largeFonts.value },
};

export const shapes = { stage, wide, four };

/**
 * What rows have between them, what a panel keeps free at its sides, and the least heights: of two lines, of a rail, of the stage's large
 * type and presenter mode's.
 */
const gap = 4;
const pad = 12;
const least = { two: 34, railed: 58, tall: 88, large: 120 };

/**
 * Where the row of an informer lies: its box, the foot of its words, and its rail. The words of a tall row stand on both sides of its rail, those
 * of a lower one above it, and the lowest has no rail.
 * @param {Shape} shape
 * @param {number} i
 * @param {number} n how many there are
 */
export function rowAt({ rows: { top, bottom }, scale, large, fonts: largest }, i, n) {
  const pitch = (bottom - top + gap) / Math.max(n, 1);
  const [y, h] = [top + i * pitch, pitch - gap];
  const railed = h >= least.railed;
  if (h >= least.tall) {
    const k = h >= least.large ? Math.min(scale, h / 100) : 1;
    const rail = Math.round(y + h / 2 + 6 * k);
    const [is, measured] = k > 1 ? [large, largest] : [stage.large, stage.fonts];
    return { y, h, k, rail, base: rail - 28 * k, two: true, railed, tall: true, type: is, fonts: measured };
  }
  const mid = railed ? y + (h - 18) / 2 - 4 : y + h / 2;
  return { y, h, k: 1, rail: railed ? y + h - 18 : mid, base: mid + 5, two: h >= least.two, railed, tall: false, type, fonts };
}

/** The way of each move along a rail. */
const ways = {
  wire: ['api.wire', 'reflector.wire'], store: ['reflector.store', 'queue.store'], pop: ['queue.pop', 'indexer.pop'], fan: ['indexer.fan', 'listeners.fan'],
  next: ['listeners.ring', 'listeners.handler'], key: ['listeners.handler', 'controller.key'],
};

/**
 * Where everything lies.
 * @param {Shape} shape
 * @param {number} n informers
 * @returns {Arranged}
 */
export function arrange(shape, n) {
  const { api, columns, places } = shape;
  const rows = Array.from({ length: n }, (_, i) => rowAt(shape, i, n));
  const out = api.x + api.w;
  /** The column, the place on the rail and the point after it of each station. @type {[string, {x: number, w: number, end?: boolean}, number, number][]} */
  const stations = [
    ['api', { x: api.x + pad, w: api.w - 2 * pad }, out, 0], ['reflector', columns.phase, places.reflector, columns.version.x],
    ['queue', columns.queue, places.seats, 0], ['indexer', columns.store, places.store, 0],
    // Below the lamps, which lie on its rail.
    ['controller', columns.work, places.work, places.handlers - 8], ['listeners', columns.ring, places.ring, columns.lamps.x],
  ];
  const { tall, two, railed } = rows[0];
  const size = tall ? Math.round(18 * rows[0].k) : 14;
  const chip = tall ? Math.round(20 * rows[0].k) : 16;
  const tail = places.seats - (size + 3) * 3;
  return {
    w: shape.w, h: shape.h, upright: false, ways, motion: { size: chip, hero: tall ? chip + 6 : chip, spacing: chip + 6, counts: {} },
    slots: rows.flatMap((row, lane) => stations.map(([id, { x, w, end }, from, to]) => ({
      id, lane, density: /** @type {const} */ ('row'), x: end ? x - w : x, y: id === 'api' && tall ? row.rail - 6 : row.base, w, h: row.h, rail: row.rail,
      from, to, type: row.type, fonts: row.fonts, chip: size, pad: 17 * row.k, bare: !railed, lit: true, tall, lean: !two, listeners: [], main: 0,
      span: /** @type {[number, number]} */ ([x, x + w]),
    }))),
    points: {},
    lanes: rows.map(({ rail }) => /** @type {Record<string, number[]>} */ (!railed ? {} : {
      'api.wire': [out, rail], 'reflector.wire': [places.reflector - 8, rail], 'reflector.store': [places.reflector + 8, rail], 'queue.store': [tail, rail],
      'queue.pop': [places.seats + 8, rail], 'indexer.pop': [places.store - 8, rail], 'indexer.fan': [places.store + 8, rail],
      'listeners.handler': [places.handlers - 8, rail], 'controller.key': [places.work - 8, rail],
    })),
    rails: rows.flatMap(({ rail }, lane) => [
      { station: 'api', lane, pts: [out, rail, railed ? places.reflector : shape.rows.x, rail], wire: true },
      ...(!railed ? [] : [
        { station: 'reflector', lane, pts: [places.reflector, rail, places.store, rail] },
        { station: 'indexer', lane, pts: [places.store, rail, places.handlers - 8, rail], behind: ['pop'] },
      ]),
    ]),
    stems: [],
    nodes: !railed ? [] : rows.flatMap(({ rail, k }, lane) => [
      { station: 'reflector', at: [places.reflector, rail], r: 8 * k, lane }, { station: 'indexer', at: [places.store, rail], r: 8 * k, lane },
    ]),
    source: null,
    cut: null,
    cuts: rows.map(({ rail }) => [(out + shape.rows.x) / 2, rail]),
    // A row says what is held, and nothing comes along its rail from there.
    holds: [],
    way: null,
    canvases: !railed ? [] : [{ x: out - 12, y: shape.rows.top, w: places.work - out + 24, h: shape.rows.bottom - shape.rows.top + 8 }],
  };
}

/** What two informers cost that do not share: the first line's place below the rows. */
export const twice = { y: 496, pitch: 18 };
/** The buttons of the factory, and the way back while one informer has the stage. */
export const buttons = { shutdown: { x: 1120, y: 62, w: 144, h: 26 }, back: { x: 136, y: 531, w: 150, h: 24 } };
