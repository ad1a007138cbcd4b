// @ts-check
// The geometry of the stage: where things lie on the 1280×720 grid, how large a unit is on this screen, and the layers
// that everything is drawn on.
import { attr, h, s, show } from './dom.js';
import { defs } from './glyphs.js';

export const RAIL = 152;
export const columns = {
  api: { x: 16, w: 100 }, reflector: { x: 136, w: 196 }, queue: { x: 352, w: 172 }, indexer: { x: 544, w: 256 },
  listeners: { x: 820, w: 244 }, controller: { x: 1084, w: 180 },
};
/** Heights of the rails of the listeners that are drawn large. */
export const lanesY = [152, 297, 442];
export const REFLECTOR_X = 234;
export const INDEXER_X = 732.5;
export const FORK_X = 810;

export class Scene {
  /** @param {HTMLElement} app */
  constructor(app) {
    this.app = app;
    this.svg = s('svg', { class: 'stage', viewBox: '0 0 1280 720' });
    this.svg.append(defs());
    /** Panels and their words. */
    this.back = s('g');
    /** Rails, nodes, ways back. */
    this.rails = s('g');
    /** What lies on the rails: slots, rings, boxes, workers. */
    this.front = s('g');
    this.svg.append(this.back, this.rails, this.front);
    this.cells = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'cells' }));
    /** Tokens put their canvases here. */
    this.tokens = h('div', { class: 'layer tokens' });
    this.over = h('div');
    /** What must lie over the cells; no larger than they are. */
    this.high = s('svg', { class: 'high', viewBox: '632 188 174 354', 'aria-hidden': 'true' });
    this.over.append(this.cells);
    app.append(this.svg, this.over, this.high, this.tokens);
    /** CSS pixels per unit. */
    this.scale = 1;
    /** Device pixels per unit. */
    this.k = 1;
    /** @type {Record<string, string>} */
    this.colour = {};
    this.measure();
  }

  /** Puts the controls of the stage into the order of the rail, which the keyboard follows. */
  order() {
    const all = /** @type {HTMLElement[]} */ ([...this.over.children]);
    all.sort((a, b) => Number(a.dataset.x ?? 1e4) - Number(b.dataset.x ?? 1e4));
    this.over.append(...all);
  }

  /** Reads the size of the window anew. */
  measure() {
    const w = this.app.getBoundingClientRect().width || 1280;
    this.scale = w / 1280;
    this.k = this.scale * (devicePixelRatio || 1);
    return this.k;
  }

  /** Reads the palette anew, for the canvases. */
  readColours() {
    const css = getComputedStyle(document.documentElement);
    for (const n of ['bg', 'panel', 'raise', 'line', 'rail', 't1', 't2', 't3', 'ink', 'add', 'upd', 'del', 'rep', 'syn', 'bmk', 'warn', 'err', 'acc', 'h0', 'h1', 'h2', 'h3', 'h4', 'mono', 'sans']) {
      this.colour[n] = css.getPropertyValue('--' + n).trim();
    }
    this.colour.key = this.colour.t1;
  }
}

