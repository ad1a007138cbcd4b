// @ts-check
// Presenter mode: a layout that can be read from the last row of a room. The stations that a step is about are wide and have a full panel.
// The others are a name and a node on the rail. A screen of 4:3 has fewer units across, so that type keeps
// its size there.

/** @typedef {import('../wire/page-types.js').Arranged} Arranged */

const ids = ['api', 'reflector', 'queue', 'indexer', 'listeners', 'controller'];
const RAIL = 152;
/** Where a controller's writes go back. */
const BACK = 538;
const margin = 32;
const pad = 12;

export const type = { title: 'p21', number: 'p35', value: 'p27', label: 'p16', key: 'p16 t1', state: 'p18' };
export const fonts = { title: '600 21px', number: '500 34.6px', value: '500 26.6px', label: '16px', key: '16px', state: '600 18.6px' };

/** The width of a station that a step is not about, in units, and the share of the remaining width for one that it is about. */
const widths = {
  quiet: 80,
  share: { api: 1.15, reflector: 1.3, queue: 1.25, indexer: 1.05, listeners: 1.85, controller: 1.35 },
};

/** The two shapes of a projector's screen. */
export const shapes = {
  wide: { w: 1280, h: 720, gap: 18, four: false, lines: 2 },
  four: { w: 1024, h: 768, gap: 14, four: true, lines: 3 },
};

/**
 * The foot. The caption has the first of `sizes` in which it fits: `first` and `pitch` place its lines, `more` is how many it may have beyond the shape's.
 * The line of time, or of a story's steps, is `above` the lower edge and `left` from both sides, with its words `below` it. At most `marks` marks have a dot.
 */
export const foot = {
  sizes: [
    { font: '36px', cls: 'p36', first: 588, pitch: 42, more: 0 },
    { font: '30px', cls: 'p30', first: 586, pitch: 40, more: 0 },
    { font: '25px', cls: 'p25', first: 573, pitch: 33, more: 1 },
  ],
  above: 48, below: 30, left: 36, marks: 24,
};

/** Which way each move takes, between named points. */
export const ways = {
  wire: ['api.wire', 'reflector.wire'],
  store: ['reflector.store', 'queue.store'],
  pop: ['queue.pop', 'indexer.pop'],
  fan: ['indexer.fan', 'listeners.branch', 'listeners.fan'],
  next: ['listeners.ring', 'listeners.handler'],
  key: ['listeners.key', 'controller.key'],
  take: ['controller.take', 'controller.worker'],
  write: ['controller.write', 'way.right', 'way.left', 'api.write'],
};

/** How what travels looks. @type {import('../stage/motion.js').Plan} */
export const motion = {
  size: 28,
  hero: 56,
  nodes: true,
  spacing: 58,
  counts: {
    wire: { side: 'below', y: RAIL }, store: { side: 'below', y: RAIL }, pop: { side: 'below', y: RAIL }, fan: { side: 'below', y: RAIL },
    key: { side: 'below', y: RAIL }, write: { side: 'behind', y: BACK },
  },
};

/**
 * Where everything lies while a step speaks of some stations.
 * @param {typeof shapes.wide} shape
 * @param {string[]} focus
 * @param {number[]} listeners that have a row
 * @param {number} main the one among them that matters
 * @returns {Arranged}
 */
