// @ts-check
// The rows as they stand on the stage: what is drawn and pressed of each, the rail through them, and what leads from them to the maps.
import { attr, h, s, show, text } from '../kit/dom.js';
import { capitalize } from '../kit/format.js';
import { laneNames } from '../kit/fork.js';
import { width } from '../kit/measure.js';
import { areEqual } from '../kit/same.js';
import { isStarved, Rail, railWidth } from './rail.js';
import { many, RowParts } from './rowparts.js';
import { Rows, seatOf } from './rows.js';
import { leadPath, treePath } from './tree.js';

/** @typedef {import('./rows.js').Band} Band */
/** @typedef {import('../rows/parts.js').About} About */
/** @typedef {import('./rail.js').Stops} Stops */

/**
 * How the rows are shown: where there is room, the rows that something speaks of (null for all), and the row that has the window alone (empty for
 * none). `maps` are the places of the two maps, and `head` names the open one of several informers.
 * @typedef {{
 *   geometry: import('./geometry.js').Geometry, k: number, look: string[] | null, presenting: boolean, alone: string, named: string,
 *   maps: {y: number, h: number}[], head: () => string
 * }} Shown
 */

export class Bands {
  rows = new Rows();
  /** What is drawn and pressed of each row, by its id. @type {Map<string, RowParts>} */
  parts = new Map();
  /** The row that is open; empty for none. */
  open = '';
  /** Where the rows of the past are, as it knows. @type {unknown[]} */
  seats = [];

  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {import('./past.js').Past} past
   * @param {SVGElement} front what is drawn goes into
   * @param {(lane: number) => void} openInformer
   */
  constructor(ctx, past, front, openInformer) {
    this.ctx = ctx;
    this.past = past;
    this.front = front;
    this.openInformer = openInformer;
    this.list = h('div', { class: 'tracks-rows', role: 'list' });
    this.tree = s('path', { class: 'row-tree' });
    this.leaders = s('path', { class: 'now-leader' });
    front.append(this.tree, this.leaders);
    this.heads = [text(front, 0, 0, 'row-head'), text(front, 0, 0, 'row-head')];
    this.rail = new Rail(front);
  }

  get all() {
    return this.rows.bands;
  }

  /** Whether a row opens or shuts. */
  get moves() {
    return this.rows.moves;
  }

  /** Opens a row, or shuts it. @param {string} id */
  toggle = (id) => {
    this.open = this.open === id ? '' : id;
    this.ctx.repaint();
  };

  /** Forgets what was about to open or shut: there is another room. */
  reset() {
    this.rows.after.clear();
  }

  /** The rows of what shows: of several informers of a factory the one that has the stage. @param {string} alone @private */
  data(alone) {
    const { past: { rows }, factory, lanes } = this.ctx.model;
    if (alone) return rows.filter((r) => r.station === alone && r.lane === (factory?.shown ?? 0)).map((r) => ({ ...r, lane: 0 }));
    if (!factory) return rows.filter((r) => r.lane < lanes);
    return rows.map((r) => (r.station === 'informer' ? r : { ...r, lane: 0 }));
  }

  /** What prevents that something comes to the rows of each informer. @param {string} alone @returns {Stops[]} */
  stops(alone) {
    const { model } = this.ctx;
    const rows = this.data(alone);
    return Array.from({ length: model.lanes }, (_, i) => {
      const { state } = model.lane(i);
      const reflector = rows.find((r) => r.station === 'reflector' && r.lane === i);
      return {
        held: (stage, listener) => state.holds.some((x) => x.stage === stage && (x.listener ?? 0) === (listener ?? 0)),
        cut: state.reflector.phase === 'backoff' || state.reflector.phase === 'stopped',
        silent: !!reflector?.spans?.some((x) => x.kind === 'silent' && x.toMillis === null),
      };
    });
  }

  /** Lays the rows out. @param {number} clock @param {Shown} o */
  lay(clock, { geometry, k, look, presenting, alone, named }) {
    const { rows, past } = this;
    const quiet = (/** @type {{station: string}} */ row) => !!look && !look.includes(row.station);
    const box = { ...geometry.rows, named, ...(presenting && look?.length && { thin: quiet }) };
    rows.place(this.data(alone), box, clock, (id) => past.demand(id), this.ctx.still.matches || !!alone);
    const seats = rows.bands.map((b) => ({
      id: seatOf(b), y: b.y * k, h: b.h * k, goal: (rows.after.get(b.id) ?? b.h) * k, foot: (b.station === 'informer' ? 7 : 18) * k,
      quiet: quiet(b), name: this.nameBox(b, geometry, k),
    }));
    const flat = seats.flatMap((seat) => Object.values(seat).flat());
    if (!areEqual(flat, this.seats)) {
      this.seats = flat;
      past.place(seats);
    }
    const ids = new Set(rows.bands.map((b) => b.id));
    for (const [id, parts] of this.parts) {
      if (ids.has(id)) continue;
      parts.remove();
      this.parts.delete(id);
    }
  }

