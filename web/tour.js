// @ts-check
// The tour: the story that a new user is offered once, on a first visit, and that resumes where it was left. Its progress stays in this
// browser.
import { h } from './dom.js';
import * as fragment from './fragment.js';

/** The story's id. */
export const id = 'tour';
const kept = 'informerscope.tour';

/** What is kept: whether it was offered, and the step at which it was left. @returns {{offered?: boolean, step?: number}} */
function read() {
  try {
    const is = JSON.parse(localStorage.getItem(kept) ?? '{}');
    return is && typeof is === 'object' ? is : {};
  } catch {
    return {}; // a browser that keeps nothing, or something else under this name
  }
}

/** @param {{offered?: boolean, step?: number}} is */
function write(is) {
  try {
    localStorage.setItem(kept, JSON.stringify({ ...read(), ...is }));
  } catch {
    // A browser that keeps nothing offers it again.
  }
}

/** The address #tour is that of the story. */
export function adopt() {
  const p = fragment.read();
  if (!p.has('tour')) return;
  fragment.write({ tour: null, story: id });
}

/** Whether an address has no scene of its own: what the server prints has its token alone. @param {URLSearchParams} asked */
export function bare(asked) {
  return [...asked.keys()].every((k) => k === 'token');
}

/** Whether it was offered, or begun, before. */
export function known() {
  const is = read();
  return !!is.offered || is.step !== undefined;
}

/** The step at which the tour was left, from 0; 0 when it was not started, or has ended. */
export function left() {
  const { step } = read();
  return Number.isInteger(step) && Number(step) > 0 ? Number(step) : 0;
}

let last = -1;

/** Keeps how far the tour has come. @param {number} step @param {boolean} over */
export function keep(step, over) {
  const at = over ? 0 : step;
  if (at === last) return;
  last = at;
  write({ step: at, offered: true });
}

/** The offer, in the line of the stories' own bar: it covers nothing, and goes with a press. */
export class Offer {
  /**
   * @param {import('./page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {() => void} begin
   */
  constructor(ctx, app, begin) {
    this.ctx = ctx;
    this.app = app;
    this.words = h('span', { class: 'words' });
    this.yes = h('button', { class: 'key take', type: 'button', 'data-do': 'tour' });
    this.no = h('button', { class: 'key take', type: 'button', 'data-do': 'no' });
    this.bar = h('div', { class: 'storybar offer', role: 'group', hidden: '' }, this.words, this.yes, this.no);
    this.yes.addEventListener('click', () => {
      this.end();
      begin();
    });
    this.no.addEventListener('click', () => this.end());
    app.append(this.bar);
    this.over = false;
    this.shown = false;
  }

  /** @private */
  end() {
    this.over = true;
    this.bar.remove();
    this.app.classList.remove('offering');
  }

  /** @param {boolean} room nothing else is in its place */
  paint(room) {
    if (this.over) return;
    const { t } = this.ctx;
    const on = room && this.ctx.model.any;
    if (this.bar.hidden === on) {
      this.bar.hidden = !on;
      this.app.classList.toggle('offering', on); // its place is the legend's
    }
    for (const [el, k] of /** @type {[HTMLElement, string][]} */ ([[this.words, 'tour.new'], [this.yes, 'tour.begin'], [this.no, 'tour.no']])) {
      if (el.textContent !== t(k)) el.textContent = t(k);
    }
    this.bar.setAttribute('aria-label', t('tour.new'));
    if (!on || this.shown || !this.bar.checkVisibility({ visibilityProperty: true })) return;
    this.shown = true;
    write({ offered: true });
  }
}
