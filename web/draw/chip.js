// @ts-check
// A chip on a canvas: a thing that travels. Its wake points back to where it came from. It shows the chips behind it when it stands for
// several, and a name where changes have names. Chips at rest are drawn by glyphs.js.
import { shapes } from '../kit/glyphs.js';

/** @typedef {import('../kit/glyphs.js').Kind} Kind */
/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Brush */
/** @typedef {Record<string, string>} Colours */

/**
 * How long the wake of a chip is when it is whole. What is small moves over short ways.
 * @param {number} size
 */
export function wakeOf(size) {
  return size < 20 ? 9 : Math.floor(size * 1.2);
}

/**
 * How wide a chip is.
 * @param {number} size
 * @param {string} label
 */
export function chipWidth(size, label) {
  return label ? size + 8 + label.length * 9 : size;
}

/**
 * Draws a chip around the origin.
 * @param {Brush} g
 * @param {Colours} colours
 * @param {{kind: Kind, size: number, stack: boolean, label: string, dx: number, dy: number}} o the direction of its wake; 0, 0 without one
 */
export function drawChip(g, colours, { kind, size, stack, label, dx, dy }) {
  const wide = chipWidth(size, label);
  const half = size / 2;
  if (dx || dy) drawWake(g, colours[kind], 0, 0, dx, dy, dx ? wide / 2 : half, wakeOf(size));
  for (const d of stack ? [8, 4] : []) {
    g.beginPath();
    g.roundRect(-wide / 2 - d, -half - d, wide, size, 4);
    g.fillStyle = colours.bg;
    g.fill();
    g.lineWidth = 1.5;
    g.strokeStyle = colours[kind];
    g.stroke();
  }
  g.beginPath();
  g.roundRect(-wide / 2, -half, wide, size, 4);
  g.fillStyle = colours[kind];
  g.fill();
  const mark = size * 0.68;
  drawGlyph(g, kind, -wide / 2 + (size - mark) / 2, -mark / 2, mark, colours.ink);
  if (!label) return;
  g.font = `600 ${Math.round(size * 0.64)}px ${colours.sans}`;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  g.fillStyle = colours.ink;
  g.fillText(label, wide / 2 - 6, 1);
  g.textBaseline = 'alphabetic';
}

/**
 * Draws the mark of a cell that changed just now, around the origin.
 * @param {Brush} g
 * @param {Colours} colours
 * @param {Kind} kind
 */
export function drawMark(g, colours, kind) {
  g.beginPath();
  g.roundRect(-5.5, -5.5, 11, 11, 2);
  g.fillStyle = colours[kind];
  g.lineWidth = 3;
  g.strokeStyle = colours.panel;
  g.stroke();
  g.fill();
  drawGlyph(g, kind, -4.5, -4.5, 9, colours.ink, 4.5);
}

/**
 * Draws what a chip leaves behind it, six tenths as strong as the chip.
 * @param {Brush} g
 * @param {string} colour
 * @param {number} x of the chip's middle
 * @param {number} y
 * @param {number} dx which way it goes
 * @param {number} dy
 * @param {number} half from the middle to the chip's edge
 * @param {number} back how long the wake is
 */
export function drawWake(g, colour, x, y, dx, dy, half, back) {
  const alpha = g.globalAlpha;
  g.globalAlpha = 0.6 * alpha;
  g.fillStyle = colour;
  g.beginPath();
  g.moveTo(x - dx * (half + back), y - dy * (half + back));
  g.lineTo(x - dx * half - dy * 4, y - dy * half + dx * 4);
  g.lineTo(x - dx * half + dy * 4, y - dy * half - dx * 4);
  g.fill();
  g.globalAlpha = alpha;
}

/**
 * Draws a glyph in a box.
 * @param {Brush} g
 * @param {Kind} kind
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} colour
 * @param {number} [weight]
 */
function drawGlyph(g, kind, x, y, size, colour, weight = 3.2) {
  const shape = shapes[kind];
  g.save();
  g.translate(x, y);
  g.scale(size / 24, size / 24);
  if (shape.flip) g.transform(-1, 0, 0, 1, 24, 0);
  g.strokeStyle = colour;
  g.fillStyle = colour;
  g.lineCap = 'round';
  g.lineJoin = 'round';
  if (shape.stroke) {
    g.lineWidth = weight;
    g.stroke(new Path2D(shape.stroke));
  }
  if (shape.fill) {
    const p = new Path2D(shape.fill);
    g.fill(p);
    if (shape.edge) {
      g.lineWidth = shape.edge;
      g.stroke(p);
    }
  }
  g.restore();
}
