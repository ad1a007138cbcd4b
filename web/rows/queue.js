// @ts-check
// What is special to the queue's row: a RealFIFO counts entries, a DeltaFIFO keys with their changes.
import { span, version } from '../kit/format.js';
import { codeOf, cut, wait } from './parts.js';

/** How many of those that wait are listed. */
const listed = 5;

/** @type {import('./parts.js').Station} */
export const queue = {
  name: (_, { t }) => t('row.queue'),
  present(o) {
    const { lane, t, two, phone } = o;
    const { queue: { waiting: depth, kind } } = lane.state;
    if (depth < 2) return wait(o, 'queue.waiting', depth);
    if (!two) {
      const shown = wait(o, 'queue.waiting', depth);
      return kind === 'DeltaFIFO' ? { ...shown, unit: t('row.keysWait') } : shown;
    }
    const unit = t(kind === 'DeltaFIFO' ? 'row.keys' : 'row.entries');
    const shown = { number: 'queue.waiting', unit };
    return phone || kind !== 'DeltaFIFO' ? shown : { ...shown, under: 'n=exact facts.deltas', underAs: 't row.changes' };
  },
  say: ({ lane, row, t, now }) => {
    const n = lane.state.queue.waiting;
    if (n < 1) return t('row.say.empty');
    return row.oldestMillis === null ? t('row.say.wait', { n }) : t('row.say.oldest', { n, s: span(now - row.oldestMillis) });
  },
  inside({ lane, t }) {
    const q = lane.state.queue;
    const aside = (/** @type {import('../wire/types.js').QueueItem} */ item) => {
      if (item.tombstone) return t('inside.tombstone');
      if (item.deltas && item.deltas.length > 1) return t('inside.deltas', { n: item.deltas.length });
      return item.rv ? `rv ${version(item.rv)}` : '';
    };
    const more = q.depth > listed;
    // What is listed has bookmarks too; they do not count as waiting.
    const marks = q.depth - q.waiting - q.items.slice(0, listed).filter((item) => item.op === 'Bookmark').length;
    /** @type {import('../kit/bind.js').As} */
    const moreAs = marks > 0 ? 't inside.moreMarks' : 't inside.moreWait';
    return {
      title: t('inside.queue'),
      aside: t(q.kind === 'DeltaFIFO' ? 'inside.delta' : 'inside.real'),
      lines: [
        ...(q.depth ? [] : [{ words: t('inside.emptyQueue') }]),
        ...q.items.slice(0, listed).map((item) => ({
          op: codeOf(item.op ?? item.deltas?.at(-1)?.op), words: cut(item.key || t('inside.list', { n: item.count ?? 0 }), 28), mono: true,
          aside: aside(item),
        })),
        ...(more ? [{ path: `n=exact queue.depth - ${listed}`, as: moreAs }] : []),
      ],
    };
  },
};
