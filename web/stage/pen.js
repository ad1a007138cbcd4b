// @ts-check
// What a row's causes are drawn with: its place, its moments, its words, and the few shapes that marks are made of. All of it in CSS pixels.

/** @typedef {import('../wire/past.js').Span} Span */
/** @typedef {import('./lettering.js').Box} Box */

/**
 * The strip of a row: from `y` on, `h` high; the lowest `foot` of it are for ticks and causes, on which piles stand. While the height changes, `goal`
 * is what it will be. What passed or waited in a quiet row is dim. Where the row's name stands in the past, `name` is its box: no words lie on it,
 * and no level line.
 * @typedef {{id: string, y: number, h: number, foot?: number, goal?: number, name?: Box, quiet?: boolean}} Seat
 */

export class Pen {
  /**
   * @param {CanvasRenderingContext2D} cx
   * @param {{
   *   colour: Record<string, string>, k: number, right: number, now: number, step: number, dpr: number, begin: number, over: number,
   *   xOf: (millis: number) => number, seatOf: (station: string, lane: number) => Seat | undefined, spansOf: (station: string, lane: number) => Span[],
   *   nameOf: (listener: number) => string, hasStory: boolean,
   *   crowdOf: (lane: number) => import('../wire/types.js').Crowd | null | undefined
   * }} scene `k` are CSS pixels per unit. `right` is where the rail begins, `now` the moment there. `step` is how long a column is, `begin` when
   *   the log begins. `over` is how bright what is over is. `hasStory`: a story plays
   */
  constructor(cx, scene) {
    this.cx = cx;
    this.scene = scene;
    this.k = scene.k;
    this.colour = scene.colour;
    this.now = scene.now;
    this.right = scene.right;
    /** @type {Box[]} */
    this.marks = [];
    /** @type {import('./lettering.js').Label[]} */
    this.labels = [];
    this.top = this.foot = this.base = this.left = 0;
    /** The box of the row's name, where that stands in the past. @type {Box | undefined} */
    this.name = undefined;
    /** @type {import('../wire/past.js').Track} */
    this.track = /** @type {any} */ (null);
    /** The spans of the row that are in the window. @type {Map<string, Span[]>} */
    this.byKind = new Map();
  }

  /** Goes to a row. @param {import('../wire/past.js').Track} track @param {Seat} seat */
  moveTo(track, { y, h, foot = 18 * this.k, name }) {
    if (name) this.marks.push(name);
    this.name = name;
    this.track = track;
    this.top = y;
    this.foot = y + h;
    this.base = this.foot - foot;
    this.byKind.clear();
    for (const span of track.spans) {
      if (span.fromMillis > this.now || this.scene.xOf(this.end(span)) <= 0) continue;
      const list = this.byKind.get(span.kind);
      if (list) list.push(span);
      else this.byKind.set(span.kind, [span]);
    }
  }

  /** Where a moment is. @param {number} millis */
  x(millis) {
    return Math.min(this.right, Math.max(0, this.scene.xOf(millis)));
  }

  /** The spans of the row that are of a kind and in the window. @param {string} kind */
  spans(kind) {
    return this.byKind.get(kind) ?? [];
  }

  /** When a span ends: now, while it lasts. @param {Span} span */
  end(span) {
    return span.toMillis === null ? this.now : Math.min(span.toMillis, this.now);
  }

  /** Whether a span lasts still. @param {Span} span */
  lasts(span) {
    return span.toMillis === null || span.toMillis > this.now;
  }

  /** How bright a span is: what lasts holds up what waits now. @param {Span} span */
  bright(span) {
    return this.lasts(span) ? 1 : this.scene.over;
  }

  /** A block, which words avoid. @param {number} x0 @param {number} x1 @param {number} y @param {number} h @param {string} colour @param {number} [alpha] */
  block(x0, x1, y, h, colour, alpha = 1) {
    const { cx, marks } = this;
    if (cx.globalAlpha !== alpha) cx.globalAlpha = alpha;
    cx.fillStyle = colour;
    cx.fillRect(x0, y, Math.max(1, x1 - x0), h);
    // Blocks in a line are one thing that words avoid.
    const last = marks[marks.length - 1];
    if (last && last[1] === y && last[3] === y + h && x0 - last[2] < 12 * this.k && x0 >= last[0]) last[2] = Math.max(last[2], x1);
    else marks.push([x0, y, x1, y + h]);
  }

