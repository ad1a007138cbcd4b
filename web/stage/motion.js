// @ts-check
// What travels, on every layout: each move that the worker reports is a chip that runs along the way which the layout gives it between
// named points. Moves of one object follow one another from left to right; chips that would overlap become a stack with its count; the
// selected object never does. No number depends on motion.
import { chipWidth, drawWake, wakeOf } from '../draw/chip.js';
import { Surface } from '../draw/surface.js';
import { departures, lap, legs } from '../wire/eye.js';
import { count, middle } from '../kit/format.js';
import { kindOf, mainOp } from '../kit/glyphs.js';
import { areEqual } from '../kit/same.js';

/** @typedef {import('../kit/glyphs.js').Kind} Kind */
/** @typedef {import('../wire/types.js').Move} Move */
/**
 * The place of a stack's count, between the places `from` and `to` of the way: below the chip with the mix of its types, above it, or
 * behind. While the words of a hold stand above the way, the count is `over` them.
 * @typedef {{
 *   side: 'below' | 'above' | 'behind', from?: number, to?: number, y?: number, over?: {held: import('../wire/page-types.js').Stage, y: number}
 * }} CountAt
 */
/**
 * A layout's motion. `spacing` is the least distance between the middles of two chips on a way; closer ones become a stack. `sizes` are the
 * sizes of chips that differ from `size`; `hero` is the size of the one that is followed. `nodes`: a station that recedes is a name above its node.
 * `between`: the heights at which an upright rail has room for a name.
 * @typedef {{
 *   size: number, hero: number, nodes?: boolean, between?: number[], sizes?: Record<string, number>, spacing: number, counts: Record<string, CountAt>,
 *   names?: Record<string, {side: 'above' | 'below', min: number, max: number}>
 * }} Plan
 */
/**
 * @typedef {{
 *   p: string, path: string, pts: number[], len: number, start: number, dur: number, kind: Kind, key: string, label: string, size: number,
 *   n: number, mix: Record<string, number> | null, neutral: boolean, versions: string[], hero: boolean, from: number, to: number, move?: Move
 * }} Token
 */

/** The selected object's own way, from the Indexer's node to its cell, takes as long as the one to the listeners. @type {Record<string, number>} */
const durations = { ...legs, cell: legs.fan };
/** Moves whose chips carry a key and no type: work queues hold keys, not events. */
const keys = ['key', 'take', 'write'];
/**
 * Where the chip of a ride stands at a hop, by the hop's kind or else its stage: on the path of a move, at its beginning (0) or its end (1).
 * @type {Record<string, [string, number]>}
 */
const rests = {
  WireFrame: ['wire', 0], reflector: ['wire', 1], queue: ['store', 1], Popped: ['pop', 0], indexer: ['pop', 1],
  Distributed: ['fan', 0], Accepted: ['fan', 1], listener: ['next', 1], WorkAdded: ['key', 1], WorkDeduplicated: ['key', 1],
  WorkMarkedDirty: ['key', 1], controller: ['take', 1],
};
/** More chips than this are never on a layout at once. */
const most = 400;
/** How long a mark stays on a cell that changed, and a chip at its new place when motion is reduced, in ms. */
const markStays = 900;
const stillStays = 600;

