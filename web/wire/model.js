// @ts-check
// The page's copy of the worker's state: the folded state of each lane, the cells of the first lane, and the timeline. Frames replace its
// members, and bring the facts about them. No history is kept here, and nothing is computed.
import { releases, standard } from '../kit/commands.js';
import { History } from './past.js';

/** @import { Facts, Frame, State, View } from './types.js' */

/** The oldest release and the standard one, as they are selected to stand side by side. */
export const bothEras = `${releases[releases.length - 1].era},${standard}`;

/** The state before anything is known. @returns {State} */
function emptyState() {
  return {
    source: { kind: '' },
    era: standard,
    resource: { group: '', version: 'v1', resource: 'pods', namespace: '' },
    api: { resourceVersion: '', objects: -1, writes: 0, writesPerSecond: 0, requests: [], wire: [], refused: 0 },
    world: { known: '', objects: 0, unsent: 0, apart: 0, apartObjects: 0, watched: false },
    reflector: {
      phase: 'idle', resourceVersion: '', lists: 0, watches: 0, relists: 0, events: 0, bookmarks: 0, dropped: 0, bytes: 0,
      lastRequest: '', verb: '', requestMillis: 0, timeoutSeconds: 0, lastError: '', lastErrorMillis: 0, why: '',
      backoffMillis: 0, backoffSince: 0, backoffCause: '', backoffThen: '', backoffs: [],
      tempStore: 0, resyncs: 0, unavailable: false,
    },
    queue: {
      kind: 'RealFIFO', depth: 0, waiting: 0, synced: false, locked: false, closed: false, initialPopulation: 0,
      items: [], batch: [], batchSize: 0, lastBatchSize: 0, mix: {}, pops: 0, runPops: 0,
    },
    indexer: { count: 0, bytes: 0, cameBytes: 0, transform: '', resourceVersion: '', indices: {}, indexSizes: {}, replaces: 0, reborn: 0, mutated: 0,
      mutations: [], strayCount: 0, strays: [] },
    listeners: [],
    workqueue: null,
    holds: [],
    faults: [],
    fidelity: {},
  };
}

/** Where an object is: the bits of a cell's places, as docs/dev/protocol.md has them. */
export const places = { cluster: 1, store: 2, apart: 4, unsent: 8, reduced: 16 };

/** The facts before anything is known. @returns {Facts} */
function emptyFacts() {
  return {
    sure: true, trouble: { down: false }, deltas: 0, ahead: 0, lastRun: null, focus: ['indexer', 'listeners'],
    features: {
      keepsOrder: true, popsBatches: true, listsByWatch: true, atomic: true, unlocks: true, contexts: true, resets: true, repeatsKeys: false,
      decodesAhead: false,
    },
    sentence: { id: '' }, headline: { id: 'start' },
  };
}

/** The view before anything is known. @returns {View} */
function emptyView() {
  return {
    mode: 'live', speed: 1, seq: 0, atMillis: 0, event: null, behind: 0, behindMillis: 0, first: 0, head: 0, headMillis: 0,
    memory: { live: 0, total: 0, limit: 0 },
  };
}

/** How many bins and marks are kept, as core/page/view keeps them. */
const maxBins = 16384;
const maxMarks = 4096;

/** Replaces the null that Go may send for an empty list. @param {any} member @param {string[]} names of its lists */
function replaceNulls(member, names) {
  for (const n of names) if (member[n] === null || member[n] === undefined) member[n] = [];
}

/** A frame's part of a State, without the nulls that Go writes for empty lists. @param {any} st */
function fillLists(st) {
  if (st.api) replaceNulls(st.api, ['requests', 'wire']);
  if (st.reflector) replaceNulls(st.reflector, ['backoffs']);
  if (st.queue) {
    replaceNulls(st.queue, ['items', 'batch']);
    st.queue.mix ??= {};
  }
  if (st.indexer) st.indexer.indices ??= {};
  if ('listeners' in st) {
    st.listeners ??= [];
    for (const l of st.listeners) replaceNulls(l, ['capacities']);
  }
  if (st.workqueue) replaceNulls(st.workqueue, ['workers', 'queue', 'processing', 'waiting']);
  if ('holds' in st) st.holds ??= [];
  if ('faults' in st) st.faults ??= [];
  return st;
}

/** Whether a frame has more than the length of the log. @param {Frame} frame */
export function bringsNews(frame) {
  const says = (/** @type {object | undefined} */ o) => Object.keys(o ?? {}).length > 0;
  return !!frame.jump || frame.story !== undefined || !!frame.lanes?.some((l) => l.cells || says(l.state) || says(l.facts));
}

