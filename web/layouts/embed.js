// @ts-check
// One station alone, for a slide or a page of documentation: its panel, and the piece of the rail that runs through it from edge to edge.
// A frame with room has the rail of the stage, a small one that of the phone.
import * as hall from './presenter.js';
import * as phone from './phone.js';

/** @typedef {import('../wire/page-types.js').Arranged} Arranged */

export const ids = phone.ids;

/** What a frame must have, in pixels, for the rail to lie. */
const roomy = { w: 480, h: 360 };
/** The least that the picture has, in units, and how wide a panel is at most. */
const least = { w: 600, h: 556 };
const widest = { api: 400, reflector: 400, queue: 440, indexer: 560, listeners: 600, controller: 440 };
/** What is left beside a panel for the rail. */
const beside = 110;
/** Where the upright rail's station stands. */
const top = 34;

/** The moves that come to a station or leave it. @type {Record<string, Record<string, string[]>>} */
const ways = {
  api: { wire: ['api.wire', 'edge.out'], write: ['edge.back', 'way.corner', 'api.write'] },
  reflector: { wire: ['edge.in', 'reflector.wire'], store: ['reflector.store', 'edge.out'] },
  queue: { store: ['edge.in', 'queue.store'], pop: ['queue.pop', 'edge.out'] },
  indexer: { pop: ['edge.in', 'indexer.pop'], fan: ['indexer.fan', 'edge.first'] },
  listeners: {
    fan: ['edge.in', 'listeners.branch', 'listeners.fan'], next: ['listeners.ring', 'listeners.handler'],
    key: ['listeners.key', 'edge.out'],
  },
  controller: {
    key: ['edge.in', 'controller.key'], take: ['controller.take', 'controller.worker'],
    write: ['controller.write', 'way.corner', 'edge.back'],
  },
};

/**
 * @param {{id: string, width: number, height: number, listeners: number[], main: number}} o the frame in pixels
 * @returns {Arranged & {words: number[]}} and where the words of the source stand
 */
export function arrange(o) {
  return o.width >= roomy.w && o.height >= roomy.h ? arrangeAcross(o) : arrangeUpright(o);
}

/** @param {{id: string, width: number, height: number, listeners: number[], main: number}} o @returns {Arranged & {words: number[]}} */
function arrangeAcross({ id, width, height, listeners, main }) {
  const scale = Math.min(width / least.w, height / least.h);
  const [w, h] = [width / scale, height / scale];
  const rail = 152 + Math.round((h - least.h) / 2);
  const wide = Math.min(w - 2 * beside, widest[/** @type {keyof typeof widest} */ (id)]);
  const x = Math.round((w - wide) / 2);
  const end = x + wide;
  const back = rail + 386;
  const [node, middle] = [id === 'indexer' ? end - 46 : x + Math.round(wide / 2), x + wide / 2];
  const fork = x - 14;
  const entry = id === 'api' ? x + 10 : 0;
  const ring = id === 'listeners';
  const low = rail + 368;
  /** @type {number[][]} */
  const stretches = ring ? [[0, rail, fork, rail], [end, rail, w, rail]] : [[entry, rail, id === 'controller' ? end - 20 : w, rail]];
  const way = id === 'api' ? [w, back, middle, back, middle, low] : [middle, low, middle, back, 0, back];
  const noded = id === 'reflector' || id === 'indexer';
  const stem = noded ? node : id === 'queue' ? middle : null;
  const writes = id === 'api' || id === 'controller';
  // Nothing comes out of the Indexer while Pop is held, and nothing comes over a wire that is cut.
  const wire = id === 'api' || id === 'reflector';
  const behind = id === 'indexer' || ring ? ['pop'] : undefined;
  return {
    w, h, upright: false, ways: ways[id],
    motion: { ...hall.motion, counts: countsAt(rail, back) },
    slots: [{
      id, density: 'large', x, y: rail + (ring ? -46 : 48), w: wide, h: ring ? 414 : 320, rail, from: ring ? fork : entry,
      to: id === 'controller' ? end - 20 : w, type: hall.type, fonts: hall.fonts, chip: 20, pad: 12, bare: false, lit: true, lean: false,
      listeners, main, span: [0, w],
    }],
    points: {
      'edge.in': [0, rail], 'edge.out': [w, rail], 'edge.back': [id === 'api' ? w : 0, back], 'way.corner': [middle, back],
      'edge.first': (m) => (m.l === listeners[0] ? [w, rail] : null),
      'api.wire': [x + 24, rail], 'api.write': [middle, low], 'reflector.wire': [node - 14, rail], 'reflector.store': [node + 14, rail],
      'queue.store': [x + 18, rail], 'queue.pop': [end - 10, rail], 'indexer.pop': [node - 14, rail], 'indexer.fan': [node, rail],
      'listeners.key': [end - 4, rail], 'controller.key': [x + 20, rail], 'controller.take': [Math.min(x + 70, end - 60), rail],
      'controller.worker': [end - 34, rail], 'controller.write': [middle, low],
    },
    rails: stretches.map((pts) => ({ station: id, pts, wire, behind })),
    stems: stem === null ? [] : [{ station: id, pts: [stem, rail + (noded ? 11 : 14), stem, rail + 48] }],
    nodes: noded ? [{ station: id, at: [node, rail], r: 12 }] : [],
    source: id === 'api' ? { station: id, at: [x + 6, rail] } : null,
    cut: id === 'api' ? [(end + w) / 2, rail] : id === 'reflector' ? [x / 2, rail] : null,
    holds: id === 'queue' ? [{ stage: 'pop', at: [end + 24, rail] }] : id === 'reflector' ? [{ stage: 'store', at: [end + 24, rail] }] : [],
    way: writes ? { pts: way, words: null } : null,
    canvases: [
      { x: 0, y: rail - 50, w, h: 98 }, ...(ring ? [{ x: fork - 24, y: rail + 48, w: end - fork + 48, h: 340 }] : []),
      ...(writes ? [{ x: 0, y: rail, w, h: 410, paths: ['write'] }] : []),
    ],
    words: [16, 24],
  };
}

