// @ts-check
// The past of all rows on one canvas. Each row's columns are drawn once, into a strip of its own, and copied from there to where they stand now; what
// lasts, the causes and their words are drawn over them.
import { clock as clockWords, exact } from '../kit/format.js';
import { t } from '../kit/i18n.js';
import { width } from '../kit/measure.js';
import '../kit/words-past.js';
import { clusterPast } from '../rows/cluster-past.js';
import { handlerPast } from '../rows/handler-past.js';
import { informerPast } from '../rows/informer-past.js';
import { reflectorPast } from '../rows/reflector-past.js';
import { workPast } from '../rows/work-past.js';
import { drawAxis } from './axis.js';
import { writeBand } from './band.js';
import { drawActs, drawHolds, writeLists, writePiles } from './causes.js';
import { drawJourney, isLight } from './journey.js';
import { placeLabels } from './lettering.js';
import { writeLetters } from './letters.js';
import { Pen } from './pen.js';
import { bracketOf, heightOf, isFolded, pileAt, runsOf, topColumns, unitOf, unseenRuns } from './pile.js';
import { Strip } from './strip.js';

/** @typedef {import('../wire/past.js').Track} Track */
/** @typedef {import('./pen.js').Seat} Seat */
/** @typedef {import('./pile.js').Run} Run */
/** @typedef {import('./strip.js').Look} Look */

/** How a station's past differs from the others'. @typedef {{ticks: number, alpha: number, draw: (pen: Pen) => void}} Special */

const plain = { ticks: 15, alpha: 0.6, draw() {} };
/** @type {Record<string, Special>} */
const specials = { cluster: clusterPast, reflector: reflectorPast, handler: handlerPast, work: workPast, informer: informerPast };

/** The stations whose changes are those of a list; a key is not one. */
const lists = ['queue', 'indexer', 'handler'];
/** In a window shorter than so many ms all is over, and is what one looks at. */
const close = 100;

/**
 * In units: how wide a column is, and how high the bar of one that waits at most. Then how high a fold is, and what is free above a pile. The margin of
 * the canvas has the word over the rail. The last is for how many bars the cluster's row has room while a crowd lists.
 */
const size = { column: 2, bar: 8, fold: 22, free: 4, margin: 34, crowd: 12 };
/** The scale of piles takes so many ms to change, and grows only when there has been room for so long. */
const ease = 300;
const steady = 1000;
/** So many columns of a row are drawn in a new scale in each frame while it changes. */
const budget = 40;
/** With reduced motion the past moves so often, in ms. */
const rest = 1000;
/**
 * A past that takes so many ms to move by a unit is drawn in every second animation frame, unless something comes: it is asked for after so many ms. When
 * nothing has passed for a quarter of the window, what is left of it moves in fewer.
 */
const slow = { unit: 10, wait: 25, rest: 50 };

/** @param {number} wide @param {number} high */
const offscreen = (wide, high) => new OffscreenCanvas(Math.max(1, wide), Math.max(1, high));

export class Past {
  /**
   * @param {{
   *   model: {
   *     past: import('../wire/past.js').History, fork?: import('../wire/types.js').Fork | null,
   *     lane?: (lane: number) => {state: {fidelity: Record<string, import('../wire/types.js').Fidelity>, api: import('../wire/types.js').API}}
   *   }, scene: {colour: Record<string, string>}, attempt: import('../wire/page-types.js').Ctx['attempt'],
   *   storyTitle?: () => string
   * }} ctx
   * @param {HTMLCanvasElement} canvas
   * @param {{make?: typeof offscreen, still?: () => boolean}} [o] `make` makes the strips' pictures, `still` says whether motion is reduced
   */
  constructor(ctx, canvas, { make = offscreen, still } = {}) {
    this.ctx = ctx;
    this.canvas = canvas;
    this.cx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.make = make;
    const reduced = still ? null : matchMedia('(prefers-reduced-motion: reduce)');
    this.still = still ?? (() => reduced?.matches ?? false);
    /** In CSS pixels. */
    this.area = { x: 0, y: 0, w: 0, h: 0, k: 1 };
    this.dpr = 1;
    /** How many columns the window has. */
    this.columns = 0;
    /** Whether the moment at the rail is the newest; else words say which it is. */
    this.live = true;
    /** Whether something in the window moves as time passes. */
    this.moves = true;
    /** @type {Map<string, Seat>} */
    this.seats = new Map();
    /** @type {Map<string, Strip>} */
    this.strips = new Map();
    /** The piles of each row, as they were drawn last. @type {Map<string, Run[]>} */
    this.runs = new Map();
    /** When each row began, if that is in the window. @type {Map<string, number>} */
    this.births = new Map();
    /** Device pixels for each that waits, and what they were before, times so much; since when that changes, and since when there is room for more. */
    this.unit = 0;
    this.stretched = 1;
    this.changedAt = -Infinity;
    this.laidAt = -Infinity;
    this.roomSince = Infinity;
    /** What the canvas shows. */
    this.shown = { key: '', version: -1, moment: 0, movedAt: -Infinity, resets: -1, grids: -1, eases: false };
    this.recolour();
  }

