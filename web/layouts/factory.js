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
  rows: { x: 248, top: 140, bottom: 468, w: 1016, tallest: 56, gap: 4, two: 34 },
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
 * Where the row of an informer lies.
 * @param {number} i
 * @param {number} n how many there are
 */
export function rowAt(i, n) {
  const { top, bottom, tallest, gap } = stage.rows;
  const pitch = Math.min(tallest, (bottom - top + gap) / Math.max(n, 1));
  return { y: top + i * pitch, h: pitch - gap, mid: top + i * pitch + (pitch - gap) / 2 };
}
