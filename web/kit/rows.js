// @ts-check
// Lines of the stage that can be read closer or chosen: a button lies over each. A list is one stop for Tab; the arrows
// walk within it. The words of a line show in a tip while the pointer or the focus is on it.
import { attr, button, h, place } from './dom.js';

/** @typedef {{head: string, body: string}} Tip */

/** @type {WeakMap<HTMLElement, HTMLElement>} */
const tips = new WeakMap();

/** The one tip of a stage. @param {import('../wire/page-types.js').Ctx} ctx */
function tipOf(ctx) {
  let el = tips.get(ctx.scene.app);
  if (!el) {
    el = h('div', { class: 'tipc', hidden: '', 'aria-hidden': 'true' });
    el.append(h('b'), h('span'));
    ctx.scene.app.append(el);
    tips.set(ctx.scene.app, el);
  }
  return el;
}

/**
 * Shows a tip below a place of the stage, or above it when there is no room below.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {Tip | null} tip null hides it
 * @param {number} [x] left, in units
 * @param {number} [y] the bottom of what it describes
 * @param {number} [up] the height of what it describes
 */
function showTip(ctx, tip, x = 0, y = 0, up = 0) {
  const el = tipOf(ctx);
  el.hidden = !tip;
  if (!tip) return;
  /** @type {HTMLElement} */ (el.children[0]).textContent = tip.head;
  /** @type {HTMLElement} */ (el.children[1]).textContent = tip.body;
  const tall = el.getBoundingClientRect().height / ctx.scene.scale;
  place(el, Math.max(8, Math.min(x, 1272 - 300)), y + tall + 6 > 712 ? y - up - tall - 4 : y + 4);
}

export class Rows {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} into where the buttons go
   * @param {number} n how many lines there can be
   * @param {number} x where the list stands from left to right, for the order of the keyboard
   * @param {{act?: (i: number) => void, tip?: (i: number) => Tip | null}} does what a press does, and what a line has to say
   */
  constructor(ctx, into, n, x, does) {
    this.ctx = ctx;
    this.does = does;
    /** Which line Tab reaches. */
    this.index = 0;
    /** The line that the tip describes, or -1. */
    this.tipLine = -1;
    this.root = h('div', { role: 'group', 'data-x': x });
    this.rows = [...Array(n).keys()].map((i) => {
      const el = button({ class: 'prow', hidden: '', tabindex: -1 }, () => does.act?.(i));
      el.addEventListener('focus', () => {
        this.go(i);
        if (el.matches(':focus-visible')) this.tell(i);
      });
      el.addEventListener('blur', () => this.tell(-1));
      // A line that moves under a resting pointer is entered too, and has nothing to tell. A finger does not move.
      el.addEventListener('pointermove', () => this.tell(i));
      el.addEventListener('pointerdown', () => this.tell(i));
      el.addEventListener('pointerleave', () => this.tell(-1));
      this.root.append(el);
      return { el, on: false, name: '', at: -1e9, x: 0, y: 0, w: 0, hgt: 0 };
    });
    this.root.addEventListener('keydown', (e) => {
      const d = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
      if (!d) return;
      for (let i = this.index + d; i >= 0 && i < n; i += d) {
        if (!this.rows[i].on) continue;
        this.rows[i].el.focus();
        break;
      }
      e.preventDefault();
      e.stopPropagation();
    });
    into.append(this.root);
  }

  /** @param {string} words */
  label(words) {
    attr(this.root, 'aria-label', words);
  }

  /** @param {number} i @private */
  go(i) {
    this.index = i;
    this.rows.forEach((r, j) => attr(r.el, 'tabindex', j === i ? 0 : -1));
  }

  /** @param {number} i @private */
  tell(i) {
    if (this.tipLine === i) return;
    this.tipLine = i;
    const r = this.rows[i];
    const tip = r?.on ? this.does.tip?.(i) ?? null : null;
    showTip(this.ctx, tip, r?.x, r ? r.y + r.hgt : 0, r?.hgt);
  }

  /**
   * Says where a line is and what it is called; without a name there is no such line. Returns false when it is too early to name it again.
   * @param {number} i
   * @param {string} name
   * @param {number} [x]
   * @param {number} [y] top
   * @param {number} [w]
   * @param {number} [hgt]
   */
  set(i, name, x = 0, y = 0, w = 0, hgt = 0) {
    const r = this.rows[i];
    const on = name !== '';
    if (r.name === name && r.x === x && r.y === y && r.w === w && r.hgt === hgt) return true;
    // A name that changes with every frame is set at most four times a second. That is fast enough to read, and frames stay cheap.
    const clock = performance.now();
    if (clock - r.at < 250) return false;
    r.at = clock;
    const renamed = r.name !== name;
    r.name = name;
    if (on !== r.on) {
      r.on = on;
      r.el.hidden = !on;
      if (!on && this.tipLine === i) this.tell(-1);
      if (!this.rows[this.index].on || this.index >= this.rows.length) this.go(Math.max(0, this.rows.findIndex((o) => o.on)));
      else if (i === this.index) this.go(i);
    }
    if (!on) {
      Object.assign(r, { x, y, w, hgt });
      return true;
    }
    attr(r.el, 'aria-label', name);
    if (r.x !== x || r.y !== y || r.w !== w || r.hgt !== hgt) {
      Object.assign(r, { x, y, w, hgt });
      place(r.el, x, y, w, hgt);
    }
    if (renamed && this.tipLine === i) {
      this.tipLine = -1;
      this.tell(i);
    }
    return true;
  }
}
