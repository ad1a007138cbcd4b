// @ts-check
// Helpers that build nodes and write only what changed. Text reaches the page only through text nodes.
import { sourceOf } from './bind.js';
import { isolate } from './i18n.js';

const NS = 'http://www.w3.org/2000/svg';

/**
 * An SVG element with attributes and children.
 * @param {string} tag
 * @param {Record<string, string | number>} [attrs]
 * @param {...(Node | string)} kids
 * @returns {SVGElement}
 */
export function s(tag, attrs, ...kids) {
  const el = /** @type {SVGElement} */ (document.createElementNS(NS, tag));
  for (const k in attrs) el.setAttribute(k, String(attrs[k]));
  el.append(...kids.map(inDirection));
  return el;
}

/** @param {Node | string} kid */
const inDirection = (kid) => (typeof kid === 'string' ? isolate(kid) : kid);

/**
 * An HTML element with attributes and children.
 * @param {string} tag
 * @param {Record<string, string | number>} [attrs]
 * @param {...(Node | string)} kids
 * @returns {HTMLElement}
 */
export function h(tag, attrs, ...kids) {
  const el = document.createElement(tag);
  for (const k in attrs) el.setAttribute(k, String(attrs[k]));
  el.append(...kids.map(inDirection));
  return el;
}

/**
 * A button.
 * @param {Record<string, string | number>} attrs
 * @param {(el: HTMLElement) => unknown} does when it is pressed
 * @param {...(Node | string)} kids
 */
export function button(attrs, does, ...kids) {
  const el = h('button', { type: 'button', ...attrs }, ...kids);
  el.addEventListener('click', () => does(el));
  return el;
}

/**
 * A line of a menu, or another button in it, which shuts the menu.
 * @param {() => void} close
 * @param {() => unknown} does
 * @param {Record<string, string>} attrs
 * @param {...(Node | string)} kids
 */
export const menuRow = (close, does, attrs, ...kids) => button({ class: 'row', ...attrs }, () => {
  close();
  does();
}, ...kids);

/** Whether an element is seen. Safari has checkVisibility from 17.4 on. @param {Element} el */
export const isSeen = (el) => el.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? el.getClientRects().length > 0;

/** A drawn sign, as large as the style sheet makes it. @param {...(SVGElement | string)} parts a path is its d alone */
export function icon(...parts) {
  return s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, ...parts.map((part) => (typeof part === 'string' ? s('path', { d: part }) : part)));
}

/** @type {WeakMap<Element, Record<string, string | null>>} */
const seen = new WeakMap();

/**
 * Sets an attribute when its value is not what this function set last; null removes it.
 * @param {Element} el
 * @param {string} name
 * @param {string | number | null} value
 */
export function attr(el, name, value) {
  let m = seen.get(el);
  if (!m) seen.set(el, (m = {}));
  const v = value === null ? null : String(value);
  if (m[name] === v) return;
  m[name] = v;
  if (v === null) el.removeAttribute(name);
  else el.setAttribute(name, v);
}

/**
 * Shows or hides an SVG element.
 * @param {Element} el
 * @param {boolean} on
 */
export function show(el, on) {
  attr(el, 'display', on ? null : 'none');
}

/**
 * Shows or hides an HTML element.
 * @param {HTMLElement} el
 * @param {boolean} on
 */
export function reveal(el, on) {
  if (el.hidden === on) el.hidden = !on;
}

/** How often a text of the page was written, so that the painter sees whether time alone changes one. */
export const texts = { written: 0 };

/**
 * Writes an HTML element's only text where it changed. The text node stays: a new one would be laid out from nothing.
 * @param {Element} el
 * @param {string} words
 */
export function put(el, words) {
  const node = /** @type {Text | null} */ (el.firstChild);
  words = isolate(words);
  if (node?.data === words) return;
  texts.written++;
  if (node) node.data = words;
  else el.append(words);
}

/** @import { As, From } from './bind.js' */

const nowhere = sourceOf('', 'same', '');

/** A piece of text that is written only when it changes, with an optional title that has it in full. */
export class Txt {
  /** @param {Element} el @param {(words: string) => void} [draw] what else than one text node has the words */
  constructor(el, draw) {
    this.el = el;
    this.node = document.createTextNode('');
    el.append(this.node);
    this.draw = draw ?? ((words) => (this.node.data = words));
    this.words = this.whole = this.path = this.as = '';
    this.source = nowhere;
    /** @type {Element | null} */
    this.title = null;
  }

  /** Writes words that are nowhere in the state. @param {string} words @param {string} [whole] what the pointer shows, if they are shortened */
  set(words, whole = '') {
    if (this.path) this.name('', '', '');
    return this.write(words, whole);
  }

  /**
   * Writes the words of what is at a path, and names path and format on the element, so that a test can compare the words with the state.
   * Without a path nothing is written, and a dash where nothing is at it.
   * @param {From} from what is painted
   * @param {string} path into it, an expression with the clock, or the arguments of a sentence, as bind.js has them
   * @param {As} [as] what makes words of the value
   * @param {As | ''} [whole] what makes those that the pointer shows, if they are shortened
   * @param {(value: any) => string} [cut] what cuts them to their room
   */
  bind(from, path, as = 'same', whole = '', cut) {
    if (!path) return this.set('');
    if (path !== this.path || as !== this.as) this.name(path, as, whole);
    const { value, format, full } = this.source;
    const got = value(from) ?? null;
    return got === null ? this.write('—', '') : this.write((cut ?? format)(got), full(got));
  }

  /** @param {string} path @param {string} as @param {string} whole @private */
  name(path, as, whole) {
    this.path = path;
    this.as = as;
    this.source = path ? sourceOf(path, as, whole) : nowhere;
    attr(this.el, 'data-of', path || null);
    attr(this.el, 'data-as', as || null);
  }

  /** @param {string} words @param {string} whole @private */
  write(words, whole) {
    if (words !== this.words) {
      this.words = words;
      texts.written++;
      this.draw(isolate(words));
    }
    if (whole === words) whole = '';
    if (whole === this.whole) return this;
    this.whole = whole;
    if (this.el instanceof HTMLElement) this.el.title = whole;
    else {
      if (!this.title) this.el.prepend((this.title = s('title')));
      put(this.title, whole);
    }
    return this;
  }

  /** @param {string} name */
  cls(name) {
    attr(this.el, 'class', name);
    return this;
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    attr(this.el, 'x', x);
    attr(this.el, 'y', y);
    return this;
  }

  /** @param {boolean} on */
  show(on) {
    show(this.el, on);
    return this;
  }
}

/**
 * A line of text on the stage.
 * @param {Element} parent
 * @param {number} x
 * @param {number} y
 * @param {string} cls
 * @param {'start' | 'middle' | 'end'} [anchor]
 */
export function text(parent, x, y, cls, anchor = 'start') {
  const el = s('text', { x, y, class: cls });
  if (anchor !== 'start') el.setAttribute('text-anchor', anchor);
  parent.append(el);
  return new Txt(el);
}
