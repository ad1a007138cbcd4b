// @ts-check
// Helpers that build nodes and write only what changed. Text reaches the page only through text nodes.
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

/** A piece of text that is written only when it changes, with an optional title that has it in full. */
export class Txt {
  /** @param {Element} el */
  constructor(el) {
    this.el = el;
    this.node = document.createTextNode('');
    el.append(this.node);
    this.value = '';
    this.whole = '';
    /** @type {Element | null} */
    this.title = null;
    this.pulses = false;
  }

  /**
   * @param {string} value
   * @param {string} [whole] what the reader sees when the pointer rests on it; only needed when value is shortened
   */
  set(value, whole = '') {
    if (value !== this.value) {
      if (this.pulses && this.value) pulse(this.el);
      this.value = value;
      this.node.data = value;
    }
    if (whole === value) whole = '';
    if (whole !== this.whole) {
      this.whole = whole;
      if (this.el instanceof SVGElement) {
        if (!this.title) this.el.prepend((this.title = s('title')));
        put(this.title, whole);
      } else {
        /** @type {HTMLElement} */ (this.el).title = whole;
      }
    }
    return this;
  }

  /**
   * Says where the words come from, so that a test can compare them with the state. `path` leads into the lane's state, or into its
   * facts (`facts.…`). `as` is the function of format.js that makes the words (`same` where there is none), with its other arguments
   * behind a space (`version 8`). Expressions with the clock are evaluated from left to right, with + - * / max min between spaces, and `now` is
   * the moment that is painted (`now - reflector.requestMillis max 0`). A sentence of i18n.js is `t` and its key, and then the path says what
   * stands for each of its arguments (`a=span now - reflector.requestMillis; b=exact reflector.timeoutSeconds`).
   * @param {string} path
   * @param {string} [as]
   */
  of(path, as = 'same') {
    attr(this.el, 'data-of', path);
    attr(this.el, 'data-as', as);
    return this;
  }

  /** Says that the words are written before the rest of their station, with what they are compared with. */
  early() {
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

  /**
   * @param {number} x
   * @param {number} y
   */
  at(x, y) {
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
 * Names the source of a bar or of the arc of a ring, as Txt.of does for words: `part` and `whole` are evaluated like a path there.
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

/** A number with a small word behind it, as every station and counter has. */
export class Num {
  /**
   * @param {Element} parent
   * @param {number} x
   * @param {number} y
   * @param {string} cls
   * @param {number} gap
   */
  constructor(parent, x, y, cls, gap) {
    this.el = s('text', { x, y, class: cls });
    const n = s('tspan');
    const l = s('tspan', { class: 'l', dx: gap });
    this.el.append(n, l);
    this.n = new Txt(n);
    this.l = new Txt(l);
    if (cls === 'num') this.n.pulse();
    parent.append(this.el);
  }

  /**
   * @param {string} n
   * @param {string} label
   */
  set(n, label) {
    this.n.set(n);
    this.l.set(label);
    return this;
  }

  /**
   * Names the source of the number; the word behind it does not come from the state.
   * @param {string} path
   * @param {string} [as]
   */
  of(path, as = 'same') {
    this.n.of(path, as);
    return this;
  }

  /** Says that the number is written before the rest of its station, as Txt.early does. */
  early() {
    this.n.early();
    return this;
  }

  /** @param {number} y */
  y(y) {
    attr(this.el, 'y', y);
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
