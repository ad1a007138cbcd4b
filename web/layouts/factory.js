// @ts-check
// Several informers of one factory: the API server that they share at the left, and a row for each. More informers have lower rows.

/** Where everything lies, in units of the stage. */
export const stage = {
  w: 1280,
  h: 720,
  /** The API server's panel: a part for each row, beside it, and below the rows what was asked in all. */
  api: { x: 16, y: 106, w: 212, h: 426, title: 80, pad: 12, second: 66, age: 96, sums: [492, 509], faults: 525, line: 474 },
  /** The names of the columns, and the line above them with the state of the factory. */
  heads: 128,
  title: { x: 264, y: 80, w: 800 },
  /** The rows: the first one's top, what they share of the height, how tall one is at most, and how tall one is that has two lines. */
  rows: { x: 248, top: 140, bottom: 468, w: 1016, tallest: 79, gap: 4, two: 34 },
  /**
   * The rail of a row that is tall enough: how far above the row's end it lies, and its places. These are the Reflector, the queue's seats from
   * its head on, the store, the ring and the handlers. Its words then stand above it. In a lower row the ring is among the words.
   */
  rail: { least: 58, up: 18, reflector: 446, seats: { x: 706, n: 4, size: 14, pitch: 17 }, store: 796, ring: 856, r: 13, handlers: 998 },
  /** What two informers cost that do not share: the first line's place below the rows, and how wide the lines may be. */
  twice: { x: 264, y: 496, pitch: 18, w: 980 },
  /** Each column: where it begins, or ends when it is to the right, and how wide its words may be. */
  columns: {
    name: { x: 264, w: 164 },
    phase: { x: 438, w: 108 },
    version: { x: 636, w: 80, end: true },
    queue: { x: 716, w: 70, end: true },
    store: { x: 804, w: 80, end: true },
    ring: { x: 842, w: 130 },
    lamps: { x: 992, w: 76 },
    note: { x: 1080, w: 90 },
    aside: { x: 1178, w: 80 },
  },
  /** The number in a row, its words, and their fonts for cutting them. */
  type: { name: 't14', number: 'n16', words: 'l' },
  fonts: { name: '600 14px', words: '12px' },
  ring: 9,
  lamp: 4,
  /** The buttons of the factory. */
  buttons: { y: 62, h: 26, shutdown: { x: 1120, w: 144 } },
  /** The way back, while one informer has the stage. */
  back: { x: 136, y: 531, w: 150, h: 24 },
};

/**
 * Where the row of an informer lies: its box, the middle of its words, and its rail, which a low row does not have.
 * @param {number} i
 * @param {number} n how many there are
 */
export function rowAt(i, n) {
  const { top, bottom, tallest, gap } = stage.rows;
  const pitch = Math.min(tallest + gap, (bottom - top + gap) / Math.max(n, 1));
  const [y, h] = [top + i * pitch, pitch - gap];
  const railed = h >= stage.rail.least;
  return { y, h, mid: railed ? y + (h - stage.rail.up) / 2 - 4 : y + h / 2, rail: railed ? y + h - stage.rail.up : y + h / 2, railed };
}

/** How what travels along a row looks. @type {import('../stage/motion.js').Plan} */
export const motion = { size: 16, hero: 16, spacing: 22, counts: {} };

/** Where it can be. @type {import('../draw/surface.js').Stretch[]} */
export const canvases = [{ x: stage.api.x + stage.api.w - 12, y: stage.rows.top, w: 800, h: stage.rows.bottom - stage.rows.top + 8 }];

/**
 * The way of each move along a row's rail.
 * @param {number} y of the rail
 * @returns {Record<string, number[]>}
 */
export function waysAt(y) {
  const { reflector, seats, store, ring, handlers } = stage.rail;
  const along = (/** @type {number} */ from, /** @type {number} */ to) => [from, y, to, y];
  return {
    wire: along(stage.api.x + stage.api.w, reflector - 8), store: along(reflector + 8, seats.x - seats.pitch * (seats.n - 1)),
    pop: along(seats.x + 8, store - 8), fan: along(store + 8, ring - 14), next: along(ring + 14, handlers - 8),
  };
}
