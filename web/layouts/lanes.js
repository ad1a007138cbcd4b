// @ts-check
// Two releases side by side: one source whose wire forks, two informers under each other, and at the right what their handlers received,
// held against what was sent. All lengths are in units of the picture; offsets are from the box that they belong to.

/** @typedef {import('../wire/page-types.js').Arranged} Arranged */

/** A shape of the layout, with all that follows from it. @typedef {ReturnType<typeof shapeOf>} Shape */

/** How what travels looks. @type {import('../stage/motion.js').Plan} */
export const motion = {
  size: 22,
  hero: 22,
  spacing: 46,
  counts: { wire: { side: 'below' }, store: { side: 'below' }, pop: { side: 'below' }, fan: { side: 'below' } },
};

/** The stations, from left to right, and what stands above each. */
const titles = { api: 'API server', reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listeners: 'Listener' };
/** @typedef {keyof typeof titles} Id */
const ids = /** @type {Id[]} */ (Object.keys(titles));

/**
 * A shape of the layout.
 *
 * `fork` is the gap in which the wire forks, `gap` each other gap. `rails` are the heights of the two rails, `drop` how far below them the
 * panels hang, `panel` the height of a panel. `head` is how far above the first rail the names stand. `explains` is whether there is room
 * for the words of an explanation. The rest belongs to the comparison. `sent` are the chips one under the other. `taken` are the lines of
 * what Pop took: their pitch, and the place of the first, by the number of lines. `stored` is the sentence below the store's chips.
 * `received` are the chips in a handler's row, by their number. `calls` is what the handlers were called with.
 * @param {{
 *   w: number, h: number, margin: number, fork: number, gap: number, widths: Record<Id, number>, rails: number[], drop: number,
 *   panel: number, below: number, head: number, explains: boolean,
 *   sent: {legend: {x: number, up: number}, truth: number, hair: number},
 *   taken: {x: number, lines: number, pitch: number[], first: number[], narrow: number},
 *   stored: {words: number}, received: {left: number, right: number, widths: number[], sizes: string[]}, calls: {y: number[], note: number}
 * }} given
 */
function shapeOf(given) {
  const { margin, fork, gap, widths, rails, drop, panel, below, head, sent, taken, received } = given;
  const columns = /** @type {Record<Id, {x: number, w: number}>} */ ({});
  let x = margin;
  for (const id of ids) {
    columns[id] = { x, w: widths[id] };
    x += widths[id] + (id === 'api' ? fork : gap);
  }
  const { api, listeners } = columns;
  return {
    ...given,
    ...columns,
    titles: ids.map((id) => ({ words: titles[id], x: columns[id].x, y: rails[0] - head })),
    /** The foot of the columns at the left and at the right. */
    foot: rails[1] + drop + panel + below,
    /** Where the rail begins, and where it forks. */
    source: margin + 10,
    forks: api.x + api.w + Math.round(fork * 0.4),
    sent: { pitch: 29, roomy: 54, ...sent },
    taken: { per: 3, wide: 50, ...taken },
    received: { ...received, w: listeners.w - received.left - received.right },
  };
}

/** On the stage. */
export const stage = shapeOf({
  w: 1280, h: 720, margin: 16, fork: 40, gap: 24, widths: { api: 100, reflector: 150, queue: 222, indexer: 190, listeners: 474 },
  rails: [152, 372], drop: 36, panel: 118, below: 12, head: 84, explains: true,
  sent: { legend: { x: 10, up: 80 }, truth: 420, hair: 405.5 },
  taken: { x: 73, lines: 4, pitch: [40, 40, 29, 22], first: [33, 33, 27, 27], narrow: 42 },
  stored: { words: 64 },
  received: { left: 114, right: 12, widths: [76, 76, 76, 64, 50, 50], sizes: ['n20', 'n20', 'n20', 'n16', 'n16', 'n16'] },
  calls: { y: [448, 496], note: 18 },
});

/** In presenter mode: 960 units across, so that all type is a third larger, and what only explains gives its room. */
export const presenter = shapeOf({
  w: 960, h: 540, margin: 24, fork: 26, gap: 13, widths: { api: 88, reflector: 134, queue: 194, indexer: 160, listeners: 271 },
  rails: [98, 292], drop: 22, panel: 98, below: 0, head: 72, explains: false,
  sent: { legend: { x: 6, up: 52 }, truth: 0, hair: 0 },
  taken: { x: 62, lines: 3, pitch: [32, 32, 23, 22], first: [29, 29, 25, 25], narrow: 34 },
  stored: { words: 54 },
  received: { left: 88, right: 6, widths: [], sizes: ['n16', 'n16', 'n16', 'n16', 't14', 't14'] },
  calls: { y: [364, 388], note: 0 },
});

