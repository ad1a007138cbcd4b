// @ts-check
// What travels: canvases over the stage, on which each move the worker reports is a chip that runs along its path.
// Moves of one object follow one another from left to right. Motion is for the eye alone; no number depends on it.
import { h } from './dom.js';
import { FORK_X, RAIL, lanesY } from './scene.js';
import { kindOf, mainOp, shapes } from './glyphs.js';
import { count, middle, width } from './format.js';

/** @typedef {import('./glyphs.js').Kind} Kind */
/** @typedef {import('./types.js').Move} Move */
/**
 * @typedef {{path: string, pts: number[], len: number, start: number, dur: number, kind: Kind, key: string, rv: string, size: number, n: number,
 *   mix: Record<string, number> | null, y: number}} Token
 */

/** How long a token is on its way at speed 1, in ms. @type {Record<string, number>} */
const lasts = { wire: 320, store: 260, pop: 320, fan: 320, next: 140, key: 220, take: 160, write: 900 };
const order = ['wire', 'store', 'pop', 'fan', 'next', 'key', 'take', 'write'];
/** Where the stations end. @type {[string, number][]} */
const ends = [['api', 126], ['reflector', 342], ['queue', 538], ['indexer', 810], ['listeners', 1074], ['controller', 1280]];
/** More tokens than this are never on the rails at once. */
const most = 400;
/**
 * Where tokens can be: along the rail; where it forks, with the cells; on the way of the writes. Each is a canvas of its own, as what changes
 * with every frame is copied and composed with every frame, and most of the stage has no token ever.
 */
const places = [{ x: 0, y: 104, w: 1280, h: 94 }, { x: 632, y: 198, w: 460, h: 338 }, { x: 40, y: 518, w: 1200, h: 54 }];
const [RAILS, FORKS, WRITES] = [0, 1, 2];

/** @typedef {{canvas: HTMLCanvasElement, cx: CanvasRenderingContext2D, ox: number, oy: number, used: boolean}} Field */

