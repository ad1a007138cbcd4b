// @ts-check

/** @type {import('./index.js').Story} */
export default {
  id: 'key',
  group: 'handlers',
  seconds: 60,
  title: ['A hundred changes, one key', '一百次变更，一个 key'],
  lesson: ['a work queue holds keys, not events: reconcile what is, not what happened', 'work queue 里是 key 而不是事件：调和的是现状，不是经过'],
  terms: 'workqueue dirty processing Add Done level-triggered edge-triggered reconcile lister controller-runtime#2703',
  select: { source: 'sim', context: '', group: '', version: 'v1', resource: 'pods', namespace: '', era: '1.37', seed: 7, objects: 1, rate: 0 },
  ready: { and: [{ path: 'queue.synced', value: true }, { path: 'reflector.phase', value: 'watching' }, { path: 'workqueue.depth', value: 0 }] },
  steps: [
    {
      name: ['one pod', '一个 pod'],
      focus: ['indexer', 'listeners', 'controller'],
      listener: 'printer',
      caption: ['One pod, a handler that does nothing but enqueue its key, and two workers that wait for keys.', '一个 pod，一个只会 enqueue 它的 key 的 handler，还有两个等着 key 的 worker。'],
      until: { path: 'workqueue.depth', value: 0 },
      dwell: 6,
    },
    {
      name: ['a hundred Adds', '一百次 Add'],
      focus: ['listeners', 'controller'],
      listener: 'printer',
      caption: ['We hold the workers and change the pod a hundred times.', '按住 worker，把这个 pod 改一百次。'],
      after: ['A hundred events, a hundred calls of Add, one key in the queue: while a key is dirty, adding it again does nothing.', '一百个事件，一百次 Add，队列里只有一个 key：key 已是 dirty，再 Add 什么也不做。'],
      do: [['hold', 'take'], ['cluster', 'burst', { n: 100 }]],
      until: { and: [{ path: 'listeners[name=printer].handled', op: '>=', since: 100 }, { path: 'workqueue.depth', value: 1 }] },
      dwell: 5,
    },
    {
      name: ['one reconcile', '一次 reconcile'],
      focus: ['indexer', 'controller'],
      caption: ['Released, one worker takes the key and asks the lister: it gets the newest pod. The 99 versions before it never mattered.', '放行：一个 worker 取走 key，去问 lister，得到最新的 pod。之前的 99 个版本无关紧要。'],
      do: [['release', 'take', 0]],
      until: { and: [{ path: 'workqueue.reconciles', op: '>=', since: 1 }, { path: 'workqueue.depth', value: 0 }] },
      dwell: 6,
    },
    {
      name: ['dirty meanwhile', '其间又 dirty'],
      focus: ['listeners', 'controller'],
      listener: 'printer',
      caption: ['A hundred more, and nobody is held: the first Add wakes a worker, the others find its key in processing and mark it dirty.', '再来一百次，谁也不按住：第一次 Add 唤醒一个 worker，其余的发现 key 正在 processing，标为 dirty。'],
      after: ['At Done the dirty key went back into the queue once. A hundred changes, a few reconciles, and the last one saw the last state.', 'Done 时，dirty 的 key 回队列一次。一百次变更，寥寥几次 reconcile，最后一次看到最后的状态。'],
      do: [['cluster', 'burst', { n: 100 }]],
      until: { and: [{ path: 'listeners[name=printer].handled', op: '>=', since: 100 }, { path: 'workqueue.reconciles', op: '>=', since: 2 }, { path: 'workqueue.depth', value: 0 }] },
      dwell: 6,
    },
  ],
};
