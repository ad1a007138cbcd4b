// @ts-check

/** @type {import('./index.js').Story} */
export default {
  id: 'tombstone',
  group: 'breaks',
  seconds: 70,
  title: ['Deleted while nobody looked', '没人看时被删除'],
  lesson: ['OnDelete may hand you a tombstone: unwrap it', 'OnDelete 可能给你一个 tombstone：要拆开'],
  terms: 'DeletedFinalStateUnknown tombstone OnDelete DeletionHandlingMetaNamespaceKeyFunc relist kubernetes#97255',
  select: { source: 'sim', context: '', group: '', version: 'v1', resource: 'pods', namespace: '', era: '1.35', seed: 7, objects: 40, rate: 2 },
  ready: { and: [{ path: 'queue.synced', value: true }, { path: 'reflector.phase', value: 'watching' }] },
  steps: [
    {
      name: ['a full store', '满的 store'],
      focus: ['indexer', 'listeners'],
      listener: 'printer',
      caption: ['The store holds every pod that the cluster has, and the handlers have heard of each.', 'store 里有集群的每个 pod，handler 也都听说过。'],
      until: { path: 'indexer.count', op: '>=', value: 20 },
      dwell: 6,
    },
    {
      name: ['nobody looks', '没人在看'],
      focus: ['api', 'reflector'],
      caption: ['The connection breaks. Until it is back, nobody tells the informer what goes on.', '连接断开。恢复之前，没人告诉 informer 发生了什么。'],
      do: [['fault', 'refuse', { on: true }], ['fault', 'cut', {}]],
      until: { path: 'reflector.phase', value: 'backoff' },
      dwell: 6,
    },
    {
      name: ['a pod is deleted', '一个 pod 被删'],
      focus: ['api', 'indexer'],
      caption: ['A deployment is restarted: its pods go, others come, and the history is compacted. The store still holds the old ones.', '一个 deployment 重启：旧 pod 消失，新 pod 出现，历史也被 compact。store 里还是旧的。'],
      do: [['cluster', 'delete', {}], ['cluster', 'delete', {}], ['cluster', 'delete', {}]],
      until: { path: 'api.writes', op: '>=', since: 6 },
      dwell: 8,
    },
    {
      name: ['the relist', 'relist'],
      focus: ['reflector', 'queue'],
      caption: ['The connection is back, but the history is gone: the Reflector lists anew.', '连接恢复了，但历史没了：Reflector 重新 list。'],
      do: [['cluster', 'compact', {}], ['fault', 'refuse', { on: false }]],
      until: { and: [{ path: 'reflector.relists', op: '>=', since: 1 }, { path: 'reflector.phase', value: 'watching' }] },
      dwell: 6,
    },
    {
      name: ['the tombstone', 'tombstone'],
      focus: ['queue', 'indexer', 'listeners'],
      listener: 'printer',
      caption: ['A key of the store is missing in the list, so it must have been deleted: the queue makes a tombstone of what was known.', 'store 里的 key 不在列表里，说明它被删了：队列用已知的内容做一个 tombstone。'],
      after: ['OnDelete gets a DeletedFinalStateUnknown with the last known state: unwrap it, and do not trust its contents.', 'OnDelete 得到 DeletedFinalStateUnknown，里面是最后已知的状态：拆开它，别相信里面的内容。'],
      until: { path: 'queue.depth', op: '<=', value: 0 },
      dwell: 8,
    },
  ],
};
