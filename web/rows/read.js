// @ts-check
// What stands below the maps while no station is open: what the last read of the Lister got.
import { cut } from './parts.js';

/** @param {import('./parts.js').About} o @returns {import('./parts.js').Inside} */
export function lastRead({ lane, t }) {
  const read = lane.state.workqueue?.lastRead;
  if (!read) return { title: t('inside.read'), lines: [{ words: t('inside.noRead'), tone: 'dim' }] };
  return {
    title: t('inside.read'),
    lines: [
      { words: cut(read.key, 44), mono: true },
      ...(read.mutated ? [{ words: t('inside.readMutated'), tone: /** @type {const} */ ('warn') }] : []),
      read.rv ? { path: 'rv=version workqueue.lastRead.rv', as: 't inside.got' } : { words: t('inside.gotNone') },
      read.behind > 0 && read.latest ? { path: 'rv=version workqueue.lastRead.latest', as: 't inside.had', tone: 'warn' }
        : { words: t(read.behind > 0 ? 'inside.hadNewer' : read.rv ? 'inside.hadSame' : 'inside.hadNone'), tone: 'dim' },
    ],
  };
}
