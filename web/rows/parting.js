// @ts-check
// What stands below the maps of a fork while no station is open: the first event that differs, and what the handlers were called with since.
import { exact, middle, seconds } from '../kit/format.js';
import { countApart, laneNames } from '../kit/fork.js';
import { addWords } from '../kit/i18n.js';

/** @import { Fork, Parting } from '../wire/types.js' */

addWords({
  'part.title': ['Where the lanes part', '两条线在哪里分开'],
  'part.none': ['No difference yet: event for event, both lanes did the same.', '还没有不同：两条线做的每一件事都一样。'],
  'part.now': ['They part in this moment.', '两条线正在此刻分开。'],
  'part.ahead': ['They fork at {s}.', '在 {s} 分叉。'],
  'part.first': ['They part at {s}.', '它们在 {s} 分开。'],
  'part.go': ['go there', '转到那里'],
  'part.calls': ['{name}: {a} [a:call|calls] and {b}', '{name}：{a} 次调用，{b} 次'],
  'part.WireDone': ['a request ends', '一个请求结束'],
  'part.WireFrame': ['a frame comes', '一个 frame 到达'],
  'part.WireRequest': ['a request is sent', '发出一个请求'],
  'part.WireResponse': ['a request is answered', '请求得到响应'],
  'part.WatchEvent': ['the Reflector receives an event', 'Reflector 收到事件'],
  'part.WatchClosed': ['the watch ends', 'watch 结束'],
  'part.Queued': ['a delta enters the queue', 'delta 入队'],
  'part.Popped': ['Pop takes from the queue', 'Pop 出队'],
  'part.GateWaiting': ['something waits at the hold', '有东西在被拦住处等待'],
  'part.Handling': ['a handler is called', 'handler 被调用'],
  'part.Handled': ['a handler returns', 'handler 返回'],
  'part.ListenerRemoved': ['a handler is removed', '移除 handler'],
  'part.Factory': ['the factory stops or starts', 'factory 停止或启动'],
  'part.ClusterChange': ['an object is written in the cluster', '集群里的一个对象被写入'],
  'part.ClusterObjects': ['a new informer begins', '新的 informer 开始'],
  'part.Cluster': ['the cluster has other counts', '集群的计数不同'],
  'part.Backoff': ['the Reflector begins to wait', 'Reflector 开始等待'],
  'part.BackoffEnded': ['the Reflector’s wait is over', 'Reflector 的等待结束'],
  'part.RequestSent': ['the Reflector asks', 'Reflector 发出请求'],
  'part.RequestAnswered': ['the Reflector has its answer', 'Reflector 得到响应'],
  'part.ReflectorRV': ['the Reflector has another version', 'Reflector 的版本变了'],
  'part.Merged': ['two Deleted become one', '两个 Deleted 合并为一'],
  'part.Processed': ['a delta is processed', '一个 delta 处理完了'],
  'part.StoreAdded': ['the store gets an object', '本地缓存加入一个对象'],
  'part.StoreUpdated': ['the store gets a version', '本地缓存得到一个版本'],
  'part.StoreDeleted': ['the store drops an object', '本地缓存删除一个对象'],
  'part.StoreReplaced': ['the store is replaced', '本地缓存整个被替换'],
  'part.Distributed': ['the handlers are notified', '通知各个 handler'],
  'part.Accepted': ['a listener takes a notification', 'listener 收下一个通知'],
  'part.Delivered': ['a listener hands one on', 'listener 交出一个通知'],
  'part.WorkAdded': ['a key is queued', '一个 key 入队'],
  'part.WorkDeduplicated': ['a key is queued already', '一个 key 已在排队'],
  'part.WorkMarkedDirty': ['a key is marked dirty', '一个 key 标记为 dirty'],
  'part.WorkTaken': ['a worker takes a key', 'worker 取出一个 key'],
  'part.WorkDone': ['a worker is done with a key', 'worker 做完一个 key'],
  'part.WorkWaiting': ['a key waits to be tried again', '一个 key 等待重试'],
  'part.WorkRateLimited': ['a key failed', '一个 key 失败'],
  'part.Reconciled': ['a reconcile returns', '一次调谐返回'],
  'part.ListerRead': ['a worker reads the store', 'worker 读本地缓存'],
  'part.ClusterWrite': ['a worker writes', 'worker 发出写入'],
  'part.ClusterWritten': ['a write is answered', '写入得到响应'],
});

/** How long after the first difference one looks, in ms: within one instant the other lane may still do the same. */
const after = 100;

/** What differs first, in words. @param {import('../wire/page-types.js').Ctx['t']} t @param {Parting} e */
function say(t, { kind, op, key, handler }) {
  const said = t(`part.${kind}`);
  const more = [handler, op, key && middle(key, 26)].filter(Boolean).join(' ');
  return `${said.startsWith('part.') ? kind : said}${more ? ` (${more})` : ''}`;
}

/** @param {import('./parts.js').About} o @param {Fork} fork @returns {import('./parts.js').Inside} */
export function parting({ ctx, t, lane }, fork) {
  const title = t('part.title');
  const { parting: first, instead, handlers, atMillis } = fork;
  if (!first) {
    const what = lane.view.atMillis < atMillis ? 'part.ahead' : countApart(fork.stores) ? 'part.now' : 'part.none';
    return { title, lines: [{ words: t(what, { s: seconds(atMillis) }) }] };
  }
  const names = laneNames(ctx, fork);
  const calls = (/** @type {{added: number, updated: number, deleted: number}} */ c) => exact(c.added + c.updated + c.deleted);
  return {
    title,
    lines: [
      { words: t('part.first', { s: seconds(first.atMillis) }) },
      ...[first, ...(instead ? [instead] : [])].map((e) => ({ words: `${names[e.lane]}: ${say(t, e)}` })),
      ...handlers.filter((x) => x.differ).slice(0, 3).map((x) => ({
        words: t('part.calls', { name: middle(x.name, 16), a: calls(x.calls[0]), b: calls(x.calls[1]) }), tone: /** @type {const} */ ('dim'),
      })),
    ],
    acts: [{ words: t('part.go'), does: () => ctx.act('seekTime', first.atMillis + after) }],
  };
}
