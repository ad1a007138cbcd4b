// @ts-check
// What predicates threw away of what a handler was called with.
import { exact } from '../kit/format.js';
import { addWords, t } from '../kit/i18n.js';

/** @typedef {import('../wire/types.js').Listener} Listener */

addWords({
  'drop.short': ['dropped: {list}', '丢弃：{list}'],
  'drop.whole': ['dropped by predicates: {list}', '被 predicate 丢弃：{list}'],
  'drop.line': [
    'predicate {name} dropped {a} added, {u} updated, {d} deleted, {s} with equal versions; last {key}',
    'predicate {name} 丢弃：新增 {a}、更新 {u}、删除 {d}、版本未变 {s}；最近 {key}',
  ],
});

/** How many changes each predicate threw away: "generation 412, label 3". @param {Listener[]} listeners */
function counts(listeners) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { drops } of listeners) {
    for (const { predicate, added = 0, updated = 0, deleted = 0, synced = 0 } of drops ?? []) {
      sums.set(predicate, (sums.get(predicate) ?? 0) + added + updated + deleted + synced);
    }
  }
  return [...sums].map(([name, n]) => `${name} ${exact(n)}`).join(', ');
}

/** The same as a short sentence and as a whole one; both are empty without drops. @param {Listener[]} listeners */
export function dropWords(listeners) {
  const list = counts(listeners);
  return list ? { short: t('drop.short', { list }), whole: t('drop.whole', { list }) } : { short: '', whole: '' };
}

/** A sentence for each predicate of a handler. @param {Listener} listener */
export function dropLines({ drops = [] }) {
  return drops.map(({ predicate, added = 0, updated = 0, deleted = 0, synced = 0, last }) => t('drop.line', {
    name: predicate, a: exact(added), u: exact(updated), d: exact(deleted), s: exact(synced), key: last.key ?? '',
  }));
}
