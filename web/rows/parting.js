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
  'part.first': ['First difference: event {n}, at {s}', '第一个不同的事件：第 {n} 个，{s}'],
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
      { words: t('part.first', { n: exact(first.seq), s: seconds(first.atMillis) }) },
      ...[first, ...(instead ? [instead] : [])].map((e) => ({ words: `${names[e.lane]}: ${say(t, e)}` })),
      ...handlers.filter((x) => x.differ).slice(0, 3).map((x) => ({
        words: t('part.calls', { name: middle(x.name, 16), a: calls(x.calls[0]), b: calls(x.calls[1]) }), tone: /** @type {const} */ ('dim'),
      })),
    ],
    acts: [{ words: t('part.go'), does: () => ctx.act('seekTime', first.atMillis + after) }],
  };
}
