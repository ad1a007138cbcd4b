// @ts-check
// Stories: the chooser, and what plays one. A step begins with its calls, is told by its caption, and ends when its
// condition holds of the state shown. Going back is time travel: the view seeks to where the step began and plays on.
import { holds, at, measured } from './condition.js';
import { attr, h, s } from './dom.js';
import { exact } from './format.js';
import * as fragment from './fragment.js';
import { language } from './i18n.js';
import { groups, stories } from './stories/index.js';

/** @typedef {import('./stories/index.js').Story} Story */
/** @typedef {{begin: number, base: Map<string, number>, done: boolean, end: number, at: number}} Told */

const heldFaults = ['refuse', 'slow', 'delay', 'nobookmarks', 'noendmark'];

export class Stories {
  /**
   * @param {import('./types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{presenter: (on?: boolean) => void, presenting: () => boolean, state: () => any}} views
   */
  constructor(ctx, app, views) {
    this.ctx = ctx;
    this.app = app;
    this.views = views;
    /** @type {Story | null} */
    this.story = null;
    this.i = 0;
    /** @type {Told[]} */
    this.told = [];
    /** Waiting for the story's own log to be ready. */
    this.starting = false;
    this.acting = false;
    /** True while an earlier step is shown again. */
    this.again = false;
    /** @type {HTMLElement | null} */
    this.chooser = null;
    this.bar = h('div', { class: 'storybar', role: 'group', hidden: '' });
    const key = (/** @type {string} */ d, /** @type {() => void} */ f) => {
      const b = h('button', { class: 'key', type: 'button' });
      b.append(s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d })));
      b.addEventListener('click', f);
      return b;
    };
    this.prevB = key('M10.5 3L5.5 8l5 5', () => this.turn(-1));
    this.nextB = key('M5.5 3l5 5-5 5', () => this.turn(1));
    this.endB = key('M4 4l8 8M12 4l-8 8', () => this.leave());
    this.dots = h('span', { class: 'dots' });
    this.words = h('span', { class: 'words' });
    this.bar.append(this.words, this.dots, this.prevB, this.nextB, this.endB);
    app.append(this.bar);
    this.drawn = '';
    /** The stations that a step speaks of; the others are quiet. */
    this.focus = '';
  }

  /** @param {[string, string]} w */
  say(w) {
    return w[language() === 'zh' ? 1 : 0].replace(/\{([^}]+)\}/g, (_, path) => {
      const v = at(this.views.state(), path);
      return typeof v === 'number' ? exact(v) : String(v ?? '—');
    });
  }

  get step() {
    return this.story?.steps[this.i] ?? null;
  }

  /** The sentence of the step that shows, or null. @returns {[string, string] | null} */
  caption() {
    const st = this.step;
    if (!st || !this.story) return null;
    const told = this.told[this.i];
    // While a step plays again, its ending is not told before it happens.
    const done = !!told?.done && !!st.after && (!this.again || this.ctx.model.view.seq >= told.end);
    return [`story ${this.story.id} ${this.i} ${done}`, this.say(done && st.after ? st.after : st.caption)];
  }

  /**
   * Begins a story. It is rejected when there is none with that id.
   * @param {string} id
   * @param {boolean} [presenter] in presenter mode
   */
  async start(id, presenter) {
    const { t } = this.ctx;
    const story = stories.find((x) => x.id === id);
    if (!story) throw new Error(t('story.unknown', { id, all: stories.map((x) => x.id).join(', ') }));
    this.close();
    this.story = story;
    this.i = 0;
    this.told = [];
    this.starting = true;
    this.again = false;
    const st = this.ctx.model.state;
    for (const x of st.holds) await this.ctx.act('release', x.stage, 0, ...(x.listener ? [x.listener] : []));
    this.resetSeen = false;
    if (!(await this.ctx.act('select', { ...story.select }))) {
      this.story = null;
      this.starting = false;
      throw new Error(t('story.failed'));
    }
    for (const f of st.faults) if (f.on && heldFaults.includes(f.name)) await this.ctx.act('fault', f.name, { on: false });
    await this.ctx.act('play', 1);
    fragment.write({ story: id });
    if (presenter) this.views.presenter(true);
    return { id, steps: story.steps.length };
  }

  /** The story's own log has begun. */
  resetSeen = false;

  /** Ends the story; the log and the view stay. */
  leave() {
    if (!this.story) return false;
    this.story = null;
    this.starting = false;
    fragment.write({ story: null });
    this.paint();
    if (this.ctx.model.view.mode !== 'live') this.ctx.act('live');
    return true;
  }

  /** Looks at the state after a frame: has the step that shows come to its end? @param {number} clock */
  watch(clock) {
    const { story } = this;
    const st = this.step;
    if (!story || !st || this.acting) return;
    const state = this.views.state();
    const v = this.ctx.model.view;
    try {
      if (this.starting) {
        const src = state.source;
        if (this.resetSeen && src.seed === story.select.seed && src.objects === story.select.objects && holds(story.ready, state, () => 0)) {
          this.starting = false;
          this.enter(0);
        }
        return;
      }
      const told = this.told[this.i];
      if (!told) return;
      if (told.done) {
        if (this.again && told.end && v.seq >= told.end && v.mode === 'playing') {
          this.again = false;
          this.ctx.act('seek', told.end);
        }
        // Without a clicker in hand the story goes on by itself; what stands still is given time to be read.
        if (!this.again && !this.views.presenting() && !this.manual && this.i < story.steps.length - 1 && clock - told.at > (st.freeze || st.after ? 6500 : 1500)) this.next();
        return;
      }
      if (v.seq < told.begin || clock - this.enteredAt < (st.dwell ?? 3) * 1000 * (st.freeze ? 0 : 1)) return;
      if (!holds(st.until, state, (path) => told.base.get(path) ?? 0)) return;
      told.done = true;
      told.end = v.seq;
      told.at = clock;
      if (st.freeze) this.ctx.act('seek', told.end);
      if (st.then) this.calls(st.then);
      this.paint();
    } catch (err) {
      this.ctx.say(err instanceof Error ? err.message : String(err), true);
      this.story = null;
    }
  }

  enteredAt = 0;
  /** True once a person has turned a page: then the person turns them all. */
  manual = false;

  /** @param {any[][]} list @private */
  async calls(list) {
    this.acting = true;
    for (const [name, ...args] of list) await this.ctx.act(name, ...args);
    this.rest();
  }

  /** Begins a step for the first time: at the live edge. @param {number} i @private */
  async enter(i) {
    const story = this.story;
    if (!story) return;
    this.i = i;
    this.again = false;
    const st = story.steps[i];
    const m = this.ctx.model;
    this.acting = true;
    if (m.view.mode !== 'live') {
      await this.ctx.act('live');
      await this.settled();
    }
    const state = this.views.state();
    /** @type {Map<string, number>} */
    const base = new Map();
    for (const p of measured(st.until)) base.set(p, Number(at(state, p)) || 0);
    this.told[i] = { begin: Math.max(1, m.view.seq), base, done: false, end: 0, at: 0 };
    this.enteredAt = performance.now();
    if (st.do) await this.calls(st.do);
    else this.rest();
    this.paint();
  }

  /** Two frames later the model shows where the view went. @private */
  settled() {
    return new Promise((r) => setTimeout(r, 120));
  }

  /** Shows a step again that was told before. @param {number} i @private */
  async revisit(i) {
    const told = this.told[i];
    if (!told) return;
    this.i = i;
    this.acting = true;
    this.again = told.done;
    await this.ctx.act('seek', told.begin);
    await this.ctx.act('play', 1);
    if (!told.done) await this.ctx.act('live');
    await this.settled();
    this.rest();
    this.paint();
  }

  next() {
    if (!this.story || this.starting || this.i >= this.story.steps.length - 1) return;
    if (this.told[this.i + 1]) this.revisit(this.i + 1);
    else this.enter(this.i + 1);
  }

  /** A page turned by hand. @param {number} n */
  turn(n) {
    this.manual = true;
    if (!this.story || this.starting) return;
    if (this.acting) this.asked = n;
    else if (n > 0) this.next();
    else this.revisit(Math.max(0, this.i - 1));
  }

  /** The page turned while a step's calls were made, which is not to be lost: a clicker is pressed once. */
  asked = 0;

  /** The calls are made. @private */
  rest() {
    this.acting = false;
    const n = this.asked;
    this.asked = 0;
    if (n) this.turn(n);
  }

  /** A log was begun anew: the story's own, or one that ends the story. */
  logReset() {
    if (this.starting) this.resetSeen = true;
    else if (this.story) this.leave();
  }

  paint() {
    const { t } = this.ctx;
    const st = this.step;
    const on = !!st && !!this.story && !this.views.presenting();
    if (this.bar.hidden === on) this.bar.hidden = !on;
    this.app.classList.toggle('in-story', on);
    const dimmed = on && !this.starting && this.ctx.model.eras.length < 2 && !document.querySelector('.view-phone');
    const id0 = dimmed ? st?.focus.join() ?? '' : '';
    if (id0 !== this.focus) {
      this.focus = id0;
      const { tokens } = /** @type {any} */ (this.ctx);
      tokens.focus = id0 ? st?.focus ?? null : null;
      tokens.dirty = true;
      for (const el of /** @type {NodeListOf<HTMLElement>} */ (this.app.querySelectorAll('.on-stage [data-station]'))) el.classList.toggle('pdim', !!id0 && !st?.focus.includes(el.dataset.station ?? ''));
    }
    if (!st || !this.story) return;
    const n = this.story.steps.length;
    const id = `${this.story.id} ${this.i} ${this.told.map((x) => x?.done)} ${language()}`;
    if (id === this.drawn) return;
    this.drawn = id;
    this.bar.dataset.step = String(this.i + 1);
    this.bar.dataset.state = this.told[this.i]?.done ? 'told' : 'telling';
    this.words.textContent = t('pres.step', { i: this.i + 1, n, name: this.say(st.name) });
    this.bar.setAttribute('aria-label', this.say(this.story.title));
    this.dots.replaceChildren(...this.story.steps.map((x, i) => {
      const b = h('button', { type: 'button', class: i === this.i ? 'dot now' : this.told[i] ? 'dot on' : 'dot', 'aria-label': t('pres.step', { i: i + 1, n, name: this.say(x.name) }), title: this.say(x.name) });
      if (i === this.i) b.setAttribute('aria-current', 'step');
      if (!this.told[i]) b.setAttribute('disabled', '');
      b.addEventListener('click', () => {
        this.manual = true;
        this.revisit(i);
      });
      return b;
    }));
    for (const [b, k, keyName] of /** @type {[HTMLElement, string, string][]} */ ([[this.prevB, 'story.prev', 'Page Up'], [this.nextB, 'story.next', 'Page Down'], [this.endB, 'story.end', 'Esc']])) {
      attr(b, 'aria-label', `${t(k)} (${keyName})`);
      attr(b, 'title', `${t(k)} (${keyName})`);
    }
  }

  /** Shows the chooser. @param {HTMLElement} [anchor] what the focus goes back to */
  open(anchor) {
    const { t } = this.ctx;
    if (this.chooser) return this.close();
    const zh = language() === 'zh' ? 1 : 0;
    const box = h('div', { class: 'ov story-ov' });
    const scrim = h('div', { class: 'scrim' });
    scrim.addEventListener('click', () => this.close());
    const field = /** @type {HTMLInputElement} */ (h('input', { type: 'text', placeholder: t('story.search'), 'aria-label': t('story.search'), role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'story-list', spellcheck: 'false', autocomplete: 'off' }));
    const total = Math.round(stories.reduce((a, x) => a + x.seconds, 0) / 60);
    const list = h('div', { class: 'sl', id: 'story-list', role: 'listbox', 'aria-label': t('story.title') });
    const foot = h('div', { class: 'sk2' }, h('span', {}, h('kbd', {}, '↑'), h('kbd', {}, '↓'), t('story.choose')), h('span', {}, h('kbd', {}, 'Enter'), t('story.play')), h('span', {}, h('kbd', {}, 'Shift'), h('kbd', {}, 'Enter'), t('story.playPres')), h('span', {}, h('kbd', {}, 'Esc'), t('story.close')));
    const card = h('div', { class: 'sc', role: 'dialog', 'aria-modal': 'true', 'aria-label': t('story.title') },
      h('div', { class: 'sf' }, s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('circle', { cx: 6.5, cy: 6.5, r: 4.5 }), s('path', { d: 'M10 10l4.5 4.5' })), field, h('span', { class: 'ct' }, t('story.count', { n: stories.length, m: total }))), list, foot);
    if (this.ctx.model.any) card.append(h('p', { class: 'sn' }, t('story.replace')));
    /** @type {Story[]} */
    let shown = [];
    let cur = Math.max(0, stories.findIndex((x) => x.id === (this.story?.id ?? 'ring')));
    const mark = () => {
      [...list.querySelectorAll('.srow')].forEach((r, i) => {
        r.classList.toggle('foc', i === cur);
        r.setAttribute('aria-selected', String(i === cur));
        if (i === cur) {
          field.setAttribute('aria-activedescendant', r.id);
          r.scrollIntoView({ block: 'nearest' });
        }
      });
    };
    const play = (/** @type {Story} */ x, /** @type {boolean} */ pres) => {
      this.manual = false;
      this.start(x.id, pres).catch((err) => this.ctx.say(err.message, true));
    };
    const fill = () => {
      const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      /** @type {HTMLElement[]} */
      const rows = [];
      shown = [];
      for (const [g, name] of groups) {
        const of = stories.filter((x) => x.group === g && words.every((w) => `${x.title.join(' ')} ${x.lesson.join(' ')} ${x.terms}`.toLowerCase().includes(w)));
        if (!of.length) continue;
        rows.push(h('div', { class: 'sg', role: 'presentation' }, name[zh]));
        for (const x of of) {
          const r = h('div', { class: 'srow', role: 'option', id: 'story-' + x.id }, h('b', {}, x.title[zh]), h('span', {}, x.lesson[zh]), h('i', {}, `${Math.floor(x.seconds / 60)}:${String(x.seconds % 60).padStart(2, '0')}`));
          r.addEventListener('click', (e) => play(x, e.shiftKey));
          rows.push(r);
          shown.push(x);
        }
      }
      if (!shown.length) rows.push(h('p', { class: 'sn' }, t('story.none')));
      list.replaceChildren(...rows);
      cur = Math.min(cur, Math.max(0, shown.length - 1));
      mark();
    };
    field.addEventListener('input', () => {
      cur = 0;
      fill();
    });
    box.addEventListener('keydown', (e) => {
      if (e.key === 'ArrowDown') cur = Math.min(shown.length - 1, cur + 1);
      else if (e.key === 'ArrowUp') cur = Math.max(0, cur - 1);
      else if (e.key === 'Enter') {
        if (shown[cur]) play(shown[cur], e.shiftKey);
      } else if (e.key === 'Escape') this.close();
      else if (e.key !== 'Tab') {
        e.stopPropagation();
        return;
      }
      e.preventDefault();
      e.stopPropagation();
      mark();
    });
    box.append(scrim, card);
    this.app.append(box);
    this.chooser = box;
    this.anchor = anchor ?? /** @type {HTMLElement | null} */ (document.activeElement);
    cur = Math.max(0, groups.flatMap(([g]) => stories.filter((x) => x.group === g)).findIndex((x) => x.id === (this.story?.id ?? 'ring')));
    fill();
    field.focus();
    return true;
  }

  /** @type {HTMLElement | null} */
  anchor = null;

  /** Closes the chooser. Returns whether it was open. */
  close() {
    if (!this.chooser) return false;
    this.chooser.remove();
    this.chooser = null;
    this.anchor?.focus();
    return true;
  }
}
