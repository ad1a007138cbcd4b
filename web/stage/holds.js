// @ts-check
// The holds: a button on the rail for each stage that can be held, in the rail's order. While it is pressed it is a bar across the rail,
// with the time that the hold has lasted and buttons to release it.
import { attr, button, h, place, reveal, text } from '../kit/dom.js';
import { exact, seconds } from '../kit/format.js';
import { addWords } from '../kit/i18n.js';
import { lanesY, RAIL } from '../layouts/stage.js';
import { pin } from './pin.js';

addWords({
  'hold.some': ['n', 'n'],
  'hold.someLong': ['release n', '放行 n 个'],
  'hold.someTitle': ['Release how many?', '放行多少个？'],
  'hold.allShort': ['all', '全部'],
  'hold.count': ['how many', '多少个'],
  'hold.go': ['release', '放行'],
  'hold.passed': ['{n} released', '已放行 {n}'],
});

/**
 * @typedef {{stage: string, lane: number, hold: ReturnType<typeof pin>, one: HTMLElement, some: HTMLElement, all: HTMLElement, words:
 *   import('../kit/dom.js').Txt, who: import('../kit/dom.js').Txt, x: number, y: number}} HoldButton
 */

export class Holds {
  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    /** @type {HoldButton[]} */
    this.pins = [];
    /** Numbers of the listeners drawn large. @type {number[]} */
    this.ids = [];
    this.tip = h('div', { class: 'tip', hidden: '', 'aria-hidden': 'true' });
    this.add('store', 342, RAIL, 0);
    this.add('pop', 534, RAIL, 0);
    lanesY.forEach((y, i) => this.add('deliver', 986, y, i));
    this.add('take', 1182, RAIL, 0);
    ctx.scene.over.append(this.tip);
  }

  /** @param {import('../wire/page-types.js').Stage} stage @param {number} x @param {number} y @param {number} lane @private */
  add(stage, x, y, lane) {
    const { ctx } = this;
    const id = () => (stage === 'deliver' ? this.ids[lane] : undefined);
    const hold = pin(ctx, stage, id);
    const { el } = hold;
    hold.at(x, y);
    const one = h('button', { class: 'sbtn fill', type: 'button', hidden: '' });
    const all = h('button', { class: 'sbtn line raise', type: 'button', hidden: '' });
    const some = h('button', { class: 'sbtn line raise', type: 'button', hidden: '', 'aria-haspopup': 'dialog' });
    // What each of them does, so that a story can point at it.
    for (const [b, makes] of /** @type {[HTMLElement, string][]} */ ([[el, `hold ${stage}`], [one, `release ${stage} 1`], [all, `release ${stage} 0`]])) {
      b.dataset.call = makes;
    }
    const args = () => (id() === undefined ? [] : [id()]);
    one.addEventListener('click', () => ctx.act('release', stage, 1, ...args()));
    all.addEventListener('click', () => ctx.act('release', stage, 0, ...args()));
    some.addEventListener('click', () => this.openSome(some, stage, args()));
    const tip = (/** @type {boolean} */ on) => {
      if (!on || el.getAttribute('aria-pressed') === 'true') {
        this.tip.hidden = true;
        return;
      }
      const digit = { store: 1, pop: 2, deliver: 3, take: 4 }[stage];
      this.tip.textContent = `${el.getAttribute('aria-label')}: H ${digit}`;
      this.tip.hidden = false;
      place(this.tip, Math.min(x - 100, 1280 - 240), y + 18);
    };
    el.addEventListener('pointerenter', () => tip(true));
    el.addEventListener('pointerleave', () => tip(false));
    el.addEventListener('focus', () => el.matches(':focus-visible') && tip(true));
    el.addEventListener('blur', () => tip(false));
    for (const b of [el, one, some, all]) b.dataset.x = String(x - 8);
    ctx.scene.over.append(el, one, some, all);
    const words = text(ctx.scene.root, 0, 0, 't14');
    const who = text(ctx.scene.root, 0, 0, 'l');
    this.pins.push({ stage, lane, hold, one, some, all, words, who, x, y });
  }

  /** Asks how many may pass. @param {HTMLElement} anchor @param {import('../wire/page-types.js').Stage} stage @param {(number | undefined)[]} args @private */
  openSome(anchor, stage, args) {
    const { ctx } = this;
    const { t } = ctx;
    ctx.popup(anchor, (root, close) => {
      root.append(h('h2', {}, t('hold.someTitle')));
      const free = (/** @type {number} */ n) => {
        close();
        ctx.act('release', stage, n, ...args);
      };
      const quick = h('div', { class: 'btnrow' });
      for (const n of [5, 10, 100, 1000]) {
        const b = button({ class: 'key' }, () => free(n), exact(n));
        quick.append(b);
      }
      const field = /** @type {HTMLInputElement} */ (h('input', { type: 'number', min: 1, max: 1000000, step: 1, value: 10, 'aria-label': t('hold.count') }));
      const form = h('form', { class: 'form' }, h('span', {}, t('hold.count')), field, h('button', { class: 'key', type: 'submit' }, t('hold.go')));
      form.addEventListener('submit', (e) => {
        e.preventDefault();
        const n = Math.round(Number(field.value));
        if (n >= 1) free(n);
      });
      root.append(form, quick);
      field.select();
    }, { width: 248, label: t('hold.someTitle') });
  }

  /** Releases one, or all, at every stage that is held. @param {number} n */
  releaseEverywhere(n) {
    for (const hd of this.ctx.model.state.holds) this.ctx.act('release', hd.stage, n, ...(hd.listener ? [hd.listener] : []));
  }

  /** @param {number[]} ids numbers of the listeners drawn large */
  paint(ids) {
    this.ids = ids;
    const { ctx } = this;
    const { t, model } = ctx;
    const now = ctx.now();
    for (const p of this.pins) {
      const id = p.stage === 'deliver' ? ids[p.lane] : undefined;
      const usable = model.any && (p.stage === 'deliver' ? !!id : p.stage !== 'take' || !!model.state.workqueue);
      reveal(p.hold.el, usable);
      const hold = usable ? model.hold(p.stage, id) : undefined;
      const name = model.state.listeners.find((l) => l.id === id)?.name ?? '';
      p.hold.paint(!!hold, t('hold.' + p.stage, { name }));
      for (const b of [p.one, p.some, p.all]) reveal(b, !!hold);
      if (!hold) {
        p.words.set('');
        p.who.set('');
        continue;
      }
      const one = t('hold.one');
      const all = t(p.stage === 'pop' ? 'hold.all' : 'hold.allShort');
      const some = t(p.stage === 'pop' ? 'hold.someLong' : 'hold.some');
      if (p.some.textContent !== some) p.some.textContent = some;
      attr(p.some, 'aria-label', `${t('hold.someLong')}: ${t('hold.' + p.stage, { name })}`);
      attr(p.all, 'aria-label', `${t('hold.all')}: ${t('hold.' + p.stage, { name })}`);
      attr(p.one, 'aria-label', `${t('hold.one')}: ${t('hold.' + p.stage, { name })}`);
      if (p.one.textContent !== one) p.one.textContent = one;
      if (p.all.textContent !== all) p.all.textContent = all;
      const since = `s=seconds now - holds[stage=${p.stage}].sinceMillis`;
      const passed = hold.releases && p.stage !== 'take' ? ` · ${t('hold.passed', { n: exact(hold.releases) })}` : '';
      if (passed) p.who.set(t('hold.you', { s: seconds(now - hold.sinceMillis) }) + passed);
      else p.who.bind({ state: model.state, now }, p.stage === 'deliver' ? '' : since, 't hold.you');
      if (p.stage === 'pop') {
        p.words.moveTo(p.x + 12, 132).set(t('held.pop'));
        p.who.cls('l').moveTo(p.x + 12 + (p.words.el instanceof SVGTextElement ? p.words.el.getComputedTextLength() : 100) + 8, 132);
        place(p.one, p.x + 12, 163, 72, 26);
        place(p.some, p.x + 88, 163, 72, 26);
        place(p.all, p.x + 164, 163, 76, 26);
      } else if (p.stage === 'store') {
        // Right of the bar: left of it stands the change that is held.
        p.words.moveTo(356, 116).set(t('held.store'));
        p.who.cls('l').moveTo(356, 132);
        place(p.one, 246, 171, 62, 22);
        place(p.some, 312, 171, 26, 22);
        place(p.all, 342, 171, 34, 22);
      } else if (p.stage === 'take') {
        p.words.set('');
        attr(p.who.el, 'text-anchor', 'end');
        p.who.cls('l t1').moveTo(1256, 117);
        place(p.one, 1106, 189, 72, 26);
        place(p.some, 1182, 189, 30, 26);
        place(p.all, 1216, 189, 38, 26);
      } else {
        p.words.set('');
        p.who.set('');
        place(p.one, 916, p.y + 68, 66, 20);
        place(p.some, 986, p.y + 68, 28, 20);
        place(p.all, 1018, p.y + 68, 36, 20);
      }
    }
  }
}
