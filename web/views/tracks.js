// @ts-check
// The stage whose rows are stations: what happened left of the rail, what is so right of it, and at the far right the cluster beside the store.
import '../kit/words-tracks.js';
import { attr, button, h, icon, put, reveal, s, text, show } from '../kit/dom.js';
import { capitalize } from '../kit/format.js';
import { laneNames } from '../kit/fork.js';
import { areEqual } from '../kit/same.js';
import { lastRead } from '../rows/read.js';
import { stations } from '../rows/index.js';
import { measureStage } from '../stage/geometry.js';
import { headline } from '../stage/headline.js';
import { Inside } from '../stage/inside.js';
import { KeyMarks } from '../stage/keymarks.js';
import { toggleHold } from '../stage/pin.js';
import { Past } from '../stage/past.js';
import { PresentRow } from '../stage/present.js';
import { isStarved, Rail, railWidth, ringAt } from '../stage/rail.js';
import { Rows, seatOf } from '../stage/rows.js';
import { Worlds } from '../stage/worlds.js';
import { closer, usual, Wheel } from '../stage/zoom.js';
import { openAdd, openHandler } from '../stations/listenermenu.js';
import { Timeline } from '../time/timeline.js';

/** @typedef {import('../stage/rows.js').Band} Band */
/** @typedef {import('../rows/parts.js').About} About */

/** From how many waiting on a row is amber. */
const many = 2;
/** The stage that can be held behind each station. @type {Record<string, import('../wire/page-types.js').Stage>} */
const stages = { reflector: 'store', queue: 'pop', handler: 'deliver', work: 'take' };
/** The overview of the log, as wide as there is room. */
const overview = { w: 600, h: 44, left: 6, edge: 594, base: 40, high: 26, rise: 36, least: 10e3, bare: true };

