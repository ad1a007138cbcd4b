// @ts-check
// Explain: for every station three sentences, its function in client-go, and what changed between releases. The card covers the maps, so that
// the rows can be seen beside it, and stays until it is closed.
import { button, h, icon, reveal } from '../kit/dom.js';
import { releases } from '../kit/commands.js';
import { addWords, t } from '../kit/i18n.js';
import { stationNames } from '../kit/names.js';

addWords({
  'ex.open': ['what is this?', '这是什么？'],
  'ex.what': ['About {name}', '关于 {name}'],
  'ex.next': ['next station', '下一站'],
  'ex.prev': ['previous station', '上一站'],
  'ex.code': ['in client-go', '在 client-go 中'],
  'ex.eras': ['by release', '各版本'],
  'ex.since': ['The release on the stage is marked.', '标出的是当前显示的版本。'],

  'ex.api.1': [
    'Every write gets the next resourceVersion, and the latest changes are kept in a window of history.',
    '每次写入得到下一个 resourceVersion；最近的变更保存在一段历史窗口里。',
  ],
  'ex.api.2': [
    'A LIST returns everything at one version; a WATCH sends each change after a version as a frame of its own.',
    'LIST 返回某一版本的全部对象；WATCH 把该版本之后的每个变更各作为一个 frame 发来。',
  ],
  'ex.api.3': ['A client that asks for changes older than the window gets 410 Gone and must list again.', '请求早于窗口的变更会得到 410 Gone，只能重新 list。'],
  'ex.api.131': ['asked with LIST (limit=500, which the watch cache ignores at rv=0), then WATCH', '先 LIST（limit=500，rv=0 时 watch cache 会忽略它），再 WATCH'],
  'ex.api.135': ['asked with one WATCH that sends all objects first: WatchList', '只用一个 WATCH，先把所有对象发来：WatchList'],

  'ex.reflector.1': [
    'It lists all objects once, puts them into the queue as one replacement, then reads the watch frame by frame.',
    '它先 list 一次全部对象，作为一次替换放入队列，然后逐个 frame 读 watch。',
  ],
  'ex.reflector.2': [
    'After each frame it remembers the resourceVersion, so that the next watch can resume from there.',
    '每个 frame 之后它记住 resourceVersion，下一个 watch 可从那里继续。',
  ],
  'ex.reflector.3': [
    'When that is not possible it waits and lists again. The wait doubles from 0.8 s up to 30 s, plus a jitter of up to as much again; it starts '
      + 'over once two minutes have passed without a new wait.',
    '若不能继续，它就等待，然后重新 list：等待从 0.8 s 起每次翻倍，至 30 s，另加至多同样长的抖动；两分钟没有新的等待，才从头开始。',
  ],
  'ex.reflector.3s': [
    'When that is not possible it waits and lists again. The wait doubles from 0.8 s up to 30 s, plus a jitter of up to as much again; it starts '
      + 'over every two minutes, however long the outage.',
    '若不能继续，它就等待，然后重新 list：等待从 0.8 s 起每次翻倍，至 30 s，另加至多同样长的抖动；无论中断多久，每两分钟从头开始。',
  ],
  'ex.reflector.131': ['LIST, then WATCH', 'LIST，再 WATCH'],
  'ex.reflector.135': ['watchList: initial objects gather in a temporary store until a bookmark marks their end', 'watchList：初始对象先进临时缓存，直到一个书签（bookmark）标记结束'],
  'ex.reflector.137': ['since 1.36 a bookmark is queued too, so the store’s version moves without objects', '自 1.36 起书签（bookmark）也入队，没有对象时本地缓存的版本也前进'],
  'ex.reflector.138': ['goroutines decode the stream of a WatchList before the Reflector reads it', 'WatchList 的流由多个 goroutine 提前解码，Reflector 之后才读'],

  'ex.real.1': ['It keeps every change in order of arrival: nothing is merged and nothing is reordered.', '它按到达的顺序保存每个变更：不合并，也不乱序。'],
  'ex.real.2b': [
    'PopBatch takes up to 1,000 changes of different keys; a key’s second change ends the batch.',
    'PopBatch 一次取最多 1,000 个不同 key 的变更；同一 key 的第二个变更结束这一批。',
  ],
  'ex.real.2a': [
    'PopBatch takes up to 1,000 changes of different keys; a key’s second change, a Bookmark, a SyncAll or a ReplacedAll ends the batch.',
    'PopBatch 一次取最多 1,000 个不同 key 的变更；同一 key 的第二个变更、Bookmark、SyncAll 或 ReplacedAll 结束这一批。',
  ],
  'ex.real.2r': [
    'PopBatch takes up to 1,000 changes, also several of one key; a Bookmark, a SyncAll or a ReplacedAll ends the batch.',
    'PopBatch 一次取最多 1,000 个变更，同一 key 的也可有多个；Bookmark、SyncAll 或 ReplacedAll 结束这一批。',
  ],
  'ex.real.2s': ['Pop takes one change at a time, and holds the lock until it is processed.', 'Pop 一次取一个变更，处理完之前一直持有锁。'],
  'ex.real.3u': [
    'The lock is released while a batch is processed, so the Reflector goes on; with 2,000 or more waiting it is kept.',
    '处理一批时会释放锁，Reflector 可以继续；若有 2,000 个以上在等，则不释放。',
  ],
  'ex.real.3l': [
    'initialPopulation counts the first replacement down; at zero the queue has synced. HasSynced waits for the lock.',
    'initialPopulation 从首次替换的数量递减；减到 0 即视为已同步（synced）。调用 HasSynced 要等待这把锁。',
  ],
  'ex.delta.1': ['It is two things: a queue of keys, and a map from each key to the Deltas that wait for it.', '它是两样东西：一个 key 的队列，和一个从 key 到等待中 Deltas 的 map。'],
  'ex.delta.2': [
    'Pop takes one key with all its Deltas under the lock, so a later change of that key overtakes earlier changes of others.',
    'Pop 持锁取出一个 key 和它全部的 Deltas：这个 key 较晚的变更会超过别的 key 较早的变更。',
  ],
  'ex.delta.3': [
    'Two Deleted in a row become one; every other change is kept. HasSynced waits for the lock, so it is true only when the last object of the '
      + 'first list is in the store.',
    '相邻的两个 Deleted 合并为一，其他变更都保留。HasSynced 要等这把锁，所以首次 list 的最后一个对象进了本地缓存，它才为真。',
  ],
  'ex.queue.131': ['DeltaFIFO: order holds for each key alone', 'DeltaFIFO：只保证每个 key 自己的顺序'],
  'ex.queue.133': ['RealFIFO: order holds for all keys; one delta a Pop', 'RealFIFO：所有 key 的顺序都保持；每次 Pop 一个 delta'],
  'ex.queue.135': ['PopBatch: up to 1,000 deltas at once', 'PopBatch：一次最多 1,000 个 delta'],
  'ex.queue.137': [
    'since 1.36 a relist is one ReplacedAll and a resync one SyncAll; the lock is released while processing',
    '自 1.36 起一次 relist 是一个 ReplacedAll，一次 resync 是一个 SyncAll；处理时释放锁',
  ],
  'ex.queue.138': ['a batch may have several deltas of one key', '一批里同一 key 可有多个 delta'],

  'ex.indexer.1': [
    'It is the store (the cache): a map from key to object, and for each index a map from value to a set of keys.',
    '它是本地缓存（store）：从 key 到对象的 map；每个索引是从值到 key 集合的 map。',
  ],
  'ex.indexer.2': [
    'Each write updates every index under the same lock, so an index disagrees with the store only when a handler mutates an object.',
    '每次写入都在同一把锁下更新所有索引；只有 handler 改写对象时，索引才会与本地缓存不一致。',
  ],
  'ex.indexer.3': ['A lister returns the object itself, not a copy: a change to it is a change for every reader.', 'lister 给出的是对象本身而不是副本：修改它会影响所有使用者。'],
  'ex.indexer.131': ['one write at a time; no resourceVersion is kept', '一次写一个；不保存 resourceVersion'],
  'ex.indexer.135': ['a batch is one Transaction under one lock', '一批是一把锁下的一个 Transaction'],
  'ex.indexer.137': [
    'since 1.36 a relist replaces the whole map at once, and the store keeps its resourceVersion',
    '自 1.36 起 relist 一次替换整个 map，本地缓存保存自己的 resourceVersion',
  ],
  'ex.indexer.138': ['of several deltas of a key in a batch only the last is written', '一批里同一 key 有多个 delta 时，只写入最后一个'],

  'ex.listeners.1': [
    'Each handler has two goroutines: one moves notifications from addCh to nextCh, the other calls the handler.',
    '每个 handler 有两个 goroutine：一个把通知从 addCh 移到 nextCh，另一个调用 handler。',
  ],
  'ex.listeners.2': [
    'Notifications that cannot be delivered yet wait in a ring that starts at 1,024, doubles when it is full, and never shrinks.',
    '暂时交不出去的通知在环形缓冲（ring）里等：容量从 1,024 开始，满了就翻倍，从不缩小。',
  ],
  'ex.listeners.3': [
    'Order holds within a listener; a slow handler costs memory, but delays no other handler.',
    '一个 listener 之内保证顺序；慢的 handler 费内存，但不影响其他 handler。',
  ],
  'ex.listeners.131': ['each change is distributed as soon as it is in the store', '每个变更进了本地缓存就立刻分发'],
  'ex.listeners.135': ['a batch is in the store before its first notification leaves', '一批都进了本地缓存，第一份通知才发出'],
  'ex.listeners.137': [
    'since 1.36 a relist is whole in the store before any handler is called; 1.37 adds ShutDownEventHandler, which waits for the last call',
    '自 1.36 起 relist 整个进了本地缓存，才调用 handler；1.37 增加 ShutDownEventHandler，会等最后一次调用',
  ],
  'ex.listeners.138': ['during a call the store may be ahead of the object in that call', '调用期间，本地缓存可能比这次调用的对象更新'],

  'ex.controller.1': [
    'Handlers add keys and not events to the work queue, so many changes of one object become one reconcile.',
    'handler 加入工作队列的是 key 而不是事件：一个对象的多次变更只调谐一次。',
  ],
  'ex.controller.2': [
    'A key that is added while a worker has it is marked dirty and queued again when the worker is done: never two workers on one key.',
    '正被 worker 处理的 key 再次入队时标记为 dirty，处理完后重新排队：同一个 key 不会同时由两个 worker 处理。',
  ],
  'ex.controller.3': [
    'A key that failed waits: 5 ms, doubling with each failure up to 1,000 s. All failures share 10 a second, in bursts of 100. A fresh Add does '
      + 'not wait.',
    '失败的 key 要等待：5 ms 起，每次失败加倍，至 1,000 s；所有失败共用每秒 10 次、突发 100 次的限额。新的 Add 不受此影响。',
  ],
  'ex.controller.131': ['the same queue in all releases', '各版本都是同一个队列'],
  'ex.controller.137': [
    'since 1.36 a store reports its resourceVersion, so a reconcile can check how new its read was',
    '自 1.36 起本地缓存会报告自己的 resourceVersion，调谐时可以判断读到的有多新',
  ],
});

