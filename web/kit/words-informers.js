// @ts-check
// The words of several informers on one stage.
import { addWords } from './i18n.js';

addWords({
  'informer.shard': ['shard {s}', '分片 {s}'],
  'informer.unshared': ['not shared', '未共享'],
  'informer.object': ['{n} object', '{n} 个对象'],
  'informer.objects': ['{n} [n:object|objects]', '{n} 个对象'],
  'informer.held': ['{name} is held: {n} [n:waits|wait] in it.', '{name} 被拦住：其中有 {n} 个等待。'],
  'informer.holds': ['held, {words}', '已拦住，{words}'],
  'informer.says': ['{name}: {words}', '{name}：{words}'],
  'informer.stage.': ['not started', '未启动'],
  'informer.stage.started': ['WaitForCacheSync waits: {n} of {m} synced', 'WaitForCacheSync 在等：{m} 个中 {n} 个已同步'],
  'informer.stage.synced': ['all {m} synced', '{m} 个都已同步'],
  'informer.stage.stopping': ['Shutdown waits for its informers', 'Shutdown 在等 informer 结束'],
  'informer.stage.stopped': ['shut down', '已关闭'],
  'informer.factory': ['factory {era}: {words}', 'factory {era}：{words}'],
  'informer.shutdown': ['Shutdown', 'Shutdown'],
  'informer.start': ['Start a new one', '启动一个新的'],
  'informer.shutdownTitle': ['Stop all informers of the factory, and wait until they have ended', '停止 factory 的所有 informer，等它们结束'],
  'informer.startTitle': ['A factory that was shut down starts no informers: create a new one', '关闭了的 factory 不再启动 informer：新建一个'],
  'informer.twice': ['+ its own', '+ 单独一个'],
  'informer.end': ['stop it', '停止它'],
  'informer.twiceTitle': ['Run a second informer of {name} outside the factory', '在 factory 之外再运行一个 {name} 的 informer'],
  'informer.endTitle': ['Stop the informer of {name} that is not shared', '停止未共享的 {name} informer'],
  'cap.factory.stopping': ['Shutdown has stopped the informers and waits until all {n} have ended.', 'Shutdown 已让 informer 停止，在等全部 {n} 个结束。'],
  'cap.factory.stopped': ['The factory was shut down. Its stores keep their objects, and no more events come.', 'factory 已关闭。本地缓存保留原有对象，不再有新的事件。'],
  'cap.factory.trouble': ['{name}: {why}', '{name}：{why}'],
  'cap.factory.backoff': [
    '{n} of {m} informers [n:waits|wait] to retry after a failed request. The stores keep their objects.',
    '{m} 个 informer 中 {n} 个在请求失败后等待重试。本地缓存保留原有对象。',
  ],
  'cap.factory.backoffWhy': ['{n} of {m} informers [n:waits|wait] to retry. {name}: {why}', '{m} 个 informer 中 {n} 个在等待重试。{name}：{why}'],
  'cap.factory.waiting': [
    'WaitForCacheSync waits: {n} of {m} informers have synced, {name} has not.',
    'WaitForCacheSync 在等：{m} 个 informer 中 {n} 个已同步，{name} 还没有。',
  ],
  'cap.factory.unstarted': ['The informer of {name} does not run: it was requested after Start.', '{name} 的 informer 没有运行：它是在 Start 之后才要的。'],
  'cap.factory.early': [
    '{n} [n:Pod|Pods] came before the Node: {key} runs on {name}, which is not in the store of nodes yet.',
    '{n} 个 Pod 先于 Node 到达：{key} 在 {name} 上，而 nodes 的本地缓存里还没有它。',
  ],
  'cap.factory.loop': ['↻ {key} wakes itself: {n} [n:time|times] in the last minute.', '↻ {key} 唤醒自己：最近一分钟 {n} 次。'],
  'cap.factory.duplicate': ['{key} created {name}, though it had made {other}.', '{key} 创建了 {name}，而它已创建过 {other}。'],
  'cap.factory.starved': [
    '{key} waits in the work queue: {n} [n:key that came later went|keys that came later went] first.',
    '{key} 在工作队列里等待：{n} 个更晚的 key 先被取走。',
  ],
  'cap.factory.unshared': [
    'Two informers of {name} that are not shared: {n} open [n:request|requests], and {m} [m:object|objects] in two stores.',
    '{name} 的两个 informer 没有共享：{n} 个打开的请求，两个本地缓存共 {m} 个对象。',
  ],
  'cap.factory.synced': ['All informers have synced: {n} [n:informer|informers], {m} [m:object|objects].', '全部 informer 已同步：{n} 个 informer，{m} 个对象。'],
  'cap.factory.running': ['{n} [n:informer|informers], {m} [m:object|objects] in their stores.', '{n} 个 informer，本地缓存里共 {m} 个对象。'],
});
