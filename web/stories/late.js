// @ts-check

/** @type {import('./index.js').Story} */
export default {
  id: 'late',
  group: 'handlers',
  seconds: 50,
  title: ['The late handler', '迟到的 handler'],
  lesson: ['the informer has synced, your handler has not: wait for its registration', 'informer 已 synced，你的 handler 还没有：要等它的 registration'],
  terms: 'AddEventHandler ResourceEventHandlerRegistration HasSynced isInInitialList OnAdd kubernetes#113763',
  select: { source: 'sim', context: '', group: '', version: 'v1', resource: 'pods', namespace: '', era: '1.37', seed: 7, objects: 240, rate: 6 },
  ready: { and: [{ path: 'queue.synced', value: true }, { path: 'listeners[name=mailer].synced', value: true }] },
  steps: [
    {
      name: ['all are synced', '都已 synced'],
      focus: ['indexer', 'listeners'],
      listener: 'printer',
      caption: ['The store is full, and three handlers have heard of every object in it. Every lamp is on.', 'store 满了，三个 handler 都听说过其中的每个对象。灯都亮着。'],
      until: { path: 'listeners[name=printer].handled', op: '>=', value: 240 },
      dwell: 6,
    },
    {
      name: ['one comes late', '有一个迟到'],
      focus: ['indexer', 'listeners'],
      listener: 'auditor',
      caption: ['A fourth handler registers now. It gets each object of the store as OnAdd with isInInitialList, in no order.', '第四个 handler 现在才注册。store 里的每个对象都作为 OnAdd 交给它，带 isInInitialList，没有顺序。'],
      after: ['No request went out for it: what it hears comes from the store, while new deltas wait for the lock.', '没有为它发任何请求：它听到的来自 store，其间新的 delta 等着锁。'],
      do: [['addListener', { name: 'auditor', paceMillis: 400 }]],
      until: { path: 'listeners[name=auditor].distributed', op: '>=', value: 200 },
      dwell: 5,
    },
    {
      name: ['two lamps', '两盏灯'],
      focus: ['queue', 'indexer', 'listeners'],
      listener: 'auditor',
      caption: ['The informer’s HasSynced has long been true. auditor’s own lamp is off: it has not seen {listeners[name=auditor].pending} of them yet.', 'informer 的 HasSynced 早就是 true。auditor 自己的灯还没亮：还有 {listeners[name=auditor].pending} 个没看到。'],
      until: { path: 'listeners[name=auditor].handled', op: '>=', since: 8 },
      dwell: 6,
    },
    {
      name: ['now it is synced', '现在才 synced'],
      focus: ['listeners'],
      listener: 'auditor',
      caption: ['We make it quick. Its registration is synced when the last of those first OnAdds has returned, and not before.', '让它快起来。最后一个初始 OnAdd 返回之后，它的 registration 才 synced，不会更早。'],
      after: ['Before you act on the whole picture, wait for your registration’s HasSynced. And let OnAdd be idempotent: to a latecomer old is new.', '要依据全貌行动，先等自己 registration 的 HasSynced。OnAdd 要幂等：对迟到者，旧的也是新的。'],
      do: [['pace', 4, 1]],
      until: { path: 'listeners[name=auditor].synced', value: true },
      dwell: 5,
    },
  ],
};
