// @ts-check
// What the page is drawn with: the palette for its canvases, how large a unit is on this screen, and the glyphs that all parts share.
import { s } from '../kit/dom.js';
import { defs } from '../kit/glyphs.js';

/** The names of the style sheet's colours and fonts that canvases are drawn with. */
const palette = [
  'bg', 'panel', 'raise', 'line', 'rail', 't1', 't2', 't3', 'ink', 'add', 'upd', 'del', 'rep', 'syn', 'bmk', 'keys', 'warn', 'err', 'acc',
  'h0', 'h1', 'h2', 'h3', 'h4', 'mono', 'sans',
];

export class Scene {
  /** @param {HTMLElement} app */
  constructor(app) {
    this.app = app;
    app.append(s('svg', { class: 'glyphs', width: 0, height: 0, 'aria-hidden': 'true' }, defs()));
    /** CSS pixels per unit. */
    this.scale = 1;
    /** Device pixels per unit. */
    this.k = 1;
    /** @type {Record<string, string>} */
    this.colour = {};
    this.measure();
    this.readColours();
  }

  /** Reads the size of the window again. */
  measure() {
    this.scale = (this.app.getBoundingClientRect().width || 1280) / 1280;
    this.k = this.scale * (devicePixelRatio || 1);
  }

  /** Reads the palette again, for the canvases. */
  readColours() {
    const css = getComputedStyle(document.documentElement);
    for (const n of palette) this.colour[n] = css.getPropertyValue('--' + n).trim();
    this.colour.key = this.colour.t1;
  }
}
