// @ts-check
// Terms: each name and mark of the field on the main stage has an explanation, for the pointer that rests on it and for the keyboard. An
// empty mark's explanation says what would fill it.
import { lanesY, RAIL } from '../layouts/stage.js';
import { addWords } from '../kit/i18n.js';
import { Rows } from '../kit/rows.js';
import { stationNames } from '../kit/names.js';

/** @typedef {import('../wire/types.js').State} State */

addWords({
  'term.group': ['{name}: what its marks mean', '{name}：各标记的含义'],
  'term.rv.api': [
    'The newest resourceVersion known of the cluster. Every write there gets the next one; it is a version, not a timestamp.',
    '已知的集群最新 resourceVersion。集群的每次写入都得到下一个；它是版本，不是时间。',
  ],
  'term.rv.reflector': [
    'The resourceVersion that the Reflector has reached: the next watch resumes from here. It moves with each event and with each bookmark.',
    'Reflector 已读到的 resourceVersion：下一个 watch 从这里继续。每个事件和每个书签（bookmark）都会推进它。',
  ],
  'term.rv.indexer': [
    'The resourceVersion of the store: that of the newest change in it. While it is behind that of the Reflector, changes are on their way in '
      + 'the queue.',
    '本地缓存（store）的 resourceVersion：其中最新变更的版本。它落后于 Reflector 时，说明变更还在队列中。',
  ],
  'term.seats': ['the queue’s places', '队列的位置'],
  'term.seats.x': [
    'The head is at the right, and Pop takes from there. A dashed place is free: a change in the cluster, a list or a resync fills it, '
      + 'and it stays filled for as long as Pop is held or busy.',
    '队首在右边，Pop 从那里取出。虚线位置是空的：集群的变更、list 或 resync 会填上它；Pop 被拦住或正忙时它一直被占着。',
  ],
  'term.last': ['popped last', '上次出队'],
  'term.last.x': [
    'Pale: these have left the queue already. The queue is empty, so there is nothing else to show of it.',
    '浅色：它们已经离开队列。队列是空的，没有别的可显示。',
  ],
  'term.initialPopulation.x': [
    'How many objects of the first list are still to be processed. It counts down once; at zero the queue has synced, and a relist does not '
      + 'start it again.',
    '首次 list 的对象中还有多少个待处理。它只倒数一次；到零队列即已同步，relist 不会重新开始。',
  ],
  'term.lock.x': [
    'The queue’s lock. While it is locked nothing can be queued; since 1.36 it is released while a batch is processed.',
    '队列的锁。锁住时无法入队；自 1.36 起处理一批时会释放。',
  ],
  'term.synced': ['synced', '已同步'],
  'term.synced.x': [
    'HasSynced: the first list is in the store. A handler has a lamp of its own: it has been notified of all of that list.',
    'HasSynced：首次 list 已全部进入本地缓存（store）。每个 handler 另有自己的灯：它已收到其中每个对象的通知。',
  ],
  'term.addCh.x': [
    'An unbuffered channel: the process loop sends a notification to this listener and goes on as soon as it is accepted.',
    '无缓冲 channel：处理循环把通知交给这个 listener，被接收后立即继续。',
  ],
  'term.ring': ['ring', '环形缓冲（ring）'],
  'term.ring.x': [
    'The buffer that never refuses: notifications wait here until the handler has time. It doubles when it is full and never shrinks. It is '
      + 'empty while the handler keeps up; hold the handler, or make it slow, and it fills.',
    '从不拒绝的缓冲：事件处理函数（handler）来不及处理的通知在这里等待。满了就翻倍，从不缩小。handler 跟得上时它是空的；在 handler 前拦住，或让它变慢，它就会填上。',
  ],
  'term.nextCh.x': [
    'An unbuffered channel: the handler’s own goroutine takes one notification at a time from here, and calls the handler with it.',
    '无缓冲 channel：handler 自己的 goroutine 每次从这里取一个通知，再调用 handler。',
  ],
  'term.keys': ['queue of keys', 'key 的队列'],
  'term.keys.x': [
    'Keys wait here for a worker, each of them once however often it was added. Dashed is free: a handler that calls queue.Add fills it, or a '
      + 'retry that falls due.',
    'key 在这里等 worker，无论入队多少次都只出现一次。虚线是空的：handler 调用 queue.Add，或到期的重试，会填上它。',
  ],
  'term.workers': ['workers', 'worker'],
  'term.workers.x': [
    'Filled: it works on a key. Hollow: it waits in Get, until a key is queued.',
    '实心：正在处理一个 key。空心：在 Get 中等待，直到有 key 入队。',
  ],
});

