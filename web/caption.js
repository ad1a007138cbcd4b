// @ts-check
// The caption: one sentence in the present tense about the newest change of state that matters. It stays at least 2.5 s.
import { bytes, count, exact, fit, middle, reason, seconds, upper, version, width } from './format.js';
import { isSlow } from './panels/listeners.js';

const stays = 2500;

export class Caption {
  /**
   * @param {import('./types.js').Ctx} ctx
   * @param {HTMLElement} line
   * @param {HTMLElement} live the polite live region
   */
  constructor(ctx, line, live) {
    this.ctx = ctx;
    this.line = line;
    this.live = live;
    this.words = '';
    /** What was chosen, before it was made to fit. */
    this.said = '';
    this.id = '';
    this.since = -1e9;
    this.countedAt = -1e9;
    this.timer = 0;
    this.spokenAt = -1e9;
    this.lastRelists = 0;
    this.relistAt = -1e9;
    this.pops = 0;
    this.batchAt = -1e9;
    /** @type {{kind: string, n: number, more: string}} */
    this.batch = { kind: '', n: 0, more: '' };
    /** @type {Map<number, number>} */
    this.capacities = new Map();
    this.grew = { name: '', from: 0, to: 0, at: -1e9 };
    /** @type {Map<number, number>} */
    this.panics = new Map();
    this.panicked = { name: '', at: -1e9 };
    /** Listeners that are there. @type {Set<number>} */
    this.there = new Set();
    this.left = { id: 0, at: -1e9 };
    /** What the view that shows would say in place of the stage. @type {() => [string, string] | null} */
    this.extra = () => null;
    /** How wide the line is, in pixels. To ask for it while the stage is painted would lay the page out twice. */
    this.room = -1;
    new ResizeObserver((e) => (this.room = e[e.length - 1].contentRect.width)).observe(line);
  }

  /** What to say now, and an id that tells one thing from another. @param {number} clock @returns {[string, string]} */
  choose(clock) {
    const { t, model } = this.ctx;
    const st = model.state;
    const r = st.reflector;
    const q = st.queue;
    const now = this.ctx.now();
    const recent = (/** @type {number} */ at, /** @type {number} */ ms) => clock - at < ms;

    const extra = this.extra();
    if (extra) return extra;
    if (st.source.trouble) return ['trouble', upper(st.source.trouble)];
    if (r.phase === 'backoff') {
      const rest = seconds(Math.max(0, r.backoffMillis - (now - r.backoffSince)));
      const cause = r.backoffCause || r.lastError;
      if (/refused/i.test(cause)) return ['backoff', t('cap.refused', { s: rest, old: seconds(model.stale(now)) })];
      return ['backoff', t('cap.backoff', { why: fit(upper(reason(cause)), 640, '18px') || t('cap.someError'), s: rest })];
    }
    // WebAssembly memory is never given back, so half of what there can be is the time to say it; every now and then, not all the time.
    const m = model.view.memory;
    if (m && m.total > m.limit / 2 && Math.floor(clock / 5000) % 3 === 0) return ['memory', t('cap.memory', { a: bytes(m.total), b: bytes(m.limit) })];
    if (this.panicked.name && recent(this.panicked.at, 4000)) return ['panic', t('cap.panic', { name: this.panicked.name })];
    const left = recent(this.left.at, 4500) && st.listeners.find((l) => l.id === this.left.id && l.removed);
    if (left) return ['left', t(left.discarded ? 'cap.left' : 'cap.leftEmpty', { name: left.name, n: exact(left.discarded ?? 0) })];
    if (st.holds.length) {
      const hd = st.holds[0];
      const name = st.listeners.find((l) => l.id === hd.listener)?.name ?? '';
      if (hd.stage === 'pop') return ['hold', st.indexer.resourceVersion ? t('cap.holdPop', { n: exact(Math.round(st.api.writesPerSecond)), rv: version(st.indexer.resourceVersion, 9) }) : t('cap.holdPopNoRv', { n: exact(Math.round(st.api.writesPerSecond)) })];
      return ['hold', t('cap.hold.' + hd.stage, { name })];
    }
    if (r.phase === 'listing') return ['listing', r.relists ? t('cap.relist', { why: fit(reason(r.why), 800, '18px') || t('cap.someError') }) : t('cap.list')];
    if (r.phase === 'watch-listing') return ['watchlist', r.relists ? t('cap.rewatchlist', { n: exact(r.tempStore) }) : t('cap.watchlist', { n: exact(r.tempStore) })];
    if (recent(this.relistAt, 4000)) return ['relisted', t('cap.relisted', { why: fit(reason(r.why || r.lastError), 760, '18px') || t('cap.someError') })];
    if (!q.synced) return ['filling', t('cap.filling', { n: exact(q.initialPopulation) })];
    if (this.grew.name && recent(this.grew.at, 4000)) return ['grew', t('cap.grew', { name: this.grew.name, from: exact(this.grew.from), to: exact(this.grew.to) })];
    const slow = st.listeners.find((l) => !l.removed && isSlow(l) && l.pending > 20);
    const batchNew = this.batch.n > 1 && recent(this.batchAt, 2600);
    if (slow && !(batchNew && Math.floor(clock / 6000) % 2)) return ['slow', t('cap.slow', { name: slow.name, n: count(slow.pending) })];
    if (batchNew) {
      if (q.kind === 'DeltaFIFO') return ['delta', t('cap.deltas', { n: exact(this.batch.n) })];
      return ['batch', this.batch.more ? t('cap.batchEnds', { n: exact(this.batch.n), op: this.batch.more }) : t('cap.batch', { n: exact(this.batch.n) })];
    }
    if (st.workqueue && st.workqueue.retries > 0 && Math.floor(clock / 5000) % 3 === 0) {
      const w = st.workqueue.waiting.find((k) => k.failures > 0);
      if (w) return ['retry', t('cap.retry', { key: middle(w.key, 24), n: w.failures })];
    }
    if (st.workqueue?.lastRead && st.workqueue.lastRead.behind > 3 && Math.floor(clock / 5000) % 3 === 1) return ['behind', t('cap.behind', { n: exact(st.workqueue.lastRead.behind) })];
    if (r.phase === 'watching') {
      if (st.api.writesPerSecond < 0.2 && q.depth === 0) return ['idle', t('cap.idle')];
      if (q.kind === 'DeltaFIFO') return ['flowDelta', t('cap.flowDelta')];
      return ['flow', t('cap.flow', { n: exact(Math.max(1, Math.round(st.api.writesPerSecond))) })];
    }
    if (r.phase === 'stopped') return ['stopped', t('cap.stopped')];
    return ['start', t('cap.start')];
  }

