// @ts-check

/** @type {import('./index.js').Story} */
export default {
  id: 'tombstone',
  group: 'breaks',
  seconds: 70,
  title: ['Deleted while nobody looked', '没人看时被删除'],
  lesson: ['OnDelete may hand you a tombstone: unwrap it', 'OnDelete 可能给你一个 tombstone：要拆开'],
  terms: 'DeletedFinalStateUnknown tombstone OnDelete DeletionHandlingMetaNamespaceKeyFunc relist kubernetes#97255',
  select: { source: 'sim', context: '', group: '', version: 'v1', resource: 'pods', namespace: '', era: '1.35', seed: 7, objects: 40, rate: 0 },
  ready: { and: [{ path: 'queue.synced', value: true }, { path: 'reflector.phase', value: 'watching' }] },
  steps: [
    {
      name: ['a full store', '满的 store'],
      focus: ['indexer', 'listeners'],
      listener: 'printer',
      open: 'indexer',
      caption: ['The store holds every pod that the cluster has, and the handlers have heard of each.', 'store 里有集群的每个 pod，handler 也都听说过。'],
      until: { path: 'indexer.count', op: '>=', value: 20 },
      dwell: 6,
    },
    {
      name: ['nobody looks', '没人在看'],
      focus: ['api', 'reflector', 'indexer'],
      caption: ['The connection breaks, and three pods are deleted. Nobody tells the informer: its store still holds them.', '连接断开，三个 pod 被删。没人告诉 informer：它的 store 里还有它们。'],
      do: [['fault', 'refuse', { on: true }], ['fault', 'cut', {}], ['cluster', 'delete', {}], ['cluster', 'delete', {}], ['cluster', 'delete', {}]],
      until: { and: [{ path: 'reflector.phase', value: 'backoff' }, { path: 'api.writes', op: '>=', since: 3 }] },
      dwell: 4.5,
    },
    {
      name: ['the relist', 'relist'],
      focus: ['reflector', 'queue'],
      caption: ['We hold Pop, to see what comes. The cluster answers again, but its history is gone: after its backoff the Reflector lists anew.', '按住 Pop，好看清楚。集群又有回应，但历史没了：退避之后，Reflector 重新 list。'],
      do: [['hold', 'pop'], ['cluster', 'compact', {}], ['fault', 'refuse', { on: false }]],
      until: { and: [{ path: 'reflector.relists', op: '>=', since: 1 }, { path: 'queue.items', op: 'has', value: 'Deleted' }] },
      dwell: 5,
    },
    {
      name: ['the tombstones', 'tombstone'],
      focus: ['queue', 'indexer'],
      open: 'queue',
      caption: ['The new list lacks three keys that the store holds, so they must have been deleted: the queue gets a tombstone for each.', '新列表里少了 store 里的三个 key，说明它们被删了：队列为每个放一个 tombstone。'],
      until: { path: 'queue.depth', op: '>=', value: 4 },
      dwell: 8,
    },
    {
      name: ['OnDelete', 'OnDelete'],
      focus: ['queue', 'indexer', 'listeners'],
      listener: 'printer',
      caption: ['Released: the store forgets the three, and the handlers are told.', '放行：store 忘掉那三个，handler 得到通知。'],
      after: ['OnDelete gets a DeletedFinalStateUnknown with the last known state: unwrap it, and do not trust what it holds.', 'OnDelete 得到 DeletedFinalStateUnknown，里面是最后已知的状态：拆开它，别相信里面的内容。'],
      do: [['release', 'pop', 0]],
      until: { path: 'queue.depth', op: '<=', value: 0 },
      dwell: 5,
    },
  ],
};
