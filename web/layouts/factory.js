// @ts-check
// Several informers of one factory: the API server that they share at the left, and a row for each. More informers have lower rows.

/** Where everything lies, in units of the stage. */
export const stage = {
  w: 1280,
  h: 720,
  api: { x: 16, y: 106, w: 128, h: 426 },
  /** The names of the columns, and the line above them that says how far the factory has come. */
  heads: 128,
  title: { x: 176, y: 80, w: 700 },
  /** The rows: the first one's top, what they share of the height, and how tall one is at most. */
  rows: { x: 164, top: 140, bottom: 532, w: 1100, tallest: 56, gap: 4 },
  /** Each column: where it begins, or ends when it is to the right, and how wide its words may be. */
  columns: {
    name: { x: 180, w: 196 },
    phase: { x: 384, w: 108 },
    version: { x: 582, w: 80, end: true },
    queue: { x: 664, w: 70, end: true },
    store: { x: 752, w: 80, end: true },
    ring: { x: 790, w: 130 },
    lamps: { x: 940, w: 76 },
    requests: { x: 1064, w: 40, end: true },
    note: { x: 1084, w: 86 },
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
