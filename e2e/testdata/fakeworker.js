// @ts-check
// A worker in place of the page's own, which says what a test has it say: states that a real informer comes to seldom, or only on a cluster
// that is broken in one way. It answers calls from a table and sends frames as docs/dev/protocol.md has them.
'use strict';

/** @type {any} */ (globalThis).fake = (() => {
  const Real = Worker;
  const store = {
    count: 0, bytes: 0, cameBytes: 0, transform: '', resourceVersion: '', indices: {}, indexSizes: {}, replaces: 0, reborn: 0, mutated: 0, mutations: [],
    strayCount: 0, strays: [],
  };
  const base = () => ({
    source: { kind: 'live', context: 'kind-kind' }, era: '1.37', resource: { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespace: '' },
    api: { resourceVersion: '5355', objects: -1, writes: 0, writesPerSecond: 0, requests: [], wire: [] },
    reflector: {
      phase: 'watching', resourceVersion: '5355', lists: 0, watches: 1, relists: 0, events: 3, bookmarks: 1, dropped: 0, bytes: 1e4,
      lastRequest: '/api/v1/pods?watch=true&timeoutSeconds=400', verb: 'WATCHLIST',
      requestMillis: 100, timeoutSeconds: 400, lastError: '', lastErrorMillis: 0, why: 'first list', backoffMillis: 0, backoffSince: 0, backoffCause: '',
      backoffThen: '', backoffs: [], tempStore: 0, unavailable: false,
    },
    queue: { kind: 'RealFIFO', depth: 0, maxDepth: 3, synced: true, locked: false, closed: false, initialPopulation: 0, items: [], batch: [], batchSize: 0,
      lastBatch: [], lastBatchSize: 0, run: [], runPops: 0, mix: {}, pops: 3, merges: 0 },
    indexer: { ...store, count: 3, resourceVersion: '5355', indices: { namespace: { default: 3 } }, indexSizes: { namespace: 1 }, replaces: 1 },
    listeners: [{ id: 1, name: 'printer', pending: 0, ring: 0, capacity: 1024, capacities: [], waiting: false, distributed: 3, delivered: 3, handled: 3,
      panics: 0, handling: null, handlingSince: 0, meanMicros: 20, paceMillis: 0, resyncMillis: 0, syncing: false, synced: true, removed: false,
      mutations: 0, met: 0, metOld: 0, lastMet: null }],
    workqueue: {
      workers: [{ id: 1, sinceMillis: 0 }, { id: 2, sinceMillis: 0 }], depth: 0, queue: [], processing: [], dirtyCount: 0, reAdded: 0, waitingCount: 0,
      waiting: [], retries: 0, reconciles: 3, failures: 0, dirty: [],
      lastRead: { key: 'default/a', rv: '5355', latest: '5355', behind: 0, atMillis: 900 }, writing: false, writes: 0, conflicts: 0, writeFails: 0,
      shuttingDown: false,
    },
    holds: [], faults: [],
  });
  /** What a state is before its first list. */
  const before = () => ({
    api: { resourceVersion: '', objects: -1, writes: 0, writesPerSecond: 0, requests: [], wire: [] },
    reflector: { ...base().reflector, phase: 'idle', resourceVersion: '', lists: 0, watches: 0, events: 0, bookmarks: 0, lastRequest: '', verb: '',
      timeoutSeconds: 0, bytes: 0 },
    queue: { ...base().queue, synced: false, pops: 0, maxDepth: 0 }, indexer: { ...store, indexSizes: { namespace: 0 } },
  });

  /** Causes that lie before the cluster, and those that are an answer; see core/page/view. */
  const beforeIt = new Set(['relay-gone', 'relay-silent', 'proxy', 'credentials', 'exec-plugin', 'exec-waiting', 'token', 'viewers']);
  const said = new Set(['unauthorized', 'forbidden', 'namespace-missing', 'not-served', 'kubeconfig', 'context', 'context-not-served']);
  /** What is true of a state beside it, as core/page/view has it; what a test wants to be true comes with `o.facts`. */
  const facts = (/** @type {any} */ st, /** @type {any} */ told) => {
    const { source, reflector: r, queue } = st;
    const waits = r.phase === 'backoff';
    const wrong = source.cause || (source.trouble ? 'other' : '');
    const cause = wrong || (waits && /refused/.test(r.backoffCause) ? 'refused' : waits && /dial|reset/.test(r.backoffCause) ? 'reset' : '');
    return {
      sure: !wrong && !waits, upToDate: !wrong && !waits && !queue.depth, growing: 0, wireMicros: null, unlisted: !r.resourceVersion && !queue.synced,
      staleSince: waits && r.resourceVersion ? r.backoffSince : 0,
      trouble: { cause, down: !!cause, answer: beforeIt.has(cause) ? 'unreached' : said.has(cause) ? cause : cause ? 'none' : '' },
      fresh: [4e3, 12e3, 26e3, 60e3], nextBatch: 0, nextRequest: null,
      depths: { fromMillis: 0, stepMillis: 400, max: [0] }, listener: st.listeners[0]?.id ?? 0,
      listeners: st.listeners.map((/** @type {any} */ l) => ({ id: l.id, in: 0, out: 0, slow: false })), writesPerSecond: st.api.writesPerSecond,
      versions: { queued: 0, behind: 0, total: 0 },
      lag: { queued: 0, behind: 0, total: 0 },
      sentence: wrong ? { id: '' } : waits ? { id: 'backoff', why: r.backoffCause, until: r.backoffSince + r.backoffMillis }
        : { id: r.resourceVersion ? 'idle' : 'start' },
      ...told,
    };
  };

  /** @type {any} */
  let state = base();
  let view = { mode: 'live', speed: 1, seq: 40, atMillis: 1000, behind: 0, behindMillis: 0, first: 1, head: 40, headMillis: 1000, mergedTokens: 0,
    shownTokens: 0 };
  /** @type {any[]} */
  const calls = [];
  /** @type {any[]} */
  const frames = [];
  /** @type {any} */
  let worker = null;
  let wants = false;

  /** @type {Record<string, any>} */
  const answers = {
    state: () => ({ seq: view.seq, live: view.mode === 'live', ...state, facts: facts(state, {}), view }),
    select: (/** @type {any} */ o) => ({ source: state.source.kind, context: state.source.context, ...state.resource, ...o }),
    sources: { sim: true, live: { contexts: [], current: '', selected: '', error: '' } },
    resources: [{ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }], namespaces: { items: ['default'], error: '', reason: '' },
    follow: true, checkStory: true, story: { seed: 1, objects: 0, rate: 0, from: 0, do: '' }, object: { error: 'no such object' }, pause: true, play: true,
    live: true, seek: true,
  };

  function flush() {
    if (!worker || !wants || !frames.length) return;
    wants = false;
    const bytes = new TextEncoder().encode(JSON.stringify(frames.shift()));
    worker.onmessage?.({ data: { frame: bytes.buffer } });
  }

  globalThis.Worker = /** @type {any} */ (class {
    constructor() {
      worker = this;
      /** @type {any} */ (this).onmessage = null;
    }

    postMessage(/** @type {any} */ m) {
      if (m.init) {
        setTimeout(() => /** @type {any} */ (this).onmessage({ data: { ready: true, version: 'test' } }));
        return;
      }
      if (m.want) {
        wants = true;
        setTimeout(flush);
        return;
      }
      if (!m.call) return; // a program, which this worker does not need, or an eye: its stations wait for nothing
      if (m.call !== 'checkStory' && m.call !== 'state') calls.push([m.call, ...m.args]);
      const a = answers[m.call];
      const answer = async () => {
        const v = typeof a === 'function' ? await a(...m.args) : a;
        return v?.error && Object.keys(v).length === 1 ? { id: m.id, error: v.error } : { id: m.id, result: v ?? null };
      };
      answer().catch((e) => ({ id: m.id, error: String(e.message ?? e) })).then((data) => /** @type {any} */ (this).onmessage({ data }));
    }

    addEventListener() {}
    terminate() {}
  });

  const merge = (/** @type {any} */ a, /** @type {any} */ b) => {
    const out = { ...a };
    for (const k in b) out[k] = b[k] && typeof b[k] === 'object' && !Array.isArray(b[k]) && out[k] && typeof out[k] === 'object' ? merge(out[k], b[k]) : b[k];
    return out;
  };

  return {
    Real, base, before, answers, calls,
    get state() { return state; },
    /**
     * A frame of the state changed by `change`; `o`: view, timeline, jump, lanes, `moves`, and `only` the members of the state that it
     * carries; `firstMillis` is what the log has forgotten. Resolves when the page has painted it.
     */
    async show(/** @type {any} */ change = {}, /** @type {any} */ o = {}) {
      state = o.whole ? merge(base(), change) : merge(state, change);
      // What is absent in a source is absent: a cause ends.
      if (change.source && !o.keepSource) state.source = change.source;
      view = { ...view, seq: view.seq + 1, head: view.head + 1, atMillis: view.atMillis + 20, headMillis: view.headMillis + 20, ...o.view };
      const lanes = [{ state: o.only ? Object.fromEntries(o.only.map((/** @type {string} */ k) => [k, state[k]])) : state, facts: facts(state, o.facts),
        moves: o.moves, cells: { reset: true, set: Array.from({ length: state.indexer.count }, (_, i) =>
          [i, `default/pod-${i}`, 500, 3, 0]), del: [] } }];
      if (o.second) lanes.push(/** @type {any} */ ({ state: merge(state, o.second), facts: facts(merge(state, o.second), o.facts) }));
      frames.push({ view, lanes, timeline: { reset: !!o.reset, binMillis: 250, firstMillis: o.firstMillis ?? 0, bins: [[1, 3]], marks: o.marks ?? [] },
        jump: !!o.jump || !!o.reset });
      flush();
      for (let i = 0; i < 200 && frames.length; i++) await new Promise((done) => requestAnimationFrame(done));
      for (let i = 0; i < (o.wait ?? 8); i++) await new Promise((done) => requestAnimationFrame(done));
      return true;
    },
    /** What the caption says, once its cross-fade is over. */
    async caption() {
      await new Promise((done) => setTimeout(done, 200));
      return document.querySelector('.say')?.textContent ?? '';
    },
    /** Every word that is drawn and shown. */
    words() {
      const out = [];
      for (const el of document.querySelectorAll('#app svg text, #app button, #app p, #app span, #app b, #app small')) {
        if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        const w = [...el.childNodes].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join('').trim();
        if (w) out.push(w);
      }
      return out.join('\n');
    },
  };
})();
