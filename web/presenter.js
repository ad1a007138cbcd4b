// @ts-check
// Presenter mode: the same state for the last row of a hall. No chrome, large type; the stations of the step at full
// strength and wide, the others quiet with one number each, never removed, so that the rail keeps its order.
import { attr, h, s, text } from './dom.js';
import { bigVersion, clock as clockWords, count, exact, fit, middle, reason, ring as ringNumber, seconds, span, upper, version, width, wrap } from './format.js';
import { Glyph, kindOf } from './glyphs.js';
import { language } from './i18n.js';
import { writeWords } from './panels/controller.js';
import { anti, isSlow } from './panels/listeners.js';
import { Runner } from './runner.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Listener} Listener */

const RAIL = 152;
/** Where a controller's writes go back. */
const BACK = 538;
const names = /** @type {Record<string, string>} */ ({ api: 'API server', reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listeners: 'Listeners', controller: 'Controller' });
const ids = ['api', 'reflector', 'queue', 'indexer', 'listeners', 'controller'];
const narrow = /** @type {Record<string, number>} */ ({ api: 112, reflector: 112, queue: 120, indexer: 112, listeners: 136, controller: 112 });
const weight = /** @type {Record<string, number>} */ ({ api: 1.15, reflector: 1.3, queue: 1.25, indexer: 1.05, listeners: 1.85, controller: 1.35 });
/** A screen of 4:3 is laid out in 1024 units, so that type keeps its size: a quiet station keeps its name, its number and its place on the rail. */
const BARE = 84;

/** @typedef {{x: number, w: number, on: boolean}} Col */

