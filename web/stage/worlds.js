// @ts-check
// Two maps of one size, the cluster and this store, and how many changes lie between them. An object has one place in both. Where they differ, a mark says how.
import { attr, h, put, reveal, Txt } from '../kit/dom.js';
import { exact, middle, seconds, span } from '../kit/format.js';
import { countApart, laneNames } from '../kit/fork.js';
import { openFind } from '../rows/indexmenu.js';
import { places } from '../wire/model.js';
import { forkCells, keyOf } from './forkcells.js';
import { markOf, WorldGrid } from './worldgrid.js';
import { WorldMap } from './worldmap.js';
import '../kit/words-worlds.js';

/** How long a change lights its cells, in ms, and how much later the store's where both changed at once. */
const lit = 900;
const later = 60;
/** A light fades in steps: a cell is drawn again only when its step is another one. */
const steps = 4;
const still = matchMedia('(prefers-reduced-motion: reduce)');
const sides = /** @type {const} */ (['cluster', 'store']);

/** When a light begins, Infinity for never, and the step that was drawn. @typedef {{from: number, step: number}} Light */

export class Worlds {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} root */
  constructor(ctx, root) {
    this.ctx = ctx;
    this.grid = new WorldGrid();
    const tell = { enter: this.enter.bind(this), choose: this.choose.bind(this) };
    this.maps = { cluster: new WorldMap('cluster', ctx, this.grid, tell), store: new WorldMap('store', ctx, this.grid, tell) };
    this.number = new Txt(h('b', { class: 'world-number' }));
    this.what = new Txt(h('span', { class: 'world-what' }));
    this.more = new Txt(h('span', { class: 'world-more' }));
    this.name = h('div', { class: 'world-name', hidden: '', 'aria-hidden': 'true' });
    /** How far the other store is from the cluster, where two releases are side by side. */
    this.other = new Txt(h('span', { class: 'world-more', 'data-lane': 1 }));
    const between = h('p', { class: 'world-between' }, this.number.el, h('span', { class: 'world-words' }, this.what.el, this.more.el, this.other.el));
    this.root = h('section', { class: 'worlds' }, this.maps.cluster.root, between, this.maps.store.root, this.name);
    root.append(this.root);
    /** By the first place of a square. @type {Map<number, Record<'cluster' | 'store', Light>>} */
    this.lights = new Map();
    /** The place under the pointer or the keyboard, and the map, if there is one. */
    this.pointed = -1;
    this.pointedKey = '';
    this.over = this.maps.cluster;
    /** The fork whose stores are drawn, and as what; null for none. @type {{fork: import('../wire/types.js').Fork, worlds: typeof ctx.model.worlds} | null} */
    this.forked = null;
    /** With what colours and letters the maps were drawn; empty: not yet. */
    this.inks = '';
    /** What was framed and named last. */
    this.marked = '';
  }

  /**
   * Puts the maps into a part of the root.
   * @param {{x: number, y: number, w: number, h: number, k: number, beside: boolean, dots: number}} at in CSS pixels, of which k are a unit, and each of which
   *   has so many dots. Beside: the maps stand side by side, with the words below them.
   */
  lay({ x, y, w, h: tall, k, beside, dots }) {
    Object.assign(this.root.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${tall}px` });
    this.root.style.setProperty('--k', String(k));
    this.root.classList.toggle('beside', beside);
    const wide = beside ? (w - 16 * k) / 2 : w;
    const high = beside ? tall - 52 * k : (tall - 136 * k) / 2;
    const size = { w: Math.max(1, Math.floor(wide * dots)), h: Math.max(1, Math.floor(high * dots)) };
    this.grid.resize(size.w, size.h, k * dots, dots);
    this.ctx.model.worlds.fresh = true;
    for (const side of sides) this.maps[side].resize(size, dots);
  }

  /** Brings the words to the model's moment. @param {number} clock of the page, in ms */
  paint(clock) {
    if (!this.grid.w) return;
    this.take(clock);
    this.mark();
    this.say();
    attr(this.more.el, 'title', this.more.words || null); // a narrow window has no room for all of it
  }

  /** Draws what changed, and what fades, once an animation frame. Returns whether a light fades still. @param {number} clock of the page, in ms */
  draw(clock) {
    if (!this.grid.w) return false;
    this.take(clock);
    this.fade(clock);
    this.mark();
    return this.lights.size > 0;
  }

  /** Draws the cells that changed. @param {number} clock @private */
  take(clock) {
    const { grid, lights, maps, ctx } = this;
    const worlds = this.source();
    const { h1, upd, bg } = ctx.scene.colour;
    const inks = `${h1} ${upd} ${bg} ${JSON.stringify(ctx.model.letters)}`;
    grid.canLabel = !this.forked;
    const changed = worlds.fresh || worlds.touched.size ? grid.take(worlds) : [];
    worlds.touched.clear();
    worlds.fresh = false;
    if (changed && inks === this.inks) {
      for (const square of new Set(changed.map(({ place }) => place - (place % grid.per)))) for (const side of sides) maps[side].draw(square);
      for (const { place, before } of changed) this.light(place, before, clock);
    } else {
      lights.clear();
      this.inks = inks;
      this.pointed = grid.find(this.pointedKey);
      for (const side of sides) maps[side].cursor = this.pointed;
      for (const side of sides) maps[side].drawAll();
    }
  }

  /** What is drawn: cluster and store, or the stores of a fork's two lanes. @private */
  source() {
    const { fork, worlds } = this.ctx.model;
    if (!fork) {
      if (this.forked) worlds.fresh = true;
      this.forked = null;
      return worlds;
    }
    if (this.forked?.fork !== fork) {
      const same = this.forked?.fork.stores.map === fork.stores.map;
      this.forked = { fork, worlds: { cells: same && this.forked ? this.forked.worlds.cells : forkCells(fork.stores), touched: new Set(), fresh: !same } };
    }
    return this.forked.worlds;
  }

  /** The squares of an object in both maps, in CSS pixels of the root; null if neither has it. @param {string} key */
  point(key) {
    const place = this.grid.find(key);
    if (place < 0) return null;
    const { cluster, store } = this.maps;
    return { cluster: cluster.boxOf(place, this.root), store: store.boxOf(place, this.root) };
  }

  /**
   * Lights the squares in which an object's version became another one.
   * @param {number} place @param {import('../wire/page-types.js').WorldCell | null} before
   * @param {number} clock @private
   */
  light(place, before, clock) {
    const cell = this.grid.cells[place];
    const square = place - (place % this.grid.per);
    if (!cell || still.matches) return void this.lights.delete(square);
    if (before?.key !== cell.key) before = null;
    const wrote = before ? cell.written !== before.written || ((cell.places ^ before.places) & places.cluster) > 0 : cell.written > 0;
    const stored = (cell.places & places.store) > 0 && cell.at !== before?.at;
    const old = this.lights.get(square) ?? { cluster: { from: Infinity, step: 0 }, store: { from: Infinity, step: 0 } };
    this.lights.set(square, {
      cluster: { from: wrote ? clock : old.cluster.from, step: 0 },
      store: { from: stored ? clock + (wrote ? later : 0) : old.store.from, step: 0 },
    });
  }

  /** @param {number} clock @private */
  fade(clock) {
    for (const [place, light] of this.lights) {
      let isOver = true;
      for (const side of sides) {
        const age = clock - light[side].from;
        const step = age >= 0 && age < lit ? Math.ceil(steps * (1 - age / lit)) : 0;
        if (age > -Infinity && age < lit) isOver = false;
        if (step === light[side].step) continue;
        light[side].step = step;
        this.maps[side].draw(place, step / steps);
      }
      if (isOver) this.lights.delete(place);
    }
  }

  /** @param {number} place @param {WorldMap} over */
  enter(place, over) {
    if (place === this.pointed && over === this.over) return;
    this.pointed = place;
    this.pointedKey = this.grid.cells[place]?.key ?? '';
    this.over = over;
    this.mark();
    this.ctx.repaint();
  }

  /** What is looked for; empty for nothing. */
  query = '';

  /** Finds objects by a part of their name; what lacks it is dim on both maps. */
  find() {
    const { grid, maps } = this;
    const keys = () => [...grid.byKey.keys()];
    const mark = (/** @type {string} */ query) => {
      this.query = query.trim().toLowerCase();
      for (const side of sides) {
        maps[side].query = this.query;
        maps[side].drawAll();
      }
    };
    openFind(this.ctx, maps.store.root, {
      keys, mark, query: () => this.query, matches: () => keys().filter((key) => key.toLowerCase().includes(this.query)).length,
      choose: (key) => this.ctx.select(key), asking: () => {},
    });
  }

  /** @param {number} place */
  choose(place) {
    const cell = this.grid.cells[place];
    const key = cell && this.forked ? keyOf(this.forked.fork.stores, cell.slot) : cell?.key;
    // Of an object that both lanes have the second one's shows: from there a press leads to the first one's.
    if (cell && key) this.ctx.select(key, this.forked ? Number((cell.places & places.store) > 0) : 0);
    this.mark();
  }

  /** Frames the selected object and the one pointed at, in both maps, and names that one. @private */
  mark() {
    const { grid, ctx, pointed, over } = this;
    const chosen = grid.find(ctx.selected());
    const cell = grid.cells[pointed];
    const name = this.nameOf(pointed, 26);
    const marked = `${grid.layouts} ${chosen} ${pointed} ${over.side} ${name}`;
    if (marked === this.marked) return;
    this.marked = marked;
    for (const side of sides) this.maps[side].mark(chosen, cell ? pointed : -1);
    reveal(this.name, !!cell);
    if (!cell) return;
    put(this.name, name);
    const box = over.boxOf(pointed, this.root);
    const x = Math.min(box.x - this.root.offsetLeft, this.root.offsetWidth - this.name.offsetWidth);
    Object.assign(this.name.style, { left: `${Math.max(0, x)}px`, top: `${box.y - this.root.offsetTop + box.h + 4}px` });
  }

  /** @param {number} place @param {number} room of the key, in characters @private */
  nameOf(place, room) {
    const { t } = this.ctx;
    const cell = this.grid.cells[place];
    if (!cell) return '';
    if (this.forked) {
      const { fork } = this.forked;
      const [lane, other] = laneNames(this.ctx, fork);
      const how = t(`worlds.fork.${markOf(cell.places)}`, { lane: cell.places & places.store ? other : lane });
      return [middle(keyOf(fork.stores, cell.slot), room), how].filter(Boolean).join(', ');
    }
    const mark = t(`worlds.mark.${markOf(cell.places)}`);
    return t('worlds.cellLabel', { k: middle(cell.key, room), m: cell.places & places.reduced ? `${mark}, ${t('worlds.reduced')}` : mark });
  }

  /** Writes the words of the moment that is painted. @private */
  say() {
    const { ctx, maps, grid } = this;
    const { model, t } = ctx;
    const { world, resource } = model.state;
    if (this.forked) {
      this.sayForked(this.forked.fork);
      return;
    }
    const from = { ...model.lane(0), now: ctx.now() };
    const isSeen = world.known !== 'written';
    const isOld = isSeen && !(world.watched && model.isSure());
    maps.cluster.title.set(t(isSeen ? 'worlds.seen' : 'worlds.cluster'));
    const [era, other] = model.lanes > 1 ? [model.state.era, model.lane(1)] : [];
    maps.store.title.set(era ? t('worlds.storeOf', { era }) : t('worlds.store'));
    const all = 'r=same resource.resource; n=exact';
    const one = world.objects === 1;
    if (!world.known) maps.cluster.count.set('');
    else if (world.unsent) maps.cluster.count.bind(from, `${all} world.objects; u=exact world.unsent`, one ? 't worlds.unsentOne' : 't worlds.unsent');
    else maps.cluster.count.bind(from, `${all} world.objects`, one ? 't worlds.object' : 't worlds.objects');
    maps.store.count.bind(from, `${all} indexer.count`, model.state.indexer.count === 1 ? 't worlds.object' : 't worlds.objects');
    this.sayApart(from, era ? t('worlds.whoseOf', { era }) : t('worlds.whose'));
    const { apart } = other?.state.world ?? {};
    if (!other?.state.world.known) this.other.set('');
    else this.other.bind({ ...other, now: from.now }, 'era=same era; n=exact world.apart', apart ? 't worlds.otherApart' : 't worlds.otherSame');
    const each = grid.per > 1 ? t('worlds.each', { n: exact(grid.per) }) : '';
    for (const side of sides) {
      const map = maps[side];
      const count = side === 'store' ? model.state.indexer.count : world.objects;
      map.empty.set(resource.resource && !grid.cells.length && (side === 'store' || world.known) ? t('worlds.none', { r: resource.resource }) : '');
      map.each.set(each);
      attr(map.count.el, 'title', map.count.words || null); // an ellipsis cuts it where maps stand side by side
      map.label(map === this.over && this.nameOf(this.pointed, 400)
        || t('worlds.mapLabel', { name: map.title.words, n: exact(count), r: resource.resource }) + (each && `, ${each}`));
    }
    reveal(maps.cluster.hatch, model.any && isOld);
  }

  /** Says how far the stores of a fork are apart. @param {import('../wire/types.js').Fork} fork @private */
  sayForked(fork) {
    const { ctx: { t, model }, maps, number, what, more, other } = this;
    const n = countApart(fork.stores);
    other.set('');
    laneNames(this.ctx, fork).forEach((name, i) => {
      const map = maps[sides[i]];
      map.title.set(t('worlds.storeIn', { lane: name }));
      map.count.set(t('worlds.objects', { n: exact(fork.stores.counts[i]), r: model.state.resource.resource }));
      map.empty.set('');
      map.each.set(this.grid.per > 1 ? t('worlds.each', { n: exact(this.grid.per) }) : '');
      map.label(map === this.over && this.nameOf(this.pointed, 400)
        || t('worlds.mapLabel', { name: map.title.words, n: exact(fork.stores.counts[i]), r: model.state.resource.resource }));
      reveal(map.hatch, false);
    });
    number.set(n ? exact(n) : '=');
    what.set(n ? t('worlds.differ', { n }) : t('worlds.sameStores'));
    more.set(fork.parting ? t('worlds.parted', { s: seconds(fork.parting.atMillis) }) : t(n ? 'worlds.parts' : 'worlds.notParted'));
  }

  /** Says what a plain list says of the store. @param {import('../wire/types.js').Opinion} o @private */
  sayListed(o) {
    const { ctx: { t, opinion }, ctx, number, what, more } = this;
    const s = span(ctx.now() - (opinion.now?.atMillis ?? ctx.now()));
    number.set(o.apart ? exact(o.apart) : '=');
    what.set(o.apart ? t('worlds.listApart', { n: o.apart }) : t('worlds.same'));
    more.set(t(o.apart ? 'worlds.listAgo' : 'worlds.listed', { s }));
  }

  /** Says how far the two are apart. @param {import('../kit/bind.js').From} from @param {string} store whose store it is, in words @private */
  sayApart(from, store) {
    const { ctx, number, what, more } = this;
    const { model, t } = ctx;
    const { world } = model.state;
    if (!world.known) {
      number.set('');
      what.set('');
      more.set(model.any ? t('worlds.unknown') : '');
      return;
    }
    const isSeen = world.known === 'seen';
    if (isSeen && ctx.opinion.onStage) return this.sayListed(ctx.opinion.onStage);
    if (world.apart) number.bind(from, 'world.apart', 'exact');
    else number.set('=');
    what.set(t(!world.apart ? 'worlds.same' : world.apart === 1 ? 'worlds.apartOne' : 'worlds.apart'));
    if (isSeen && !(world.watched && model.isSure())) more.bind(from, 's=span now - world.cameMillis max 0', 't worlds.old');
    else if (!world.apart && isSeen) more.bind(from, 's=span now - world.cameMillis max 0', 't worlds.sameSeen');
    else if (!world.apart) more.set(t(world.unsent ? 'worlds.sameSent' : 'worlds.sameAll', { store }));
    else if (world.apartObjects === 1) more.bind(from, 's=span now - world.oldestMillis max 0', world.apart === 1 ? 't worlds.ofOne' : 't worlds.ofOneMany');
    else more.bind(from, 'n=exact world.apartObjects; r=same resource.resource; s=span now - world.oldestMillis max 0', 't worlds.of');
  }
}