export class Model {
  constructor() {
    this.state = emptyState();
    /** What is true of the first lane beside its state. */
    this.facts = emptyFacts();
    this.view = emptyView();
    /** When the last frame was painted, on the page's clock. */
    this.frameAt = 0;
    /** True once a frame has arrived. */
    this.any = false;
    this.lanes = 1;
    /** The lanes beside the first, which have no cells. @type {{state: State, facts: Facts}[]} */
    this.others = [];
    /** How the two lanes of a fork differ, as it came; null without a fork. @type {import('./types.js').Fork | null} */
    this.fork = null;
    /** What several informers show together, as it came; null while there is one, or one in two releases. @type {import('./types.js').Factory | null} */
    this.factory = null;
    /** The releases of the lanes, when there are two. @type {string[]} */
    this.eras = [];
    /**
     * The objects of the cluster and of the store, by slot. `touched` are the slots that changed since somebody emptied it; `fresh`: all did, and nothing
     * of it happened just now.
     * @type {{cells: Map<number, import('./page-types.js').WorldCell>, touched: Set<number>, fresh: boolean}}
     */
    this.worlds = { cells: new Map(), touched: new Set(), fresh: true };
    /** The letters of a story's objects, by key. @type {Record<string, string>} */
    this.letters = {};
    /** Whether a story lets time stand. */
    this.stands = false;
    /** The ratio of the log's time to the page's at the log's end: a story may let time run faster, or slower. */
    this.pace = 1;
    /** Whether the last frame has more than the length of the log. */
    this.hasNews = false;
    this.binMillis = 250;
    /** Events of each bin from number binFrom on; the newest `maxBins`, as the worker keeps. @type {number[]} */
    this.bins = [];
    this.binFrom = 0;
    /** Where the log that can still be shown begins. */
    this.firstMillis = 0;
    /** Counts the logs that were followed: with another one, nothing known of the last one holds. */
    this.epoch = 0;
    this.binsVersion = 0;
    /** @type {import('./types.js').Mark[]} */
    this.marks = [];
    /** What the rows of the stage have been. */
    this.past = new History();
    /** Why what the address asks for could not be begun, while there is no log yet. */
    this.unbegun = '';
    /** Why the worker has stopped sending: it ended, or has not answered for a while. @type {'' | 'ended' | 'mute'} */
    this.lost = '';
    /** In the page of a follower: whether the speaker's actions have stopped arriving. */
    this.unheard = false;
  }

  /** @param {Frame} frame @param {number} clock the page's clock, in ms */
  apply(frame, clock) {
    this.view = { ...this.view, ...frame.view };
    this.frameAt = clock;
    if (frame.story !== undefined) {
      this.letters = frame.story?.letters ?? {};
      this.stands = !!frame.story?.stands;
      this.pace = frame.story?.pace || 1;
    }
    // Until the log has its first event there is nothing to show.
    if (this.view.head > 0) this.any = true;
    this.lanes = Math.max(1, frame.lanes?.length ?? 1);
    this.hasNews = bringsNews(frame);
    if (frame.fork !== undefined) this.fork = frame.fork;
    if (frame.factory !== undefined) this.factory = frame.factory;
    while (this.others.length < this.lanes - 1) this.others.push({ state: emptyState(), facts: emptyFacts() });
    frame.lanes?.forEach((lane, i) => {
      const kept = i ? this.others[i - 1] : this;
      if (lane.state) Object.assign(kept.state, fillLists(lane.state));
      if (lane.facts) Object.assign(kept.facts, lane.facts);
    });
    this.eras = this.lanes > 1 && !this.fork ? frame.lanes.map((_, i) => this.lane(i).state.era) : [];
    if (this.factory && this.factory.factories.length > 1) this.eras = this.factory.factories.map((f) => f.era);
    if (frame.jump) this.worlds.fresh = true;
    const lane = frame.lanes?.[0];
    if (lane?.cells) this.applyCells(lane.cells);
    if (frame.timeline) this.applyTimeline(frame.timeline);
    if (frame.past) this.past.apply(frame.past);
  }

  /** What is selected to see two releases side by side, or one again. */
  otherEras() {
    return this.eras.length > 1 ? standard : bothEras;
  }

  /**
   * What is known of a lane. Of a factory only the informer that shows has a State, whatever its lane.
   * @param {number} i @returns {Omit<import('./page-types.js').Lane, 'now'>}
   */
  lane(i) {
    const { state, facts } = this.others[i - 1] ?? this;
    return { state, facts, view: this.view };
  }