/** @typedef {import('../wire/types.js').Features} Features */

/**
 * The releases in which something changed, as the numbers in the keys of the words: the name of each, and what tells it from those before it.
 * @type {Record<string, {era: string, is: (f: Features) => boolean}>}
 */
const changes = {
  131: { era: '1.31', is: () => true },
  133: { era: '1.33', is: (f) => f.keepsOrder },
  135: { era: '1.35', is: (f) => f.popsBatches },
  137: { era: '1.37', is: (f) => f.atomic },
  138: { era: '1.38', is: (f) => f.repeatsKeys },
};

/** How people write a release. @param {string} era */
const labelOf = (era) => releases.find((r) => r.era === era)?.label ?? era;

/** The newest of some changes that a release has. @param {string[]} eras @param {Features} f */
const newest = (eras, f) => eras.findLast((e) => changes[e].is(f)) ?? eras[0];

/**
 * @typedef {{id: string, eras: string[], sentences: (f: Features) => string[], code: (f: Features) => [string, string]}} Station
 */

/** @type {Station[]} */
const stations = [
  {
    id: 'api', eras: ['131', '135'],
    sentences: () => ['ex.api.1', 'ex.api.2', 'ex.api.3'],
    code: (f) => [f.contexts ? '(*ListWatch).WatchWithContext' : '(*ListWatch).Watch', 'tools/cache/listwatch.go'],
  },
  {
    id: 'reflector', eras: ['131', '135', '137', '138'],
    sentences: (f) => ['ex.reflector.1', 'ex.reflector.2', f.resets ? 'ex.reflector.3s' : 'ex.reflector.3'],
    code: (f) => [f.contexts ? '(*Reflector).ListAndWatchWithContext' : '(*Reflector).ListAndWatch', 'tools/cache/reflector.go'],
  },
  {
    id: 'queue', eras: ['131', '133', '135', '137', '138'],
    sentences: (f) => (!f.keepsOrder ? ['ex.delta.1', 'ex.delta.2', 'ex.delta.3']
      : ['ex.real.1', !f.popsBatches ? 'ex.real.2s' : f.repeatsKeys ? 'ex.real.2r' : f.atomic ? 'ex.real.2a' : 'ex.real.2b',
        f.unlocks ? 'ex.real.3u' : 'ex.real.3l']),
    code: (f) => (!f.keepsOrder ? ['(*DeltaFIFO).Pop', 'tools/cache/delta_fifo.go']
      : [f.popsBatches ? '(*RealFIFO).PopBatch' : '(*RealFIFO).Pop', 'tools/cache/the_real_fifo.go']),
  },
  {
    id: 'indexer', eras: ['131', '135', '137', '138'],
    sentences: () => ['ex.indexer.1', 'ex.indexer.2', 'ex.indexer.3'],
    code: (f) => [f.popsBatches ? '(*threadSafeMap).Transaction' : '(*threadSafeMap).Update', 'tools/cache/thread_safe_store.go'],
  },
  {
    id: 'listeners', eras: ['131', '135', '137', '138'],
    sentences: () => ['ex.listeners.1', 'ex.listeners.2', 'ex.listeners.3'],
    code: () => ['(*processorListener).pop', 'tools/cache/shared_informer.go'],
  },
  {
    id: 'controller', eras: ['131', '137'],
    sentences: () => ['ex.controller.1', 'ex.controller.2', 'ex.controller.3'],
    code: () => ['(*Typed[T]).Get', 'util/workqueue/queue.go'],
  },
];