/** The rail: the one straight line, its source, its nodes, and the ways back. */
export class Rail {
  /** @param {Scene} scene */
  constructor(scene) {
    const g = scene.rails;
    /** @param {string} d @param {string} cls */
    const path = (d, cls) => {
      const p = s('path', { d, class: cls });
      g.append(p);
      return p;
    };
    this.ways = s('g');
    this.ways.append(
      (this.read = s('path', { d: 'M672 532V540Q672 544 676 544H1120Q1124 544 1124 540V532', class: 'ret' })),
      s('path', { d: 'M1120 538L1124 532L1128 538', class: 'reta' }),
    );
    this.wayWrite = s('g', {}, s('path', { d: 'M1224 532V552Q1224 556 1220 556H70Q66 556 66 552V532', class: 'ret' }), s('path', { d: 'M62 538L66 532L70 538', class: 'reta' }));
    g.append(this.ways, this.wayWrite);
    this.wire = path('M30 152H342', 'rail');
    this.store = path('M342 152H534', 'rail');
    this.pop = path('M534 152H810', 'rail');
    this.drop = path('M810 152V434Q810 442 818 442', 'rail');
    /** @type {SVGElement[]} */
    this.fan = [];
    /** @type {SVGElement[]} */
    this.next = [];
    for (let i = 0; i < 3; i++) {
      const y = lanesY[i];
      this.fan.push(path(i === 2 ? `M818 ${y}H878` : `M810 ${y}H878`, 'rail'));
      this.next.push(path(`M942 ${y}H994`, 'rail'));
    }
    this.key = path('M1046 152H1182', 'rail');
    this.take = path('M1182 152H1196', 'rail');
    this.hl = s('g', { class: 'hl' });
    this.hl1 = s('path', { class: 'hl1', d: '' });
    this.hl2 = s('path', { class: 'hl2', d: '' });
    this.hl.append(this.hl1, this.hl2);
    g.append(this.hl);
    this.stems = path('M434 164V196M234 161V196', 'stem');
    this.stemIndexer = path('M732.5 161V196', 'stem');
    this.source = path('M26 145V159', 'srcbar');
    this.cut = s('g', {}, s('path', { d: 'M108 140V164M140 140V164', class: 'cute' }), s('use', { href: '#i-x', x: 116, y: 144, width: 16, height: 16, class: 'ic ce' }));
    g.append(this.cut);
    /** @param {number} x */
    const node = (x) => {
      const c = s('circle', { cx: x, cy: RAIL, r: 9, class: 'node' });
      const d = s('circle', { cx: x, cy: RAIL, r: 3.5, class: 'nodedot' });
      g.append(c, d);
      return { c, d };
    };
    this.reflector = node(REFLECTOR_X);
    this.indexer = node(INDEXER_X);
    this.forks = lanesY.slice(0, 2).map((y) => {
      const f = s('circle', { cx: FORK_X, cy: y, r: 4, class: 'fork' });
      g.append(f);
      return f;
    });
    show(this.cut, false);
  }

  /**
   * @param {import('./model.js').Model} m
   * @param {number} lanes listeners drawn large
   * @param {number[]} ids their numbers, 0 where one was removed
   * @param {boolean} rows more of them stand below as rows
   */
  paint(m, lanes, ids, rows) {
    const down = m.down();
    const backoff = m.state.reflector.phase === 'backoff';
    const heldStore = !!m.hold('store');
    const heldPop = !!m.hold('pop');
    const starve = (/** @type {boolean} */ on) => (on ? 'rail starve' : 'rail');
    attr(this.wire, 'class', down ? 'rail dead' : 'rail');
    attr(this.wire, 'd', down ? 'M30 152H108' : 'M30 152H342');
    attr(this.store, 'd', down ? 'M140 152H534' : 'M342 152H534');
    show(this.cut, down);
    attr(this.source, 'class', down ? 'srcbar dead' : 'srcbar');
    attr(this.reflector.c, 'class', backoff ? 'node wn' : 'node');
    attr(this.reflector.d, 'class', backoff ? 'nodedot wn' : 'nodedot');
    attr(this.store, 'class', starve(heldStore));
    attr(this.pop, 'class', starve(heldPop));
    show(this.drop, lanes > 1);
    attr(this.drop, 'd', lanes > 2 ? 'M810 152V434Q810 442 818 442' : rows ? 'M810 152V402Q810 410 818 410H820' : 'M810 152V289Q810 297 818 297');
    attr(this.drop, 'class', starve(heldPop));
    for (let i = 0; i < 3; i++) {
      show(this.fan[i], !!ids[i] || (i === 0 && !lanes));
      show(this.next[i], !!ids[i]);
      attr(this.fan[i], 'class', starve(heldPop));
      const heldHere = !!m.hold('deliver', ids[i]) || !!m.hold('deliver');
      const ring = m.state.listeners.find((l) => l.id === ids[i]);
      attr(this.next[i], 'class', starve(heldHere || (heldPop && !ring?.pending)));
    }
    attr(this.fan[0], 'd', lanes ? 'M810 152H878' : 'M810 152H820');
    attr(this.fan[1], 'd', lanes > 2 || rows ? 'M810 297H878' : 'M818 297H878');
    show(this.forks[0], lanes > 0);
    show(this.forks[1], rows || (lanes > 2 && !!ids[1]));
    const wq = m.state.workqueue;
    show(this.key, !!wq);
    // The first listener is the one that adds keys.
    attr(this.key, 'class', starve(ids[0] !== 1));
    show(this.take, !!wq);
    attr(this.take, 'class', starve(!!m.hold('take')));
    show(this.ways, !!wq);
    show(this.wayWrite, !!wq?.writing);
  }
}
