// @ts-check
// Two maps on the calm stage: the cluster as far as its changes have come over the wire, below the API server, and the store. Both have the same cells at
// the same places. What is newer in the cluster has the colour of its change there, and a dashed frame in the store.
import { differences, frameSet } from '../draw/frames.js';
import { Pixels } from '../draw/pixels.js';
import { attr, h, place, reveal, s, show, text } from '../kit/dom.js';

/** Where the map of the cluster is, in units, and where that of the store begins. */
const map = { x: 16, y: 300, w: 100, h: 223 };
/** How many cells of the cluster's map are drawn at a time: all would keep the page's thread for most of a frame. */
const mostCells = 1500;

export class Maps {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {import('./host.js').Host} host
   * @param {ReturnType<typeof import('../stations/indexer.js').indexer.full>} indexer with the store's cells, and where they lie
   */
  constructor(ctx, host, { field, place: store }) {
    this.ctx = ctx;
    this.field = field;
    this.store = store;
    /** How large a cell of the cluster is beside that of the store. */
    this.ratio = map.w / store.w;
    const { scene } = ctx;
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'cells gist' }));
    const [api, indexer] = ['api', 'indexer'].map((id) => host.station(id).slot);
    api.press.append(this.canvas);
    this.pixels = new Pixels(this.canvas, scene.colour);
    const g = s('g', { class: 'gist' });
    api.head.append(g);
    this.title = text(g, map.x, map.y - 12, 'l');
    this.hatch = s('rect', { x: map.x - 4, y: map.y - 4, width: map.w + 8, rx: 3, class: 'hatch' });
    g.append(this.hatch);
    const beside = s('g', { class: 'gist' });
    indexer.head.append(beside);
    this.storeTitle = text(beside, 544, store.y + 4, 'l');
    this.clusterFrames = frameSet(g);
    this.storeFrames = frameSet(scene.high, 'behind gist');
    /** How the grid was laid out when the map was begun, and the cell that is drawn next. */
    this.gridLayout = -1;
    this.next = 0;
    /** What was drawn last outside the grid. @type {ReturnType<typeof differences>} */
    this.outside = [];
  }

  /** Lays the map out for another size of a unit. */
  resize() {
    place(this.canvas, map.x, map.y, map.w, map.h);
    this.gridLayout = -1;
  }

  /** Brings both maps to the moment of the store. @param {Pick<import('../wire/page-types.js').Lane, 'facts'>} lane */
  paint({ facts }) {
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
    const changes = differences(this.field.grid, facts.unstored);
    this.storeFrames(changes.filter((c) => c.stored).map((c) => ({ ...c, x: this.store.x + c.x, y: this.store.y + c.y })));
    this.draw(changes);
    const sure = model.isSure(facts);
    show(this.hatch, !sure);
    attr(this.hatch, 'height', Math.round(this.field.grid.end * this.ratio) + 8);
  }

  /** Draws the next cells of the cluster's map, and all that differ. @param {ReturnType<typeof differences>} changes @private */
  draw(changes) {
    const { ctx, field, pixels, ratio } = this;
    const { grid } = field;
    if (this.gridLayout !== grid.layoutCount) {
      pixels.begin(map.w, map.h, ctx.scene.k);
      this.gridLayout = grid.layoutCount;
      this.next = 0;
      this.outside = [];
    }
    const size = grid.sizeAt(ratio, ctx.scene.k);
    for (const { x, y } of this.outside) pixels.cell(x * ratio, y * ratio, size, null);
    this.outside = changes.filter((c) => !c.stored);
    this.next = grid.each((x, y, ink) => pixels.cell(x * ratio, y * ratio, size, ink), this.next, mostCells);
    for (const { x, y, kind } of changes) pixels.cell(x * ratio, y * ratio, size, kind === 'del' ? null : { colour: kind, hollow: false });
    pixels.flush();
    this.clusterFrames(changes.map(({ x, y, kind }) => ({ x: map.x + x * ratio, y: map.y + y * ratio, size, kind })));
  }
}
