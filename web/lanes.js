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

/**
 * Where things lie, in units. In presenter mode the same picture is laid on 960 units across the stage, so that all type
 * is four thirds as large; what only explains gives its room then.
 */
const plain = { w: 1280, h: 720, tops: [152, 372], gap: 36, ph: 118, head: 68, num: 96, low: 538, api: [16, 100], src: 26, fork: 132, refl: [156, 150], queue: [330, 222], idx: [576, 190], lis: [790, 474], said: 64, room: 4, code: [448, 496] };
const large = { w: 960, h: 540, tops: [98, 292], gap: 22, ph: 98, head: 26, num: 54, low: 412, api: [24, 88], src: 34, fork: 124, refl: [138, 134], queue: [284, 194], idx: [492, 160], lis: [666, 270], said: 54, room: 3, code: [364, 388] };
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
    this.root = h('section', { class: 'lanesv', hidden: '', 'aria-label': '1.31, 1.37' });
    this.svg = s('svg', { class: 'stage' });
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'layer' }));
    this.root.append(this.svg, this.canvas);
    this.runner = new Runner(this.canvas, this.ctx, 1280, 720, 22);
    /** @type {{stage: string, lane: number, el: HTMLElement}[]} */
    this.pins = [];
    for (const lane of [0, 1]) {
      for (const stage of ['store', 'pop', 'deliver']) {
        const el = h('button', { class: 'pin', type: 'button', 'aria-pressed': 'false' });
        el.append(s('svg', { viewBox: '0 0 16 52', 'aria-hidden': 'true' },
          s('g', { class: 'idle' }, s('path', { d: 'M8 29V21', class: 'hhs' }), s('circle', { cx: 8, cy: 18, r: 3, class: 'hhd' })),
          s('g', { class: 'held' }, s('rect', { x: 5.5, y: 17, width: 5, height: 34, rx: 1.5, class: 'hbar' }), s('use', { href: '#i-hold', x: -1, y: 1, width: 18, height: 18, class: 'ic c1' }))));
        el.addEventListener('click', () => {
          const id = stage === 'deliver' ? this.printer()?.id : undefined;
          const args = id === undefined ? [] : [id];
          if (this.ctx.model.hold(stage, id)) this.ctx.act('release', stage, 0, ...args);
          else this.ctx.act('hold', stage, ...args);
        });
        this.root.append(el);
        this.pins.push({ stage, lane, el });
      }
    }
    this.release = plain.tops.map((y) => {
      const b = h('button', { class: 'sbtn fill', type: 'button', hidden: '' });
      place(b, 578, y + 9, 72, 24);
      b.addEventListener('click', () => this.ctx.act('release', 'pop', 0));
      this.root.append(b);
      return b;
    });
    this.burstB = h('button', { class: 'sbtn line', type: 'button' });
    place(this.burstB, 26, 506, 80, 24);
    this.burstB.addEventListener('click', () => (this.ctx.model.hold('pop') ? this.ctx.act('release', 'pop', 0) : this.burst()));
    this.root.append(this.burstB);
    this.v = this.lay(plain);
    app.append(this.root);
  }

  /** Lays the stage out. @param {typeof plain} o @private */
  lay(o) {
    const g = this.svg;
    g.replaceChildren();
    this.g = o;
    attr(g, 'viewBox', `0 0 ${o.w} ${o.h}`);
    this.runner.w = o.w;
    this.runner.h = o.h;
    this.runner.clear();
    const [ax, aw] = o.api;
    const [rx, rw] = o.refl;
    const [qx, qw] = o.queue;
    const [ix, iw] = o.idx;
    const [lx, lw] = o.lis;
    const [y0, y1] = o.tops;
    const pins = /** @type {Record<string, number>} */ ({ store: (rx + rw + qx) / 2 + 2, pop: (qx + qw + ix) / 2, deliver: lx });
    const big = 1280 / o.w;
    for (const p of this.pins) place(p.el, pins[p.stage] * big - 8, o.tops[p.lane] * big - 24, 16, 36);
    const fixed = { api: text(g, ax, o.head, 'ti'), refl: text(g, rx, o.head, 'ti'), queue: text(g, qx, o.head, 'ti'), idx: text(g, ix, o.head, 'ti'), lis: text(g, lx, o.head, 'ti') };
    fixed.api.set('API server');
    fixed.refl.set('Reflector');
    fixed.queue.set('Queue');
    fixed.idx.set('Indexer');
    fixed.lis.set('Listener');
    text(g, ax, o.num, 'l').set('rv');
    const panel = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ w, /** @type {number} */ hh) => g.append(s('rect', { x, y, width: w, height: hh, rx: 4, class: 'pn' }));
    const at = y0 + o.gap;
    panel(ax, at + 8, aw, o.low - at - 8);
    panel(lx, y0 - 46, lw, o.low - y0 + 46);
    const path = (/** @type {string} */ d, /** @type {string} */ cls) => {
      const p = s('path', { d, class: cls });
      g.append(p);
      return p;
    };
    const rn = rx + rw / 2;
    const xn = ix + iw / 2;
    const lanes = o.tops.map((y, i) => {
      const top = y + o.gap;
      const wire = path(i ? `M${o.fork} ${y0}V${y - 8}Q${o.fork} ${y} ${o.fork + 8} ${y}H${pins.store}` : `M${o.src + 4} ${y}H${pins.store}`, 'rail');
      const store = path(`M${pins.store} ${y}H${pins.pop}`, 'rail');
      const pop = path(`M${pins.pop} ${y}H${lx}`, 'rail');
      const fan = path(`M${lx} ${y}H${lx + 24}`, 'rail');
      path(`M${rn} ${y + 9}V${top}M${qx + qw / 2} ${y + 12}V${top}M${xn} ${y + 9}V${top}`, 'stem');
      for (const x of [rn, xn]) g.append(s('circle', { cx: x, cy: y, r: 9, class: 'node' }), s('circle', { cx: x, cy: y, r: 3.5, class: 'nodedot' }));
      for (const [x, w] of [o.refl, o.queue, o.idx]) panel(x, top, w, o.ph);
      path(`M${lx + 8} ${y - 11}V${y + 11}M${lx + 16} ${y - 11}V${y + 11}`, 'gate');
      g.append(s('rect', { x: lx + 24, y: y - 18, width: big > 1 ? 54 : 60, height: 36, rx: 4, class: 'hbox' }));
      const lamp = s('circle', { cx: rx + 72, cy: top + 48, r: 4, class: 'lamp' });
      g.append(lamp);
      text(g, rx + 10, top + 26, 'l').set('rv');
      return {
        y, wire, store, pop, fan, lamp,
        era: text(g, rx, y - 26, 'num'), how: text(g, rx + 56, y - 26, 'l'), rv: text(g, rx + 26, top + 26, 'n20'), phase: text(g, rx + 10, top + 52, 'l t1'),
        lists: text(g, rx + 10, top + 80, 'n16'), listsL: text(g, rx, top + 80, 'l'), watches: text(g, rx, top + 80, 'n16'), watchesL: text(g, rx, top + 80, 'l'), req: text(g, rx + 10, top + 104, 'm2'),
        kind: text(g, qx, y - 26, 'ti'), kindWhy: text(g, qx + qw, y - 26, 'l', 'end'), took: text(g, qx + 10, top + 20, 'l'), more: text(g, qx + qw - 10, top + 20, 'l', 'end'),
        count: text(g, ix + iw - 10, top + 31, 'l', 'end'), said: [0, 1, 2].map((j) => text(g, ix + 10, top + o.said + 17 * j, 'l')),
        time: text(g, lx + (big > 1 ? 51 : 54), y + 5, 't14', 'middle'), recv: text(g, lx + 24, y + 38, 'l'), held: text(g, ix + 2, y - 14, 'l t1'),
      };
    });
    g.append(s('path', { d: `M${o.src} ${y0 - 7}V${y0 + 7}`, class: 'srcbar' }), s('circle', { cx: o.fork, cy: y0, r: 4, class: 'fork' }));
    const mid = (y0 + y1) / 2;
    const out = {
      lanes, mid, rn, xn,
      rv: text(g, ax + 18, o.num, 'num'), who: text(g, lx + lw, o.head, 'l', 'end'), sentHead: text(g, ax + 10, at + 30, 'l'), asSent: text(g, lx + 24, mid + 4, 'l t1'),
      code: o.code.map((y) => ({ era: text(g, lx + 24, y, 't14'), calls: text(g, lx + 74, y, 'm1'), note: text(g, lx + 74, big > 1 ? y : y + 18, 'l') })),
      empty: [0, 1, 2].map((i) => text(g, lx + 140, 252 + 20 * i, 'c14')),
      legend: [0, 1, 2].map((i) => text(g, ax + (big > 1 ? 6 : 10), o.low - (big > 1 ? 52 : 80) + 18 * i, 'm1')),
      truth: [text(g, ax + 10, 420, 'l t1'), text(g, ax + 10, 435, 'l t1')],
      dyn: s('g'), slots: s('g'),
    };
    g.append(out.dyn, out.slots);
    this.drawn = this.slotsDrawn = '';
    return out;
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
      const { g, v } = this;
      const y = g.tops[i];
      const [qx, qw] = g.queue;
      const seat = qx + qw - 10;
      for (const mv of frame.lanes[i].moves ?? []) {
        const label = mv.k ? this.episode.changes.find((c) => c.key === mv.k && c.rv === mv.rv)?.label : undefined;
        const o = { id: String(i), label };
        if (mv.p === 'wire') this.runner.add(mv, [g.src + 16, g.tops[0], ...(i ? [g.fork, g.tops[0], g.fork, y] : []), v.rn - 11, y], o);
        else if (mv.p === 'store') this.runner.add(mv, [v.rn + 13, y, seat - 24 * Math.min(6, Math.max(0, this.state(i).queue.depth - 1)), y], { ...o, before: 'wire' });
        else if (mv.p === 'pop') this.runner.add(mv, [seat + 10, y, v.xn - 11, y], { ...o, before: 'store' });
        else if (mv.p === 'fan' && mv.l === id) this.runner.add(mv, [v.xn + 11, y, g.lis[0] + 6, y], { ...o, before: 'pop' });
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
      if (m.state.resource.resource === 'pods' && m.state.indexer.count > 0 && m.state.indexer.count <= 4) {
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

  /** Fits the screen; in presenter mode a third larger. @param {boolean} [presenting] */
  resize(presenting = this.g === large) {
    const o = presenting ? large : plain;
    if (o !== this.g) this.v = this.lay(o);
    this.runner.resize((this.ctx.scene.k * 1280) / o.w);
    this.drawn = '';
  }

  /** @param {number} clock */
  draw(clock) {
    if (!this.root.hidden) this.runner.draw(clock);
  }

  /** @param {number} clock */
  paint(clock) {
    const { t, model } = this.ctx;
    this.look(clock);
    const st = model.state;
    const big = this.g === large;
    const rx = this.g.refl[0];
    this.v.rv.set(bigVersion(st.api.resourceVersion), st.api.resourceVersion);
    this.v.who.set(t('lanes.listener', { name: this.printer()?.name ?? '—' }));
    this.v.sentHead.set(t('lanes.sent'));
    this.v.asSent.set(this.episode.changes.length ? t('lanes.asSent') : '');
    this.v.truth.forEach((w, i) => w.set(big ? '' : t(i ? 'lanes.two' : 'lanes.one')));
    const pop = model.hold('pop');
    const down = model.down();
    this.v.lanes.forEach((o, i) => {
      const x = this.state(i);
      const r = x.reflector;
      o.era.set(x.era);
      o.how.set(r.lists ? 'LIST + WATCH' : r.watches ? 'WatchList' : '');
      o.rv.set(version(r.resourceVersion, 9), r.resourceVersion);
      o.phase.set(r.phase);
      attr(o.lamp, 'class', r.phase === 'watching' ? 'lamp on' : r.phase === 'backoff' ? 'lamp w' : 'lamp');
      attr(o.lamp, 'cx', rx + 22 + 6.6 * r.phase.length);
      o.lists.set(exact(r.lists));
      o.listsL.at(rx + 16 + 9 * exact(r.lists).length, o.y + this.g.gap + 80).set(r.lists === 1 ? 'list' : 'lists');
      o.watches.at(rx + (big ? 66 : 80), o.y + this.g.gap + 80).set(exact(r.watches));
      o.watchesL.at(rx + (big ? 72 : 86) + 9 * exact(r.watches).length, o.y + this.g.gap + 80).set(r.watches === 1 ? 'watch' : 'watches');
      o.req.set(big ? '' : r.lists ? 'rv=0, then watch' : r.watches ? 'sendInitialEvents' : '');
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
    this.v.slots.replaceChildren();
    for (let i = 0; i < 2; i++) {
      const q = this.state(i).queue;
      const y = this.g.tops[i];
      for (let j = 6; j >= 0; j--) {
        const x = this.g.queue[0] + this.g.queue[1] - 20 - 24 * j;
        const it = q.items[j];
        if (!it) {
          this.v.slots.append(s('rect', { x, y: y - 10, width: 20, height: 20, rx: 4, class: 'slot off' }));
          continue;
        }
        const kind = kindOf(it.op);
        const c = this.episode.changes.find((e) => e.key === it.key && (e.rv === it.rv || (it.deltas?.length ?? 0) > 1));
        for (let d = Math.min(2, (it.deltas?.length ?? 1) - 1); d > 0; d--) this.v.slots.append(s('rect', { x: x - 3 * d, y: y - 10 - 3 * d, width: 20, height: 20, rx: 4, class: 'ch-stack k-' + kind }));
        this.v.slots.append(s('rect', { x, y: y - 10, width: 20, height: 20, rx: 4, class: 'ch rs k-' + kind }));
        if (c) {
          const w = text(this.v.slots, x + 10, y + 4, 'l t1 lb', 'middle');
          w.set((it.deltas?.length ?? 0) > 1 ? c.letter : c.label);
        } else this.v.slots.append(s('use', { href: '#g-' + kind, x: x + 3.2, y: y - 6.8, width: 13.6, height: 13.6, class: 'gl k-' + kind }));
      }
    }
  }

  slotsDrawn = '';

  /**
   * A chip with the name of a change.
   * @param {number} x @param {number} y @param {number} w @param {number} hh @param {Change} c @param {string} op @param {string} size @param {SVGElement} [into]
   */
  chip(x, y, w, hh, c, op, size, into = this.v.dyn) {
    const kind = kindOf(op);
    const gs = Math.min(hh * 0.58, w * 0.36);
    const g = s('g', {}, s('rect', { x, y, width: w, height: hh, rx: 4, class: 'ch rs k-' + kind }));
    g.append(s('title', {}, `${c.label}: ${op} ${c.key}, rv ${c.rv}`));
    const bare = w < 36;
    if (!bare) g.append(s('use', { href: '#g-' + kind, x: x + (w < 46 ? 3 : 5), y: y + (hh - gs) / 2, width: gs, height: gs, class: 'gl k-' + kind }));
    text(g, bare ? x + w / 2 : x + w - (w < 46 ? 4 : 6), y + hh / 2 + (size === 'n20' ? 7 : 5), size, bare ? 'middle' : 'end').set(c.label);
    into.append(g);
  }

  /** @type {{a: Change, b: Change, ms: number} | null} */
  over = null;
  /** What the journeys told, kept until they are read anew. @type {Told[]} */
  read = [{ pops: [], stored: [], got: [] }, { pops: [], stored: [], got: [] }];
  /** @type {Map<string, import('./types.js').Hop[]> | null} */
  readHops = null;
  readId = '';

  /** What each lane made of the changes. */
  reread() {
    if (this.hops !== this.readHops || this.episode.id !== this.readId) {
      this.readHops = this.hops;
      this.readId = this.episode.id;
      this.read = [this.told(0), this.told(1)];
      this.rows = this.read.map((x) => this.overtaken(x));
      this.over = this.rows[0] ?? this.rows[1];
    }
    return this.read;
  }

  /** Chooses the changes and reads what became of them; whichever view draws them. @param {number} clock */
  look(clock) {
    this.choose(clock);
    this.ask(clock);
    return this.reread();
  }

  /** @type {({a: Change, b: Change, ms: number} | null)[]} */
  rows = [null, null];

  /** The newest stored state of each object compared. @param {number} i */
  newest(i) {
    /** @type {Map<string, Step>} */
    const newest = new Map();
    for (const q of this.read[i].stored) newest.set(q.c.key, q);
    return [...newest.values()].slice(0, 3);
  }

  /** What a lane's store was in between. @param {number} i */
  verdict(i) {
    const { t } = this.ctx;
    const odd = this.rows[i];
    if (odd) return t(odd.ms < 0.05 ? 'lanes.neverMoment' : 'lanes.never', { s: span(odd.ms), a: odd.a.label, b: odd.b.label });
    return this.read[i].stored.length ? t('lanes.always') : this.episode.changes.length ? t('lanes.asOf') : '';
  }

  /** What Pop took in a lane, or what waits for it, a few changes a line. @param {number} i @param {number} per @param {number} room lines */
  taken(i, per, room) {
    const { t } = this.ctx;
    const { changes, total } = this.episode;
    const n = changes.length;
    const x = this.read[i];
    const st = this.state(i);
    const delta = st.queue.kind === 'DeltaFIFO';
    /** @type {{name: string, items: Change[], all: string}[]} */
    let lines = [];
    const waiting = !x.pops.length && this.episode.held;
    if (waiting) {
      if (delta) lines = [...new Set(changes.map((c) => c.letter))].map((k) => ({ name: t('lanes.key', { k }), items: changes.filter((c) => c.letter === k), all: '' }));
      else if (n) lines = [{ name: t('lanes.line'), items: changes, all: '' }];
    } else {
      lines = x.pops.map((p, j) => ({ name: t(delta || st.era === '1.33' ? 'lanes.pop' : 'lanes.batch', { n: j + 1 }), items: p.items, all: '' }));
      const last = lines[lines.length - 1];
      if (delta && lines.length > 1 && last.items.length === 1 && total <= n) last.all = t('lanes.allOf', { k: last.items[0].letter });
    }
    /** @type {{name: string, items: Change[], all: string, first: boolean, last: boolean}[]} */
    const flat = [];
    for (const l of lines) for (let j = 0; j < l.items.length; j += per) flat.push({ ...l, name: j ? '' : l.name, items: l.items.slice(j, j + per), first: j === 0, last: j + per >= l.items.length });
    return { shown: flat.slice(0, room), hidden: flat.slice(room).reduce((a, l) => a + l.items.length, 0) + Math.max(0, total - n), head: t(waiting ? 'lanes.waits' : 'lanes.took') };
  }

  /** @private */
  compare() {
    const { t } = this.ctx;
    const { changes } = this.episode;
    const n = changes.length;
    const { g } = this;
    const big = g === large;
    const at = g.tops[0] + g.gap;
    const left0 = g.api[0] + 10;
    const told = this.reread();
    this.v.lanes.forEach((o, i) => {
      const st = this.state(i);
      const held = new Set(told[i].stored.map((q) => q.c.key)).size;
      o.count.set(held > (big ? 1 : 2) ? '' : st.indexer.resourceVersion ? 'rv ' + version(st.indexer.resourceVersion, held ? 6 : 9) : held ? t('lanes.keepsNone') : t('lanes.objects', { n: exact(st.indexer.count) }), st.indexer.resourceVersion);
    });
    const sig = [this.episode.id, this.episode.held, this.episode.total, t('lanes.took'), this.ctx.model.state.source.kind, ...told.map((x, i) => `${x.pops.map((p) => p.items.map((c) => c.n)).join('/')};${x.got.map((g) => g.c.n + g.op)};${x.stored.map((g) => g.c.n)};${this.state(i).indexer.resourceVersion};${this.state(i).indexer.count}`)].join('#');
    if (sig === this.drawn) return;
    this.drawn = sig;
    this.v.dyn.replaceChildren();
    const { rows } = this;
    // Sent.
    const pitch = n <= 3 ? 54 : 29;
    changes.forEach((c, i) => {
      this.chip(left0, at + 41 + pitch * i, 48, 26, c, c.op, 't14');
      if (n <= 3) text(this.v.dyn, left0, at + 83 + pitch * i, 'm2').set('rv ' + version(c.rv, 7), c.rv);
    });
    if (!big) this.v.dyn.append(s('path', { d: 'M26 405.5H106', class: 'hair' }));
    const keys = [...new Map(changes.map((c) => [c.letter, c.key])).entries()];
    this.v.legend.forEach((l, i) => l.set(keys[i] ? `${keys[i][0]} ${middle(keys[i][1].replace(/^.*\//, ''), 9)}` : '', keys[i]?.[1]));
    // Queue and store.
    this.v.lanes.forEach((o, i) => {
      const x = told[i];
      const st = this.state(i);
      const { shown, hidden, head } = this.taken(i, 3, g.room);
      o.took.set(head);
      o.more.set(hidden ? t('lanes.more', { n: exact(hidden) }) : '');
      const step = shown.length <= 2 ? (big ? 32 : 40) : shown.length === 3 ? (big ? 23 : 29) : 22;
      const ch = Math.min(26, step - 3);
      const bx = g.queue[0] + (big ? 62 : 73);
      shown.forEach((l, j) => {
        const top = o.y + g.gap + (big ? (shown.length > 2 ? 25 : 29) : shown.length <= 2 ? 33 : 27) + step * j;
        if (l.name) text(this.v.dyn, g.queue[0] + 10, top + ch / 2 + 4, 'l t1').set(l.name);
        const a = top - 2;
        const b = top + ch + 2;
        this.v.dyn.append(s('path', { d: `${l.first ? `M${bx + 4} ${a}H${bx}` : `M${bx} ${a - 1}`}V${b}${l.last ? `H${bx + 4}` : ''}`, class: 'brk' }));
        const w = l.items.length > 2 ? (big ? 34 : 42) : 50;
        l.items.forEach((c, q) => this.chip(bx + 9 + (w + 3) * q, top, w, ch, c, opAt(x, c), ch < 22 ? 'l t1 lb' : 't14'));
        if (l.all) text(this.v.dyn, bx + 15 + (w + 3) * l.items.length, top + ch / 2 + 4, 'l').set(l.all);
      });
      // The newest stored state of each object.
      const held = this.newest(i);
      held.forEach((q, j) => this.chip(g.idx[0] + 10 + 50 * j, o.y + g.gap + 13, 46, 26, q.c, q.op, 't14'));
      o.count.set(held.length > (big ? 1 : 2) ? '' : st.indexer.resourceVersion ? 'rv ' + version(st.indexer.resourceVersion, held.length ? 6 : 9) : held.length ? t('lanes.keepsNone') : t('lanes.objects', { n: exact(st.indexer.count) }), st.indexer.resourceVersion);
      const split = wrap(this.verdict(i), g.idx[1] - 16, 3);
      o.said.forEach((q, j) => q.cls(rows[i] ? 'l t1' : 'l').set(split[j] ?? ''));
    });
    // Received, sent, received.
    const all = big ? 176 : 348;
    const cell = n <= 3 ? all / 3 : all / n;
    const wide = big ? cell - 8 : n <= 3 ? 76 : n <= 4 ? 64 : 50;
    const left = g.lis[0] + g.lis[1] - (big ? 6 : 12) - all + (cell - wide) / 2;
    const mid = (/** @type {number} */ i) => left + cell * i + wide / 2;
    const size = n <= 3 && !big ? 'n20' : n > 4 && big ? 't14' : 'n16';
    const tall = n <= 3 ? 38 : 34;
    const m = this.v.mid;
    const lines = s('g');
    this.v.dyn.append(lines);
    for (let lane = 0; lane < 2; lane++) {
      const y = g.tops[lane];
      const x = told[lane];
      for (let i = 0; i < n; i++) {
        const step = x.got[i];
        if (!step) {
          this.v.dyn.append(s('rect', { x: left + cell * i, y: y - tall / 2, width: wide, height: tall, rx: 4, class: 'slot off' }));
          continue;
        }
        this.chip(left + cell * i, y - tall / 2, wide, tall, step.c, step.op, size);
        const to = step.c.n - 1;
        const crossed = to !== i;
        const far = 0.52 * (m - y);
        const d = lane === 0 ? `M${mid(i)} ${y + tall / 2}C${mid(i)} ${y + far} ${mid(to)} ${y + far} ${mid(to)} ${m - 15}` : `M${mid(to)} ${m + 15}C${mid(to)} ${y + far} ${mid(i)} ${y + far} ${mid(i)} ${y - tall / 2}`;
        const p = s('path', { d, class: crossed ? 'bump x' : 'bump' });
        lines.append(p);
      }
      const off = x.got.map((g, i) => (g.c.n - 1 !== i ? i : -1)).filter((i) => i >= 0);
      if (off.length) {
        const a = left + cell * off[0];
        const b = left + cell * off[off.length - 1] + wide;
        const top = lane === 0 ? y - 23 : y + 24;
        this.v.dyn.append(s('path', { d: lane === 0 ? `M${a} ${top}V${top - 4}H${b}V${top}` : `M${a} ${top}V${top + 4}H${b}V${top}`, class: 'brk' }));
        text(this.v.dyn, (a + b) / 2, lane === 0 ? top - 9 : top + 18, 't14', 'middle').set(t('lanes.notOrder'));
      }
      const c = this.v.code[lane];
      c.era.set(n && (!big || x.got.length) ? this.state(lane).era : '');
      const calls = x.got.map((g) => {
        if (g.op === 'Added' || g.op === 'Replaced') return `OnAdd(${g.c.label})`;
        if (g.op === 'Deleted') return `OnDelete(${g.c.label})`;
        const before = changes.filter((q) => q.key === g.c.key && q.n < g.c.n).pop();
        return before ? `OnUpdate(${before.label}→${g.c.label})` : `OnUpdate(${g.c.label})`;
      }).join('  ');
      // Whole calls only: as many as the line has room for.
      let cut = calls;
      if (calls.length > 54) cut = calls.slice(0, Math.max(0, calls.lastIndexOf('  ', 52))) + '  …';
      c.calls.set(big ? '' : cut, calls);
      c.note.set(calls ? t(this.state(lane).queue.kind === 'DeltaFIFO' ? 'lanes.keyOnly' : 'lanes.allKeys') : '');
    }
    const sw = Math.min(48, cell - 6);
    changes.forEach((c, i) => {
      this.v.dyn.append(s('rect', { x: mid(i) - sw / 2, y: m - 13, width: sw, height: 26, rx: 4, class: 'sentb' }));
      text(this.v.dyn, mid(i), m + 5, 't14', 'middle').set(c.label);
    });
    const empty = n || big ? [] : wrap(t(this.ctx.model.state.source.kind === 'sim' ? 'lanes.nothing' : 'lanes.nothingLive'), 300, 3, '14px');
    this.v.empty.forEach((e, i) => e.set(empty[i] ?? ''));
    show(this.v.asSent.el, n > 0);
  }
}

/** The type of a change as a lane's store saw it, or as the wire said it while it waits. @param {Told} x @param {Change} c */
export function opAt(x, c) {
  return x.stored.find((q) => q.c === c)?.op ?? c.op;
}
