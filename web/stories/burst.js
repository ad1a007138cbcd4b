// @ts-check

/** @type {import('./index.js').Story} */
export default {
  id: 'burst',
  group: 'order',
  seconds: 75,
  title: ['Two eras, one burst', '两个时代，一阵变更'],
  lesson: ['RealFIFO keeps the order of all keys, DeltaFIFO of each key', 'RealFIFO 保持所有 key 的顺序，DeltaFIFO 只保持每个 key 的'],
  terms: 'DeltaFIFO RealFIFO Pop PopBatch Deltas order kubernetes#129568',
  // The seed is one whose next three changes are of one pod, of another, and of the first again.
  select: { source: 'sim', context: '', group: '', version: 'v1', resource: 'pods', namespace: '', era: '1.31,1.37', seed: 6, objects: 2, rate: 0 },
  ready: { and: [{ path: 'lanes[0].queue.synced', value: true }, { path: 'lanes[1].queue.synced', value: true }] },
  steps: [
    {
      name: ['two informers', '两个 informer'],
      focus: ['reflector'],
      caption: ['One cluster, two informers: client-go 1.31 with its DeltaFIFO, and 1.37 with its RealFIFO.', '一个集群，两个 informer：client-go 1.31 用 DeltaFIFO，1.37 用 RealFIFO。'],
      until: { and: [{ path: 'lanes[0].queue.synced', value: true }, { path: 'lanes[1].queue.synced', value: true }] },
      dwell: 6,
    },
    {
      name: ['Pop is held', '按住 Pop'],
      focus: ['queue'],
      caption: ['We hold Pop in both, and three changes come: of A, of B, and of A again.', '两边都按住 Pop，然后来三次变更：A，B，又是 A。'],
      after: ['DeltaFIFO files them by key: A has two deltas, B has one. RealFIFO keeps one line.', 'DeltaFIFO 按 key 归档：A 有两个 delta，B 有一个。RealFIFO 只排一行。'],
      do: [['hold', 'pop'], ['cluster', 'burst', { n: 3 }]],
      until: { and: [{ path: 'lanes[1].queue.depth', op: '>=', value: 3 }, { path: 'lanes[0].queue.depth', op: '>=', value: 1 }] },
      dwell: 7,
    },
    {
      name: ['Pop goes on', '放行 Pop'],
      focus: ['queue', 'indexer', 'listeners'],
      caption: ['Released: DeltaFIFO hands over all that A has, then B. RealFIFO hands over what came first.', '放行：DeltaFIFO 先交出 A 的全部，再交 B。RealFIFO 先来先交。'],
      after: ['DeltaFIFO’s lines cross, RealFIFO’s run straight: only RealFIFO keeps the order between keys.', 'DeltaFIFO 的线交叉，RealFIFO 的线直走：只有 RealFIFO 保持 key 之间的顺序。'],
      do: [['release', 'pop', 0]],
      until: { and: [{ path: 'lanes[0].listeners[0].handled', op: '>=', since: 3 }, { path: 'lanes[1].listeners[0].handled', op: '>=', since: 3 }] },
      dwell: 7,
    },
    {
      name: ['what it means', '意味着什么'],
      focus: ['indexer', 'listeners'],
      open: 'indexer',
      caption: ['For a moment the store of 1.31 held A’s newest change without B’s: a state that the cluster never had.', '有一瞬间，1.31 的 store 有 A 的最新变更却没有 B 的：集群从未有过的状态。'],
      after: ['Never count on the order between two objects: read both from the lister, and reconcile.', '不要依赖两个对象之间的顺序：都从 lister 读，再 reconcile。'],
      until: { path: 'queue.depth', op: '<=', value: 0 },
      dwell: 8,
    },
  ],
};
