// @ts-check
// Words that lie over the page for a while: what was done, and what could not be done.
import { h } from './dom.js';

/** How long they stay, in ms: what went wrong longer. */
const stays = { well: 4000, bad: 9000 };

export class Toast {
  /** @param {HTMLElement} app */
  constructor(app) {
    this.app = app;
    /** @type {HTMLElement | null} */
    this.box = null;
    this.timer = 0;
  }

  /** @param {string} words none takes away what stands there @param {boolean} [bad] */
  say(words, bad = false) {
    this.clear();
    if (!words) return;
    const box = (this.box = h('div', { class: bad ? 'toast bad' : 'toast', role: bad ? 'alert' : 'status' }));
    box.textContent = words;
    this.app.append(box);
    this.timer = window.setTimeout(() => box.remove(), bad ? stays.bad : stays.well);
  }

  clear() {
    this.box?.remove();
    clearTimeout(this.timer);
  }
}