export class Explain {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} app */
  constructor(ctx, app) {
    this.ctx = ctx;
    /** The station that is explained, or -1. */
    this.index = -1;
    this.shownId = '';
    /** What gets the focus back. @type {HTMLElement | null} */
    this.back = null;
    this.title = h('h2');
    this.sentences = [h('p'), h('p'), h('p')];
    this.codeHead = h('span', { class: 'exl' });
    this.code = h('code');
    this.file = h('small');
    this.eras = h('div', { class: 'exe' });
    const key = (/** @type {string} */ path, /** @type {number} */ n) => (
      /** @type {HTMLButtonElement} */ (button({ class: 'key' }, () => this.step(n), icon(path))));
    this.prev = key('M10 3L5 8L10 13', -1);
    this.next = key('M6 3L11 8L6 13', 1);
    this.x = button({ class: 'key' }, () => this.close(), 'esc');
    this.card = h('section', { class: 'exc', id: 'explain', tabindex: -1, hidden: '' },
      h('div', { class: 'exh' }, this.title, this.prev, this.next, this.x), ...this.sentences,
      h('div', { class: 'exk' }, this.codeHead, h('div', {}, this.code, this.file)), this.eras);
    app.append(this.card);
  }

  /** Explains the next station, or closes after the last one. @param {number} d */
  step(d) {
    const n = this.index + d;
    if (n < 0 || n >= stations.length) this.close();
    else this.show(n);
  }

  /** Explains a station. @param {string} id */
  open(id) {
    this.show(stations.findIndex((st) => st.id === id));
  }

  /** @param {number} i @private */
  show(i) {
    if (this.index < 0) this.back = /** @type {HTMLElement | null} */ (document.activeElement);
    this.index = i;
    this.shownId = '';
    this.ctx.spotlight([stations[i].id]);
    this.paint();
    if (!this.card.contains(document.activeElement)) this.card.focus();
  }

  /** Returns whether a card was open. */
  close() {
    if (this.index < 0) return false;
    this.index = -1;
    this.ctx.spotlight(null);
    this.paint();
    if (this.card.contains(document.activeElement) || document.activeElement === document.body) this.back?.focus();
    return true;
  }

  /** Brings the card to the release and the language that are set. */
  paint() {
    const st = stations[this.index];
    reveal(this.card, !!st);
    if (!st) return;
    const { features } = this.ctx.model.facts;
    const id = `${st.id}|${newest(Object.keys(changes), features)}|${t('close')}`;
    if (id === this.shownId) return;
    this.shownId = id;
    this.card.setAttribute('aria-label', t('ex.what', { name: stationNames[st.id] }));
    this.title.textContent = stationNames[st.id];
    this.prev.setAttribute('aria-label', t('ex.prev'));
    this.next.setAttribute('aria-label', t('ex.next'));
    this.x.setAttribute('aria-label', `esc ${t('close')}`);
    this.prev.disabled = this.index === 0;
    this.next.disabled = this.index === stations.length - 1;
    st.sentences(features).forEach((k, i) => (this.sentences[i].textContent = t(k)));
    const [code, file] = st.code(features);
    this.codeHead.textContent = t('ex.code');
    this.code.textContent = code;
    this.file.textContent = file;
    const now = newest(st.eras, features);
    this.eras.replaceChildren(h('span', { class: 'exl' }, t('ex.eras')), ...st.eras.map((e) => {
      const row = h('div', e === now ? { class: 'on', 'aria-current': 'true' } : {}, h('b', {}, labelOf(changes[e].era)), h('span', {}, t(`ex.${st.id}.${e}`)));
      if (e === now) row.title = t('ex.since');
      return row;
    }));
  }
}
