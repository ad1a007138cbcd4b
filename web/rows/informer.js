// @ts-check
// What is special to the row of an informer that is not open: what waits in it anywhere, and how its Reflector is.
import { exact, middle, span } from '../kit/format.js';
import '../kit/words-informers.js';

/** What the factory says of the informer of a row. @param {{ctx: import('./parts.js').About['ctx'], row: import('../stage/rows.js').Shown}} o */
const find = ({ ctx, row }) => ctx.model.factory?.rows.find((r) => r.lane === row.lane);

/**
 * An informer's name: its resource, and what tells it from others of that.
 * @param {import('../wire/types.js').FactoryRow} r @param {import('./parts.js').About['t']} t
 */
export function nameOf(r, t) {
  let part = '';
  if (r.shard) part = t('informer.shard', { s: r.shard });
  else if (r.unshared) part = r.namespace && !r.twice ? middle(r.namespace, 16) : t('informer.unshared');
  return [`${middle(r.resource, 16)} ${r.era}`, part].filter(Boolean).join(', ');
}

/** @type {import('./parts.js').Station} */
export const informer = {
  name: (row, o) => {
    const r = find({ ctx: o.ctx, row });
    return r ? nameOf(r, o.t) : '';
  },
  present(o) {
    const { row, t, now } = o;
    const r = find(o);
    if (!r) return {};
    if (r.trouble || r.phase === 'backoff') {
      return { words: t('row.noWatch'), tone: 'warn', tail: row.waiting ? ` · ${t('row.wait', { n: exact(row.waiting) })}` : '' };
    }
    if (r.held.length) return { words: t('informer.holds', { words: t('row.wait', { n: exact(row.waiting) }) }), tone: row.waiting > 1 ? 'warn' : 'mid' };
    if (row.waiting > 1) {
      const s = row.oldestMillis === null ? '' : ` · ${t('row.oldest', { s: span(now - row.oldestMillis) })}`;
      return { words: t('row.wait', { n: exact(row.waiting) }), tone: 'warn', tail: s };
    }
    if (!r.running || r.phase !== 'watching') return { words: t(`row.phase.${/** @type {'idle'} */ (r.phase)}`), tone: 'mid' };
    return { path: `n=exact factory.rows[lane=${r.lane}].count`, as: r.count === 1 ? 't informer.object' : 't informer.objects', tone: 'dim' };
  },
  say(o) {
    const r = find(o);
    const waits = o.row.waiting ? o.t('row.wait', { n: o.row.waiting }) : o.t('row.say.empty');
    return r ? `${o.t('row.say.indexer', { n: r.count })}, ${waits}` : waits;
  },
  inside: () => ({ title: '', lines: [] }),
};
