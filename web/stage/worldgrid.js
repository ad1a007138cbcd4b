// @ts-check
// Where the cells of two maps of the same objects are: an object has one place in both while the cluster or the store has it. Cells get smaller until all have
// room, and where they would be too small to be told apart, a square stands for several objects.

import { places } from '../wire/model.js';

/** @typedef {import('../wire/page-types.js').WorldCell} WorldCell */

/** The largest and the smallest pitch of cells, and that of squares that stand for several objects. */
const largest = 32;
const smallest = 3;
const square = 7;
/** Few objects have names: at most how many, how high such a cell is with its words, and how wide at least. */
const label = { most: 12, high: 28, wide: 104 };
/** The places close up when there are more holes than this, and a third of them are holes. */
const mostHoles = 24;

/** @param {WorldCell} a @param {WorldCell} b */
const compareKeys = (a, b) => (a.key < b.key ? -1 : 1);

export class WorldGrid {
  /** By place, null where one is empty. @type {(WorldCell | null)[]} */
  cells = [];
  /** Empty places. @type {number[]} */
  free = [];
  /** The place of each slot. @type {Map<number, number>} */
  placeOf = new Map();
  /** The place of each key. @type {Map<string, number>} */
  byKey = new Map();
  /** Counts how often the places, or the sizes of cells, became others. */
  layouts = 0;
  /** From one cell to the next, in pixels: downwards, and to the right, where a named cell has its words. */
  pitch = 0;
  wide = 0;
  cols = 1;
  rows = 0;
  /** How many objects a square stands for. */
  per = 1;
  /** Whether cells may have names: they are objects of one cluster. */
  canLabel = true;
  w = 0;
  h = 0;
  k = 1;
  dots = 1;

  /** @param {number} w width of a map, in pixels @param {number} h @param {number} k pixels per unit @param {number} [dots] pixels per CSS pixel */
  resize(w, h, k, dots = 1) {
    const zoom = dots / this.dots;
    // A still has the cells of the page, in more pixels.
    const isStill = zoom !== 1 && Math.abs(w - this.w * zoom) <= Math.max(1, zoom) && Math.abs(h - this.h * zoom) <= Math.max(1, zoom);
    Object.assign(this, { w, h, k, dots, pitch: isStill ? this.pitch * zoom : 0, wide: isStill ? this.wide * zoom : 0 });
  }

  /**
   * Takes in what changed. Returns the places to draw again, with what was there, or null for all of them.
   * @param {{cells: Map<number, WorldCell>, touched: Iterable<number>, fresh: boolean}} worlds
   * @returns {{place: number, before: WorldCell | null}[] | null}
   */
  take(worlds) {
    if (worlds.fresh) {
      this.renew(worlds.cells);
      return null;
    }
    const changed = [];
    for (const slot of worlds.touched) {
      const cell = worlds.cells.get(slot) ?? null;
      let place = this.placeOf.get(slot);
      if (!cell && place === undefined) continue;
      if (place === undefined) {
        place = this.free.pop() ?? this.cells.length;
        this.placeOf.set(slot, place);
      } else if (!cell) {
        this.placeOf.delete(slot);
        this.free.push(place);
      }
      const before = this.cells[place] ?? null;
      if (before && this.byKey.get(before.key) === place) this.byKey.delete(before.key);
      if (cell) this.byKey.set(cell.key, place);
      this.cells[place] = cell;
      changed.push({ place, before });
    }
    if (this.hasManyHoles) {
      this.arrange(worlds.cells);
      return null;
    }
    return this.fit() ? null : changed;
  }

  get hasManyHoles() {
    return this.free.length > mostHoles && this.free.length * 3 > this.cells.length;
  }

  /**
   * Takes in all objects again: those of another moment, or in maps of another size. Where most have a place they keep it.
   * @param {Map<number, WorldCell>} cells
   * @private
   */
  renew(cells) {
    /** @type {(WorldCell | null)[]} */
    const layout = [];
    /** @type {WorldCell[]} */
    const others = [];
    for (const cell of cells.values()) {
      const place = this.byKey.get(cell.key);
      if (place === undefined || layout[place]) others.push(cell);
      else layout[place] = cell;
    }
    if (others.length * 2 > cells.size) return this.arrange(cells);
    others.sort(compareKeys);
    for (let place = 0, i = 0; i < others.length; place++) layout[place] ??= others[i++];
    this.put(Array.from(layout, (cell) => cell ?? null));
    if (this.hasManyHoles) this.arrange(cells);
    return undefined;
  }

  /** Gives every object its place, by key. @param {Map<number, WorldCell>} cells @private */
  arrange(cells) {
    this.put([...cells.values()].sort(compareKeys));
  }

  /** Takes a layout over. @param {(WorldCell | null)[]} cells by place @private */
  put(cells) {
    this.cells = cells;
    this.free = [];
    this.placeOf.clear();
    this.byKey.clear();
    cells.forEach((cell, place) => {
      if (!cell) return this.free.push(place);
      this.placeOf.set(cell.slot, place);
      return this.byKey.set(cell.key, place);
    });
    this.layouts++;
    this.fit();
  }