export class Tokens {
  /**
   * @param {import('./scene.js').Scene} scene
   * @param {import('./model.js').Model} model
   */
  constructor(scene, model) {
    this.scene = scene;
    this.model = model;
    /** @type {Field[]} */
    this.fields = places.map((_, i) => {
      const canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'field' }));
      // The way of the writes is over words that would be composed for it, so it is there only while something is on it.
      canvas.hidden = i === WRITES;
      scene.tokens.append(canvas);
      return { canvas, cx: /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')), ox: 0, oy: 0, used: false };
    });
    /** What is drawn on now. */
    this.field = this.fields[0];
    this.contrast = false;
    this.light = false;
    /** Whether chips stand on whole pixels, where they are sharp and copied as they are; slow ones would be seen to step. */
    this.whole = true;
    /** @type {Token[]} */
    this.live = [];
    /** @type {{x: number, y: number, kind: Kind, start: number, sel: boolean}[]} */
    this.marks = [];
    /** When an object's last token arrives, by key. @type {Map<string, number>} */
    this.ends = new Map();
    /** The ones before those: what is older is forgotten all at once, as to look for it would take longer. @type {Map<string, number>} */
    this.endsBefore = new Map();
    /** The tokens' own clock: it stands still while the view is paused. */
    this.time = 0;
    this.last = 0;
    this.awake = false;
    this.dirty = false;
    this.selected = '';
    /** The stations that a story's step speaks of: what is elsewhere recedes. @type {string[] | null} */
    this.focus = null;
    this.still = matchMedia('(prefers-reduced-motion: reduce)');
    /** What came in the last second, and how much of it is drawn in stacks. @type {{at: number, all: number, merged: number}[]} */
    this.log = [];
    /** @type {Map<string, {image: ImageBitmap, x: number, y: number}>} */
    this.sprites = new Map();
    this.easel = new OffscreenCanvas(1, 1);
    /** Lane of each listener that is drawn large, by its number. @type {Map<number, number>} */
    this.lanes = new Map();
    this.crowded = false;
    /** Where an object's cell is; the Indexer says it. @type {(key: string) => {x: number, y: number, size: number} | null} */
    this.cellAt = () => null;
    /** What the lanes were when the last frame was drawn. */
    this.lanesWere = '';
  }

  /** How strong a token is at a place. @param {number} x @param {number} y @private */
  strength(x, y) {
    return !this.focus || this.focus.includes(y > 532 ? 'controller' : ends.find((e) => x < e[1])?.[0] ?? '') ? 1 : 0.4;
  }

  /** The size of a unit or the palette changed. */
  resize() {
    const k = this.scene.k;
    const css = this.scene.scale / k;
    places.forEach((p, i) => {
      const f = this.fields[i];
      f.ox = Math.round(p.x * k);
      f.oy = Math.round(p.y * k);
      f.canvas.width = Math.round((p.x + p.w) * k) - f.ox;
      f.canvas.height = Math.round((p.y + p.h) * k) - f.oy;
      Object.assign(f.canvas.style, { left: `${f.ox * css}px`, top: `${f.oy * css}px`, width: `${f.canvas.width * css}px`, height: `${f.canvas.height * css}px` });
      f.used = false;
    });
    const on = document.documentElement.classList;
    this.contrast = on.contains('is-contrast');
    this.light = on.contains('is-light');
    this.forget();
    this.dirty = true;
  }

  /** Takes everything off the rails at once: the view jumped. */
  clear() {
    this.live.length = 0;
    this.marks.length = 0;
    this.ends.clear();
    this.endsBefore.clear();
    this.dirty = true;
  }

  /** @param {string} id @private */
  endOf(id) {
    return this.ends.get(id) ?? this.endsBefore.get(id);
  }

  /** How many tokens came within the last second, and how many of them are drawn in stacks. */
  tally() {
    const from = performance.now() - 1000;
    while (this.log.length && this.log[0].at < from) this.log.shift();
    let all = 0;
    let merged = 0;
    for (const m of this.log) {
      all += m.all;
      merged += m.merged;
    }
    return { all, merged: Math.min(all, merged) };
  }

  /** @param {Move[]} moves */
  add(moves) {
    const v = this.model.view;
    const speed = v.mode === 'live' || v.mode === 'paused' ? 1 : v.speed || 1;
    if (v.mode === 'paused') this.awake = true;
    /** When the moves of this frame that carry no key reach the end of each path. @type {Record<string, number>} */
    const bulk = {};
    const entry = { at: performance.now(), all: 0, merged: 0 };
    this.log.push(entry);
    // What a write came back as follows the write.
    const wrote = new Map(moves.filter((m) => m.p === 'write').map((m) => [m.k, m.s]));
    const late = (/** @type {Move} */ m) => (m.s > (wrote.get(m.k) ?? Infinity) ? order.length : 0) + order.indexOf(m.p);
    const sorted = moves.length > 1 ? [...moves].sort((a, b) => late(a) - late(b)) : moves;
    for (const m of sorted) {
      const pts = this.route(m);
      if (!pts) continue;
      const dur = this.still.matches ? 600 : Math.min(6000, Math.max(120, (lasts[m.p] ?? 240) / Math.sqrt(Math.min(1, speed)) / Math.max(1, speed)));
      const key = m.k ?? '';
      let start = this.time;
      const before = key && !m.n ? this.endOf(key + '\n' + stageBefore(m.p)) : bulk[stageBefore(m.p)];
      if (before !== undefined && before > start && !this.still.matches) start = Math.min(before, this.time + 2200 / speed);
      const path = m.p + (m.l ?? '');
      const n = m.n ?? 1;
      entry.all += n;
      if (m.n && m.n > 1) entry.merged += m.n;
      const len = length(pts);
      // The selected object is never part of a stack: it can be followed all the way.
      const own = key !== '' && key === this.selected && n === 1;
      const into = own ? null : this.close(path, start, dur * apart(len));
      if (into || (this.live.length > most && !own)) {
        if (into) {
          if (!into.mix) {
            into.mix = { [opOf(into.kind)]: into.n };
            if (into.n === 1) entry.merged++;
          }
          into.n += n;
          if (m.mix) for (const o in m.mix) into.mix[o] = (into.mix[o] ?? 0) + m.mix[o];
          else if (m.o) into.mix[m.o] = (into.mix[m.o] ?? 0) + 1;
          if (n === 1) entry.merged++;
          const top = mainOp(into.mix);
          if (into.kind !== 'key') into.kind = kindOf(top);
        }
        if (key) this.ends.set(key + '\n' + m.p, start + dur);
        continue;
      }
      const neutral = m.p === 'key' || m.p === 'take' || m.p === 'write';
      this.live.push({
        path, pts, len, start, dur, key, rv: m.rv ?? '', n, size: m.p === 'next' || m.p === 'take' || m.p === 'write' ? 18 : 22, mix: m.mix ?? null,
        kind: neutral ? 'key' : kindOf(m.n && m.mix ? mainOp(m.mix) : m.o), y: pts[1],
      });
      if (own && m.p === 'pop') this.settle(key, start + dur, dur, kindOf(m.o));
      if (key) this.ends.set(key + '\n' + m.p, start + dur);
      bulk[m.p] = Math.max(bulk[m.p] ?? 0, start + dur);
    }
    if (this.ends.size > 2000) {
      this.endsBefore = this.ends;
      this.ends = new Map();
    }
    this.dirty = true;
  }

  /** The selected object goes on from the Indexer's node to its cell. @param {string} key @param {number} start @param {number} dur @param {Kind} kind @private */
  settle(key, start, dur, kind) {
    const c = this.cellAt(key);
    if (!c) return;
    const y = c.y + c.size / 2;
    const pts = [732.5, RAIL, 732.5, y, c.x + c.size / 2, y];
    this.live.push({ path: 'cell', pts, len: length(pts), start, dur, key, rv: '', n: 1, size: 18, mix: null, kind, y: RAIL });
  }

  /** Takes off the rails what runs to a listener that is no longer where it was. */
  moved() {
    const now = [...this.lanes].map(([id, lane]) => `${id}:${lane}`).join(' ');
    if (now === this.lanesWere) return;
    this.lanesWere = now;
    const before = this.live.length;
    this.live = this.live.filter((t) => !/^(fan|next)/.test(t.path));
    if (this.live.length !== before) this.dirty = true;
  }

  /** The token of a path that one starting now would touch: the two become a stack. @param {string} path @param {number} start @param {number} gap @private */
  close(path, start, gap) {
    for (let i = this.live.length - 1; i >= 0; i--) {
      const t = this.live[i];
      if (t.path === path && Math.abs(t.start - start) < gap && (t.n > 1 || !t.key || t.key !== this.selected)) return t;
    }
    return null;
  }

  /**
   * A mark on a cell that just changed.
   * @param {number} x left, in units
   * @param {number} y top
   * @param {Kind} kind
   */
  mark(x, y, kind) {
    this.marks = this.marks.filter((m) => m.x !== x || m.y !== y);
    this.marks.push({ x, y, kind, start: this.time, sel: false });
    if (this.marks.length > 8) this.marks.shift();
    this.dirty = true;
  }

  /** The way of a move, as a list of coordinates. @param {Move} m @returns {number[] | null} @private */
  route(m) {
    const st = this.model.state;
    const lane = m.l === undefined ? 0 : this.lanes.get(m.l);
    const y = lane === undefined ? undefined : lanesY[lane];
    switch (m.p) {
      case 'wire':
        return [42, RAIL, 222, RAIL];
      case 'store': {
        const n = st.queue.depth;
        if (n > 172) return [246, RAIL, Math.max(341, 513 - 4 * Math.ceil(n / Math.ceil(n / 43))), RAIL];
        const pitch = st.queue.kind === 'DeltaFIFO' ? 34 : 22;
        return [246, RAIL, 512 - pitch * Math.min(pitch === 34 ? 4 : 6, Math.max(0, n - 1)), RAIL];
      }
      case 'pop':
        return [532, RAIL, 718, RAIL];
      case 'fan':
        if (y === undefined) return [746, RAIL, FORK_X, RAIL, FORK_X, 408];
        return y === RAIL ? [746, RAIL, 862, RAIL] : [746, RAIL, FORK_X, RAIL, FORK_X, y, 862, y];
      case 'next':
        return y === undefined ? null : [946, y, 986, y];
      case 'key': {
        const slot = 1108 + 24 * Math.min(2, Math.max(0, (st.workqueue?.depth ?? 1) - 1));
        return y === undefined || y === RAIL ? [1056, RAIL, slot, RAIL] : [1052, y, 1074, y, 1074, RAIL, slot, RAIL];
      }
      case 'take': {
        return [1150, RAIL, 1188, RAIL];
      }
      case 'write':
        return [1224, 532, 1224, 556, 66, 556, 66, 532];
    }
    return null;
  }

  /**
   * Draws one animation frame. Returns whether something still moves.
   * @param {number} clock
   * @returns {boolean}
   */
  draw(clock) {
    const paused = this.model.view.mode === 'paused' && !this.awake;
    const dt = this.last ? Math.min(100, clock - this.last) : 0;
    this.last = clock;
    if (!paused) this.time += dt;
    if (!this.live.length && !this.marks.length) {
      this.awake = false;
      if (!this.dirty) return false;
    } else if (paused && !this.dirty) {
      return false;
    }
    this.dirty = false;
    for (const f of this.fields) {
      if (!f.used) continue;
      f.used = false;
      f.cx.setTransform(1, 0, 0, 1, 0, 0);
      f.cx.clearRect(0, 0, f.canvas.width, f.canvas.height);
    }
    const now = this.time;
    const still = this.still.matches;
    const { mode, speed } = this.model.view;
    this.whole = mode === 'live' || speed >= 1;
    let left = 0;
    for (const m of this.marks) {
      if (now - m.start > 900) continue;
      this.marks[left++] = m;
      this.use(FORKS);
      this.field.cx.globalAlpha = this.strength(m.x, m.y);
      this.stamp('mark', m.kind, m.x + 1.5, m.y + 1.5);
    }
    this.marks.length = left;
    let w = 0;
    const slow = mode !== 'live' && speed <= 0.25 + 1e-9;
    const few = this.live.length <= 24;
    /** @type {Token[]} */
    const last = [];
    for (let i = 0; i < this.live.length; i++) {
      const t = this.live[i];
      const u = (now - t.start) / t.dur;
      if (u >= 1) continue;
      this.live[w++] = t;
      if (u < 0) continue;
      if (this.selected && t.key === this.selected && t.n === 1) last.push(t);
      else this.place(t, still ? 1 : ease(u), still, (slow || paused) && few);
    }
    this.live.length = w;
    // The selected object is on top of everything else.
    for (const t of last) this.place(t, still ? 1 : ease((now - t.start) / t.dur), still, true);
    const [, , writes] = this.fields;
    if (writes.canvas.hidden === writes.used) writes.canvas.hidden = !writes.used;
    return true;
  }

  /** Turns to a canvas. @param {number} i @private */
  use(i) {
    const f = (this.field = this.fields[i]);
    f.used = true;
  }

  /** Draws a token on whichever canvases it is over. @param {Token} t @param {number} u @param {boolean} still @param {boolean} named @private */
  place(t, u, still, named) {
    along(t, u);
    const y = at_[1];
    if (t.path === 'write') {
      this.use(WRITES);
      this.token(t, u, still, named);
      return;
    }
    // What it draws ends 40 units above and below it; its words, on the rail alone, 44 below.
    if (y < places[FORKS].y + 40) {
      this.use(RAILS);
      this.token(t, u, still, named);
    }
    if (y > RAIL + 4) {
      this.use(FORKS);
      this.token(t, u, still, named);
    }
  }

  /** Units are what the canvas is drawn in from here on. @private */
  units() {
    const { cx, ox, oy } = this.field;
    const k = this.scene.k;
    cx.setTransform(k, 0, 0, k, -ox, -oy);
    return cx;
  }

  /** @param {Token} t @param {number} u @param {boolean} still @param {boolean} named @private */
  token(t, u, still, named) {
    const [x, y, dx, dy] = at_;
    const c = this.scene.colour;
    const half = t.size / 2;
    const alpha = this.selected && t.key === this.selected ? 1 : this.strength(x, y);
    this.field.cx.globalAlpha = alpha;
    let wake = '';
    if (!still && !this.contrast) {
      const full = t.size === 22 ? 26 : 9;
      const back = Math.min(full, u * t.len);
      if (back === full) wake = dx > 0.9 ? 'r' : dx < -0.9 ? 'l' : dy > 0 ? 'd' : 'u';
      else if (back > 2) {
        const cx = this.units();
        drawWake(cx, c[t.kind], x, y, dx, dy, half, back);
      }
    }
    this.stamp(`${t.n > 1 ? 'stack' : 'chip'}${t.size}${wake}`, t.kind, x, y);
    const picked = this.selected !== '' && t.key === this.selected;
    if (picked || still) {
      const cx = this.units();
      cx.lineWidth = 2.5;
      cx.strokeStyle = picked && !this.light ? c.acc : c.t1;
      cx.beginPath();
      cx.roundRect(x - half - 3, y - half - 3, t.size + 6, t.size + 6, 6);
      cx.stroke();
    }
    if (t.n > 1) {
      const above = t.path === 'pop';
      if (t.path === 'write' && y === 556) this.stamp('14', '×' + count(t.n), x - half - 6, y + 5);
      if (y === RAIL && (t.path === 'wire' || (above && x > 556) || (t.path === 'store' && x < 345))) {
        this.stamp('16', '×' + count(t.n), x + half, above ? y - 26 : y + 32);
        if (t.mix && !above) this.strip(t.mix, x - half, y + 36, 22);
      }
    } else if (named && t.key && (t.path === 'wire' || t.path === 'store')) {
      const above = t.path === 'wire';
      const cx = this.units();
      cx.font = `12px ${c.mono}`;
      cx.textAlign = 'center';
      cx.lineWidth = 6;
      cx.lineJoin = 'round';
      cx.strokeStyle = c.bg;
      const words = middle(t.key, 15);
      const lx = Math.max(72, Math.min(x, above ? 280 : 470));
      cx.strokeText(words, lx, above ? y - 18 : y + 28);
      cx.fillStyle = picked && !this.light ? c.acc : c.t1;
      cx.fillText(words, lx, above ? y - 18 : y + 28);
    }
    this.field.cx.globalAlpha = 1;
  }

  /** @param {Record<string, number>} mix @param {number} x @param {number} y @param {number} w @private */
  strip(mix, x, y, w) {
    let total = 0;
    for (const o in mix) total += mix[o];
    let at = x;
    const cx = this.units();
    for (const o of Object.keys(mix).sort((a, b) => mix[b] - mix[a])) {
      const part = (mix[o] / total) * w;
      cx.fillStyle = this.scene.colour[kindOf(o)];
      cx.fillRect(at, y, part, 3);
      at += part;
    }
  }

  /**
   * Puts a picture down that is drawn once: a chip with what is behind it, or a number in its halo.
   * @param {string} style
   * @param {string} what the kind of a chip, or the words
   * @param {number} x where its middle is, or the right end of the words
   * @param {number} y the middle, or the line on which the words stand
   * @private
   */
  stamp(style, what, x, y) {
    const { k } = this.scene;
    const id = what + style;
    let o = this.sprites.get(id);
    if (!o) {
      if (this.sprites.size > 400) this.forget();
      this.sprites.set(id, (o = what[0] === '×' ? this.words(what, Number(style)) : this.chip(/** @type {Kind} */ (what), style)));
    }
    const { cx, ox, oy } = this.field;
    let px = (x - o.x) * k - ox;
    let py = (y - o.y) * k - oy;
    if (this.whole) {
      px = Math.round(px);
      py = Math.round(py);
    }
    cx.setTransform(1, 0, 0, 1, 0, 0);
    cx.drawImage(o.image, px, py);
  }

  /** Lets all pictures go, which are drawn again when they are wanted. @private */
  forget() {
    for (const o of this.sprites.values()) o.image.close();
    this.sprites.clear();
  }

  /**
   * Draws a picture. There is one canvas for all of them, as each canvas keeps a context with caches of its own, which is many times what
   * the picture is; what stays is the pixels.
   * @param {number} w
   * @param {number} hgt in units
   * @param {number} x of its origin
   * @param {number} y
   * @param {(g: OffscreenCanvasRenderingContext2D) => void} paint
   * @private
   */
  picture(w, hgt, x, y, paint) {
    const { k } = this.scene;
    const { easel } = this;
    easel.width = Math.ceil(w * k);
    easel.height = Math.ceil(hgt * k);
    const g = /** @type {OffscreenCanvasRenderingContext2D} */ (easel.getContext('2d'));
    g.setTransform(k, 0, 0, k, x * k, y * k);
    paint(g);
    return { image: easel.transferToImageBitmap(), x, y };
  }

  /** @param {string} words @param {number} size @private */
  words(words, size) {
    const col = this.scene.colour;
    const wide = width(words, `500 ${size}px`);
    return this.picture(wide + 8, size + 12, wide + 4, size + 4, (g) => {
      g.font = `500 ${size}px ${col.sans}`;
      g.textAlign = 'right';
      g.lineWidth = 5;
      g.lineJoin = 'round';
      g.strokeStyle = col.bg;
      g.strokeText(words, 0, 0);
      g.fillStyle = col.t1;
      g.fillText(words, 0, 0);
    });
  }

  /** @param {Kind} kind @param {string} style chip or stack with its size and the direction of its wake, or mark @private */
  chip(kind, style) {
    const col = this.scene.colour;
    const mark = style === 'mark';
    const size = mark ? 11 : Number(style.slice(-3).match(/\d+/)?.[0]);
    const half = size / 2;
    const dir = style.slice(-1);
    const dx = dir === 'r' ? 1 : dir === 'l' ? -1 : 0;
    const dy = dir === 'd' ? 1 : dir === 'u' ? -1 : 0;
    const back = size === 22 ? 27 : 10;
    const rx = half + (dx ? back : 10);
    const ry = half + (dy ? back : 10);
    return this.picture(2 * rx, 2 * ry, rx, ry, (g) => {
      if (dx || dy) drawWake(g, col[kind], 0, 0, dx, dy, half, back - 1);
      if (style.startsWith('stack')) {
        for (const d of [8, 4]) {
          g.beginPath();
          g.roundRect(-half - d, -half - d, size, size, 4);
          g.fillStyle = col.bg;
          g.fill();
          g.lineWidth = 1.5;
          g.strokeStyle = col[kind];
          g.stroke();
        }
      }
      g.beginPath();
      g.roundRect(-half, -half, size, size, mark ? 2 : 4);
      g.fillStyle = col[kind];
      if (mark) {
        g.lineWidth = 3;
        g.strokeStyle = col.panel;
        g.stroke();
      }
      g.fill();
      const gs = mark ? 9 : size * 0.68;
      drawGlyph(g, kind, -gs / 2, -gs / 2, gs, col.ink, mark ? 4.5 : 3.2);
    });
  }
}