export class Motion {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} holder as large as the layout's picture; the canvases are put into it
   */
  constructor(ctx, holder) {
    this.ctx = ctx;
    this.surface = new Surface(holder, () => this.ctx.scene.colour);
    /** @type {Plan} */
    this.plan = { size: 22, hero: 40, spacing: 30, counts: {} };
    this.contrast = false;
    this.light = false;
    /** @type {Token[]} */
    this.live = [];
    /** What is held, where it stands, by lane and stage. @type {Map<string, Token>} */
    this.standing = new Map();
    /** The change that is ridden, where the present hop has it. @type {Token | null} */
    this.rideToken = null;
    /** The large chips of the last animation frame, and whether one of them was on its way. @type {Token[]} */
    this.large = [];
    this.flies = false;
    /** @type {{x: number, y: number, kind: Kind, start: number}[]} */
    this.marks = [];
    this.dirty = false;
    this.drawnAt = -1;
    this.still = this.ctx.eye.still;
    /** What came in the last second, and how much of it is drawn in stacks. @type {{at: number, all: number, merged: number}[]} */
    this.log = [];
    /** Where counts stand in this animation frame. @type {{x: number, y: number, of: Token}[]} */
    this.counted = [];
    /** How strong a chip is at a place: what a step does not speak of recedes. @type {(x: number, y: number) => number} */
    this.strength = () => 1;
    /** Words that stand on a way, by their middle: what travels passes behind them. @type {{x: number, y: number, wide: number} | null} */
    this.words = null;
    /** Whether this layout is visible: a hidden one gets no moves and keeps none. */
    this.isVisible = false;
  }

  /** The time on the clock of the eye, in ms. */
  get time() {
    return this.ctx.eye.time;
  }

  /** This layout shows from now on, or another one does. @param {boolean} on */
  show(on) {
    if (on === this.isVisible) return;
    this.isVisible = on;
    this.clear();
  }

  /** Takes another layout. @param {Plan} plan @param {import('../draw/surface.js').Stretch[]} stretches where it can draw */
  lay(plan, stretches) {
    this.plan = plan;
    this.surface.lay(stretches);
    this.clear();
  }

  /** The size of a unit or the palette changed. @param {number} k device pixels per unit @param {number} css CSS pixels per unit */
  resize(k, css) {
    this.surface.resize(k, css);
    const on = document.documentElement.classList;
    this.contrast = on.contains('is-contrast');
    this.light = on.contains('is-light');
    this.dirty = true;
  }

  /** Takes everything off the ways at once: the view jumped, or another layout shows. */
  clear() {
    this.live.length = 0;
    this.standing.clear();
    this.marks.length = 0;
    this.log.length = 0;
    this.flies = false;
    this.dirty = true;
  }

  /**
   * Lets what was on its way run on in another layout, at the same times.
   * @param {Token[]} tokens
   * @param {(m: Move) => number[] | null} route as in `add`
   */
  resume(tokens, route) {
    for (const t of tokens) {
      const pts = t.move && route(t.move);
      if (!pts) continue;
      const size = t.hero ? this.plan.hero : this.plan.sizes?.[t.p] ?? this.plan.size;
      this.live.push({ ...t, pts, len: length(pts), size });
    }
  }

  /** Takes off what runs along some paths, which now lead elsewhere. @param {string[]} paths */
  drop(paths) {
    const before = this.live.length;
    this.live = this.live.filter((t) => !paths.includes(t.p));
    if (this.live.length !== before) this.dirty = true;
  }

  /** How many moves came within the last second, and how many of them are drawn in stacks. */
  tally() {
    this.prune();
    let all = 0;
    let merged = 0;
    for (const m of this.log) {
      all += m.all;
      merged += m.merged;
    }
    return { all, merged: Math.min(all, merged) };
  }

  /** @private */
  prune() {
    const from = performance.now() - 1000;
    let old = 0;
    while (old < this.log.length && this.log[old].at < from) old++;
    if (old) this.log.splice(0, old);
  }

  /**
   * Sends the moves of one frame along their ways.
   * @param {Move[]} moves
   * @param {(m: Move) => number[] | null} route the way of a move; null where the layout has none
   * @param {{lane?: string, label?: (m: Move) => string}} [o] what tells lanes apart, and the words on a chip
   */
  add(moves, route, { lane = '', label } = {}) {
    if (!this.isVisible || !moves.length) return;
    this.prune();
    const entry = { at: performance.now(), all: 0, merged: 0 };
    this.log.push(entry);
    const selected = this.ctx.selected();
    const { born } = this.ctx.eye;
    const alone = this.isAlone(moves);
    const least = () => Math.min(...moves.filter((m) => m.l && m.p !== 'take' && route(m)).map((m) => m.l ?? 0));
    const first = this.ctx.riding?.()?.listener ?? (alone || selected ? least() : 0);
    /** What was written, by key: it comes back to the informer, a lap later. */
    const wrote = new Map(moves.filter((m) => m.p === 'write').map((m) => [m.k, m.s]));
    for (const m of moves) {
      const pts = route(m);
      if (!pts) continue;
      const dur = this.durationOf(m.p);
      const key = m.k ?? '';
      const n = m.n ?? 1;
      const path = lane + m.p + (m.l ?? '');
      const words = label?.(m) ?? '';
      let start = this.still.matches ? this.time : born + departures[m.p] + (m.s > (wrote.get(m.k) ?? Infinity) ? lap : 0);
      entry.all += n;
      if (n > 1) entry.merged += n;
      const len = length(pts);
      // The selected object is never part of a stack: it can be followed all the way.
      const own = key !== '' && key === selected && n === 1;
      // Where the way forks, the large chip goes to the first listener. On the way back stand words, which it would cover.
      const hero = (own || (alone && !this.rideToken)) && !words && m.p !== 'write' && (!m.l || m.p === 'take' || m.l === first);
      const gap = dur * gapShare(len, words ? Math.max(this.plan.spacing, this.plan.size + 34) : this.plan.spacing);
      let into = own ? null : this.findNear(path, start, gap);
      if (into && words && into.label && this.live.length < 40) {
        // Changes that are compared have names, and follow one another.
        start = into.start + gap;
        into = null;
      }
      if (into) this.merge(into, m, n, entry);
      else if (own || this.live.length <= most) {
        this.live.push({
          p: m.p, path, pts, len, start, dur, key, label: words, n, versions: m.rv ? [m.rv] : [], mix: m.mix ?? null, hero,
          size: hero ? this.plan.hero : this.plan.sizes?.[m.p] ?? this.plan.size, from: this.startOf(lane, m), to: 1,
          move: m, neutral: keys.includes(m.p), kind: keys.includes(m.p) ? 'key' : kindOf(m.n && m.mix ? mainOp(m.mix) : m.o),
        });
        if (own && m.p === 'pop') this.toCell(m, route, start + dur);
      }
    }
    this.dirty = true;
  }

  /**
   * Whether the moves of a frame are those of one object, and no other is on its way: its chip can be large.
   * @param {Move[]} moves @private
   */
  isAlone(moves) {
    const key = moves[0].k;
    return !!key && moves.every((m) => m.k === key && !m.n) && this.live.every((t) => t.key === key && t.n === 1);
  }

  /** Where on its way a move begins: where it stood, if it was held. @param {string} lane @param {Move} m @private */
  startOf(lane, m) {
    for (const t of this.standing.values()) if (t.p === m.p && t.key === m.k && t.path === `${lane}${m.p}${m.l ?? ''}`) return t.to;
    return 0;
  }

  /**
   * Lets held changes stand before what holds them. Each stands on the way that it takes once it is released.
   * @param {import('../wire/types.js').HeldChange[]} held
   * @param {(m: Move) => number[] | null} route
   * @param {(h: import('../wire/types.js').HeldChange) => number[] | undefined} hold the place of the hold; undefined in the middle of the way
   * @param {string} [lane]
   */
  stand(held, route, hold, lane = '') {
    const were = this.standing;
    if (!held.length && !were.size) return;
    this.standing = new Map([...were].filter(([id]) => !id.startsWith(`${lane} `)));
    for (const h of this.isVisible ? held : []) {
      const p = h.stage === 'store' ? 'store' : 'next';
      const pts = route({ p, k: h.key, o: h.op, rv: h.rv, s: 0, ...(h.listener ? { l: h.listener } : {}) });
      if (!pts) continue;
      const id = `${lane} ${h.stage} ${h.listener ?? ''} ${h.key} ${h.rv}`;
      const len = length(pts);
      const size = this.plan.hero;
      const at = hold(h);
      const to = Math.max(0.05, at ? (Math.hypot(at[0] - pts[0], at[1] - pts[1]) - size / 2 - 6) / len : 0.5);
      const start = were.get(id)?.start ?? this.time;
      const dur = legs[p] * to;
      this.standing.set(id, {
        p, path: `${lane}${p}${h.listener ?? ''}`, pts, len, start, dur, key: h.key, label: '', n: 1, size, mix: null, neutral: false,
        kind: kindOf(h.op), versions: h.rv ? [h.rv] : [], hero: true, from: 0, to,
      });
      if (!were.has(id)) this.ctx.eye.keep(dur);
    }
    this.dirty ||= were.size !== this.standing.size || [...were.keys()].some((id) => !this.standing.has(id));
  }

  /**
   * Lets the change that is ridden stand where its present hop has it. On its way there from the hop before it is a chip as any other.
   * @param {import('../object/ride.js').Ride['position']} at null without a ride
   * @param {(m: Move) => number[] | null} route
   */
  ride(at, route) {
    const [p, u] = (at && (rests[at.furthest.kind] ?? rests[at.furthest.stage])) || ['', 0];
    /** @param {string} path @returns {Move} */
    const move = (path) => ({ p: path, k: at?.key, o: at?.op, rv: at?.rv, s: 0, ...(['fan', 'next', 'key'].includes(path) ? { l: at?.listener } : {}) });
    // On the phone a listener has a way to it alone.
    const pts = at && p ? route(move(p)) ?? route(move('fan')) : null;
    // The last stretch, or the first backwards: its end is where the chip stands.
    const end = !pts ? null : u ? pts.slice(-4) : [...pts.slice(2, 4), ...pts.slice(0, 2)];
    this.dirty ||= !areEqual(end ?? [], this.rideToken?.pts ?? []);
    this.rideToken = !at || !end ? null : {
      p, path: p, pts: end, len: length(end), start: 0, dur: 1, key: at.key, label: '', n: 1, size: this.plan.hero, mix: null, versions: [],
      neutral: keys.includes(p), kind: keys.includes(p) ? 'key' : kindOf(at.op), hero: true, from: 1, to: 1,
    };
  }

  /** How long a move takes, in ms of the eye's clock. @param {string} p @private */
  durationOf(p) {
    return this.still.matches ? stillStays : durations[p];
  }

  /** The chip of a path that one starting then would touch. @param {string} path @param {number} start @param {number} gap @private */
  findNear(path, start, gap) {
    const selected = this.ctx.selected();
    for (let i = this.live.length - 1; i >= 0; i--) {
      const t = this.live[i];
      if (t.path === path && Math.abs(t.start - start) < gap && (t.n > 1 || !t.key || t.key !== selected)) return t;
    }
    return null;
  }

  /** @param {Token} t @param {Move} m @param {number} n @param {{merged: number}} entry @private */
  merge(t, m, n, entry) {
    if (!t.mix) {
      t.mix = { [opOf(t.kind)]: t.n };
      if (t.n === 1) entry.merged++;
    }
    t.n += n;
    if (t.hero) {
      t.hero = false;
      t.size = this.plan.sizes?.[t.p] ?? this.plan.size;
    }
    if (m.rv) t.versions.push(m.rv);
    t.label = '';
    if (m.mix) for (const o in m.mix) t.mix[o] = (t.mix[o] ?? 0) + m.mix[o];
    else if (m.o) t.mix[m.o] = (t.mix[m.o] ?? 0) + 1;
    if (n === 1) entry.merged++;
    if (!t.neutral) t.kind = kindOf(mainOp(t.mix));
  }

  /**
   * The selected object goes on from the Indexer's node to its cell.
   * @param {Move} m
   * @param {(m: Move) => number[] | null} route
   * @param {number} start
   * @private
   */
  toCell(m, route, start) {
    const pts = route({ ...m, p: 'cell' });
    if (!pts) return;
    this.live.push({
      p: 'cell', path: 'cell', pts, len: length(pts), start, dur: this.durationOf('cell'), key: m.k ?? '', label: '', n: 1, versions: [], hero: false,
      from: 0, to: 1, size: this.plan.sizes?.cell ?? this.plan.size, mix: null, neutral: false, kind: kindOf(m.o),
    });
  }

  /**
   * A mark on a cell that just changed.
   * @param {number} x its middle, in units
   * @param {number} y
   * @param {Kind} kind
   */
  mark(x, y, kind) {
    if (!this.isVisible) return;
    this.marks = this.marks.filter((m) => m.x !== x || m.y !== y);
    this.marks.push({ x, y, kind, start: this.time });
    if (this.marks.length > 8) this.marks.shift();
    this.ctx.eye.keep(markStays);
    this.dirty = true;
  }

  /**
   * The chips that are on their way in this animation frame. `share` is the part of its path that a chip has come, and `n` is how many changes it
   * stands for.
   */
  chips() {
    return this.live.filter((c) => this.time >= c.start && this.time < c.start + c.dur)
      .map((c) => ({ path: c.path, key: c.key, versions: c.versions, share: (this.time - c.start) / c.dur, n: c.n }));
  }

  /** Draws one animation frame. Returns whether something has moved. @returns {boolean} */
  draw() {
    const { mode, speed } = this.ctx.model.view;
    const paused = mode === 'paused' && !this.ctx.eye.runs;
    const stands = this.time === this.drawnAt;
    this.drawnAt = this.time;
    if (stands && !this.dirty) return false;
    this.dirty = false;
    this.surface.wipe();
    this.surface.whole = mode === 'live' || speed >= 1;
    this.counted.length = 0;
    this.paintMarks();
    const still = this.still.matches;
    const named = (paused || (mode !== 'live' && speed <= 0.25 + 1e-9)) && this.live.length <= 24;
    const selected = this.ctx.selected();
    /** @type {Token[]} */
    const above = [];
    let left = 0;
    for (const t of this.live) {
      const u = (this.time - t.start) / t.dur;
      if (u >= 1) continue;
      this.live[left++] = t;
      if (u < 0) continue;
      if (t.hero || (selected && t.key === selected && t.n === 1)) above.push(t);
      else this.place(t, still ? 1 : t.from + (1 - t.from) * ease(u), named);
    }
    this.live.length = left;
    // What is followed is on top of everything else.
    for (const t of above) this.place(t, still ? 1 : t.from + (1 - t.from) * ease((this.time - t.start) / t.dur), true);
    for (const t of this.standing.values()) this.place(t, t.to * (still ? 1 : ease(Math.min(1, (this.time - t.start) / t.dur))), true);
    this.large = above.filter((t) => t.hero);
    this.flies = this.large.length > 0;
    this.large.push(...this.standing.values());
    const { rideToken } = this;
    if (rideToken && !this.large.some((t) => t.key === rideToken.key)) {
      this.place(rideToken, 1, true);
      this.large.push(rideToken);
    }
    this.surface.settle();
    return true;
  }

  /** @private */
  paintMarks() {
    let left = 0;
    for (const m of this.marks) {
      if (this.time - m.start > markStays) continue;
      this.marks[left++] = m;
      this.surface.drawOver('', m.x, m.y, () => {
        this.surface.field.cx.globalAlpha = this.strength(m.x, m.y);
        this.surface.mark(m.x, m.y, m.kind);
      });
    }
    this.marks.length = left;
  }

  /** Draws a chip on whichever canvases it is over. @param {Token} t @param {number} u @param {boolean} named @private */
  place(t, u, named) {
    const at = pointAlong(t, u);
    this.surface.drawOver(t.p, at.x, at.y, () => this.token(t, u, at, named));
  }

  /** @param {Token} t @param {number} u @param {Place} at @param {boolean} named @private */
  token(t, u, { x, y, dx, dy }, named) {
    const { surface } = this;
    const c = this.ctx.scene.colour;
    const selected = this.ctx.selected();
    const picked = selected !== '' && t.key === selected;
    const still = this.still.matches;
    const { words } = this;
    if (words?.wide && y === words.y && Math.abs(x - words.x) < (words.wide + t.size) / 2 + 3) return;
    const alpha = picked || t.hero ? 1 : this.strength(x, y);
    surface.field.cx.globalAlpha = alpha;
    const wide = Math.abs(dx) > 0.5 ? chipWidth(t.size, t.label) : t.size;
    let wake = false;
    if (!still && !this.contrast && t !== this.rideToken) {
      const full = wakeOf(t.size);
      const back = Math.min(full, u * t.len);
      wake = back === full;
      if (!wake && back > 2) drawWake(surface.units(), c[t.kind], x, y, dx, dy, wide / 2, back);
    }
    const straight = Math.abs(dx) > 0.9 ? [Math.sign(dx), 0] : [0, Math.sign(dy)];
    const [wx, wy] = wake ? straight : [0, 0];
    surface.chip(x, y, { kind: t.kind, size: t.size, stack: t.n > 1, label: t.label, dx: wx, dy: wy });
    if (picked || still) this.outline(x, y, chipWidth(t.size, t.label), t.size, picked && !this.light ? c.acc : c.t1);
    if (t.n > 1) {
      if (alpha === 1) this.counts(t, x, y, dx);
    } else if (t.hero) this.tag(t, x, y);
    else if (named && t.key) this.name(t, x, y, picked && !this.light ? c.acc : c.t1);
    surface.field.cx.globalAlpha = 1;
  }

  /** @param {number} x @param {number} y @param {number} wide @param {number} size @param {string} colour @private */
  outline(x, y, wide, size, colour) {
    const cx = this.surface.units();
    cx.lineWidth = 2.5;
    cx.strokeStyle = colour;
    cx.beginPath();
    cx.roundRect(x - wide / 2 - 3, y - size / 2 - 3, wide + 6, size + 6, 6);
    cx.stroke();
  }

  /**
   * How many a stack stands for, where the layout has room for it.
   * @param {Token} t
   * @param {number} x
   * @param {number} y
   * @param {number} dx
   * @private
   */
  counts(t, x, y, dx) {
    const at = this.plan.counts[t.p];
    if (!at || !dx || x < (at.from ?? 0) || x > (at.to ?? Infinity) || (at.y !== undefined && y !== at.y)) return;
    const words = '×' + count(t.n);
    const half = t.size / 2;
    const size = Math.round(t.size * 0.72);
    if (at.side === 'behind') {
      this.surface.count(words, size, x - half - 6, y + 5);
      return;
    }
    const over = at.over && this.ctx.model.hold(at.over.held) ? at.over : null;
    const line = over ? over.y : at.side === 'above' ? y - t.size - 4 : y + t.size + 10;
    // Where two lanes share a wire their chips overtake one another; of counts that would touch, the first one stands.
    if (this.counted.some((q) => q.of !== t && q.y === line && Math.abs(q.x - x) < t.size * 2)) return;
    this.counted.push({ x, y: line, of: t });
    this.surface.count(words, size, x + half, line);
    if (t.mix && at.side === 'below') this.strip(t.mix, x - half, line + 4, t.size);
  }

  /** The mix of a stack's types. @param {Record<string, number>} mix @param {number} x @param {number} y @param {number} w @private */
  strip(mix, x, y, w) {
    let total = 0;
    for (const o in mix) total += mix[o];
    let at = x;
    const cx = this.surface.units();
    for (const o of Object.keys(mix).sort((a, b) => mix[b] - mix[a])) {
      const part = (mix[o] / total) * w;
      cx.fillStyle = this.ctx.scene.colour[kindOf(o)];
      cx.fillRect(at, y, part, 3);
      at += part;
    }
  }

  /**
   * The name of a large chip: above it, below it where something else stands above, or between two stations near it of an upright rail.
   * @param {Token} t @param {number} x @param {number} y @private
   */
  tag(t, x, y) {
    const cx = this.surface.units();
    const c = this.ctx.scene.colour;
    // Beside a hold it leaves the words of the hold free, and at the listeners their names.
    const type = Math.max(12, Math.round(t.size * 0.28));
    cx.font = `${type}px ${c.mono}`;
    const upright = t.pts[0] === t.pts[t.pts.length - 2];
    // Beside an upright rail it has what the canvas leaves, where letters are 0.6 as wide as the type.
    const room = upright ? Math.floor((this.surface.right - x - t.size / 2 - 26) / (0.6 * type)) : 26;
    const words = middle(t.key, Math.min(room, ['fan', 'next', 'key', 'take'].includes(t.p) ? 12 : 26));
    const wide = cx.measureText(words).width + 16;
    const tall = type + 10;
    const over = t.to < 1 ? x + t.size / 2 - wide : x - wide / 2;
    const left = upright ? x + t.size / 2 + 6 : Math.max(4, Math.min(over, this.surface.right - wide - 4));
    // A number stands above the rail at the left end of its station, where these paths begin or end.
    const atNumber = t.p === 'wire' || t.p === 'key';
    const below = this.plan.nodes && (atNumber || Math.min(this.strength(left, y), this.strength(left + wide, y)) < 1);
    const gap = this.plan.between?.find((at) => Math.abs(at - y) <= 40) ?? y;
    const top = upright ? gap - tall / 2 : y + (below ? t.size / 2 + 6 : -t.size / 2 - tall - 6);
    cx.beginPath();
    cx.roundRect(left, top, wide, tall, 4);
    cx.fillStyle = c.raise;
    cx.fill();
    cx.lineWidth = 1;
    cx.strokeStyle = c[t.kind];
    cx.stroke();
    cx.textAlign = 'left';
    cx.fillStyle = c.t1;
    cx.fillText(words, left + 8, top + tall / 2 + type * 0.35);
  }

  /**
   * The key of a chip, while few enough move slowly enough to be read.
   * @param {Token} t
   * @param {number} x
   * @param {number} y
   * @param {string} colour
   * @private
   */
  name(t, x, y, colour) {
    const at = this.plan.names?.[t.p];
    if (!at) return;
    const cx = this.surface.units();
    const c = this.ctx.scene.colour;
    cx.font = `12px ${c.mono}`;
    cx.textAlign = 'center';
    cx.lineWidth = 6;
    cx.lineJoin = 'round';
    cx.strokeStyle = c.bg;
    const words = middle(t.key, 15);
    const middleX = Math.max(at.min, Math.min(x, at.max));
    const line = at.side === 'above' ? y - 18 : y + 28;
    cx.strokeText(words, middleX, line);
    cx.fillStyle = colour;
    cx.fillText(words, middleX, line);
  }
}

