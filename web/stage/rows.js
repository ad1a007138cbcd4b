// @ts-check
// Where the rows of the stage stand. Each is as high as its marks need; what is left is shared by those in which changes wait. Rows keep their
// place while one looks: one opens at once, and shuts late.

/** @typedef {Omit<import('../wire/past.js').Track, 'columns' | 'came' | 'newest'>} Row */
/**
 * A row that shows: a worker's, or one that stands for several handlers `among` all, and where it is `whole` for all.
 * @typedef {Omit<Row, 'station'> & {station: string, folded?: Row[], among?: Row[], whole?: boolean, head?: boolean, thin?: boolean}} Shown
 */
/**
 * A row that is laid out: from `y` to its foot, on which its marks stand. `head`: the name of its informer stands over it; `prefix`: before its own.
 * @typedef {Shown & {y: number, h: number, foot: number, level: number, head: boolean, prefix: boolean}} Band
 */
/**
 * Where the rows may stand; on a small screen they are lower, and where it is `flat` no row has a heading. Where `thin` says so of a row, that is a thin line,
 * and has no room for piles. The handler that is `named` has a row before others.
 * @typedef {{
 *   y: number, h: number, gap: number, small?: boolean, flat?: boolean, thin?: (row: {station: string}) => boolean, named?: string
 * }} Box
 */

/** How high a row is in which nothing waits, with its words; one with a heading has a line more. */
const bases = { cluster: 36, reflector: 30, queue: 36, indexer: 34, handler: 34, fold: 34, work: 38, informer: 34 };
const heading = 24;
/** How much more the Reflector's has while something stands over its line. */
const over = 20;
/** How far a row stands in the tree. */
const levels = { cluster: 0, reflector: 1, queue: 1, indexer: 1, handler: 2, fold: 2, work: 3, informer: 0 };
/** How high one that waits is at most, and how many make a row open. */
const tallest = 8;
const fewest = 3;
/** What is kept free for piles, so that handlers fold before nothing can wait. */
const least = 28;
/** What is free above the row of an informer that is not open, how low such a row may be, and how much of the stage they may have together. */
const narrow = 3;
const lowest = 13;
const share = 0.6;
/** What has words over the Reflector's line. */
const wordy = ['gap', 'backoff', 'silent'];
/** How long a row takes to open, and for how long it stays open at least, in ms. */
const opens = 300;
const stays = 10e3;

/** How much of its height a row keeps on a small screen. */
const lower = 0.86;

/** How high a thin row is. */
const line = 24;

/** @param {{station: string}} row @param {Box} box */
const baseOf = (row, { small, thin }) => (thin?.(row) ? line : bases[/** @type {keyof typeof bases} */ (row.station)] * (small ? lower : 1));

/** How high each of several informers that are not open is. @param {number} n how many there are @param {Box} box */
const informerHeight = (n, box) => Math.max(lowest, Math.min(baseOf({ station: 'informer' }, box), Math.floor((box.h * share) / n) - narrow));

/** A row that stands for several handlers. @param {Row[]} handlers @param {Row[]} among @param {string} id @returns {Shown} */
function foldRow(handlers, among, id) {
  const [first] = handlers;
  const sum = (/** @type {'waiting' | 'highest'} */ member) => handlers.reduce((n, r) => n + r[member], 0);
  const since = handlers.map((r) => r.oldestMillis ?? Infinity);
  const oldest = Math.min(...since);
  return {
    id, station: 'fold', lane: first.lane, waiting: sum('waiting'), highest: Math.max(...handlers.map((r) => r.highest)), folded: handlers, among,
    whole: handlers.length === among.length,
    oldestMillis: oldest < Infinity ? oldest : null, spans: [],
  };
}

/**
 * The rows that show, in the order of the tree. Of several informers each is a band of its own, with its handlers in one row.
 * @param {Row[]} rows
 * @param {Box} box
 * @param {Set<string>} kept those that showed before, which stay if they can
 * @returns {Shown[]}
 */