export function arrange(shape, focus, listeners, main) {
  const cols = columns(shape, focus);
  const { gap, four } = shape;
  const { api, reflector, queue, indexer, listeners: ring, controller } = cols;
  const middle = (/** @type {Col} */ c) => c.x + c.w / 2;
  const fork = ring.lit ? ring.x - gap / 2 - 2 : ring.x;
  const [at, store] = [middle(reflector), indexer.lit ? indexer.x + indexer.w - 46 : middle(indexer)];
  const end = controller.lit ? controller.x + controller.w - 20 : middle(controller);
  const [out, home] = [middle(controller), middle(api)];
  const low = (/** @type {Col} */ c) => (c.lit ? 520 : RAIL + 18);
  const enters = {
    api: api.lit ? api.x + 10 : home, reflector: reflector.x, queue: queue.x, indexer: indexer.x, listeners: fork, controller: ring.x + ring.w,
  };
  const leaves = { api: reflector.x, reflector: queue.x, queue: indexer.x, indexer: fork, listeners: ring.x + ring.w, controller: end };
  return {
    w: shape.w, h: shape.h, upright: false, ways, motion,
    slots: ids.map((id) => {
      const c = cols[id];
      return {
        id, density: c.lit ? 'large' : 'quiet', x: c.x, y: id === 'listeners' ? 106 : 200, w: c.w, h: id === 'listeners' ? 414 : 320,
        rail: RAIL,
        from: enters[/** @type {keyof typeof enters} */ (id)], to: leaves[/** @type {keyof typeof leaves} */ (id)],
        type, fonts, chip: 20, pad, store: indexer.lit ? { w: indexer.w, h: 320, pad } : null, bare: false, lit: c.lit, lean: four, listeners, main,
        span: [c.x - gap, c.x + c.w],
      };
    }),
    points: {
      ...quietPoints(cols),
      'api.wire': [api.lit ? api.x + 24 : home, RAIL], 'reflector.wire': [at - 14, RAIL], 'reflector.store': [at + 14, RAIL],
      'queue.store': [queue.lit ? queue.x + 18 : middle(queue), RAIL],
      'queue.pop': [queue.lit ? queue.x + queue.w - 10 : middle(queue), RAIL], 'indexer.pop': [store - 14, RAIL], 'indexer.fan': [store, RAIL],
      'listeners.key': [ring.x + ring.w - 4, RAIL], 'controller.key': [controller.lit ? controller.x + 20 : end - 12, RAIL],
      'controller.take': [controller.lit ? Math.min(controller.x + 70, end - 40) : end - 8, RAIL], 'controller.worker': [controller.lit ? end - 14 : end, RAIL],
      'controller.write': [out, low(controller)], 'way.right': [out, BACK], 'way.left': [home, BACK], 'api.write': [home, low(api)],
    },
    rails: [
      { station: 'api', pts: [enters.api, RAIL, leaves.api, RAIL], wire: true },
      { station: 'reflector', pts: [reflector.x, RAIL, queue.x, RAIL] }, { station: 'queue', pts: [queue.x, RAIL, indexer.x, RAIL] },
      { station: 'indexer', pts: [indexer.x, RAIL, fork, RAIL], behind: ['pop'] },
      ...(ring.lit ? [] : [{ station: 'listeners', pts: [fork, RAIL, ring.x + ring.w, RAIL] }]),
      { station: 'controller', pts: [enters.controller, RAIL, end, RAIL] },
    ],
    stems: [
      ...[reflector, indexer].map((c, i) => ({ station: c.id, pts: [i ? store : at, 163, i ? store : at, 200] })),
      { station: 'queue', pts: [queue.x + queue.w / 2, 166, queue.x + queue.w / 2, 200] },
    ].filter((stem) => cols[stem.station].lit),
    nodes: [reflector, indexer].filter((c) => c.lit).map((c) => ({ station: c.id, at: [c === indexer ? store : at, RAIL], r: 12 })),
    source: api.lit ? { station: 'api', at: [api.x + 6, RAIL] } : null,
    cut: [reflector.x - gap / 2, RAIL],
    holds: [
      { stage: 'store', at: [queue.x - gap / 2, RAIL] }, { stage: 'pop', at: [queue.x + queue.w + gap / 2, RAIL] },
    ],
    way: {
      pts: [out, low(controller), out, BACK, home, BACK, home, low(api)], words: controller.lit ? [(out + home) / 2, BACK + 5] : null,
    },
    canvases: [
      { x: 0, y: RAIL - 62, w: shape.w, h: 126 }, { x: fork - 96, y: RAIL + 64, w: ring.x + ring.w - fork + 120, h: 324 },
      { x: 0, y: RAIL, w: shape.w, h: BACK + 24 - RAIL, paths: ['write'] },
    ],
  };
}

/**
 * Where chips go at the listeners while these are a node alone.
 * @param {Record<string, Col>} cols
 * @returns {Record<string, import('../wire/page-types.js').Point>}
 */
function quietPoints({ listeners: { x, w, lit } }) {
  if (lit) return {};
  const middle = x + w / 2;
  return { 'listeners.fan': [middle - 6, RAIL], 'listeners.ring': [middle, RAIL], 'listeners.handler': [middle + 6, RAIL] };
}

/** @typedef {{id: string, x: number, w: number, lit: boolean}} Col */

/** The columns: what is spoken of shares what the others leave. @param {typeof shapes.wide} shape @param {string[]} focus */
function columns({ w, gap }, focus) {
  const all = w - 2 * margin - 5 * gap;
  const share = (/** @type {string} */ id) => widths.share[/** @type {keyof typeof widths.share} */ (id)];
  const lit = ids.filter((id) => focus.includes(id));
  const total = lit.reduce((sum, id) => sum + share(id), 0);
  const free = ids.filter((id) => !lit.includes(id)).reduce((rest) => rest - widths.quiet, all);
  /** @type {Record<string, Col>} */
  const cols = {};
  let x = margin;
  for (const id of ids) {
    const on = lit.includes(id);
    const wide = !total ? Math.floor(all / 6) : on ? Math.floor((free * share(id)) / total) : widths.quiet;
    cols[id] = { id, x, w: wide, lit: on };
    x += wide + gap;
  }
  return cols;
}
