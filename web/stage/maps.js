// @ts-check
// Two maps on the calm stage: the cluster as far as its changes have come over the wire, below the API server, and the store. Both have the same cells at
// the same places. What is newer in the cluster has the colour of its change there, and a dashed frame in the store.
import { Pixels } from '../draw/pixels.js';
import { attr, h, place, reveal, s, show, text } from '../kit/dom.js';
import { kindOf } from '../kit/glyphs.js';

/** @typedef {import('../wire/types.js').LedgerEntry} LedgerEntry */

/** Where the map of the cluster is, in units, and where that of the store begins. */
const map = { x: 16, y: 300, w: 100, h: 223 };
/** How many changes are framed at most: State lists no more. */
const frames = 96;
/** With more objects the map is drawn once a second. */
const mostFresh = 2600;

export class Maps {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {{grid: import('../draw/cells.js').CellGrid, cellAt: (key: string) => {x: number, y: number, size: number} | null}} field of the store's cells
   * @param {{x: number, y: number, w: number}} store where they lie
   */
  constructor(ctx, field, store) {
    this.ctx = ctx;
    this.field = field;
    this.store = store;
    /** How large a cell of the cluster is beside that of the store. */
    this.ratio = map.w / store.w;
    const { scene } = ctx;
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'cells gist' }));
    this.canvas.dataset.station = 'api';
    scene.over.append(this.canvas);
    this.pixels = new Pixels(this.canvas, scene.colour);
    const g = s('g', { class: 'gist', 'data-station': 'api' });
    scene.back.append(g);
    this.title = text(g, map.x, map.y - 12, 'l');
    this.hatch = s('rect', { x: map.x - 4, y: map.y - 4, width: map.w + 8, rx: 3, class: 'hatch' });
    g.append(this.hatch);
    const beside = s('g', { class: 'gist', 'data-station': 'indexer' });
    scene.back.append(beside);
    this.storeTitle = text(beside, 544, store.y + 4, 'l');
    this.clusterFrames = frameSet(g);
    this.storeFrames = frameSet(scene.high, 'behind gist');
    this.drawnAt = -Infinity;
  }

  /** Lays the map out for another size of a unit. */
  resize() {
    place(this.canvas, map.x, map.y, map.w, map.h);
    this.drawnAt = -Infinity;
  }

  /** Brings both maps to the moment of the store. @param {import('../wire/page-types.js').Lane} lane @param {number} clock */
  paint({ facts }, clock) {
    const { model, t } = this.ctx;
    const any = model.any && model.cells.size > 0;
    reveal(this.canvas, any);
    this.title.set(any ? t('maps.cluster') : '');
    this.storeTitle.set(any ? t('maps.store') : '');
    if (!any) {
      this.clusterFrames([]);
      this.storeFrames([]);
      show(this.hatch, false);
      return;
    }
    const changes = facts.unstored.slice(-frames);
    this.storeFrames(changes.flatMap((e) => {
      const at = this.field.cellAt(e.key ?? '');
      return at ? [{ x: at.x + at.size / 2, y: at.y + at.size / 2, size: at.size, kind: kindOf(e.op) }] : [];
    }));
    if (model.cells.size <= mostFresh || clock - this.drawnAt > 1000) this.draw(changes, clock);
    const sure = model.sure(facts);
    show(this.hatch, !sure);
    attr(this.hatch, 'height', Math.round(this.end * this.ratio) + 8);
  }

  /** How far down the cells of the store reach, in units. @private */
  get end() {
    const { grid } = this.field;
    const last = grid.blocks[grid.blocks.length - 1];
    return last ? last.y + last.rows * grid.pitch : 0;
  }

  /** Draws the map of the cluster. @param {LedgerEntry[]} changes @param {number} clock @private */
  draw(changes, clock) {
    this.drawnAt = clock;
    const { ctx, field, pixels, ratio } = this;
    const { grid } = field;
    pixels.begin(map.w, map.h, ctx.scene.k);
    const size = Math.max(1, grid.size * ratio);
    grid.each((x, y, ink) => pixels.cell(x * ratio, y * ratio, size, ink));
    const rings = [];
    // What the store does not have yet stands behind its last cell.
    let next = 0;
    const low = this.end + grid.pitch;
    for (const e of changes) {
      const at = field.cellAt(e.key ?? '');
      const kind = at ? kindOf(e.op) : 'add';
      const [x, y] = at ? [at.x - this.store.x, at.y - this.store.y] : [(next % grid.cols) * grid.pitch, low + Math.floor(next / grid.cols) * grid.pitch];
      if (!at && e.op === 'Deleted') continue;
      if (!at) next++;
      pixels.cell(x * ratio, y * ratio, size, e.op === 'Deleted' ? null : { colour: kind, hollow: false });
      rings.push({ x: map.x + x * ratio + size / 2, y: map.y + y * ratio + size / 2, size, kind });
    }
    pixels.flush();
    this.clusterFrames(rings);
  }
}

/**
 * Frames around cells: as many as there are changes.
 * @param {SVGElement} parent
 * @param {string} [cls]
 */
function frameSet(parent, cls = '') {
  const g = s('g', { class: `frames ${cls}` });
  parent.append(g);
  /** @type {SVGElement[]} */
  const drawn = [];
  /** @param {{x: number, y: number, size: number, kind: string}[]} list */
  return (list) => {
    while (drawn.length < list.length) {
      const el = s('rect', { rx: 1.5 });
      drawn.push(el);
      g.append(el);
    }
    drawn.forEach((el, i) => {
      const is = list[i];
      show(el, !!is);
      if (!is) return;
      const side = Math.max(6, is.size + 3);
      attr(el, 'x', (is.x - side / 2).toFixed(1));
      attr(el, 'y', (is.y - side / 2).toFixed(1));
      attr(el, 'width', side.toFixed(1));
      attr(el, 'height', side.toFixed(1));
      attr(el, 'class', `f-${is.kind}`);
    });
  };
}
