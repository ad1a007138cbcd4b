// @ts-check
// The phone: the same rail, upright. A station is a line with its name, one number and two asides; one at a time is
// open. What a thumb needs lies at the bottom.
import { attr, h, s, text } from './dom.js';
import { bigVersion, clock as clockWords, count, exact, fit, middle, reason, ring as ringNumber, seconds, span, speed as speedWords, upper, version, width, wrap } from './format.js';
import { Glyph, kindOf } from './glyphs.js';
import { language } from './i18n.js';
import * as two from './phonelanes.js';
import { writeWords } from './panels/controller.js';
import { anti, isSlow } from './panels/listeners.js';
import { Runner } from './runner.js';
import { speeds } from './transport.js';

/** @typedef {import('./types.js').State} State */

const ids = ['api', 'reflector', 'queue', 'indexer', 'listeners', 'controller'];
const names = /** @type {Record<string, string>} */ ({ api: 'API server', reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listeners: 'Listeners', controller: 'Controller' });
const shut = /** @type {Record<string, number>} */ ({ api: 58, reflector: 58, queue: 80, indexer: 73, listeners: 60, controller: 62 });
const opened = /** @type {Record<string, number>} */ ({ api: 200, reflector: 206, queue: 220, indexer: 220, listeners: 226, controller: 196 });
const X = 32;
/** The path that leads to a path. @type {Record<string, string>} */
const before = { wire: 'write', store: 'wire', pop: 'store', fan: 'pop', take: 'key', write: 'take' };
/** Where a controller's writes go back. */
const BACK = 11;

