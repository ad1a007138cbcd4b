// @ts-check
// The grid of cells: one for every object of the store, in blocks by group. A cell keeps its place while it can, and only cells whose look
// changed are drawn. Where there is no room for a cell each, one stands for several objects.

/** @typedef {import('../wire/page-types.js').Cell} Cell */
/** @typedef {import('../wire/model.js').Model} Model */
/** @import { Ink, Looks } from './looks.js' */

/** Where cells are drawn: pixels of a canvas, or rectangles. @typedef {{
 *   begin: (w: number, h: number, k: number) => void,
 *   cell: (x: number, y: number, size: number, ink: Ink | null) => void,
 *   flush: () => void,
 * }} Surface */

/**
 * How large cells can be: `pitch` from one to the next, `size` of one, `gap` between blocks.
 * @typedef {{pitch: number, size: number, gap: number}} Size
 */

/**
 * The objects of one group, or of the groups that share a block. `cells` are by place, null where a place is empty; `free`
 * are the empty places; `drawn` is the look of each drawn cell.
 * @typedef {{
 *   name: string, groups: number[], y: number, rows: number, cells: (Cell | null)[], free: number[], drawn: number[]
 * }} Block
 */

/**
 * `sizes` are tried from the largest on, `fewSizes` before them while there are no more than `few` objects. `named` is how many groups
 * have a block of their own (0: all objects are one block), `lowest` the least height of a block. `words` name what has no name.
 * @typedef {{
 *   w: number, h: number, sizes: Size[], few?: number, fewSizes?: Size[], named: number, lowest: number,
 *   words: {unnamed: () => string, others: (n: number) => string},
 * }} GridOptions
 */

/** The look of an empty place. */
const nothing = -1;
/** A block closes up when it has more holes than this, and a third of it is holes. */
const holes = 72;
/** The most objects that one cell stands for. */
const mostEach = 4000;

export class CellGrid {
  /** @param {Surface} surface @param {GridOptions} options @param {Looks} looks */
  constructor(surface, options, looks) {
    this.surface = surface;
    this.options = options;
    this.looks = looks;
    /** Device pixels per unit. */
    this.k = 1;
    this.pitch = 0;
    this.size = 0;
    this.cols = 1;
    /** Objects that one cell stands for. */
    this.per = 1;
    /** Counts how often the blocks were laid out. */
    this.layoutCount = 0;
    this.isFew = false;
    /** @type {Block[]} */
    this.blocks = [];
    /** The block of each group. @type {number[]} */
    this.blockOf = [];
    /** The groups that have blocks, by name. @type {string[]} */
    this.names = [];
    /** The place of an object in its block, by its slot. @type {number[]} */
    this.places = [];
    /** @type {Map<string, Cell>} */
    this.byKey = new Map();
    /** Whether places are no longer what the layout made them. */
    this.moved = true;
    /** Whether other groups came, and not only more or fewer objects of the same ones. */
    this.regrouped = true;
    /** The place that a sweep has reached. */
    this.sweepBlock = 0;
    this.sweepPlace = 0;
  }

  /** Forgets every object, so that all later ones are new. */
  forget() {
    this.blocks = [];
    this.blockOf = [];
    this.names = [];
    this.places = [];
    this.byKey.clear();
    this.rename();
    this.startSweep();
  }

  /** Forms and lays out the blocks again with the next objects. */
  rename() {
    this.regrouped = this.moved = true;
  }

  /**
   * Takes in what the last frame brought and draws it.
   * @param {Model} model
   * @param {number} now
   * @param {{came?: (cell: Cell, x: number, y: number) => void, went?: (cell: Cell, x: number, y: number) => void}} [tell]
   * is called for each object that came or changed, and for each that went, with the place of its cell
   */
  take(model, now, tell = {}) {
    if (model.cellsReset) this.forget();
    if (model.groupsChanged && this.otherGroups(model)) this.rename();
    if (!this.moved) {
      for (const cell of model.goneCells) {
        const at = this.spot(cell);
        this.forgetKey(cell);
        if (!at) continue;
        this.remove(cell, now);
        tell.went?.(cell, at[0], at[1]);
      }
      for (const slot of model.touched) {
        const cell = model.cells.get(slot);
        if (!cell) continue;
        if (!this.hasCell(cell)) this.put(cell);
        const at = this.spot(cell);
        if (!at) continue;
        this.drawAt(this.blocks[this.blockOf[cell.group]], Math.floor(this.places[slot] / this.per), now);
        tell.came?.(cell, at[0], at[1]);
      }
    }
    if (this.moved || this.hasOtherRows(model)) this.layout(model, now);
  }

