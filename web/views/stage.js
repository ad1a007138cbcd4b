// @ts-check
// The stage: what happened left of the rail, what is so right of it, and at the far right the cluster beside the store.
import '../kit/words-tracks.js';
import { attr, h, put, reveal, s, Txt } from '../kit/dom.js';
import { stationOf } from '../kit/names.js';
import { areEqual } from '../kit/same.js';
import { rowsOf, stations } from '../rows/index.js';
import { parting } from '../rows/parting.js';
import { lastRead } from '../rows/read.js';
import { Bands } from '../stage/bands.js';
import { measureAlone, measureStage, seat } from '../stage/geometry.js';
import { headline } from '../stage/headline.js';
import { Informers } from '../stage/informers.js';
import { Inside } from '../stage/inside.js';
import { pairHead } from '../stage/pairhead.js';
import { Past } from '../stage/past.js';
import { Peek } from '../stage/peek.js';
import { Pointer } from '../stage/pointer.js';
import { Scrub } from '../stage/scrub.js';
import { TimeWindow } from '../stage/timewindow.js';
import { walk } from '../stage/walk.js';
import { Worlds } from '../stage/worlds.js';
import { sourceWords } from '../story/way.js';
import { Foot } from './foot.js';

/** @typedef {import('../rows/parts.js').About} About */

/** How many units a screen is wide in presenter mode. */
const largeWide = 1280 / 1.5;
/** How often a light that fades is drawn, in ms: it has four steps. */
const lightMillis = 50;

