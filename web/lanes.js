// @ts-check
// Two eras side by side: one wire that forks, two informers under each other, and what their handlers received compared
// with what was sent. The orders are read from the journeys of the objects, which the worker folds for the moment shown,
// so they hold at any moment that is stepped or dragged to.
import { attr, h, place, s, show, text } from './dom.js';
import { bigVersion, exact, middle, seconds, span, version, wrap } from './format.js';
import { kindOf } from './glyphs.js';
import { emptyState } from './model.js';
import { Runner } from './runner.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {{key: string, rv: string, op: string, seq: number, letter: string, label: string, n: number}} Change */
/** @typedef {{at: number, seq: number, c: Change, op: string}} Step */
/**
 * What one lane made of the changes: which were taken together, what its store went through, what its handler was given.
 * @typedef {{pops: {seq: number, of: number, items: Change[]}[], stored: Step[], got: Step[]}} Told
 */

const tops = [152, 372];
const keptFrames = 3000;
/** The columns of the comparison hold as many changes as this. */
const most = 6;
/** A burst stays on the stage for as long as this after its release, in ms of the log. */
const stays = 180e3;

export class Lanes {
  /**
   * @param {import('./types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    /** Whether there are two lanes. */
    this.on = false;
    /** The second lane's state; the first is the model's. @type {State} */
    this.second = emptyState();
    /** Changes that went over the wire, by the seq of the first frame that carried them. @type {Map<number, {seq: number, key: string, rv: string, op: string, lanes: number}>} */
    this.frames = new Map();
    /** @type {Map<string, number>} */
    this.byChange = new Map();
    this.lastBookmark = 0;
    /** @type {Map<string, import('./types.js').Hop[]>} */
    this.hops = new Map();
    this.asked = '';
    this.askAt = 0;
    this.asking = false;
    /** @type {{changes: Change[], held: boolean, total: number, id: string}} */
    this.episode = { changes: [], held: false, total: 0, id: '' };
    this.freeAt = -1e9;
    this.busy = false;
    this.drawn = '';
    const root = h('section', { class: 'lanesv', hidden: '', 'aria-label': '1.31, 1.37' });
    this.root = root;
    const svg = s('svg', { class: 'stage', viewBox: '0 0 1280 720' });
    root.append(svg);
    const g = svg;
    this.fixed = { api: text(g, 16, 68, 'ti'), refl: text(g, 156, 68, 'ti'), queue: text(g, 330, 68, 'ti'), idx: text(g, 576, 68, 'ti'), lis: text(g, 790, 68, 'ti') };
    text(g, 16, 96, 'l').set('rv');
    this.rv = text(g, 34, 96, 'num');
    this.who = text(g, 1264, 68, 'l', 'end');
    g.append(s('rect', { x: 16, y: 196, width: 100, height: 342, rx: 4, class: 'pn' }), s('rect', { x: 790, y: 106, width: 474, height: 432, rx: 4, class: 'pn' }));
    this.sentHead = text(g, 26, 218, 'l');
    this.lanes = tops.map((y) => {
      const path = (/** @type {string} */ d, /** @type {string} */ cls) => {
        const p = s('path', { d, class: cls });
        g.append(p);
        return p;
      };
      const wire = path(y === 152 ? 'M30 152H320' : 'M132 152V364Q132 372 140 372H320', 'rail');
      const store = path(`M320 ${y}H564`, 'rail');
      const pop = path(`M564 ${y}H790`, 'rail');
      const fan = path(`M790 ${y}H814`, 'rail');
      path(`M231 ${y + 9}V${y + 36}M441 ${y + 12}V${y + 36}M671 ${y + 9}V${y + 36}`, 'stem');
      for (const x of [231, 671]) g.append(s('circle', { cx: x, cy: y, r: 9, class: 'node' }), s('circle', { cx: x, cy: y, r: 3.5, class: 'nodedot' }));
      g.append(s('rect', { x: 156, y: y + 36, width: 150, height: 118, rx: 4, class: 'pn' }), s('rect', { x: 330, y: y + 36, width: 222, height: 118, rx: 4, class: 'pn' }), s('rect', { x: 576, y: y + 36, width: 190, height: 118, rx: 4, class: 'pn' }));
      path(`M798 ${y - 11}V${y + 11}M806 ${y - 11}V${y + 11}`, 'gate');
      g.append(s('rect', { x: 814, y: y - 18, width: 60, height: 36, rx: 4, class: 'hbox' }));
      const lamp = s('circle', { cx: 228, cy: y + 84, r: 4, class: 'lamp' });
      g.append(lamp);
      text(g, 166, y + 62, 'l').set('rv');
      return {
        y, wire, store, pop, fan, lamp,
        era: text(g, 156, y - 26, 'num'), how: text(g, 212, y - 26, 'l'), rv: text(g, 182, y + 62, 'n20'), phase: text(g, 166, y + 88, 'l t1'),
        lists: text(g, 166, y + 116, 'n16'), listsL: text(g, 184, y + 116, 'l'), watches: text(g, 236, y + 116, 'n16'), watchesL: text(g, 254, y + 116, 'l'), req: text(g, 166, y + 140, 'm2'),
        kind: text(g, 330, y - 26, 'ti'), kindWhy: text(g, 552, y - 26, 'l', 'end'), took: text(g, 340, y + 56, 'l'), more: text(g, 542, y + 56, 'l', 'end'),
        count: text(g, 756, y + 67, 'l', 'end'), said: [0, 1, 2].map((i) => text(g, 586, y + 100 + 17 * i, 'l')),
        time: text(g, 844, y + 5, 't14', 'middle'), recv: text(g, 814, y + 38, 'l'), held: text(g, 578, y - 14, 'l t1'),
      };
    });
    g.append(s('path', { d: 'M26 145V159', class: 'srcbar' }), s('circle', { cx: 132, cy: 152, r: 4, class: 'fork' }));
    this.asSent = text(g, 814, 266, 'l t1');
    this.code = [448, 496].map((y) => ({ era: text(g, 814, y, 't14'), calls: text(g, 864, y, 'm1'), note: text(g, 864, y + 18, 'l') }));
    this.empty = [0, 1, 2].map((i) => text(g, 930, 252 + 20 * i, 'c14'));
    this.legend = [0, 1, 2].map((i) => text(g, 26, 458 + 18 * i, 'm1'));
    this.truth = [text(g, 26, 420, 'l t1'), text(g, 26, 435, 'l t1')];
    this.dyn = s('g');
    g.append(this.dyn);
    this.slots = s('g');
    g.append(this.slots);
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'layer' }));
    root.append(this.canvas);
    this.runner = new Runner(this.canvas, this.ctx, 1280, 720, 22);
    /** @type {{stage: string, el: HTMLElement}[]} */
    this.pins = [];
    for (const y of tops) {
      for (const [stage, x] of /** @type {[string, number][]} */ ([['store', 320], ['pop', 564], ['deliver', 790]])) {
        const el = h('button', { class: 'pin', type: 'button', 'aria-pressed': 'false' });
        place(el, x - 8, y - 24, 16, 36);
        el.append(s('svg', { viewBox: '0 0 16 52', 'aria-hidden': 'true' },
          s('g', { class: 'idle' }, s('path', { d: 'M8 29V21', class: 'hhs' }), s('circle', { cx: 8, cy: 18, r: 3, class: 'hhd' })),
          s('g', { class: 'held' }, s('rect', { x: 5.5, y: 17, width: 5, height: 34, rx: 1.5, class: 'hbar' }), s('use', { href: '#i-hold', x: -1, y: 1, width: 18, height: 18, class: 'ic c1' }))));
        el.addEventListener('click', () => {
          const id = stage === 'deliver' ? this.printer()?.id : undefined;
          const args = id === undefined ? [] : [id];
          if (this.ctx.model.hold(stage, id)) this.ctx.act('release', stage, 0, ...args);
          else this.ctx.act('hold', stage, ...args);
        });
        root.append(el);
        this.pins.push({ stage, el });
      }
    }
    this.release = tops.map((y) => {
      const b = h('button', { class: 'sbtn fill', type: 'button', hidden: '' });
      place(b, 578, y + 9, 72, 24);
      b.addEventListener('click', () => this.ctx.act('release', 'pop', 0));
      root.append(b);
      return b;
    });
    this.burstB = h('button', { class: 'sbtn line', type: 'button' });
    place(this.burstB, 26, 506, 80, 24);
    this.burstB.addEventListener('click', () => (this.ctx.model.hold('pop') ? this.ctx.act('release', 'pop', 0) : this.burst()));
    root.append(this.burstB);
    app.append(root);
  }

  /** @param {number} i @returns {State} */
  state(i) {
    return i ? this.second : this.ctx.model.state;
  }

  printer() {
    return this.ctx.model.state.listeners.find((l) => !l.removed);
  }

  /** Takes a frame in, whether the view shows or not. @param {import('./types.js').Frame} frame */
  apply(frame) {
    const m = this.ctx.model;
    const was = this.on;
    this.on = (frame.lanes?.length ?? 0) > 1;
    const st = frame.lanes?.[1]?.state;
    if (st) {
      /** @type {any} */
      const x = st;
      if (x.queue) for (const k of ['items', 'batch', 'lastBatch']) x.queue[k] ??= [];
      if ('listeners' in x) x.listeners ??= [];
      Object.assign(this.second, x);
    }
    m.eras = this.on ? [m.state.era, this.second.era] : [];
    if (frame.timeline?.reset) this.forget();
    if (!this.on) {
      if (was) this.forget();
      return;
    }
    for (let i = m.state.api.wire.length - 1; i >= 0; i--) {
      const w = m.state.api.wire[i];
      if (w.op === 'Bookmark') this.lastBookmark = Math.max(this.lastBookmark, w.seq);
      if (!w.key) continue;
      const id = `${w.key}\n${w.rv}`;
      const first = this.byChange.get(id);
      const known = first === undefined ? undefined : this.frames.get(first);
      if (!known) {
        this.byChange.set(id, w.seq);
        this.frames.set(w.seq, { seq: w.seq, key: w.key, rv: w.rv, op: w.op, lanes: 1 });
      } else if (w.seq > known.seq) known.lanes = 2;
    }
    if (this.frames.size > keptFrames) {
      for (const [seq, f] of this.frames) {
        this.frames.delete(seq);
        this.byChange.delete(`${f.key}\n${f.rv}`);
        if (this.frames.size < keptFrames / 2) break;
      }
    }
    if (frame.jump) {
      this.runner.clear();
      this.freeAt = -1e9;
      return;
    }
    const id = this.printer()?.id;
    for (let i = 0; i < 2; i++) {
      const y = tops[i];
      for (const mv of frame.lanes[i].moves ?? []) {
        const label = mv.k ? this.episode.changes.find((c) => c.key === mv.k && c.rv === mv.rv)?.label : undefined;
        const o = { id: String(i), label };
        if (mv.p === 'wire') this.runner.add(mv, y === 152 ? [42, 152, 220, 152] : [42, 152, 132, 152, 132, 372, 220, 372], o);
        else if (mv.p === 'store') this.runner.add(mv, [244, y, Math.max(398, 542 - 24 * Math.min(6, Math.max(0, this.state(i).queue.depth - 1))), y], { ...o, before: 'wire' });
        else if (mv.p === 'pop') this.runner.add(mv, [552, y, 660, y], { ...o, before: 'store' });
        else if (mv.p === 'fan' && mv.l === id) this.runner.add(mv, [682, y, 796, y], { ...o, before: 'pop' });
      }
    }
  }

  /** @private */
  forget() {
    this.frames.clear();
    this.byChange.clear();
    this.hops.clear();
    this.asked = '';
    this.lastBookmark = 0;
    this.episode = { changes: [], held: false, total: 0, id: '' };
    this.runner.clear();
  }

  /** Which changes are compared: those that came while Pop was held last, or the newest few. @param {number} clock @private */
  choose(clock) {
    const m = this.ctx.model;
    const at = m.view.seq;
    let from = 0;
    let to = 0;
    let began = 0;
    for (const k of m.marks) {
      if (k.kind !== 'hold' || k.text !== 'pop' || k.seq > at) continue;
      if (k.on) {
        from = k.seq;
        to = 0;
        began = k.atMillis;
      } else {
        to = k.seq;
        began = k.atMillis;
      }
    }
    const held = from > 0 && !to;
    const seen = new Set();
    /** @type {{seq: number, key: string, rv: string, op: string, lanes: number}[]} */
    let list = [];
    for (const f of this.frames.values()) {
      if (f.seq > from && f.seq <= (to || at) && f.seq <= at) list.push(f);
    }
    const burst = from > 0 && (held || m.view.atMillis - began < stays) && (held || list.length > 0);
    if (!burst) {
      // What flows by is compared a few changes at a time, slowly enough to read.
      if (clock - this.freeAt < 2500 && m.view.mode !== 'paused') return;
      this.freeAt = clock;
      list = [...this.frames.values()].filter((f) => f.seq <= at && f.lanes > 1);
      list.sort((a, b) => a.seq - b.seq);
      list = list.slice(-4);
    } else list.sort((a, b) => a.seq - b.seq);
    const total = list.length;
    /** @type {Map<string, string>} */
    const letters = new Map();
    const changes = list.slice(0, most).map((f, i) => {
      let letter = letters.get(f.key);
      if (!letter) letters.set(f.key, (letter = 'ABCDEFGHIJ'[letters.size] ?? '?'));
      seen.add(f.key);
      return { key: f.key, rv: f.rv, op: f.op, seq: f.seq, letter, label: letter + (i + 1), n: i + 1 };
    });
    this.episode = { changes, held, total, id: changes.map((c) => `${c.key} ${c.rv}`).join('|') };
  }

  /** Asks for the journeys of the objects compared, at most ten times a second. @param {number} clock @private */
  ask(clock) {
    const { changes } = this.episode;
    const v = this.ctx.model.view;
    // Nothing new can have happened to them while the queues, the stores and the handlers stand where they stood.
    const st = [0, 1].map((i) => {
      const x = this.state(i);
      const l = x.listeners.find((q) => q.id === this.printer()?.id);
      return `${x.queue.pops} ${x.queue.depth} ${l?.delivered} ${l?.handled} ${x.indexer.count}`;
    });
    const id = `${this.episode.id}|${st.join('|')}|${v.mode === 'paused' ? v.seq : ''}`;
    if (id === this.asked || this.asking || clock - this.askAt < 100) return;
    this.asked = id;
    this.askAt = clock;
    const keys = [...new Set(changes.map((c) => c.key))];
    if (!keys.length) return;
    this.asking = true;
    Promise.all(keys.map((k) => this.ctx.call('object', k, 1).catch(() => this.ctx.call('object', k, 0)).then((o) => /** @type {[string, any]} */ ([k, o?.journey ?? []]), () => /** @type {[string, any]} */ ([k, []]))))
      .then((all) => {
        this.hops = new Map(all);
        this.asking = false;
      });
  }

  /** @param {number} lane @returns {Told} @private */
  told(lane) {
    const { changes } = this.episode;
    const first = changes[0]?.seq ?? 0;
    const printer = this.printer()?.id;
    const pops = /** @type {{seq: number, of: number, items: Change[]}[]} */ ([]);
    /** @type {Step[]} */
    const stored = [];
    /** @type {Step[]} */
    const got = [];
    for (const [key, hops] of this.hops) {
      for (const hp of hops) {
        if (hp.lane !== lane || hp.seq < first) continue;
        if (hp.kind === 'Popped') {
          if (!pops.some((p) => p.seq === hp.seq)) pops.push({ seq: hp.seq, of: hp.of ?? 1, items: [] });
          continue;
        }
        const isStore = hp.stage === 'indexer' && hp.kind.startsWith('Store');
        const isGot = hp.kind === 'Handling' && hp.listener === printer;
        if (!isStore && !isGot) continue;
        const c = changes.find((x) => x.key === key && (x.rv === hp.rv || (x.op === 'Deleted' && hp.op === 'Deleted')));
        if (!c) continue;
        const list = isStore ? stored : got;
        if (list.some((x) => x.c === c)) continue;
        list.push({ at: hp.atMillis, seq: hp.seq, c, op: isGot ? hp.op || c.op : hp.kind === 'StoreAdded' ? 'Added' : hp.kind === 'StoreDeleted' ? 'Deleted' : 'Updated' });
      }
    }
    pops.sort((a, b) => a.seq - b.seq);
    stored.sort((a, b) => a.seq - b.seq);
    got.sort((a, b) => a.seq - b.seq);
    for (const x of stored) {
      let into = null;
      for (const p of pops) if (p.seq <= x.seq) into = p;
      into?.items.push(x.c);
    }
    return { pops: pops.filter((p) => p.items.length), stored, got };
  }

  /** Where a lane's store held a later change while an earlier one was missing. @param {Told} x @private */
  overtaken(x) {
    for (let i = 0; i < x.stored.length; i++) {
      for (let j = i + 1; j < x.stored.length; j++) {
        const a = x.stored[i];
        const b = x.stored[j];
        if (a.c.n > b.c.n) return { a: a.c, b: b.c, ms: b.at - a.at };
      }
    }
    return null;
  }

  /** The sentence for this moment, and an id that tells one thing from another. @returns {[string, string] | null} */
  caption() {
    if (!this.on) return null;
    const { t } = this.ctx;
    const st = this.ctx.model.state;
    if (st.source.trouble || st.reflector.phase === 'backoff') return null;
    const over = this.over;
    if (this.episode.held) {
      const n = this.episode.total;
      const keys = new Set(this.episode.changes.map((c) => c.key)).size;
      return n ? ['lanesHeld', t('cap.lanesHeld', { n: exact(n), k: exact(keys) })] : ['lanesHeld0', t('cap.lanesHeldNone')];
    }
    if (over && [st.queue.kind, this.second.queue.kind].includes('DeltaFIFO')) return ['lanesOver', t('cap.lanesOver', { k: over.a.letter, a: over.a.label, b: over.b.label })];
    if (this.episode.changes.length > 1) return ['lanesSame', t('cap.lanesSame')];
    return ['lanesIdle', t('cap.lanesIdle', { a: st.era, b: this.second.era })];
  }

  /** Makes a burst of changes in which one object changes around another, behind a held Pop. */
  async burst() {
    const { ctx } = this;
    if (this.busy) return;
    this.busy = true;
    const m = ctx.model;
    const wait = (/** @type {() => boolean} */ done, /** @type {number} */ ms) => new Promise((res) => {
      const until = performance.now() + ms;
      const look = () => (done() || performance.now() > until ? res(undefined) : requestAnimationFrame(look));
      look();
    });
    try {
      if (m.view.mode !== 'live') await ctx.act('live');
      if ((m.state.source.rate ?? 0) > 0 || m.state.api.writesPerSecond > 1) await ctx.act('cluster', 'rate', { perSecond: 0 });
      await ctx.act('hold', 'pop');
      await wait(() => !!m.hold('pop'), 1500);
      const crossed = () => {
        const c = this.episode.changes;
        return c.some((x, i) => c.some((y, j) => j > i + 1 && y.key === x.key && c.slice(i + 1, j).some((z) => z.key !== x.key)));
      };
      if (m.state.resource.resource === 'pods' && m.state.indexer.count <= 4) {
        for (let i = 0; i < 4 && !crossed(); i++) {
          const was = this.episode.total;
          const n = i ? 1 : 3;
          await ctx.act('cluster', 'burst', { n });
          await wait(() => this.episode.total >= was + n, 800);
        }
      } else {
        // Two new deployments: the pod of each is added, scheduled and started while the other's is.
        const ns = m.state.resource.namespace || 'shop';
        const name = (/** @type {number} */ i) => `${['alpha', 'beta', 'gamma', 'delta'][i % 4]}-${this.serial++}`;
        await Promise.all([0, 1].map((i) => ctx.act('cluster', 'create', { namespace: ns, name: name(i), replicas: 1 })));
      }
    } finally {
      this.busy = false;
    }
  }

  serial = 1;

  resize() {
    this.runner.resize(this.ctx.scene.k);
    this.drawn = '';
  }

  /** @param {number} clock */
  draw(clock) {
    if (!this.root.hidden) this.runner.draw(clock);
  }

  /** @param {number} clock */
  paint(clock) {
    const { t, model } = this.ctx;
    this.choose(clock);
    this.ask(clock);
    const st = model.state;
    const f = this.fixed;
    f.api.set('API server');
    f.refl.set('Reflector');
    f.queue.set('Queue');
    f.idx.set('Indexer');
    f.lis.set('Listener');
    this.rv.set(bigVersion(st.api.resourceVersion), st.api.resourceVersion);
    this.who.set(t('lanes.listener', { name: this.printer()?.name ?? '—' }));
    this.sentHead.set(t('lanes.sent'));
    this.asSent.set(this.episode.changes.length ? t('lanes.asSent') : '');
    this.truth[0].set(t('lanes.one'));
    this.truth[1].set(t('lanes.two'));
    const pop = model.hold('pop');
    const down = model.down();
    this.lanes.forEach((o, i) => {
      const x = this.state(i);
      const r = x.reflector;
      o.era.set(x.era);
      o.how.set(r.lists ? 'LIST + WATCH' : r.watches ? 'WatchList' : '');
      o.rv.set(version(r.resourceVersion, 9), r.resourceVersion);
      o.phase.set(r.phase);
      attr(o.lamp, 'class', r.phase === 'watching' ? 'lamp on' : r.phase === 'backoff' ? 'lamp w' : 'lamp');
      attr(o.lamp, 'cx', 178 + 6.6 * r.phase.length);
      o.lists.set(exact(r.lists));
      o.listsL.at(166 + 6 + 9 * exact(r.lists).length, o.y + 116).set(r.lists === 1 ? 'list' : 'lists');
      o.watches.set(exact(r.watches));
      o.watchesL.at(236 + 6 + 9 * exact(r.watches).length, o.y + 116).set(r.watches === 1 ? 'watch' : 'watches');
      o.req.set(r.lists ? 'rv=0, then watch' : r.watches ? 'sendInitialEvents' : '');
      const delta = x.queue.kind === 'DeltaFIFO';
      o.kind.set(x.queue.kind);
      o.kindWhy.set(t(delta ? 'lanes.byKey' : 'lanes.arrival'));
      const lis = x.listeners.find((l) => l.id === this.printer()?.id);
      o.time.set(lis && (lis.handled || lis.meanMicros) ? span(lis.meanMicros / 1000) : '—');
      o.recv.set(t('lanes.received'));
      attr(o.wire, 'class', down ? 'rail dead' : 'rail');
      attr(o.store, 'class', model.hold('store') ? 'rail starve' : 'rail');
      attr(o.pop, 'class', pop ? 'rail starve' : 'rail');
      attr(o.fan, 'class', pop || model.hold('deliver', this.printer()?.id) ? 'rail starve' : 'rail');
      o.held.set(pop ? `${t('lanes.held')}, ${seconds(this.ctx.now() - pop.sinceMillis)}` : '');
      this.release[i].hidden = !pop;
      if (this.release[i].textContent !== t('lanes.release')) this.release[i].textContent = t('lanes.release');
      attr(this.release[i], 'title', t('lanes.releaseTitle'));
    });
    for (const p of this.pins) {
      const id = p.stage === 'deliver' ? this.printer()?.id : undefined;
      attr(p.el, 'aria-pressed', String(!!model.hold(p.stage, id)));
      attr(p.el, 'aria-label', t('hold.' + p.stage, { name: this.printer()?.name ?? '' }));
      attr(p.el, 'title', t('hold.' + p.stage, { name: this.printer()?.name ?? '' }));
    }
    this.burstB.hidden = st.source.kind !== 'sim';
    const word = t(pop ? 'lanes.release' : 'lanes.burst');
    if (this.burstB.textContent !== word) this.burstB.textContent = word;
    attr(this.burstB, 'class', pop ? 'sbtn fill' : 'sbtn line');
    attr(this.burstB, 'title', t(pop ? 'lanes.releaseTitle' : 'lanes.burstTitle'));
    this.compare();
    this.paintSlots();
  }

  /** The queues' seats on the rail, in their order. @private */
  paintSlots() {
    const sig = [0, 1].map((i) => this.state(i).queue.items.slice(0, 7).map((q) => `${q.op}${q.key}${q.rv}${q.deltas?.length ?? 0}`).join(',')).join('|') + this.episode.id;
    if (sig === this.slotsDrawn) return;
    this.slotsDrawn = sig;
    this.slots.replaceChildren();
    for (let i = 0; i < 2; i++) {
      const q = this.state(i).queue;
      const y = tops[i];
      for (let j = 6; j >= 0; j--) {
        const x = 532 - 24 * j;
        const it = q.items[j];
        if (!it) {
          this.slots.append(s('rect', { x, y: y - 10, width: 20, height: 20, rx: 4, class: 'slot off' }));
          continue;
        }
        const kind = kindOf(it.op);
        const c = this.episode.changes.find((e) => e.key === it.key && (e.rv === it.rv || (it.deltas?.length ?? 0) > 1));
        for (let d = Math.min(2, (it.deltas?.length ?? 1) - 1); d > 0; d--) this.slots.append(s('rect', { x: x - 3 * d, y: y - 10 - 3 * d, width: 20, height: 20, rx: 4, class: 'ch-stack k-' + kind }));
        this.slots.append(s('rect', { x, y: y - 10, width: 20, height: 20, rx: 4, class: 'ch rs k-' + kind }));
        if (c) {
          const w = text(this.slots, x + 10, y + 4, 'l t1 lb', 'middle');
          w.set((it.deltas?.length ?? 0) > 1 ? c.letter : c.label);
        } else this.slots.append(s('use', { href: '#g-' + kind, x: x + 3.2, y: y - 6.8, width: 13.6, height: 13.6, class: 'gl k-' + kind }));
      }
    }
  }

  slotsDrawn = '';

  /**
   * A chip with the name of a change.
   * @param {number} x @param {number} y @param {number} w @param {number} hh @param {Change} c @param {string} op @param {string} size
   * @private
   */
  chip(x, y, w, hh, c, op, size) {
    const kind = kindOf(op);
    const gs = Math.min(hh * 0.58, w * 0.36);
    const g = s('g', {}, s('rect', { x, y, width: w, height: hh, rx: 4, class: 'ch rs k-' + kind }));
    g.append(s('title', {}, `${c.label}: ${op} ${c.key}, rv ${c.rv}`));
    const bare = w < 36;
    if (!bare) g.append(s('use', { href: '#g-' + kind, x: x + (w < 46 ? 3 : 5), y: y + (hh - gs) / 2, width: gs, height: gs, class: 'gl k-' + kind }));
    text(g, bare ? x + w / 2 : x + w - (w < 46 ? 4 : 6), y + hh / 2 + (size === 'n20' ? 7 : 5), size, bare ? 'middle' : 'end').set(c.label);
    this.dyn.append(g);
    return g;
  }

  /** @type {{a: Change, b: Change, ms: number} | null} */
  over = null;
  /** What the journeys told, kept until they are read anew. @type {Told[]} */
  read = [{ pops: [], stored: [], got: [] }, { pops: [], stored: [], got: [] }];
  /** @type {Map<string, import('./types.js').Hop[]> | null} */
  readHops = null;
  readId = '';

  /** @private */
  compare() {
    const { t } = this.ctx;
    const { changes } = this.episode;
    const n = changes.length;
    if (this.hops !== this.readHops || this.episode.id !== this.readId) {
      this.readHops = this.hops;
      this.readId = this.episode.id;
      this.read = [this.told(0), this.told(1)];
    }
    const told = this.read;
    this.lanes.forEach((o, i) => {
      const st = this.state(i);
      const held = new Set(told[i].stored.map((q) => q.c.key)).size;
      o.count.set(held > 2 ? '' : st.indexer.resourceVersion ? 'rv ' + version(st.indexer.resourceVersion, held ? 6 : 9) : held ? t('lanes.keepsNone') : t('lanes.objects', { n: exact(st.indexer.count) }), st.indexer.resourceVersion);
    });
    const sig = [this.episode.id, this.episode.held, this.episode.total, t('lanes.took'), this.ctx.model.state.source.kind, ...told.map((x, i) => `${x.pops.map((p) => p.items.map((c) => c.n)).join('/')};${x.got.map((g) => g.c.n + g.op)};${x.stored.map((g) => g.c.n)};${this.state(i).indexer.resourceVersion};${this.state(i).indexer.count}`)].join('#');
    if (sig === this.drawn) return;
    this.drawn = sig;
    this.dyn.replaceChildren();
    const rows = told.map((x) => this.overtaken(x));
    this.over = rows[0] ?? rows[1];
    // Sent.
    const pitch = n <= 3 ? 54 : 29;
    changes.forEach((c, i) => {
      this.chip(26, 229 + pitch * i, 48, 26, c, c.op, 't14');
      if (n <= 3) text(this.dyn, 26, 229 + pitch * i + 42, 'm2').set('rv ' + version(c.rv, 7), c.rv);
    });
    this.dyn.append(s('path', { d: 'M26 405.5H106', class: 'hair' }));
    const keys = [...new Map(changes.map((c) => [c.letter, c.key])).entries()];
    this.legend.forEach((l, i) => l.set(keys[i] ? `${keys[i][0]} ${middle(keys[i][1].replace(/^.*\//, ''), 9)}` : '', keys[i]?.[1]));
    // Queue and store.
    this.lanes.forEach((o, i) => {
      const x = told[i];
      const st = this.state(i);
      const delta = st.queue.kind === 'DeltaFIFO';
      /** @type {{name: string, items: Change[], all: string}[]} */
      let lines = [];
      const waiting = !x.pops.length && this.episode.held;
      o.took.set(t(waiting ? 'lanes.waits' : 'lanes.took'));
      const one = delta || st.era === '1.33';
      if (waiting) {
        if (delta) lines = keys.map(([k]) => ({ name: t('lanes.key', { k }), items: changes.filter((c) => c.letter === k), all: '' }));
        else if (n) lines = [{ name: t('lanes.line'), items: changes, all: '' }];
      } else {
        lines = x.pops.map((p, j) => ({ name: t(one ? 'lanes.pop' : 'lanes.batch', { n: j + 1 }), items: p.items, all: '' }));
        if (delta && lines.length) {
          const last = lines[lines.length - 1];
          if (last.items.length === 1 && lines.length > 1 && this.episode.total <= n) last.all = t('lanes.allOf', { k: last.items[0].letter });
        }
      }
      /** @type {{name: string, items: Change[], all: string, first: boolean, last: boolean}[]} */
      const flat = [];
      for (const l of lines) for (let j = 0; j < l.items.length; j += 3) flat.push({ ...l, name: j ? '' : l.name, items: l.items.slice(j, j + 3), first: j === 0, last: j + 3 >= l.items.length });
      const room = 4;
      const shown = flat.slice(0, room);
      const hidden = flat.slice(room).reduce((a, l) => a + l.items.length, 0) + Math.max(0, this.episode.total - n);
      o.more.set(hidden ? t('lanes.more', { n: exact(hidden) }) : '');
      const step = shown.length <= 2 ? 40 : shown.length === 3 ? 29 : 22;
      const ch = Math.min(26, step - 3);
      shown.forEach((l, j) => {
        const top = o.y + (shown.length <= 2 ? 69 : 63) + step * j;
        if (l.name) text(this.dyn, 340, top + ch / 2 + 4, 'l t1').set(l.name);
        const a = top - 2;
        const b = top + ch + 2;
        this.dyn.append(s('path', { d: `${l.first ? `M407 ${a}H403` : `M403 ${a - 1}`}V${b}${l.last ? 'H407' : ''}`, class: 'brk' }));
        const w = l.items.length > 2 ? 42 : 50;
        l.items.forEach((c, q) => this.chip(412 + (w + 3) * q, top, w, ch, c, opAt(x, c), ch < 22 ? 'l t1 lb' : 't14'));
        if (l.all) text(this.dyn, 412 + (w + 3) * l.items.length + 6, top + ch / 2 + 4, 'l').set(l.all);
      });
      // The newest stored state of each object.
      /** @type {Map<string, Step>} */
      const newest = new Map();
      for (const q of x.stored) newest.set(q.c.key, q);
      const held = [...newest.values()].slice(0, 3);
      held.forEach((q, j) => this.chip(586 + 50 * j, o.y + 49, 46, 26, q.c, q.op, 't14'));
      o.count.set(held.length > 2 ? '' : st.indexer.resourceVersion ? 'rv ' + version(st.indexer.resourceVersion, held.length ? 6 : 9) : held.length ? t('lanes.keepsNone') : t('lanes.objects', { n: exact(st.indexer.count) }), st.indexer.resourceVersion);
      const odd = rows[i];
      const words = odd ? t(odd.ms < 0.05 ? 'lanes.neverMoment' : 'lanes.never', { s: span(odd.ms), a: odd.a.label, b: odd.b.label }) : held.length ? t('lanes.always') : n ? t('lanes.asOf') : '';
      const split = wrap(words, 174, 3);
      o.said.forEach((q, j) => q.cls(odd ? 'l t1' : 'l').set(split[j] ?? ''));
    });
    // Received, sent, received.
    const wide = n <= 3 ? 76 : n <= 4 ? 64 : 50;
    const cell = n <= 3 ? 116 : 348 / n;
    const left = n <= 3 ? 928 : 904 + (cell - wide) / 2;
    const mid = (/** @type {number} */ i) => left + cell * i + wide / 2;
    const big = n <= 3 ? 'n20' : 'n16';
    const tall = n <= 3 ? 38 : 34;
    const lines = s('g');
    this.dyn.append(lines);
    for (let lane = 0; lane < 2; lane++) {
      const y = tops[lane];
      const x = told[lane];
      for (let i = 0; i < n; i++) {
        const step = x.got[i];
        if (!step) {
          this.dyn.append(s('rect', { x: left + cell * i, y: y - tall / 2, width: wide, height: tall, rx: 4, class: 'slot off' }));
          continue;
        }
        this.chip(left + cell * i, y - tall / 2, wide, tall, step.c, step.op, big);
        const to = step.c.n - 1;
        const crossed = to !== i;
        const d = lane === 0 ? `M${mid(i)} ${152 + tall / 2}C${mid(i)} ${152 + 60} ${mid(to)} ${152 + 54} ${mid(to)} 247` : `M${mid(to)} 277C${mid(to)} ${372 - 54} ${mid(i)} ${372 - 60} ${mid(i)} ${372 - tall / 2}`;
        const p = s('path', { d, class: crossed ? 'bump x' : 'bump' });
        lines.append(p);
      }
      const off = x.got.map((g, i) => (g.c.n - 1 !== i ? i : -1)).filter((i) => i >= 0);
      if (off.length) {
        const a = left + cell * off[0];
        const b = left + cell * off[off.length - 1] + wide;
        const top = lane === 0 ? 129 : 396;
        this.dyn.append(s('path', { d: lane === 0 ? `M${a} 129V125H${b}V129` : `M${a} 396V400H${b}V396`, class: 'brk' }));
        text(this.dyn, (a + b) / 2, lane === 0 ? top - 9 : top + 18, 't14', 'middle').set(t('lanes.notOrder'));
      }
      const c = this.code[lane];
      c.era.set(n ? this.state(lane).era : '');
      const calls = x.got.map((g) => {
        if (g.op === 'Added' || g.op === 'Replaced') return `OnAdd(${g.c.label})`;
        if (g.op === 'Deleted') return `OnDelete(${g.c.label})`;
        const before = changes.filter((q) => q.key === g.c.key && q.n < g.c.n).pop();
        return before ? `OnUpdate(${before.label}→${g.c.label})` : `OnUpdate(${g.c.label})`;
      }).join('  ');
      // Whole calls only: as many as the line has room for.
      let cut = calls;
      if (calls.length > 54) cut = calls.slice(0, Math.max(0, calls.lastIndexOf('  ', 52))) + '  …';
      c.calls.set(cut, calls);
      c.note.set(calls ? t(this.state(lane).queue.kind === 'DeltaFIFO' ? 'lanes.keyOnly' : 'lanes.allKeys') : '');
    }
    changes.forEach((c, i) => {
      this.dyn.append(s('rect', { x: mid(i) - 24, y: 249, width: 48, height: 26, rx: 4, class: 'sentb' }));
      text(this.dyn, mid(i), 267, 't14', 'middle').set(c.label);
    });
    const empty = n ? [] : wrap(t(this.ctx.model.state.source.kind === 'sim' ? 'lanes.nothing' : 'lanes.nothingLive'), 300, 3, '14px');
    this.empty.forEach((e, i) => e.set(empty[i] ?? ''));
    show(this.asSent.el, n > 0);
  }
}

/** The type of a change as a lane's store saw it, or as the wire said it while it waits. @param {Told} x @param {Change} c */
function opAt(x, c) {
  return x.stored.find((q) => q.c === c)?.op ?? c.op;
}