/**
 * A term: its key, its name where it is not one of the words, and where it stands, or nothing while it does not.
 * @typedef {{id: string, name?: string, at: (state: State, large: number[]) => [number, number, number, number] | null}} Term
 */

/** @param {number} lane @returns {Term[]} */
function ofListener(lane) {
  const y = lanesY[lane];
  /** @param {number} x @param {number} top @param {number} w @param {number} h @returns {Term['at']} */
  const at = (x, top, w, h) => (_, large) => (large[lane] ? [x, y + top, w, h] : null);
  return [
    { id: 'addCh', name: 'addCh', at: at(822, 18, 42, 17) }, { id: 'ring', at: at(880, -30, 60, 60) },
    { id: 'nextCh', name: 'nextCh', at: at(950, 18, 46, 17) }, { id: 'synced', at: at(1000, 52, 57, 16) },
  ];
}

/** The terms of each station. @type {{id: string, x: number, terms: Term[]}[]} */
const stations = [
  { id: 'api', x: 15, terms: [{ id: 'rv.api', name: 'rv', at: () => [14, 78, 18, 22] }] },
  { id: 'reflector', x: 137, terms: [{ id: 'rv.reflector', name: 'rv', at: () => [134, 78, 18, 22] }] },
  {
    id: 'queue', x: 353, terms: [
      { id: 'seats', at: () => [352, RAIL - 14, 172, 28] },
      {
        id: 'last',
        at: ({ queue: q }) => (q.kind === 'RealFIFO' && !q.items.length && !q.batch.length && q.lastBatch.length ? [360, 257, 152, 18] : null),
      },
      { id: 'initialPopulation', name: 'initialPopulation', at: () => [360, 463, 152, 23] },
      { id: 'lock', name: 'lock', at: () => [360, 488, 84, 18] }, { id: 'synced', at: () => [448, 488, 68, 18] },
    ],
  },
  { id: 'indexer', x: 790, terms: [{ id: 'rv.indexer', name: 'rv', at: ({ indexer }) => (indexer.resourceVersion ? [728, 78, 72, 22] : null) }] },
  { id: 'listeners', x: 880, terms: [0, 1, 2].flatMap(ofListener) },
  {
    id: 'controller', x: 1086, terms: [
      { id: 'keys', at: ({ workqueue }) => (workqueue ? [1096, RAIL - 14, 74, 28] : null) },
      { id: 'workers', at: ({ workqueue }) => (workqueue ? [1194, RAIL - 14, 60, 28] : null) },
    ],
  },
];

export class Terms {
  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    this.stations = stations.map((station) => {
      const rows = new Rows(ctx, ctx.scene.over, station.terms.length, station.x, { tip: (i) => this.tip(station.terms[i]) });
      return { ...station, rows };
    });
  }

  /** The tip of a term. @param {Term} term @private */
  tip({ id, name }) {
    const { t } = this.ctx;
    return { head: name ?? t('term.' + id), body: t(id.startsWith('rv.') ? 'term.' + id : `term.${id}.x`) };
  }

  /** @param {number[]} large numbers of the listeners drawn large, 0 where none is */
  paint(large) {
    const { state, any } = this.ctx.model;
    for (const { id, rows, terms } of this.stations) {
      rows.label(this.ctx.t('term.group', { name: stationNames[id] }));
      terms.forEach((term, i) => {
        const at = any ? term.at(state, large) : null;
        if (!at) return void rows.set(i, '');
        const { head, body } = this.tip(term);
        rows.set(i, `${head}: ${body}`, ...at);
      });
    }
  }
}