export class Stage {
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
    this.past = new Past(ctx, this.canvas);
    this.bands = new Bands(ctx, this.past, this.front, (lane) => this.informers.show(lane));
    this.root = h('section', { class: 'tracksv' }, this.back, this.canvas, this.front, this.bands.list);
    this.worlds = new Worlds(ctx, this.root);
    this.ground = s('rect', { class: 'now-ground' });
    this.back.append(this.ground);
    this.why = h('span');
    /** The moment that shows, where one station is alone. */
    this.moment = new Txt(h('span', { hidden: '' }));
    this.time = new TimeWindow(ctx, this.canvas, () => this.past.columns);
    this.root.append(h('p', { class: 'why' }, this.why, this.moment.el), this.time.root);
    this.inside = new Inside(this.root);
    this.informers = new Informers(ctx, this.root);
    this.foot = new Foot(ctx, this.root, stories);
    app.append(this.root);
    this.geometry = measureStage(1280, 720);
    /** CSS pixels per unit. */
    this.k = 1;
    const watch = new ResizeObserver(() => this.resize());
    this.watchRoom = (/** @type {HTMLElement | null} */ el) => {
      watch.disconnect();
      if (el) watch.observe(el);
    };
    document.addEventListener('keydown', (e) => this.key(e));
    this.peek = new Peek(ctx, this.root);
    this.scrub = new Scrub(ctx, this.canvas, () => this.time.millis / (this.geometry.past.w * this.k), () => this.past.shown.moment);
    this.pointer = new Pointer(ctx, this.past, this.canvas, this.root, this.peek, () => this.scrub.stop());
  }

  /** The station that has the window alone, as the address names it; empty for none. */
  alone = '';

  /** The station whose rows have the window alone. */
  get aloneAs() {
    return rowsOf[this.alone]?.[0] ?? '';
  }

  /** The listener whose handler keys act on: that of the open row, or the first. @type {number | undefined} */
  get handler() {
    const all = this.bands.all.filter((b) => b.station === 'handler');
    return (all.find((b) => b.id === this.bands.open) ?? all[0])?.listener;
  }

  /** Goes to a step of a story: its row is open, and its window shows. @param {import('../wire/types.js').StoryPage | null} step null for none */
  follow(step) {
    this.wish = { station: rowsOf[step?.open ?? '']?.[0] ?? '', name: step?.listener ?? '' };
    if (step && !this.ctx.follower) this.informers.follow(step.informer ?? 0);
    this.time.follow(step);
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

  /** The row that a step opened; empty for none. */
  granted = '';

  /** What a step wants to be open, until there are rows. @type {{station: string, name: string} | null} */
  wish = null;

  /** @private */
  grant() {
    const { wish, bands } = this;
    if (!wish || !bands.all.length) return;
    const all = bands.all.filter((b) => b.station === wish.station);
    const found = all.find((b) => b.name === wish.name);
    bands.open = (found ?? (wish.name && wish.station === 'handler' ? undefined : all[0]))?.id ?? '';
    this.granted = bands.open;
    // A handler that the step adds comes later.
    if (found || !wish.name || wish.station !== 'handler') this.wish = null;
  }

  /** @param {KeyboardEvent} e @private */
  key(e) {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector('.pop:popover-open, .ov:modal')) return;
    if (/** @type {HTMLElement} */ (e.target).matches?.('input:not([type=range]), textarea, select')) return;
    if (this.time.takes(e.key)) return;
    if (e.key === 'j' || e.key === 'k') {
      const row = this.bands.all.find((b) => b.id === this.bands.open && b.station !== 'fold')?.id ?? 'cluster';
      walk(this.ctx, this.pointer, row, this.past.shown.moment, e.key === 'j' ? 1 : -1);
    } else if (e.key === '?') {
      this.foot.marks.show(true);
      this.ctx.repaint();
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

  /** Shuts the row that somebody opened; one that a step opened stays. Returns whether there was one. */
  shut() {
    if (!this.bands.open || this.bands.open === this.granted) return false;
    this.bands.open = '';
    this.ctx.repaint();
    return true;
  }

  /**
   * Shows it in the window, or over the picture of the phone.
   * @param {HTMLElement | null} over @param {HTMLElement | null} aside where the maps are on a phone that lies @param {boolean} presenting
   */
  show(over, aside, presenting) {
    this.over = over;
    this.aside = aside;
    this.presenting = presenting;
    this.watchRoom(over);
  }

  /** The phone's picture, which it covers. @type {HTMLElement | null} */
  over = null;
  /** @type {HTMLElement | null} */
  aside = null;

  presenting = false;
  /** Whether the inside of a row has room in presenter mode. */
  opened = false;

  /** Measures the room again. */
  resize() {
    const box = (this.over ?? this.app).getBoundingClientRect();
    const phone = !!this.over;
    const presenting = this.presenting && !phone && !this.alone;
    this.k = this.alone ? Math.max(1, Math.min(2, box.width / 640)) : phone ? 1 : presenting ? box.width / largeWide : Math.max(1, box.width / 1280);
    const { k } = this;
    this.pointer.k = k;
    this.app.style.setProperty('--u', `${k}px`);
    const [wide, high] = [Math.round(box.width / k), Math.round(box.height / k)];
    const room = { phone, aside: this.roomAside(box), presenting, opened: this.opened, ...this.room };
    this.geometry = this.alone ? measureAlone(wide, high) : measureStage(wide, high, room);
    this.root.classList.toggle('alone', !!this.alone);
    const { w, h: tall, past, ground, inside, worlds } = this.geometry;
    for (const svg of [this.back, this.front]) attr(svg, 'viewBox', `0 0 ${w} ${tall}`);
    const app = this.app.getBoundingClientRect();
    seat(this.root, { x: (box.x - app.x) / k, y: (box.y - app.y) / k, w, h: tall }, k);
    for (const [name, value] of Object.entries({ x: ground.x, y: ground.y, width: ground.w, height: ground.h })) attr(this.ground, name, value);
    const dots = this.dots * (devicePixelRatio || 1);
    this.past.lay({ x: past.x * k, y: past.y * k, w: past.w * k, h: past.h * k, k }, dots);
    reveal(this.worlds.root, worlds.w > 0);
    if (worlds.w) this.worlds.lay({ x: worlds.x * k, y: worlds.y * k, w: worlds.w * k, h: worlds.h * k, k, beside: worlds.beside, dots });
    this.mapPlaces = [this.worlds.maps.cluster, this.worlds.maps.store].map((map) => {
      const place = map.root.getBoundingClientRect();
      return { y: (place.y - box.y) / k, h: place.height / k };
    });
    seat(this.time.root, { x: past.x + past.w - 66, y: past.y + 2 }, k);
    seat(this.inside.root, inside, k);
    const { drawer } = this.geometry;
    for (const side of /** @type {const} */ (['x', 'y', 'w', 'h'])) this.app.style.setProperty(`--drawer-${side}`, `${(drawer?.[side] ?? 0) * k}px`);
    this.root.classList.toggle('small', phone);
    this.foot.resize(box.width, k, this.hasStory);
    this.bands.reset();
    this.time.ask();
  }

  /** Where the maps are on a phone that lies, from a corner on. @param {DOMRect} from @private */
  roomAside(from) {
    const at = this.aside?.getBoundingClientRect();
    return at?.width ? { x: at.x - from.x, y: at.y - from.y, w: at.width, h: at.height } : null;
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
    this.time.ask();
    this.look = this.lookAt();
    const { bands, aloneAs } = this;
    bands.lay(clock, this.shown);
    this.grant();
    if (!!bands.open !== this.opened) {
      this.opened = !!bands.open;
      if (this.presenting) this.resize();
    }
    const stops = bands.stops(aloneAs);
    this.markRide();
    const common = { now: ctx.now(), t: ctx.t, ctx, two: ctx.model.lanes > 1, phone: this.geometry.phone };
    const opened = bands.paint(common, this.look, stops);
    if (this.alone) this.paintAlone(opened);
    const { attempt } = ctx;
    attempt('time', () => this.time.paint());
    attempt('overview', () => this.foot.paint(clock, this.past.seats, this.presenting && !this.over));
    if (!this.alone) {
      put(this.why, this.said?.why ?? '');
      attr(this.why.parentElement ?? this.why, 'title', this.said?.why || null);
    }
    // Until the first informer has begun there are no rows.
    if (!bands.all.length) return;
    attempt('inside', () => this.paintInside(opened, common));
    attempt('informers', () => this.informers.paint());
    bands.place(stops, this.shown);
    if (!this.alone) attempt('worlds', () => this.worlds.paint(clock));
    attempt('pointer', () => this.pointer.paint());
    attempt('peek', () => this.peek.paint(this.geometry, this.k, (millis) => this.past.xOf(millis)));
  }

  /** How the rows are shown. @returns {import('../stage/bands.js').Shown} @private */
  get shown() {
    const { geometry, k, look, presenting, aloneAs: alone, mapPlaces: maps } = this;
    const { step, starting } = this.stories;
    const named = starting ? '' : step?.listener ?? '';
    return { geometry, k, look, presenting, alone, named, maps, head: () => this.informers.head() };
  }

  /** Marks the row in which the ridden change is. @private */
  markRide() {
    const { ctx } = this;
    const ridden = ctx.riding?.();
    const station = ridden && rowsOf[stationOf(ridden.hop.stage)];
    const row = ridden && ctx.model.past.rows.find((r) => station?.includes(r.station) && r.lane === (ridden.lane ?? 0)
      && (r.station !== 'handler' || r.listener === ridden.listener));
    this.past.mark(row?.id ?? '');
  }

  /** @param {About | null} opened @param {Omit<About, 'row' | 'lane' | 'starved' | 'silent'>} common @private */
  paintInside(opened, common) {
    const { ctx: { model }, geometry } = this;
    const first = { ...common, row: this.bands.all[0], lane: { ...model.lane(0), now: common.now }, starved: false, silent: false };
    const about = opened ?? first;
    const content = opened ? this.explained(opened) : model.fork ? parting(first, model.fork) : lastRead(first);
    this.inside.paint(content, about.lane, model.lanes > 1 ? about.row.lane : null);
    reveal(this.inside.root, geometry.inside.h > 0 && (geometry.phone || this.presenting ? !!opened : !geometry.drawer));
  }

  /** What is inside an open row, with the way to what explains its station. @param {About} about @private */
  explained(about) {
    const { ctx } = this;
    const content = stations[about.row.station].inside(about);
    const id = Object.keys(rowsOf).findLast((name) => rowsOf[name].includes(about.row.station));
    return id ? { ...content, acts: [...content.acts ?? [], { words: ctx.t('ex.open'), does: () => ctx.explain?.(id) }] } : content;
  }

  /** What takes room from the stage. */
  room = { drawer: false, ride: false };
  /** Where the two maps stand. */
  mapPlaces = [{ y: 0, h: 0 }, { y: 0, h: 0 }];
  /** Whether a story plays: its bar stands beside the overview. */
  hasStory = false;
  /** Says where what one station alone shows is from, or which stations there are. @param {About | null} opened @private */
  paintAlone(opened) {
    const { ctx, alone } = this;
    reveal(/** @type {HTMLElement} */ (this.moment.el), !!this.aloneAs);
    if (!this.aloneAs) return put(this.why, ctx.t('embed.unknown', { id: alone.slice(0, 40), ids: Object.keys(rowsOf).join(', ') }));
    put(this.why, `${sourceWords(ctx)} · `);
    this.moment.bind({ now: ctx.now() }, 'now', 'moment');
    if (!opened && this.bands.all.length) this.bands.open = this.bands.all[0].id;
  }

  /** Draws what moves, once an animation frame. @param {number} clock */
  draw(clock) {
    if (!this.ctx.model.any) return;
    if (this.bands.moves) {
      this.bands.lay(clock, this.shown);
      this.bands.place(this.bands.stops(this.aloneAs), this.shown);
    }
    const { view } = this.ctx.model;
    this.past.live = view.mode === 'live';
    this.eases = this.lights = false;
    this.ctx.attempt('past', () => (this.eases = this.past.paint(clock, this.peek.from?.millis ?? this.ctx.now())));
    if (!this.alone) this.ctx.attempt('worlds', () => (this.lights = this.worlds.draw(clock)));
  }

  /** Whether the past changes its scale, and whether a light fades on the maps. */
  eases = false;
  lights = false;

  /** In how many ms it is drawn again, if nothing comes until then: when the past has moved by a pixel, or at once while something else moves. */
  dueIn() {
    if (this.bands.moves || this.eases) return 0;
    const { speed } = this.ctx.model;
    return Math.min(this.lights ? lightMillis : Infinity, speed ? this.past.stepOf(speed) : Infinity);
  }
}
