// @ts-check
// The canvases of a layout, and the pictures that are copied to them. Canvases lie only where something can travel. A chip with its wake, and
// a count with its halo, are drawn once; then they are copied to whole pixels.
import { h } from '../kit/dom.js';
import { width } from '../kit/measure.js';
import { chipWidth, drawChip, drawMark, wakeOf } from './chip.js';

/** @typedef {import('../kit/glyphs.js').Kind} Kind */

/**
 * A stretch of the layout that has a canvas, in units. One with `paths` is for those moves alone and there only while one is on it.
 * @typedef {{x: number, y: number, w: number, h: number, paths?: string[]}} Stretch
 * @typedef {{at: Stretch, canvas: HTMLCanvasElement, cx: CanvasRenderingContext2D, ox: number, oy: number, used: boolean}} Field
 */

/** Pictures that are kept at most. */
const kept = 400;
/** How far from its middle a chip with its stack, its count and its strip reaches, in units. */
const reach = 44;

export class Surface {
  /**
   * @param {HTMLElement} holder as large as the layout's picture
   * @param {() => Record<string, string>} colours of the theme that is on
   */
  constructor(holder, colours) {
    this.holder = holder;
    this.colours = colours;
    /** @type {Field[]} */
    this.fields = [];
    /** What is drawn on now. @type {Field} */
    this.field = /** @type {any} */ (null);
    /** Device pixels and CSS pixels per unit. */
    this.k = 1;
    this.css = 1;
    /** Whether pictures stand on whole pixels, where they are sharp and copied as they are; slow ones would be seen to step. */
    this.whole = true;
    /** @type {Map<string, {image: ImageBitmap, x: number, y: number}>} */
    this.pictures = new Map();
    this.easel = new OffscreenCanvas(1, 1);
  }