export function choose(rows, box, kept) {
  const informers = rows.filter((r) => r.station === 'informer');
  if (informers.length) {
    const h = box.h - informers.length * (informerHeight(informers.length, box) + narrow);
    return [...choose(rows.filter((r) => r.station !== 'informer'), { ...box, h }, kept), ...informers];
  }
  const handlers = rows.filter((r) => r.station === 'handler');
  const lanes = new Set(rows.filter((r) => r.station === 'queue').map((r) => r.lane));
  if (lanes.size > 1) {
    // The lanes of a fork have a cluster each.
    const isFork = rows.some((r) => r.station === 'cluster' && r.lane > 0);
    return rows.flatMap(/** @returns {Shown[]} */ (r) => {
      if (r.station === 'reflector') return r.lane && !isFork ? [] : [r];
      if (r.station === (isFork ? 'cluster' : 'queue')) return [{ ...r, head: true }];
      if (r.station === 'handler') {
        const own = handlers.filter((l) => l.lane === r.lane);
        return own[0] === r ? [foldRow(own, own, `${r.lane}.fold`)] : [];
      }
      return r.station === 'work' ? [] : [r];
    });
  }
  const others = rows.filter((r) => r.station !== 'handler');
  const room = box.h - others.reduce((n, r) => n + baseOf(r, box) + box.gap, 0) - least;
  const fits = box.thin?.({ station: 'handler' }) ? 1 : Math.max(2, Math.floor(room / (baseOf({ station: 'handler' }, box) + box.gap)));
  const feeds = rows.find((r) => r.station === 'work')?.listener;
  /** How much a handler deserves a row of its own. @param {Row} r */
  const rank = (r) => (r.name && r.name === box.named ? 8 : 0) + (r.listener === feeds ? 4 : 0) + (r.waiting >= fewest ? 2 : 0) + (kept.has(r.id) ? 1 : 0);
  const own = handlers.length <= fits ? handlers : [...handlers].sort((a, b) => rank(b) - rank(a)).slice(0, fits - 1);
  const rest = handlers.filter((r) => !own.includes(r));
  const work = rows.find((r) => r.station === 'work');
  // The work queue stands under the handler that feeds it.
  const mine = handlers.filter((r) => own.includes(r) && r.listener !== feeds);
  const feeder = own.filter((r) => r.listener === feeds);
  return [
    ...others.filter((r) => r !== work), ...mine, ...(rest.length ? [foldRow(rest, handlers, `${rest[0].lane}.fold`)] : []), ...feeder,
    ...(work ? [work] : []),
  ];
}

/** The row of the past that is drawn in one: of several handlers the one in which most has waited. @param {Shown} row */
export function seatOf({ id, folded }) {
  return folded ? folded.reduce((a, b) => (b.highest > a.highest ? b : a)).id : id;
}

/** How many a row must have room for: in steps of a third or a half, so that it opens in few of them. @param {number} highest */
function roomFor(highest) {
  if (highest < fewest) return 0;
  const room = 2 ** Math.ceil(Math.log2(Math.max(4, highest)));
  return room > 4 && highest <= room * 0.75 ? room * 0.75 : room;
}

/**
 * Where the rows stand that show.
 * @param {Shown[]} rows
 * @param {Box} box
 * @param {Map<string, number>} rooms for how many each has room, and by the Reflector's ID and `words` how much more it has for those
 * @param {Map<string, number>} [heights] of the rows, while they open or shut
 * @returns {Band[]}
 */
