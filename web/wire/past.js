// @ts-check
// The page's copy of the past: what each row's columns and spans are, as far back as the window goes.

/**
 * What happened in a row during one step: its number, what passed without waiting, what waited at the end of the step (the one that leaves next
 * first), the place of the followed object in that, or -1, and the places of keys that got a further change. What passed and what waited are
 * flat lists, `[op, n, op, n, ...]`.
 * @typedef {[number: number, passes: number[], pile: number[], followed: number, notches?: number[]]} Column
 *
 * @typedef {'hold' | 'call' | 'gap' | 'backoff' | 'list' | 'silent' | 'resync' | 'added' | 'removed' | 'retry' | 'failed' | 'burst' | 'pile' | 'act'} SpanKind
 *
 * Something that lasted, or happened, in a row; `toMillis` is null while it lasts.
 * @typedef {{
 *   kind: SpanKind, fromMillis: number, toMillis: number | null, n?: number, merged?: number, millis?: number, code?: number, key?: string, words?: string
 * }} Span
 *
 * @typedef {'cluster' | 'reflector' | 'queue' | 'indexer' | 'handler' | 'work'} Station
 *
 * A row as a frame brings it.
 * @typedef {{
 *   id: string, station: Station, lane: number, listener?: number, name?: string, waiting: number, keyed?: boolean, changes?: number,
 *   oldestMillis: number | null, highest: number, columns?: Column[], spans?: Span[], closed?: boolean
 * }} Row
 *
 * What a frame brings of the past.
 * @typedef {{reset: boolean, stepMillis: number, first: number, rows: Row[]}} Frame
 *
 * A row as it is kept: its numbers, its columns by their numbers, which of those came since they were drawn, and the newest of them.
 * @typedef {Omit<Row, 'columns' | 'spans' | 'closed'> & {columns: Map<number, Column>, came: Set<number>, newest: number, spans: Span[]}} Track
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
    const kept = new Map(this.rows.map((track) => [track.id, track]));
    this.rows = frame.rows.map((row) => takeRow(kept.get(row.id), row, this.room));
    const oldest = Math.max(this.first, Math.max(...this.rows.map((track) => track.newest)) - this.room + 1);
    for (const track of this.rows) dropBefore(track, oldest);
  }

  /** @param {string} id */
  row(id) {
    return this.rows.find((track) => track.id === id);
  }
}

/** Brings a row to what a frame has of it. @param {Track | undefined} kept @param {Row} row @param {number} room @returns {Track} */
function takeRow(kept, { columns = [], spans, closed, ...numbers }, room) {
  const track = {
    columns: kept?.columns ?? new Map(), came: kept?.came ?? new Set(), newest: kept?.newest ?? -Infinity,
    spans: spans ?? (closed ? [] : kept?.spans ?? []), ...numbers,
  };
  if (!columns.length) return track;
  // A frame has all columns from its first one on; one that is missing there is empty now.
  for (let n = Math.max(columns[0][0], track.newest - room); n <= track.newest; n++) {
    if (track.columns.delete(n)) track.came.add(n);
  }
  for (const column of columns) {
    track.columns.set(column[0], column);
    track.came.add(column[0]);
  }
  track.newest = columns[columns.length - 1][0];
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
