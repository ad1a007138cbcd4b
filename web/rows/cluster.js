// @ts-check
// What is special to the cluster's row: it has no number at the rail, as its map is beside it.
import { cut } from './parts.js';

/** What many other clients of the API server do. @type {import('./parts.js').Line[]} */
const crowd = [
  { path: 'n=exact api.crowd.clients; w=exact api.crowd.watching; m=exact api.crowd.waiting + api.crowd.retrying', as: 't inside.crowd' },
  { path: 'n=exact api.crowd.perSecond; p=exact api.crowd.peak; r=exact api.crowd.refused', as: 't inside.crowdLists' },
];

/** @type {import('./parts.js').Station} */
export const cluster = {
  name: (_, { t }) => t('row.cluster'),
  present: () => ({}),
  say({ lane, t }) {
    const { objects: n, resourceVersion } = lane.state.api;
    return t(n < 0 ? 'row.say.clusterUnknown' : 'row.say.cluster', { n, m: resourceVersion || '—' });
  },
  inside({ lane, t, ctx }) {
    const { api } = lane.state;
    return {
      title: t('inside.cluster'),
      aside: t('inside.cluster.note'),
      lines: [
        api.objects < 0 ? { words: t('inside.unknown') } : { path: 'n=exact api.objects', as: 't inside.objects' },
        { path: 'n=version api.resourceVersion', as: 't inside.newest' },
        ...(api.oldest ? [{ path: 'n=version api.oldest', as: /** @type {const} */ ('t inside.oldest') }] : []),
        ...(api.crowd ? crowd : []),
        ...api.requests.slice(0, api.crowd ? 0 : 2).map((r) => ({
          words: cut(`${r.verb} ${r.url.replace(/^https?:\/\/[^/]+/, '')}`, 44), mono: true, aside: r.unowned ? t('inside.unowned') : String(r.status || ''),
        })),
      ],
      acts: ctx.clusterMenu && ctx.model.changeable() && !ctx.follower ? [{ words: t('inside.change'), call: 'cluster', does: ctx.clusterMenu }] : [],
    };
  },
};
