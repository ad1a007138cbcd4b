// @ts-check
// The page's copy of what the worker said: the folded state of the first lane, its cells, and the timeline. Members are
// replaced as frames bring them; nothing is worked out here that the fold has not.

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').Frame} Frame */
/** @typedef {import('./types.js').Cell} Cell */

/** The state before anything is known. @returns {State} */
export function emptyState() {
  return {
    source: { kind: '' },
    era: '1.37',
    resource: { group: '', version: 'v1', resource: 'pods', namespace: '' },
    api: { resourceVersion: '', objects: -1, writes: 0, writesPerSecond: 0, requests: [], wire: [] },
    reflector: {
      phase: 'idle', resourceVersion: '', lists: 0, watches: 0, relists: 0, events: 0, bookmarks: 0, dropped: 0, bytes: 0, lastRequest: '', verb: '',
      requestMillis: 0, timeoutSeconds: 0, lastError: '', lastErrorMillis: 0, why: '', backoffMillis: 0, backoffSince: 0, backoffCause: '', backoffThen: '', backoffs: [],
      tempStore: 0, unavailable: false,
    },
    queue: {
      kind: 'RealFIFO', depth: 0, maxDepth: 0, synced: false, locked: false, closed: false, initialPopulation: 0, items: [], batch: [], batchSize: 0,
      lastBatch: [], lastBatchSize: 0, mix: {}, pops: 0, merges: 0,
    },
    indexer: { count: 0, resourceVersion: '', indices: {}, replaces: 0 },
    listeners: [],
    workqueue: null,
    holds: [],
    faults: [],
  };
}

/** The view before anything is known. @returns {View} */
export function emptyView() {
  return { mode: 'live', speed: 1, seq: 0, atMillis: 0, behind: 0, behindMillis: 0, first: 0, head: 0, headMillis: 0, mergedTokens: 0, shownTokens: 0 };
}

/** How many bins and marks are kept, as core/view keeps them. */
const maxBins = 16384;
const maxMarks = 4096;

/** Lists that Go may send as null are empty lists here. @param {any} member @param {string[]} names */
function lists(member, names) {
  for (const n of names) if (member[n] === null || member[n] === undefined) member[n] = [];
}

export class Model {
  constructor() {
    this.state = emptyState();
    this.view = emptyView();
    /** When the last frame was painted, on the page's clock. */
    this.frameAt = 0;
    /** True once a frame has arrived. */
    this.any = false;
    this.lanes = 1;
    /** The eras of the lanes, when there are two. @type {string[]} */
    this.eras = [];
    /** @type {{index: string, list: [string, number][]}} */
    this.groups = { index: '', list: [] };
    /** @type {Map<number, Cell>} */
    this.cells = new Map();
    /** Slots whose cell came, changed or went with the last frame. @type {Set<number>} */
    this.touched = new Set();
    /** Cells that went with the last frame. @type {Cell[]} */
    this.gone = [];
    this.cellsReset = false;
    this.groupsChanged = false;
    /** Whether the last frame tells of more than how far the log has come. */
    this.told = false;
    this.binMillis = 250;
    /** Events of each bin from number binFrom on; the newest `maxBins`, as the worker keeps. @type {number[]} */
    this.bins = [];
    this.binFrom = 0;
    /** Where the log that can still be shown begins. */
    this.firstMillis = 0;
    /** Counts the logs that were followed: another one means that nothing known of the last one holds. */
    this.epoch = 0;
    this.binsVersion = 0;
    /** @type {import('./types.js').Mark[]} */
    this.marks = [];
    /** Depth of the queue at moments that were seen, for its curve. @type {{at: number, depth: number}[]} */
    this.depths = [];
  }

