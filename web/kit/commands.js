// @ts-check
// Made by go run ./tools/webtypes from the tables of core/page/command and the releases of core/informer; not to be edited.

/** What a command does to the experiment; see docs/dev/protocol.md. @typedef {'looks' | 'shows' | 'moves' | 'acts' | 'begins' | 'talks'} Effect */

/** The effect of each command. @type {Record<keyof import('../wire/types.js').Calls, Effect>} */
export const effects = {
  state: 'looks',
  select: 'begins',
  transform: 'begins',
  fork: 'begins',
  story: 'looks',
  attached: 'looks',
  checkStory: 'looks',
  arrive: 'looks',
  fault: 'acts',
  hold: 'acts',
  release: 'acts',
  addListener: 'acts',
  removeListener: 'acts',
  pace: 'acts',
  panic: 'acts',
  addIndex: 'acts',
  writes: 'acts',
  shutdown: 'acts',
  start: 'acts',
  shard: 'acts',
  unshared: 'acts',
  cluster: 'acts',
  play: 'moves',
  pause: 'moves',
  live: 'moves',
  step: 'moves',
  seek: 'moves',
  seekTime: 'moves',
  mark: 'moves',
  object: 'looks',
  ride: 'looks',
  diagnose: 'looks',
  compare: 'looks',
  laboratory: 'looks',
  index: 'looks',
  show: 'shows',
  follow: 'shows',
  window: 'shows',
  entries: 'looks',
  stories: 'looks',
  storyAdd: 'shows',
  storyBegin: 'begins',
  storyTurn: 'moves',
  storyStep: 'moves',
  storyLevel: 'shows',
  storyRide: 'shows',
  storyEnd: 'shows',
  storyFollow: 'shows',
  sources: 'looks',
  token: 'begins',
  resources: 'looks',
  namespaces: 'looks',
  record: 'looks',
  export: 'looks',
  load: 'begins',
  broadcast: 'talks',
  broadcastBegin: 'talks',
  broadcastEnd: 'talks',
  page: 'talks',
  apart: 'talks',
  along: 'talks',
};

/** The greatest number that a key of the address takes. */
export const limits = {
  seed: 9007199254740991,
  objects: 100000,
  rate: 10000,
  from: 21600000,
  at: 9007199254740991,
  level: 3,
  laboratory: 2000,
};

/** The releases of client-go, the newest first: how people write each, and its queue. */
export const releases = [
  { era: '1.38', label: '1.38 (beta)', queue: 'RealFIFO' },
  { era: '1.37', label: '1.37', queue: 'RealFIFO' },
  { era: '1.35', label: '1.35', queue: 'RealFIFO' },
  { era: '1.33', label: '1.33', queue: 'RealFIFO' },
  { era: '1.31', label: '1.31', queue: 'DeltaFIFO' },
];

/** What the releases changed, the oldest change first: since which one, in words, and the story that shows it. */
export const changes = [
  {
    since: '1.33', story: 'burst',
    en: 'The queue is a RealFIFO: it keeps the order of all changes, and merges none. A DeltaFIFO keeps the order of each key alone.',
    zh: '队列是 RealFIFO：保持所有变更的顺序，从不合并。DeltaFIFO 只保证每个 key 自己的顺序。',
  },
  {
    since: '1.33', story: '',
    en: 'The Reflector’s functions take a context.',
    zh: 'Reflector 的函数接受 context。',
  },
  {
    since: '1.33', story: '',
    en: 'After a handler’s panic the pause of a second begins with the next notification. Before, it began at once.',
    zh: 'handler panic 之后的一秒停顿，从下一个通知到来时算起；以前立刻开始。',
  },
  {
    since: '1.33', story: '',
    en: 'A relist waits for a resync that runs.',
    zh: '正在进行的 resync 结束之后，才会 relist。',
  },
  {
    since: '1.35', story: 'burst',
    en: 'Up to 1,000 changes are one transaction of the store. All calls of handlers come after it.',
    zh: '至多 1,000 个变更作为一个事务写入本地缓存，之后才调用 handler。',
  },
  {
    since: '1.35', story: 'watchlist',
    en: 'The first list is a WatchList: a stream of the objects, and a bookmark that ends it.',
    zh: '第一次 list 是 WatchList：对象以流的形式到来，由一个书签（bookmark）结束。',
  },
  {
    since: '1.35', story: '',
    en: 'An informer that stops leaves what waits in its queue. Before, it processed that first.',
    zh: 'informer 停止时，队列里等待的变更不再处理；以前会先处理完。',
  },
  {
    since: '1.35', story: '',
    en: 'GetController().LastSyncResourceVersion() reports the Reflector’s version. Before, it was empty.',
    zh: 'GetController().LastSyncResourceVersion() 报告 Reflector 的版本；以前为空。',
  },
  {
    since: '1.37', story: 'atomic',
    en: 'A relist replaces the whole store in one step, before a handler is called. The store knows its resourceVersion.',
    zh: 'relist 一次替换整个本地缓存，之后才调用 handler。本地缓存知道自己的 resourceVersion。',
  },
  {
    since: '1.37', story: 'indexing',
    en: 'The queue takes changes while popped ones are processed.',
    zh: '处理出队的变更时，队列仍可入队。',
  },
  {
    since: '1.37', story: '',
    en: 'The wait before a retry starts over every two minutes, however long the outage.',
    zh: '重试前的等待每两分钟从头开始，无论中断多久。',
  },
  {
    since: '1.37', story: '',
    en: 'HasSynced takes no lock of the queue, so it answers while an object is processed.',
    zh: 'HasSynced 不再取队列的锁：处理对象时也能回答。',
  },
  {
    since: '1.37', story: '',
    en: 'A list or a watch in the form of a Table is not read.',
    zh: '不再读取 Table 形式的 list 或 watch。',
  },
  {
    since: '1.37', story: '',
    en: 'In a watch from no version, or from 0, the first Added events do not advance the version.',
    zh: '从空版本或 0 开始的 watch，最初的 Added 不推进版本。',
  },
  {
    since: '1.37', story: '',
    en: 'Bookmarks reach the store.',
    zh: '书签（bookmark）会传到本地缓存。',
  },
  {
    since: '1.38', story: 'ahead',
    en: 'A batch may have several changes of a key. Each has its call, but only the last is written: during a call the store may be ahead of the object in the call, or have it no more.',
    zh: '一批里同一 key 可有多个变更：每个都有一次调用，但只写入最后一个。调用期间，本地缓存可能比这次调用的对象更新，或者已没有它。',
  },
  {
    since: '1.38', story: '',
    en: 'Goroutines decode a WatchList before the Reflector reads it: up to 212 more frames leave the connection.',
    zh: 'WatchList 由多个 goroutine 提前解码，Reflector 之后才读：连接上至多再取走 212 帧。',
  },
  {
    since: '1.38', story: 'shards',
    en: 'An informer can have a shard selector (SetShardSelector). Where the API server does not know shards, the client drops the other objects.',
    zh: 'informer 可设分片选择器（SetShardSelector）。API server 不支持分片时，由客户端丢弃不属于自己的对象。',
  },
  {
    since: '1.38', story: '',
    en: 'A write that changes none of several index values leaves the index alone, even where a handler has made it wrong.',
    zh: '多个索引值都没变的写入不再动索引，即使 handler 已让它出错。',
  },
  {
    since: '1.38', story: '',
    en: 'An error of RealFIFO.Resync says its cause.',
    zh: 'RealFIFO.Resync 的错误说明原因。',
  },
];

