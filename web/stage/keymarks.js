// @ts-check
// The key to the marks: one line at the foot of the page, gone once it is closed.
import { button, h, icon, put, s } from '../kit/dom.js';

/** What each mark looks like, in a box of 20 by 12. @type {[string, string, string][]} */
const marks = [
  ['pass', 'M1 3v9M6 3v9M11 3v9M16 3v9', 'tick'], ['wait', 'M1 8h18', 'bar'], ['call', 'M1 7h18', 'call'], ['held', 'M1 8h18', 'held'],
  ['list', 'M10 2v10', 'list'], ['gap', 'M2 12l8 -9M8 12l8 -9M14 12l5 -6', 'gap'], ['unseen', 'M10 2v10', 'unseen'],
  ['add', 'M6 7h9', 'add'], ['upd', 'M6 7h9', 'upd'], ['del', 'M6 7h9', 'del'], ['key', 'M6 7h9', 'key'],
];
const stored = 'informerscope.keymarks';

/** Whether this browser keeps that it is closed. */
function isShut() {
  try {
    return localStorage.getItem(stored) === 'shut';
  } catch {
    return false; // a browser that keeps nothing
  }
}

export class KeyMarks {
  /** @param {HTMLElement} parent @param {(key: string) => string} t */
  constructor(parent, t) {
    this.t = t;
    this.words = marks.map(([name, d, cls]) => {
      const words = h('span');
      return { name, words, el: h('span', {}, s('svg', { viewBox: '0 0 20 14', 'aria-hidden': 'true' }, s('path', { d, class: `km-${cls}` })), words) };
    });
    this.close = button({ class: 'kmx' }, () => this.show(false), icon('M3.5 3.5l9 9M12.5 3.5l-9 9'));
    this.root = h('div', { class: 'keymarks' }, ...this.words.map(({ el }) => el), this.close);
    parent.append(this.root);
    this.root.hidden = isShut();
  }

  /** @param {boolean} on */
  show(on) {
    this.root.hidden = !on;
    try {
      localStorage.setItem(stored, on ? 'open' : 'shut');
    } catch {
      // A browser that keeps nothing shows it again.
    }
  }

  paint() {
    for (const { name, words } of this.words) put(words, this.t(`keymarks.${name}`));
    this.close.title = this.t('keymarks.close');
    this.close.setAttribute('aria-label', this.t('keymarks.close'));
  }
}