  /** Notes what happened with the frame just applied. @param {number} clock @param {boolean} jump */
  note(clock, jump) {
    const st = this.ctx.model.state;
    if (!jump && st.reflector.relists > this.lastRelists) this.relistAt = clock;
    this.lastRelists = st.reflector.relists;
    const q = st.queue;
    const n = q.batchSize || q.batch.length || q.lastBatchSize;
    if (!jump && n > 1 && (q.batch.length || q.pops !== this.pops)) {
      if (clock - this.batchAt > 2600 || n > this.batch.n) {
        this.batch = { kind: q.kind, n, more: q.batch.length && q.items[0] && ['Bookmark', 'SyncAll', 'ReplacedAll'].includes(q.items[0].op ?? '') ? q.items[0].op ?? '' : '' };
        this.batchAt = clock;
      }
    }
    this.pops = q.pops;
    for (const l of st.listeners) {
      const was = this.capacities.get(l.id);
      if (!jump && was !== undefined && l.capacity > was) this.grew = { name: l.name, from: was, to: l.capacity, at: clock };
      this.capacities.set(l.id, l.capacity);
      const p = this.panics.get(l.id) ?? 0;
      if (!jump && l.panics > p) this.panicked = { name: l.name, at: clock };
      this.panics.set(l.id, l.panics);
      if (!l.removed) this.there.add(l.id);
      else if (this.there.delete(l.id) && !jump) this.left = { id: l.id, at: clock };
    }
  }

  /** @param {number} clock @param {string} [force] a sentence that replaces the state's own, while the page loads */
  paint(clock, force) {
    const [id, said] = force ? ['force', force] : this.choose(clock);
    // A sentence keeps its time, but what it counts must not be old news: the same one with other numbers replaces it in place.
    const same = id === this.id && !force;
    if (said === this.said || (clock - this.since < stays && !same && !force) || (same && clock - this.countedAt < 250)) return;
    this.said = said;
    this.countedAt = clock;
    const words = this.fitting(said);
    if (words === this.words) return;
    if (!same) this.since = clock;
    const soft = !same && !matchMedia('(prefers-reduced-motion: reduce)').matches && this.words !== '';
    const first = !this.words;
    this.words = words;
    const put = () => {
      this.line.textContent = words;
      this.line.title = words;
      this.line.classList.remove('out');
    };
    // What was to be put before this must not come after it.
    clearTimeout(this.timer);
    if (soft) {
      this.line.classList.add('out');
      this.timer = window.setTimeout(put, 120);
    } else put();
    // A screen reader hears a new kind of thing at once, and the same kind with other numbers seldom.
    if (first || id !== this.id || clock - this.spokenAt > 15000) {
      this.live.textContent = words;
      this.spokenAt = clock;
    }
    this.id = id;
  }

  /** A sentence that has not the room gives up its last clause, as often as it must. @param {string} words @private */
  fitting(words) {
    const room = (this.room < 0 ? this.line.clientWidth : this.room) / this.ctx.scene.scale;
    for (let cut; room > 200 && width(words, '18px') > room && (cut = words.search(/[;；][^;；]*$/)) > 40; ) words = words.slice(0, cut) + (/[\u3000-\u9fff]/.test(words) ? '。' : '.');
    return words;
  }

  /** The language changed: say it again at once. */
  again() {
    this.since = -1e9;
    this.words = this.said = '';
    clearTimeout(this.timer);
  }
}
