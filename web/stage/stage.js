// @ts-check
// The main stage: the layout that is explored. Beside what the host draws it has what can be held, the calm view, the maps, and the terms.
// While events stream its parts are painted in turns (painter.js).
import { Calm } from './calm.js';
import { Explain } from './explain.js';
import { Holds } from './holds.js';
import { Host } from './host.js';
import { arrange } from '../layouts/stage.js';
import { Maps } from './maps.js';
import { Motion } from './motion.js';
import { toggleHold } from './pin.js';
import { keepMoment, paintedMoment } from '../wire/moment.js';
import { areEqual } from '../kit/same.js';
import { stations } from '../stations/index.js';
import { Terms } from './terms.js';

/** @typedef {import('../wire/types.js').Frame} Frame */

export class Stage {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    const { scene } = ctx;
    this.motion = ctx.motion = new Motion(ctx, scene.tokens);
    this.host = new Host(ctx, scene.root, this.motion, stations, scene.over);
    /** What the rail depends on. @type {Parameters<typeof arrange>[0]} */
    this.shape = { large: [], more: false, adds: 0, controller: false };
    this.host.lay(arrange(this.shape), scene.scale);
    /** The moment whose words the stage writes. The parts take turns, and all parts of a round show one moment. */
    this.moment = keepMoment(ctx.model, 0);
    /**
     * What each station was painted from last, by its name, and under no name what lies between them. Numbers that are compared with those of
     * another station are painted with that one: what they show stands under the name with `, early` behind it.
     * @type {Map<string, import('../wire/moment.js').Painted>}
     */
    this.painted = new Map();
    this.indexer = /** @type {ReturnType<typeof import('../stations/indexer.js').indexer.full>} */ (this.host.station('indexer').drawn);
    this.listeners = /** @type {ReturnType<typeof import('../stations/listeners.js').listeners.full>} */ (this.host.station('listeners').drawn);
    this.maps = new Maps(ctx, this.host, this.indexer);
    this.calm = new Calm(ctx, app, () => this.host.lit);
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
        if (this.calm.isOn) this.maps.paint(this.moment);
      },
      (clock) => this.bring(clock, 'controller'),
    ];
  }

  /** Begins a round. Members are replaced by what comes and never changed, so what came until now stays as it is. */
  take() {
    this.moment = keepMoment(this.ctx.model, 0);
  }

  /** Brings stations to the state. @param {number} clock @param {...string} ids @private */
  bring(clock, ...ids) {
    const from = paintedMoment(this.ctx, this.moment);
    for (const id of ids) {
      const { drawn } = this.host.station(id);
      drawn.paint(from.lanes[0], clock);
      this.painted.set(id, from);
      if (drawn.compared) this.painted.set(`${id}, early`, from);
    }
  }

  /** Brings the numbers to the state that stations have in common with others. @param {...string} ids @private */
  bringEarly(...ids) {
    const from = paintedMoment(this.ctx, this.moment);
    for (const id of ids) {
      this.host.station(id).drawn.compared?.(from.lanes[0]);
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
    const { large } = this.shape;
    const from = paintedMoment(this.ctx);
    this.host.paintRail(from.lanes);
    this.painted.set('', from);
    this.holds.paint(large);
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
    const { state, facts } = this.ctx.model;
    const shape = {
      large: this.listeners.large(), more: this.listeners.total() > 3, adds: facts.keyListener,
      controller: !!state.workqueue,
    };
    const values = (/** @type {typeof shape} */ { large, more, adds, controller }) => [...large, more, adds, controller];
    if (areEqual(values(shape), values(this.shape))) return;
    if (!areEqual(shape.large, this.shape.large)) this.motion.drop(['fan', 'next']);
    this.shape = shape;
    this.host.layRail(arrange(shape));
  }

  /** Sends what moved in a frame on its way. @param {Frame} frame */
  move(frame) {
    this.host.move(frame);
  }

  /** Paints the cells, which are pixels and need no layout. @param {Frame | null} frame @param {boolean} whole */
  cells(frame, whole) {
    this.indexer.cells(frame, whole);
  }

  /** The size of a unit or the palette changed. */
  resize() {
    const { scene } = this.ctx;
    this.motion.resize(scene.k, scene.scale);
    this.host.resize(scene.scale);
    this.maps.resize();
  }

  /** What is elsewhere than at these stations recedes. @param {string[] | null} ids */
  spotlight(ids) {
    this.host.lit = ids;
    this.calm.open();
    this.motion.dirty = true;
  }

  /** Holds or releases a stage by its number on the keyboard. @param {number} digit */
  toggleHold(digit) {
    const name = /** @type {import('../wire/page-types.js').Stage[]} */ (['store', 'pop', 'deliver', 'take'])[digit - 1];
    if (name) toggleHold(this.ctx, name, name === 'deliver' ? this.shape.large.find(Boolean) : undefined);
  }
}
