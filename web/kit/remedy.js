// @ts-check
// What a user can do about a trouble, as buttons beside its description. Every view has the same buttons.
import { attr, h, menuRow, put, reveal } from './dom.js';
import { middle } from './format.js';
import { silenceWords, trouble } from './trouble.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */

/**
 * What can be done about the present trouble. Nothing can be done about the trouble of a recording.
 * @param {Ctx} ctx
 * @returns {{id: string, words: string, name: string, act: () => any}[]}
 */
export function remedies(ctx) {
  const tr = trouble(ctx);
  const { t, model } = ctx;
  if (!tr || model.state.source.kind !== 'live' || model.lost) return [];
  const out = [];
  if (tr.offer) {
    const words = t('cause.offer', { ns: middle(tr.offer, 24) });
    out.push({ id: 'offer', words, name: t('cause.offer', { ns: tr.offer }), act: () => ctx.act('select', { namespace: tr.offer }) });
  }
  if (tr.cause === 'token') out.push({ id: 'link', words: t('cause.link'), name: t('cause.link'), act: () => ctx.newLink?.() });
  if (tr.cause === 'viewers') out.push({ id: 'again', words: t('cause.again'), name: t('cause.again'), act: () => ctx.again?.() });
  return out;
}

export class Remedy {
  /**
   * @param {Ctx} ctx
   * @param {string} cls of the group that is shown while there is something to do
   * @param {string} key class of its buttons
   * @param {() => boolean} complete whether the words beside it say all there is to say
   */
  constructor(ctx, cls, key, complete) {
    this.ctx = ctx;
    this.key = key;
    this.complete = complete;
    this.root = h('div', { class: cls, role: 'group', hidden: '' });
    this.more = this.button('more', () => openWhole(ctx, this.more));
    this.more.setAttribute('aria-haspopup', 'dialog');
    this.root.append(this.more);
    /** @type {Map<string, {b: HTMLElement, act: () => any}>} */
    this.buttons = new Map();
  }

  /** @param {string} id @param {() => any} act @private */
  button(id, act) {
    const b = h('button', { class: this.key, type: 'button', 'data-do': id });
    b.addEventListener('click', (e) => {
      e.stopPropagation();
      act();
    });
    return b;
  }

  paint() {
    const { ctx } = this;
    const list = remedies(ctx);
    for (const [id, o] of this.buttons) {
      if (list.some((d) => d.id === id)) continue;
      o.b.remove();
      this.buttons.delete(id);
    }
    for (const d of list) {
      let o = this.buttons.get(d.id);
      if (!o) {
        const made = { b: this.button(d.id, () => made.act()), act: d.act };
        this.buttons.set(d.id, (o = made));
        this.root.insertBefore(o.b, this.more);
      }
      o.act = d.act;
      put(o.b, d.words);
      attr(o.b, 'aria-label', d.name);
    }
    const more = !!trouble(ctx) && !this.complete();
    put(this.more, ctx.t('cause.more'));
    attr(this.more, 'aria-label', ctx.t('cause.moreLabel'));
    reveal(this.more, more);
    attr(this.root, 'aria-label', ctx.t('cause.trouble'));
    reveal(this.root, more || list.length > 0);
  }
}

/**
 * Opens the full description of what is wrong, with what can be done about it. Its words wrap, and what does not fit is scrolled.
 * @param {Ctx} ctx
 * @param {Element} anchor
 */
function openWhole(ctx, anchor) {
  const { t, model } = ctx;
  const tr = trouble(ctx);
  const o = tr ?? { ...silenceWords(ctx), detail: '' };
  const raw = model.state.reflector.lastError;
  ctx.popup(anchor, (root, close) => {
    const body = h('div', { class: 'whole', tabindex: 0, role: 'document' }, h('p', {}, o.whole));
    if (o.detail) body.append(h('p', { class: 's', lang: 'en' }, o.detail));
    if (raw && raw !== o.whole && raw !== o.detail) body.append(h('p', { class: 's' }, `${t('cause.lastError')}:`),
      h('p', { class: 's raw', lang: 'en' }, raw));
    root.append(h('h2', {}, o.name.length > 60 ? t('cause.said') : o.name), body);
    const list = remedies(ctx);
    if (!list.length) return;
    root.append(h('div', { class: 'btnrow' }, ...list.map((d) => menuRow(close, d.act, { class: 'key', 'aria-label': d.name }, d.words))));
  }, { width: 560, label: t('cause.said') });
}
