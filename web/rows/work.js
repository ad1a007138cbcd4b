// @ts-check
// What is special to the work queue's row: its keys, its workers, and the keys that wait to be tried again.
import { span } from '../kit/format.js';
import { lastRunLines } from './reconciles.js';
import { cut, wait } from './parts.js';

/** @type {import('./parts.js').Station} */
export const work = {
  name: (_, { t }) => t('row.work'),
  present(o) {
    const { lane, t } = o;
    const q = lane.state.workqueue;
    if (!q) return {};
    if (q.paused && q.depth < 2) return { path: 'n=exact workqueue.depth', as: 't row.wait', tone: 'warn', tail: ` · ${t('row.paused')}` };
    if (q.paused) {
      const age = wait(o, 'workqueue.depth', q.depth).underWords;
      return { number: 'workqueue.depth', unit: t(o.phone ? 'row.keys' : 'row.keysWait'), underWords: [t('row.paused'), age].filter(Boolean).join(' · ') };
    }
    if (q.depth >= 2) return { ...wait(o, 'workqueue.depth', q.depth), unit: t(o.phone ? 'row.keys' : 'row.keysWait') };
    const busy = q.processing.length && !o.phone ? t('row.busy', { a: q.processing.length, b: q.workers.length }) : '';
    if (q.retries && q.waitingCount) {
      return { path: 'n=exact workqueue.waitingCount', as: o.phone ? 't row.retriedShort' : 't row.retried', tone: 'warn', underWords: busy };
    }
    return { path: 'n=exact workqueue.depth', as: 't row.wait', tone: 'dim', tail: busy && ` · ${busy}` };
  },
  say: ({ lane, t, row, now }) => {
    const q = lane.state.workqueue;
    if (q?.paused) return t('row.say.paused', { n: q.depth });
    if (!q?.depth) return q?.waitingCount ? t('row.retried', { n: q.waitingCount }) : t('row.say.empty');
    return row.oldestMillis === null ? t('row.say.waitKeys', { n: q.depth }) : t('row.say.oldestKey', { n: q.depth, s: span(now - row.oldestMillis) });
  },
  inside({ lane, t, now }) {
    const q = lane.state.workqueue;
    if (!q) return { title: t('inside.work'), lines: [] };
    const { processing: runs, waiting, queue } = q;
    const { lastRun } = lane.facts;
    const run = lastRun ? lastRunLines(lastRun) : [];
    // What there is room for beside it, the counts and a key that waits: the key that is next, then the other workers' keys.
    const room = 4 - run.length;
    return {
      title: t('inside.work'),
      aside: q.paused ? t('row.paused') : t('inside.work.note', { a: runs.length, b: q.workers.length }),
      lines: [
        ...run,
        ...runs.filter((w) => w.key !== lastRun?.key).slice(0, Math.max(0, Math.min(2, room - (queue.length ? 1 : 0)))).map((w) => (
          { words: cut(w.key ?? '', 30), mono: true, aside: t('inside.running', { s: span(now - w.sinceMillis) }) })),
        ...(q.lastRead?.mutated ? [{ words: t('inside.readMutated'), tone: /** @type {const} */ ('warn') }] : []),
        { path: 'n=exact workqueue.depth; m=exact workqueue.dirtyCount; k=exact workqueue.waitingCount', as: 't inside.sets' },
        ...queue.slice(0, Math.min(1, room)).map((key) => ({ words: cut(key, 30), mono: true, aside: t('inside.next') })),
        ...waiting.slice(0, lastRun ? 1 : 2).map((w) => ({
          words: cut(w.key, 26), mono: true, tone: w.failures ? /** @type {const} */ ('warn') : undefined,
          aside: t(w.failures ? 'inside.dueFailed' : 'inside.due', { s: span(Math.max(0, w.dueMillis - now)), n: w.failures }),
        })),
      ],
    };
  },
};
