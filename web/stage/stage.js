// @ts-check
// The main stage: six stations in their columns, the rail through them, what travels, what can be held, and the selected object's way.
// While events stream its parts are painted in turns (painter.js).
import { s } from '../kit/dom.js';
import { Calm } from './calm.js';
import { Explain } from './explain.js';
import { Holds } from './holds.js';
import { columns, INDEXER_X, lanesY, listenerPoints, RAIL, stage, stageSlot, stationAt, track } from '../layouts/stage.js';
import { Maps } from './maps.js';
import { Motion } from './motion.js';
import { kept, painted } from '../wire/moment.js';
import { Rail } from './stagerail.js';
import { api } from '../stations/api.js';
import { controller } from '../stations/controller.js';
import { indexer } from '../stations/indexer.js';
import { listeners } from '../stations/listeners.js';
import { queue } from '../stations/queue.js';
import { reflector } from '../stations/reflector.js';
import { Terms } from './terms.js';
import { named, router } from './ways.js';

/** @typedef {import('../wire/types.js').Frame} Frame */

/** How strong what a step does not speak of is drawn. */
const faint = 0.4;
/** Below this lie the ways back, which are the controller's. */
const PANELS_END = 532;

export class Stage {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    const { scene } = ctx;
    /** The stations that a story's step is about: the others are dimmed. @type {string[] | null} */
    this.lit = null;
    this.motion = ctx.motion = new Motion(ctx, scene.tokens);
    this.motion.lay(stage.motion, stage.canvases);
    this.motion.strength = (x, y) => (!this.lit || this.lit.includes(y > PANELS_END ? 'controller' : stationAt(x)) ? 1 : faint);
    /** The row of each listener that is drawn large, by its number. @type {Map<number, number>} */
    this.rows = new Map();
    /** @type {Record<string, import('../wire/page-types.js').Point>} */
    this.points = {
      ...stage.points, ...listenerPoints((id) => this.rows.get(id)),
      // The selected object continues to its cell.
      'indexer.cell': (m) => {
        const c = this.indexer.cellAt(m.k ?? '');
        return c && [INDEXER_X, RAIL, INDEXER_X, c.y + c.size / 2, c.x + c.size / 2, c.y + c.size / 2];
      },
    };
    this.rail = new Rail(scene);
    /** The moment whose words the stage writes. The parts take turns, and all parts of a round show one moment. */
    this.moment = kept(ctx.model, 0);
    /**
     * What each station was painted from last, by its name, and under no name what lies between them. Numbers that are compared with those of
     * another station are painted with that one: what they show stands under the name with `, early` behind it.
     * @type {Map<string, import('../wire/moment.js').Painted>}
     */
    this.painted = new Map();
    /** What the stations drew. @type {import('../wire/page-types.js').Drawn[]} */
    this.drawn = [];
    this.api = this.mount('api', api.full);
    this.reflector = this.mount('reflector', reflector.full);
    this.queue = this.mount('queue', queue.full);
    this.indexer = this.mount('indexer', indexer.full);
    this.listeners = this.mount('listeners', listeners.full);
    this.controller = this.mount('controller', controller.full);
    scene.cells.dataset.station = 'indexer';
    this.maps = new Maps(ctx, this.indexer.field, this.indexer.place);
    this.calm = new Calm(ctx, app, () => this.lit);
    this.holds = new Holds(ctx);
    this.explain = new Explain(ctx, app);
    this.terms = new Terms(ctx);
    scene.order();
    /** What is painted in one turn each. @type {((clock: number) => void)[]} */
    this.parts = [
      (clock) => this.paintListeners(clock),
      (clock) => {
        this.bring(clock, 'api', 'reflector');
        // What is compared with them is written with them.
        this.bringEarly('queue', 'indexer', 'controller');
      },
      (clock) => {
        this.bring(clock, 'queue', 'indexer');
        if (this.calm.on) this.maps.paint(this.moment, clock);
      },
      (clock) => {
        this.bring(clock, 'controller');
        this.rail.highlight(ctx.model.state, ctx.selected(), this.indexer.cellAt(ctx.selected()));
      },
    ];
  }

  /**
   * Draws a station in its column.
   * @template {import('../wire/page-types.js').Drawn} D
   * @param {keyof typeof columns} id
   * @param {(slot: import('../wire/page-types.js').Slot, ctx: import('../wire/page-types.js').Ctx) => D} draw
   * @private
   */
  mount(id, draw) {
    const { scene } = this.ctx;
    const head = s('g');
    const g = s('g', { class: 'detail' });
    scene.back.append(head, g);
    const layers = [scene.back, scene.front, scene.over];
    const were = layers.map((l) => l.childElementCount);
    const drawn = draw(stageSlot(id, g, head), this.ctx);
    Object.assign(this.points, named(id, drawn.points));
    this.drawn.push(drawn);
    // The station of each part: a story dims the stations that a step is not about.
    layers.forEach((l, i) => {
      for (const el of [...l.children].slice(i ? were[i] : -2)) /** @type {HTMLElement} */ (el).dataset.station = id;
    });
    return drawn;
  }

  /** Begins a round. Members are replaced by what comes and never changed, so what came until now stays as it is. */
  take() {
    this.moment = kept(this.ctx.model, 0);
  }

  /** Brings stations to the state. @param {number} clock @param {...keyof typeof columns} ids @private */
  bring(clock, ...ids) {
    const from = painted(this.ctx, this.moment);
    for (const id of ids) {
      this[id].paint(this.moment, clock);
      this.painted.set(id, from);
      if ('compared' in this[id]) this.painted.set(`${id}, early`, from);
    }
  }

  /** Brings the numbers to the state that stations have in common with others. @param {...'queue' | 'indexer' | 'controller'} ids @private */
  bringEarly(...ids) {
    const from = painted(this.ctx, this.moment);
    for (const id of ids) {
      this[id].compared?.(this.moment);
      this.painted.set(`${id}, early`, from);
    }
  }

  /** The moment that an element of the stage was painted from. @param {Element} el */
  paintedFrom(el) {
    const id = el.closest('[data-station]')?.getAttribute('data-station') ?? '';
    return this.painted.get(el.closest('[data-early]') ? `${id}, early` : id);
  }

  /** The listeners with what depends on which of them are drawn large. @param {number} clock @private */
  paintListeners(clock) {
    this.seatListeners(clock);
    const large = this.listeners.large();
    this.rail.paint(this.ctx.model, large, this.listeners.total() > 3);
    this.painted.set('', painted(this.ctx));
    this.holds.paint(large);
    this.stand();
    this.explain.paint();
    this.terms.paint(large);
  }

  /**
   * The listeners, and where what travels to each of them goes; what is on its way to where none is any more goes. It is done whichever
   * view shows, as keys hold the listeners that are drawn large.
   * @param {number} clock
   */
  seatListeners(clock) {
    this.bring(clock, 'listeners');
    const large = this.listeners.large();
    const { rows } = this;
    if (large.every((id, i) => (id ? rows.get(id) === i : true)) && large.filter(Boolean).length === rows.size) return;
    rows.clear();
    large.forEach((id, i) => id && rows.set(id, i));
    this.motion.drop(['fan', 'next']);
  }

  /** Sends what moved in a frame on its way. @param {Frame} frame */
  move(frame) {
    if (frame.jump) this.motion.clear();
    else if (frame.lanes?.[0]?.moves?.length) {
      this.motion.add(frame.lanes[0].moves, router(stage.ways, this.points, this.ctx.model.state));
    }
  }

  /** What is held stands before what holds it. @private */
  stand() {
    const { state, facts } = this.ctx.model;
    this.motion.stand(facts.held, router(stage.ways, this.points, state), (h) =>
      h.stage === 'store' ? [track.store, RAIL] : [track.handler - 8, lanesY[this.rows.get(h.listener ?? 0) ?? 0]]);
  }

  /** Paints the cells, which are pixels and need no layout. @param {Frame | null} frame @param {boolean} whole */
  cells(frame, whole) {
    this.indexer.cells(frame, whole);
  }

  /** The size of a unit or the palette changed. */
  resize() {
    const { scene } = this.ctx;
    this.motion.resize(scene.k, scene.scale);
    for (const d of this.drawn) d.resize?.(scene.scale);
    this.maps.resize();
  }

  /** What is elsewhere than at these stations recedes. @param {string[] | null} ids */
  spotlight(ids) {
    this.lit = ids;
    this.calm.open();
    this.motion.dirty = true;
  }

  /** Holds or releases a stage by its number on the keyboard. @param {number} digit */
  toggleHold(digit) {
    const name = /** @type {import('../wire/page-types.js').Stage[]} */ (['store', 'pop', 'deliver', 'take'])[digit - 1];
    if (name) this.holds.toggle(name, name === 'deliver' ? this.listeners.large().find(Boolean) : undefined);
  }
}
