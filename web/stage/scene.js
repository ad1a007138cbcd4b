// @ts-check
// What the main stage is drawn on: its layers, how large a unit is on this screen, and the palette for its canvases.
import { h, s } from '../kit/dom.js';
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
    this.svg = s('svg', { class: 'stage', viewBox: '0 0 1280 720' });
    this.svg.append(defs());
    /** What the layout is drawn into. */
    this.root = s('g');
    this.svg.append(this.root);
    /** What travels has its canvases here. */
    this.tokens = h('div', { class: 'layer tokens' });
    /** What is pressed, by station. */
    this.over = h('div');
    /** What must lie over the cells; no larger than they are. */
    this.high = s('svg', { class: 'high', viewBox: '632 188 174 354', 'aria-hidden': 'true' });
    app.append(this.svg, this.over, this.high, this.tokens);
    /** CSS pixels per unit. */
    this.scale = 1;
    /** Device pixels per unit. */
    this.k = 1;
    /** @type {Record<string, string>} */
    this.colour = {};
    this.measure();
  }

  /** Puts the controls of the stage into the order of the rail, which the keyboard follows. */
  order() {
    for (const el of [this.over, ...this.over.children]) {
      const all = /** @type {HTMLElement[]} */ ([...el.children]);
      if (el === this.over || el.hasAttribute('data-station')) el.append(...all.sort((a, b) => Number(a.dataset.x ?? 1e4) - Number(b.dataset.x ?? 1e4)));
    }
  }

  /** Reads the size of the window again. */
  measure() {
    const w = this.app.getBoundingClientRect().width || 1280;
    this.scale = w / 1280;
    this.k = this.scale * (devicePixelRatio || 1);
    return this.k;
  }

  /** Whether the screen is about 4:3, for which presenter mode has shapes of its own. */
  get narrow() {
    return innerWidth < innerHeight * 1.45;
  }

  /**
   * CSS pixels per unit of a shape, which is as wide as the stage, or on a narrow screen as large as that.
   * @param {{w: number, h: number}} shape @param {boolean} narrow
   */
  unit({ w, h: tall }, narrow) {
    return narrow ? Math.min(innerWidth / w, innerHeight / tall) : (this.scale * 1280) / w;
  }

  /** Reads the palette again, for the canvases. */
  readColours() {
    const css = getComputedStyle(document.documentElement);
    for (const n of palette) this.colour[n] = css.getPropertyValue('--' + n).trim();
    this.colour.key = this.colour.t1;
  }
}