  /**
   * Sets the place of the past.
   * @param {{x: number, y: number, w: number, h: number, k: number}} area in CSS pixels, its right end a little before the rail; above the rows it
   *   has 20 units for its words, below them as many; `k` are CSS pixels per unit
   * @param {number} dpr device pixels per CSS pixel
   * @returns how many columns it has, which is to be asked for
   */
  lay(area, dpr) {
    this.area = area;
    this.dpr = dpr;
    const { canvas } = this;
    const [w, h] = [Math.round((area.w + size.margin * area.k) * dpr), Math.round(area.h * dpr)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const px = (/** @type {number} */ n) => `${n}px`;
    Object.assign(canvas.style, { left: px(area.x), top: px(area.y), width: px(w / dpr), height: px(h / dpr) });
    this.unit = 0;
    this.recolour();
    this.columns = Math.max(1, Math.floor(this.right / this.wide));
    return this.columns;
  }

  /** Where the rail begins, and how wide a column is, in device pixels. */
  get right() {
    return Math.round(this.area.w * this.dpr);
  }

  get wide() {
    return Math.max(1, Math.round(size.column * this.kd));
  }

  /** How bright what is over is. */
  get over() {
    return this.columns * this.ctx.model.past.stepMillis < close ? 1 : 0.5;
  }

  /** Device pixels per unit. */
  get kd() {
    return this.area.k * this.dpr;
  }

  /** Takes the palette again: the theme changed. */
  recolour() {
    const { colour: c } = this.ctx.scene;
    const inks = [c.keys, c.add, c.upd, c.del, c.rep, c.syn, c.rep, c.syn, c.bmk];
    /** @type {Look} */
    this.look = { length: Math.ceil(this.right / this.wide) + 2, wide: this.wide, k: this.kd, inks, accent: c.acc, edge: isLight(c) ? c.t1 : '', band: c.t2 };
    this.shown.key = '';
  }

  /** The row at which the ridden change is; empty for none. */
  marked = '';

  /** Marks the followed change's dot in a row. @param {string} row its ID */
  mark(row) {
    if (row !== this.marked) this.shown.key = '';
    this.marked = row;
  }

  /** Sets the strip of each row, in the same pixels as the area. @param {Seat[]} rows */
  place(rows) {
    this.seats = new Map(rows.map((row) => [row.id, row]));
    this.shown.key = '';
  }

  /** The other clients of a lane's cluster, if it has any. @param {number} lane */
  crowdOf(lane) {
    return this.ctx.model.lane?.(lane).state.api.crowd;
  }

  /**
   * How high a row's piles are: of those that are drawn in the picture's measure, and whether there is one that is folded. The cluster's row opens for the
   * lists of its other clients.
   * @param {string} id
   */
  demand(id) {
    const runs = this.runs.get(id) ?? [];
    const row = this.ctx.model.past.row(id);
    const lists = row?.station === 'cluster' && this.crowdOf(row.lane)?.lists.requests.length ? size.crowd : 0;
    return { bars: Math.max(lists, ...runs.filter((run) => !run.folded).map((run) => run.highest)), folded: runs.some((run) => run.folded) };
  }

  /**
   * Paints the past of a moment.
   * @param {number} clock the page's, in ms
   * @param {number} nowMillis the moment at the rail, on the log's clock
   * @returns whether another frame is due even if time stands still
   */
  paint(clock, nowMillis) {
    const { past } = this.ctx.model;
    const { shown } = this;
    if (!past.stepMillis || !this.area.w) return false;
    if (!this.unit) this.laidAt = clock;
    if (past.resets !== shown.resets) {
      this.laidAt = clock;
      Object.assign(shown, { resets: past.resets, movedAt: -Infinity });
    }
    if (past.grids !== shown.grids) {
      for (const strip of this.strips.values()) strip.forget();
      shown.grids = past.grids;
    }
    this.moves = !this.live || !this.isEmpty(nowMillis);
    const moved = nowMillis !== shown.moment;
    if (moved && this.still() && clock - shown.movedAt < rest && clock >= shown.movedAt) return false;
    // A scale that changes has a last frame in which it stands; one that is to grow does so after a while.
    const easing = shown.eases || this.roomSince < Infinity;
    const offset = Math.round((nowMillis / past.stepMillis) * this.wide);
    // The words of what lasts have its length.
    const lasts = past.rows.some((r) => r.spans.some((s) => s.toMillis === null));
    const key = `${this.moves ? offset : ''} ${lasts ? Math.floor(nowMillis / 100) : 0} ${this.live}`;
    if (!easing && key === shown.key && past.version === shown.version) {
      // The same picture is that of a later moment.
      if (!this.moves) shown.moment = nowMillis;
      return false;
    }
    Object.assign(shown, { key, version: past.version, moment: nowMillis, movedAt: moved ? clock : shown.movedAt });
    this.draw(clock, nowMillis, offset);
    shown.eases = clock - this.changedAt < ease;
    return shown.eases || this.roomSince < Infinity;
  }

  /** Whether the picture is the same at each moment: nothing passed, began, ended or lasts in the window. @param {number} now @private */
  isEmpty(now) {
    const { past, fork } = this.ctx.model;
    const from = Math.floor(now / past.stepMillis) - this.columns - 1;
    const begin = from * past.stepMillis;
    if (past.first >= from || past.newest >= from || past.journey || (fork && fork.atMillis >= begin)) return false;
    return past.rows.every((row) => {
      if (row.station === 'cluster' && this.crowdOf(row.lane)?.lists.requests.length) return false;
      return row.spans.every((s) => (s.toMillis ?? Infinity) < begin);
    });
  }

  /**
   * In how many ms of the page's clock the past is drawn again: when it has moved by a pixel. Infinity while nothing in it moves.
   * @param {number} speed
   */
  stepOf(speed) {
    const { stepMillis, newest } = this.ctx.model.past;
    if (!this.moves) return Infinity;
    const calm = this.shown.moment / stepMillis - newest > this.columns / 4 ? slow.rest : slow.wait;
    const least = this.still() ? rest : stepMillis / size.column / speed < slow.unit ? 0 : calm;
    return Math.max(least, stepMillis / this.wide / speed) || Infinity;
  }

  /** @param {number} clock @param {number} now @param {number} offset of the moment on the grid of columns, in device pixels @private */
  draw(clock, now, offset) {
    const { past } = this.ctx.model;
    const { area, dpr, right, wide, cx, ctx: { scene: { colour } } } = this;
    const from = Math.floor((offset - right) / wide);
    const to = Math.max(from, Math.ceil(offset / wide) - 1);
    const step = past.stepMillis;
    const xOf = (/** @type {number} */ millis) => Math.round(right - offset + (millis / step) * wide) / dpr;
    const seatOf = (/** @type {string} */ station, /** @type {number} */ lane) => {
      const row = past.rows.find((r) => r.station === station && r.lane === lane);
      return row && this.seats.get(row.id);
    };
    const spansOf = (/** @type {string} */ station, /** @type {number} */ lane) => past.rows.find((r) => r.station === station && r.lane === lane)?.spans ?? [];
    this.measure(clock, from, to);
    cx.setTransform(1, 0, 0, 1, 0, 0);
    cx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    // The pen draws where the page has the rows, so the canvas is moved under it.
    const local = (/** @type {Seat} */ seat) => ({
      ...seat, y: seat.y - area.y,
      name: seat.name && /** @type {import('./lettering.js').Box} */ (seat.name.map((n, i) => n - (i % 2 ? area.y : area.x))),
    });
    const pen = new Pen(cx, {
      colour, k: area.k, right: right / dpr, now, step, dpr, begin: past.first * step, over: this.over, xOf,
      seatOf: (station, lane) => {
        const seat = seatOf(station, lane);
        return seat && local(seat);
      },
      spansOf, nameOf: (id) => past.rows.find((r) => r.station === 'handler' && r.listener === id)?.name ?? String(id),
      hasStory: !!this.ctx.storyTitle?.(), crowdOf: (lane) => this.crowdOf(lane),
    });
    this.drawGround(pen, local);
    for (const track of past.rows) {
      const seat = this.seats.get(track.id);
      if (!seat) continue;
      const labels = pen.labels.length;
      const whole = this.attempt(track, () => {
        pen.moveTo(track, local(seat));
        this.drawRow(pen, track, local(seat), from, to, offset, clock);
      });
      if (whole) continue;
      pen.labels.length = labels;
      cx.setTransform(dpr, 0, 0, dpr, 0, 0);
      cx.globalAlpha = 1;
      pen.say([t('past.broken')], [{ x: 6 * area.k, y: seat.y - area.y + seat.h - 6 * area.k, inside: true }], { colour: colour.err });
    }
    this.ctx.attempt('fork', () => this.drawFork(pen));
    this.ctx.attempt('journey', () => this.drawJourney(pen));
    this.write(pen);
  }

  /** Draws the way of the object that is followed. @param {Pen} pen @private */
  drawJourney(pen) {
    const { area, ctx: { model: { past } } } = this;
    const { journey } = past;
    if (journey) {
      const work = past.rows.find((r) => r.station === 'work');
      const feeder = past.rows.find((r) => r.station === 'handler' && r.lane === work?.lane && r.listener === work?.listener);
      drawJourney(pen, journey, (id) => {
        const seat = this.seats.get(id);
        return seat ? { y: seat.y - area.y + seat.h - 9 * area.k, station: past.row(id)?.station ?? '' } : null;
      }, feeder?.id, this.marked);
    }
  }

  /** Marks the moment at which the lanes of a fork begin to differ. @param {Pen} pen @private */
  drawFork(pen) {
    const { fork } = this.ctx.model;
    if (!fork) return;
    const seats = [...this.seats.values()];
    const [top, end] = [Math.min(...seats.map((s) => s.y)) - this.area.y, Math.max(...seats.map((s) => s.y + s.h)) - this.area.y];
    const x = pen.scene.xOf(fork.atMillis);
    if (x <= 0 || x > pen.right) return;
    pen.upright(x, top, end, pen.colour.acc, true);
    const places = [6, -90].map((aside) => ({ x: x + aside * pen.k, y: top + 6 * pen.k }));
    pen.say([t('past.fork')], places, { colour: pen.colour.acc, weight: 600, first: true });
  }

  /** Does something for a row, until the past is another. @param {Track} track @param {() => void} act @private */
  attempt(track, act) {
    const { attempt, model: { past } } = this.ctx;
    return attempt(`the past of ${track.id}, ${past.resets}`, act);
  }

  /** Finds the piles of all rows and their measure. @param {number} clock @param {number} from @param {number} to @private */
  measure(clock, from, to) {
    const { past } = this.ctx.model;
    const { kd } = this;
    const most = Math.max(1, Math.round(size.bar * kd));
    /** @type {{bars: number, room: number}[]} */
    const rows = [];
    for (const track of past.rows) {
      const seat = this.seats.get(track.id);
      /** @type {Run[]} */
      let runs = [];
      this.attempt(track, () => {
        runs = track.station === 'cluster' ? unseenRuns(track, past.stepMillis) : runsOf(track, from, to);
        this.births.set(track.id, track.spans.find((s) => s.kind === 'added')?.fromMillis ?? -Infinity);
      });
      this.runs.set(track.id, runs);
      if (!seat) continue;
      const room = this.roomOf(seat);
      let bars = 0;
      for (const run of runs) {
        if (!run.highest) continue;
        // What waits in an informer that is not open must not make the piles of the open one lower.
        run.folded = track.station === 'informer' ? run.highest * (this.unit || most) > room : isFolded(run, this.columns, this.unit || most, size.fold * kd);
        if (!run.folded) bars = Math.max(bars, run.highest);
      }
      rows.push({ bars, room });
    }
    const unit = unitOf(rows, most);
    const grows = unit > this.unit;
    if (!grows) this.roomSince = Infinity;
    else this.roomSince = Math.min(this.roomSince, clock);
    // Another past, or another place, has its scale at once: the rows may take some frames to find their heights.
    const settles = !this.unit || clock - this.laidAt < steady;
    if (unit !== this.unit && (settles || !grows || clock - this.roomSince >= steady)) {
      this.stretched = settles ? 1 : (this.unit * this.stretchAt(clock)) / unit;
      this.changedAt = settles ? -Infinity : clock;
      this.unit = unit;
      this.roomSince = Infinity;
    }
    for (const [id, runs] of this.runs) {
      const seat = this.seats.get(id);
      const fold = Math.min(size.fold * kd, seat ? this.roomOf(seat) : Infinity);
      for (const run of runs) if (run.highest) run.unit = run.folded ? Math.min(this.unit, fold / run.highest) : this.unit;
    }
  }

  /** How high the piles of a row may be, in device pixels. @param {Seat} seat @private */
  roomOf({ h, goal = h, foot = 18 * this.area.k }) {
    const { k } = this.area;
    return Math.max(Math.min(size.fold * k, h - foot - k), goal - foot - size.free * k) * this.dpr;
  }

  /** By how much piles are stretched while their scale changes. @param {number} clock @private */
  stretchAt(clock) {
    const part = Math.min(1, Math.max(0, (clock - this.changedAt) / ease));
    return this.stretched ** (1 - part * part * (3 - 2 * part));
  }

  /** What lies under the rows, and what the log does not have. @param {Pen} pen @param {(seat: Seat) => Seat} local @private */
  drawGround(pen, local) {
    const { cx, colour, k } = pen;
    const { dpr } = this;
    const seats = [...this.seats.values()].map(local);
    const [top, end] = [Math.min(...seats.map((s) => s.y)), Math.max(...seats.map((s) => s.y + s.h))];
    /** Where a row has its ground: one that began in the window is not there before. */
    const rows = seats.map(({ id, y, h }) => {
      const track = this.ctx.model.past.row(id);
      const from = pen.x(this.births.get(id) ?? -Infinity);
      return { y, h, from, open: this.demand(id).bars >= 3, line: track?.station !== 'reflector' };
    });
    cx.setTransform(dpr, 0, 0, dpr, 0, 0);
    drawAxis(cx, {
      colour, k, dpr, right: pen.right, columns: (this.columns * this.wide) / dpr, window: this.columns * this.ctx.model.past.stepMillis, top, end, rows,
      said: this.live ? null : clockWords(pen.now),
    });
    // The title is left of what is written over the rows, and what changes the window right of it.
    pen.marks.push([0, 0, 130 * k, top - 6 * k], [pen.right - 76 * k, 0, pen.right, top - 6 * k]);
    const begin = pen.x(pen.scene.begin);
    if (begin <= 0) return;
    pen.hatch(0, begin, top, end - top, colour.line, { apart: 14, wide: 1, origin: begin, alpha: 0.7 });
    pen.marks.pop();
    // Where names stand in the past, it would lie on one.
    if (seats.some((s) => s.name)) return;
    pen.say([t('past.unknown')], [{ x: 6 * k, y: top + 12 * k, end: begin - 4 * k, inside: true }], { colour: colour.t3 });
  }

  /**
   * @param {Pen} pen @param {Track} track @param {Seat} seat @param {number} from @param {number} to @param {number} offset @param {number} clock
   * @private
   */
  drawRow(pen, track, seat, from, to, offset, clock) {
    const { cx, dpr, right, wide, kd } = this;
    const special = specials[track.station] ?? plain;
    const runs = this.runs.get(track.id) ?? [];
    let strip = this.strips.get(track.id);
    if (!strip) this.strips.set(track.id, (strip = new Strip(this.make)));
    const room = track.station === 'cluster' ? 0 : Math.ceil(this.roomOf(seat));
    strip.lay(/** @type {Look} */ (this.look), room, special.ticks ? Math.ceil((special.ticks + 1) * kd) : 0);
    const alpha = this.ctx.scene.colour.rail === this.ctx.scene.colour.t1 ? 1 : special.alpha;
    // Where the name stands over the ticks they are lower.
    const most = Math.max(5, seat.name ? Math.min(special.ticks, seat.h / this.area.k - 12) : special.ticks);
    strip.draw(track, runs, from, to, { most, alpha, budget: clock - this.changedAt < ease ? budget : Infinity });
    const x = right - offset + from * wide;
    cx.setTransform(1, 0, 0, 1, 0, 0);
    const bright = seat.quiet ? 0.5 : 1;
    cx.globalAlpha = bright;
    strip.copy(cx, x, from, to + 1, right, { y: Math.round(pen.foot * dpr), h: seat.h * dpr, part: 'ticks' });
    // What waits now is bright, and what is over half as bright; folded piles keep their height while the scale changes.
    // Before the oldest of those that wait had come, all that waited has left.
    const oldest = Math.floor((track.oldestMillis ?? 0) / this.ctx.model.past.stepMillis);
    const live = runs.at(-1)?.live ? Math.max(runs[runs.length - 1].from, oldest) : to + 1;
    const foot = Math.round(pen.base * dpr);
    const measure = this.unit * this.stretchAt(clock);
    const pieces = [{ from, end: live, alpha: this.over }, { from: Math.max(from, live), end: to + 1, alpha: 1 }];
    for (const piece of pieces) {
      if (piece.from >= piece.end || !runs.length || track.station === 'cluster') continue;
      cx.globalAlpha = piece.alpha * bright;
      for (const zone of strip.zones(runs, piece.from, piece.end, (run) => (run.folded ? run.unit : measure))) {
        const h = (pen.base - pen.top) * dpr;
        strip.copy(cx, x + (zone.from - from) * wide, zone.from, zone.end, right, { y: foot, h, part: 'piles', stretch: zone.stretch });
      }
    }
    cx.globalAlpha = 1;
    cx.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.markPiles(pen, runs);
    this.drawBracket(pen, track, runs, from);
    special.draw(pen);
    drawHolds(pen);
    drawActs(pen);
    if (lists.includes(track.station)) writeLists(pen);
    writePiles(pen, runs);
    writeLetters(pen, runs, special.ticks && most);
    if (track.sampled) {
      const { fidelity } = this.ctx.model.lane?.(track.lane).state ?? {};
      writeBand(pen, runs, fidelity?.[track.station === 'queue' ? 'queue' : 'listeners.ring']?.why ?? '');
    }
  }

  /** Keeps words off the piles, a few columns at a time. @param {Pen} pen @param {Run[]} runs @private */
  markPiles(pen, runs) {
    const { dpr } = this;
    const step = this.ctx.model.past.stepMillis;
    for (const run of runs) {
      run.tops.forEach((high, i) => {
        const n = run.from + i * topColumns;
        pen.marks.push([pen.x(n * step), pen.base - (high * run.unit) / dpr, pen.x(Math.min(n + topColumns, run.to + 1) * step), pen.base]);
      });
    }
  }

  /** The scale of the piles, where one is high enough to need it. @param {Pen} pen @param {Track} track @param {Run[]} runs @param {number} from @private */
  drawBracket(pen, track, runs, from) {
    if (!runs.length) return;
    const { k, colour, cx } = pen;
    const unit = this.unit / this.dpr;
    const high = this.demand(track.id).bars * unit;
    if (high < 48 * k) return;
    const n = bracketOf(unit, 24 * k);
    // Above what is at the left end, where that is as high.
    const under = runs[0].from > from + 16 ? 0 : (Math.max(...runs[0].tops.slice(0, 3)) * runs[0].unit) / this.dpr;
    const y = pen.base - (under ? under + 6 * k : 0);
    if (y - n * unit < pen.top) return;
    pen.stroke([9 * k, y, 4 * k, y, 4 * k, y - n * unit, 9 * k, y - n * unit], colour.t3, 1.2);
    cx.fillStyle = colour.t3;
    cx.font = `400 ${12 * k}px ${colour.sans}`;
    cx.fillText(exact(n), 12 * k, y - (n * unit) / 2 + 4 * k);
    pen.marks.push([0, y - n * unit - 3 * k, 34 * k, y]);
  }

  /** Writes the words where there is a place for them. @param {Pen} pen @private */
  write(pen) {
    const { cx, colour, k } = pen;
    cx.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
    cx.globalAlpha = 1;
    const measure = (/** @type {string} */ words, /** @type {number} */ px, /** @type {number} */ weight) => width(words, `${weight} ${px}px`);
    for (const o of placeLabels(pen.labels, pen.marks, [0, 0, pen.right - 2 * k, this.area.h], measure)) {
      cx.font = `${o.weight} ${o.size}px ${colour.sans}`;
      if (!o.inside || o.ground) {
        // The lines of time end beside the words. To stroke the letters takes several times as long.
        cx.globalAlpha = o.ground ? 0.9 : 0.75;
        cx.fillStyle = colour.bg;
        cx.fillRect(o.x - 2 * k, o.y - o.size * 0.85, measure(o.words, o.size, o.weight) + 4 * k, o.size * 1.1);
        cx.globalAlpha = 1;
      }
      cx.fillStyle = o.colour;
      cx.fillText(o.words, o.x, o.y);
    }
  }

  /** Which moment is at a place, which may be before the log begins. @param {number} x in the same pixels as the area */
  millisAt(x) {
    const { area, shown, wide, dpr } = this;
    return shown.moment - (((area.x + area.w - x) * dpr) / wide) * this.ctx.model.past.stepMillis;
  }

  /** Where a moment is, in the same pixels as the area. @param {number} millis */
  xOf(millis) {
    const { area, shown, wide, dpr } = this;
    return area.x + area.w - ((shown.moment - millis) / this.ctx.model.past.stepMillis) * (wide / dpr);
  }

  /**
   * What is at a place of the page, for who points at it.
   * @param {number} x @param {number} y in the same pixels as the area
   * @returns {{
   *   row: Track, millis: number, column: number,
   *   what: {span?: import('../wire/past.js').Span, pile?: {place: number, op: number, of: number}, passes?: number[]}
   * } | null}
   */
  at(x, y) {
    const { past } = this.ctx.model;
    const { area, dpr } = this;
    const seat = [...this.seats.values()].find((s) => y >= s.y && y < s.y + s.h);
    const row = seat && past.row(seat.id);
    if (!row || !seat || x < area.x || x > area.x + area.w || !past.stepMillis) return null;
    const millis = this.millisAt(x);
    const column = Math.floor(millis / past.stepMillis);
    const base = seat.y + seat.h - (seat.foot ?? 18 * area.k);
    const pile = pileAt(row, column) ?? [];
    const unit = (this.runs.get(row.id)?.find((run) => run.from <= column && run.to >= column)?.unit ?? 0) / dpr;
    const place = unit ? Math.floor((base - y) / unit) : -1;
    const near = past.stepMillis * 2;
    const span = row.spans.findLast((s) => !['pile', 'letter'].includes(s.kind)
      && millis >= s.fromMillis - near && millis <= (s.toMillis ?? Infinity) + near);
    if (y < base && place >= 0 && place < heightOf(pile)) {
      let i = 0;
      for (let left = place - pile[1]; left >= 0; left -= pile[i + 1]) i += 2;
      return { row, millis, column, what: { pile: { place, op: pile[i], of: heightOf(pile) }, span } };
    }
    return { row, millis, column, what: { span, passes: row.columns.get(column)?.[1] } };
  }
}
