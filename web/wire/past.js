// @ts-check
// The page's copy of the past: what each row's columns and spans are, as far back as the window goes.

/** @typedef {import('./types.js').Past} Frame */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Span} Span */

/**
 * A row as it is kept: its numbers, its columns by their numbers, which of those came since they were drawn, and the newest of them.
 * @typedef {Omit<Row, 'columns' | 'spans' | 'closed'> & {
 *   columns: Map<number, import('./types.js').Column>, came: Set<number>, newest: number, spans: Span[]
 * }} Track
 */

export class History {
  constructor() {
    /** How many columns are kept: those of the window. */
    this.room = 1024;
    this.stepMillis = 0;
    /** The oldest column that the log has. */
    this.first = 0;
    /** The rows, from the top. @type {Track[]} */
    this.rows = [];
    /** The way of the followed change. @type {import('./types.js').Journey | null} */
    this.journey = null;
    /** How often all columns were dropped. */
    this.resets = 0;
    /** How often something came. */
    this.version = 0;
  }

  /** Takes in what a frame brings. @param {Frame} frame */
  apply(frame) {
    this.version++;
    if (frame.reset) {
      this.rows = [];
      this.resets++;
    }
    this.stepMillis = frame.stepMillis;
    this.first = frame.first;
    this.journey = frame.journey;
    const kept = new Map(this.rows.map((track) => [track.id, track]));
    this.rows = frame.rows.map((row) => takeRow(kept.get(row.id), row, frame));
    const oldest = Math.max(frame.first, frame.last - this.room + 1);
    for (const track of this.rows) dropBefore(track, oldest);
  }

  /** @param {string} id */
  row(id) {
    return this.rows.find((track) => track.id === id);
  }
}

/** Brings a row to what a frame has of it. @param {Track | undefined} kept @param {Row} row @param {Frame} frame @returns {Track} */
function takeRow(kept, { columns = [], spans, closed, ...numbers }, { from, last }) {
  /** @type {Track} */
  const track = {
    columns: kept?.columns ?? new Map(), came: kept?.came ?? new Set(), newest: last, spans: spans ?? (closed ? [] : kept?.spans ?? []), ...numbers,
  };
  // A column that the frame has in this row's stead, and the row has not, is empty.
  if (kept) for (let n = from; n <= last; n++) if (track.columns.delete(n)) track.came.add(n);
  for (const column of columns) {
    track.columns.set(column[0], column);
    track.came.add(column[0]);
  }
  return track;
}

/** Drops the columns before one. They are kept in the order of their numbers. @param {Track} track @param {number} oldest */
function dropBefore(track, oldest) {
  for (const n of track.columns.keys()) {
    if (n >= oldest) break;
    track.columns.delete(n);
  }
  for (const n of track.came) if (n < oldest) track.came.delete(n);
}
