// @ts-check
// Cells as rectangles of a drawing: for grids of some hundred cells, which follow the theme and fade with what they stand on.
import { attr, s } from '../kit/dom.js';

export class Rects {
  /** @param {SVGElement} g @param {number} x left of the cells, in units @param {number} y */
  constructor(g, x, y) {
    this.g = s('g', { transform: `translate(${x} ${y})` });
    g.append(this.g);
    /** By their places. @type {Map<string, SVGElement>} */
    this.rects = new Map();
  }

  /** Starts a new, empty picture. */
  begin() {
    this.g.replaceChildren();
    this.rects.clear();
  }

  /** @param {number} x @param {number} y @param {number} size @param {import('./looks.js').Ink | null} ink null takes the cell away */
  cell(x, y, size, ink) {
    const at = `${x} ${y}`;
    let rect = this.rects.get(at);
    if (!ink) {
      rect?.remove();
      this.rects.delete(at);
      return;
    }
    if (!rect) {
      this.rects.set(at, (rect = s('rect', { x, y, width: size, height: size })));
      this.g.append(rect);
    }
    // The palette's freshness steps h0 to h4 are classes; hollow cells are objects that a handler mutated.
    attr(rect, 'class', ink.hollow ? 'hcw' : `hc${ink.colour.slice(1)}`);
  }

  flush() {}
}