  /** @param {NonNullable<import('./types.js').LaneFrame['cells']>} cells @private */
  applyCells(cells) {
    const { worlds } = this;
    if (cells.reset) {
      worlds.cells.clear();
      worlds.fresh = true;
    }
    for (const slot of cells.del ?? []) {
      worlds.cells.delete(slot);
      worlds.touched.add(slot);
    }
    for (const [slot, key, at, where, written, clusterRV, storeRV] of cells.set ?? []) {
      worlds.cells.set(slot, { slot, key, places: where, written, at, clusterRV, storeRV });
      worlds.touched.add(slot);
    }
  }

  /** @param {NonNullable<Frame['timeline']>} tl @private */
  applyTimeline(tl) {
    if (tl.reset) {
      this.bins = [];
      this.binFrom = 0;
      this.marks = [];
      this.epoch++;
    }
    if (tl.binMillis) this.binMillis = tl.binMillis;
    this.firstMillis = tl.firstMillis ?? this.firstMillis;
    for (const [i, n] of tl.bins ?? []) this.setBin(i, n);
    for (const m of tl.marks ?? []) this.marks.push(m);
    // What the log has forgotten cannot be gone to.
    const first = this.view.first;
    let old = Math.max(0, this.marks.length - maxMarks);
    while (old < this.marks.length && this.marks[old].seq < first) old++;
    if (old) this.marks.splice(0, old);
    if (tl.reset || tl.bins?.length || tl.marks?.length || old) this.binsVersion++;
  }

  /** @param {number} i @param {number} n @private */
  setBin(i, n) {
    const b = this.bins;
    if (!b.length || i - this.binFrom >= 2 * maxBins) {
      this.binFrom = i;
      b.length = 0;
    }
    if (i < this.binFrom) return;
    while (b.length <= i - this.binFrom) b.push(0);
    b[i - this.binFrom] = n;
    const over = b.length - maxBins;
    if (over > 0) {
      b.splice(0, over);
      this.binFrom += over;
    }
  }

  /** How fast the log's clock runs on the page, as a share of real time; 0 while it stands. */
  get speed() {
    const v = this.view;
    if (!this.any || !v.head || this.stands || v.mode === 'paused') return 0;
    if (v.mode === 'playing') return v.speed;
    // A recording has an end; what is live runs on.
    return this.state.source.kind === 'file' ? 0 : this.pace;
  }

  /** The format of the log's clock: while time runs, thousandths cannot be read. */
  get clockFormat() {
    return this.speed >= 1 ? 'moment' : 'clock';
  }

  /**
   * The moment on the log's clock that the page shows now. Between frames it runs on at the view's speed, for countdowns.
   * @param {number} clock
   */
  momentAt(clock) {
    const { view: v, speed } = this;
    if (!speed) return v.atMillis;
    const now = v.atMillis + Math.max(0, Math.min(clock - this.frameAt, 60e3) * speed);
    // Playing stops at the log's newest event.
    return v.mode === 'live' ? now : Math.min(now, Math.max(v.headMillis, v.atMillis));
  }

  /** Whether the objects are those of a simulated cluster, here or where it is broadcast from. */
  isSimulated() {
    const { kind, context } = this.state.source;
    return kind === 'sim' || (kind === 'broadcast' && !context);
  }

  /** Whether the page may change the cluster: its own simulated one, or the one that it shares with the server's terminals. */
  changeable() {
    const { kind, simulated } = this.state.source;
    return kind === 'sim' || !!simulated;
  }

  /** @param {string} stage @param {number} [listener] */
  hold(stage, listener) {
    // In a fork one lane alone can be held.
    const all = this.fork ? [...this.state.holds, ...this.others[0].state.holds] : this.state.holds;
    return all.find((x) => x.stage === stage && (x.listener ?? 0) === (listener ?? 0));
  }

  /** @param {string} name */
  fault(name) {
    return this.state.faults.find((f) => f.name === name);
  }

  /** True when the cluster does not answer. */
  isDown() {
    return this.facts.trouble.down;
  }

  /**
   * Whether news would arrive if there were any, so that the page may call the newest version current. False while anything is in the way
   * between the store and its cluster, or between the worker and the page.
   * @param {Facts} [facts] of the lane, where it is not the first
   */
  isSure(facts = this.facts) {
    return facts.sure && !this.lost && !this.unheard;
  }
}