export class Phone {
  /**
   * @param {import('./types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('./stories.js').Stories} stories
   * @param {{caption: () => string, lanes: import('./lanes.js').Lanes, presenting: () => boolean, focus: (clock: number) => string[], present: (on: boolean) => void, explain: (i: number) => void, top: import('./topbar.js').TopBar, transport: import('./transport.js').Transport, theme: () => void, language: () => void, find: () => void}} o
   */
  constructor(ctx, app, stories, o) {
    this.ctx = ctx;
    this.stories = stories;
    this.o = o;
    this.open = 'listeners';
    /** What a story or presenter mode opened last. */
    this.followed = '';
    /** Presenter mode: a third larger, so a third fewer units. */
    this.large = false;
    this.W = 390;
    this.layout = '';
    /** @type {((st: State) => void)[]} */
    this.updates = [];
    /** @type {Record<string, number>} */
    this.ys = {};
    this.height = 565;
    this.query = matchMedia('(max-width: 599px)');
    const button = (/** @type {string} */ cls, /** @type {(b: HTMLElement) => void} */ f) => {
      const b = h('button', { class: 'pkey ' + cls, type: 'button' });
      b.addEventListener('click', () => f(b));
      return b;
    };
    const icon = (/** @type {string} */ d, /** @type {() => void} */ f, cls = '') => {
      const b = button(cls, f);
      const p = s('path', { d });
      b.append(s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, p));
      return { b, p };
    };
    const tr = o.transport;
    this.name = h('b', {}, 'informerscope');
    this.src = button('psrc', (b) => o.top.openSources(b));
    this.era = h('span', { class: 'pera' });
    this.svg = s('svg', { class: 'pst', viewBox: '0 0 390 565' });
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'pcv' }));
    this.stage = h('div', { class: 'pstage' }, this.svg, this.canvas);
    this.scroll = h('div', { class: 'pscroll', tabindex: 0 }, this.stage);
    this.said = h('p', { class: 'psay' });
    this.time = h('b', { class: 'pclock' });
    this.ahead = h('span', { class: 'pahead' });
    this.tl = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'ptl', role: 'slider', tabindex: 0 }));
    this.start = icon('M2 3h2v10H2zM14 3v10L5 8z', () => tr.toStart());
    this.back = icon('M12 3h2v10h-2zM10 3v10L2 8z', () => tr.step(-1));
    this.main = icon('M4 2.5v11l9-5.5z', () => tr.toggle(), 'main');
    this.fwd = icon('M2 3h2v10H2zM6 3v10l8-5z', () => tr.step(1));
    this.end = icon('M12 3h2v10h-2zM2 3v10l9-5z', () => tr.live());
    this.storyB = button('', (b) => stories.open(b));
    this.prevB = button('', () => stories.turn(-1));
    this.nextB = button('', () => stories.turn(1));
    this.holdB = button('', (b) => this.openHolds(b));
    this.faultB = button('', (b) => {
      if (!o.lanes.on || ctx.model.state.source.kind !== 'sim') o.top.openFaults(b);
      else if (ctx.model.hold('pop')) ctx.act('release', 'pop', 0);
      else o.lanes.burst();
    });
    this.speedB = button('', (b) => this.openSpeeds(b));
    this.moreB = button('', (b) => this.openMore(b));
    this.moreB.textContent = '•••';
    this.root = h('section', { class: 'phonev', hidden: '' },
      h('header', { class: 'ptop' }, this.name, this.src, this.era), this.scroll, this.said,
      h('div', { class: 'ptime' }, this.time, this.ahead, this.tl),
      h('div', { class: 'phrow big' }, this.start.b, this.back.b, this.main.b, this.fwd.b, this.end.b),
      h('div', { class: 'phrow' }, this.storyB, this.prevB, this.nextB, this.holdB, this.faultB, this.speedB, this.moreB));
    // In presenter mode a tap is the next step; what turns back and what leaves stand below.
    this.dots = h('div', { class: 'dots', 'aria-hidden': 'true' });
    this.stepName = h('span', {});
    this.pprev = icon('M10.5 2.5L5 8l5.5 5.5', () => stories.turn(-1));
    this.pleave = icon('M3.5 3.5l9 9M12.5 3.5l-9 9', () => o.present(false));
    this.pnext = button('ptapnext', () => (stories.story ? stories.turn(1) : tr.toggle()));
    this.foot = h('div', { class: 'pfoot' }, this.pprev.b, h('div', {}, this.dots, this.stepName), this.pleave.b);
    this.root.append(this.pnext, this.foot);
    app.append(this.root);
    this.runner = new Runner(this.canvas, ctx, 390, 565, 20);
    // A quiet station's chips are quiet too.
    this.runner.strength = (_, y) => (!this.large || (y > (this.ys[this.open] ?? 0) - 40 && y < (this.ys[this.open] ?? 1e4) + this.tall(this.open) - 20) ? 1 : 0.4);
    let busy = false;
    const to = (/** @type {PointerEvent} */ e) => {
      const box = this.tl.getBoundingClientRect();
      const v = ctx.model.view;
      const share = Math.max(0, Math.min(1, (e.clientX - box.left - 6) / (box.width - 12)));
      if (busy) return;
      busy = true;
      Promise.resolve(share > 0.985 ? ctx.act('live') : ctx.act('seekTime', Math.round(share * v.headMillis))).then(() => (busy = false));
    };
    this.tl.addEventListener('pointerdown', (e) => {
      if (!ctx.model.any) return;
      this.tl.setPointerCapture(e.pointerId);
      to(e);
    });
    this.tl.addEventListener('pointermove', (e) => this.tl.hasPointerCapture(e.pointerId) && to(e));
  }

  get on() {
    return this.query.matches;
  }

  resize() {
    const box = this.tl.getBoundingClientRect();
    this.tl.width = Math.round(box.width * (devicePixelRatio || 1));
    this.tl.height = Math.round(box.height * (devicePixelRatio || 1));
    this.layout = '';
  }

  /** @param {number} clock */
  draw(clock) {
    this.runner.draw(clock);
  }

  /** @param {import('./types.js').Frame} frame */
  apply(frame) {
    if (this.root.hidden) return;
    if (frame.jump) return this.runner.clear();
    const { lanes } = this.o;
    if (lanes.on) {
      const id = lanes.printer()?.id;
      for (const i of [0, 1]) {
        const ways = two.ways(this, i);
        for (const m of frame.lanes?.[i]?.moves ?? []) {
          const label = m.k ? lanes.episode.changes.find((c) => c.key === m.k && c.rv === m.rv)?.label : undefined;
          if (ways[m.p] && (m.p !== 'fan' || m.l === id)) this.runner.add(m, ways[m.p], { id: String(i), label, before: before[m.p] });
        }
      }
      return;
    }
    const y = this.ys;
    const ways = /** @type {Record<string, number[]>} */ ({
      wire: [X, y.api + 26, X, y.reflector - 12], store: [X, y.reflector + 12, X, y.queue - 18], pop: [X, y.queue + 60, X, y.indexer - 12], fan: [X, y.indexer + 12, X, y.listeners + 8],
      key: [X, y.controller - 44, X, y.controller - 6], take: [X, y.controller, X, y.controller + 26],
      write: [X - 11, y.controller + 30, BACK, y.controller + 30, BACK, y.api, X - 9, y.api],
    });
    // What a write came back as follows the write.
    const moves = frame.lanes?.[0]?.moves ?? [];
    for (const m of moves.some((q) => q.p === 'write') ? [...moves].sort((a, b) => a.s - b.s) : moves) {
      if (m.p === 'fan' && m.l !== this.firstId) continue;
      if (ways[m.p]) this.runner.add(m, ways[m.p], { before: before[m.p] });
    }
  }

  firstId = 0;

  /** @param {number} clock */
  paint(clock) {
    const { t, model } = this.ctx;
    const st = model.state;
    const list = st.listeners.filter((l) => !l.removed);
    this.firstId = list[0]?.id ?? 0;
    const most = [...list].sort((a, b) => b.pending - a.pending)[0];
    const wanted = list.find((l) => l.name === this.stories.step?.listener);
    const main = wanted ?? (most?.pending ? most : list[Math.min(2, list.length - 1)]);
    let rows = list.slice(0, 3);
    if (main && !rows.includes(main)) rows = [...list.slice(0, 2), main];
    const big = wanted ?? rows.find((l) => l.id === this.bigId && main && main.pending < l.pending + 50) ?? main ?? rows[rows.length - 1];
    this.bigId = big?.id ?? 0;
    const { lanes } = this.o;
    if (lanes.on) lanes.look(clock);
    this.follow(clock);
    const id = [this.open, language(), rows.map((l) => l.id), this.bigId, this.large, lanes.on, lanes.on && lanes.episode.changes.length].join('|');
    if (id !== this.layout) {
      this.layout = id;
      this.build(rows);
    }
    const put = (/** @type {HTMLElement} */ el, /** @type {string} */ w) => {
      if (el.textContent !== w) el.textContent = w;
    };
    put(this.src, this.o.top.srcText.textContent ?? '');
    put(this.era, (model.eras.length ? model.eras.join(', ') : st.era) + (model.eras.length ? '' : ` ${st.queue.kind}`));
    for (const u of this.updates) u(st);
    const said = this.o.caption();
    // A longer caption takes room from the rail.
    if (this.stories.story && said !== this.said.textContent) this.reveal = true;
    put(this.said, said);
    if (this.reveal) this.show();
    this.reveal = false;
    const v = model.view;
    const live = v.mode === 'live';
    const now = Math.min(this.ctx.now(), live ? Infinity : Math.max(v.headMillis, v.atMillis));
    put(this.time, clockWords(model.any ? now : 0));
    put(this.ahead, live ? t('tl.live') : `+${count(v.behind)} ${t('phone.toLive')}`);
    attr(this.main.p, 'd', v.mode === 'paused' || !model.any ? 'M4 2.5v11l9-5.5z' : 'M4 2.5h3v11H4zM9 2.5h3v11H9z');
    for (const [q, k] of /** @type {[{b: HTMLElement}, string][]} */ ([[this.start, 'tr.start'], [this.back, 'tr.back'], [this.main, v.mode === 'paused' ? 'tr.play' : 'tr.pause'], [this.fwd, 'tr.fwd'], [this.end, 'tr.live']])) attr(q.b, 'aria-label', t(k));
    const telling = !!this.stories.story;
    if (this.large) this.paintFoot();
    this.storyB.hidden = false;
    this.prevB.hidden = this.nextB.hidden = !telling;
    this.speedB.hidden = telling;
    put(this.storyB, telling ? `${this.stories.i + 1}/${this.stories.story?.steps.length}` : t('phone.story'));
    put(this.prevB, '‹');
    put(this.nextB, '›');
    attr(this.prevB, 'aria-label', t('story.prev'));
    attr(this.nextB, 'aria-label', t('story.next'));
    put(this.holdB, t('phone.hold'));
    const sim2 = lanes.on && st.source.kind === 'sim';
    put(this.faultB, t(sim2 ? (model.hold('pop') ? 'lanes.release' : 'lanes.burst') : 'phone.faults'));
    put(this.speedB, speedWords(this.o.transport.speed));
    attr(this.speedB, 'aria-label', `${t('tr.speed')} ${speedWords(this.o.transport.speed)}`);
    attr(this.moreB, 'aria-label', t('phone.more'));
    this.holdB.classList.toggle('lit', st.holds.length > 0);
    (sim2 ? this.moreB : this.faultB).classList.toggle('lit', st.faults.some((f) => f.on));
    if (clock - this.tlAt > 120 && !this.large) {
      this.tlAt = clock;
      this.timeline(now, live);
    }
  }

  /** A story, or presenter mode, opens the station that it speaks of and brings it into sight. @param {number} clock @private */
  follow(clock) {
    const large = this.o.presenting();
    if (large !== this.large) {
      this.large = large;
      this.root.classList.toggle('pres', large);
      this.followed = '';
    }
    const { step, starting, story } = this.stories;
    const focus = step && !starting ? (step.open ? [step.open] : step.focus) : large ? this.o.focus(clock) : [];
    const want = focus.filter((c) => !this.o.lanes.on || two.stations.includes(c)).pop();
    const id = want ? `${story?.id} ${this.stories.i} ${want}` : '';
    if (id === this.followed) return;
    this.followed = id;
    if (want) this.open = want;
    this.reveal = true;
  }

  reveal = false;
  footId = '';

  /** The dots of the steps, or the clock. @private */
  paintFoot() {
    const { t } = this.ctx;
    const { story, i } = this.stories;
    const v = this.ctx.model.view;
    const n = story?.steps.length ?? 0;
    const name = story ? t('pres.step', { i: i + 1, n, name: this.stories.say(story.steps[i].name) }) : `${clockWords(this.ctx.now()).replace(/\.\d+$/, '')}, ${t(v.mode === 'live' ? 'pres.live' : 'pres.paused')}`;
    if (this.stepName.textContent !== name) this.stepName.textContent = name;
    const id = `${n} ${i}`;
    if (id !== this.footId) {
      this.footId = id;
      this.dots.replaceChildren(...Array.from({ length: n }, (_, j) => h('i', { class: j === i ? 'now' : j < i ? 'on' : '' })));
    }
    this.pprev.b.hidden = !story;
    attr(this.pprev.b, 'aria-label', t('story.prev'));
    attr(this.pleave.b, 'aria-label', t('phone.leave'));
    attr(this.pnext, 'aria-label', t(story ? 'story.next' : v.mode === 'paused' ? 'tr.play' : 'tr.pause'));
  }

  tlAt = 0;
  bigId = 0;

  /** @param {number} now @param {boolean} live @private */
  timeline(now, live) {
    const m = this.ctx.model;
    const c = this.ctx.scene.colour;
    const k = devicePixelRatio || 1;
    const cx = /** @type {CanvasRenderingContext2D} */ (this.tl.getContext('2d'));
    const w = this.tl.width / k;
    const hh = this.tl.height / k;
    cx.setTransform(k, 0, 0, k, 0, 0);
    cx.clearRect(0, 0, w, hh);
    const head = Math.max(10e3, live ? Math.max(now, m.view.headMillis) : m.view.headMillis);
    const x = (/** @type {number} */ ms) => 6 + ((w - 12) * ms) / head;
    const cols = Math.max(0, Math.floor((w - 12) / 3));
    const tall = new Array(cols + 1).fill(0);
    m.bins.forEach((n, i) => {
      const q = Math.min(cols, Math.floor((((m.binFrom + i) * m.binMillis) / head) * cols));
      tall[q] = Math.max(tall[q], n ?? 0);
    });
    const top = Math.max(4, ...tall);
    tall.forEach((n, i) => {
      if (!n) return;
      const px = 6 + i * 3;
      cx.fillStyle = px <= x(now) ? c.t3 : c.h1;
      const q = Math.max(1, (hh - 16) * Math.sqrt(n / top));
      cx.fillRect(px, hh - 2 - q, 2, q);
    });
    for (const mk of m.marks) {
      if (mk.lane || (mk.on === false)) continue;
      const col = mk.kind === 'fault' ? c.warn : mk.kind === 'error' || mk.kind === 'panic' ? c.err : mk.kind === 'list' || mk.kind === 'relist' || mk.kind === 'hold' ? c.t1 : '';
      if (!col) continue;
      cx.fillStyle = col;
      cx.fillRect(x(mk.atMillis), 8, 1.5, hh - 10);
    }
    cx.fillStyle = c.rail;
    cx.fillRect(6, hh - 2, w - 12, 1);
    const px = x(live ? head : now);
    cx.fillStyle = c.t1;
    cx.fillRect(px - 1, 4, 2, hh - 4);
    cx.beginPath();
    cx.moveTo(px - 6, 0);
    cx.lineTo(px + 6, 0);
    cx.lineTo(px + 6, 6);
    cx.lineTo(px, 12);
    cx.lineTo(px - 6, 6);
    cx.fill();
    attr(this.tl, 'aria-label', this.ctx.t('tl.label'));
    attr(this.tl, 'aria-valuemin', 0);
    attr(this.tl, 'aria-valuemax', Math.round(head / 1000));
    attr(this.tl, 'aria-valuenow', Math.round(now / 1000));
  }

  /** @param {import('./types.js').Listener[]} rows @private */
  build(rows) {
    const { svg } = this;
    svg.replaceChildren();
    this.updates = [];
    const pair = this.o.lanes.on;
    // Below 390 pixels the picture gives room and not size: 12 stays the smallest type.
    const W = (this.W = this.large ? 292 : Math.max(320, Math.min(390, this.stage.clientWidth || 390)));
    const list = pair ? two.stations : ids;
    if (!list.includes(this.open) && this.open) this.open = 'listeners';
    let y = 20;
    for (const c of list) {
      this.ys[c] = y;
      y += this.tall(c) + 2;
    }
    const last = list[list.length - 1];
    this.height = y - (last === this.open ? 20 : this.large ? 4 : 18);
    attr(svg, 'viewBox', `0 0 ${W} ${this.height}`);
    const k = (this.stage.clientWidth || W) / W;
    this.runner.w = W;
    this.runner.h = this.height;
    this.runner.resize(k * (devicePixelRatio || 1));
    this.runner.clear();
    if (list.includes(this.open) && (!pair || this.open !== 'api')) svg.append(s('rect', { x: 48, y: this.ys[this.open] - 22, width: W - (pair ? 96 : 56), height: this.tall(this.open) - 4, rx: 6, class: 'pn' }));
    if (pair) two.rails(this);
    else this.rail();
    for (const c of list) {
      const open = c === this.open;
      const g = s('g', this.large && !open ? { class: 'pdim' } : {});
      const tap = s('g', { class: 'ptap', 'data-station': c });
      tap.append(s('rect', { x: 48, y: this.ys[c] - 20, width: W - (pair ? 96 : 56), height: open ? 46 : this.tall(c) - 6, rx: 6, class: 'phit' }));
      const toggle = () => {
        this.open = open ? '' : c;
        this.layout = '';
      };
      // In presenter mode the story opens, and two lanes have nothing to open at their source.
      if (!this.large && !(pair && c === 'api')) {
        attr(tap, 'role', 'button');
        attr(tap, 'tabindex', 0);
        attr(tap, 'aria-expanded', String(open));
        tap.addEventListener('click', toggle);
        press(tap, () => {
          toggle();
          this.refocus = c;
        });
      }
      g.append(tap);
      svg.append(g);
      if (pair) two.station(this, c, g, tap);
      else this.station(c, rows, g, tap);
      if (this.refocus === c) /** @type {SVGElement} */ (tap).focus();
    }
    this.refocus = '';
  }

  /** Brings what is told into sight: its end, and as much before it as there is room. @private */
  show() {
    const y = this.ys[this.open];
    if (y === undefined) return;
    const k = (this.stage.clientWidth || this.W) / this.W;
    const from = (y - 24) * k;
    const to = (y - 20 + this.tall(this.open)) * k;
    const { scrollTop, clientHeight } = this.scroll;
    if (from < scrollTop || to > scrollTop + clientHeight) this.scroll.scrollTop = Math.min(from, to - clientHeight);
  }

  /** How tall a station is now. @param {string} c @private */
  tall(c) {
    if (this.o.lanes.on) return two.tall(this, c, c === this.open);
    return c === this.open ? opened[c] : this.large ? (c === 'queue' ? 56 : 46) : shut[c];
  }

  refocus = '';

  /** The rail of one lane. @private */
  rail() {
    const { svg, ys } = this;
    svg.append(s('path', { d: `M${X} ${ys.api}V${ys.controller + 22}`, class: 'rail' }), s('path', { d: `M25 ${ys.api}H39`, class: 'srcbar' }));
    for (const c of ['reflector', 'indexer']) svg.append(s('circle', { cx: X, cy: ys[c], r: 9, class: 'node' }), s('circle', { cx: X, cy: ys[c], r: 3.5, class: 'nodedot' }));
    const cy = (ys.api + ys.reflector) / 2 - (this.open === 'api' ? -60 : 0);
    const cut = s('g', {}, s('rect', { x: X - 4, y: cy - 15, width: 8, height: 30, class: 'pn2' }), s('path', { d: `M${X - 10} ${cy - 15}H${X + 10}M${X - 10} ${cy + 15}H${X + 10}`, class: 'cute' }), s('use', { href: '#i-x', x: X - 9, y: cy - 9, width: 18, height: 18, class: 'ic ce' }));
    svg.append(cut);
    const { model } = this.ctx;
    this.updates.push(() => attr(cut, 'display', model.down() ? null : 'none'));
    const [from, to] = [ys.controller + 30, ys.api];
    const way = s('g', {}, s('path', { d: `M${X - 11} ${from}H${BACK + 5}Q${BACK} ${from} ${BACK} ${from - 5}V${to + 5}Q${BACK} ${to} ${BACK + 5} ${to}H${X - 10}`, class: 'ret' }), s('path', { d: `M${X - 14} ${to - 4}L${X - 10} ${to}L${X - 14} ${to + 4}`, class: 'reta' }));
    svg.append(way);
    this.updates.push((st) => attr(way, 'display', st.workqueue?.writing ? null : 'none'));
    // A held stage is a bar across the rail; behind Pop nothing comes.
    const behind = s('g', {}, s('path', { d: `M${X} ${ys.indexer + 11}V${ys.controller - 14}`, class: 'pn2r' }), s('path', { d: `M${X} ${ys.indexer + 12}V${ys.controller - 14}`, class: 'rail starve' }));
    svg.append(behind);
    for (const [stage, at] of /** @type {[string, number][]} */ ([['store', ys.reflector + 22], ['pop', ys.indexer - 16], ['take', ys.controller + 12]])) {
      const bar = s('path', { d: `M${X - 13} ${at}H${X + 13}`, class: 'hbarp' });
      svg.append(bar);
      this.updates.push(() => attr(bar, 'display', model.hold(stage) ? null : 'none'));
    }
    this.updates.push(() => attr(behind, 'display', model.hold('pop') ? null : 'none'));
  }

  /** @param {string} c @param {import('./types.js').Listener[]} rows @param {SVGElement} svg what it is drawn on @param {SVGElement} tap @private */
  station(c, rows, svg, tap) {
    const { t, model } = this.ctx;
    const { W } = this;
    const y = this.ys[c];
    const open = c === this.open;
    const bare = this.large && !open;
    const title = text(tap, 60, y + 5, 'ti');
    title.set(names[c]);
    const num = text(tap, open && !this.large ? W - 38 : W - 16, y + 5, 'n20', 'end');
    const unit = s('tspan', { class: 'l', dx: 6 });
    // Of a quiet station presenter mode keeps the one number.
    const aside = bare ? s('g') : tap;
    const a = text(aside, 60, y + 25, 'l');
    const b = text(aside, W - 16, y + 25, 'l t1', 'end');
    if (open && !this.large) {
      const ix = 60 + width(names[c], '600 16px') + 16;
      const info = s('g', { class: 'ptap pinfo', role: 'button', tabindex: 0, 'aria-label': t('ex.open', { name: names[c] }) }, s('rect', { x: ix - 16, y: y - 22, width: 44, height: 44, rx: 6, class: 'phit' }), s('circle', { cx: ix, cy: y, r: 7.5 }), s('path', { d: `M${ix} ${y - 1}v5M${ix} ${y - 4}v.5` }));
      const ask = () => this.o.explain(ids.indexOf(c));
      info.addEventListener('click', ask);
      press(info, ask);
      svg.append(info);
    }
    if (open && !this.large) tap.append(s('path', { d: `M${W - 28} ${y + 2}l5 -5l5 5`, class: 'chev' }));
    const set = (/** @type {string} */ n, /** @type {string} */ u) => {
      num.set(n);
      if (unit.textContent !== u) unit.textContent = u;
      if (u && !unit.parentNode) num.el.append(unit);
    };
    /** A chip and a key in each of n lines. */
    const lines = (/** @type {number} */ from, /** @type {number} */ n) => {
      const out = [];
      for (let i = 0; i < n; i++) {
        const yy = from + 25 * i;
        const box = s('rect', { x: 60, y: yy - 14, width: 18, height: 18, rx: 4, class: 'ch rs' });
        svg.append(box);
        const glyph = new Glyph(svg, 63, yy - 11, 12);
        const words = text(svg, 86, yy, 'm1');
        out.push((/** @type {string | undefined} */ op, /** @type {string} */ w, solid = false) => {
          attr(box, 'display', op === undefined ? 'none' : null);
          if (op === undefined) {
            glyph.hide();
            words.set('');
            return;
          }
          attr(box, 'class', `ch ${solid ? 'mv' : 'rs'} k-${kindOf(op)}`);
          glyph.set(kindOf(op), solid);
          words.set(middle(w, Math.floor((W - 102) / 7.3)), w);
        });
      }
      return out;
    };
    const ahead = (/** @type {string} */ x, /** @type {string} */ z) => Math.max(0, Number(z) - Number(x)) || 0;
    if (c === 'api') {
      const body = open ? lines(y + 56, 5) : [];
      this.updates.push((st) => {
        const down = model.down();
        set(bigVersion(st.api.resourceVersion), '');
        a.set(down ? fit(upper(reason(model.trouble())), 220) : t('phone.a.writes', { n: exact(Math.round(st.api.writesPerSecond)) }));
        b.cls(down ? 'l cet' : 'l t1').set(down ? t('pres.noAnswer') : st.api.objects >= 0 ? t('lanes.objects', { n: count(st.api.objects) }) : '');
        body.forEach((f, i) => f(st.api.wire[i]?.op, st.api.wire[i] ? st.api.wire[i].key || `rv ${version(st.api.wire[i].rv)}` : ''));
      });
    } else if (c === 'reflector') {
      const rows2 = open ? [0, 1, 2, 3, 4].map((i) => text(svg, 60, y + 58 + 22 * i, i === 0 ? 'm1' : 'l t1')) : [];
      this.updates.push((st) => {
        const r = st.reflector;
        const back = r.phase === 'backoff';
        set(bigVersion(r.resourceVersion), '');
        const n = ahead(r.resourceVersion, st.api.resourceVersion);
        a.set(!r.resourceVersion ? '' : n ? t('phone.behind', { n: exact(n) }) : t('phone.current'));
        b.cls(back ? 'l cwt' : 'l t1').set(back ? t('pres.next', { s: seconds(Math.max(0, r.backoffMillis - (this.ctx.now() - r.backoffSince))) }) : r.phase);
        if (!open) return;
        rows2[0].set(fit(`${r.verb || 'GET'} ${r.lastRequest.split('?')[0]}`, W - 90, '12px monospace'));
        rows2[1].set(['lists', 'watches', 'relists'].map((k) => `${exact(/** @type {any} */ (r)[k])} ${t('pres.' + k, { n: /** @type {any} */ (r)[k] })}`).join(', '));
        rows2[2].set(`${exact(r.events)} ${t('ref.events', { n: r.events })}, ${exact(r.bookmarks)} ${t('pres.bookmarks', { n: r.bookmarks })}`);
        const said = wrap(r.lastError ? upper(reason(r.lastError)) : '', W - 90, 2);
        rows2[3].set(said[0] ?? '');
        rows2[4].set(said[1] ?? '');
      });
    } else if (c === 'queue') {
      const seats = (bare ? [0, 1] : [0, 1, 2, 3]).map((i) => {
        const box = s('rect', { x: X - 9, y: y - 15 + 20 * i, width: 18, height: 18, rx: 4, class: 'slot' });
        svg.append(box);
        return { box, glyph: new Glyph(svg, X - 6.1, y - 12.1 + 20 * i, 12.2) };
      });
      const more = text(aside, 60, y + 43, 'l');
      const body = open ? lines(y + 74, 5) : [];
      this.updates.push((st) => {
        const q = st.queue;
        set(count(q.depth), t('queue.depth'));
        // The head is lowest: what leaves first is nearest to the store.
        seats.forEach((z, i) => {
          const it = q.items[seats.length - 1 - i];
          attr(z.box, 'class', it ? `ch rs k-${kindOf(it.op)}` : 'slot off');
          if (it) z.glyph.set(kindOf(it.op));
          else z.glyph.hide();
        });
        const held = !!model.hold('pop');
        const next = q.items[0]?.key;
        a.set(fit(q.batchSize > 1 ? t('phone.batch', { n: exact(q.batchSize), k: next ? middle(next, 20) : '—' }) : next ? t('phone.next', { k: middle(next, 26) }) : `${t('phone.empty')}, ${t('queue.waits')}`, W - 90));
        b.set('');
        more.cls(held ? 'l t1' : 'l').set(held ? t('pres.popHeld') : `${t(q.locked ? 'phone.locked' : 'phone.unlocked')}, ${q.synced ? 'synced' : t('notSynced')}`);
        const items = q.items.length ? q.items : q.lastBatch;
        body.forEach((f, i) => f(items[i]?.op ?? (items[i] ? '' : undefined), items[i]?.key ? (items[i].tombstone ? `${middle(items[i].key, 22)}, tombstone` : items[i].key) : items[i]?.op ?? '', !q.items.length));
      });
    } else if (c === 'indexer') {
      const bars = open ? [0, 1, 2, 3, 4, 5].map((i) => {
        const yy = y + 58 + 22 * i;
        const bar = s('rect', { x: 190, y: yy - 10, width: 0, height: 12, rx: 2, class: 'hc3' });
        svg.append(bar);
        return { bar, name: text(svg, 60, yy, 'l t1'), n: text(svg, 182, yy, 'l', 'end') };
      }) : [];
      // The store in three lines: a cell stands for as many objects as it must, and shows the freshest of them.
      const cols = open || this.large ? 0 : Math.floor((W - 76) / 6);
      const cells = Array.from({ length: 3 * cols }, (_, i) => {
        const r = s('rect', { x: 60 + 6 * (i % cols), y: y + 33 + 6 * Math.floor(i / cols), width: 5, height: 5 });
        tap.append(r);
        return r;
      });
      let drawn = -1e9;
      const heat = () => {
        const clock = performance.now();
        if (!cols || clock - drawn < 250) return;
        drawn = clock;
        const now = this.ctx.now();
        const per = Math.max(1, Math.ceil(model.cells.size / cells.length));
        const fresh = new Array(cells.length).fill(-1);
        let i = 0;
        for (const cell of model.cells.values()) {
          const age = now - cell.at;
          const j = Math.floor(i++ / per);
          fresh[j] = Math.max(fresh[j], age < 4e3 ? 4 : age < 12e3 ? 3 : age < 26e3 ? 2 : age < 60e3 ? 1 : 0);
        }
        cells.forEach((r, k) => attr(r, 'class', fresh[k] < 0 ? 'none' : 'hc' + fresh[k]));
      };
      this.updates.push((st) => {
        heat();
        set(count(st.indexer.count), t('pres.objects', { n: st.indexer.count }));
        const rv = st.indexer.resourceVersion;
        a.set(rv ? `rv ${version(rv, 9)}` : t('lanes.keepsNone'));
        const old = model.stale(this.ctx.now());
        b.cls(old ? 'l cwt' : 'l t1').set(old ? t('idx.stale', { s: seconds(old) }) : '');
        const groups = [...model.groups.list].sort((p, q) => q[1] - p[1]);
        const top = Math.max(1, groups[0]?.[1] ?? 1);
        bars.forEach((z, i) => {
          const g = groups[i];
          z.name.set(g ? fit(g[0], 90) : '');
          z.n.set(g ? count(g[1]) : '');
          attr(z.bar, 'width', g ? Math.max(1, ((W - 210) * g[1]) / top).toFixed(0) : 0);
        });
      });
    } else if (c === 'listeners') {
      this.updates.push((st) => {
        let sum = 0;
        for (const l of st.listeners) if (!l.removed) sum += l.pending;
        set(count(sum), t('lis.pending'));
        const slow = st.listeners.find((l) => !l.removed && isSlow(l));
        a.set(open || slow ? '' : fit(st.listeners.filter((l) => !l.removed).map((l) => l.name).join(', '), W - 80));
        b.cls(slow ? 'l cwt' : 'l').set(open ? '' : slow ? fit(`${slow.name}: ${t('lis.slow')}`, W - 80) : '');
      });
      if (open) this.rows(y, rows, svg);
      else svg.append(s('circle', { cx: X, cy: y, r: 4, class: 'fork' }));
    } else {
      const w = s('circle', { cx: X, cy: y + 30, r: 11, class: 'worker' });
      const wn = text(svg, X, y + 34.5, 't14', 'middle');
      svg.insertBefore(w, wn.el);
      const key = s('rect', { x: X - 9, y: y - 12, width: 18, height: 18, rx: 4, class: 'slotk' });
      svg.append(key);
      const body = open ? lines(y + 74, 4) : [];
      const wrote = open ? text(svg, 60, y + 45, 'l') : null;
      this.updates.push((st) => {
        const q = st.workqueue;
        wrote?.set(q?.writing ? fit(writeWords(q.lastWrite), W - 80) : '');
        set(q ? count(q.depth) : '—', q ? t('pres.queued') : '');
        a.set(q ? t('phone.workers', { a: q.processing.length, b: q.workers.length, n: exact(q.depth) }) : t('phone.none'));
        b.cls(q?.retries ? 'l cwt' : 'l').set(q?.retries ? t('phone.retry', { n: exact(q.retries) }) : '');
        const n = q?.processing.length ?? 0;
        attr(w, 'class', n ? 'worker on' : 'worker');
        wn.cls(n ? 't14 onw' : 't14').set(exact(n));
        attr(key, 'class', q?.depth ? 'slotk' : 'slotk off');
        const keys = q ? [...q.processing.map((k) => /** @type {[string, boolean]} */ ([k.key ?? '', true])), ...q.queue.map((k) => /** @type {[string, boolean]} */ ([k, false]))] : [];
        body.forEach((f, i) => f(keys[i] ? '' : undefined, keys[i]?.[0] ?? '', keys[i]?.[1]));
      });
    }
  }

  /** The handlers of the open station: two small, the one that has most to do large. @param {number} y0 @param {import('./types.js').Listener[]} rows @param {SVGElement} svg @private */
  rows(y0, rows, svg) {
    const { t } = this.ctx;
    const { W, large } = this;
    const cx = large ? 156 : Math.min(194, W / 2);
    let y = y0 + 34;
    for (const l0 of [...rows.filter((l) => l.id !== this.bigId), ...rows.filter((l) => l.id === this.bigId)]) {
      const big = l0.id === this.bigId;
      if (big) y += 36;
      const cy = y;
      const r = big ? (large ? 34 : 42) : 12;
      const bw = large ? 62 : big ? 72 : 62;
      const bx = big && !large ? W - 100 : W - (large ? 78 : 90);
      svg.append(s('circle', { cx: X, cy, r: 4, class: 'fork' }), s('path', { d: `M${X} ${cy}H${bx}`, class: 'rail' }), s('circle', { cx, cy, r, class: 'ringbg' }), s('circle', { cx, cy, r, class: big ? 'ring' : 'ring sm' }));
      if (big && !large) svg.append(s('path', { d: [cx - r - 20, cx - r - 12, bx - 18, bx - 10].map((q) => `M${q} ${cy - 10}v20`).join(''), class: 'gate' }));
      const arc = s('path', { d: '', class: 'ringf' });
      svg.append(arc);
      const k = s('g', { class: 'knockn' });
      svg.append(k);
      const name = text(k, 60, cy + 5, 't14');
      const n = text(svg, cx, cy + (big ? 5 : 4.5), big ? 'n20' : 'l t1', 'middle');
      const of = text(svg, cx, cy + 22, 'l', 'middle');
      const box = s('rect', { x: bx, y: cy - (big ? 19 : 13), width: bw, height: big ? 38 : 26, rx: 4, class: 'hbox' });
      const busy = s('rect', { x: bx + 4, y: cy + 12, width: 0, height: 3, class: 'hbusy' });
      svg.append(box, busy);
      const time = text(svg, bx + bw / 2, cy + 5, 't14', 'middle');
      const slowW = big ? text(svg, W - 28, cy - 32, 'l cwt', 'end') : null;
      const note = big ? text(svg, 60, cy + 58, 'l') : null;
      const lamp = s('circle', { cx: W - 18, cy: big ? cy + 54 : cy, r: 4, class: 'lamp' });
      svg.append(lamp);
      const synced = big ? text(svg, W - 30, cy + 58, 'l', 'end') : null;
      this.updates.push((st) => {
        const l = st.listeners.find((q) => q.id === l0.id);
        if (!l) return;
        const slow = isSlow(l);
        name.set(fit(l.name, cx - r - (big && !large ? 88 : 66), '600 14px'), l.name);
        attr(arc, 'd', anti(cx, cy, r, l.ring / Math.max(1, l.capacity)));
        attr(arc, 'class', `${slow ? 'ringf w' : 'ringf'}${big ? '' : ' sm'}`);
        n.set(big || l.pending < 1000 ? ringNumber(l.pending) : '1k+', exact(l.pending));
        of.set(big ? t('pres.of', { n: exact(l.capacity) }) : '');
        attr(box, 'class', slow ? 'hbox w' : 'hbox');
        time.cls(slow ? 't14 cwt' : 't14').set(l.handled || l.meanMicros ? span(l.meanMicros / 1000) : '—');
        const expect = Math.max(1, l.paceMillis, l.meanMicros / 1000);
        attr(busy, 'width', big && l.handling ? ((bw - 8) * Math.min(1, Math.max(0.12, (this.ctx.now() - l.handlingSince) / expect))).toFixed(1) : 0);
        attr(busy, 'class', slow ? 'hbusy w' : 'hbusy');
        slowW?.set(slow ? t('pres.slow') : '');
        attr(lamp, 'class', l.synced ? 'lamp on' : 'lamp');
        synced?.set(l.synced ? 'synced' : t('notSynced'));
        note?.set(l.capacities.length ? t('phone.doubled', { a: exact(l.capacities[l.capacities.length - 1]), b: exact(l.capacity) }) : t('pres.handled', { n: exact(l.handled) }));
      });
      y += 32;
    }
  }

  /** @param {HTMLElement} anchor @private */
  openHolds(anchor) {
    const { t, model } = this.ctx;
    this.ctx.popup(anchor, (root) => {
      const first = model.state.listeners.find((l) => !l.removed);
      for (const stage of ['store', 'pop', 'deliver', 'take']) {
        const id = stage === 'deliver' ? first?.id : undefined;
        if (stage === 'deliver' && !first) continue;
        const args = id === undefined ? [] : [id];
        const b = h('button', { class: 'row', type: 'button', 'aria-pressed': String(!!model.hold(stage, id)) }, h('span', { class: 'tick' }), h('span', {}, t('hold.' + stage, { name: first?.name ?? '' })));
        b.addEventListener('click', async () => {
          await (model.hold(stage, id) ? this.ctx.act('release', stage, 0, ...args) : this.ctx.act('hold', stage, ...args));
          setTimeout(() => b.setAttribute('aria-pressed', String(!!model.hold(stage, id))), 150);
        });
        root.append(b);
      }
      for (const [k, n] of /** @type {[string, number][]} */ ([['hold.one', 1], ['hold.all', 0]])) {
        const b = h('button', { class: 'row', type: 'button' }, h('span', {}, t(k)));
        b.addEventListener('click', () => {
          for (const x of model.state.holds) this.ctx.act('release', x.stage, n, ...(x.listener ? [x.listener] : []));
        });
        root.append(b);
      }
    }, { width: 300, label: t('phone.hold') });
  }

  /** @param {HTMLElement} anchor @private */
  openSpeeds(anchor) {
    this.ctx.popup(anchor, (root, close) => {
      for (const v of [...speeds].reverse()) {
        const b = h('button', { class: 'row', type: 'button', role: 'option', 'aria-selected': String(v === this.o.transport.speed) }, h('span', { class: 'tick' }), h('span', {}, speedWords(v)));
        b.addEventListener('click', () => {
          close();
          this.o.transport.setSpeed(v);
        });
        root.append(b);
      }
    }, { width: 160, label: this.ctx.t('tr.speed') });
  }

  /** @param {HTMLElement} anchor @private */
  openMore(anchor) {
    const { t } = this.ctx;
    this.ctx.popup(anchor, (root, close) => {
      const row = (/** @type {string} */ words, /** @type {() => void} */ f) => {
        const b = h('button', { class: 'row', type: 'button' }, h('span', {}, words));
        b.addEventListener('click', () => {
          close();
          f();
        });
        root.append(b);
      };
      const { top } = this.o;
      row(t('top.sources'), () => top.openSources(anchor));
      row(`${t('top.resource')}: ${top.resText.textContent}`, () => top.openResources(anchor));
      row(`namespace: ${top.nsText.textContent}`, () => top.openNamespaces(anchor));
      for (const e of ['1.37', '1.31']) row(`${e} ${e === '1.31' ? 'DeltaFIFO' : 'RealFIFO'}`, () => this.ctx.act('select', { era: e }));
      row('1.31 + 1.37', () => this.ctx.act('select', { era: '1.31,1.37' }));
      row(t('file.menu'), () => this.o.transport.share.b.click());
      row(t('phone.present'), () => this.o.present(true));
      if (this.o.lanes.on) row(t('phone.faults'), () => top.openFaults(anchor));
      row(t('ins.find'), this.o.find);
      row(t('top.theme'), this.o.theme);
      row(language() === 'zh' ? 'English' : '中文', this.o.language);
      if (this.stories.story) row(t('story.end'), () => this.stories.leave());
    }, { width: 320, label: t('phone.more') });
  }
}

/** What is drawn is pressed like a button. @param {SVGElement} el @param {() => void} f */
function press(el, f) {
  el.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter' && e.key !== ' ') return;
    e.preventDefault();
    e.stopPropagation();
    f();
  });
}
