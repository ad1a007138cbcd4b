// @ts-check
// The phone: the same rail, upright. A station is a line with its name, one number and two asides; one at a time is
// open. What a thumb needs lies at the bottom.
import { Parting } from './parting.js';
import { openFork } from '../bars/fork.js';
import { attr, button, h, icon, menuRow, s, Txt } from '../kit/dom.js';
import { clock as clockWords, speed as speedWords } from '../kit/format.js';
import { width, wrap } from '../kit/measure.js';
import { Host, chooseListeners } from '../stage/host.js';
import { language } from '../kit/i18n.js';
import { stationOf } from '../kit/names.js';
import * as pair from '../layouts/pair.js';
import { arrange, ids, time } from '../layouts/phone.js';
import { releases } from '../kit/commands.js';
import { bothEras } from '../wire/model.js';
import { Motion } from '../stage/motion.js';
import { Remedy } from '../kit/remedy.js';
import { isRecording } from '../kit/span.js';
import { areEqual } from '../kit/same.js';
import { stations } from '../stations/index.js';
import { openTransform, transformWords } from '../stations/transformmenu.js';
import { timeWords } from '../story/way.js';
import { Timeline } from '../time/timeline.js';
import { speeds } from '../time/transport.js';
import { trouble } from '../kit/trouble.js';
import { toggleHold } from '../stage/pin.js';

/** @typedef {import('../wire/page-types.js').Box} Box */

/** How many units the screen has across it in presenter mode; below the least of the rest the picture loses room, not size. */
const largeUnits = 292;
const leastUnits = 320;
const mostUnits = 390;

