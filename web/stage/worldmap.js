// @ts-check
// One of the two maps: its canvas, its name, and what is pressed and pointed at on it.
import { attr, h, reveal, Txt } from '../kit/dom.js';
import { middle, version } from '../kit/format.js';
import { places } from '../wire/model.js';
import { drawCell, drawLight, drawShare, looks } from './worldink.js';
import { markOf } from './worldgrid.js';

/** Of the square that is drawn. */
const counts = { same: 0, older: 0, missing: 0, gone: 0, unsent: 0, left: 0 };

export class WorldMap {
  /**
   * @param {'cluster' | 'store'} side
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {import('./worldgrid.js').WorldGrid} grid of both maps
   * @param {{enter: (place: number, map: WorldMap) => void, choose: (place: number) => void}} tell `enter` gets the place under the pointer, or
   *   -1 if there is none, and `choose` the place that was pressed
   */
  constructor(side, ctx, grid, tell) {
    this.side = side;
    this.ctx = ctx;
    this.grid = grid;
    this.tell = tell;
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { tabindex: '0', role: 'application', 'aria-roledescription': 'object map' }));
    this.cx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.chosen = h('i', { class: 'world-chosen', hidden: '' });
    this.pointed = h('i', { class: 'world-pointed', hidden: '' });
    this.hatch = h('i', { class: 'world-hatch', hidden: '' });
    this.empty = new Txt(h('span', { class: 'world-empty' }));
    this.title = new Txt(h('b'));
    this.each = new Txt(h('span'));
    this.count = new Txt(h('span', { class: 'world-count' }));
    this.field = h('div', { class: 'world-field' }, this.canvas, this.hatch, this.empty.el, this.chosen, this.pointed);
    this.root = h('figure', { class: `world world-${side}` }, this.field, h('figcaption', {}, this.title.el, this.each.el, this.count.el));
    /** Pixels of the canvas for each CSS pixel. */
    this.dots = 1;
    /** The place at which the keyboard stands. */
    this.cursor = -1;
    this.listen();
  }

  /** @private */
  listen() {
    const { canvas, tell } = this;
    canvas.addEventListener('pointermove', (e) => tell.enter(this.placeUnder(e), this));
    canvas.addEventListener('pointerleave', () => tell.enter(-1, this));
    canvas.addEventListener('blur', () => tell.enter(-1, this));
    canvas.addEventListener('click', (e) => tell.choose((this.cursor = this.placeUnder(e))));
    canvas.addEventListener('keydown', (e) => {
      const { cols, per } = this.grid;
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: cols * per, ArrowUp: -cols * per }[e.key];
      if (step !== undefined) tell.enter((this.cursor = this.grid.walk(this.cursor, this.cursor < 0 ? 0 : step)), this);
      else if (e.key === 'Enter') tell.choose(this.cursor);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** @param {MouseEvent} e @private */
  placeUnder(e) {
    const box = this.canvas.getBoundingClientRect();
    return this.grid.hit((e.clientX - box.left) * this.dots, (e.clientY - box.top) * this.dots);
  }

  /** @param {{w: number, h: number}} size in pixels @param {number} dots of them in a CSS pixel */
  resize({ w, h: tall }, dots) {
    this.dots = dots;
    this.canvas.width = w;
    this.canvas.height = tall;
    Object.assign(this.field.style, { width: `${w / dots}px`, height: `${tall / dots}px` });
  }

  /** Draws all cells. */
  drawAll() {
    this.cx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (let place = 0; place < this.grid.cells.length; place += this.grid.per) this.draw(place);
  }

  /** Draws the square of a place. @param {number} place @param {number} [light] how bright a change lights it, up to 1 */
  draw(place, light = 0) {
    const { grid, cx, side } = this;
    const { pitch, size } = grid;
    const palette = this.ctx.scene.colour;
    const [x, y] = grid.spot(place);
    cx.globalAlpha = this.matches(place) ? 1 : 0.25;
    if (grid.per > 1) {
      grid.count(place, counts);
      drawShare(cx, palette, x, y, pitch, size, counts, looks[side], grid.per);
    } else {
      const cell = grid.cells[place];
      const look = cell ? looks[side][markOf(cell.places)] : looks.store.unsent;
      if (grid.hasLabels) this.write(cell, look, x, y);
      drawCell(cx, palette, x, y, pitch, size, look, side === 'store' && !!cell && (cell.places & places.reduced) > 0);
    }
    cx.globalAlpha = 1;
    if (light) drawLight(cx, palette, x, y, size, light, grid.per > 1);
  }

  /**
   * Writes an object's name beside its cell, and the version that is here, in place of what was there.
   * @param {import('../wire/page-types.js').WorldCell | null} cell @param {import('./worldink.js').Look} look @param {number} x @param {number} y @private
   */
  write(cell, look, x, y) {
    const { grid: { k, pitch, wide }, cx, side } = this;
    cx.clearRect(x, y, wide, pitch);
    if (!cell || look.form === 'none') return;
    const palette = this.ctx.scene.colour;
    const rv = (side === 'cluster' ? cell.clusterRV : cell.storeRV) ?? '';
    const space = wide - pitch - 8 * k;
    const room = Math.floor(space / (6.8 * k));
    cx.fillStyle = rv ? palette.t1 : palette.t3;
    const letter = this.ctx.model.letters[cell.key];
    const indent = letter ? 12 * k : 0;
    cx.font = `600 ${12 * k}px ${palette.sans}`;
    if (letter) cx.fillText(letter, x + pitch + 2 * k, y + 11 * k);
    cx.font = `400 ${12 * k}px ${palette.sans}`;
    const name = cell.key.slice(cell.key.lastIndexOf('/') + 1);
    cx.fillText(middle(name, letter ? room - 2 : room), x + pitch + 2 * k + indent, y + 11 * k, space - indent);
    cx.fillStyle = palette.t2;
    cx.fillText(rv ? this.ctx.t('row.rv', { rv: version(rv, room - 3) }) : '—', x + pitch + 2 * k, y + 24 * k, space);
  }

  /** What is looked for, in lower case. */
  query = '';

  /** Whether an object of a square has what is looked for in its key. @param {number} place @private */
  matches(place) {
    const { query, grid: { cells, per } } = this;
    return !query || cells.slice(place, place + per).some((cell) => cell?.key.toLowerCase().includes(query));
  }

  /** Frames the chosen place and the one pointed at; -1 for none. @param {number} chosen @param {number} pointed */
  mark(chosen, pointed) {
    for (const [el, place] of /** @type {[HTMLElement, number][]} */ ([[this.chosen, chosen], [this.pointed, pointed]])) {
      reveal(el, place >= 0);
      if (place < 0) continue;
      const box = this.boxIn(place);
      Object.assign(el.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px`, height: `${box.h}px` });
    }
  }

  /** A place's square in the map, in CSS pixels. @param {number} place */
  boxIn(place) {
    const [x, y] = this.grid.spot(place);
    const size = this.grid.size / this.dots;
    return { x: x / this.dots, y: y / this.dots, w: size, h: size };
  }

  /** The same in what the element `worlds` stands in. @param {number} place @param {HTMLElement} worlds */
  boxOf(place, worlds) {
    const box = this.boxIn(place);
    const [here, there] = [this.field.getBoundingClientRect(), worlds.getBoundingClientRect()];
    return { ...box, x: box.x + here.x - there.x + worlds.offsetLeft, y: box.y + here.y - there.y + worlds.offsetTop };
  }

  /** Says what the keyboard stands on, or what the map is. @param {string} words */
  label(words) {
    attr(this.canvas, 'aria-label', words);
  }
}
