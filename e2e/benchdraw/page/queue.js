// @ts-check
// What both ways to draw the Queue's panel have in common: what is said and where it stands. Neither way draws here.
import { count, exact, middle } from '/web/kit/format.js';
import { kindOf } from '/web/kit/glyphs.js';

/** @typedef {import('../../../web/wire/types.js').QueueItem} Item */
/** @typedef {{queue: import('../../../web/wire/types.js').Queue, next: number, curve: number[]}} Moment */
/** @typedef {{kind: import('../../../web/kit/glyphs.js').Kind, on: boolean, words: string, dim: boolean}} Row */
/** @typedef {{x: number, kind: import('../../../web/kit/glyphs.js').Kind, moves: boolean, stack: number}} Seat */

export const left = 362;
export const right = 514;
export const rail = 152;
export const kinds = /** @type {import('../../../web/kit/glyphs.js').Kind[]} */ (['del', 'rep', 'syn', 'bmk', 'upd', 'add']);
export const columns = 43;

/** @param {Item} it */
export const label = (it) => (it.key ? middle(it.key, 17) : `${it.op}${it.count ? ` ${count(it.count)}` : ''}`);

/** The rows of the list: what was taken, then what waits. @param {Moment} m @param {string} selected @returns {Row[]} */
export function rowsOf({ queue, next }, selected) {
  const taken = Math.min(queue.batch.length, 5);
  return [...queue.batch.slice(0, taken), ...queue.items].slice(0, 7).map((it, i) => ({
    kind: kindOf(it.op), on: it.key === selected, words: label(it) + (it.tombstone ? ' †' : ''), dim: i >= (taken || next || 7),
  }));
}

/** The chips on the rail, the first at the right. @param {import('../../../web/wire/types.js').Queue} q @returns {Seat[]} */
export function seatsOf(q) {
  const taken = q.batch.slice(0, 4);
  const waiting = q.items.slice(0, 7 - taken.length);
  return [...taken, ...waiting].map((it, i, all) => ({
    x: 513 - 22 * i - (i >= taken.length && taken.length ? 14 : 0), kind: kindOf(it.op), moves: i < taken.length,
    stack: i === all.length - 1 && q.depth > waiting.length ? 2 : 0,
  }));
}

/** The columns of a dense queue: from below, how high each kind stands in each. @param {import('../../../web/wire/types.js').Queue} q */
export function denseOf(q) {
  const all = q.depth + q.batchSize;
  const per = Math.max(1, Math.ceil(all / columns));
  const used = Math.min(columns, Math.ceil(all / per));
  const taken = Math.ceil(q.batchSize / per);
  /** @type {Record<string, number>} */
  const by = {};
  let total = 0;
  for (const op in q.mix) {
    by[kindOf(op)] = (by[kindOf(op)] ?? 0) + q.mix[op];
    total += q.mix[op];
  }
  let y = 161;
  const parts = kinds.map((kind) => {
    const height = total ? ((by[kind] ?? 0) / total) * 18 : 0;
    y -= height;
    return { kind, y: y.toFixed(1), height: height.toFixed(1) };
  });
  return { used, taken, parts, words: `${count(q.depth)} · ${per} a column` };
}

/** @param {number[]} depths */
export function curveOf(depths) {
  const top = Math.max(1, ...depths);
  return depths.map((d, i) => `${i ? 'L' : 'M'}${left + 2 * i} ${(451.5 - 33.5 * Math.sqrt(d / top)).toFixed(1)}`).join('');
}

/** @param {import('../../../web/wire/types.js').Queue} q */
export const isDense = (q) => q.depth + q.batchSize > 172;

/** All the words of the panel's head and foot. @param {import('../../../web/wire/types.js').Queue} q */
export const wordsOf = (q) => ({
  number: count(q.depth), kind: q.kind, initial: exact(q.initialPopulation), locked: q.locked ? 'locked' : 'unlocked',
  synced: q.synced ? 'synced' : 'not synced', max: `max ${count(q.maxDepth)}`,
  more: q.depth > 7 ? `${count(q.depth - 7)} more` : '', batch: q.batchSize ? `batch of ${exact(q.batchSize)}` : '',
});