  /**
   * A level line, or one of dots.
   * @param {number} x0 @param {number} x1 @param {number} y @param {string} colour @param {{wide?: number, dots?: boolean, alpha?: number}} [o]
   */
  level(x0, x1, y, colour, { wide = 2, dots = false, alpha = 1 } = {}) {
    if (x1 <= x0) return;
    const { k } = this;
    if (!dots) {
      this.block(x0, x1, y - (wide * k) / 2, wide * k, colour, alpha);
      return;
    }
    const { cx } = this;
    cx.globalAlpha = 1;
    cx.fillStyle = colour;
    for (let x = x0; x < x1; x += 6 * k) cx.fillRect(x, y - k, Math.min(2 * k, x1 - x), 2 * k);
    this.marks.push([x0, y - k, x1, y + k]);
  }

  /**
   * A box of slanted lines, which move with their origin.
   * @param {number} x0 @param {number} x1 @param {number} y @param {number} h @param {string} colour
   * @param {{apart?: number, wide?: number, alpha?: number, origin?: number}} [o]
   */
  hatch(x0, x1, y, h, colour, { apart = 10, wide = 2, alpha = 1, origin = x0 } = {}) {
    const { cx, k } = this;
    const each = apart * k;
    cx.globalAlpha = alpha;
    cx.strokeStyle = colour;
    cx.lineWidth = wide * k;
    cx.beginPath();
    const first = origin - Math.ceil((origin - x0 + h) / each) * each;
    for (let x = first; x < x1; x += each) {
      // From its foot at x to its head at x + h, cut at both sides of the box.
      const a = Math.max(x, x0);
      const b = Math.min(x + h, x1);
      if (a >= b) continue;
      cx.moveTo(a, y + h - (a - x));
      cx.lineTo(b, y + h - (b - x));
    }
    cx.stroke();
    this.marks.push([x0, y, x1, y + h]);
  }

  /** An upright line, or one of dots. @param {number} x @param {number} y0 @param {number} y1 @param {string} colour @param {boolean} [dots] */
  upright(x, y0, y1, colour, dots = false) {
    const { cx, k } = this;
    cx.globalAlpha = 1;
    cx.fillStyle = colour;
    const wide = Math.max(1, 1.6 * k);
    if (dots) for (let y = y0; y < y1; y += 5 * k) cx.fillRect(x - wide / 2, y, wide, Math.min(2 * k, y1 - y));
    else cx.fillRect(x - wide / 2, y0, wide, y1 - y0);
    this.marks.push([x - k, y0, x + k, y1]);
  }

  /** A stroke through points. @param {number[]} points x, y, x, y, ... @param {string} colour @param {number} wide */
  stroke(points, colour, wide) {
    const { cx } = this;
    cx.globalAlpha = 1;
    cx.strokeStyle = colour;
    cx.lineWidth = wide * this.k;
    cx.beginPath();
    for (let i = 0; i < points.length; i += 2) {
      if (i) cx.lineTo(points[i], points[i + 1]);
      else cx.moveTo(points[i], points[i + 1]);
    }
    cx.stroke();
  }

  /** A dot, with an edge where its colour is not seen alone. @param {number} x @param {number} y @param {string} colour @param {boolean} edge */
  dot(x, y, colour, edge) {
    const { cx, k } = this;
    cx.globalAlpha = 1;
    cx.fillStyle = colour;
    cx.beginPath();
    cx.arc(x, y, 4.5 * k, 0, 2 * Math.PI);
    cx.fill();
    if (edge) {
      cx.strokeStyle = this.colour.t1;
      cx.lineWidth = 1.2 * k;
      cx.stroke();
    }
    this.marks.push([x - 5 * k, y - 5 * k, x + 5 * k, y + 5 * k]);
  }

  /** A ring around a dot: the one that is spoken of. @param {number} x @param {number} y @param {string} colour */
  ring(x, y, colour) {
    const { cx, k } = this;
    cx.strokeStyle = colour;
    cx.lineWidth = 2 * k;
    cx.beginPath();
    cx.arc(x, y, 8 * k, 0, 2 * Math.PI);
    cx.stroke();
  }

  /** A cross: something failed. @param {number} x @param {number} y its middle */
  cross(x, y) {
    const r = 4 * this.k;
    this.stroke([x - r, y - r, x + r, y + r], this.colour.err, 2);
    this.stroke([x + r, y - r, x - r, y + r], this.colour.err, 2);
    this.marks.push([x - r, y - r, x + r, y + r]);
  }

  /**
   * Words, for which a place is found when all marks are drawn.
   * @param {string[]} words the same in several lengths, the longest first
   * @param {import('./lettering.js').Place[]} places the best first
   * @param {{colour?: string, size?: number, weight?: number, first?: boolean}} [o]
   */
  say(words, places, { colour = this.colour.t2, size = 12, weight = 400, first = false } = {}) {
    this.labels.push({ words, places, colour, size: size * this.k, weight, first });
  }
}
