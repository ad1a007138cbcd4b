// @ts-check
// The overview of the log: how much happened when, the marks, the play head and the live edge. It can be dragged to any moment that the log still has.
import { attr, h, put, s, show } from '../kit/dom.js';
import { clock } from '../kit/format.js';
import { areEqual } from '../kit/same.js';
import { isRecording, Span } from '../kit/span.js';
import { forgottenTime } from './forgotten.js';
import { hasHalt, look } from '../wire/marks.js';
import '../kit/words-time.js';

/** The most marks that are drawn, and how near to each other, in units. */
const mostMarks = 200;
const apart = 9;

/**
 * The size of an overview, in CSS pixels: as wide as there is room. Its moments lie `left` from both ends. Its bars stand on `base` and are at most `high`,
 * and the head rises `rise` above them. `least` is the shortest time that the whole of it covers, in ms.
 * @typedef {{h: number, left: number, base: number, high: number, rise: number, least: number}} TimeBox
 */

export class Timeline {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} parent
   * @param {TimeBox} box
   * @param {string} cls
   */
  constructor(ctx, parent, box, cls) {
    this.ctx = ctx;
    /** @type {TimeBox & {w: number, edge: number}} */
    this.box = { ...box, w: 600, edge: 600 - box.left };
    this.root = h('div', { class: cls, role: 'slider', tabindex: 0 });
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'layer' }));
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.svg = s('svg', { class: 'layer' });
    this.root.append(this.canvas, this.svg);
    parent.append(this.root);
    const { left, base, rise, high } = box;
    const top = base - rise;
    this.line = s('path', { d: '', class: 'axis' });
    // The time that the log has dropped, and where the log begins.
    this.forgotten = forgottenTime(left, { top: base - high, tall: high, over: 6, under: 0 });
    this.marksG = s('g');
    this.head = s('g', {}, s('path', { d: `M0 ${top}V${Math.min(box.h, base + 6)}`, class: 'ph' }),
      s('path', { d: `M-7 ${top}h14v7l-7 7l-7 -7z`, class: 'phh' }));
    this.liveEdge = s('path', { d: `M0 ${top}V${base}`, class: 'lv' });
    this.svg.append(this.line, this.forgotten.el, this.marksG, this.liveEdge, this.head);
    /** @type {{line: SVGElement, title: SVGElement}[]} */
    this.marks = [];
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
    this.span = new Span(this.box);
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

  /** @param {PointerEvent} e @private */
  seekTo(e) {
    const place = this.root.getBoundingClientRect();
    const x = ((e.clientX - place.left) / place.width) * this.box.w;
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
    const { box, canvas } = this;
    const k = devicePixelRatio || 1;
    box.w = this.root.clientWidth || box.w;
    box.edge = box.w - box.left;
    attr(this.svg, 'viewBox', `0 0 ${box.w} ${box.h}`);
    attr(this.line, 'd', `M${box.left} ${box.base + 0.5}H${box.edge}`);
    canvas.width = Math.round(box.w * k);
    canvas.height = Math.round(box.h * k);
    this.barsOf = [];
    this.marksOf = [];
  }

  paint() {
    const { ctx: { model: m, t, scene }, span } = this;
    const now = this.target ?? m.momentAt(performance.now());
    const live = m.view.mode === 'live';
    const head = span.see(m, performance.now());
    const { first, from, total } = span;
    const any = m.any && m.view.head > 0;
    show(this.head, any);
    show(this.liveEdge, any && !live);
    const hx = span.x(live ? head : now);
    attr(this.liveEdge, 'transform', `translate(${span.x(head).toFixed(1)} 0)`);
    attr(this.head, 'transform', `translate(${hx.toFixed(1)} 0)`);
    this.forgotten.set(any && first > 0, span.x(first));
    attr(this.root, 'aria-label', t('tl.label'));
    attr(this.root, 'aria-valuemin', Math.floor(first / 1000));
    attr(this.root, 'aria-valuemax', Math.round(head / 1000));
    attr(this.root, 'aria-valuenow', Math.round(now / 1000));
    const newest = t(isRecording(this.ctx) ? 'tl.end' : m.isSure() ? 'tl.live' : 'tl.now');
    attr(this.root, 'aria-valuetext', live ? newest : clock(now).replace(/\.\d+$/, ''));
    // At the live edge nothing lies behind the head, and the newest bar may grow in steps of its own time.
    const barsOf = [m.epoch, from, total, live ? '' : Math.round(hx * 2), scene.colour.t3];
    const clockNow = performance.now();
    if (!areEqual(barsOf, this.barsOf) || (m.binsVersion !== this.binsDrawn && (!live || clockNow - this.drawnAt > m.binMillis))) {
      this.barsOf = barsOf;
      this.binsDrawn = m.binsVersion;
      this.drawnAt = clockNow;
      this.bars(live ? Infinity : hx);
    }
    const marksOf = [m.marks.length, m.marks[m.marks.length - 1]?.seq, from, total, t('tl.live')];
    if (!areEqual(marksOf, this.marksOf)) {
      this.marksOf = marksOf;
      this.layMarks();
    }
  }

  /** Goes to the next mark, or the previous one when direction is negative. @param {number} direction */
  mark(direction) {
    const { ctx } = this;
    if (hasHalt(ctx.model.marks, ctx.model.view.seq, direction)) return ctx.act('mark', direction);
    // The view may have moved since the last frame, so the worker decides whether there is none.
    return ctx.call('mark', direction).catch(() => ctx.say(ctx.t(direction > 0 ? 'tl.noMarkFwd' : 'tl.noMarkBack')));
  }

  /** @param {number} hx where the head is: what is right of it comes later @private */
  bars(hx) {
    const { pen, span, box: { left: start, edge, base, high }, ctx: { model: m, scene: { colour: c } } } = this;
    const k = devicePixelRatio || 1;
    const contrast = document.documentElement.classList.contains('is-contrast');
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const perBin = (m.binMillis / span.total) * (edge - start);
    // From the bin in which the log begins on.
    const skip = Math.max(0, Math.floor(span.first / m.binMillis) - m.binFrom);
    const wide = perBin >= 2.5;
    const heights = wide ? m.bins.slice(skip) : meanOf(m.bins.slice(skip), perBin);
    const step = wide ? perBin : 1;
    const left = span.x((m.binFrom + skip) * m.binMillis);
    const top = heights.reduce((most, n) => Math.max(most, n ?? 0), 4);
    heights.forEach((n, i) => {
      if (!n) return;
      const x = left + i * step;
      const x0 = Math.round(Math.max(start, x) * k);
      const x1 = Math.max(x0 + 1, Math.round((x + (wide ? step * 0.75 : 1)) * k));
      pen.fillStyle = x < hx ? (contrast ? c.t1 : c.t3) : contrast ? c.line : c.h1;
      const y0 = Math.round((base - Math.max(1, high * Math.sqrt(n / top))) * k);
      pen.fillRect(x0, y0, x1 - x0, Math.round(base * k) - y0);
    });
  }

  /** @private */
  layMarks() {
    const { ctx: { t, model }, box: { base }, marks } = this;
    let used = 0;
    let last = -Infinity;
    for (const mark of model.marks) {
      const drawn = look(mark, t);
      const x = this.span.x(mark.atMillis);
      if (!drawn || x - last < apart || used === mostMarks) continue;
      last = x;
      if (!marks[used]) {
        const title = s('title');
        const line = s('path', {}, title);
        this.marksG.append(line);
        marks.push({ line, title });
      }
      const { line, title } = marks[used++];
      show(line, true);
      attr(line, 'd', `M${x.toFixed(1)} ${base - 34}V${base}`);
      attr(line, 'class', drawn.line);
      put(title, mark.text || drawn.say);
    }
    for (const { line } of marks.slice(used)) show(line, false);
  }
}

/** The mean of bins in one column a unit, so a longer log keeps its shape. @param {number[]} bins @param {number} perBin how many units one is wide */
function meanOf(bins, perBin) {
  const sums = new Array(Math.ceil(bins.length * perBin)).fill(0);
  const counts = sums.slice();
  bins.forEach((n, i) => {
    const column = Math.floor(i * perBin);
    sums[column] += n ?? 0;
    counts[column]++;
  });
  return sums.map((sum, i) => (counts[i] ? sum / counts[i] : 0));
}