/** A screen of 4:3: as tall as the screen, with larger type. @type {typeof presenter} */
const four = shapeOf({
  w: 916, h: 687, margin: 12, fork: 20, gap: 8, widths: { api: 88, reflector: 140, queue: 194, indexer: 160, listeners: 266 },
  rails: [104, 312], drop: 22, panel: 134, below: 0, head: 72, explains: false,
  sent: { legend: { x: 6, up: 52 }, truth: 0, hair: 0 },
  taken: { x: 62, lines: 4, pitch: [40, 40, 29, 24], first: [33, 33, 29, 29], narrow: 34 },
  stored: { words: 54 },
  received: { left: 88, right: 6, widths: [], sizes: ['n16', 'n16', 'n16', 'n16', 't14', 't14'] },
  calls: { y: [420, 444], note: 0 },
});

/** The same while a story compares nothing: the Listener is its handler alone, and the others have its room. @type {typeof presenter} */
const fourAlone = shapeOf({
  ...four, w: 768, h: 576, margin: 16, fork: 26, gap: 12, widths: { api: 88, reflector: 140, queue: 196, indexer: 160, listeners: 90 },
  rails: [96, 272], panel: 100,
});

/**
 * The shape for a screen.
 * @param {boolean} presenting
 * @param {boolean} narrow the screen is about 4:3
 * @param {boolean} alone nothing is compared
 */
export function shapeFor(presenting, narrow, alone) {
  if (!presenting) return stage;
  return !narrow ? presenter : alone ? fourAlone : four;
}

/** Which way each move takes. */
const ways = {
  wire: ['api.wire', 'wire.fork', 'reflector.wire'],
  store: ['reflector.store', 'queue.store'],
  pop: ['queue.pop', 'indexer.pop'],
  fan: ['indexer.fan', 'listeners.fan'],
};

const type = { title: 'ti', number: 'num', value: 'n16', label: 'l', key: 'm1', state: 't14' };
const fonts = { title: '600 16px', number: '500 26px', value: '500 16px', label: '12px', key: '12px', state: '600 14px' };

/** Where the stages can be held, from left to right. @param {Shape} o */
export function holdsAt({ reflector, queue, indexer, listeners }) {
  return { store: (reflector.x + reflector.w + queue.x) / 2 + 2, pop: (queue.x + queue.w + indexer.x) / 2, deliver: listeners.x };
}

/**
 * Where everything lies.
 * @param {Shape} o
 * @param {number} listener whose handlers are compared
 * @param {boolean} [fork] each lane has a cluster of its own
 * @returns {Arranged}
 */
export function arrange(o, listener, fork = false) {
  const { api, reflector, queue, indexer, listeners, rails, source, forks } = o;
  const hold = holdsAt(o);
  const [at, store] = [reflector.x + reflector.w / 2, indexer.x + indexer.w / 2];
  const enters = { api: source, reflector: api.x + api.w, queue: queue.x, indexer: indexer.x, listeners: listeners.x };
  const leaves = { api: reflector.x, reflector: queue.x, queue: indexer.x, indexer: listeners.x, listeners: o.w };
  const boxes = rails.flatMap((rail, lane) => ids.filter((id) => fork || !lane || id !== 'api').map((id) => ({
    id, lane, density: /** @type {const} */ ('lane'), x: o[id].x, y: rail + o.drop, w: o[id].w, h: o.panel, rail,
    from: enters[id], to: leaves[id], type, fonts, chip: 20, pad: 10, bare: false, lit: true, lean: !o.explains,
    listeners: [listener], main: listener, span: /** @type {[number, number]} */ ([enters[id], leaves[id]]),
  })));
  return {
    w: o.w, h: o.h, upright: false, ways, motion, slots: boxes,
    points: { 'api.wire': [source + 16, rails[0]] },
    lanes: rails.map((y, lane) => ({
      ...(fork ? { 'api.wire': [source + 16, y] } : {}), 'wire.fork': lane && !fork ? [forks, rails[0], forks, y] : [],
      'reflector.wire': [at - 11, y], 'reflector.store': [at + 13, y], 'queue.pop': [queue.x + queue.w, y], 'indexer.pop': [store - 11, y],
      'indexer.fan': [store + 11, y],
    })),
    rails: rails.flatMap((y, lane) => [
      { station: 'api', pts: lane && !fork ? [forks, rails[0], forks, y, hold.store, y] : [source, y, hold.store, y], wire: true, lane: fork ? lane : 0 },
      { station: 'reflector', pts: [hold.store, y, hold.pop, y], behind: ['store'], lane },
      { station: 'indexer', pts: [hold.pop, y, listeners.x, y], behind: ['pop'], lane },
    ]),
    // The queue and the Indexer draw their own, as those go with their panels.
    stems: rails.map((y) => ({ station: 'reflector', pts: [at, y + 9, at, y + o.drop] })),
    nodes: rails.flatMap((y, lane) => [{ station: 'reflector', at: [at, y], r: 9, lane }, { station: 'indexer', at: [store, y], r: 9 }]),
    source: { station: 'api', at: [source, rails[0]] },
    cut: null, cuts: (fork ? rails : rails.slice(0, 1)).map((y) => [(source + forks) / 2, y]),
    // The hold buttons stand on the rail.
    holds: [],
    way: null,
    canvases: [{ x: 0, y: rails[0] - 60, w: o.w, h: rails[1] - rails[0] + 120 }],
  };
}
