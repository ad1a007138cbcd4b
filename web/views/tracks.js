// @ts-check
// The stage whose rows are stations: what happened left of the rail, what is so right of it, and at the far right the cluster beside the store.
import '../kit/words-tracks.js';
import { attr, button, h, icon, put, reveal, s, text, show, Txt } from '../kit/dom.js';
import { capitalize } from '../kit/format.js';
import { laneNames } from '../kit/fork.js';
import { language } from '../kit/i18n.js';
import { width } from '../kit/measure.js';
import { stationOf } from '../kit/names.js';
import { areEqual } from '../kit/same.js';
import { parting } from '../rows/parting.js';
import { lastRead } from '../rows/read.js';
import { stations } from '../rows/index.js';
import { measureAlone, measureStage, seat } from '../stage/geometry.js';
import { headline } from '../stage/headline.js';
import { pairHead } from '../stage/pairhead.js';
import { Informers } from '../stage/informers.js';
import { Inside } from '../stage/inside.js';
import { KeyMarks } from '../stage/keymarks.js';
import { Past } from '../stage/past.js';
import { Peek } from '../stage/peek.js';
import { Pointer } from '../stage/pointer.js';
import { isStarved, Rail, railWidth } from '../stage/rail.js';
import { many, RowParts } from '../stage/rowparts.js';
import { Rows, seatOf } from '../stage/rows.js';
import { Scrub } from '../stage/scrub.js';
import { leadPath, treePath } from '../stage/tree.js';
import { Worlds } from '../stage/worlds.js';
import { closer, usual, Wheel, windowOf } from '../stage/zoom.js';
import { drawSteps, drawTime, sourceWords } from '../story/way.js';
import { Timeline } from '../time/timeline.js';

/** @typedef {import('../stage/rows.js').Band} Band */
/** @typedef {import('../rows/parts.js').About} About */

/** The rows of the stations, as steps of stories name those. @type {Record<string, string[]>} */
const rowsOf = {
  api: ['cluster', 'reflector'], reflector: ['reflector'], queue: ['queue'], indexer: ['indexer'], listeners: ['handler', 'fold'], controller: ['work'],
};
/** How many units a screen is wide in presenter mode, and how many the line at its foot. */
const largeWide = 1280 / 1.5;
const wayWide = 1280;
/** The overview of the log, as wide as there is room. */
const overview = { h: 44, left: 6, base: 40, high: 26, rise: 36, least: 10e3 };
/** How often a light that fades is drawn, in ms: it has four steps. */
const lightMillis = 50;