  /**
   * Compares all objects with those it holds: for a layout that does not get every frame.
   * @param {Model} model
   * @param {number} now
   */
  refresh(model, now) {
    if (this.otherGroups(model)) this.rename();
    if (!this.moved) this.reconcile(model, now);
    if (this.moved || this.hasOtherRows(model)) this.layout(model, now);
    else this.sweep(now);
    this.surface.flush();
  }

  /** Lets all cells age. Draws those that look otherwise than before. @param {number} now */
  sweep(now) {
    this.startSweep();
    this.sweepSome(now, Infinity);
  }

  /** Whether a sweep has begun and not ended. */
  get isSweeping() {
    return this.sweepBlock > 0 || this.sweepPlace > 0;
  }

  /**
   * Goes on with a sweep. Returns true at its end.
   * @param {number} now
   * @param {number} most how many objects grow older now; the others wait for the next call
   */
  sweepSome(now, most) {
    let left = most;
    for (; this.sweepBlock < this.blocks.length; this.sweepBlock++, this.sweepPlace = 0) {
      const block = this.blocks[this.sweepBlock];
      for (; this.sweepPlace * this.per < block.cells.length; this.sweepPlace++) {
        if (left <= 0) return false;
        left -= this.per;
        this.drawAt(block, this.sweepPlace, now);
      }
    }
    this.startSweep();
    return true;
  }

  /**
   * Forms the blocks, if groups changed, chooses how large cells are, and draws all of them.
   * @param {Model} model
   * @param {number} now
   */
  layout(model, now) {
    if (this.regrouped) this.regroup(model);
    this.regrouped = this.moved = false;
    for (const b of this.blocks) this.closeUp(b);
    this.choose(model.cells.size);
    this.surface.begin(this.options.w, this.options.h, this.k);
    for (const b of this.blocks) b.drawn.length = 0;
    this.sweep(now);
    this.layoutCount++;
  }

  /** Draws every cell again, with other looks. @param {Looks} looks @param {number} now */
  show(looks, now) {
    this.looks = looks;
    if (this.moved) return;
    this.surface.begin(this.options.w, this.options.h, this.k);
    for (const b of this.blocks) b.drawn.length = 0;
    this.sweep(now);
  }

  /** How far down the cells reach, in units. */
  get end() {
    const last = this.blocks[this.blocks.length - 1];
    return last ? last.y + last.rows * this.pitch : 0;
  }

  /**
   * How large a cell is in a map of the grid. The gap is of whole pixels: with part of a pixel, gaps come and go along a row.
   * @param {number} ratio how large the map is beside the grid
   * @param {number} k device pixels per unit
   */
  sizeAt(ratio, k) {
    const gap = this.pitch > this.size ? Math.max(1, Math.round((this.pitch - this.size) * ratio * k)) : 0;
    return Math.max(1, this.pitch * ratio - gap / k);
  }

  /** Where the cell of an object is: its left and top, or null where it has none. @param {Cell} cell @returns {[number, number] | null} */
  spot(cell) {
    if (!this.hasCell(cell)) return null;
    return this.placeOf(this.blocks[this.blockOf[cell.group]], Math.floor(this.places[cell.slot] / this.per));
  }

  /**
   * Calls f for places of cells, with left and top, and what is drawn there: null at an empty place.
   * @param {(x: number, y: number, ink: Ink | null) => void} f
   * @param {number} [from] the first place @param {number} [most] how many
   * @returns {number} the place after the last; 0 at the end
   */
  each(f, from = 0, most = Infinity) {
    let [before, left] = [0, most];
    for (const b of this.blocks) {
      for (let i = Math.max(0, from - before); i < b.drawn.length; i++) {
        if (left-- <= 0) return before + i;
        const look = b.drawn[i];
        f(...this.placeOf(b, i), look === nothing ? null : this.looks.inks[look] ?? null);
      }
      before += b.drawn.length;
    }
    return 0;
  }

