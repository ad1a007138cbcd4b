// @ts-check
// Tokens for the smaller stages (two eras, presenter, phone): each view says where a path runs, the runner moves chips
// along it on one canvas. What shares a path within a moment becomes a stack with its count.
import { count } from './format.js';
import { kindOf, mainOp } from './glyphs.js';
import { drawGlyph, drawWake } from './tokens.js';

/** @typedef {import('./types.js').Move} Move */
/** @typedef {{path: string, pts: number[], len: number, start: number, dur: number, kind: import('./glyphs.js').Kind, key: string, label: string, n: number}} Run */

const lasts = { wire: 360, store: 280, pop: 320, fan: 320, next: 180, key: 220, take: 160, write: 900 };

export class Runner {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('./types.js').Ctx} ctx
   * @param {number} width of the view, in units
   * @param {number} height
   * @param {number} size of a chip
   */
  constructor(canvas, ctx, width, height, size) {
    this.canvas = canvas;
    this.cx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.ctx = ctx;
    this.w = width;
    this.h = height;
    this.size = size;
    this.k = 1;
    /** @type {Run[]} */
    this.runs = [];
    this.time = 0;
    this.last = 0;
    this.dirty = true;
    this.awake = false;
    /** How strong a chip is at a place of the rail. @type {(x: number, y: number) => number} */
    this.strength = () => 1;
    this.still = matchMedia('(prefers-reduced-motion: reduce)');
    /** When an object's chip reaches the end of a path. @type {Map<string, number>} */
    this.ends = new Map();
    /** Where counts stand in this animation frame. @type {number[][]} */
    this.said = [];
  }

  /** @param {number} k device pixels per unit */
  resize(k) {
    this.k = k;
    const w = Math.round(this.w * k);
    const h = Math.round(this.h * k);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.dirty = true;
  }

  clear() {
    this.runs.length = 0;
    this.ends.clear();
    this.dirty = true;
  }

  /**
   * Sends a move along its way.
   * @param {Move} m
   * @param {number[]} pts
   * @param {{before?: string, id?: string, label?: string}} [o] the path that leads here, a name that tells equal paths apart, words on the chip
   */
  add(m, pts, o = {}) {
    const v = this.ctx.model.view;
    const speed = v.mode === 'playing' ? v.speed || 1 : 1;
    if (v.mode === 'paused') this.awake = true;
    const path = (o.id ?? '') + m.p;
    const dur = this.still.matches ? 600 : Math.min(6000, Math.max(120, (/** @type {any} */ (lasts)[m.p] ?? 240) / Math.sqrt(Math.min(1, speed)) / Math.max(1, speed)));
    const key = m.k ?? '';
    let start = this.time;
    if (key && o.before && !this.still.matches) {
      const before = this.ends.get(`${o.id ?? ''}${o.before}\n${key}`);
      if (before !== undefined && before > start) start = Math.min(before, this.time + 2000);
    }
    if (key) {
      this.ends.set(`${path}\n${key}`, start + dur);
      if (this.ends.size > 3000) this.ends.clear();
    }
    const kind = m.p === 'key' || m.p === 'take' || m.p === 'write' ? 'key' : kindOf(m.n && m.mix ? mainOp(m.mix) : m.o);
    let len = 0;
    for (let i = 2; i < pts.length; i += 2) len += Math.hypot(pts[i] - pts[i - 2], pts[i + 1] - pts[i - 1]);
    // Chips on one path keep a distance that leaves room for their counts.
    const gap = dur * Math.min(0.9, (o.label ? this.size + 34 : this.size * 2.1) / Math.max(1, len));
    for (let i = this.runs.length - 1; i >= 0; i--) {
      const r = this.runs[i];
      if (r.path === path && Math.abs(r.start - start) < gap) {
        if (o.label && r.label && this.runs.length < 40) {
          start = r.start + gap;
          break;
        }
        r.n += m.n ?? 1;
        r.label = '';
        return;
      }
    }
    if (this.runs.length > 120) return;
    this.runs.push({ path, pts, len, start, dur, kind, key, label: o.label ?? '', n: m.n ?? 1 });
    this.dirty = true;
  }

  /** Draws one animation frame. @param {number} clock */
  draw(clock) {
    const paused = this.ctx.model.view.mode === 'paused' && !this.awake;
    const dt = this.last ? Math.min(100, clock - this.last) : 0;
    this.last = clock;
    if (!paused) this.time += dt;
    if (!this.runs.length) {
      this.awake = false;
      if (!this.dirty) return;
    } else if (paused && !this.dirty) return;
    this.dirty = false;
    const { cx, k } = this;
    cx.setTransform(1, 0, 0, 1, 0, 0);
    cx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    cx.setTransform(k, 0, 0, k, 0, 0);
    this.said.length = 0;
    let w = 0;
    for (const r of this.runs) {
      const u = (this.time - r.start) / r.dur;
      if (u >= 1) continue;
      this.runs[w++] = r;
      if (u >= 0) this.chip(r, this.still.matches ? 1 : ease(u));
    }
    this.runs.length = w;
    if (!w) this.dirty = true;
  }

  /** @param {Run} r @param {number} u @private */
  chip(r, u) {
    const { cx, size } = this;
    const c = this.ctx.scene.colour;
    const [x, y, dx, dy] = along(r, u);
    const alpha = this.strength(x, y);
    cx.globalAlpha = alpha;
    const wide = r.label ? size + 8 + r.label.length * 9 : size;
    const half = size / 2;
    const contrast = document.documentElement.classList.contains('is-contrast');
    if (!this.still.matches && !contrast) {
      const back = Math.min(size * 1.2, u * r.len);
      const reach = dx ? wide / 2 : half;
      if (back > 2) drawWake(cx, c[r.kind], x, y, dx, dy, reach, back);
    }
    const box = (/** @type {number} */ d, /** @type {boolean} */ fill) => {
      cx.beginPath();
      cx.roundRect(x - wide / 2 - d, y - half - d, wide, size, 4);
      cx.fillStyle = fill ? c[r.kind] : c.bg;
      cx.fill();
      if (!fill) {
        cx.lineWidth = 1.5;
        cx.strokeStyle = c[r.kind];
        cx.stroke();
      }
    };
    if (r.n > 1) {
      box(8, false);
      box(4, false);
    }
    box(0, true);
    const g = size * 0.68;
    drawGlyph(cx, r.kind, x - wide / 2 + (size - g) / 2, y - g / 2, g, c.ink);
    if (r.label) {
      cx.font = `600 ${Math.round(size * 0.64)}px ${c.sans}`;
      cx.textAlign = 'right';
      cx.textBaseline = 'middle';
      cx.fillStyle = c.ink;
      cx.fillText(r.label, x + wide / 2 - 6, y + 1);
      cx.textBaseline = 'alphabetic';
    }
    if (this.still.matches) {
      cx.lineWidth = 2;
      cx.strokeStyle = c.t1;
      cx.beginPath();
      cx.roundRect(x - wide / 2 - 3, y - half - 3, wide + 6, size + 6, 6);
      cx.stroke();
    }
    if (r.n > 1 && dx && size >= 22 && r.len > 90 && alpha === 1) {
      cx.font = `500 ${Math.round(size * 0.72)}px ${c.sans}`;
      cx.textAlign = 'center';
      cx.lineWidth = 5;
      cx.lineJoin = 'round';
      cx.strokeStyle = c.bg;
      // A write's count runs behind it: what is above and below its way is not its own.
      const back = r.path === 'write';
      const at = [back ? x + size * 1.4 : x, back ? y + size / 4 : y + size + 10];
      // Where two eras share the wire their chips overtake one another; of counts that would touch, the first one stands.
      if (this.said.some(([sx, sy]) => sy === at[1] && Math.abs(sx - at[0]) < size * 2)) return;
      this.said.push(at);
      cx.strokeText('×' + count(r.n), at[0], at[1]);
      cx.fillStyle = c.t1;
      cx.fillText('×' + count(r.n), at[0], at[1]);
    }
    cx.globalAlpha = 1;
  }
}

/** @param {Run} r @param {number} u @returns {[number, number, number, number]} */
function along(r, u) {
  const p = r.pts;
  let rest = u * r.len;
  for (let i = 2; i < p.length; i += 2) {
    const dx = p[i] - p[i - 2];
    const dy = p[i + 1] - p[i - 1];
    const d = Math.hypot(dx, dy) || 1;
    if (rest <= d || i === p.length - 2) return [p[i - 2] + (dx * rest) / d, p[i - 1] + (dy * rest) / d, dx / d, dy / d];
    rest -= d;
  }
  return [p[0], p[1], 1, 0];
}

/** A smooth start and a smooth end. @param {number} u */
function ease(u) {
  return u * u * (3 - 2 * u);
}