/** What a token draws behind it, as strong as what is drawn. @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} g @param {string} colour @param {number} x @param {number} y @param {number} dx @param {number} dy @param {number} half @param {number} back */
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
 * Draws a glyph on a canvas.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} g
 * @param {Kind} kind
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {string} colour
 * @param {number} [weight]
 */
export function drawGlyph(g, kind, x, y, size, colour, weight = 3.2) {
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

/** @param {string} p */
function stageBefore(p) {
  return order.at(order.indexOf(p) - 1) ?? ''; // a frame can be what a write came back as
}

/** @param {Kind} kind */
function opOf(kind) {
  return { add: 'Added', upd: 'Updated', del: 'Deleted', rep: 'Replaced', syn: 'Sync', bmk: 'Bookmark', key: '' }[kind];
}

/** @param {number[]} p */
function length(p) {
  let n = 0;
  for (let i = 2; i < p.length; i += 2) n += Math.hypot(p[i] - p[i - 2], p[i + 1] - p[i - 1]);
  return n;
}

/** Where the token asked for last is, and which way it goes. */
const at_ = [0, 0, 1, 0];

/** @param {Token} t @param {number} u */
function along(t, u) {
  const p = t.pts;
  let rest = u * t.len;
  for (let i = 2; i < p.length; i += 2) {
    const dx = p[i] - p[i - 2];
    const dy = p[i + 1] - p[i - 1];
    const d = Math.hypot(dx, dy) || 1;
    if (rest <= d || i === p.length - 2) {
      at_[0] = p[i - 2] + (dx * rest) / d;
      at_[1] = p[i - 1] + (dy * rest) / d;
      at_[2] = dx / d;
      at_[3] = dy / d;
      return;
    }
    rest -= d;
  }
}

/** @type {Map<number, number>} */
const gaps = new Map();

/**
 * How much of its time a token must be ahead of the next one on a path of a length, so that the two never overlap; the
 * curve is slow at its end, and there it is tightest.
 * @param {number} len
 */
function apart(len) {
  const id = Math.round(len);
  let g = gaps.get(id);
  if (g === undefined) {
    const reach = Math.max(0.05, 1 - 30 / Math.max(31, len));
    let u = 0;
    while (u < 1 && ease(u) < reach) u += 0.02;
    g = Math.max(0.2, 1 - u);
    gaps.set(id, g);
  }
  return g;
}

/** The standard curve (.4, 0, .2, 1). @param {number} u */
function ease(u) {
  // Newton's steps on the curve's x, then its y.
  let s = u;
  for (let i = 0; i < 4; i++) {
    const x = 3 * s * (1 - s) * (1 - s) * 0.4 + 3 * s * s * (1 - s) * 0.2 + s * s * s - u;
    const d = 1.2 * (1 - s) * (1 - 3 * s) + 0.6 * s * (2 - 3 * s) + 3 * s * s;
    if (Math.abs(d) < 1e-4) break;
    s -= x / d;
  }
  return 3 * s * s * (1 - s) + s * s * s;
}