  /** Chooses how large cells are. They change when they do not fit, or could be a quarter larger. Returns whether they did. @private */
  fit() {
    const { w, h, k, pitch, per } = this;
    const n = Math.max(1, this.cells.length);
    const labelled = this.countLabelledColumns(n);
    if (labelled) return this.set(Math.round(label.high * k), Math.floor(w / labelled), 1);
    const room = (/** @type {number} */ p) => Math.floor(w / p) * Math.floor(h / p);
    let best = Math.round(largest * k);
    while (best > smallest * k && room(best) < n) best--;
    let each = 1;
    if (room(best) < n) {
      best = Math.max(1, Math.round(square * k));
      each = Math.ceil(n / Math.max(1, room(best)));
    }
    const fits = pitch > 0 && !this.hasLabels && room(pitch) * per >= n;
    if (fits && (each < per ? each * 1.25 > per : best < pitch * 1.25)) return false;
    return this.set(best, best, each);
  }

  /** Sets how large cells are. Returns whether they were of another size. @param {number} pitch @param {number} wide @param {number} per @private */
  set(pitch, wide, per) {
    const isSame = pitch === this.pitch && wide === this.wide && per === this.per;
    const cols = Math.max(1, Math.floor(this.w / wide));
    Object.assign(this, { pitch, wide, per, cols, rows: Math.floor(this.h / pitch) });
    if (!isSame) this.layouts++;
    return !isSame;
  }

  /** In how many columns n cells have room with their names; 0 if they have none. @param {number} n @private */
  countLabelledColumns(n) {
    const { w, h, k, canLabel } = this;
    const down = Math.floor(h / (label.high * k));
    const cols = down ? Math.ceil(n / down) : 0;
    return canLabel && n <= label.most && cols && w / cols >= label.wide * k ? cols : 0;
  }

  /** Whether cells have names. */
  get hasLabels() {
    return this.wide > this.pitch;
  }

  /** The size of a cell: its pitch without the gap. */
  get size() {
    return this.pitch - (this.pitch >= 5 ? Math.max(1, Math.round(this.pitch / 12)) : 0);
  }

  /** Left and top of the square of a place. @param {number} place @returns {[number, number]} */
  spot(place) {
    const i = Math.floor(place / this.per);
    return [(i % this.cols) * this.wide, Math.floor(i / this.cols) * this.pitch];
  }

  /** How many objects in a place's square have each mark. @param {number} place @param {Record<Mark, number>} counts where they are written */
  count(place, counts) {
    for (const mark of marks) counts[mark] = 0;
    const from = place - (place % this.per);
    for (let i = from; i < Math.min(from + this.per, this.cells.length); i++) {
      const cell = this.cells[i];
      if (cell) counts[markOf(cell.places)]++;
    }
  }

  /** The place of an object, -1 for none. @param {string} key */
  find(key) {
    return this.byKey.get(key) ?? -1;
  }

  /** The place under a point, -1 for none: of a square, that of its first object that is not the same in both. @param {number} x @param {number} y */
  hit(x, y) {
    const [col, row] = [Math.floor(x / this.wide), Math.floor(y / this.pitch)];
    if (col < 0 || col >= this.cols || row < 0) return -1;
    const from = (row * this.cols + col) * this.per;
    let first = -1;
    for (let i = from; i < Math.min(from + this.per, this.cells.length); i++) {
      const cell = this.cells[i];
      if (cell && markOf(cell.places) !== 'same') return i;
      if (cell && first < 0) first = i;
    }
    return first;
  }

  /** The next place with an object, some steps on. @param {number} place @param {number} step */
  walk(place, step) {
    let to = Math.max(0, Math.min(this.cells.length - 1, place < 0 ? 0 : place + step));
    const way = step < 0 ? -1 : 1;
    while (to >= 0 && to < this.cells.length && !this.cells[to]) to += way;
    return to >= 0 && to < this.cells.length ? to : place;
  }
}

/**
 * How the two maps differ about an object: it is the same, newer in the cluster, not in the store yet, gone from the cluster, or not asked for.
 * One that is `left` is not asked for any more, and still in the store.
 * @typedef {'same' | 'older' | 'missing' | 'gone' | 'unsent' | 'left'} Mark
 */

/** All of them. @type {Mark[]} */
export const marks = ['same', 'older', 'missing', 'gone', 'unsent', 'left'];

/** @param {number} where the sum of an object's places @returns {Mark} */
export function markOf(where) {
  const isHere = (where & places.store) > 0;
  if (where & places.unsent) return isHere ? 'left' : 'unsent';
  if (!(where & places.cluster)) return 'gone';
  if (!isHere) return 'missing';
  return where & places.apart ? 'older' : 'same';
}
