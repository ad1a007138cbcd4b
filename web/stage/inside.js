// @ts-check
// The panel below the maps: the inside of the station that is open, in a few lines, with what can be done there.
import { attr, button, h, put, reveal, Txt } from '../kit/dom.js';

/** @typedef {import('../rows/parts.js').Inside} Content */
/** @typedef {import('../rows/parts.js').Line} Line */

/** How many lines there can be. */
const most = 6;

export class Inside {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.title = h('h2');
    this.aside = h('small');
    this.list = h('ul');
    this.acts = h('div', { class: 'acts' });
    this.lines = Array.from({ length: most }, () => {
      const mark = h('i', { 'aria-hidden': 'true' });
      const words = new Txt(h('span'));
      const aside = new Txt(h('small'));
      const el = h('li', {}, mark, words.el, aside.el);
      this.list.append(el);
      return { el, mark, words, aside };
    });
    this.root = h('section', { class: 'inside' }, h('header', {}, this.title, this.aside), this.list, this.acts);
    parent.append(this.root);
    /** What the buttons are of, and what they do at the moment shown. */
    this.actsOf = '';
    /** @type {((anchor: HTMLElement) => void)[]} */
    this.does = [];
  }

  /** @param {Content} content @param {import('../wire/page-types.js').Lane} lane @param {number | null} number the lane's, where there are two */
  paint(content, lane, number) {
    attr(this.root, 'data-lane', number);
    attr(this.root, 'aria-label', content.title);
    put(this.title, content.title);
    put(this.aside, content.aside ?? '');
    attr(this.aside, 'title', content.aside || null);
    this.lines.forEach(({ el, mark, words, aside }, i) => {
      const line = content.lines[i];
      reveal(el, !!line);
      if (!line) return;
      attr(el, 'class', [line.mono && 'mono', line.tone].filter(Boolean).join(' ') || null);
      attr(mark, 'class', line.op ? `k-${line.op}` : 'none');
      const { path = '', as } = line;
      if (path && !line.beside) words.bind(lane, path, as);
      else words.set(line.words ?? '');
      attr(el, 'title', words.words || null); // a narrow window has no room for all of it
      if (path && line.beside) aside.bind(lane, path, as);
      else aside.set(line.aside ?? '');
    });
    const acts = content.acts ?? [];
    this.does = acts.map((a) => a.does);
    const key = `${content.title} ${acts.map((a) => a.words)}`;
    if (key === this.actsOf) return;
    this.actsOf = key;
    this.acts.replaceChildren(...acts.map(({ call = '', words }, i) => (
      button({ class: 'key', 'aria-haspopup': 'dialog', 'data-call': call }, (b) => this.does[i](b), words))));
  }
}
