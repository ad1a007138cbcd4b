// @ts-check
// Helpers that build nodes and write only what changed. Text reaches the page only through text nodes.
import { sourceOf } from './bind.js';
import { pulse } from './landing.js';

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
  el.append(...kids);
  return el;
}

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
  el.append(...kids);
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

/** A drawn sign, as large as the style sheet makes it. @param {...(SVGElement | string)} parts a path is its d alone */
export function icon(...parts) {
  return s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, ...parts.map((is) => (typeof is === 'string' ? s('path', { d: is }) : is)));
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

/**
 * Writes an HTML element's only text where it changed. The text node stays: a new one would be laid out from nothing.
 * @param {Element} el
 * @param {string} words
 */
export function put(el, words) {
  const node = /** @type {Text | null} */ (el.firstChild);
  if (!node) el.append(words);
  else if (node.data !== words) node.data = words;
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
    this.pulses = false;
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
    const is = value(from) ?? null;
    return is === null ? this.write('—', '') : this.write((cut ?? format)(is), full(is));
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
      if (this.pulses && this.words) pulse(this.el);
      this.words = words;
      this.draw(words);
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

  /** Says that the words are written before the rest of their station, with what they are compared with. */
  markEarly() {
    attr(this.el, 'data-early', '');
    return this;
  }

  /** Lets the words pulse as a large chip that changes them lands. */
  pulse() {
    this.pulses = true;
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

/**
 * Names the source of a bar or of the arc of a ring, as Txt.bind does for words: `part` and `whole` are evaluated like a path there.
 * @param {Element} el a rect whose width is the share, or a path whose end is
 * @param {string} part
 * @param {string} whole
 * @param {number} [room] how long a whole bar is
 * @param {number} [least] how long one is that shows
 * @param {number} [curve] both are taken by their logarithm, of 1 and so many: what is short is seen beside what is long
 */
export function shareOf(el, part, whole, room = 0, least = 0, curve = 0) {
  attr(el, 'data-part', part);
  attr(el, 'data-whole', whole);
  if (room) attr(el, 'data-room', room);
  if (least) attr(el, 'data-least', least);
  if (curve) attr(el, 'data-curve', curve);
}

/** A number, and a word for what it counts, which is not in the state. */
export class Counted {
  /** @param {Txt} number @param {(word: string) => void} label */
  constructor(number, label) {
    this.number = number;
    this.label = label;
  }

  /** @param {string} n @param {string} [word] */
  set(n, word = '') {
    this.number.set(n);
    this.label(word);
  }

  /** Binds the number, as Txt.bind does. @param {From} from @param {string} path @param {As} as @param {string} [word] */
  bind(from, path, as, word = '') {
    this.number.bind(from, path, as);
    this.label(word);
  }
}

/** A number with a small word behind it, as every station and counter has. */
export class Num extends Counted {
  /** @param {Element} parent @param {number} x @param {number} y @param {string} cls @param {number} gap */
  constructor(parent, x, y, cls, gap) {
    const [n, l] = [s('tspan'), s('tspan', { class: 'l', dx: gap })];
    const word = new Txt(l);
    super(new Txt(n), (words) => word.set(words));
    this.el = s('text', { x, y, class: cls }, n, l);
    if (cls === 'num') this.number.pulse();
    parent.append(this.el);
  }

  /** Says that the number is written before the rest of its station, as Txt.early does. */
  markEarly() {
    this.number.markEarly();
    return this;
  }
}

/**
 * Puts an HTML element at a place of the 1280×720 stage.
 * @param {HTMLElement} el
 * @param {number} x
 * @param {number} y
 * @param {number} [w]
 * @param {number} [hh]
 */
export function place(el, x, y, w, hh) {
  const style = (/** @type {'left'|'top'|'width'|'height'|'lineHeight'} */ k, /** @type {number} */ v) => {
    const r = `${v / 16}rem`;
    if (el.style[k] !== r) el.style[k] = r;
  };
  // Where it stands from left to right, for the order of the keyboard.
  el.dataset.x ??= String(x);
  style('left', x);
  style('top', y);
  if (w !== undefined) style('width', w);
  if (hh !== undefined) style('height', hh);
}