export class Tracks {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.app = app;
    this.back = s('svg', { class: 'tracks', 'aria-hidden': 'true' });
    this.front = s('svg', { class: 'tracks' });
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'tracks-past', 'aria-hidden': 'true' }));
    this.list = h('div', { class: 'tracks-rows', role: 'list' });
    this.root = h('section', { class: 'tracksv', hidden: '' }, this.back, this.canvas, this.front, this.list);
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
    this.why = h('p', { class: 'why' });
    this.zooms = h('div', { class: 'zooms' }, ...[-1, 1].map((n) => button({ 'data-zoom': n }, () => this.zoom(closer(this.millis, n)),
      icon(n > 0 ? 'M8 3v10M3 8h10' : 'M3 8h10'))));
    this.root.append(this.why, this.zooms);
    this.inside = new Inside(this.root);
    this.tl = new Timeline(ctx, this.root, overview, 'tracks-log');
    this.act = button({ class: 'likely' }, () => this.actLikely());
    this.root.append(this.act);
    this.marks = new KeyMarks(this.root, ctx.t);
    app.append(this.root);
    /** The row that is open; empty for none. */
    this.open = '';
    this.on = false;
    this.millis = usual;
    this.asked = '';
    this.geometry = measureStage(1280, 720, false);
    /** CSS pixels per unit. */
    this.k = 1;
    const wheel = new Wheel();
    this.canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const steps = wheel.turn(e.deltaY * (e.deltaMode ? 40 : 1));
      if (steps) this.zoom(closer(this.millis, steps));
    }, { passive: false });
    document.addEventListener('keydown', (e) => this.key(e));
    this.canvas.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || !ctx.model.any) return;
      this.canvas.setPointerCapture(e.pointerId);
      this.drag = { x: e.clientX, millis: ctx.now() };
    });
    this.canvas.addEventListener('pointermove', (e) => this.drag && this.scrub(e.clientX));
    for (const end of ['pointerup', 'pointercancel']) this.canvas.addEventListener(end, () => (this.drag = null));
  }

  /** Where a drag of the past began, and at which moment. @type {{x: number, millis: number} | null} */
  drag = null;
  /** Where a drag asks to be, while it has not been answered. @type {number | null} */
  wanted = null;
  seeking = false;

  /** Goes to the moment that a drag brings to the rail. @param {number} x @private */
  async scrub(x) {
    const { drag, ctx: { model } } = this;
    if (!drag || Math.abs(x - drag.x) < 3) return;
    const per = this.millis / (this.geometry.past.w * this.k);
    this.wanted = Math.max(model.firstMillis, Math.min(model.view.headMillis, drag.millis - (x - drag.x) * per));
    if (this.seeking) return;
    this.seeking = true;
    while (this.wanted !== null) {
      const to = Math.round(this.wanted);
      this.wanted = null;
      await this.ctx.act('seekTime', to);
    }
    this.seeking = false;
  }

  /** Shows so much time. @param {number} millis */
  zoom(millis) {
    this.millis = millis;
    this.ask();
    this.ctx.repaint();
  }

  /** Asks the worker for the window, if it has another one. @private */
  ask() {
    const columns = this.on ? this.past.columns : 0;
    const asked = `${this.millis} ${columns}`;
    if (asked === this.asked) return;
    this.asked = asked;
    this.ctx.model.past.room = columns + 2;
    this.ctx.call('window', this.millis, columns).catch(() => {}); // a worker that has ended says so elsewhere
  }

  /** @param {KeyboardEvent} e @private */
  key(e) {
    if (!this.on || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector('.pop:popover-open, .ov:modal')) return;
    if (/** @type {HTMLElement} */ (e.target).matches?.('input:not([type=range]), textarea, select')) return;
    if (e.key === 'z' || e.key === 'Z') this.zoom(closer(this.millis, e.key === 'z' ? 1 : -1));
    else if (e.key === '0') this.zoom(usual);
    else if (e.key === '?') this.marks.show(true);
  }

  /** The sentence over the stage, with an id. @returns {[string, string] | null} */
  caption() {
    this.said = this.on ? headline(this.ctx) : null;
    return this.said?.words ? [`head ${this.said.id}`, this.said.words] : null;
  }

  /** @type {ReturnType<typeof headline> | null} */
  said = null;

  /** Shuts what is open. Returns whether there was something. */
  shut() {
    if (!this.open || !this.on) return false;
    this.open = '';
    this.ctx.repaint();
    return true;
  }

  /** Shows or hides it: in place of the stage, or over the picture of the phone. @param {boolean} on @param {HTMLElement | null} over */
  show(on, over) {
    this.on = on;
    this.over = over;
    reveal(this.root, on);
    this.ctx.eye.exact = on;
    if (!on) this.ask();
    document.documentElement.classList.toggle('is-tracks', on && !over);
    this.resize();
  }

  /** The phone's picture, which it covers. @type {HTMLElement | null} */
  over = null;

  /** Measures the room again. */
  resize() {
    if (!this.on) return;
    const box = (this.over ?? this.app).getBoundingClientRect();
    const phone = !!this.over;
    this.k = phone ? 1 : Math.max(1, box.width / 1280);
    const { k } = this;
    this.app.style.setProperty('--u', `${k}px`);
    this.geometry = measureStage(Math.round(box.width / k), Math.round(box.height / k), phone);
    const { w, h: tall, past, ground, inside, worlds } = this.geometry;
    for (const svg of [this.back, this.front]) attr(svg, 'viewBox', `0 0 ${w} ${tall}`);
    const app = this.app.getBoundingClientRect();
    this.seat(this.root, { x: (box.x - app.x) / k, y: (box.y - app.y) / k, w, h: tall });
    for (const [name, value] of Object.entries({ x: ground.x, y: ground.y, width: ground.w, height: ground.h })) attr(this.ground, name, value);
    this.past.lay({ x: past.x * k, y: past.y * k, w: past.w * k, h: past.h * k, k }, devicePixelRatio || 1);
    this.worlds.lay({ x: worlds.x * k, y: worlds.y * k, w: worlds.w * k, h: worlds.h * k, k, beside: worlds.beside });
    this.mapPlaces = [this.worlds.maps.cluster, this.worlds.maps.store].map((map) => {
      const place = map.root.getBoundingClientRect();
      return { y: (place.y - box.y) / k, h: place.height / k };
    });
    this.seat(this.zooms, { x: past.x + past.w - 66, y: past.y + 2 });
    this.seat(this.inside.root, inside);
    this.root.classList.toggle('small', phone);
    // Its units are CSS pixels: it is as many of them long as the stage has units there, and drawn larger.
    const from = (38.5 * box.width) / 80;
    const log = this.tl.root.style;
    Object.assign(log, { left: `${from}px`, width: `${(box.width - from) / k - (this.told ? 410 : 208)}px`, transform: k > 1 ? `scale(${k})` : '' });
    this.tl.resize();
    this.tl.paint();
    this.rows.after.clear();
    this.ask();
  }

  /** Puts an element at a place of this stage. @param {HTMLElement} el @param {{x: number, y: number, w?: number, h?: number}} at @private */
  seat(el, at) {
    for (const [name, value] of /** @type {['left' | 'top' | 'width' | 'height', number | undefined][]} */ (
      [['left', at.x], ['top', at.y], ['width', at.w], ['height', at.h]])) {
      if (value === undefined) continue;
      const px = `${(value * this.k).toFixed(1)}px`;
      if (el.style[name] !== px) el.style[name] = px;
    }
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
    const told = !!ctx.storyTitle?.();
    if (told !== this.told) {
      this.told = told;
      this.resize();
    }
    this.layRows(clock);
    const { t, model } = ctx;
    const now = ctx.now();
    const two = model.lanes > 1;
    const stops = Array.from({ length: model.lanes }, (_, i) => this.stops(i));
    attr(this.list, 'aria-label', t('row.list'));
    /** @type {About | null} */
    let opened = null;
    for (const band of this.rows.bands) {
      const parts = this.partsOf(band);
      const lane = { ...model.lane(band.lane), now };
      const stop = stops[band.lane] ?? stops[0];
      const about = { row: band, lane, now, t, ctx, two, phone: this.geometry.phone, starved: isStarved(band, stop), silent: stop.silent };
      const station = stations[band.station];
      const name = station.name(band, { t, two });
      const is = station.present(about);
      parts.is = is;
      parts.lane = lane;
      put(parts.name, name);
      attr(parts.name, 'aria-expanded', String(this.open === band.id));
      attr(parts.name, 'title', t('row.open', { name }));
      parts.name.classList.toggle('lit', band.waiting >= many);
      put(parts.said, `: ${station.say(about)}`);
      this.paintHold(parts, band, name);
      if (this.open === band.id) opened = about;
    }
    if (!opened) this.open = '';
    if (!this.rows.bands.length) return;
    const first = { row: this.rows.bands[0], lane: { ...model.lane(0), now }, now, t, ctx, two, phone: this.geometry.phone, starved: false, silent: false };
    const about = opened ?? first;
    this.inside.paint(opened ? stations[opened.row.station].inside(opened) : lastRead(first), about.lane, about.row?.lane ?? 0);
    reveal(this.inside.root, !!opened || !this.geometry.phone);
    this.paintLikely();
    for (const b of /** @type {Iterable<HTMLElement>} */ (/** @type {unknown} */ (this.zooms.children))) {
      const words = t(b.dataset.zoom === '1' ? 'row.closer' : 'row.wider');
      attr(b, 'title', words);
      attr(b, 'aria-label', words);
    }
    put(this.why, this.said?.why ?? '');
    this.marks.paint();
    if (clock - this.tlAt > 120) {
      this.tlAt = clock;
      this.tl.paint();
    }
    this.paintPlaces(stops);
  }

  tlAt = 0;
  /** Where the two maps stand. */
  mapPlaces = [{ y: 0, h: 0 }, { y: 0, h: 0 }];
  /** Whether a story is told, whose bar stands beside the overview. */
  told = false;
  /** Where the rows of the past are, as it knows. @type {unknown[]} */
  seats = [];

  /** What can be done about a hold in a row. @param {RowParts} parts @param {Band} band @param {string} name @private */
  paintHold({ hold, one, all, frees, menu }, band, name) {
    const { t, model, follower } = this.ctx;
    const stage = stages[band.station];
    const held = stage ? model.hold(stage, stage === 'deliver' ? band.listener : undefined) : undefined;
    reveal(hold, !!stage && !follower);
    if (menu) reveal(menu, !follower);
    reveal(frees, !!held && !follower);
    if (!stage) return;
    const words = t('hold.' + stage, { name });
    attr(hold, 'aria-pressed', String(!!held));
    attr(hold, 'aria-label', words);
    attr(hold, 'title', words);
    put(one, t(this.geometry.phone ? 'row.oneShort' : 'row.one'));
    put(all, t('row.all'));
    attr(one, 'aria-label', `${t('row.one')}: ${words}`);
    attr(all, 'aria-label', `${t('row.all')}: ${words}`);
  }

  /** The one act that is likely: to hold Pop, and where something is held to let one through. @private */
  paintLikely() {
    const { t, model, follower } = this.ctx;
    const held = model.state.holds.length > 0;
    reveal(this.act, !follower && model.any);
    put(this.act, t(held ? 'act.one' : 'act.holdPop'));
    this.act.classList.toggle('fill', held);
  }

  /** @private */
  actLikely() {
    const [held] = this.ctx.model.state.holds;
    if (held) this.ctx.act('release', held.stage, 1, ...(held.listener ? [held.listener] : []));
    else this.ctx.act('hold', 'pop');
  }

  /** The rows of what shows: of several informers of a factory the one that has the stage. @private */
  data() {
    const { past: { rows }, factory, lanes } = this.ctx.model;
    if (!factory) return rows.filter((r) => r.lane < lanes);
    return rows.filter((r) => r.station === 'cluster' || r.lane === factory.shown).map((r) => ({ ...r, lane: 0 }));
  }

  /** Lays the rows out. @param {number} clock @private */
  layRows(clock) {
    const still = this.ctx.eye.still.matches;
    this.rows.place(this.data(), this.geometry.rows, clock, (id) => this.past.demand(id), still);
    const { k } = this;
    const seats = this.rows.bands.map((b) => ({ id: seatOf(b), y: b.y * k, h: b.h * k, goal: (this.rows.after.get(b.id) ?? b.h) * k }));
    if (!areEqual(seats.flatMap(Object.values), this.seats)) {
      this.seats = seats.flatMap(Object.values);
      this.past.place(seats);
    }
    const ids = new Set(this.rows.bands.map((b) => b.id));
    for (const [id, parts] of this.parts) {
      if (ids.has(id)) continue;
      parts.item.remove();
      parts.now.root.remove();
      this.parts.delete(id);
    }
  }

  /** What is drawn and pressed of a row. @param {Band} band @private */
  partsOf(band) {
    const known = this.parts.get(band.id);
    if (known) return known;
    const { ctx } = this;
    const stage = stages[band.station];
    const args = stage === 'deliver' ? [band.listener] : [];
    const name = button({ class: `row-name level${band.level}` }, () => {
      this.open = this.open === band.id ? '' : band.id;
      ctx.repaint();
    });
    const said = h('span', { class: 'sr' });
    const hold = button({ class: 'now-hold' }, () => toggleHold(ctx, stage, stage === 'deliver' ? band.listener : undefined),
      s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('circle', { cx: 12, cy: 12, r: 3, class: 'pip' }),
        s('g', { class: 'disc' }, s('circle', { cx: 12, cy: 12, r: 9 }), s('path', { d: 'M6.5 12h11' }))));
    const free = (/** @type {number} */ n, /** @type {string} */ cls) => button({ class: `now-free ${cls}` }, () => ctx.act('release', stage, n, ...args));
    const [one, all] = [free(1, 'fill'), free(0, '')];
    const frees = h('div', { class: 'now-frees' }, one, all);
    hold.dataset.call = `hold ${stage}`;
    one.dataset.call = `release ${stage} 1`;
    all.dataset.call = `release ${stage} 0`;
    const menu = band.station === 'handler' ? button({ class: 'row-menu', 'aria-haspopup': 'dialog', title: ctx.t('inside.menu'),
      'aria-label': `${band.name}: ${ctx.t('inside.menu')}` }, (b) => openHandler(ctx, b, band.listener ?? 0), icon('M4 6l4 4l4 -4')) : null;
    const add = band.station === 'indexer' ? button({ class: 'row-menu', 'aria-haspopup': 'dialog', title: ctx.t('row.add'), 'aria-label': ctx.t('row.add') },
      (b) => openAdd(ctx, b), icon('M8 3v10M3 8h10')) : null;
    const more = menu ?? add;
    const item = h('div', { role: 'listitem', 'data-station': band.station }, name, said, ...(more ? [more] : []), hold, frees);
    this.list.append(item);
    const now = new PresentRow(this.front);
    now.root.setAttribute('data-station', band.station);
    const parts = { item, name, said, hold, one, all, frees, menu: more, now, is: {}, lane: { ...ctx.model.lane(band.lane), now: 0 } };
    this.parts.set(band.id, parts);
    return parts;
  }

  /** Puts everything that stands in a row, or between two, where the rows are now. @param {import('../stage/rail.js').Stops[]} stops @private */
  paintPlaces(stops) {
    const { geometry: g, rows: { bands }, ctx } = this;
    const two = stops.length > 1;
    const { t } = ctx;
    this.rail.paint(bands, g.x, stops, (b) => b.waiting >= many);
    for (const [i, band] of bands.entries()) {
      const parts = this.parts.get(band.id);
      if (!parts) continue;
      // Readers and the keyboard meet the rows from the top.
      if (this.list.children[i] !== parts.item) this.list.insertBefore(parts.item, this.list.children[i] ?? null);
      const [x, y] = ringAt(band, g.x, two);
      const indent = g.phone || two ? (band.lane && two ? 14 : 0) : Math.max(0, band.level - 1) * 18;
      const nameY = g.phone ? band.y - 2 : y - 13;
      const left = g.phone ? 12 : 16 + indent;
      this.seat(parts.name, { x: left, y: nameY, w: g.names - (g.phone ? 0 : left + (parts.menu ? 18 : 0)) });
      if (parts.menu) this.seat(parts.menu, { x: g.phone ? g.x - 34 : g.names - 18, y: nameY + 3 });
      const wordsX = two ? g.x + railWidth(true) : x + (band.level < 2 ? 18 : 22);
      parts.now.paint(parts.is, parts.lane, { x: wordsX, y, edge: g.edge, lane: band.lane });
      this.seat(parts.hold, { x: x - 12, y: y + 4, w: 24, h: 24 });
      this.seat(parts.frees, { x: wordsX, y: y + 12 });
    }
    this.paintTree(bands, two);
    const named = two ? bands.filter((b) => b.head) : [];
    this.heads.forEach((head, i) => {
      const band = named[i];
      show(head.el, !!band);
      if (!band) return;
      const { fork } = ctx.model;
      const { era, queue } = ctx.model.lane(band.lane).state;
      head.moveTo(g.phone ? 12 : 16, band.y + 14).set(fork ? capitalize(laneNames(ctx, fork)[band.lane]) : t('row.era', { era, queue: queue.kind }));
    });
  }

  /** The tree of the names, and the dotted lines from the cluster and the store to their maps. @param {Band[]} bands @param {boolean} two @private */
  paintTree(bands, two) {
    const { geometry: g } = this;
    const foot = (/** @type {Band | undefined} */ b) => (b ? b.foot - 9 : 0);
    const store = bands.find((b) => b.station === 'indexer');
    const handlers = bands.filter((b) => b.level === 2);
    const work = bands.find((b) => b.level === 3);
    const feeder = handlers.find((b) => b.listener === work?.listener) ?? handlers[handlers.length - 1];
    const branch = (/** @type {Band} */ from, /** @type {Band} */ to, /** @type {number} */ x) =>
      `M${x} ${foot(from) + 10}V${foot(to) - 6}q0 6 6 6h4`;
    const plain = !two && !g.phone;
    attr(this.tree, 'd', plain && store ? [...handlers.map((b) => branch(store, b, 20)), work && feeder ? branch(feeder, work, 38) : ''].join('') : '');
    const lead = (/** @type {Band | undefined} */ band, /** @type {{y: number, h: number}} */ map) => {
      if (!band) return '';
      const y = foot(band);
      const to = Math.max(map.y + 8, Math.min(map.y + map.h - 8, y));
      const from = g.x + (two ? railWidth(true) : 14);
      return `M${from} ${y}H${g.worlds.x - 18}${Math.abs(to - y) > 6 ? `V${to}` : ''}H${g.worlds.x - 6}`;
    };
    const [cluster, own] = this.mapPlaces;
    attr(this.leaders, 'd', g.phone ? '' : lead(bands[0], cluster) + lead(store, own));
  }

  /** Draws what moves, once an animation frame. @param {number} clock */
  draw(clock) {
    if (!this.on || !this.ctx.model.any) return;
    if (this.rows.moves) {
      this.layRows(clock);
      this.paintPlaces(Array.from({ length: this.ctx.model.lanes }, (_, i) => this.stops(i)));
    }
    this.past.live = this.ctx.model.view.mode === 'live';
    this.past.paint(clock, this.ctx.now());
    this.worlds.paint(clock);
  }
}

/**
 * @typedef {{
 *   item: HTMLElement, name: HTMLElement, said: HTMLElement, hold: HTMLElement, one: HTMLElement, all: HTMLElement, frees: HTMLElement,
 *   menu: HTMLElement | null, now: PresentRow, is: import('../rows/parts.js').Present, lane: import('../wire/page-types.js').Lane
 * }} RowParts
 */