  /**
   * The box in the past that the name of a row or the heading of an informer covers. Undefined if it covers nothing of the past.
   * @param {Band} band @param {import('./geometry.js').Geometry} geometry @param {number} k
   * @returns {import('./lettering.js').Box | undefined} @private
   */
  nameBox({ id, y, head }, { phone, past }, k) {
    if (phone) return [past.x, y - 5, past.x + width(this.parts.get(id)?.name.textContent ?? '', '600 12px') + 4, y + (head ? 30 : 12)];
    return head ? [0, y * k, (past.x + 40) * k, (y + 20) * k] : undefined;
  }

  /**
   * Brings the words of all rows to a moment. Returns what the open one is about.
   * @param {Omit<About, 'row' | 'lane' | 'starved' | 'silent' | 'lit'>} common @param {string[] | null} look @param {Stops[]} stops
   * @returns {About | null}
   */
  paint(common, look, stops) {
    const { ctx: { model, t }, open } = this;
    attr(this.list, 'aria-label', t('row.list'));
    /** @type {About | null} */
    let opened = null;
    for (const band of this.all) {
      const lane = band.station === 'informer' ? 0 : band.lane;
      const stop = stops[lane] ?? stops[0];
      const about = {
        ...common, row: band, lane: { ...model.lane(lane), factory: model.factory ?? undefined, now: common.now }, starved: isStarved(band, stop),
        silent: stop.silent, lit: look ? look.includes(band.station) : undefined,
      };
      const done = this.ctx.attempt(`row ${band.id}`, () => {
        let parts = this.parts.get(band.id);
        if (!parts) this.parts.set(band.id, (parts = new RowParts(this.ctx, band, this)));
        parts.paint(about, open === band.id);
      });
      if (!done) this.parts.get(band.id)?.fail();
      if (open === band.id) opened = about;
    }
    if (!opened) this.open = '';
    return opened;
  }

  /** Puts everything that stands in a row, or between two, where the rows are now. @param {Stops[]} stops @param {Shown} o */
  place(stops, o) {
    const { all, ctx: { model } } = this;
    const { geometry: g, k } = o;
    const apart = stops.length > 1 ? g.apart : 0;
    this.rail.paint(all, g.x, stops, apart, (b) => b.waiting >= many);
    for (const [i, band] of all.entries()) {
      const parts = this.parts.get(band.id);
      if (!parts) continue;
      // Readers and the keyboard meet the rows from the top.
      if (this.list.children[i] !== parts.item) this.list.insertBefore(parts.item, this.list.children[i] ?? null);
      this.ctx.attempt(`row ${band.id}`, () => parts.place(band, g, apart, k));
    }
    attr(this.tree, 'd', apart || g.phone ? '' : treePath(all));
    const [cluster, store] = o.maps;
    const lead = (/** @type {string} */ station, /** @type {{y: number, h: number}} */ map, lane = 0) =>
      leadPath(all.find((b) => b.station === station && b.lane === lane), map, g.x + railWidth(apart), g.worlds.x - 6);
    const leads = model.fork ? lead('indexer', cluster, 0) + lead('indexer', store, 1) : lead('cluster', cluster) + lead('indexer', store);
    attr(this.leaders, 'd', g.phone ? '' : leads);
    this.placeHeads(apart, o);
  }

  /** Names each of two informers, and the open one of several. @param {number} apart @param {Shown} o @private */
  placeHeads(apart, { geometry: g, head: nameOpen }) {
    const { all, ctx } = this;
    const { factory, fork } = ctx.model;
    const headed = apart ? all.filter((b) => b.head) : factory ? all.slice(0, 1) : [];
    this.heads.forEach((head, i) => {
      const band = headed[i];
      show(head.el, !!band);
      if (!band) return;
      if (factory) return void head.moveTo(16, g.past.y + 14).set(g.phone ? '' : nameOpen());
      const { era, queue } = ctx.model.lane(band.lane).state;
      head.moveTo(g.phone ? 12 : 16, band.y + 14).set(fork ? capitalize(laneNames(ctx, fork)[band.lane]) : ctx.t('row.era', { era, queue: queue.kind }));
    });
  }
}