/** @param {Kind} kind */
function opOf(kind) {
  return { add: 'Added', upd: 'Updated', del: 'Deleted', rep: 'Replaced', syn: 'Sync', bmk: 'Bookmark', key: '', err: 'ERROR' }[kind];
}

/** @param {number[]} p */
function length(p) {
  let n = 0;
  for (let i = 2; i < p.length; i += 2) n += Math.hypot(p[i] - p[i - 2], p[i + 1] - p[i - 1]);
  return n;
}

/** Where a chip is, and which way it goes. @typedef {{x: number, y: number, dx: number, dy: number}} Place */

/** @param {Token} t @param {number} u how much of its way it has come @returns {Place} */
function pointAlong(t, u) {
  const p = t.pts;
  let rest = u * t.len;
  for (let i = 2; i < p.length; i += 2) {
    const dx = p[i] - p[i - 2];
    const dy = p[i + 1] - p[i - 1];
    const d = Math.hypot(dx, dy) || 1;
    if (rest <= d || i === p.length - 2) return { x: p[i - 2] + (dx * rest) / d, y: p[i - 1] + (dy * rest) / d, dx: dx / d, dy: dy / d };
    rest -= d;
  }
  return { x: p[0], y: p[1], dx: 1, dy: 0 };
}

/** @type {Map<number, number>} */
const gaps = new Map();

/**
 * The share of its time by which a chip must be ahead of the next one, so that the two never overlap on a way of this length. The curve is
 * slowest at its end, where chips come closest.
 * @param {number} len
 * @param {number} spacing
 */
function gapShare(len, spacing) {
  const id = Math.round(len) * 1000 + spacing;
  let g = gaps.get(id);
  if (g === undefined) {
    const far = Math.max(0.05, 1 - spacing / Math.max(spacing + 1, len));
    let u = 0;
    while (u < 1 && ease(u) < far) u += 0.02;
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