export class Phone {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('../story/stories.js').Stories} stories
   * @param {{
   *   caption: (fits: (words: string) => boolean) => string, lanes: import('./lanes.js').Lanes, presenting: () => boolean,
   *   focus: () => string[], present: (on: boolean) => void, explain: (i: number) => void, top: import('../bars/topbar.js').TopBar,
   *   transport: import('../time/transport.js').Transport, theme: () => void, language: () => void, find: () => void
   * }} o
   */
  constructor(ctx, app, stories, o) {
    this.ctx = ctx;
    this.stories = stories;
    this.o = o;
    this.open = 'listeners';
    /** What a story or presenter mode opened last, and in which step. @type {unknown[]} */
    this.followed = [];
    /** Presenter mode: a third larger, so a third fewer units. */
    this.large = false;
    this.W = 390;
    /** What is laid out. @type {any[]} */
    this.layoutKey = [];
    /** What is pressed to open a station. @type {Record<string, SVGElement>} */
    this.taps = {};
    // Below three fifths of its size the stage's type cannot be read: in a narrow window, or on a page zoomed to twice its size.
    this.query = matchMedia('(max-width: 599px), (max-height: 431px)');
    /** @type {(cls: string, f: (b: HTMLElement) => unknown, ...kids: Node[]) => HTMLElement} */
    const key = (cls, f, ...kids) => button({ class: 'pkey ' + cls }, f, ...kids);
    const sign = (/** @type {string} */ d, /** @type {() => void} */ f, cls = '') => {
      const p = s('path', { d });
      return { b: key(cls, f, icon(p)), p };
    };
    const tr = o.transport;
    this.name = h('b', {}, 'informerscope');
    this.src = key('psrc', (b) => !ctx.follower && o.top.openSources(b));
    this.era = h('span', { class: 'pera' });
    this.svg = s('svg', { class: 'pst', viewBox: '0 0 390 565' });
    const over = h('div', { class: 'pcv' });
    this.stage = h('div', { class: 'pstage' }, this.svg, over);
    this.parting = new Parting(ctx);
    this.scroll = h('div', { class: 'pscroll', tabindex: 0 }, this.stage, this.parting.root);
    this.captionLine = h('p', { class: 'psay' });
    /** The line of a follower's page with the state of the broadcast. */
    this.hall = h('div', { class: 'phall' });
    this.remedy = new Remedy(ctx, 'premp', 'pkey', () => this.whole);
    /** Whether the caption has the whole description of a trouble. */
    this.whole = true;
    this.time = new Txt(h('b', { class: 'pclock' }));
    this.ahead = new Txt(h('span', { class: 'pahead' }));
    const times = h('div', { class: 'ptime' }, this.time.el, this.ahead.el);
    this.tl = new Timeline(ctx, times, { ...time }, 'ptl');
    this.start = sign('M2 3h2v10H2zM14 3v10L5 8z', () => tr.toStart());
    this.back = sign('M12 3h2v10h-2zM10 3v10L2 8z', () => tr.step(-1));
    this.main = sign('M4 2.5v11l9-5.5z', () => tr.toggle(), 'main');
    this.fwd = sign('M2 3h2v10H2zM6 3v10l8-5z', () => tr.step(1));
    this.end = sign('M12 3h2v10h-2zM2 3v10l9-5z', () => tr.live());
    this.storyB = key('', (b) => stories.open(b));
    this.prevB = key('', () => stories.turn(-1));
    this.nextB = key('', () => stories.turn(1));
    this.holdB = key('', (b) => this.openHolds(b));
    this.faultB = key('', (b) => {
      if (!o.lanes.isOn || ctx.model.fork || !ctx.model.changeable()) o.top.openFaults(b);
      else if (ctx.model.hold('pop')) ctx.act('release', 'pop', 0);
      else o.lanes.burst();
    });
    this.speedB = key('', (b) => this.openSpeeds(b));
    this.moreB = key('', (b) => this.openMore(b));
    this.moreB.textContent = '•••';
    this.root = h('section', { class: 'phonev', hidden: '' },
      h('header', { class: 'ptop' }, this.name, this.src, this.era), this.scroll, this.captionLine, this.remedy.root, this.hall,
      times,
      h('div', { class: 'phrow big' }, this.start.b, this.back.b, this.main.b, this.fwd.b, this.end.b),
      h('div', { class: 'phrow' }, this.storyB, this.prevB, this.nextB, this.holdB, this.faultB, this.speedB, this.moreB));
    // In presenter mode a tap is the next step; what turns back and what leaves stand below.
    this.dots = h('div', { class: 'dots', 'aria-hidden': 'true' });
    this.stepName = new Txt(h('span', {}));
    this.pprev = sign('M10.5 2.5L5 8l5.5 5.5', () => stories.turn(-1));
    this.pleave = sign('M3.5 3.5l9 9M12.5 3.5l-9 9', () => o.present(false));
    this.pnext = key('ptapnext', () => (stories.story ? stories.turn(1) : tr.toggle()));
    this.foot = h('div', { class: 'pfoot' }, this.pprev.b, h('div', {}, this.dots, this.stepName.el), this.pleave.b);
    this.root.append(this.pnext, this.foot);
    app.append(this.root);
    this.motion = new Motion(ctx, over);
    this.host = new Host(ctx, this.svg, this.motion, stations);
  }

  get isOn() {
    return this.query.matches;
  }

  resize() {
    this.tl.resize();
    this.layoutKey = [];
  }

  /** @param {import('../wire/types.js').Frame} frame */
  apply(frame) {
    if (this.root.hidden) return;
    const { lanes } = this.o;
    this.host.move(frame, lanes.isOn ? (m) => lanes.label(m) : undefined);
  }

  /** @param {number} clock */
  paint(clock) {
    const { t, model } = this.ctx;
    const st = model.state;
    const { lanes } = this.o;
    this.follow();
    this.arrange();
    this.host.paint(clock);
    this.parting.paint();
    const put = (/** @type {HTMLElement} */ el, /** @type {string} */ w) => {
      if (el.textContent !== w) el.textContent = w;
    };
    put(this.src, this.o.top.srcText.textContent ?? '');
    put(this.era, (model.eras.length ? model.eras.join(', ') : st.era) + (model.eras.length ? '' : ` ${st.queue.kind}`));
    const [font, rows2] = this.large ? ['24px', 4] : ['15.5px', 5];
    const room = (this.stage.clientWidth || 390) - 34;
    const fits = (/** @type {string} */ w) => !wrap(w, room, rows2, font).at(-1)?.endsWith('…');
    const tr = trouble(this.ctx);
    let said = this.o.caption(fits);
    if (tr && !fits(said)) said = wrap(said, room, rows2, font).join('\n');
    this.whole = !tr || (said === tr.whole && !tr.detail);
    this.remedy.paint();
    // A longer caption takes room from the rail.
    if (this.stories.story && said !== this.captionLine.textContent) this.reveal = true;
    put(this.captionLine, said);
    if (this.reveal) this.show();
    this.reveal = false;
    const v = model.view;
    const live = v.mode === 'live';
    const from = { view: v, now: this.ctx.now() };
    if (model.any) this.time.bind(from, 'now', 'clock');
    else this.time.set(clockWords(0));
    if (live) this.ahead.set(t(isRecording(this.ctx) ? 'tl.end' : model.isSure() ? 'tl.live' : 'tl.now'));
    else this.ahead.bind(from, 'n=count view.behind', 't phone.toLive');
    attr(this.main.p, 'd', v.mode === 'paused' || !model.any ? 'M4 2.5v11l9-5.5z' : 'M4 2.5h3v11H4zM9 2.5h3v11H9z');
    attr(this.start.b, 'aria-label', t('tr.start'));
    attr(this.back.b, 'aria-label', t('tr.back'));
    attr(this.main.b, 'aria-label', t(v.mode === 'paused' ? 'tr.play' : 'tr.pause'));
    attr(this.fwd.b, 'aria-label', t('tr.fwd'));
    attr(this.end.b, 'aria-label', t('tr.live'));
    const telling = !!this.stories.story;
    if (this.large) this.paintFoot();
    const { follower } = this.ctx;
    for (const b of [this.storyB, this.holdB, this.faultB]) b.hidden = follower;
    this.pnext.hidden = follower;
    this.prevB.hidden = this.nextB.hidden = !telling || follower;
    this.speedB.hidden = telling && !follower;
    put(this.storyB, telling ? `${this.stories.i + 1}/${this.stories.story?.steps.length}` : t('phone.story'));
    put(this.prevB, '‹');
    put(this.nextB, '›');
    attr(this.prevB, 'aria-label', t('story.prev'));
    attr(this.nextB, 'aria-label', t('story.next'));
    put(this.holdB, t('phone.hold'));
    const sim2 = lanes.isOn && !model.fork && model.changeable();
    put(this.faultB, t(sim2 ? (model.hold('pop') ? 'lanes.release' : 'lanes.burst') : 'phone.faults'));
    put(this.speedB, speedWords(this.o.transport.speed));
    attr(this.speedB, 'aria-label', `${t('tr.speed')} ${speedWords(this.o.transport.speed)}`);
    attr(this.moreB, 'aria-label', t('phone.more'));
    this.holdB.classList.toggle('lit', st.holds.length > 0);
    (sim2 ? this.moreB : this.faultB).classList.toggle('lit', st.faults.some((f) => f.on));
    if (clock - this.tlAt > 120 && !this.large) {
      this.tlAt = clock;
      this.tl.paint();
    }
  }

  /** A story, or presenter mode, opens the station that it speaks of and brings it into sight. @private */
  follow() {
    const large = this.o.presenting();
    if (large !== this.large) {
      this.large = large;
      this.root.classList.toggle('pres', large);
      this.followed = [null];
    }
    const { step, starting, story } = this.stories;
    const riding = stationOf(this.ctx.riding?.()?.hop.stage ?? '');
    const focus = riding ? [riding] : step && !starting ? (step.open ? [step.open] : step.look) : large ? this.o.focus() : [];
    const want = focus.filter((c) => this.ids.includes(c)).pop();
    const followed = want ? [riding, story?.id, this.stories.i, want] : [];
    if (areEqual(followed, this.followed)) return;
    this.followed = followed;
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
    const mode = timeWords(this.ctx);
    if (story) this.stepName.set(t('pres.step', { i: i + 1, n, name: this.stories.say(story.steps[i].name) }));
    else this.stepName.bind({ now: this.ctx.now() }, 'at=moment now', `t ${mode}`);
    const id = `${n} ${i}`;
    if (id !== this.footId) {
      this.footId = id;
      this.dots.replaceChildren(...Array.from({ length: n }, (_, j) => h('i', { class: j === i ? 'now' : j < i ? 'on' : '' })));
    }
    this.pprev.b.hidden = !story || this.ctx.follower;
    attr(this.pprev.b, 'aria-label', t('story.prev'));
    attr(this.pleave.b, 'aria-label', t('phone.leave'));
    attr(this.pnext, 'aria-label', t(story ? 'story.next' : v.mode === 'paused' ? 'tr.play' : 'tr.pause'));
  }

  tlAt = 0;

  /** The part of the page that a still is of: the rail, and the caption below it. */
  pictureBox() {
    const from = this.scroll.getBoundingClientRect();
    return new DOMRect(from.x, from.y, from.width, this.captionLine.getBoundingClientRect().bottom - from.y);
  }

  /** The stations that the layout has. @private */
  get ids() {
    return this.o.lanes.isOn ? pair.ids : ids;
  }

  /** Lays the view out again when its content changed. @private */
  arrange() {
    const { isOn, compare } = this.o.lanes;
    const w = (this.W = this.large ? largeUnits : Math.max(leastUnits, Math.min(mostUnits, this.stage.clientWidth || mostUnits)));
    const { listeners, main } = chooseListeners(this.ctx, this.stories.step?.listener);
    if (this.open && !this.ids.includes(this.open)) this.open = 'listeners';
    if (this.ctx.model.fork && this.open === 'listeners') this.open = ''; // where they part stands below
    const shown = isOn ? [compare.listener, compare.changes.length, !!this.ctx.model.fork] : [main, ...listeners];
    const laid = [this.open, language(), this.large, isOn, w, this.stage.clientWidth, ...shown];
    if (areEqual(laid, this.layoutKey)) return;
    this.layoutKey = laid;
    this.taps = {};
    const k = (this.stage.clientWidth || w) / w;
    const pixels = devicePixelRatio || 1;
    const at = { w, open: this.open, large: this.large };
    const compared = { listener: compare.listener, changes: compare.changes.length, fork: !!this.ctx.model.fork };
    const layout = isOn ? pair.arrange({ ...at, ...compared }) : arrange({ ...at, listeners, main });
    this.host.lay(layout, k * pixels, (box, g) => this.frame(box, g));
    this.motion.resize(k * pixels, k);
    this.refocus = '';
  }

  /**
   * Where a station's head goes: into the area to press. With two lanes the halves of a station share one.
   * @param {Box} box @param {SVGElement} g @private
   */
  frame(box, g) {
    const tap = (this.taps[box.id] ??= this.drawTap(box, g));
    if (!this.o.lanes.isOn) return tap;
    const head = s('g', { 'data-lane': String(box.lane) });
    tap.append(head);
    return head;
  }

  /** Draws around a station: its panel while it is open, and the area to press. @param {Box} box @param {SVGElement} g @private */
  drawTap({ id, y, h: tall, lit }, g) {
    const { W } = this;
    const two = this.o.lanes.isOn;
    // Two lanes have nothing to open at their source.
    const fixed = two && id === 'api';
    const wide = W - (two ? 96 : 56);
    if (lit && !fixed) g.append(s('rect', { x: 48, y: y - 22, width: wide, height: tall - 4, rx: 6, class: 'pn' }));
    const tap = s('g', { class: 'ptap', 'data-station': id });
    tap.append(s('rect', { x: 48, y: y - 20, width: wide, height: lit ? 46 : tall - 6, rx: 6, class: 'phit' }));
    g.append(tap);
    // In presenter mode the story opens.
    if (this.large || fixed) return tap;
    const toggle = () => {
      this.open = lit ? '' : id;
    };
    attr(tap, 'role', 'button');
    attr(tap, 'tabindex', 0);
    attr(tap, 'aria-expanded', String(lit));
    tap.addEventListener('click', toggle);
    press(tap, () => {
      toggle();
      this.refocus = id;
    });
    if (lit && !two) {
      tap.append(s('path', { d: `M${W - 28} ${y + 2}l5 -5l5 5`, class: 'chev' }));
      g.append(this.info(id, y));
    }
    if (this.refocus === id) tap.focus();
    return tap;
  }

  /** The button that explains an open station. @param {string} c @param {number} y @private */
  info(c, y) {
    const name = stations[c].title;
    const x = 60 + width(name, '600 16px') + 16;
    const about = s('g', { class: 'ptap pinfo', role: 'button', tabindex: 0, 'aria-label': this.ctx.t('ex.open', { name }) },
      s('rect', { x: x - 16, y: y - 22, width: 44, height: 44, rx: 6, class: 'phit' }), s('circle', { cx: x, cy: y, r: 7.5 }),
      s('path', { d: `M${x} ${y - 1}v5M${x} ${y - 4}v.5` }));
    const ask = () => this.o.explain(ids.indexOf(c));
    about.addEventListener('click', ask);
    press(about, ask);
    return about;
  }

  /** Scrolls the text into view: its end, and as much before it as fits. @private */
  show() {
    const box = this.host.layout?.slots.find(({ id }) => id === this.open);
    if (!box) return;
    const k = (this.stage.clientWidth || this.W) / this.W;
    const from = (box.y - 24) * k;
    const to = (box.y - 20 + box.h) * k;
    const { scrollTop, clientHeight } = this.scroll;
    if (from < scrollTop || to > scrollTop + clientHeight) this.scroll.scrollTop = Math.min(from, to - clientHeight);
  }

  refocus = '';

  /** @param {HTMLElement} anchor @private */
  openHolds(anchor) {
    const { t, model } = this.ctx;
    this.ctx.popup(anchor, (root, close) => {
      const first = model.state.listeners.find((l) => !l.removed);
      for (const stage of /** @type {import('../wire/page-types.js').Stage[]} */ (['store', 'pop', 'deliver', 'take'])) {
        const id = stage === 'deliver' ? first?.id : undefined;
        if (stage === 'deliver' && !first) continue;
        root.append(menuRow(close, () => toggleHold(this.ctx, stage, id), { 'aria-pressed': String(!!model.hold(stage, id)) },
          h('span', { class: 'tick' }), h('span', {}, t('hold.' + stage, { name: first?.name ?? '' }))));
      }
      for (const [k, n] of /** @type {[string, number][]} */ ([['hold.one', 1], ['hold.all', 0]])) {
        root.append(menuRow(close, () => {
          for (const x of model.state.holds) this.ctx.act('release', x.stage, n, ...(x.listener ? [x.listener] : []));
        }, {}, h('span', {}, t(k))));
      }
    }, { width: 300, label: t('phone.hold') });
  }

  /** @param {HTMLElement} anchor @private */
  openSpeeds(anchor) {
    this.ctx.popup(anchor, (root, close) => {
      for (const v of [...speeds].reverse()) {
        root.append(menuRow(close, () => this.o.transport.setSpeed(v), { role: 'option', 'aria-selected': String(v === this.o.transport.speed) },
          h('span', { class: 'tick' }), h('span', {}, speedWords(v))));
      }
    }, { width: 160, label: this.ctx.t('tr.speed') });
  }

  /** @param {HTMLElement} anchor @private */
  openMore(anchor) {
    const { t, model } = this.ctx;
    this.ctx.popup(anchor, (root, close) => {
      const row = (/** @type {string} */ words, /** @type {() => void} */ f) => root.append(menuRow(close, f, {}, h('span', {}, words)));
      const { top } = this.o;
      if (!this.ctx.follower) {
        row(t('top.sources'), () => top.openSources(anchor));
        row(`${t('top.resource')}: ${top.resText.textContent}`, () => top.openResources(anchor));
        row(`namespace: ${top.nsText.textContent}`, () => top.openNamespaces(anchor));
        for (const { era, queue } of [releases[0], releases[releases.length - 1]]) row(`${era} ${queue}`, () => this.ctx.act('select', { era }));
        row(bothEras.replace(',', ' + '), () => this.ctx.act('select', { era: bothEras }));
        row(`Transform: ${transformWords(this.ctx)}`, () => openTransform(this.ctx, anchor));
      }
      if (!this.ctx.follower && model.isSimulated()) row(t(model.fork ? 'fork.end' : 'fork.here'), () => openFork(this.ctx, anchor));
      row(t('file.menu'), () => this.o.transport.share.b.click());
      row(t('phone.present'), () => this.o.present(true));
      if (this.o.lanes.isOn && !this.ctx.follower) row(t('phone.faults'), () => top.openFaults(anchor));
      row(t('ins.find'), this.o.find);
      row(t('top.theme'), this.o.theme);
      row(language() === 'zh' ? 'English' : '中文', this.o.language);
      if (this.stories.story && !this.ctx.follower) row(t('story.end'), () => this.stories.leave());
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