  /** An object whose cell is at a point. @param {number} x @param {number} y @returns {Cell | null} */
  hit(x, y) {
    for (const b of this.blocks) {
      if (y < b.y || y >= b.y + b.rows * this.pitch) continue;
      const col = Math.min(this.cols - 1, Math.max(0, Math.floor(x / this.pitch)));
      const from = (Math.floor((y - b.y) / this.pitch) * this.cols + col) * this.per;
      for (let i = from; i < from + this.per; i++) {
        const cell = b.cells[i];
        if (cell) return cell;
      }
    }
    return null;
  }

  /** The object that is some places behind another one, or the first one. @param {Cell | undefined} cell @param {number} step */
  neighbour(cell, step) {
    const all = /** @type {Cell[]} */ (this.blocks.flatMap((b) => b.cells.filter(Boolean)));
    const i = cell ? all.indexOf(cell) : -1;
    return all[i < 0 ? 0 : Math.max(0, Math.min(all.length - 1, i + step))];
  }

  /** @private */
  startSweep() {
    this.sweepBlock = 0;
    this.sweepPlace = 0;
  }

  /** @param {Block} b @param {number} i which of its cells @returns {[number, number]} @private */
  placeOf(b, i) {
    return [(i % this.cols) * this.pitch, b.y + Math.floor(i / this.cols) * this.pitch];
  }

  /** Draws a cell if it looks otherwise than before. @param {Block} b @param {number} i @param {number} now @private */
  drawAt(b, i, now) {
    const { looks } = this;
    let look = nothing;
    for (let j = i * this.per; j < Math.min(b.cells.length, (i + 1) * this.per); j++) {
      const cell = b.cells[j];
      if (cell) look = Math.max(look, looks.of(cell, now));
    }
    if ((b.drawn[i] ?? nothing) === look) return;
    b.drawn[i] = look;
    const [x, y] = this.placeOf(b, i);
    this.surface.cell(x, y, this.size, looks.inks[look] ?? null);
  }

  /** @param {Cell} cell @private */
  hasCell(cell) {
    return this.blocks[this.blockOf[cell.group]]?.cells[this.places[cell.slot] ?? -1] === cell;
  }

  /** Gives an object a place. @param {Cell} cell @private */
  put(cell) {
    this.byKey.set(cell.key, cell);
    const b = this.blocks[this.blockOf[cell.group]];
    if (!b) return;
    const place = b.free.pop() ?? b.cells.length;
    b.cells[place] = cell;
    this.places[cell.slot] = place;
  }

  /** Takes an object's place from it. @param {Cell} cell @param {number} now @private */
  remove(cell, now) {
    this.forgetKey(cell);
    const b = this.blocks[this.blockOf[cell.group]];
    const place = this.places[cell.slot];
    b.cells[place] = null;
    b.free.push(place);
    this.drawAt(b, Math.floor(place / this.per), now);
  }

  /** @param {Cell} cell @private */
  forgetKey(cell) {
    if (this.byKey.get(cell.key) === cell) this.byKey.delete(cell.key);
  }

  /** Takes out what is no longer in the store, and puts in what is new there. @param {Model} model @param {number} now @private */
  reconcile(model, now) {
    for (const b of this.blocks) for (const c of b.cells) if (c && model.cells.get(c.slot) !== c) this.remove(c, now);
    for (const c of model.cells.values()) if (!this.hasCell(c)) this.put(c);
  }

  /** @param {Model} model @private */
  otherGroups(model) {
    const { list } = model.groups;
    return list.length !== this.names.length || list.some(([name], i) => name !== this.names[i]);
  }