export function arrange(rows, box, rooms, heights) {
  const informers = rows.filter((r) => r.station === 'informer').length;
  const each = informerHeight(informers, box);
  const taken = informers * (each + narrow);
  const more = (/** @type {Shown} */ r) => (r.station === 'reflector' ? rooms.get(`${r.id} words`) ?? 0 : 0);
  const base = (/** @type {Shown} */ r) => (r.station === 'informer' ? each : baseOf(r, box)) + (r.head && !box.flat ? heading : 0) + more(r);
  const bars = (/** @type {Shown} */ r) => rooms.get(r.id) ?? 0;
  const gap = (/** @type {Shown} */ r) => (r.station === 'informer' ? narrow : box.gap);
  const sum = rows.reduce((n, r) => n + base(r) + gap(r), 0);
  const spare = Math.max(0, box.h - sum);
  const all = rows.reduce((n, r) => n + bars(r), 0);
  const scale = all ? Math.min(tallest, spare / all) : 0;
  const pad = Math.min(14, Math.max(0, spare - all * scale) / Math.max(1, rows.length));
  // Where even the least is too much, all are lower, but for those that have no more than their words.
  const press = (/** @type {Shown} */ r) => (r.station === 'informer' ? 1 : Math.min(1, (box.h - taken) / Math.max(1, sum - taken)));
  let { y } = box;
  return rows.map((r) => {
    const h = heights?.get(r.id) ?? (base(r) + bars(r) * scale + pad) * press(r);
    const level = levels[/** @type {keyof typeof levels} */ (r.station)];
    const band = { ...r, y, h, foot: y + h, level, head: !!r.head && !box.flat, prefix: !!r.head && !!box.flat, thin: !!box.thin?.(r) };
    y += h + gap(r) * press(r);
    return band;
  });
}

/** The rows of a stage, which open and shut. */
export class Rows {
  constructor() {
    /** @type {Band[]} */
    this.bands = [];
    /** For how many each row has room, and when it needed as much last. @type {Map<string, {room: number, at: number}>} */
    this.rooms = new Map();
    /** What the rows come from and go to, and since when. @type {Map<string, number>} */
    this.before = new Map();
    /** @type {Map<string, number>} */
    this.after = new Map();
    this.since = -Infinity;
    /** Whether they move. */
    this.moves = false;
  }

  /**
   * Brings the rows to what waits.
   * @param {Row[]} rows @param {Box} box @param {number} clock the page's clock, in ms
   * @param {(id: string) => {bars: number, folded: boolean}} demand how high the piles of a row are, and whether it has one that is folded
   * @param {boolean} [still] whether they go to their place at once
   */
  place(rows, box, clock, demand, still = false) {
    const shown = choose(rows, box, new Set(this.bands.map((b) => b.id)));
    /** @type {Map<string, number>} */
    const rooms = new Map();
    const keep = (/** @type {string} */ id, /** @type {number} */ room) => {
      const before = this.rooms.get(id);
      if (before && before.room > room && clock - before.at < stays) room = before.room;
      else this.rooms.set(id, { room, at: clock });
      rooms.set(id, room);
    };
    for (const r of shown) {
      if (box.thin?.(r) || r.station === 'informer') {
        this.rooms.delete(r.id);
        rooms.set(r.id, 0);
        continue;
      }
      const { bars, folded } = demand(seatOf(r));
      keep(r.id, roomFor(bars) || (folded ? fewest : 0));
      if (r.station === 'reflector') keep(`${r.id} words`, r.spans.some((x) => wordy.includes(x.kind)) ? over : 0);
    }
    const target = arrange(shown, box, rooms);
    const next = new Map(target.map((b) => [b.id, b.h]));
    const same = next.size === this.after.size && [...next].every(([id, h]) => this.after.get(id) === h);
    if (!same) {
      const jumps = still || next.size !== this.after.size || [...next.keys()].some((id) => !this.after.has(id));
      this.before = jumps ? next : new Map(this.bands.map((b) => [b.id, b.h]));
      this.after = next;
      this.since = jumps ? -Infinity : clock;
    }
    const part = Math.min(1, (clock - this.since) / opens);
    const eased = part * part * (3 - 2 * part);
    this.moves = part < 1;
    const heights = new Map([...next].map(([id, h]) => [id, (this.before.get(id) ?? h) * (1 - eased) + h * eased]));
    this.bands = arrange(shown, box, rooms, heights);
    return this.bands;
  }
}
