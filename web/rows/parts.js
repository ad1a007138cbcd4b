// @ts-check
// What the rows agree on: what a station says of itself, at the rail and inside. A station says it in values; present.js and inside.js of the
// stage draw them.
import { middle, span } from '../kit/format.js';
import { t } from '../kit/i18n.js';

/** @import { As } from '../kit/bind.js' */
/** @import { Ctx, Lane } from '../wire/page-types.js' */

/**
 * What a row is about. `lit`: a step speaks of it, or of others. `starved`: nothing comes to it. `silent`: the watch looks open, and brings nothing.
 * `two`: several informers are compared.
 * @typedef {{
 *   row: import('../stage/rows.js').Shown & {prefix?: boolean}, lane: Lane, now: number, t: Ctx['t'], ctx: Ctx, starved: boolean, silent: boolean,
 *   two: boolean, phone: boolean, lit?: boolean
 * }} About
 */

/**
 * What stands at the rail: a large number with its unit and what is under it, or words; a call that runs; at the right the version. What is a path is
 * bound to State.
 * @typedef {{
 *   number?: string, unit?: string, under?: string, underAs?: As, underWords?: string, words?: string, path?: string, as?: As, tail?: string,
 *   tone?: 'dim' | 'mid' | 'warn', call?: string, side?: string
 * }} Present
 */

/**
 * A line inside a station: words, or what is at a path; `beside` puts the latter at the right.
 * @typedef {{
 *   words?: string, path?: string, as?: As, beside?: boolean, aside?: string, mono?: boolean, op?: string, tone?: 'dim' | 'warn'
 * }} Line
 */

/** @typedef {{title: string, aside?: string, lines: Line[], acts?: {words: string, call?: string, does: (anchor: HTMLElement) => void}[]}} Inside */

/**
 * @typedef {{
 *   name: (row: import('../stage/rows.js').Shown, o: {t: Ctx['t'], two: boolean, ctx: Ctx}) => string,
 *   present: (o: About) => Present, say: (o: About) => string, inside: (o: About) => Inside
 * }} Station
 */

/**
 * The number of what waits in a row: large from two on, and dim words until then.
 * @param {About} o @param {string} path @param {number} n @returns {Present}
 */
export function wait({ row, now, starved, t, phone }, path, n) {
  if (n < 2) return starved && !n ? { words: t('row.nothing'), tone: 'dim' } : { path: `n=exact ${path}`, as: 't row.wait', tone: 'dim' };
  const since = row.oldestMillis;
  const age = since === null ? '' : span(now - since);
  if (row.sampled) return { number: path, unit: t('row.unit'), underWords: t('row.sampled') };
  return { number: path, unit: t('row.unit'), underWords: age && (phone ? age : t('row.oldest', { s: age })) };
}

/** What stands at the rail of a thin row: one line. @param {Present} is @returns {Present} */
export function shorten({ number, words, path, as, tail, tone }) {
  return number ? { path: `n=exact ${number}`, as: 't row.wait', tone: 'warn' } : { words, path, as, tail, tone };
}

/** What an informer that does not run is called in the past. @param {import('../wire/past.js').Span} stop */
export const stopWords = (stop) => t(stop.words === 'unstarted' ? 'row.phase.idle' : 'past.stopped');

/** A name with as much of its head and its end as fits. @param {string} words @param {number} room in characters */
export const cut = (words, room) => (words.length > room ? middle(words, room) : words);

/** @type {Record<string, string>} */
const codes = {
  Added: 'add', Updated: 'upd', Deleted: 'del', Replaced: 'rep', ReplacedAll: 'rep', Sync: 'syn', SyncAll: 'syn', Bookmark: 'bmk',
};

/** The style sheet's name of a delta type. @param {string} [op] */
export const codeOf = (op = '') => codes[op] ?? 'key';
