// @ts-check
// Cells as pixels of one picture, of which only those that changed are written and put: ten thousand rectangles would keep
// the page's thread for a whole frame.

/** @typedef {import('./looks.js').Ink} Ink */

/** A colour as a pixel; of a canvas any opaque colour can be had as #rrggbb. @param {CanvasRenderingContext2D} cx @param {string} colour */
function pixelOf(cx, colour) {
  const was = cx.fillStyle;
  cx.fillStyle = colour;
  const rgb = parseInt(String(cx.fillStyle).slice(1), 16);
  cx.fillStyle = was;
  return new Uint32Array(new Uint8ClampedArray([rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255]).buffer)[0];
}

export class Pixels {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Record<string, string>} palette the colours by their names
   */
  constructor(canvas, palette) {
    this.cx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.palette = palette;
    /** Device pixels per unit. */
    this.k = 1;
    /** @type {ImageData} */
    this.picture = this.cx.createImageData(1, 1);
    this.pixels = new Uint32Array(this.picture.data.buffer);
    /** Colours of the palette as pixels. @type {Map<string, number>} */
    this.colourPixels = new Map();
    /** What was not shown yet. */
    this.left = this.top = this.right = this.bottom = 0;
  }

  /**
   * Starts a new, empty picture.
   * @param {number} w in units
   * @param {number} h
   * @param {number} k device pixels per unit
   */
  begin(w, h, k) {
    this.k = k;
    const wide = Math.max(1, Math.round(w * k));
    const tall = Math.max(1, Math.round(h * k));
    const { canvas } = this.cx;
    if (canvas.width !== wide || canvas.height !== tall) {
      canvas.width = wide;
      canvas.height = tall;
    }
    if (this.picture.width !== wide || this.picture.height !== tall) {
      this.picture = this.cx.createImageData(wide, tall);
      this.pixels = new Uint32Array(this.picture.data.buffer);
    }
    this.pixels.fill(0);
    this.touch(0, 0, wide, tall);
  }

  /**
   * Draws a cell.
   * @param {number} x left, in units
   * @param {number} y top
   * @param {number} size
   * @param {Ink | null} ink null takes it away
   */
  cell(x, y, size, ink) {
    const { k } = this;
    const x0 = Math.round(x * k);
    const y0 = Math.round(y * k);
    const x1 = Math.max(x0 + 1, Math.round((x + size) * k));
    const y1 = Math.max(y0 + 1, Math.round((y + size) * k));
    this.fill(x0, y0, x1, y1, ink ? this.pixel(this.palette[ink.colour]) : 0);
    if (ink?.hollow && size >= 5) {
      const edge = Math.max(1, Math.round((size >= 7 ? 1.5 : 1) * k));
      this.fill(x0 + edge, y0 + edge, x1 - edge, y1 - edge, 0);
    }
    this.touch(x0, y0, x1, y1);
  }

  /** Shows what was drawn since. */
  flush() {
    const { left, top, right, bottom } = this;
    if (right <= left) return;
    this.cx.putImageData(this.picture, 0, 0, left, top, right - left, bottom - top);
    this.left = this.top = this.right = this.bottom = 0;
  }

  /** @param {string} colour @private */
  pixel(colour) {
    let pixel = this.colourPixels.get(colour);
    if (pixel === undefined) this.colourPixels.set(colour, (pixel = pixelOf(this.cx, colour)));
    return pixel;
  }

  /** @param {number} x0 in pixels @param {number} y0 @param {number} x1 @param {number} y1 @param {number} pixel @private */
  fill(x0, y0, x1, y1, pixel) {
    const wide = this.picture.width;
    for (let y = y0; y < y1; y++) this.pixels.fill(pixel, y * wide + x0, y * wide + Math.min(x1, wide));
  }

  /** @param {number} l @param {number} t @param {number} r @param {number} b @private */
  touch(l, t, r, b) {
    if (this.right <= this.left) {
      this.left = l;
      this.top = t;
      this.right = r;
      this.bottom = b;
      return;
    }
    if (l < this.left) this.left = l;
    if (t < this.top) this.top = t;
    if (r > this.right) this.right = r;
    if (b > this.bottom) this.bottom = b;
  }
}
