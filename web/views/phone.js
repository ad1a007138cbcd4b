// @ts-check
// The phone: what stands around the stage there. What a thumb needs lies at the bottom.
import { openFork } from '../bars/fork.js';
import { attr, button, h, icon, menuRow, put, s, Txt } from '../kit/dom.js';
import { clock as clockWords, speed as speedWords } from '../kit/format.js';
import { wrap } from '../kit/measure.js';
import { language } from '../kit/i18n.js';
import { releases } from '../kit/commands.js';
import { bothEras } from '../wire/model.js';
import { Remedy } from '../kit/remedy.js';
import { isRecording } from '../kit/span.js';
import { openTransform, transformWords } from '../rows/transformmenu.js';
import { timeWords } from '../story/way.js';
import { Timeline } from '../time/timeline.js';
import { trouble } from '../kit/trouble.js';
import { holdable, releaseEverywhere, toggleHold } from '../stage/holds.js';

/** Where the line of time has its places, in units of its box. */
const time = { h: 44, left: 6, base: 42, high: 28, rise: 40, least: 10e3 };

export class Phone {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('../story/stories.js').Stories} stories
   * @param {{
   *   caption: (fits: (words: string) => boolean) => string, presenting: () => boolean, present: (on: boolean) => void, explain: () => void,
   *   top: import('../bars/topbar.js').TopBar, transport: import('../time/transport.js').Transport, theme: () => void, language: () => void, find: () => void
   * }} o
   */
  constructor(ctx, app, stories, o) {
    this.ctx = ctx;
    this.stories = stories;
    this.o = o;
    /** Presenter mode: the sentence is half as large again, and a tap is the next step. */
    this.large = false;
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
    /** Where the stage shows. */
    this.stage = h('div', { class: 'pscroll' });
    this.captionLine = h('p', { class: 'psay' });
    this.maps = h('div', { class: 'pmaps' });
    /** The line of a follower's page with the state of the broadcast. */
    this.hall = h('div', { class: 'phall' });
    this.remedy = new Remedy(ctx, 'premp', 'pkey', () => this.whole);
    /** Whether the caption has the whole description of a trouble. */
    this.whole = true;
    this.time = new Txt(h('b', { class: 'pclock' }));
    this.ahead = new Txt(h('span', { class: 'pahead' }));
    const times = h('div', { class: 'ptime' }, this.time.el, this.ahead.el);
    this.tl = new Timeline(ctx, times, time, 'ptl');
    this.start = sign('M2 3h2v10H2zM14 3v10L5 8z', () => tr.toStart());
    this.back = sign('M12 3h2v10h-2zM10 3v10L2 8z', () => tr.step(-1));
    this.main = sign('M4 2.5v11l9-5.5z', () => tr.toggle(), 'main');
    this.fwd = sign('M2 3h2v10H2zM6 3v10l8-5z', () => tr.step(1));
    this.end = sign('M12 3h2v10h-2zM2 3v10l9-5z', () => tr.live());
    this.storyB = key('', (b) => stories.open(b));
    this.prevB = key('', () => stories.turn(-1));
    this.nextB = key('', () => stories.turn(1));
    this.holdB = key('', (b) => this.openHolds(b));
    this.faultB = key('', (b) => o.top.openFaults(b));
    this.speedB = key('', (b) => tr.openSpeeds(b));
    this.moreB = key('', (b) => this.openMore(b));
    this.moreB.textContent = '•••';
    this.root = h('section', { class: 'phonev', hidden: '' },
      h('header', { class: 'ptop' }, this.name, this.src, this.era), this.captionLine, this.maps, this.stage, this.remedy.root, this.hall,
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
  }

  get isOn() {
    return this.query.matches;
  }

  resize() {
    this.tl.resize();
  }

  /** @param {number} clock */
  paint(clock) {
    const { t, model } = this.ctx;
    const st = model.state;
    if (this.o.presenting() !== this.large) {
      this.large = !this.large;
      this.root.classList.toggle('pres', this.large);
    }
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
    put(this.captionLine, said);
    const v = model.view;
    const live = v.mode === 'live';
    const from = { view: v, now: this.ctx.now() };
    if (model.any) this.time.bind(from, 'now', model.clockFormat);
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
    put(this.faultB, t('phone.faults'));
    put(this.speedB, speedWords(this.o.transport.speed));
    attr(this.speedB, 'aria-label', `${t('tr.speed')} ${speedWords(this.o.transport.speed)}`);
    attr(this.moreB, 'aria-label', t('phone.more'));
    this.holdB.classList.toggle('lit', st.holds.length > 0);
    this.faultB.classList.toggle('lit', st.faults.some((f) => f.on));
    if (clock - this.tlAt > 120 && !this.large) {
      this.tlAt = clock;
      this.tl.paint();
    }
  }

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

  /** The part of the page that a still is of: the sentence and the stage. */
  pictureBox() {
    const from = this.captionLine.getBoundingClientRect();
    return new DOMRect(from.x, from.y, from.width, this.stage.getBoundingClientRect().bottom - from.y);
  }

  /** @param {HTMLElement} anchor @private */
  openHolds(anchor) {
    const { t, model } = this.ctx;
    this.ctx.popup(anchor, (root, close) => {
      const first = model.state.listeners.find((l) => !l.removed);
      for (const stage of holdable) {
        const id = stage === 'deliver' ? first?.id : undefined;
        if (stage === 'deliver' && !first) continue;
        root.append(menuRow(close, () => toggleHold(this.ctx, stage, id), { 'aria-pressed': String(!!model.hold(stage, id)) },
          h('span', { class: 'tick' }), h('span', {}, t('hold.' + stage, { name: first?.name ?? '' }))));
      }
      for (const [k, n] of /** @type {[string, number][]} */ ([['hold.one', 1], ['hold.all', 0]])) {
        root.append(menuRow(close, () => releaseEverywhere(this.ctx, n), {}, h('span', {}, t(k))));
      }
    }, { width: 300, label: t('phone.hold') });
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
        for (const { era, label, queue } of releases) row(`${label} ${queue}`, () => this.ctx.act('select', { era }));
        row(bothEras.replace(',', ' + '), () => this.ctx.act('select', { era: bothEras }));
        row(`Transform: ${transformWords(this.ctx)}`, () => openTransform(this.ctx, anchor));
      }
      if (!this.ctx.follower && model.isSimulated()) row(t(model.fork ? 'fork.end' : 'fork.here'), () => openFork(this.ctx, anchor));
      row(t('file.menu'), () => this.o.transport.share.b.click());
      row(t('phone.present'), () => this.o.present(true));
      row(t('keys.explain'), this.o.explain);
      row(t('ins.find'), this.o.find);
      row(t('top.theme'), this.o.theme);
      row(language() === 'zh' ? 'English' : '中文', this.o.language);
      if (this.stories.story && !this.ctx.follower) row(t('story.end'), () => this.stories.leave());
    }, { width: 320, label: t('phone.more') });
  }
}