export class Presenter {
  /**
   * @param {import('./types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('./stories.js').Stories} stories
   * @param {{caption: () => string}} o
   */
  constructor(ctx, app, stories, o) {
    this.ctx = ctx;
    this.stories = stories;
    this.o = o;
    /** The screen's size in units, and device pixels per unit. */
    this.W = 1280;
    this.H = 720;
    this.k = 1;
    this.gap = 18;
    this.root = h('section', { class: 'presv', hidden: '' });
    this.svg = s('svg', { class: 'stage', viewBox: '0 0 1280 720' });
    this.cells = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'layer' }));
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'layer' }));
    this.root.append(this.svg, this.cells, this.canvas);
    app.append(this.root);
    this.runner = new Runner(this.canvas, ctx, 1280, 720, 28);
    // A quiet station's chips are quiet too.
    this.runner.strength = (x, y) => {
      if (y === BACK) return this.cols.controller?.on ? 1 : 0.4;
      for (const c of ids) {
        const col = this.cols[c];
        if (!col || x < col.x - this.gap || x >= col.x + col.w) continue;
        if (!col.on) return 0.4;
        return c === 'listeners' && y !== this.rows.get(this.mainId)?.y && x > col.x ? 0.4 : 1;
      }
      return 1;
    };
    this.layout = '';
    /** @type {Record<string, Col>} */
    this.cols = {};
    /** @type {((st: State) => void)[]} */
    this.updates = [];
    this.cellsAt = 0;
    this.cellBox = { x: 0, y: 0, w: 0, h: 0 };
    this.autoFocus = ['indexer', 'listeners'];
    this.autoAt = -1e9;
    /** @type {Map<number, {at: number, distributed: number, handled: number, inn: number, out: number}>} */
    this.rates = new Map();
    /** @type {Record<string, number[]>} */
    this.ways = {};
    /** Where each listener's row lies, by its number. @type {Map<number, {y: number, ring: number, box: number, from: number}>} */
    this.rows = new Map();
  }

  /** The stations to look at: the step's, or those where something is the matter. @param {number} now @returns {string[]} */
  focus(now) {
    const step = this.stories.step;
    if (step && !this.stories.starting) return step.focus;
    if (now - this.autoAt > 3000) {
      const st = this.ctx.model.state;
      let f = ['indexer', 'listeners'];
      if (st.reflector.phase === 'backoff' || st.source.trouble) f = ['api', 'reflector'];
      else if (st.reflector.phase !== 'watching') f = ['reflector', 'queue', 'indexer'];
      else if (this.ctx.model.hold('pop') || this.ctx.model.hold('store') || st.queue.depth > 40) f = ['reflector', 'queue'];
      else if (this.ctx.model.hold('take')) f = ['listeners', 'controller'];
      if (f.join() !== this.autoFocus.join()) {
        this.autoFocus = f;
        this.autoAt = now;
      }
    }
    return this.autoFocus;
  }

  /** @param {boolean} lanes two eras lie on the stage's own grid */
  resize(lanes) {
    const four = !lanes && innerWidth < innerHeight * 1.45;
    this.W = four ? 1024 : 1280;
    this.H = four ? 768 : 720;
    this.gap = four ? 14 : 18;
    this.k = four ? Math.min(innerWidth / 1024, innerHeight / 768) * (devicePixelRatio || 1) : this.ctx.scene.k;
    this.root.classList.toggle('p43', four);
    attr(this.svg, 'viewBox', `0 0 ${this.W} ${this.H}`);
    this.runner.w = this.W;
    this.runner.h = this.H;
    this.runner.resize(this.k);
    this.cells.width = Math.round(this.W * this.k);
    this.cells.height = Math.round(this.H * this.k);
    this.layout = '';
    this.cellsAt = 0;
  }

  /** @param {number} clock */
  draw(clock) {
    this.runner.draw(clock);
  }

  /** @param {import('./types.js').Frame} frame */
  apply(frame) {
    if (this.root.hidden || this.layout.startsWith('foot')) return;
    if (frame.jump) {
      this.runner.clear();
      return;
    }
    // What a write came back as follows the write.
    const moves = frame.lanes?.[0]?.moves ?? [];
    for (const m of moves.some((q) => q.p === 'write') ? [...moves].sort((a, b) => a.s - b.s) : moves) {
      const row = m.l === undefined ? undefined : this.rows.get(m.l);
      let pts = this.ways[m.p];
      let before = { wire: 'write', store: 'wire', pop: 'store', fan: 'pop', next: '', key: '', take: 'key', write: 'take' }[m.p] ?? '';
      if (m.p === 'fan') {
        if (!row) continue;
        const f = this.forkX;
        pts = row.y === RAIL ? [this.cols.indexer.x + this.cols.indexer.w - 46, RAIL, row.from, RAIL] : [this.cols.indexer.x + this.cols.indexer.w - 46, RAIL, f, RAIL, f, row.y, row.from, row.y];
      } else if (m.p === 'next') {
        if (!row) continue;
        pts = [row.ring, row.y, row.box, row.y];
        before = 'fan';
      }
      if (pts) this.runner.add(m, pts, { before });
    }
  }

  forkX = 0;

  /** The listener that the step is about, or the one that has most to do. @param {Listener[]} list */
  main(list) {
    const want = this.stories.step?.listener;
    const most = [...list].sort((a, b) => b.pending - a.pending)[0];
    return list.find((l) => l.name === want) ?? (most?.pending > 3 ? most : list[Math.min(2, list.length - 1)]);
  }

  /** @param {number} clock @param {boolean} [footOnly] another view draws the stations */
  paint(clock, footOnly = false) {
    const st = this.ctx.model.state;
    if (footOnly) {
      const only = `foot ${language()} ${this.stories.story?.id}`;
      if (only !== this.layout) {
        this.layout = only;
        this.svg.replaceChildren();
        this.updates = [];
        this.rows.clear();
        this.runner.clear();
        this.cells.getContext('2d')?.clearRect(0, 0, this.cells.width, this.cells.height);
        this.foot(this.svg);
      }
      for (const u of this.updates) u(st);
      return;
    }
    const focus = this.focus(clock);
    const listeners = st.listeners.filter((l) => !l.removed);
    const main = this.main(listeners);
    // Rows keep the informer's order; beyond three, the one that matters and the first two.
    let rows = listeners.slice(0, 3);
    if (main && !rows.includes(main)) rows = [...listeners.slice(0, 2), main];
    const steady = focus.includes('listeners') && this.stories.step?.listener === undefined && this.mainId && rows.some((l) => l.id === this.mainId) && clock - this.mainAt < 4000;
    const mainId = steady ? this.mainId : main?.id ?? 0;
    if (mainId !== this.mainId) {
      this.mainId = mainId;
      this.mainAt = clock;
    }
    const id = [focus.join(), language(), rows.map((l) => l.id), mainId, st.workqueue ? 1 : 0, st.queue.kind, this.k, this.stories.story?.id].join('|');
    if (id !== this.layout) {
      this.layout = id;
      this.build(focus, rows, mainId);
      this.runner.clear();
      this.cellsAt = 0;
    }
    this.note(clock, listeners);
    for (const u of this.updates) u(st);
    if (clock - this.cellsAt > (this.ctx.model.cells.size > 20000 ? 1000 : 250)) {
      this.cellsAt = clock;
      this.heat();
    }
  }

  mainId = 0;
  mainAt = 0;

  /** What comes in and goes out of each listener in a second of the log. @param {number} clock @param {Listener[]} list @private */
  note(clock, list) {
    const at = this.ctx.model.view.atMillis;
    for (const l of list) {
      const o = this.rates.get(l.id);
      if (!o || at < o.at || at - o.at > 5000) this.rates.set(l.id, { at, distributed: l.distributed, handled: l.handled, inn: o && at >= o.at ? o.inn : -1, out: o && at >= o.at ? o.out : -1 });
      else if (at - o.at >= 1000) {
        const sec = (at - o.at) / 1000;
        this.rates.set(l.id, { at, distributed: l.distributed, handled: l.handled, inn: Math.max(0, (l.distributed - o.distributed) / sec), out: Math.max(0, (l.handled - o.handled) / sec) });
      }
    }
  }

  /**
   * Draws the stations anew for a set that is looked at.
   * @param {string[]} focus @param {Listener[]} rows @param {number} mainId
   * @private
   */
  build(focus, rows, mainId) {
    const { svg } = this;
    svg.replaceChildren();
    this.updates = [];
    this.rows.clear();
    const GAP = this.gap;
    const all = this.W - 64 - GAP * 5;
    const four = this.W < 1280;
    let free = all;
    let total = 0;
    for (const c of ids) {
      if (focus.includes(c)) total += weight[c];
      else free -= four ? BARE : narrow[c];
    }
    let x = 32;
    for (const c of ids) {
      const on = focus.includes(c);
      const w = on ? Math.floor((free * weight[c]) / total) : four ? BARE : narrow[c];
      this.cols[c] = { x, w: total ? w : Math.floor(all / 6), on };
      x += this.cols[c].w + GAP;
    }
    const { api, reflector: rf, queue, indexer: ix, listeners: ls, controller: ct } = this.cols;
    /** @type {SVGElement[]} */
    const behindPop = [];
    this.forkX = ls.x - GAP / 2 - 2;
    const rnode = rf.x + Math.round(rf.w / 2);
    const inode = ix.x + ix.w - 46;
    const end = ct.x + ct.w - 20;
    const quiet = s('g', { class: 'pdim' });
    const loud = s('g');
    svg.append(quiet, loud);
    const layer = (/** @type {string} */ c) => (this.cols[c].on ? loud : quiet);
    const line = (/** @type {string} */ c, /** @type {string} */ d) => {
      const p = s('path', { d, class: 'rail' });
      layer(c).append(p);
      return p;
    };
    const wire = line('api', `M${api.x + 10} ${RAIL}H${rf.x}`);
    line('reflector', `M${rf.x} ${RAIL}H${queue.x}`);
    line('queue', `M${queue.x} ${RAIL}H${ix.x}`);
    behindPop.push(line('indexer', `M${ix.x} ${RAIL}H${this.forkX}`));
    layer('api').append(s('path', { d: `M${api.x + 6} 143V161`, class: 'srcbar' }));
    const node = (/** @type {string} */ c, /** @type {number} */ nx) => {
      const on = this.cols[c].on;
      layer(c).append(s('path', { d: on || !four ? `M${nx} 163V200` : '', class: 'stem' }), s('circle', { cx: nx, cy: RAIL, r: on ? 12 : 11, class: 'node' }), s('circle', { cx: nx, cy: RAIL, r: on ? 5 : 4.5, class: 'nodedot' }));
    };
    node('reflector', rnode);
    node('indexer', inode);
    if (queue.on || !four) layer('queue').append(s('path', { d: `M${queue.x + queue.w / 2} 166V200`, class: 'stem' }));
    this.ways.wire = [api.x + 24, RAIL, rnode - 14, RAIL];
    this.ways.store = [rnode + 14, RAIL, queue.x + 18, RAIL];
    this.ways.pop = [queue.x + queue.w - 10, RAIL, inode - 14, RAIL];
    this.ways.key = [ls.x + ls.w - 4, RAIL, ct.x + 20, RAIL];
    this.ways.take = [Math.min(ct.x + 70, end - 40), RAIL, end - 14, RAIL];
    for (const c of ids) {
      const g = s('g');
      layer(c).append(g);
      const col = this.cols[c];
      const bare = four && !col.on;
      text(g, col.x, 56, bare ? 'p16 t1 b6' : 'p21').set(fit(names[c], col.w + 12, bare ? '600 16px' : '600 21px'));
      const big = text(g, col.x, 96, bare ? 'p27' : 'p35');
      const u = this.station(c, g, col, big, rows, mainId, { rnode, inode, end });
      this.updates.push(u);
    }
    // A fine way back, while the controller writes.
    const [wx, ax] = [ct.x + ct.w / 2, api.x + api.w / 2];
    const [low, up] = [ct, api].map((c) => (c.on ? 520 : four ? RAIL + 18 : 336));
    this.ways.write = [wx, low, wx, BACK, ax, BACK, ax, up];
    const way = s('g', {}, s('path', { d: `M${wx} ${low}V${BACK - 6}Q${wx} ${BACK} ${wx - 6} ${BACK}H${ax + 6}Q${ax} ${BACK} ${ax} ${BACK - 6}V${up}`, class: 'ret' }), s('path', { d: `M${ax - 5} ${up + 7}L${ax} ${up}L${ax + 5} ${up + 7}`, class: 'reta' }));
    layer('controller').append(way);
    const wrote = text(way, (wx + ax) / 2, BACK + 5, 'p16 knock', 'middle');
    this.updates.push((st) => {
      attr(way, 'display', st.workqueue?.writing ? null : 'none');
      wrote.set(ct.on ? writeWords(st.workqueue?.lastWrite) : '');
    });
    // Where the connection broke, and where Pop is held.
    const cx = rf.x - GAP / 2;
    const cut = s('g', {}, s('rect', { x: cx - 20, y: RAIL - 4, width: 40, height: 8, class: 'pn2' }), s('path', { d: `M${cx - 20} 138V166M${cx + 20} 138V166`, class: 'cute' }), s('use', { href: '#i-x', x: cx - 11, y: RAIL - 11, width: 22, height: 22, class: 'ic ce' }));
    const px = queue.x + queue.w + GAP / 2;
    const held = s('g', {}, s('rect', { x: px - 4, y: RAIL - 22, width: 8, height: 44, rx: 2, class: 'hbar' }), s('use', { href: '#i-hold', x: px - 12, y: RAIL - 44, width: 24, height: 24, class: 'ic c1' }));
    svg.append(cut, held);
    this.updates.push(() => {
      const down = this.ctx.model.down();
      const stop = !!this.ctx.model.hold('pop');
      attr(wire, 'class', down ? 'rail dead' : 'rail');
      attr(cut, 'display', down ? null : 'none');
      attr(held, 'display', stop ? null : 'none');
      for (const p of behindPop) attr(p, 'class', stop ? 'rail starve' : 'rail');
    });
    this.foot(svg);
  }

  /**
   * One station; returns what brings it to a state.
   * @param {string} c @param {SVGElement} g @param {Col} col @param {import('./dom.js').Txt} big @param {Listener[]} rows @param {number} mainId
   * @param {{rnode: number, inode: number, end: number}} o
   * @returns {(st: State) => void}
   * @private
   */
  station(c, g, col, big, rows, mainId, o) {
    const { t, model } = this.ctx;
    const { x, w, on } = col;
    const four = this.W < 1280;
    const bare = four && !on;
    const panel = (/** @type {number} */ y, /** @type {number} */ hh, px = x, pw = w) => {
      if (bare) return;
      const r = s('rect', { x: px, y, width: pw, height: hh, rx: 5, class: on ? 'pn on' : 'pn' });
      g.append(r);
    };
    const at = x + 12;
    const room = w - 24;
    /** A number and its word under each other. */
    const pair = (/** @type {number} */ px, /** @type {number} */ y) => {
      const n = text(g, px, y, 'p27');
      const l = text(g, px, y + 21, 'p16');
      return (/** @type {string} */ a, /** @type {string} */ b, /** @type {number} */ r = room) => {
        if (bare) return;
        n.set(a);
        l.set(fit(b, r, '16px'), b);
      };
    };
    /** Lines of a chip and a name. */
    const list = (/** @type {number} */ y, /** @type {number} */ n) => {
      const out = [];
      for (let i = 0; i < n; i++) {
        const yy = y + 27 * i;
        const box = s('rect', { x: at, y: yy - 16, width: 20, height: 20, rx: 4, class: 'ch rs' });
        g.append(box);
        const glyph = new Glyph(g, at + 3.2, yy - 12.8, 13.6);
        const words = text(g, at + 30, yy, 'p16 t1');
        out.push((/** @type {string | undefined} */ op, /** @type {string} */ key, solid = false) => {
          attr(box, 'display', op === undefined ? 'none' : null);
          if (op === undefined) {
            glyph.hide();
            words.set('');
            return;
          }
          const k = kindOf(op);
          attr(box, 'class', `ch ${solid ? 'mv' : 'rs'} k-${k}`);
          glyph.set(k, solid);
          words.set(fit(middle(key, 26), room - 34, '16px'), key);
        });
      }
      return out;
    };

    switch (c) {
      case 'api': {
        if (!on) {
          panel(200, 136);
          const a = pair(at, 238);
          const b = pair(at, 300);
          return (st) => {
            big.set(bigVersion(st.api.resourceVersion));
            const down = model.down();
            a(down ? '—' : exact(Math.round(st.api.writesPerSecond)), down ? t('pres.noAnswer') : t('pres.writes'));
            b(st.api.objects >= 0 ? count(st.api.objects) : '—', t('pres.objects', { n: st.api.objects }));
          };
        }
        panel(200, 320);
        const half = room / 2;
        const a = pair(at, 238);
        const b = pair(at + half, 238);
        const open = pair(at, 300);
        const lines = list(366, 5);
        const hatch = s('rect', { x: x + 1, y: 201, width: w - 2, height: 318, rx: 5, class: 'hatch' });
        g.append(hatch);
        const no = text(g, at, 250, 'p27');
        const why = [0, 1, 2].map((i) => text(g, at, 282 + 24 * i, 'p16 t1'));
        const old = text(g, at, 506, 'p16');
        return (st) => {
          big.set(bigVersion(st.api.resourceVersion));
          const down = model.down();
          attr(hatch, 'display', down ? null : 'none');
          no.set(down ? t('pres.noAnswer') : '');
          const said = down ? wrap(upper(reason(model.trouble())), room, 3, '16px') : [];
          why.forEach((q, i) => q.set(said[i] ?? ''));
          a(down ? '' : st.api.objects >= 0 ? count(st.api.objects) : '—', down ? '' : t('pres.objects', { n: st.api.objects }), half);
          b(down ? '' : exact(Math.round(st.api.writesPerSecond)), down ? '' : t('pres.writes'), half);
          const n = st.api.requests.filter((r) => r.open).length;
          open(down ? '' : exact(n), down ? '' : t('pres.open', { n }));
          lines.forEach((f, i) => {
            const fr = down ? undefined : st.api.wire[i];
            f(fr?.op, fr ? fr.key || `rv ${version(fr.rv)}` : '');
          });
          old.set(st.api.oldest && !down ? fit(t('pres.history', { rv: version(st.api.oldest, 7) }), room, '16px') : '');
        };
      }
      case 'reflector': {
        const behind = (/** @type {State} */ st) => {
          const n = Number(st.api.resourceVersion) - Number(st.reflector.resourceVersion);
          return Number.isFinite(n) && n >= 0 ? n : 0;
        };
        if (!on) {
          panel(200, 136);
          const a = pair(at, 238);
          const b = pair(at, 300);
          return (st) => {
            big.set(bigVersion(st.reflector.resourceVersion));
            a(count(behind(st)), t('pres.behind'));
            b(exact(st.reflector.lists + st.reflector.watches), st.reflector.phase);
          };
        }
        panel(200, 320);
        const phase = text(g, x + w, 56, 'p18', 'end');
        const half = room / 2;
        const a = pair(at, 238);
        const b = pair(at + half, 238);
        const l1 = pair(at, 302);
        const l2 = pair(at + half, 302);
        const l3 = pair(at, 366);
        const l4 = pair(at + half, 366);
        const ringG = s('g');
        g.append(ringG);
        const cx = x + w / 2;
        ringG.append(s('circle', { cx, cy: 330, r: 74, class: 'ring r12' }));
        const arc = s('path', { d: '', class: 'ringf w r12' });
        ringG.append(arc);
        const left = text(ringG, cx, 342, 'p44 tn', 'middle');
        const why = [0, 1, 2, 3].map((i) => text(g, at, 440 + 23 * i, 'p16 t1'));
        return (st) => {
          const r = st.reflector;
          big.set(bigVersion(r.resourceVersion));
          const back = r.phase === 'backoff';
          phase.cls(back ? 'p18 cwt' : 'p18').set(width(names.reflector, '600 21px') + width(r.phase, '600 18.6px') + 8 > w ? '' : r.phase);
          attr(ringG, 'display', back ? null : 'none');
          if (back) {
            const rest = Math.max(0, r.backoffMillis - (this.ctx.now() - r.backoffSince));
            left.set(seconds(rest));
            attr(arc, 'd', anti(cx, 330, 74, r.backoffMillis ? rest / r.backoffMillis : 0));
          }
          const no = /** @type {[string, string, number]} */ (['', '', half]);
          a(...(back ? no : /** @type {[string, string, number]} */ ([count(behind(st)), t('pres.behind'), half])));
          b(...(back ? no : /** @type {[string, string, number]} */ ([exact(Math.round(st.api.writesPerSecond)), t('pres.events'), half])));
          l1(...(back ? no : /** @type {[string, string, number]} */ ([exact(r.lists), t('pres.lists', { n: r.lists }), half])));
          l2(...(back ? no : /** @type {[string, string, number]} */ ([exact(r.watches), t('pres.watches', { n: r.watches }), half])));
          l3(...(back ? no : /** @type {[string, string, number]} */ ([exact(r.relists), t('pres.relists', { n: r.relists }), half])));
          l4(...(back ? no : /** @type {[string, string, number]} */ ([exact(r.bookmarks), t('pres.bookmarks', { n: r.bookmarks }), half])));
          const trouble = back ? reason(r.backoffCause || r.lastError) : r.relists && r.why ? reason(r.why) : r.verb ? `${r.verb} ${r.lastRequest.split('?')[0]}` : '';
          const said = wrap(back ? upper(trouble) : trouble, room, 3, '16px');
          if (back && r.backoffs.length) said.push(fit(r.backoffs.slice(-6).map((ms) => seconds(ms)).join(', '), room, '16px'));
          why.forEach((q, i) => q.cls(back && i < said.length - 1 ? 'p16 t1' : 'p16').set(said[i] ?? ''));
        };
      }
      case 'queue': {
        const size = 26;
        const seats = bare ? 2 : Math.max(3, Math.floor((w - 24) / 30));
        const seatsG = s('g');
        g.append(seatsG);
        /** @type {{box: SVGElement, glyph: Glyph}[]} */
        const chips = [];
        for (let i = 0; i < seats; i++) {
          const px = x + w - 14 - 30 * (i + 1) + 4;
          const box = s('rect', { x: px, y: RAIL - size / 2, width: size, height: size, rx: 5, class: 'slot' });
          seatsG.append(box);
          chips.push({ box, glyph: new Glyph(seatsG, px + 4.2, RAIL - 8.8, 17.6) });
        }
        const seat = (/** @type {State} */ st) => chips.forEach((q, i) => {
          const it = st.queue.items[i];
          attr(q.box, 'class', it ? `ch rs k-${kindOf(it.op)}` : 'slot');
          if (it) q.glyph.set(kindOf(it.op));
          else q.glyph.hide();
        });
        if (!on) {
          panel(200, 136);
          const a = pair(at, 238);
          const b = text(g, at, 313, 'p16');
          return (st) => {
            big.set(count(st.queue.depth));
            seat(st);
            const held = !!model.hold('pop');
            a(st.queue.depth ? count(st.queue.depth) : t('pres.empty'), held ? t('pres.popHeld') : st.queue.depth ? t('pres.depth') : t('pres.popWaits'));
            b.set(bare ? '' : fit(st.queue.kind, room, '16px'));
          };
        }
        panel(200, 320);
        const kind = text(g, x + w, 56, 'p18', 'end');
        const head = text(g, at, 232, 'p16');
        const lines = list(266, 9);
        const more = text(g, at, 508, 'p16');
        return (st) => {
          const q = st.queue;
          big.set(count(q.depth));
          kind.set(q.kind);
          seat(st);
          const held = !!model.hold('pop');
          const items = q.batch.length ? q.batch : q.items.length ? q.items : q.lastBatch;
          const batch = q.batch.length > 0 || !q.items.length;
          head.cls(held ? 'p16 t1' : 'p16').set(fit(held ? t('pres.popHeld') : q.batch.length || q.items.length ? t('pres.depth') : q.lastBatch.length ? t('lanes.took') : `${t('pres.empty')}, ${t('pres.popWaits')}`, room, '16px'));
          let n = 0;
          for (const it of items.slice(0, 9)) {
            const words = it.key ? (it.deltas && it.deltas.length > 1 ? `${it.key} ×${it.deltas.length}` : it.tombstone ? `${middle(it.key, Math.max(8, Math.floor((room - 34) / 8.6) - 12))}, tombstone` : it.key) : `${it.op}${it.count ? ' ×' + count(it.count) : ''}`;
            lines[n++](it.op ?? '', words, batch);
          }
          while (n < 9) lines[n++](undefined, '');
          const rest = Math.max(q.batch.length ? 0 : q.depth - 9, 0);
          more.set(rest ? t('lanes.more', { n: exact(rest) }) : '');
        };
      }
      case 'indexer': {
        const rv = text(g, x + w, 96, 'p16', 'end');
        if (!on) {
          panel(200, 136);
          const a = pair(at, 238);
          rv.show(false);
          this.cellBox = { x: at, y: 280, w: bare ? 0 : room, h: 44 };
          return (st) => {
            big.set(count(st.indexer.count));
            a(st.indexer.resourceVersion ? bigVersion(st.indexer.resourceVersion) : '—', 'rv');
          };
        }
        panel(200, 320);
        const fresh = text(g, x + w, four ? 96 : 56, 'p18', 'end');
        this.cellBox = { x: at, y: 210, w: room, h: 300 };
        return (st) => {
          big.set(count(st.indexer.count));
          const n = Number(st.reflector.resourceVersion) - Number(st.indexer.resourceVersion);
          const old = model.stale(this.ctx.now());
          fresh.cls((four ? 'p16' : 'p18') + (old > 0 ? ' cwt' : '')).set(fit(old > 0 ? t('idx.stale', { s: seconds(old) }) : Number.isFinite(n) && n > 5 && st.indexer.resourceVersion ? `${exact(n)} ${t('pres.behind')}` : t('pres.current'), w - 12 - (four ? width(count(st.indexer.count), '500 35px') : 78), four ? '16px' : '600 18px'));
          rv.set(st.indexer.resourceVersion && w > 200 && !four ? `rv ${bigVersion(st.indexer.resourceVersion)}` : '');
        };
      }
      case 'listeners':
        return this.listenerRows(g, col, big, rows, mainId);
      default: {
        const wk = s('circle', { cx: o.end, cy: RAIL, r: 14, class: 'worker on' });
        const first = s('path', { d: '', class: 'rail' });
        attr(first, 'd', `M${this.cols.listeners.x + this.cols.listeners.w} ${RAIL}H${o.end}`);
        g.append(first);
        const seats = bare ? 1 : Math.max(2, Math.min(7, Math.floor((w - 50) / 30)));
        /** @type {{b: SVGElement, d: SVGElement}[]} */
        const boxes = [];
        for (let i = 0; i < seats; i++) {
          const px = o.end - 48 - 30 * i;
          const b = s('rect', { x: px, y: RAIL - 13, width: 26, height: 26, rx: 5, class: 'slotk off' });
          const d = s('circle', { cx: px + 13, cy: RAIL, r: 4, class: 'nodedot' });
          g.append(b, d);
          boxes.push({ b, d });
        }
        g.append(wk);
        const busy = text(g, o.end, RAIL + 6, 'p18 onw', 'middle');
        const seat = (/** @type {State} */ st) => {
          const q = st.workqueue;
          boxes.forEach((z, i) => {
            const there = !!q && i < q.depth;
            attr(z.b, 'class', there ? 'slotk' : 'slotk off');
            attr(z.d, 'display', there ? null : 'none');
          });
          const n = q?.processing.length ?? 0;
          attr(wk, 'class', n ? 'worker on' : 'worker');
          busy.cls(n ? 'p18 onw' : 'p18').set(exact(n));
          big.set(q ? count(q.depth) : '—');
        };
        if (!on) {
          panel(200, 136);
          const a = pair(at, 238);
          const b = pair(at, 300);
          return (st) => {
            seat(st);
            a(st.workqueue ? exact(st.workqueue.workers.length) : t('pres.noController'), st.workqueue ? t('pres.workers', { n: st.workqueue.workers.length }) : '');
            b(st.workqueue ? exact(st.workqueue.retries) : '', st.workqueue ? t('pres.retries', { n: st.workqueue.retries }) : '');
          };
        }
        panel(200, 320);
        const third = room / 3;
        const p1 = pair(at, 238);
        const p2 = pair(at + third, 238);
        const p3 = pair(at + 2 * third, 238);
        const heads = text(g, at, 296, 'p16');
        const lines = list(328, 7);
        return (st) => {
          seat(st);
          const q = st.workqueue;
          p1(q ? count(q.depth) : '—', t('pres.queued'), third);
          p2(q ? count(q.waitingCount) : '—', t('pres.waiting'), third);
          p3(q ? count(q.retries) : '—', t('pres.retries', { n: q?.retries ?? 0 }), third);
          heads.set(q ? t('pres.busy', { n: `${q.processing.length} / ${q.workers.length}` }) : '');
          const keys = q ? [...q.processing.map((k) => /** @type {[string, boolean]} */ ([k.key ?? '', true])), ...q.queue.map((k) => /** @type {[string, boolean]} */ ([k, false]))] : [];
          lines.forEach((f, i) => f(keys[i] ? '' : undefined, keys[i]?.[0] ?? '', keys[i]?.[1]));
        };
      }
    }
  }

  /**
   * @param {SVGElement} g @param {Col} col @param {import('./dom.js').Txt} big @param {Listener[]} rows @param {number} mainId
   * @returns {(st: State) => void}
   * @private
   */
  listenerRows(g, col, big, rows, mainId) {
    const { t } = this.ctx;
    const { x, w, on } = col;
    const pend = text(g, x + w, 96, 'p16', 'end');
    /** @type {((st: State) => void)[]} */
    const ups = [];
    let y = 106;
    const fork = this.forkX;
    let lowest = RAIL;
    rows.forEach((l0, i) => {
      const large = on && l0.id === mainId;
      const hh = large ? 214 : on ? 92 : 60;
      const cy = large ? y + 110 : i === 0 ? RAIL : y + hh / 2;
      const top = !large && i === 0 ? RAIL - hh / 2 : y;
      const quiet = s('g', on && !large ? { class: 'pdim' } : {});
      g.append(quiet);
      quiet.append(s('rect', { x, y: top, width: w, height: hh, rx: 5, class: large ? 'pn on' : 'pn' }));
      const slim = w < 380;
      const tight = w < 320;
      const least = on && !large && w < 260;
      const rc = large ? Math.round(x + w * (slim ? 0.36 : 0.4)) : on ? Math.round(x + w * (least ? 0.48 : 0.4)) : x + w - (w < 120 ? w / 2 : 34);
      const r = large ? (tight ? 54 : slim ? 66 : 78) : on ? (least ? 24 : 30) : 22;
      const bw = least ? 62 : large ? (tight ? 84 : 96) : slim ? 76 : 88;
      const bx = x + w - bw - (least ? 6 : 16);
      const from = rc - r;
      quiet.append(s('path', { d: cy === RAIL ? `M${fork} ${cy}H${from}` : `M${fork} ${RAIL}V${cy - 10}Q${fork} ${cy} ${fork + 10} ${cy}H${from}`, class: 'rail' }));
      lowest = Math.max(lowest, cy);
      if (on) quiet.append(s('path', { d: `M${rc + r} ${cy}H${bx}`, class: 'rail' }));
      quiet.append(s('circle', { cx: rc, cy, r, class: 'ringbg' }), s('circle', { cx: rc, cy, r, class: large ? 'ring r12' : 'ring r8' }));
      const arc = s('path', { d: '', class: 'ringf' });
      const tick = s('path', { d: '', class: 'rtick r3' });
      quiet.append(arc, tick);
      const nameRoom = large ? w * 0.5 : on ? (least ? 70 : w * 0.27) : w < 120 ? 0 : w - 74;
      const name = text(quiet, x + 14, large ? top + 30 : on ? top + 27 : cy + 6, large ? 'p21' : on ? 'p18' : 'p16 t1 knock');
      const n = text(quiet, rc, cy + (large ? 8 : on ? 9 : 6), large ? (tight ? 'p35' : 'p44') : on && !least ? 'p27' : 'p18', 'middle');
      const of = text(quiet, rc, cy + 34, 'p16', 'middle');
      const tickWords = text(quiet, rc - r - 16, cy - 12, 'p16 b6', 'end');
      const box = on ? s('rect', { x: bx, y: cy - (large ? 32 : 24), width: bw, height: large ? 64 : 48, rx: 5, class: 'hbox' }) : null;
      const busy = on ? s('rect', { x: bx + 7, y: cy + (large ? 19 : 14), width: 0, height: 5, class: 'hbusy' }) : null;
      if (box && busy) quiet.append(box, busy);
      const kind = least ? 'p16' : large ? 'p21 tn' : 'p18';
      const time = on ? text(quiet, bx + bw / 2, cy + (large ? 6 : 5), kind, 'middle') : null;
      const warn = large ? s('use', { href: '#i-warn', x: x + w - 33, y: top + 11, width: 19, height: 19, class: 'ic cw' }) : null;
      if (warn) quiet.append(warn);
      const said = large ? text(quiet, x + w - 40, top + 27, 'p16 cwt', 'end') : null;
      const ly = top + (large ? 46 : 70);
      const lamp = on ? s('circle', { cx: x + 20, cy: ly, r: 6, class: 'lamp' }) : null;
      const synced = on ? text(quiet, x + 33, ly + 6, 'p16') : null;
      if (lamp) quiet.append(lamp);
      const inn = large ? text(quiet, x + 14, top + hh - 12, 'p18') : null;
      const out = large ? text(quiet, x + w - 14, top + hh - 12, 'p18', 'end') : null;
      this.rows.set(l0.id, { y: cy, ring: rc + r + 12, box: bx - 17, from: from - 8 });
      y = top + hh + 8;
      ups.push((st) => {
        const l = st.listeners.find((q) => q.id === l0.id);
        if (!l) return;
        const slow = isSlow(l);
        name.set(nameRoom && fit(l.name, nameRoom, large ? '600 21px' : '600 18px'), l.name);
        const cap = Math.max(1, l.capacity);
        attr(arc, 'd', anti(rc, cy, r, l.ring / cap));
        attr(arc, 'class', `ringf ${slow ? 'w ' : ''}${large ? 'r12' : 'r8'}`);
        n.set(large || l.pending < 1000 ? ringNumber(l.pending) : l.pending < 9950 ? `${(l.pending / 1000).toFixed(1)}k` : `${Math.round(l.pending / 1000)}k`, exact(l.pending));
        of.set(large ? t('pres.of', { n: exact(l.capacity) }) : '');
        const old = large ? l.capacities[l.capacities.length - 1] : undefined;
        if (old) {
          const a = (old / cap) * 2 * Math.PI;
          const p = (/** @type {number} */ rr) => `${(rc + rr * Math.cos(a)).toFixed(1)} ${(cy - rr * Math.sin(a)).toFixed(1)}`;
          attr(tick, 'd', `M${p(r - 12)}L${p(r + 12)}`);
          tickWords.set(slim && this.W < 1280 ? '' : exact(old));
        } else {
          attr(tick, 'd', '');
          tickWords.set('');
        }
        if (lamp) attr(lamp, 'class', l.synced ? 'lamp on' : 'lamp');
        synced?.set(tight && !large ? '' : l.synced ? 'synced' : t('notSynced'));
        const bad = l.panics > 0;
        if (box && busy && time) {
          attr(box, 'class', bad ? 'hbox e w2' : slow ? 'hbox w w2' : 'hbox');
          time.cls(kind + (slow ? ' cwt' : '')).set(l.handled || l.meanMicros ? span(l.meanMicros / 1000) : l.paceMillis ? span(l.paceMillis) : '—');
          const expect = Math.max(1, l.paceMillis, l.meanMicros / 1000);
          attr(busy, 'width', l.handling ? ((bw - 14) * Math.min(1, Math.max(0.12, (this.ctx.now() - l.handlingSince) / expect))).toFixed(1) : 0);
          attr(busy, 'class', slow ? 'hbusy w' : 'hbusy');
        }
        if (warn && said && inn && out) {
          attr(warn, 'display', slow ? null : 'none');
          said.set(slow ? t('pres.slow') : '');
          const rate = this.rates.get(l.id);
          inn.set(rate && rate.inn >= 0 ? t('pres.in', { n: exact(Math.round(rate.inn)) }) : '');
          out.set(rate && rate.out >= 0 ? t('pres.out', { n: exact(Math.round(rate.out)) }) : '');
        }
      });
    });
    g.append(s('circle', { cx: fork, cy: RAIL, r: 5.5, class: 'fork' }));
    return (st) => {
      let sum = 0;
      for (const l of st.listeners) if (!l.removed) sum += l.pending;
      big.set(count(sum));
      if (on) pend.set('');
      for (const u of ups) u(st);
      attr(pend.el, 'display', on ? null : 'none');
    };
  }

  /** The caption, the dots of the steps, the name of the story. @param {SVGElement} svg @private */
  foot(svg) {
    const { t } = this.ctx;
    const { W, H } = this;
    const low = H - 48;
    const lines = [586, 626, 666].slice(0, W < 1280 ? 3 : 2).map((y) => text(svg, 32, y, 'p30'));
    const story = this.stories.story;
    if (story) {
      const n = story.steps.length;
      const x = (/** @type {number} */ i) => 36 + (n > 1 ? ((W - 72) * i) / (n - 1) : 0);
      svg.append(s('path', { d: `M36 ${low}H${W - 36}`, class: 'pl' }));
      const told = s('path', { d: '', class: 'pl on' });
      svg.append(told);
      const dots = story.steps.map((_, i) => {
        const d = s('circle', { cx: x(i), cy: low, r: 5, class: 'pd todo' });
        svg.append(d);
        return d;
      });
      const name = text(svg, 36, low + 30, 'p16 t1');
      const title = text(svg, W - 30, low + 30, 'p16', 'end');
      this.updates.push(() => {
        const i = this.stories.i;
        attr(told, 'd', i ? `M36 ${low}H${x(i)}` : '');
        dots.forEach((d, j) => {
          attr(d, 'r', j === i ? 8 : 5);
          attr(d, 'class', j <= i ? 'pd on' : 'pd todo');
        });
        const words = t('pres.step', { i: i + 1, n, name: this.stories.say(story.steps[i].name) });
        const late = x(i) > W - 280;
        attr(name.el, 'text-anchor', x(i) < 200 ? 'start' : late ? 'end' : 'middle');
        name.at(x(i) < 200 ? 32 : late ? Math.min(W - 30, x(i) + 8) : x(i), low + 30).set(words);
        title.set(late ? '' : this.stories.say(story.title));
      });
    } else {
      svg.append(s('path', { d: `M36 ${low}H${W - 36}`, class: 'pl' }));
      const told = s('path', { d: '', class: 'pl on' });
      const head = s('circle', { cx: 36, cy: low, r: 8, class: 'pd on' });
      const marks = s('g');
      svg.append(told, marks, head);
      const left = text(svg, 32, low + 30, 'p16 t1');
      const right = text(svg, W - 30, low + 30, 'p16', 'end');
      let drawn = '';
      this.updates.push((st) => {
        const v = this.ctx.model.view;
        const live = v.mode === 'live';
        const now = Math.min(this.ctx.now(), live ? Infinity : Math.max(v.headMillis, v.atMillis));
        const top = Math.max(1, live ? now : v.headMillis);
        const x = 36 + (W - 72) * Math.min(1, now / top);
        attr(told, 'd', `M36 ${low}H${x.toFixed(1)}`);
        attr(head, 'cx', x.toFixed(1));
        const list = this.ctx.model.marks.filter((m) => !m.lane && ['list', 'fault', 'error', 'relist', 'resync', 'hold', 'panic'].includes(m.kind) && (m.on ?? true)).slice(-24);
        const id = `${list.map((m) => m.seq)} ${Math.round(top / 400)} ${Math.round(x)}`;
        if (id !== drawn) {
          drawn = id;
          marks.replaceChildren(...list.map((m) => s('circle', { cx: (36 + (W - 72) * Math.min(1, m.atMillis / top)).toFixed(1), cy: low, r: 5, class: m.atMillis <= now ? 'pd on' : 'pd todo' })));
        }
        left.set(`${clockWords(now).replace(/\.\d+$/, '')}, ${live ? t('pres.live') : t('pres.paused')}`);
        right.set(st.source.kind === 'live' ? t('top.live', { name: st.source.context ?? '' }) : st.source.kind === 'file' ? t('top.file') : t('top.seed', { seed: st.source.seed ?? '' }));
      });
    }
    let said = '';
    this.updates.push(() => {
      const words = this.o.caption();
      if (words === said) return;
      said = words;
      const split = wrap(words, W - 64, lines.length, '30px');
      // A sentence a line, where two sentences fit so.
      const two = words.match(/^(.+?(?:[.:;](?=\s)|[。：；]))\s*(.+)$/);
      const whole = two && [two[1], two[2]].every((w) => wrap(w, W - 64, 2, '30px').length === 1) ? [two[1], two[2]] : split;
      lines.forEach((l, i) => l.set(whole[i] ?? ''));
    });
  }

  /** The store's cells, by group and freshness. @private */
  heat() {
    const cx = /** @type {CanvasRenderingContext2D} */ (this.cells.getContext('2d'));
    const { k } = this;
    cx.setTransform(1, 0, 0, 1, 0, 0);
    cx.clearRect(0, 0, this.cells.width, this.cells.height);
    const m = this.ctx.model;
    const on = this.cols.indexer.on;
    const c = this.ctx.scene.colour;
    const { x, y, w, h: hh } = this.cellBox;
    const groups = m.groups.list;
    /** @type {import('./types.js').Cell[][]} */
    const by = [];
    let total = 0;
    for (const cell of m.cells.values()) (by[cell.group] ??= []).push(cell);
    for (const b of by) total += b?.length ?? 0;
    if (!total || !w) return;
    const labelled = on && w > 150 && groups.length > 1;
    const lw = labelled ? Math.min(100, w * 0.4) : 0;
    const order = groups.map((_, i) => i).filter((i) => by[i]?.length).sort((a, b) => by[b].length - by[a].length);
    const gapY = on ? 5 : 0;
    let pitch = on ? 26 : 12;
    let cols = 1;
    for (; pitch > 1; pitch -= pitch > 4 ? 1 : 0.5) {
      cols = Math.max(1, Math.floor((w - lw) / pitch));
      let rows = 0;
      for (const i of order) rows += on ? Math.ceil(by[i].length / cols) * pitch + gapY : 0;
      if (!on) rows = Math.ceil(total / cols) * pitch;
      if (rows <= hh) break;
    }
    cx.setTransform(k, 0, 0, k, 0, 0);
    cx.globalAlpha = on ? (m.stale(this.ctx.now()) ? 0.55 : 1) : document.documentElement.classList.contains('is-contrast') ? 0.6 : 0.4;
    const now = this.ctx.now();
    const size = pitch > 3 ? pitch - 1 : pitch;
    let yy = y;
    let n = 0;
    let lastLabel = -99;
    /** @type {import('./types.js').Cell[]} */
    const all = [];
    cx.font = `16px ${c.sans}`;
    for (const i of order) {
      const list = by[i];
      if (labelled && yy - lastLabel >= 19 && yy + 14 < y + hh + 8) {
        cx.fillStyle = c.t2;
        cx.fillText(fit(groups[i][0], lw - 8, '16px'), x, yy + 13);
        lastLabel = yy;
      }
      if (total > 2500) {
        // Many cells are one bitmap, a pixel each, and are stretched to their size.
        const at = on ? 0 : n;
        const rows = Math.ceil((at + list.length) / cols) - Math.floor(at / cols);
        if (!on) {
          all.push(...list);
          n += list.length;
          continue;
        }
        if (yy + rows * pitch > y + hh + 1) break;
        this.bitmap(cx, list, cols, rows, x + lw, yy, pitch, now);
        yy += rows * pitch + gapY;
        continue;
      }
      for (let j = 0; j < list.length; j++) {
        const at = on ? j : n++;
        const px = x + lw + (at % cols) * pitch;
        const py = (on ? yy : y) + Math.floor(at / cols) * pitch;
        if (py + size > y + hh + 1) break;
        const age = now - list[j].at;
        cx.fillStyle = age < 1500 ? c.h4 : age < 6000 ? c.h3 : age < 15000 ? c.h2 : age < 60000 ? c.h1 : c.h0;
        cx.fillRect(px, py, size, size);
      }
      yy += Math.ceil(list.length / cols) * pitch + gapY;
    }
    if (all.length) this.bitmap(cx, all, cols, Math.ceil(all.length / cols), x + lw, y, pitch, now);
    cx.globalAlpha = 1;
  }

  /**
   * @param {CanvasRenderingContext2D} cx @param {import('./types.js').Cell[]} list @param {number} cols @param {number} rows
   * @param {number} x @param {number} y @param {number} pitch @param {number} now
   * @private
   */
  bitmap(cx, list, cols, rows, x, y, pitch, now) {
    const c = this.ctx.scene.colour;
    const rgb = [c.h0, c.h1, c.h2, c.h3, c.h4].map((v) => {
      const hex = v.length === 4 ? v.replace(/[0-9a-f]/gi, '$&$&') : v;
      return 0xff000000 | (parseInt(hex.slice(5, 7), 16) << 16) | (parseInt(hex.slice(3, 5), 16) << 8) | parseInt(hex.slice(1, 3), 16);
    });
    const data = new ImageData(cols, rows);
    const px = new Uint32Array(data.data.buffer);
    for (let j = 0; j < list.length; j++) {
      const age = now - list[j].at;
      px[j] = rgb[age < 1500 ? 4 : age < 6000 ? 3 : age < 15000 ? 2 : age < 60000 ? 1 : 0];
    }
    const small = (this.small ??= document.createElement('canvas'));
    small.width = cols;
    small.height = rows;
    /** @type {CanvasRenderingContext2D} */ (small.getContext('2d')).putImageData(data, 0, 0);
    cx.imageSmoothingEnabled = false;
    cx.drawImage(small, x, y, cols * pitch, rows * pitch);
  }

  /** @type {HTMLCanvasElement | undefined} */
  small;
}
