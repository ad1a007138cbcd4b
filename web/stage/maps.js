// @ts-check
// Two maps on the calm stage: the cluster as far as its changes have come over the wire, below the API server, and the store. Both have the same cells at
// the same places. What is newer in the cluster has the colour of its change there, and a dashed frame in the store.
import { differences, frameSet } from '../draw/frames.js';
import { Pixels } from '../draw/pixels.js';
import { attr, h, place, reveal, s, show, text } from '../kit/dom.js';

/** Where the map of the cluster is, in units, and where that of the store begins. */
const map = { x: 16, y: 300, w: 100, h: 223 };
/** With more objects the map is drawn once a second. */
const mostFresh = 2600;

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
    this.drawnAt = -Infinity;
  }

  /** Lays the map out for another size of a unit. */
  resize() {
    place(this.canvas, map.x, map.y, map.w, map.h);
    this.drawnAt = -Infinity;
  }

  /** Brings both maps to the moment of the store. @param {Pick<import('../wire/page-types.js').Lane, 'facts'>} lane @param {number} clock */
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
    const changes = differences(this.field.grid, facts.unstored);
    this.storeFrames(changes.filter((c) => c.stored).map((c) => ({ ...c, x: this.store.x + c.x, y: this.store.y + c.y })));
    if (model.cells.size <= mostFresh || clock - this.drawnAt > 1000) this.draw(changes, clock);
    const sure = model.sure(facts);
    show(this.hatch, !sure);
    attr(this.hatch, 'height', Math.round(this.field.grid.end * this.ratio) + 8);
  }

  /** Draws the map of the cluster. @param {ReturnType<typeof differences>} changes @param {number} clock @private */
  draw(changes, clock) {
    this.drawnAt = clock;
    const { ctx, field, pixels, ratio } = this;
    const { grid } = field;
    pixels.begin(map.w, map.h, ctx.scene.k);
    const size = Math.max(1, grid.size * ratio);
    grid.each((x, y, ink) => pixels.cell(x * ratio, y * ratio, size, ink));
    for (const { x, y, kind } of changes) pixels.cell(x * ratio, y * ratio, size, kind === 'del' ? null : { colour: kind, hollow: false });
    pixels.flush();
    this.clusterFrames(changes.map(({ x, y, kind }) => ({ x: map.x + x * ratio, y: map.y + y * ratio, size, kind })));
  }
}