  /** Puts canvases where a layout has them. @param {Stretch[]} stretches */
  lay(stretches) {
    while (this.fields.length > stretches.length) this.fields.pop()?.canvas.remove();
    stretches.forEach((at, i) => {
      if (!this.fields[i]) {
        const canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'field' }));
        this.holder.append(canvas);
        const cx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        this.fields.push({ at, canvas, cx, ox: 0, oy: 0, used: false });
      }
      this.fields[i].at = at;
      this.fields[i].canvas.hidden = !!at.paths;
    });
    this.field = this.fields[0];
    this.resize(this.k, this.css);
  }

  /** Where the canvases end at the right, in units. */
  get right() {
    return Math.max(...this.fields.map(({ at }) => at.x + at.w));
  }

  /** The size of a unit or the palette changed. @param {number} k device pixels per unit @param {number} css CSS pixels per unit */
  resize(k, css) {
    this.k = k;
    this.css = css;
    for (const f of this.fields) {
      const { x, y, w, h: tall } = f.at;
      f.ox = Math.round(x * k);
      f.oy = Math.round(y * k);
      f.canvas.width = Math.round((x + w) * k) - f.ox;
      f.canvas.height = Math.round((y + tall) * k) - f.oy;
      const px = (/** @type {number} */ n) => `${(n * css) / k}px`;
      Object.assign(f.canvas.style, { left: px(f.ox), top: px(f.oy), width: px(f.canvas.width), height: px(f.canvas.height) });
      f.used = false;
    }
    this.forget();
  }

  /** Wipes what was drawn on. */
  wipe() {
    for (const f of this.fields) {
      if (!f.used) continue;
      f.used = false;
      f.cx.setTransform(1, 0, 0, 1, 0, 0);
      f.cx.clearRect(0, 0, f.canvas.width, f.canvas.height);
    }
  }

  /** Shows the canvases that are there only while something is on them, and hides them again. */
  settle() {
    for (const f of this.fields) if (f.at.paths && f.canvas.hidden === f.used) f.canvas.hidden = !f.used;
  }

  /**
   * Draws on each canvas that a chip at a place touches.
   * @param {string} path
   * @param {number} x
   * @param {number} y
   * @param {() => void} draw
   */
  drawOver(path, x, y, draw) {
    for (const f of this.fields) {
      const { at } = f;
      if (at.paths && !at.paths.includes(path)) continue;
      if (x < at.x - reach || x > at.x + at.w + reach || y <= at.y - reach || y >= at.y + at.h + reach) continue;
      this.field = f;
      f.used = true;
      draw();
      if (at.paths) return;
    }
  }

  /** Units are what the canvas is drawn in from here on. */
  units() {
    const { cx, ox, oy } = this.field;
    cx.setTransform(this.k, 0, 0, this.k, -ox, -oy);
    return cx;
  }

  /**
   * Puts a chip down, whose middle is at x, y.
   * @param {number} x
   * @param {number} y
   * @param {{kind: Kind, size: number, stack: boolean, label: string, dx: number, dy: number}} o
   */
  chip(x, y, o) {
    const id = `${o.kind} ${o.size} ${o.stack} ${o.dx} ${o.dy} ${o.label}`;
    this.put(id, x, y, () => {
      const back = o.dx || o.dy ? wakeOf(o.size) + 1 : 10;
      const rx = chipWidth(o.size, o.label) / 2 + (o.dx ? back : 10);
      const ry = o.size / 2 + (o.dy ? back : 10);
      return this.picture(2 * rx, 2 * ry, rx, ry, (g) => drawChip(g, this.colours(), o));
    });
  }

  /** Puts the mark of a cell that changed down. @param {number} x @param {number} y @param {Kind} kind */
  mark(x, y, kind) {
    this.put('mark ' + kind, x, y, () => this.picture(32, 32, 16, 16, (g) => drawMark(g, this.colours(), kind)));
  }

  /** Puts a count down, which ends at x. @param {string} words @param {number} size @param {number} x @param {number} y of its foot */
  count(words, size, x, y) {
    this.put(words + size, x, y, () => {
      const wide = width(words, `500 ${size}px`);
      const colours = this.colours();
      return this.picture(wide + 8, size + 12, wide + 4, size + 4, (g) => {
        g.font = `500 ${size}px ${colours.sans}`;
        g.textAlign = 'right';
        g.lineWidth = 5;
        g.lineJoin = 'round';
        g.strokeStyle = colours.bg;
        g.strokeText(words, 0, 0);
        g.fillStyle = colours.t1;
        g.fillText(words, 0, 0);
      });
    });
  }

  /** @param {string} id @param {number} x @param {number} y @param {() => {image: ImageBitmap, x: number, y: number}} make @private */
  put(id, x, y, make) {
    let o = this.pictures.get(id);
    if (!o) {
      if (this.pictures.size > kept) this.forget();
      this.pictures.set(id, (o = make()));
    }
    const { cx, ox, oy } = this.field;
    let px = (x - o.x) * this.k - ox;
    let py = (y - o.y) * this.k - oy;
    if (this.whole) {
      px = Math.round(px);
      py = Math.round(py);
    }
    cx.setTransform(1, 0, 0, 1, 0, 0);
    cx.drawImage(o.image, px, py);
  }

  /** Lets all pictures go, which are drawn again when they are wanted. */
  forget() {
    for (const o of this.pictures.values()) o.image.close();
    this.pictures.clear();
  }

  /**
   * Draws a picture. There is one canvas for all of them, as each canvas keeps a context with caches of its own, which is many times what
   * the picture is; what stays is the pixels.
   * @param {number} w
   * @param {number} tall in units
   * @param {number} x of its origin
   * @param {number} y
   * @param {(g: OffscreenCanvasRenderingContext2D) => void} paint
   * @private
   */
  picture(w, tall, x, y, paint) {
    const { easel, k } = this;
    easel.width = Math.ceil(w * k);
    easel.height = Math.ceil(tall * k);
    const g = /** @type {OffscreenCanvasRenderingContext2D} */ (easel.getContext('2d'));
    g.setTransform(k, 0, 0, k, x * k, y * k);
    paint(g);
    return { image: easel.transferToImageBitmap(), x, y };
  }
}