/**
 * Counts stand where they do in presenter mode.
 * @param {number} rail
 * @param {number} back where the writes go
 * @returns {import('../stage/motion.js').Plan['counts']}
 */
function countsAt(rail, back) {
  const at = { side: /** @type {const} */ ('below'), y: rail };
  return { wire: at, store: at, pop: at, fan: at, key: at, write: { side: 'behind', y: back } };
}

/** @param {{id: string, width: number, height: number, listeners: number[], main: number}} o @returns {Arranged & {words: number[]}} */
function arrangeUpright({ id, width, height, listeners, main }) {
  const tall = phone.heightOf(id, id, false);
  const bottom = top + tall;
  const scale = Math.min(width / 320, height / (bottom + 4));
  const [w, h] = [width / scale, height / scale];
  const x = phone.RAIL;
  const entry = id === 'api' ? top : 0;
  const end = id === 'controller' ? top + 22 : id === 'listeners' ? top + tall - 60 : h;
  const way = id === 'api' ? [11, h, 11, top, x - 10, top] : [x - 11, top + 30, 11, top + 30, 11, 0];
  return {
    w, h, upright: true, ways: id === 'listeners' ? { fan: ['edge.in', 'listeners.first'] } : ways[id],
    motion: phone.motion,
    slots: [{
      id, density: 'open', x: 60, y: top, w: w - 76, h: tall, rail: x, from: 0, to: h, type: phone.type, fonts: phone.fonts, chip: 18,
      pad: 0, bare: false, lit: false, lean: false, listeners, main, span: [0, h],
    }],
    points: {
      'edge.in': [x, 0], 'edge.out': [x, h], 'edge.back': [11, id === 'api' ? h : 0], 'way.corner': [11, id === 'api' ? top : top + 30],
      'edge.first': (m) => (m.l === listeners[0] ? [x, h] : null), 'listeners.first': (m) => (m.l === listeners[0] ? [x, top + 8] : null),
      'api.wire': [x, top + 26], 'api.write': [x - 9, top], 'reflector.wire': [x, top - 12], 'reflector.store': [x, top + 12],
      'queue.store': [x, top - 18], 'queue.pop': [x, top + 60], 'indexer.pop': [x, top - 12], 'indexer.fan': [x, top + 12],
      'controller.key': [x, top - 6], 'controller.take': [x, top], 'controller.worker': [x, top + 26],
      'controller.write': [x - 11, top + 30],
    },
    rails: [{ station: id, pts: [x, entry, x, end], wire: id === 'api' || id === 'reflector' }],
    stems: [],
    nodes: id === 'reflector' || id === 'indexer' ? [{ station: id, at: [x, top], r: 9 }] : [],
    source: id === 'api' ? { station: id, at: [x, top] } : null,
    cut: id === 'api' ? [x, top + 100] : id === 'reflector' ? [x, 12] : null,
    holds: id === 'queue' ? [{ stage: 'pop', at: [x, h - 14] }] : id === 'reflector' ? [{ stage: 'store', at: [x, top + 22] }] : [],
    way: id === 'api' || id === 'controller' ? { pts: way, words: null } : null,
    canvases: [{ x: 0, y: 0, w: 64, h }],
    words: [60, h - 6],
  };
}
