// @ts-check
// The page's copy of the past: what each row's columns and spans are, as far back as the window goes.

/** @typedef {import('./types.js').Past} Frame */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Column} Column */
/** @typedef {import('./types.js').Span} Span */

/**
 * A row as it is kept: its numbers, its columns by their numbers, which of those came since they were drawn, and the newest of them.
 * @typedef {Omit<Row, 'columns' | 'spans' | 'closed'> & {
 *   columns: Map<number, Column>, came: Set<number>, newest: number, spans: Span[]
 * }} Track
 */

export class History {
  constructor() {
    /** How many columns are kept: those of the window. */
    this.room = 1024;
    this.stepMillis = 0;
    /** The oldest column that the log has. */
    this.first = 0;
    /** The oldest column that is kept, and the newest that has something. */
    this.oldest = 0;
    this.newest = 0;
    /** The rows, from the top. @type {Track[]} */
    this.rows = [];
    /** The way of the followed change. @type {import('./types.js').Journey | null} */
    this.journey = null;
    /** How often all columns were dropped, and how often they got another length. */
    this.resets = 0;
    this.grids = 0;
    /** Whether what is kept stays, while the view shows another moment for a while. What it misses comes with the next reset. */
    this.stands = false;
    /** How often something came. */
    this.version = 0;
  }

  /** Takes in what a frame brings. @param {Frame} frame */
  apply(frame) {
    if (this.stands) return;
    this.version++;
    if (frame.reset) {
      this.newest = -Infinity;
      this.resets++;
    }
    if (frame.stepMillis !== this.stepMillis) {
      this.newest = -Infinity;
      this.rows = [];
      this.grids++;
    }
    this.stepMillis = frame.stepMillis;
    this.first = frame.first;
    this.journey = frame.journey;
    const kept = new Map(this.rows.map((track) => [track.id, track]));
    this.newest = Math.max(this.newest, ...frame.rows.map((row) => row.columns?.at(-1)?.[0] ?? -Infinity));
    this.rows = frame.rows.map((row) => takeRow(kept.get(row.id), row, frame, this.oldest));
    this.oldest = Math.max(frame.first, frame.last - this.room + 1);
    for (const track of this.rows) dropBefore(track, this.oldest);
  }

  /** @param {string} id */
  row(id) {
    return this.rows.find((track) => track.id === id);
  }
}

/**
 * Brings a row to what a frame has of it.
 * @param {Track | undefined} kept @param {Row} row @param {Frame} frame @param {number} oldest the first column that was kept
 * @returns {Track}
 */
function takeRow(kept, { columns = [], spans, closed, ...numbers }, { reset, from, last }, oldest) {
  /** @type {Track['columns']} */
  const known = kept?.columns ?? new Map();
  /** @type {Track} */
  const track = {
    columns: reset ? new Map() : known, came: kept?.came ?? new Set(), newest: last, spans: spans ?? (closed || reset ? [] : kept?.spans ?? []), ...numbers,
  };
  // What is the same as before, as most of it is while one scrubs, need not be drawn again. A column that the frame has in this row's stead, and the
  // row has not, is empty.
  /** @type {Track['columns']} */
  const old = reset ? known : new Map();
  if (!reset) {
    for (let n = from; n <= last; n++) {
      const column = known.get(n);
      if (column) old.set(n, column);
      known.delete(n);
    }
  }
  for (const column of columns) {
    const before = old.get(column[0]);
    const same = before && isSame(before, column);
    track.columns.set(column[0], same ? before : column);
    if (!same) track.came.add(column[0]);
  }
  for (let n = from; n <= last; n++) {
    const wasEmpty = !old.has(n) && kept && n >= oldest && n <= kept.newest;
    if (!track.columns.has(n) && !wasEmpty) track.came.add(n);
  }
  return track;
}

/** @param {Column} a @param {Column} b */
function isSame(a, b) {
  const equal = (/** @type {number[]} */ x, /** @type {number[]} */ y) => x.length === y.length && x.every((n, i) => n === y[i]);
  return a[3] === b[3] && equal(a[1], b[1]) && equal(a[2], b[2]) && equal(a[4], b[4]);
}

/** Drops the columns before one. They are kept in the order of their numbers. @param {Track} track @param {number} oldest */
function dropBefore(track, oldest) {
  for (const n of track.columns.keys()) {
    if (n >= oldest) break;
    track.columns.delete(n);
  }
  for (const n of track.came) if (n < oldest) track.came.delete(n);
}
