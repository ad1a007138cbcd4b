// @ts-check

/** @type {import('./index.js').Story} */
export default {
  id: '410',
  group: 'breaks',
  seconds: 80,
  title: ['410 Gone', '410 Gone'],
  lesson: ['history expires: only then does the Reflector relist', '历史会过期：只有那时 Reflector 才 relist'],
  terms: 'Reflector ListAndWatch resourceVersion too old compaction etcd expired relist kubernetes#83520',
  select: { source: 'sim', context: '', group: '', version: 'v1', resource: 'pods', namespace: '', era: '1.35', seed: 7, objects: 600, rate: 40 },
  ready: { and: [{ path: 'queue.synced', value: true }, { path: 'reflector.phase', value: 'watching' }] },
  steps: [
    {
      name: ['a watch runs', 'watch 在跑'],
      focus: ['api', 'reflector'],
      caption: ['The Reflector watches: it has listed once, and now takes each change as it comes.', 'Reflector 在 watch：它只 list 过一次，现在逐个接收变更。'],
      until: { path: 'reflector.events', op: '>=', since: 120 },
      dwell: 6,
    },
    {
      name: ['the connection breaks', '连接断开'],
      focus: ['api', 'reflector'],
      caption: ['The connection breaks, and nobody answers. The Reflector waits, twice as long each time.', '连接断了，没有回应。Reflector 等待，每次加倍。'],
      do: [['fault', 'refuse', { on: true }], ['fault', 'cut', {}]],
      until: { and: [{ path: 'reflector.phase', value: 'backoff' }, { path: 'reflector.backoffs.length', op: '>=', value: 2 }] },
      dwell: 4,
    },
    {
      name: ['history is forgotten', '历史被遗忘'],
      focus: ['api', 'reflector', 'indexer'],
      caption: ['Meanwhile the cluster changes on, and forgets its history. The store still shows the past.', '这期间集群继续变化，并忘掉了历史。store 里仍是过去。'],
      do: [['cluster', 'burst', { n: 200 }], ['cluster', 'compact', {}]],
      until: { path: 'api.writes', op: '>=', since: 200 },
      dwell: 4,
    },
    {
      name: ['410', '410'],
      focus: ['api', 'reflector'],
      caption: ['The cluster answers again. The Reflector asks to go on from where it was, and gets 410 Gone.', '集群又有回应了。Reflector 想从原处继续，却得到 410 Gone。'],
      after: ['410 Gone: that version is forgotten. There is nothing to go on from, so it lists everything anew.', '410 Gone：那个版本已被遗忘。无从继续，只好重新取回全部。'],
      do: [['fault', 'refuse', { on: false }]],
      until: { or: [{ path: 'reflector.relists', op: '>=', since: 1 }, { and: [{ path: 'reflector.phase', value: 'watching' }, { path: 'reflector.events', op: '>=', since: 1 }] }] },
      dwell: 6,
    },
    {
      name: ['up to date again', '又是最新'],
      focus: ['reflector', 'queue', 'indexer'],
      caption: ['The relist replaces what the store holds, and the watch runs from the new version on.', 'relist 换掉 store 里的内容，watch 从新的版本继续。'],
      after: ['A broken connection alone costs a watch. Only forgotten history costs a relist.', '连接断开只费一次 watch。历史被遗忘才要一次 relist。'],
      until: { and: [{ path: 'reflector.phase', value: 'watching' }, { path: 'reflector.events', op: '>=', since: 60 }] },
      dwell: 7,
    },
  ],
};
