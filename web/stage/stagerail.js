// @ts-check
// The rail of the main stage: the one straight line, its source, its nodes, its forks to the listeners, the ways back, and the selected
// object's way along all of it.
import { attr, s, show } from '../kit/dom.js';
import * as rails from '../draw/rail.js';
import { FORK_X, INDEXER_X, lanesY, RAIL, REFLECTOR_X, track, waysBack } from '../layouts/stage.js';

/** The class of a stretch behind a stage. @param {boolean} held */
const starved = (held) => (held ? 'rail starve' : 'rail');

export class Rail {
  /** @param {import('./scene.js').Scene} scene */
  constructor(scene) {
    const g = scene.rails;
    /** @param {string} d @param {string} cls */
    const path = (d, cls) => {
      const p = s('path', { d, class: cls });
      g.append(p);
      return p;
    };
    const along = (/** @type {number} */ from, /** @type {number} */ to) => path(`M${from} ${RAIL}H${to}`, 'rail');
    this.read = rails.wayBack(waysBack.read, 4);
    this.write = rails.wayBack(waysBack.write, 4);
    g.append(this.read, this.write);
    this.wire = along(track.begin, track.store);
    this.store = along(track.store, track.pop);
    this.pop = along(track.pop, FORK_X);
    this.drop = path('', 'rail');
    this.fan = lanesY.map(() => path('', 'rail'));
    this.next = lanesY.map((y) => path(`M${track.ring} ${y}H${track.handler}`, 'rail'));
    this.key = along(track.leaves, track.take);
    this.take = along(track.take, track.workers);
    this.come = s('path', { class: 'hl1', d: '' });
    this.ahead = s('path', { class: 'hl2', d: '' });
    g.append(s('g', { class: 'hl' }, this.come, this.ahead));
    path(`M434 164V196M${REFLECTOR_X} 161V196`, 'stem');
    this.stemIndexer = path(`M${INDEXER_X} 161V196`, 'stem');
    this.source = path(`M${track.source} ${RAIL - 7}V${RAIL + 7}`, 'srcbar');
    this.cut = rails.cut([track.cut, RAIL], false);
    this.reflector = rails.node([REFLECTOR_X, RAIL], 9);
    g.append(this.cut, this.reflector, rails.node([INDEXER_X, RAIL], 9));
    this.forks = lanesY.slice(0, 2).map((y) => {
      const fork = s('circle', { cx: FORK_X, cy: y, r: 4, class: 'fork' });
      g.append(fork);
      return fork;
    });
  }

  /**
   * @param {import('../wire/model.js').Model} model
   * @param {number[]} large the listeners that are drawn large, 0 where one was removed
   * @param {boolean} more others stand below as rows
   */
  paint(model, large, more) {
    const down = model.down();
    const waits = model.state.reflector.phase === 'backoff';
    const heldPop = !!model.hold('pop');
    // What comes to the cut ends there; behind it the rail is whole.
    attr(this.wire, 'class', down ? 'rail dead' : 'rail');
    attr(this.wire, 'd', `M${track.begin} ${RAIL}H${down ? track.cut : track.store}`);
    attr(this.store, 'd', `M${down ? track.cut : track.store} ${RAIL}H${track.pop}`);
    show(this.cut, down);
    attr(this.source, 'class', down ? 'srcbar dead' : 'srcbar');
    const [node, dot] = this.reflector.children;
    attr(node, 'class', waits ? 'node wn' : 'node');
    attr(dot, 'class', waits ? 'nodedot wn' : 'nodedot');
    attr(this.store, 'class', starved(!!model.hold('store')));
    attr(this.pop, 'class', starved(heldPop));
    this.paintForks(large, more, heldPop);
    large.forEach((id, i) => {
      const held = !!model.hold('deliver', id) || !!model.hold('deliver');
      const ring = model.state.listeners.find((l) => l.id === id);
      attr(this.next[i], 'class', starved(held || (heldPop && !ring?.pending)));
    });
    const { workqueue } = model.state;
    show(this.key, !!workqueue);
    // The first listener is the one that adds keys.
    attr(this.key, 'class', starved(large[0] !== 1));
    show(this.take, !!workqueue);
    attr(this.take, 'class', starved(!!model.hold('take')));
    show(this.read, !!workqueue);
    show(this.write, !!workqueue?.writing);
  }

  /** From the fork to each listener. @param {number[]} large @param {boolean} more @param {boolean} held @private */
  paintForks(large, more, held) {
    const [, second, third] = lanesY;
    const n = large.length;
    show(this.drop, n > 1);
    const [low, end] = n > 2 ? [third, FORK_X + 8] : more ? [track.more, FORK_X + 10] : [second, FORK_X + 8];
    attr(this.drop, 'd', rails.path([FORK_X, RAIL, FORK_X, low, end, low], 8));
    attr(this.drop, 'class', starved(held));
    this.fan.forEach((way, i) => {
      show(way, !!large[i] || (i === 0 && !n));
      show(this.next[i], !!large[i]);
      attr(way, 'class', starved(held));
      // The last of them goes on where the drop has turned.
      const from = i === 2 || (i === 1 && n <= 2 && !more) ? FORK_X + 8 : FORK_X;
      attr(way, 'd', `M${from} ${lanesY[i]}H${i || n ? track.enters : FORK_X + 10}`);
    });
    show(this.forks[0], n > 0);
    show(this.forks[1], more || (n > 2 && !!large[1]));
  }

  /**
   * The way of the selected object: as far as it has come, and what lies ahead of it.
   * @param {import('../wire/types.js').State} state
   * @param {string} key
   * @param {{x: number, y: number, size: number} | null | undefined} cell where it is in the store
   */
  highlight(state, key, cell) {
    const { workqueue } = state;
    const end = workqueue ? track.workers + 1 : track.handler;
    const to = key ? reached(state, key, !!cell, end) : 0;
    const hang = cell && to >= INDEXER_X - 0.5;
    const middle = hang && [cell.x + cell.size / 2, cell.y + cell.size / 2].map((n) => n.toFixed(1));
    attr(this.stemIndexer, 'opacity', hang ? 0 : null);
    attr(this.come, 'd', to ? `M${track.begin} ${RAIL}H${to}${middle ? `M${INDEXER_X} 161V${middle[1]}H${middle[0]}` : ''}` : '');
    const on = workqueue ? `M${track.leaves} ${RAIL}H${end}` : '';
    const rest = to < track.handler ? `M${to} ${RAIL}H${track.enters}M${track.ring} ${RAIL}H${track.handler}${on}` : on;
    attr(this.ahead, 'd', to && to < end ? rest : '');
  }
}

/**
 * How far along the rail an object has come; 0 where it is nowhere.
 * @param {import('../wire/types.js').State} state
 * @param {string} key
 * @param {boolean} stored
 * @param {number} end where its last station is
 */
function reached({ queue, listeners, workqueue }, key, stored, end) {
  if (queue.batch.some((it) => it.key === key)) return track.taken;
  if (queue.items.some((it) => it.key === key)) return track.waits;
  if (workqueue && (workqueue.queue.includes(key) || workqueue.processing.some((p) => p.key === key))) return end;
  if (listeners.some((l) => l.handling?.key === key)) return track.handler;
  return stored ? INDEXER_X - 0.5 : 0;
}
