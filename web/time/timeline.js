// @ts-check
// The timeline: how much happened when, the marks, the play head and the live edge. It can be dragged to any moment that
// the log still has. While an object is selected it shows that object's journey, and marks are its hops.
import { attr, h, s, show, text } from '../kit/dom.js';
import { forgottenTime } from './forgotten.js';
import { clock, exact, middle, moment } from '../kit/format.js';
import { width } from '../kit/measure.js';
import { kindOf } from '../kit/glyphs.js';
import { hasHalt, look } from '../wire/marks.js';
import { areEqual } from '../kit/same.js';
import { isRecording, Span } from '../kit/span.js';
import '../kit/words-time.js';
import { nameOf } from '../kit/names.js';

/** Where words stand above the bars, in units. */
const wordsY = 10.5;
/** How many hops of the selected object are kept. */
const maxHops = 2000;

/** @typedef {import('../wire/types.js').Hop} Hop */

/**
 * A layout's timeline, in units of its own. Its moments lie between `left` and `edge`. Its bars stand on `base` and are at most `high`, and
 * the head rises `rise` above them. `least` is the shortest time that the whole timeline covers, in ms. A `bare` timeline has no words: no
 * axis, no names of marks, no journey.
 * @typedef {{
 *   w: number, h: number, left: number, edge: number, base: number, high: number, rise: number, least: number, bare: boolean
 * }} TimeBox
 */