export class Tracks {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('../story/stories.js').Stories} stories
   */
  constructor(ctx, app, stories) {
    this.ctx = ctx;
    this.app = app;
    this.stories = stories;
    this.back = s('svg', { class: 'tracks', 'aria-hidden': 'true' });
    this.front = s('svg', { class: 'tracks' });
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'tracks-past', 'aria-hidden': 'true' }));
    this.list = h('div', { class: 'tracks-rows', role: 'list' });
    this.root = h('section', { class: 'tracksv' }, this.back, this.canvas, this.front, this.list);
    this.worlds = new Worlds(ctx, this.root);
    this.ground = s('rect', { class: 'now-ground' });
    this.back.append(this.ground);
    this.tree = s('path', { class: 'row-tree' });
    this.leaders = s('path', { class: 'now-leader' });
    this.front.append(this.tree, this.leaders);
    this.heads = [text(this.front, 0, 0, 'row-head'), text(this.front, 0, 0, 'row-head')];
    this.rail = new Rail(this.front);
    /** What is drawn and pressed of each row, by its id. @type {Map<string, RowParts>} */
    this.parts = new Map();
    this.rows = new Rows();
    this.past = new Past(ctx, this.canvas);
    this.why = h('span');
    /** The moment that shows, where one station is alone. */
    this.moment = new Txt(h('span', { hidden: '' }));
    const line = h('p', { class: 'why' }, this.why, this.moment.el);
    this.zooms = h('div', { class: 'zooms' }, ...[-1, 1].map((n) => button({ 'data-zoom': n }, () => this.zoom(closer(this.millis, n)),
      icon(n > 0 ? 'M8 3v10M3 8h10' : 'M3 8h10'))));
    this.root.append(line, this.zooms);
    this.inside = new Inside(this.root);
    this.informers = new Informers(ctx, this.root);
    this.tl = new Timeline(ctx, this.root, overview, 'tracks-log');
    this.act = button({ class: 'likely' }, () => this.actLikely());
    this.root.append(this.act);
    this.marks = new KeyMarks(this.root, ctx.t, ctx.repaint);
    /** The line at the foot of presenter mode. */
    this.way = s('svg', { class: 'tracks-way', viewBox: `0 0 ${wayWide} 57` });
    this.root.append(this.way);
    app.append(this.root);
    /** The row that is open; empty for none. */
    this.open = '';
    this.millis = usual;
    this.asked = '';
    this.geometry = measureStage(1280, 720);
    /** CSS pixels per unit. */
    this.k = 1;
    const watch = new ResizeObserver(() => this.resize());
    this.watchRoom = (/** @type {HTMLElement | null} */ el) => {
      watch.disconnect();
      if (el) watch.observe(el);
    };
    const wheel = new Wheel();
    this.canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const steps = wheel.turn(e.deltaY * (e.deltaMode ? 40 : 1));
      if (steps) this.zoom(closer(this.millis, steps));
    }, { passive: false });
    document.addEventListener('keydown', (e) => this.key(e));
    this.peek = new Peek(ctx, this.root);
    this.scrub = new Scrub(ctx, this.canvas, () => this.millis / (this.geometry.past.w * this.k), () => this.past.shown.moment);
    this.pointer = new Pointer(ctx, this.past, this.canvas, this.root, this.peek, () => this.scrub.stop());
  }

  /** Opens a row, or shuts it. @param {string} id */
  toggle = (id) => {
    this.open = this.open === id ? '' : id;
    this.ctx.repaint();
  };

  /** The station that has the window alone, as the address names it; empty for none. */
  alone = '';

  /** The row that has the window alone. */
  get aloneAs() {
    return rowsOf[this.alone]?.at(-1) ?? '';
  }

  /** Opens an informer of several. @param {number} lane */
  openInformer = (lane) => this.informers.show(lane);

  /** The listener whose handler keys act on: that of the open row, or the first. @type {number | undefined} */
  get handler() {
    const all = this.rows.bands.filter((b) => b.station === 'handler');
    return (all.find((b) => b.id === this.open) ?? all[0])?.listener;
  }

  /** Goes to a step of a story: its row is open, and its window shows. @param {import('../wire/types.js').StoryPage | null} step null for none */
  follow(step) {
    this.wish = { station: rowsOf[step?.open ?? '']?.[0] ?? '', name: step?.listener ?? '' };
    if (step && !this.ctx.follower) this.informers.follow(step.informer ?? 0);
    if (step || this.millis !== usual) this.zoom(step?.windowMillis || usual);
  }

  /** The rows that the ride or the step speaks of, or while presenting those where something is the matter; null for all. */
  lookAt() {
    const { ctx: { model, riding }, stories: { step, starting }, spot } = this;
    if (spot) return spot.flatMap((id) => rowsOf[id] ?? []);
    const ride = riding?.();
    if (ride) return rowsOf[stationOf(ride.hop.stage)] ?? null;
    if (!step || starting) return this.presenting ? model.facts.focus.flatMap((id) => rowsOf[id] ?? []) : null;
    return step.look.flatMap((id) => rowsOf[id] ?? []);
  }

  /** The stations that something beside the stage speaks of; null for none. @type {string[] | null} */
  spot = null;

  /** What `lookAt` gave when the stage was painted. @type {string[] | null} */
  look = null;

  /** What a step wants to be open, until there are rows. @type {{station: string, name: string} | null} */
  wish = null;

  /** @private */
  grant() {
    const { wish, rows: { bands } } = this;
    if (!wish || !bands.length) return;
    const all = bands.filter((b) => b.station === wish.station);
    const found = all.find((b) => b.name === wish.name);
    this.open = (found ?? (wish.name && wish.station === 'handler' ? undefined : all[0]))?.id ?? '';
    // A handler that the step adds comes later.
    if (found || !wish.name || wish.station !== 'handler') this.wish = null;
  }

  /** Shows so much time. @param {number} millis */
  zoom(millis) {
    this.millis = millis;
    this.ask();
    this.ctx.repaint();
  }

  /**
   * Shows the way of a ridden change, so that its waits are wide; null when the ride ends: the window is then as it was.
   * @param {number | null} millis how long the change has been on its way
   */
  ride(millis) {
    if (millis === null) {
      if (this.ridden === null) return;
      this.millis = this.ridden;
      this.ridden = null;
    } else {
      this.ridden ??= this.millis;
      this.millis = windowOf(millis * 1.25);
    }
    this.ask();
    this.ctx.repaint();
  }

  /** The window before a ride; null while there is none. @type {number | null} */
  ridden = null;

  /** Asks the worker for the window, if it has another one. @private */
  ask() {
    if (!this.ctx.model.any) return; // the worker does not listen yet
    const { columns } = this.past;
    const asked = `${this.millis} ${columns}`;
    if (asked === this.asked) return;
    this.asked = asked;
    this.ctx.model.past.room = columns + 2;
    this.ctx.call('window', this.millis, columns).catch(() => {}); // a worker that has ended says so elsewhere
  }

  /** @param {KeyboardEvent} e @private */
  key(e) {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector('.pop:popover-open, .ov:modal')) return;
    if (/** @type {HTMLElement} */ (e.target).matches?.('input:not([type=range]), textarea, select')) return;
    if (e.key === 'z' || e.key === 'Z') this.zoom(closer(this.millis, e.key === 'z' ? 1 : -1));
    else if (e.key === '0') this.zoom(usual);
    else if (e.key === 'j' || e.key === 'k') this.walk(e.key === 'j' ? 1 : -1);
    else if (e.key === '?') {
      this.marks.show(true);
      this.ctx.repaint();
    }
  }

  /**
   * Follows the next change, or the one before, in the row that is open; else in the cluster's.
   * @param {number} direction 1 or -1
   */
  async walk(direction) {
    const { ctx, rows: { bands }, open, pointer } = this;
    const { past } = ctx.model;
    const track = past.row(bands.find((b) => b.id === open && b.station !== 'fold')?.id ?? 'cluster');
    if (!track) return;
    const key = ctx.selected();
    const { last } = pointer;
    const from = key && key === last.key && track.id === last.row ? last.millis
      : past.journey?.stops.find((s) => s.row === track.id)?.cameMillis ?? this.past.shown.moment;
    const at = Math.floor(from / past.stepMillis);
    const numbers = [...track.columns.values()].filter(([n, passes, pile]) => (passes.length || pile.length) && (n - at) * direction >= 0).map(([n]) => n);
    if (direction < 0) numbers.reverse();
    for (const n of numbers) {
      const entries = (await ctx.call('entries', track.id, n).catch(() => [])) ?? []; // a place that the log has dropped has none
      const beyond = entries.filter((e) => e.key && (e.cameMillis - from) * direction > 0).sort((a, b) => (a.cameMillis - b.cameMillis) * direction);
      if (!beyond.length) continue;
      pointer.follow(beyond[0]);
      return;
    }
  }

  /** The sentence over the stage, with an id. @returns {[string, string] | null} */
  caption() {
    this.said = this.ctx.model.lanes > 1 ? pairHead(this.ctx) : this.informers.sentence(headline(this.ctx));
    return this.said?.words ? [`head ${this.said.id}`, this.said.words] : null;
  }

  /** @type {ReturnType<typeof headline> | null} */
  said = null;

  /** Gets ready for a still, which has no drawer and sharp canvases; or goes on. @param {number} dots of it in a pixel of the page; 1 to go on */
  pose(dots) {
    this.posing = dots !== 1;
    this.dots = dots;
    this.resize();
  }

  posing = false;
  dots = 1;

  /** Shuts what is open. Returns whether there was something. */
  shut() {
    if (!this.open) return false;
    this.open = '';
    this.ctx.repaint();
    return true;
  }

  /** Shows it in the window, or over the picture of the phone. @param {HTMLElement | null} over @param {boolean} presenting */
  show(over, presenting) {
    this.over = over;
    this.presenting = presenting;
    this.watchRoom(over);
  }

  /** The phone's picture, which it covers. @type {HTMLElement | null} */
  over = null;

  presenting = false;
  /** Whether the inside of a row has room in presenter mode. */
  opened = false;

  /** Measures the room again. */
  resize() {
    const box = (this.over ?? this.app).getBoundingClientRect();
    const phone = !!this.over;
    const presenting = this.presenting && !phone && !this.alone;
    this.k = this.alone ? Math.max(1, Math.min(2, box.width / 640)) : phone ? 1 : presenting ? box.width / largeWide : Math.max(1, box.width / 1280);
    this.wayOf = '';
    const { k } = this;
    this.pointer.k = k;
    this.app.style.setProperty('--u', `${k}px`);
    const [wide, high] = [Math.round(box.width / k), Math.round(box.height / k)];
    this.geometry = this.alone ? measureAlone(wide, high) : measureStage(wide, high, { phone, presenting, opened: this.opened, ...this.room });
    this.root.classList.toggle('alone', !!this.alone);
    const { w, h: tall, past, ground, inside, worlds } = this.geometry;
    for (const svg of [this.back, this.front]) attr(svg, 'viewBox', `0 0 ${w} ${tall}`);
    const app = this.app.getBoundingClientRect();
    seat(this.root, { x: (box.x - app.x) / k, y: (box.y - app.y) / k, w, h: tall }, k);
    for (const [name, value] of Object.entries({ x: ground.x, y: ground.y, width: ground.w, height: ground.h })) attr(this.ground, name, value);
    const dots = this.dots * (devicePixelRatio || 1);
    this.past.lay({ x: past.x * k, y: past.y * k, w: past.w * k, h: past.h * k, k }, dots);
    if (worlds.w) this.worlds.lay({ x: worlds.x * k, y: worlds.y * k, w: worlds.w * k, h: worlds.h * k, k, beside: worlds.beside, dots });
    this.mapPlaces = [this.worlds.maps.cluster, this.worlds.maps.store].map((map) => {
      const place = map.root.getBoundingClientRect();
      return { y: (place.y - box.y) / k, h: place.height / k };
    });
    seat(this.zooms, { x: past.x + past.w - 66, y: past.y + 2 }, k);
    seat(this.inside.root, inside, k);
    const { drawer } = this.geometry;
    for (const side of /** @type {const} */ (['x', 'y', 'w', 'h'])) this.app.style.setProperty(`--drawer-${side}`, `${(drawer?.[side] ?? 0) * k}px`);
    this.root.classList.toggle('small', phone);
    // Its units are CSS pixels: it is as many of them long as the stage has units there, and drawn larger.
    const from = (38.5 * box.width) / 80;
    const log = this.tl.root.style;
    Object.assign(log, { left: `${from}px`, width: `${(box.width - from) / k - (this.hasStory ? 480 : 208)}px`, transform: k > 1 ? `scale(${k})` : '' });
    this.tl.resize();
    this.tl.paint();
    this.rows.after.clear();
    this.ask();
  }

  /** What prevents that something comes to the rows of an informer. @param {number} i @returns {import('../stage/rail.js').Stops} @private */
  stops(i) {
    const { state } = this.ctx.model.lane(i);
    const reflector = this.data().find((r) => r.station === 'reflector' && r.lane === i);
    return {
      held: (stage, listener) => state.holds.some((x) => x.stage === stage && (x.listener ?? 0) === (listener ?? 0)),
      cut: state.reflector.phase === 'backoff' || state.reflector.phase === 'stopped',
      silent: !!reflector?.spans?.some((x) => x.kind === 'silent' && x.toMillis === null),
    };
  }

  /** Brings all to the model. @param {number} clock */
  paint(clock) {
    const { ctx } = this;
    const hasStory = !!ctx.storyTitle?.();
    const room = { drawer: !this.posing && !!ctx.inspects?.(), ride: !!ctx.riding?.() };
    if (hasStory !== this.hasStory || !areEqual(Object.values(room), Object.values(this.room))) {
      this.hasStory = hasStory;
      this.room = room;
      this.resize();
    }
    this.ask();
    this.look = this.lookAt();
    this.layRows(clock);
    this.grant();
    if (!!this.open !== this.opened) {
      this.opened = !!this.open;
      if (this.presenting) this.resize();
    }
    const { t, model } = ctx;
    const now = ctx.now();
    const common = { now, t, ctx, two: model.lanes > 1, phone: this.geometry.phone };
    const stops = Array.from({ length: model.lanes }, (_, i) => this.stops(i));
    attr(this.list, 'aria-label', t('row.list'));
    /** @type {About | null} */
    let opened = null;
    const ridden = ctx.riding?.();
    const station = ridden && rowsOf[stationOf(ridden.hop.stage)];
    const row = ridden && ctx.model.past.rows.find((r) => station?.includes(r.station) && r.lane === (ridden.lane ?? 0)
      && (r.station !== 'handler' || r.listener === ridden.listener));
    this.past.mark(row?.id ?? '');
    for (const band of this.rows.bands) {
      const lane = band.station === 'informer' ? 0 : band.lane;
      const stop = stops[lane] ?? stops[0];
      const shown = { ...model.lane(lane), factory: model.factory ?? undefined, now };
      const about = { ...common, row: band, lane: shown, starved: isStarved(band, stop), silent: stop.silent,
        lit: this.look ? this.look.includes(band.station) : undefined };
      let parts = this.parts.get(band.id);
      if (!parts) this.parts.set(band.id, (parts = new RowParts(ctx, band, this)));
      parts.paint(about, this.open === band.id);
      if (this.open === band.id) opened = about;
    }
    if (!opened) this.open = '';
    if (this.alone) this.paintAlone(opened);
    if (!this.rows.bands.length) return;
    const first = { ...common, row: this.rows.bands[0], lane: { ...model.lane(0), now }, starved: false, silent: false };
    const about = opened ?? first;
    const is = opened ? this.explained(opened) : model.fork ? parting(first, model.fork) : lastRead(first);
    this.inside.paint(is, about.lane, model.lanes > 1 ? about.row.lane : null);
    reveal(this.inside.root, this.geometry.inside.h > 0 && (this.geometry.phone || this.presenting ? !!opened : !this.geometry.drawer));
    this.paintLikely();
    this.informers.paint();
    for (const b of /** @type {Iterable<HTMLElement>} */ (/** @type {unknown} */ (this.zooms.children))) {
      const words = t(b.dataset.zoom === '1' ? 'row.closer' : 'row.wider');
      attr(b, 'title', words);
      attr(b, 'aria-label', words);
    }
    if (!this.alone) put(this.why, this.said?.why ?? '');
    this.marks.paint(this.ctx.model, this.past.seats);
    this.paintWay();
    if (clock - this.tlAt > 120) {
      this.tlAt = clock;
      this.tl.paint();
    }
    this.paintPlaces(stops);
    if (!this.alone) this.worlds.paint(clock);
    this.pointer.paint();
    this.peek.paint(this.geometry, this.k, (millis) => this.past.xOf(millis));
  }

  /** What is inside an open row, with the way to what explains its station. @param {About} about @private */
  explained(about) {
    const { ctx } = this;
    const is = stations[about.row.station].inside(about);
    const id = Object.keys(rowsOf).findLast((name) => rowsOf[name].includes(about.row.station));
    return id ? { ...is, acts: [...is.acts ?? [], { words: ctx.t('ex.open'), does: () => ctx.explain?.(id) }] } : is;
  }

  tlAt = 0;
  /** What takes room from the stage. */
  room = { drawer: false, ride: false };
  /** Where the two maps stand. */
  mapPlaces = [{ y: 0, h: 0 }, { y: 0, h: 0 }];
  /** Whether a story plays: its bar stands beside the overview. */
  hasStory = false;
  /** Where the rows of the past are, as it knows. @type {unknown[]} */
  seats = [];

  /** Says where what one station alone shows is from, or which stations there are. @param {About | null} opened @private */
  paintAlone(opened) {
    const { ctx, alone } = this;
    reveal(/** @type {HTMLElement} */ (this.moment.el), !!this.aloneAs);
    if (!this.aloneAs) return put(this.why, ctx.t('embed.unknown', { id: alone.slice(0, 40), ids: Object.keys(rowsOf).join(', ') }));
    put(this.why, `${sourceWords(ctx)} · `);
    this.moment.bind({ now: ctx.now() }, 'now', 'moment');
    if (!opened && this.rows.bands.length) this.open = this.rows.bands[0].id;
  }

  /** The one act that is likely: to hold Pop, and where something is held to let one through. @private */
  paintLikely() {
    const { t, model, follower } = this.ctx;
    const held = model.state.holds.length > 0;
    reveal(this.act, !follower && model.any && !['file', 'probe'].includes(model.state.source.kind));
    put(this.act, t(held ? 'act.one' : 'act.holdPop'));
    this.act.classList.toggle('fill', held);
  }

  /** @private */
  actLikely() {
    const [held] = this.ctx.model.state.holds;
    if (held) this.ctx.act('release', held.stage, 1, ...(held.listener ? [held.listener] : []));
    else this.ctx.act('hold', 'pop');
  }

  /** What paints the line at the foot, and what that was made for. */
  paintLine = () => {};
  wayOf = '';

  /** @private */
  paintWay() {
    if (!this.presenting || this.over) return;
    const { ctx, way, stories, stories: { story } } = this;
    const made = `${story?.id} ${language()}`;
    if (made !== this.wayOf) {
      this.wayOf = made;
      way.replaceChildren();
      const at = { w: wayWide, low: 16, below: 30, left: 36, marks: 24 };
      this.paintLine = story ? drawSteps(ctx, way, at, stories, story) : drawTime(ctx, way, at);
    }
    this.paintLine();
  }

  /**
   * The box in the past that the name of a row or the heading of an informer covers. Undefined if it covers nothing of the past.
   * @param {Band} band @returns {import('../stage/lettering.js').Box | undefined} @private
   */
  nameBox({ id, y, head }) {
    const { k, geometry: { phone, past } } = this;
    if (phone) return [past.x, y - 5, past.x + width(this.parts.get(id)?.name.textContent ?? '', '600 12px') + 4, y + (head ? 30 : 12)];
    return head ? [0, y * k, (past.x + 40) * k, (y + 20) * k] : undefined;
  }

  /** The rows of what shows: of several informers of a factory the one that has the stage. @private */
  data() {
    const { past: { rows }, factory, lanes } = this.ctx.model;
    if (this.alone) return rows.filter((r) => r.station === this.aloneAs && r.lane === (factory?.shown ?? 0)).map((r) => ({ ...r, lane: 0 }));
    if (!factory) return rows.filter((r) => r.lane < lanes);
    return rows.map((r) => (r.station === 'informer' ? r : { ...r, lane: 0 }));
  }

  /** Lays the rows out. @param {number} clock @private */
  layRows(clock) {
    const still = this.ctx.still.matches || !!this.alone;
    const { k, look } = this;
    const quiet = (/** @type {{station: string}} */ row) => !!look && !look.includes(row.station);
    const box = this.presenting && look?.length ? { ...this.geometry.rows, thin: quiet } : this.geometry.rows;
    this.rows.place(this.data(), box, clock, (id) => this.past.demand(id), still);
    const seats = this.rows.bands.map((b) => ({
      id: seatOf(b), y: b.y * k, h: b.h * k, goal: (this.rows.after.get(b.id) ?? b.h) * k, foot: (b.station === 'informer' ? 7 : 18) * k,
      quiet: quiet(b), name: this.nameBox(b),
    }));
    const flat = seats.flatMap((seat) => Object.values(seat).flat());
    if (!areEqual(flat, this.seats)) {
      this.seats = flat;
      this.past.place(seats);
    }
    const ids = new Set(this.rows.bands.map((b) => b.id));
    for (const [id, parts] of this.parts) {
      if (ids.has(id)) continue;
      parts.remove();
      this.parts.delete(id);
    }
  }

  /** Puts everything that stands in a row, or between two, where the rows are now. @param {import('../stage/rail.js').Stops[]} stops @private */
  paintPlaces(stops) {
    const { geometry: g, rows: { bands }, ctx } = this;
    const { t } = ctx;
    const apart = stops.length > 1 ? g.apart : 0;
    this.rail.paint(bands, g.x, stops, apart, (b) => b.waiting >= many);
    for (const [i, band] of bands.entries()) {
      const parts = this.parts.get(band.id);
      if (!parts) continue;
      // Readers and the keyboard meet the rows from the top.
      if (this.list.children[i] !== parts.item) this.list.insertBefore(parts.item, this.list.children[i] ?? null);
      parts.place(band, g, apart, this.k);
    }
    attr(this.tree, 'd', apart || g.phone ? '' : treePath(bands));
    const [cluster, store] = this.mapPlaces;
    const lead = (/** @type {string} */ station, /** @type {{y: number, h: number}} */ map, lane = 0) =>
      leadPath(bands.find((b) => b.station === station && b.lane === lane), map, g.x + railWidth(apart), g.worlds.x - 6);
    const leads = ctx.model.fork ? lead('indexer', cluster, 0) + lead('indexer', store, 1) : lead('cluster', cluster) + lead('indexer', store);
    attr(this.leaders, 'd', g.phone ? '' : leads);
    const { factory } = ctx.model;
    const named = apart ? bands.filter((b) => b.head) : factory ? bands.slice(0, 1) : [];
    this.heads.forEach((head, i) => {
      const band = named[i];
      show(head.el, !!band);
      if (!band) return;
      if (factory) return void head.moveTo(16, g.past.y + 14).set(g.phone ? '' : this.informers.head());
      const { fork } = ctx.model;
      const { era, queue } = ctx.model.lane(band.lane).state;
      head.moveTo(g.phone ? 12 : 16, band.y + 14).set(fork ? capitalize(laneNames(ctx, fork)[band.lane]) : t('row.era', { era, queue: queue.kind }));
    });
  }

  /** Draws what moves, once an animation frame. @param {number} clock */
  draw(clock) {
    if (!this.ctx.model.any) return;
    if (this.rows.moves) {
      this.layRows(clock);
      this.paintPlaces(Array.from({ length: this.ctx.model.lanes }, (_, i) => this.stops(i)));
    }
    const { view } = this.ctx.model;
    this.past.live = view.mode === 'live';
    this.eases = this.past.paint(clock, this.peek.from?.millis ?? this.ctx.now());
    this.lights = !this.alone && this.worlds.draw(clock);
  }

  /** Whether the past changes its scale, and whether a light fades on the maps. */
  eases = false;
  lights = false;

  /** In how many ms it is drawn again, if nothing comes until then: when the past has moved by a pixel, or at once while something else moves. */
  dueIn() {
    const { view, state, stands } = this.ctx.model;
    if (this.rows.moves || this.eases) return 0;
    const light = this.lights ? lightMillis : Infinity;
    if (stands || view.mode === 'paused' || (view.mode === 'live' && state.source.kind === 'file')) return light;
    return Math.min(light, this.past.stepOf(view.mode === 'playing' ? view.speed || 1 : 1));
  }
}