  /** Forms the blocks again from the groups, and gives every object its place. @param {Model} model @private */
  regroup(model) {
    const before = new Map(this.blocks.map((b) => [`${b.name}\n${b.groups.length}`, b]));
    this.blocks = this.blocksOf(model.groups.list);
    this.names = model.groups.list.map(([name]) => name);
    this.blockOf = [];
    this.blocks.forEach((b, i) => b.groups.forEach((group) => (this.blockOf[group] = i)));
    this.blocks.forEach((b, i) => {
      // Objects keep their places where a group is still the same group.
      const was = before.get(`${b.name}\n${b.groups.length}`);
      if (!was) return;
      b.free = was.free;
      b.cells = was.cells.map((c, place) => {
        if (!c || (model.cells.get(c.slot) === c && this.blockOf[c.group] === i)) return c;
        b.free.push(place);
        return null;
      });
    });
    this.byKey.clear();
    for (const c of model.cells.values()) {
      this.byKey.set(c.key, c);
      if (!this.hasCell(c)) this.put(c);
    }
  }

  /**
   * A block for each group, in the order in which they came; where they are too many the smallest share one.
   * @param {[string, number][]} list
   * @private
   */
  blocksOf(list) {
    const { named, words } = this.options;
    /** @param {string} name @param {number[]} groups @returns {Block} */
    const block = (name, groups) => ({ name, groups, y: 0, rows: 0, cells: [], free: [], drawn: [] });
    const all = list.map((_, i) => i);
    if (!named) return [block('', all)];
    const own = list.length > named ? new Set(largest(list, named - 1)) : new Set(all);
    const blocks = all.filter((i) => own.has(i)).map((i) => block(list[i][0] || words.unnamed(), [i]));
    const rest = all.filter((i) => !own.has(i));
    if (rest.length) blocks.push(block(words.others(rest.length), rest));
    return blocks;
  }

  /** A block with many holes closes up. @param {Block} b @private */
  closeUp(b) {
    if (b.free.length <= holes || b.free.length <= b.cells.length / 3) return;
    b.cells = b.cells.filter(Boolean);
    b.free = [];
    b.cells.forEach((c, place) => c && (this.places[c.slot] = place));
  }

  /** Chooses the largest size that all objects have room in. @param {number} objects @private */
  choose(objects) {
    const { w, h } = this.options;
    const was = this.pitch;
    // Growing back needs some room to spare, so that a store on the edge does not jump to and fro.
    const room = (/** @type {number} */ pitch) => (was && pitch > was ? h * 0.85 : h);
    const sizes = this.sizesFor(objects);
    const last = sizes[sizes.length - 1];
    for (const size of sizes) if (this.arrange(w, size, 1) <= room(size.pitch)) return;
    for (let per = 2; per < mostEach; per = Math.ceil(per * 1.25)) if (this.arrange(w, last, per) <= h) return;
  }

  /** @param {number} objects @private */
  sizesFor(objects) {
    const { sizes, few = 0, fewSizes = [] } = this.options;
    this.isFew = objects <= few;
    return this.isFew ? [...fewSizes, ...sizes] : sizes;
  }

  /**
   * Puts the blocks one below the other. Returns the height they need.
   * @param {number} w
   * @param {Size} size
   * @param {number} per
   * @private
   */
  arrange(w, { pitch, size, gap }, per) {
    this.pitch = pitch;
    this.size = size;
    this.cols = Math.max(1, Math.floor(w / pitch));
    this.per = per;
    const { lowest } = this.options;
    let y = 0;
    let need = 0;
    for (const b of this.blocks) {
      b.rows = this.rowsOf(b);
      b.y = y;
      const body = b.rows * pitch;
      need = y + Math.max(body, lowest - 2);
      y += Math.max(body + gap, lowest);
    }
    return need;
  }

  /** @param {Block} b @private */
  rowsOf(b) {
    return Math.max(1, Math.ceil(Math.ceil(b.cells.length / this.per) / this.cols));
  }

  /** Whether a block has other rows than it was given. @param {Model} model @private */
  hasOtherRows(model) {
    if (this.isFew !== model.cells.size <= (this.options.few ?? 0)) return true;
    return this.blocks.some((b) => this.rowsOf(b) !== b.rows);
  }
}

/**
 * The largest of some groups; of equal ones those that came first.
 * @param {[string, number][]} list
 * @param {number} n
 * @returns {number[]}
 */
function largest(list, n) {
  const order = list.map((_, i) => i);
  order.sort((a, b) => list[b][1] - list[a][1] || a - b);
  return order.slice(0, n);
}
