// @ts-check
// What is special to a handler's row: what waits in its buffer, and the call that runs.
import { exact, span, seconds } from '../kit/format.js';
import { openHandler } from './handlermenu.js';
import { cut, wait } from './parts.js';

/** From how long on a call that runs is worth words, in ms. */
const lasting = 100;

/** @param {import('./parts.js').About} o */
const find = ({ lane, row }) => lane.state.listeners.find((l) => l.id === row.listener);

/** @type {import('./parts.js').Station} */
export const handler = {
  name: (row) => row.name ?? '',
  present(o) {
    const { row, t, now, phone, lane } = o;
    const l = find(o);
    if (!l) return {};
    const shown = wait(o, `listeners[id=${row.listener}].pending`, l.pending);
    // It has not had the whole first list, though the store has.
    if (!l.synced && lane.state.queue.synced && l.pending && !phone) shown.underWords = t('row.unsynced');
    const ran = now - l.handlingSince;
    if (!l.handling || ran < lasting || phone) return shown;
    const usual = Math.max(l.paceMillis, l.meanMicros / 1000);
    const call = usual > ran ? t('row.call', { a: (ran / 1000).toFixed(1), b: seconds(usual) }) : t('row.callLong', { a: seconds(ran) });
    return { ...shown, call };
  },
  say(o) {
    const { row, t, now } = o;
    const n = find(o)?.pending ?? 0;
    if (n < 1) return t('row.say.empty');
    return row.oldestMillis === null ? t('row.say.wait', { n }) : t('row.say.oldest', { n, s: span(now - row.oldestMillis) });
  },
  inside(o) {
    const { t, now, ctx, row } = o;
    const l = find(o);
    if (!l) return { title: row.name ?? '', lines: [{ words: t('inside.removed') }] };
    const path = `listeners[id=${l.id}]`;
    return {
      title: t('inside.handler', { name: l.name }),
      aside: t('inside.handler.note'),
      lines: [
        l.handling ? { words: t('inside.runs', { s: span(now - l.handlingSince) }), tone: now - l.handlingSince > lasting ? 'warn' : undefined }
          : { words: t('inside.rests') },
        ...(l.handling?.key ? [{ words: cut(l.handling.key, 40), mono: true }] : []),
        { words: t(l.synced ? 'inside.synced' : 'inside.unsynced'), tone: l.synced ? undefined : 'warn' },
        { path: `n=exact ${path}.ring; m=exact ${path}.capacity`, as: 't inside.buffer' },
        { path: `n=exact ${path}.handled; s=span ${path}.meanMicros / 1000`, as: 't inside.handled' },
        ...(l.lastMet ? [{
          words: t(l.lastMet.as === 'old' ? 'inside.metOld' : 'inside.met', { is: `${l.lastMet.label}=${l.lastMet.is}` }), tone: /** @type {const} */ ('warn'),
        }] : []),
        ...(l.panics ? [{ words: t('inside.panics', { n: exact(l.panics) }), tone: /** @type {const} */ ('warn') }] : []),
      ],
      acts: [{ words: t('inside.menu'), does: (b) => openHandler(ctx, b, l.id) }],
    };
  },
};

/** How many handlers there are in rows; one that was removed has left marks in the past alone. @param {import('../stage/rows.js').Row[]} [rows] */
const countOf = (rows = []) => rows.filter((r) => !r.spans.some((span) => span.kind === 'removed')).length;

/** Several handlers that have one row together. @type {import('./parts.js').Station} */
export const fold = {
  name: (row, { t }) => t(row.whole ? 'row.handlers' : 'row.moreHandlers', { n: countOf(row.folded), all: countOf(row.among) }),
  present(o) {
    const { row, t } = o;
    if (row.waiting < 2) return { words: o.starved ? t('row.nothing') : t('row.wait', { n: row.waiting }), tone: 'dim' };
    return { words: t('row.wait', { n: exact(row.waiting) }), tone: 'warn' };
  },
  say: ({ row, t }) => (row.waiting ? t('row.say.wait', { n: row.waiting }) : t('row.say.empty')),
  inside({ lane, t, row }) {
    const all = (row.folded ?? []).flatMap((r) => lane.state.listeners.filter((l) => l.id === r.listener && !l.removed));
    return {
      title: t('row.handlers', { n: all.length }),
      lines: all.sort((a, b) => b.pending - a.pending).slice(0, 6).map((l) => (
        { words: l.name, path: `n=exact listeners[id=${l.id}].pending`, as: 't row.wait', beside: true })),
    };
  },
};