/** The release of a page that names none. */
export const standard = '1.37';

/**
 * A fault. A held one stays on until it is switched off; verb is that of its lever in a link, if the fault is one; and millis is the length that the menus ask
 * for. cluster is 'own' for one that only the page's own cluster has, and 'simulated' for one that any simulated cluster has.
 * @typedef {{name: import('../wire/types.js').CallArgs['fault'][0], held?: true, cluster?: 'own' | 'simulated', verb?: string, millis?: number}} Fault
 */

/** The faults, in the order of the menus. @type {Fault[]} */
export const faults = [
  { name: 'cut' },
  { name: 'refuse', held: true },
  { name: '410' },
  { name: '429' },
  { name: '500' },
  { name: 'slow', held: true },
  { name: 'delay', held: true, millis: 500 },
  { name: 'nobookmarks', held: true },
  { name: 'noendmark', held: true },
  { name: 'halfopen', held: true },
  { name: 'forbidden', held: true },
  { name: 'slowindex', held: true },
  { name: 'mutate', held: true },
  { name: 'ratelimit', held: true },
  { name: 'rewrite', held: true, cluster: 'own' },
  { name: 'compact', cluster: 'simulated', verb: 'compact' },
  { name: 'restart', cluster: 'simulated', verb: 'reboot' },
];

/**
 * What a person fills in for a lever: it gives some members of the lever's arguments. looks is how it is written. It is a number up to max, or a
 * text without that.
 * @typedef {{name: string, looks: string, members: string[], max?: number}} Param
 */

/**
 * A lever that a menu offers. A held one stays on until it is pulled with an n of 0, and strikes is the fault that the log then has. offers are the numbers n
 * that have a button each.
 * @typedef {object} Lever
 * @property {import('../wire/types.js').CallArgs['cluster'][0]} name
 * @property {'cluster' | 'faults'} menu
 * @property {true} [held]
 * @property {string} [strikes]
 * @property {number[]} [offers]
 * @property {Param[]} [params]
 */

/** The levers, in the order of the menus. @type {Lever[]} */
export const levers = [
  { name: 'create', menu: 'cluster',
    params: [{ name: 'deployment', looks: 'namespace/name', members: ['namespace', 'name'] },
      { name: 'replicas', looks: 'replicas', members: ['replicas'], max: 100000 }] },
  { name: 'scale', menu: 'cluster',
    params: [{ name: 'deployment', looks: 'namespace/name', members: ['namespace', 'name'] },
      { name: 'replicas', looks: 'replicas', members: ['replicas'], max: 100000 }] },
  { name: 'restart', menu: 'cluster',
    params: [{ name: 'deployment', looks: 'namespace/name', members: ['namespace', 'name'] }] },
  { name: 'delete', menu: 'cluster',
    params: [{ name: 'pod', looks: 'namespace/name', members: ['key'] }] },
  { name: 'drain', menu: 'cluster',
    params: [{ name: 'node', looks: 'name', members: ['name'] }] },
  { name: 'burst', menu: 'cluster', offers: [1, 100] },
  { name: 'crowd', menu: 'cluster', held: true, offers: [1000] },
  { name: 'compact', menu: 'cluster', strikes: 'compact' },
  { name: 'failover', menu: 'faults', held: true, strikes: 'failover', offers: [20] },
  { name: 'expire', menu: 'faults', strikes: 'expire' },
];