export class Timeline {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} parent
   * @param {TimeBox} box
   * @param {string} [cls]
   */
  constructor(ctx, parent, box, cls = 'timeline') {
    this.ctx = ctx;
    this.box = box;
    this.root = h('div', { class: cls, role: 'slider', tabindex: 0 });
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'layer' }));
    this.cx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.svg = s('svg', { class: 'layer' });
    this.root.append(this.canvas, this.svg);
    parent.append(this.root);
    const { left, base, rise, high } = box;
    /** Device pixels per unit. */
    this.k = 1;
    this.line = s('path', { d: '', class: 'axis' });
    this.svg.append(this.line);
    /** @type {{tick: SVGElement, t: import('../kit/dom.js').Txt}[]} */
    this.ticks = [];
    // The time that the log has dropped, and where the log begins.
    this.forgotten = forgottenTime(left, { top: base - high, tall: high, over: 6, under: box.bare ? 0 : 6 });
    this.goneText = text(this.svg, 0, wordsY, 'l3');
    this.way = s('g', {}, s('path', { d: '', class: 'jb' }), s('path', { d: '', class: 'jl' }), s('path', { d: '', class: 'jl ahead' }));
    this.marksG = s('g');
    this.svg.append(this.forgotten.el, this.way, this.marksG);
    /** @type {{g: SVGElement, line: SVGElement, icon: SVGElement, t: import('../kit/dom.js').Txt}[]} */
    this.marks = [];
    const headTop = base - rise;
    this.head = s('g', {}, s('path', { d: `M0 ${headTop}V${Math.min(box.h, base + 6)}`, class: 'ph' }),
      s('path', { d: `M-7 ${headTop}h14v7l-7 7l-7 -7z`, class: 'phh' }));
    this.liveEdge = s('path', { d: `M0 ${headTop}V${base}`, class: 'lv' });
    this.svg.append(this.liveEdge, this.head);
    // A bare one has no room for words: they go into a group that is not on the page.
    const words = box.bare ? s('g') : this.svg;
    this.ahead = text(words, 1191, 32, 'n20');
    this.aheadWhy = text(words, 1191, 50, 'l');
    this.empty = text(words, 640, 46, 'c14', 'middle');
    /** What the bars and the marks were drawn of. @type {unknown[]} */
    this.barsOf = [];
    this.binsDrawn = -1;
    this.drawnAt = 0;
    /** @type {unknown[]} */
    this.marksOf = [];
    this.dragging = false;
    this.busy = false;
    /** @type {number | null} */
    this.target = null;
    /** @type {number | null} */
    this.wanted = null;
    this.span = new Span(box);
    /** The hops of the selected object that are known, by time. @type {Hop[]} */
    this.hops = [];
    this.hopsOf = '';
    this.hopsVersion = 0;
    this.hopsSeq = -1;
    this.hopsAt = -1e9;
    this.hopsBusy = false;
    this.title = text(words, left, wordsY, 'l t1');
    this.root.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || !ctx.model.any) return;
      this.root.setPointerCapture(e.pointerId);
      this.dragging = true;
      this.seekTo(e);
    });
    this.root.addEventListener('pointermove', (e) => this.dragging && this.seekTo(e));
    const stop = () => {
      this.dragging = false;
      this.target = null;
    };
    this.root.addEventListener('pointerup', stop);
    this.root.addEventListener('pointercancel', stop);
  }

  /** @param {number} ms */
  x(ms) {
    return this.span.x(ms);
  }

  /** @param {PointerEvent} e @private */
  seekTo(e) {
    const place = this.root.getBoundingClientRect();
    const { w } = this.box;
    const x = ((e.clientX - place.left) / place.width) * w;
    const ms = Math.max(this.span.first, this.span.millisAt(x));
    const head = this.ctx.model.view.headMillis;
    // Past the live edge is the live edge.
    this.wanted = ms >= head ? -1 : ms;
    this.target = Math.min(ms, head);
    this.send();
  }

  /** One seek at a time; the newest wish follows. @private */
  async send() {
    if (this.busy || this.wanted === null) return;
    this.busy = true;
    const ms = this.wanted;
    this.wanted = null;
    await (ms < 0 ? this.ctx.act('live') : this.ctx.act('seekTime', Math.round(ms)));
    this.busy = false;
    this.send();
  }

  resize() {
    const { box } = this;
    if (box.bare) {
      // Its units are CSS pixels: it is as wide as there is room.
      box.w = this.root.clientWidth || box.w;
      box.edge = box.w - box.left;
    }
    const k = (this.k = box.bare ? devicePixelRatio || 1 : this.ctx.scene.k);
    attr(this.svg, 'viewBox', `0 0 ${box.w} ${box.h}`);
    attr(this.line, 'd', `M${box.left} ${box.base + 0.5}H${box.bare ? box.edge : 1264}`);
    this.canvas.width = Math.round(box.w * k);
    this.canvas.height = Math.round(box.h * k);
    this.barsOf = [];
    this.marksOf = [];
  }

  paint() {
    const m = this.ctx.model;
    const { t } = this.ctx;
    const v = m.view;
    const now = this.target ?? m.momentAt(performance.now());
    const live = v.mode === 'live';
    const head = this.span.see(m, performance.now());
    const { first, from, total } = this.span;
    const any = m.any && v.head > 0;
    this.empty.set(any ? '' : t('tl.empty'));
    show(this.head, any);
    show(this.liveEdge, any && !live);
    const sure = m.isSure();
    const ended = isRecording(this.ctx);
    const newest = t(ended ? 'tl.end' : sure ? 'tl.live' : 'tl.now');
    if (any && !live) this.ahead.bind({ view: v }, 'n=count view.behind', 't tl.behind');
    else this.ahead.set(any ? newest : '');
    this.follow();
    const edge = this.x(head);
    const hx = this.x(live ? head : now);
    attr(this.liveEdge, 'transform', `translate(${edge.toFixed(1)} 0)`);
    attr(this.head, 'transform', `translate(${hx.toFixed(1)} 0)`);
    const lx = Math.min(edge + 11, 1193);
    this.ahead.moveTo(lx, 32);
    const quiet = live && (m.isDown() || !sure);
    this.aheadWhy.moveTo(lx, 50).set(!any ? '' : live ? (quiet ? t('tl.nothing') : '') : t(ended ? 'tl.toEnd' : 'tl.toLive'));
    this.paintGone(any ? first : 0);
    this.paintWay(any, hx);
    attr(this.root, 'aria-label', t('tl.label'));
    attr(this.root, 'aria-valuemin', Math.floor(first / 1000));
    attr(this.root, 'aria-valuemax', Math.round(head / 1000));
    attr(this.root, 'aria-valuenow', Math.round(now / 1000));
    attr(this.root, 'aria-valuetext', live ? newest : clock(now).replace(/\.\d+$/, ''));
    this.axis(any ? total : 0);
    // At the live edge nothing lies behind the head, and the newest bar may grow in steps of its own time.
    const selected = this.ctx.selected() !== '';
    const barsOf = [m.epoch, selected, from, total, live ? '' : Math.round(hx * 2), this.k, this.ctx.scene.colour.t3];
    const clockNow = performance.now();
    if (!areEqual(barsOf, this.barsOf) || (m.binsVersion !== this.binsDrawn && (!live || clockNow - this.drawnAt > m.binMillis))) {
      this.barsOf = barsOf;
      this.binsDrawn = m.binsVersion;
      this.drawnAt = clockNow;
      this.bars(live ? Infinity : hx);
    }
    const { marks } = m;
    const marksOf = [marks.length, marks[marks.length - 1]?.seq, this.hopsOf, this.hopsVersion, from, total, t('tl.live')];
    if (!areEqual(marksOf, this.marksOf)) {
      this.marksOf = marksOf;
      if (selected && !this.box.bare) this.layHops();
      else this.layMarks();
    }
  }

  /** Asks for the selected object's journey when the view has moved, at most twice a second. @private */
  follow() {
    const m = this.ctx.model;
    const key = this.ctx.selected();
    const id = `${m.epoch}|${key}`;
    if (id !== this.hopsOf) {
      this.hopsOf = id;
      this.hops = [];
      this.hopsVersion++;
      this.hopsSeq = -1;
      this.hopsAt = -1e9;
    }
    let old = Math.max(0, this.hops.length - maxHops);
    while (old < this.hops.length && this.hops[old].seq < m.view.first) old++;
    if (old) {
      this.hops.splice(0, old);
      this.hopsVersion++;
    }
    const clockNow = performance.now();
    if (this.box.bare || !key || this.hopsBusy || m.view.seq === this.hopsSeq || clockNow - this.hopsAt < 500) return;
    this.hopsBusy = true;
    this.hopsSeq = m.view.seq;
    this.hopsAt = clockNow;
    this.ctx.call('object', key).then(
      (/** @type {import('../wire/types.js').ObjectView} */ o) => {
        this.hopsBusy = false;
        if (id !== this.hopsOf) return;
        const known = new Set(this.hops.map((x) => x.seq));
        const fresh = [...(o.journey ?? []), ...(o.ahead ?? [])].filter((x) => !x.lane && !known.has(x.seq));
        if (!fresh.length) return;
        this.hops = [...this.hops, ...fresh].sort((a, b) => a.seq - b.seq);
        this.hopsVersion++;
      },
      () => {
        // Before it existed, and after its events were dropped, there is no such object; the known hops stay.
        this.hopsBusy = false;
      },
    );
  }

  /** The hop that the view has come to: its place among the known ones, -1 before the first. @private */
  hopNow() {
    const seq = this.ctx.model.view.seq;
    let i = this.hops.length - 1;
    while (i >= 0 && this.hops[i].seq > seq) i--;
    return i;
  }

  /**
   * Goes to the next mark, or the previous one when direction is negative; along the selected object's journey there are
   * its hops.
   * @param {number} direction
   */
  mark(direction) {
    const { ctx } = this;
    const key = ctx.selected();
    const seq = ctx.model.view.seq;
    if (!key || !this.hops.length) {
      if (hasHalt(ctx.model.marks, seq, direction)) return ctx.act('mark', direction);
      // The view may have moved since the last frame, so the worker decides whether there is none.
      return ctx.call('mark', direction).catch(() => ctx.say(ctx.t(direction > 0 ? 'tl.noMarkFwd' : 'tl.noMarkBack')));
    }
    const now = this.hopNow();
    const to = direction > 0 ? this.hops[now + 1] : this.hops[now >= 0 && this.hops[now].seq === seq ? now - 1 : now];
    if (to) return ctx.act('seek', to.seq);
    return ctx.say(ctx.t('tl.noHop', { key: middle(key, 40) }));
  }

  /** @param {number} first @private */
  paintGone(first) {
    const x = this.x(first);
    const { bare } = this.box;
    this.forgotten.set(first > 0, x);
    if (first <= 0) return this.goneText.show(false);
    this.goneText.show(!bare && !this.ctx.selected());
    return this.goneText.moveTo(x, wordsY).set(this.ctx.t('tl.begins'), this.ctx.t('tl.beginsWhy'));
  }

  /** The way of the selected object: come so far, and known to come. @param {boolean} any @param {number} hx @private */
  paintWay(any, hx) {
    const { t } = this.ctx;
    const key = this.box.bare ? '' : this.ctx.selected();
    const n = any && key ? this.hops.length : 0;
    show(this.way, n > 0);
    this.title.show(any && key !== '');
    if (!n) {
      if (key) this.title.set(`${t('tl.journey', { key: middle(key, 44) })} · ${t(this.hopsBusy ? 'tl.looking' : 'tl.noHops')}`, key);
      return;
    }
    const x0 = this.x(this.hops[0].atMillis);
    const x1 = this.x(this.hops[n - 1].atMillis);
    const mid = Math.max(x0, Math.min(hx, x1));
    const [band, done, ahead] = this.way.children;
    const { base } = this.box;
    const so = `M${x0.toFixed(1)} ${base}H${Math.max(mid, x0 + 1).toFixed(1)}`;
    attr(band, 'd', so);
    attr(done, 'd', so);
    attr(ahead, 'd', x1 > mid + 1 ? `M${(mid + 4).toFixed(1)} ${base}H${x1.toFixed(1)}` : '');
    const i = this.hopNow();
    const stage = this.hops[i]?.stage ?? '';
    const hop = () => t('tl.hop', { i: exact(i + 1), n: exact(n), station: nameOf(stage) });
    const where = i < 0 ? t('tl.hops', { n: exact(n) }) : hop();
    this.title.set(`${t('tl.journey', { key: middle(key, 44) })} · ${where}`, key);
  }

  /** Marks where something happened to the selected object; what struck in one place is one mark. @private */
  layHops() {
    let used = 0;
    let last = -1e9;
    for (let i = 0; i < this.hops.length && used < 200; i++) {
      const x = this.x(this.hops[i].atMillis);
      if (x - last < 13) continue;
      // The delta type of what begins here: the first hop that names one.
      let op = '';
      for (let j = i; j < this.hops.length && !op && this.x(this.hops[j].atMillis) - x < 13; j++) op = this.hops[j].op ?? '';
      const kind = kindOf(op);
      const o = this.mk(used++);
      this.dress(o, { icon: 'g-' + kind, cls: 'gl k-' + kind, line: 'mk-l', words: '', size: 11, say: '', id: '' }, x, this.box.base - 32);
      show(o.icon, true);
      put(o.icon, x - 5.5, 18, 11);
      o.t.set('', '');
      last = x;
    }
    for (let i = used; i < this.marks.length; i++) show(this.marks[i].g, false);
  }

  /** @param {number} total @private */
  axis(total) {
    const { left, edge, base, bare } = this.box;
    if (bare) return;
    const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600, 7200, 14400];
    const room = (90 * total) / 1000 / (edge - left);
    let step = steps.find((q) => q >= room) ?? 86400;
    while (step < room) step *= 2;
    let n = 0;
    const begin = Math.ceil(this.span.from / 1000 / step) * step;
    for (let sec = begin; total && n < 40 && this.x(sec * 1000) < edge - 10; sec += step) {
      let o = this.ticks[n];
      if (!o) {
        const tick = s('path', { d: `M0 ${base}V${base + 4}`, class: 'axis' });
        this.svg.append(tick);
        o = { tick, t: text(this.svg, 0, base + 16, 'l3') };
        this.ticks.push(o);
      }
      const x = this.x(sec * 1000);
      show(o.tick, true);
      attr(o.tick, 'transform', `translate(${x.toFixed(1)} 0)`);
      attr(o.t.el, 'text-anchor', x > left + 12 ? 'middle' : 'start');
      o.t.show(true).moveTo(x, base + 16).set(moment(sec * 1000));
      n++;
    }
    for (; n < this.ticks.length; n++) {
      show(this.ticks[n].tick, false);
      this.ticks[n].t.show(false);
    }
  }

  /** @param {number} hx @private */
  bars(hx) {
    const { cx } = this;
    const m = this.ctx.model;
    const { k } = this;
    const { left: start, edge, base, high } = this.box;
    const c = this.ctx.scene.colour;
    const contrast = document.documentElement.classList.contains('is-contrast');
    cx.setTransform(1, 0, 0, 1, 0, 0);
    cx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const perBin = (m.binMillis / this.span.total) * (edge - start);
    const wide = perBin >= 2.5;
    let top = 4;
    // From the bin in which the log begins on.
    const skip = Math.max(0, Math.floor(this.span.first / m.binMillis) - m.binFrom);
    const n = m.bins.length - skip;
    const left = this.x((m.binFrom + skip) * m.binMillis);
    /** @type {number[]} */
    let heights;
    let step;
    if (wide) {
      heights = skip ? m.bins.slice(skip) : m.bins;
      step = perBin;
    } else {
      // One column a unit; it shows the mean of its bins, so a longer log keeps its shape.
      const cols = Math.max(0, Math.ceil(n * perBin));
      heights = new Array(cols).fill(0);
      const share = new Array(cols).fill(0);
      for (let i = 0; i < n; i++) {
        const col = Math.floor(i * perBin);
        heights[col] += m.bins[skip + i] ?? 0;
        share[col]++;
      }
      for (let i = 0; i < cols; i++) if (share[i]) heights[i] /= share[i];
      step = 1;
    }
    for (let i = 0; i < heights.length; i++) if ((heights[i] ?? 0) > top) top = heights[i];
    // Beside a journey the rest is background.
    const quiet = this.ctx.selected() !== '';
    const bar = quiet ? (contrast ? c.line : c.h1) : contrast ? c.t1 : c.t3;
    const later = contrast ? c.line : quiet ? c.h0 : c.h1;
    for (let i = 0; i < heights.length; i++) {
      const v = heights[i];
      if (!v) continue;
      const x = left + i * step;
      const hgt = Math.max(1, high * Math.sqrt(v / top));
      const x0 = Math.round(Math.max(start, x) * k);
      const x1 = Math.max(x0 + 1, Math.round((x + (wide ? step * 0.75 : 1)) * k));
      cx.fillStyle = x < hx ? bar : later;
      const y0 = Math.round((base - hgt) * k);
      cx.fillRect(x0, y0, x1 - x0, Math.round(base * k) - y0);
    }
  }

  /** @private */
  layMarks() {
    const { t } = this.ctx;
    const { left, base, bare } = this.box;
    /** @type {{x: number, v: NonNullable<ReturnType<typeof look>>, m: import('../wire/types.js').Mark}[]} */
    const all = [];
    for (const m of this.ctx.model.marks) {
      const v = look(m, t);
      if (!v) continue;
      const x = this.x(m.atMillis);
      const last = all[all.length - 1];
      // What strikes again at once is one mark.
      if (last && last.v.id === v.id && x - last.x < 5) continue;
      all.push({ x, v, m });
    }
    let used = 0;
    /** Where each text was last written. @type {Map<string, number>} */
    const said = new Map();
    // The words of where the log begins have their place first.
    const { first } = this.span;
    let wordsEnd = first > 0 ? this.x(first) + width(t('tl.begins')) + 8 : -1e9;
    let lastShort = -1e9;
    for (let i = 0; i < all.length && used < 200; i++) {
      const { x, v, m } = all[i];
      const before = all[i - 1];
      let j = i + 1;
      while (j < all.length && (!all[j].v.say || (all[j].v.id === v.id && all[j].x - x < 160))) j++;
      const nextX = j < all.length ? all[j].x : 1e9;
      const icon = v.icon ? 14 : 0;
      const wide = icon + width(v.say);
      const repeats = bare || !v.say || x - (said.get(v.id) ?? -1e9) < 160;
      const right = x > wordsEnd && x + wide < 1174 && (nextX - x > wide + 8 || nextX - x < 14);
      const leftOf = !right && x - wide - 4 > Math.max(wordsEnd, left) && (!before || before.x < x - wide - 8);
      if (!repeats && (right || leftOf)) {
        const o = this.mk(used++);
        this.dress(o, v, x, base - 50);
        const start = right ? x : x - wide - 4;
        show(o.icon, !!v.icon);
        if (v.icon) put(o.icon, start - (v.size === 10 ? 0 : 1), wordsY - 4 - v.size / 2, v.size);
        o.t.cls(v.words).moveTo(start + icon, wordsY).set(v.say, m.text ?? '');
        said.set(v.id, x);
        wordsEnd = (right ? start + wide : x) + 8;
        lastShort = x;
      } else if (x - lastShort > 9) {
        const o = this.mk(used++);
        this.dress(o, v, x, base - 34);
        const size = Math.min(11, v.size);
        show(o.icon, !!v.icon && !bare);
        if (v.icon) put(o.icon, x - size / 2, base - 41 - size / 2, size);
        o.t.set('', '');
        lastShort = x;
      }
    }
    for (let i = used; i < this.marks.length; i++) show(this.marks[i].g, false);
  }

  /**
   * @param {{g: SVGElement, line: SVGElement, icon: SVGElement}} o
   * @param {NonNullable<ReturnType<typeof look>>} v
   * @param {number} x
   * @param {number} y
   * @private
   */
  dress(o, v, x, y) {
    show(o.g, true);
    attr(o.line, 'd', `M${x.toFixed(1)} ${y}V${this.box.base}`);
    attr(o.line, 'class', v.line);
    if (v.icon) {
      attr(o.icon, 'href', '#' + v.icon);
      attr(o.icon, 'class', v.cls);
    }
  }

  /** @param {number} i @private */
  mk(i) {
    let o = this.marks[i];
    if (!o) {
      const g = s('g');
      const line = s('path', { d: '' });
      const icon = s('use');
      g.append(line, icon);
      this.marksG.append(g);
      o = { g, line, icon, t: text(g, 0, wordsY, 'l') };
      this.marks.push(o);
    }
    return o;
  }
}

/** Puts an icon somewhere. @param {SVGElement} icon @param {number} x @param {number} y @param {number} size */
function put(icon, x, y, size) {
  attr(icon, 'x', x);
  attr(icon, 'y', y);
  attr(icon, 'width', size);
  attr(icon, 'height', size);
}