  /** @param {Frame} frame @param {number} clock the page's clock, in ms */
  apply(frame, clock) {
    const before = this.view;
    this.view = { ...this.view, ...frame.view };
    this.frameAt = clock;
    // Until the log has its first event there is nothing to show.
    if (this.view.head > 0) this.any = true;
    this.touched.clear();
    this.gone.length = 0;
    this.cellsReset = false;
    this.groupsChanged = false;
    this.lanes = Math.max(1, frame.lanes?.length ?? 1);
    this.told = !!frame.jump || !!frame.lanes?.some((l) => l.cells || l.groups || l.moves?.length || Object.keys(l.state ?? {}).length > 0);
    const lane = frame.lanes?.[0];
    if (lane?.state) {
      const st = /** @type {any} */ (lane.state);
      if (st.api) lists(st.api, ['requests', 'wire']);
      if (st.reflector) lists(st.reflector, ['backoffs']);
      if (st.queue) {
        lists(st.queue, ['items', 'batch', 'lastBatch']);
        st.queue.mix ??= {};
      }
      if (st.indexer) st.indexer.indices ??= {};
      if ('listeners' in st) {
        st.listeners ??= [];
        for (const l of st.listeners) lists(l, ['capacities']);
      }
      if (st.workqueue) lists(st.workqueue, ['workers', 'queue', 'processing', 'waiting']);
      if ('holds' in st) st.holds ??= [];
      if ('faults' in st) st.faults ??= [];
      Object.assign(this.state, st);
    }
    if (lane?.groups) {
      this.groups = { index: lane.groups.index, list: lane.groups.list ?? [] };
      this.groupsChanged = true;
    }
    if (lane?.cells) this.applyCells(lane.cells);
    if (frame.timeline) this.applyTimeline(frame.timeline);
    if (frame.timeline?.reset || this.view.headMillis < before.headMillis - 1) this.depths.length = 0;
    this.noteDepth();
  }

  /** @param {NonNullable<import('./types.js').LaneFrame['cells']>} cells @private */
  applyCells(cells) {
    if (cells.reset) {
      this.cells.clear();
      this.cellsReset = true;
    }
    for (const slot of cells.del ?? []) {
      const c = this.cells.get(slot);
      if (!c) continue;
      this.gone.push(c);
      this.cells.delete(slot);
    }
    for (const [slot, key, group, at, op, phase] of cells.set ?? []) {
      const c = this.cells.get(slot);
      if (c && c.group === group) {
        c.key = key;
        c.at = at;
        c.op = op;
        c.phase = phase;
      } else {
        if (c) this.gone.push(c);
        this.cells.set(slot, { slot, key, group, at, op, phase, pos: -1, step: -1 });
      }
      this.touched.add(slot);
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

  /** @private */
  noteDepth() {
    const at = this.view.atMillis;
    const d = this.depths;
    while (d.length && d[d.length - 1].at > at) d.pop();
    const last = d[d.length - 1];
    if (last && at - last.at < 100) last.depth = Math.max(last.depth, this.state.queue.depth);
    else d.push({ at, depth: this.state.queue.depth });
    while (d.length && d[0].at < at - 31e3) d.shift();
  }

  /**
   * The moment on the log's clock that the page shows now. Between frames it runs on at the view's speed, for countdowns.
   * @param {number} clock
   */
  now(clock) {
    const v = this.view;
    // A recording has an end; what is live runs on.
    if (!this.any || !v.head || v.mode === 'paused' || (v.mode === 'live' && this.state.source.kind === 'file')) return v.atMillis;
    const run = Math.min(clock - this.frameAt, 60e3) * (v.mode === 'live' ? 1 : v.speed);
    return v.atMillis + Math.max(0, run);
  }

  /** @param {string} stage @param {number} [listener] */
  hold(stage, listener) {
    return this.state.holds.find((x) => x.stage === stage && (x.listener ?? 0) === (listener ?? 0));
  }

  /** @param {string} name */
  fault(name) {
    return this.state.faults.find((f) => f.name === name);
  }

  /** Where the stage is broken: the words of the trouble, or empty. */
  trouble() {
    const r = this.state.reflector;
    if (this.state.source.trouble) return this.state.source.trouble;
    return r.phase === 'backoff' ? r.backoffCause || r.lastError : '';
  }

  /** True when the cluster does not answer: nothing can be asked of it now. */
  down() {
    const r = this.state.reflector;
    if (this.state.source.trouble) return true;
    return r.phase === 'backoff' && /refused|reset by peer|no such host|unreachable|dial |i\/o timeout|network is|broken pipe|x509|relay|websocket/i.test(r.backoffCause || r.lastError);
  }

  /** How long the store has had no news, in ms, or 0 while it has. @param {number} now */
  stale(now) {
    const r = this.state.reflector;
    if (r.phase !== 'backoff') return 0;
    let before = 0;
    for (let i = 0; i < r.backoffs.length - 1; i++) before += r.backoffs[i];
    return Math.max(0, now - (r.backoffSince - before));
  }
}
