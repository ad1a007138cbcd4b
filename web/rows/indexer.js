// @ts-check
// What is special to the Indexer's row: it has no number at the rail, as the map of the store is beside it.
import { bytes, version } from '../kit/format.js';
import { openIndices } from './indexmenu.js';
import { openTransform, transformWords } from './transformmenu.js';
import { cut } from './parts.js';

/**
 * How many objects a handler changed in the store, and how many index entries such objects left behind.
 * @type {Record<'mutated' | 'strays', import('./parts.js').Line>}
 */
const counts = {
  mutated: { path: 'n=exact indexer.mutated', as: 't inside.mutatedAll', tone: 'warn' },
  strays: { path: 'n=exact indexer.strayCount', as: 't inside.strays', tone: 'warn' },
};

/** @type {import('./parts.js').Station} */
export const indexer = {
  name: (_, { t }) => t('row.indexer'),
  present: () => ({}),
  say: ({ lane, t }) => t('row.say.indexer', { n: lane.state.indexer.count }),
  inside({ lane, t, ctx }) {
    const store = lane.state.indexer;
    const [mutation] = store.mutations;
    const [stray] = store.strays;
    const writer = lane.state.listeners.find((l) => l.id === mutation?.listener)?.name ?? '';
    // What the objects of another program weigh is not seen, and its transform is not changed here.
    const isOurs = lane.state.fidelity['indexer.bytes']?.how !== 'unseen';
    const sizes = Object.entries(store.indexSizes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      title: t('inside.indexer'),
      aside: store.resourceVersion && `rv ${version(store.resourceVersion)}`,
      lines: [
        { path: 'n=exact indexer.count', as: 't inside.objects' },
        ...(isOurs ? [{ words: t('inside.bytes', { s: bytes(store.bytes), w: transformWords(ctx) }) }] : []),
        ...(store.mutated ? [counts.mutated] : []),
        ...(mutation ? [{ words: cut(mutation.key, 40), mono: true },
          { words: t('inside.mutated', { name: writer, is: `${mutation.label}=${mutation.is}` }), aside: t('inside.was', { was: mutation.was || '—' }) }] : []),
        ...(stray ? [counts.strays, { words: `${stray.index} = ${stray.value}`, mono: true, aside: stray.gone ? t('inside.noObject') : '' }] : []),
        ...sizes.slice(0, mutation || stray ? 0 : 3).map(([name, n]) => ({ words: name, mono: true, aside: t('inside.values', { n }) })),
      ],
      acts: [
        { words: t('inside.byIndex'), does: (b) => openIndices(ctx, b, (key) => ctx.select(key)) },
        ...(isOurs ? [{ words: t('inside.transform'), does: (/** @type {HTMLElement} */ b) => openTransform(ctx, b) }] : []),
      ],
    };
  },
};
