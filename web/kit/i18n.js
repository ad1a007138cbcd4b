// @ts-check
// The page's words in English and 简体中文. client-go's identifiers (Reflector, lister, resync, key) stay English in both.

/** @type {Record<string, [string, string]>} */
const words = {
  add: ['add', '添加'],
  close: ['close', '关闭'],
  none: ['none', '无'],
  more: ['{n} more', '另有 {n}'],
  synced: ['synced', '已同步'],
  notSynced: ['not synced', '未同步'],

  'top.simulated': ['simulated', '模拟'],
  'top.seed': ['simulated · seed {seed}', '模拟 · 种子 {seed}'],
  'top.shared': ['simulated, shared', '共享模拟集群'],
  'top.sharedRow': ['the server’s simulated cluster', '服务器中的模拟集群'],
  'top.sharedNote': ['every page, kubectl and controller here shares it', '这里的所有页面、kubectl 和 controller 共用'],
  'top.live': ['{name} · live', '{name} · 实时'],
  'top.troubled': ['{name} · trouble', '{name} · 异常'],
  'top.attached': ['{name} · attached', '{name} · 已连接'],
  'top.attaching': ['attaching to a process', '正在连接进程'],
  'top.file': ['recording', '录制'],
  'top.source': ['source', '来源'],
  'top.sources': ['Where the objects come from', '对象从哪里来'],
  'top.simRow': ['simulated cluster', '模拟集群'],
  'top.simNote': ['runs in this page, needs nothing else', '在本页中运行，无需其他条件'],
  'top.contexts': ['contexts of the kubeconfig', 'kubeconfig 里的 context'],
  'top.noContexts': ['The kubeconfig has no contexts.', 'kubeconfig 里没有 context。'],
  'top.noRelay': [
    'A live cluster needs informerscope’s server on your own computer: start it, and open the whole address that it prints, with the token.',
    '实时集群需要在你自己的电脑上运行 informerscope 的服务器：启动它，打开它打印的完整地址（含 token）。',
  ],
  'top.files': ['recordings', '录制'],
  'top.save': ['save the recording', '保存录制'],
  'top.open': ['open a recording…', '打开录制…'],
  'top.resource': ['resource', '资源'],
  'top.findResource': ['search resources', '搜索资源'],
  'top.noResource': ['No such resource here.', '这里没有这种资源。'],
  'top.allNs': ['all namespaces', '全部 namespace'],
  'top.noNs': ['No such namespace.', '没有这个 namespace。'],
  'top.era': ['client-go release whose informer is shown', '展示哪个 client-go 版本的 informer'],
  'top.newer': ['{era}, not known: shown as {known}', '{era}，未知版本：按 {known} 展示'],
  'top.faults': ['faults', '故障'],
  'top.theme': ['theme', '主题'],
  'top.language': ['language', '语言'],
  'top.keys': ['keys', '按键'],

  'fault.cut': ['cut', '切断'],
  'fault.refuse': ['refuse', '拒绝'],
  'fault.410': ['410', '410'],
  'fault.429': ['429', '429'],
  'fault.500': ['500', '500'],
  'fault.slow': ['slow', '变慢'],
  'fault.delay': ['delay', '延迟'],
  'fault.nobookmarks': ['no bookmarks', '没有书签'],
  'fault.noendmark': ['no end mark', '没有结束标记'],
  'fault.halfopen': ['half-open', '半开连接'],
  'fault.slowindex': ['slow index', '索引变慢'],
  'fault.mutate': ['mutate', '改写对象'],
  'fault.ratelimit': ['AddRateLimited', 'AddRateLimited'],
  'fault.rewrite': ['rewrite', '总是写回'],
  'fault.forbidden': ['forbidden', '无权限'],
  'fault.failover': ['failover', '故障转移'],
  'fault.expire': ['410 for all', '全体 410'],
  'fault.compact': ['compact', '清除历史'],
  'fault.restart': ['restart', '重启'],
  'fault.cut.x': ['the open watch’s connection is cut', '切断当前 watch 的连接'],
  'fault.refuse.x': ['connections are refused while this is on', '启用期间拒绝连接'],
  'fault.410.x': ['the watch gets 410 Gone', 'watch 得到 410 Gone'],
  'fault.429.x': ['open watches get 429; without one, the next request', '已打开的 watch 立即得到 429；若没有，则是下一个请求'],
  'fault.500.x': ['open watches get 500; without one, the next request', '已打开的 watch 立即得到 500；若没有，则是下一个请求'],
  'fault.slow.x': ['the mailer handler takes 500 ms for each call', 'mailer 的 handler 每次耗时 500 ms'],
  'fault.delay.x': ['every response is delayed by 500 ms', '每个响应延迟 500 ms'],
  'fault.nobookmarks.x': ['bookmarks are withheld', '不发送书签'],
  'fault.noendmark.x': ['the end mark of the initial events is withheld', '不发送初始事件的结束标记'],
  'fault.halfopen.x': ['the open watch’s connection stays open and brings nothing', '当前 watch 的连接不断开，但什么也收不到'],
  'fault.slowindex.x': ['the index functions take 50 ms for each object', '索引函数处理每个对象耗时 50 ms'],
  'fault.mutate.x': ['the mailer handler sets app=mine in the objects it receives', 'mailer 的 handler 把收到的对象的 app 改成 mine'],
  'fault.ratelimit.x': ['the printer handler calls AddRateLimited, not Add', 'printer 的 handler 调用 AddRateLimited，而不是 Add'],
  'fault.rewrite.x': ['each reconcile also writes the time', '每次调谐都把时间也写进去'],
  'fault.forbidden.x': ['each LIST and WATCH gets 403; an open watch stays open', '每个 LIST 和 WATCH 都得到 403；已打开的 watch 不受影响'],
  'fault.failover.x': ['an API server {n} [n:version|versions] behind answers', '由落后 {n} 个版本的 API server 响应'],
  'fault.expire.x': ['every watch of pods ends with 410', '每个 pod 的 watch 都以 410 结束'],
  'fault.compact.x': ['the cluster compacts its history', '集群清除历史版本'],
  'fault.restart.x': ['the cluster’s API server restarts', '集群的 API server 重启'],

  'api.noAnswer': ['no answer', '无响应'],

  'sim.title': ['The simulated cluster', '模拟集群'],
  'sim.writes': ['{n} [n:write|writes]', '{n} 次写入'],
  'sim.deployment': ['deployment', 'deployment'],
  'sim.replicas': ['replicas', '副本'],
  'sim.create': ['create', '创建'],
  'sim.scale': ['scale', '扩缩'],
  'sim.restart': ['restart', '重启'],
  'sim.delete': ['delete', '删除'],
  'sim.node': ['node', '节点'],
  'sim.drain': ['drain', '排空'],
  'sim.pod': ['object', '对象'],
  'sim.burst.1': ['one change', '改一个 pod'],
  'sim.burst.100': ['burst of 100', '突发 100 次'],
  'sim.cut': ['cut the watch', '切断 watch'],
  'sim.crowd.1000': ['crowd of 1,000', '一千个客户端'],
  'sim.crowd.0': ['end the crowd', '撤走客户端'],
  'sim.compact': ['compact', '清除历史'],



  'idx.values': ['{n} [n:value|values]', '{n} 个值'],
  'idx.noIndex': ['There is no index yet.', '还没有索引。'],
  'idx.unnamed': ['(no value)', '（无值）'],
  'idx.none': ['no {label}', '没有 {label}'],

  'lis.lastPanic': ['Last panic: {w}', '最近的 panic：{w}'],
  'lis.resyncEvery': ['resync {s}', 'resync {s}'],
  'lis.addTitle': ['Add a listener', '添加 listener'],
  'lis.addNote': ['It gets every object of the store as Added, then the changes.', '它会先把本地缓存里的对象全部作为 Added 收到，然后是变更。'],
  'lis.name': ['name', '名字'],
  'lis.pace': ['each call takes', '每次调用耗时'],
  'lis.resync': ['resync', 'resync'],
  'lis.remove': ['remove {name}', '移除 {name}'],


  'hold.store': ['hold before the queue', '在入队前拦住'],
  'hold.pop': ['hold Pop', '拦住 Pop'],
  'hold.deliver': ['hold before {name}', '在 {name} 前拦住'],
  'hold.take': ['hold the workers', '拦住 worker'],
  'hold.you': ['by you, {s}', '由你，{s}'],
  'hold.one': ['release 1', '放行 1 个'],
  'hold.all': ['release all', '全部放行'],

  'tr.start': ['to the start', '回到开头'],
  'tr.back': ['one event back', '后退一个事件'],
  'tr.play': ['play', '播放'],
  'tr.pause': ['pause', '暂停'],
  'tr.fwd': ['one event forward', '前进一个事件'],
  'tr.live': ['to the live edge', '回到实时'],
  'tr.speed': ['speed of the drawing', '播放速度'],
  'tr.event': ['event {n}', '事件 {n}'],
  'tr.none': ['no events', '没有事件'],
  'tl.label': ['timeline', '时间轴'],
  'tl.live': ['live', '实时'],
  'tl.now': ['now', '现在'],
  'tl.end': ['end', '结尾'],
  'mark.cut': ['cut watch', '切断 watch'],
  'mark.refuse': ['refuse', '拒绝'],
  'mark.slow': ['slow mailer', 'mailer 变慢'],
  'mark.hold': ['hold', '拦住'],
  'mark.delay': ['delay', '延迟'],
  'mark.expire': ['410 for all', '全体 410'],
  'mark.compact': ['compact', '清除历史'],
  'mark.restart': ['restart', '重启'],
  'mark.refused': ['refused', '被拒绝'],
  'mark.broke': ['cut', '断开'],
  'mark.error': ['error', '错误'],
  'mark.trouble': ['trouble', '异常'],
  'mark.nobookmarks': ['no bookmarks', '没有书签'],
  'mark.halfopen': ['half-open', '半开连接'],
  'mark.slowindex': ['slow index', '索引变慢'],
  'mark.mutate': ['mailer mutates', 'mailer 改写对象'],
  'mark.ratelimit': ['AddRateLimited', 'AddRateLimited'],
  'mark.rewrite': ['rewrite', '总是写回'],
  'mark.forbidden': ['forbidden', '无权限'],
  'mark.failover': ['failover', '故障转移'],
  'mark.noendmark': ['no end mark', '没有结束标记'],

  'ins.label': ['inspector', '检查器'],
  'ins.author': ['version {rv}, written by {name}: {did}', '版本 {rv}，由 {name} 写入：{did}'],
  'ins.person': ['version {rv}, written by {name} as {user}: {did}', '版本 {rv}，由 {name} 以 {user} 的身份写入：{did}'],
  'ins.changed': ['what changed, old against new', '变化：旧版本与新版本'],
  'ins.journey': ['journey', '流经路径'],
  'ins.gone': ['The store has no such object at this moment.', '此刻本地缓存里没有这个对象。'],
  'ins.unseen': ['The body of this version is not known:', '不知道这个版本的内容：'],
  'ins.older': ['the body of the previous version is not known', '不知道前一个版本的内容'],
  'ins.same': ['No difference: the same version twice, as a resync sends it.', '没有差别：同一版本来了两次，resync 就是这样。'],
  'ins.mutated': [
    'The {name} handler wrote {label}={is} into the object in the store. The API server never sent that: at rv {rv} it sent {was}.',
    '{name} 的 handler 把 {label}={is} 写进了本地缓存里的对象。API server 从未发过这个值：在 rv {rv} 它发来的是 {was}。',
  ],
  'ins.mutatedStale': ['The index {index} still has the object under its old value.', '索引 {index} 仍把它放在原来的值之下。'],
  'ins.deleted': ['deleted: this was its last known version', '已删除：这是它最后已知的版本'],
  'ins.folded': ['… {n} [n:line|lines]', '… {n} 行'],
  'ins.first': ['first seen: there is no older version', '第一次见到：没有更旧的版本'],
  'ins.find': ['find an object', '查找对象'],
  'ins.findNone': ['No key contains this.', '没有包含它的 key。'],

  'hop.WireFrame': ['frame sent, {n} [n:byte|bytes]', '发出 frame，{n} 字节'],
  'hop.WatchEvent': ['decoded, key computed', '解码，算出 key'],
  'hop.Queued': ['queued, position {p}', '入队，第 {p} 位'],
  'hop.QueuedSync': ['SyncAll queued, position {p}', 'SyncAll 入队，第 {p} 位'],
  'hop.Merged': ['two Deleted merged into one', '两个 Deleted 合并为一'],
  'hop.Popped': ['popped alone', '单独出队'],
  'hop.PoppedOf': ['popped, number {p} of a batch of {of}', '出队，一批 {of} 个中的第 {p} 个'],
  'hop.Processed': ['processed in {s}', '处理用了 {s}'],
  'hop.StoreAdded': ['added to the store', '加入本地缓存'],
  'hop.StoreUpdated': ['updated in the store', '在本地缓存中更新'],
  'hop.StoreDeleted': ['deleted from the store', '从本地缓存删除'],
  'hop.StoreReplaced': ['the store was replaced, {of} [of:object|objects]', '本地缓存被替换，{of} 个对象'],
  'hop.Distributed': ['notification for {n} [n:listener|listeners]', '给 {n} 个 listener 的通知'],
  'hop.Accepted': ['{name}: accepted, {n} in its ring', '{name}：收下，环形缓冲里 {n} 个'],
  'hop.Delivered': ['{name}: handed to nextCh', '{name}：交给 nextCh'],
  'hop.Handling': ['{name}: handler called', '{name}：调用 handler'],
  'hop.Handled': ['{name}: handled in {s}', '{name}：处理用了 {s}'],
  'hop.WorkAdded': ['key added', 'key 入队'],
  'hop.WorkDeduplicated': ['key is queued already', 'key 已在排队'],
  'hop.WorkMarkedDirty': ['being processed, so it is marked dirty', '正在处理，标记为 dirty'],
  'hop.WorkTaken': ['taken by worker {w}', 'worker {w} 取出'],
  'hop.WorkDone': ['done after {s}', '{s} 后完成'],
  'hop.WorkWaiting': ['waits {s} before it is added', '等 {s} 再入队'],
  'hop.WorkWaitingSooner': ['waits, now only {s}', '等待，现在只要 {s}'],
  'hop.WorkWaitingUnchanged': ['waits already', '已在等待'],
  'hop.WorkDue': ['its wait is over', '等待结束'],
  'hop.WorkRateLimited': ['failed, to be tried again', '失败，将重试'],
  'hop.WorkForgotten': ['failures forgotten', '清除失败计数'],
  'hop.Reconciled': ['reconciled in {s}', '调谐用了 {s}'],
  'hop.ListerRead': ['lister.Get: rv {rv}', 'lister.Get：rv {rv}'],
  'hop.ClusterWrite': ['{text} sent by worker {w}, rv {rv}', 'worker {w} 发出 {text}，rv {rv}'],
  'hop.ClusterWritten': ['written by worker {w}, rv {rv}', 'worker {w} 写入，rv {rv}'],
  'hop.ClusterWrittenNot': ['not written', '未写入'],
  'hop.todo.queue': ['waits to be queued', '等待入队'],
  'hop.todo.indexer': ['one transaction', '一个事务'],
  'hop.todo.listeners': ['a notification for each', '每个一份通知'],
  'hop.todo.controller': ['its key, without the type', '只有 key，没有类型'],

  'cap.loading': ['Loading the informer. It is Go, compiled to WebAssembly, and runs inside this page.', '正在载入 informer：它是编译成 WebAssembly 的 Go 程序，就在本页里运行。'],
  'cap.start': ['The informer starts.', 'informer 正在启动。'],
  'cap.crash': ['The informer has stopped; the stage shows its last state.', 'informer 已停止；画面上是它最后的状态。'],
  'cap.selecting': ['Asking {name} which resources it serves…', '正在询问 {name} 提供什么……'],
  'cap.mute': ['The informer is busy: no answer for {n} s.', 'informer 正忙：已 {n} s 无响应。'],
  'cap.person': ['{name} just {op}.', '{name}：{op}。'],
  'cap.personRequest': ['{name} just sent {op}.', '{name} 刚刚发送了 {op}。'],
  'cap.personRefused': ['{name} was refused: {op} was answered {n}.', '{name} 被拒绝：{op} 的回答是 {n}。'],

  'load.download': ['load the informer (wasm)', '载入 informer（wasm）'],
  'load.compile': ['compile', '编译'],
  'load.start': ['start', '启动'],
  'load.first': ['first list', '首次 list'],
  'load.of': ['{a} of {b}', '{a} / {b}'],
  'load.api': ['Holds every object and numbers its changes.', '持有所有对象，并为每次变更编号。'],
  'load.reflector': ['Lists the objects once, then watches for changes. After an error it waits and tries again.', '先 list 一次，再 watch 变更。出错后等待片刻再重试。'],
  'load.queue': ['Keeps each change until Pop takes it.', '保存每个变更，直到出队。'],
  'load.indexer': [
    'The store (the cache): the objects, and indices over them. Listers read it, not the API server.',
    '本地缓存（store）：保存对象及其索引。lister 读的是它，不访问 API server。',
  ],
  'load.listeners': [
    'Each handler has its own buffer and its own speed. A slow handler fills only its own ring.',
    '每个 handler 有自己的环形缓冲（ring）和速度。慢的只填满自己的环形缓冲。',
  ],
  'load.controller': ['Workers take keys, not events: many changes of one object become one reconcile.', 'worker 取 key 而不是事件：一个对象的多次变更只调谐一次。'],

  'crash.title': ['The informer has stopped', 'informer 已停止'],
  'crash.what': ['The program in the worker ended. Its last output:', 'worker 里的程序结束了。最后的输出：'],
  'crash.ended.x': ['Its worker ended without a message. A browser stops a worker when memory runs short.', '它的 worker 没有任何输出就结束了。内存不足时浏览器会停掉 worker。'],
  'crash.lost': ['The informer does not answer', 'informer 无响应'],
  'crash.lost.x': [
    'Its worker has sent nothing for half a minute. If it is only busy it will answer, and this message goes away.',
    '它的 worker 已有半分钟没有消息。若只是在忙，它会恢复响应，这个提示会自己消失。',
  ],
  'crash.again': ['play again to event {n}', '重放到事件 {n}'],
  'crash.do': ['Nothing on the stage moves any more. Reloading starts a new informer; the address keeps the scene.', '画面不再变化。重新载入会启动新的 informer；地址里保留了这个场景。'],
  'crash.reload': ['reload', '重新载入'],
  'crash.look': ['look at the last state', '看最后的状态'],

  'fail.part': ['A part of the page has failed: {w}', '页面的一部分出错了：{w}'],
  'fail.go': ['The other parts go on. Try again, or reload: the address keeps the scene.', '其余部分照常运行。可以重试，或重新载入：地址里保留了这个场景。'],
  'fail.again': ['try again', '重试'],

  'keys.title': ['Keys', '按键'],
  'keys.note': ['Two keys in a row: press one, then the other. Hold Shift down.', '两个并排表示先后按下；Shift 要一直按着。'],
  'keys.time': ['Time', '时间'],
  'keys.space': ['play, pause', '播放，暂停'],
  'keys.step': ['one event back, forward', '后退、前进一个事件'],
  'keys.speed': ['slower, faster', '更慢，更快'],
  'keys.ends': ['start, live edge', '开头，最新时刻'],
  'keys.marks': ['previous, next mark', '上一个、下一个标记'],
  'keys.look': ['Look', '查看'],
  'keys.tab': ['next control, station by station', '下一个控件，逐站'],
  'keys.enter': ['open in the inspector', '在检查器中打开'],
  'keys.find': ['find an object', '查找对象'],
  'keys.explain': ['explain a station, the next one', '解释一站，下一站'],
  'keys.esc': ['close, or deselect', '关闭，或取消选择'],
  'keys.holds': ['Holds', '拦住'],
  'keys.h1': ['before the queue', '在入队前'],
  'keys.h2': ['Pop', 'Pop'],
  'keys.h3': ['before the first handler', '在第一个 handler 前'],
  'keys.h4': ['the workers', 'worker'],
  'keys.n': ['release one', '放行一个'],
  'keys.N': ['release all', '全部放行'],
  'keys.faults': ['Faults', '故障'],
  'keys.f1': ['cut the watch', '切断 watch'],
  'keys.f2': ['refuse connections', '拒绝连接'],
  'keys.f3': ['answer 410 Gone', '返回 410 Gone'],
  'keys.f4': ['answer 429', '返回 429'],
  'keys.f5': ['answer 500', '返回 500'],
  'keys.f6': ['slow handler', 'handler 变慢'],
  'keys.f789': ['delay, no bookmarks, no end mark', '延迟，没有书签，没有结束标记'],
  'keys.clicker': ['Clicker', '翻页器'],
  'keys.pgdn': ['next mark', '下一个标记'],
  'keys.pgup': ['previous mark', '上一个标记'],
  'keys.dot': ['black screen, and back', '黑屏，再按返回'],
  'keys.screen': ['Screen', '屏幕'],
  'keys.e': ['next release', '下一个版本'],
  'keys.t': ['dark, light, high contrast', '深色，浅色，高对比'],
  'keys.l': ['English, 中文', 'English，中文'],
  'keys.q': ['these keys', '这些按键'],
};

/** @type {'en' | 'zh'} */
let lang = 'en';

export function language() {
  return lang;
}

/** @param {string} next */
export function setLanguage(next) {
  lang = next.startsWith('zh') ? 'zh' : 'en';
  document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
  document.documentElement.classList.toggle('is-zh', lang === 'zh');
}

/**
 * Words from outside, such as a name, as they may stand among the page's own: a character in them that turns the direction of text ends with them.
 * @param {string} words
 */
export function isolate(words) {
  if (!/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(words)) return words;
  let open = 0;
  const kept = words.replace(/[\u2066-\u2069]/g, (c) => {
    if (c === '\u2069' && !open) return '';
    open += c === '\u2069' ? -1 : 1;
    return c;
  });
  return `\u2068${kept}${'\u2069'.repeat(open + 1)}`;
}

/**
 * The words for a key in the language that is set; an unknown key is returned as it is. {n} stands for an argument, and [n:pod|pods] for
 * the singular or plural that goes with it.
 * @param {string} key
 * @param {Record<string, string | number>} [args]
 */
export function t(key, args) {
  const pair = words[key];
  if (!pair) return key;
  const w = pair[lang === 'zh' ? 1 : 0];
  return args ? w.replace(/\{(\w+)\}|\[(\w+):([^|\]]*)\|([^\]]*)\]/g,
    (whole, name, n, one, many) => (n ? (String(args[n]) === '1' ? one : many) : name in args ? isolate(String(args[name])) : whole)) : w;
}

/** A text in the language that is set. @param {{en: string, zh: string}} text */
export const translate = (text) => (lang === 'zh' ? text.zh : text.en);

/** Every key, for a check of the words. */
export const keys = () => Object.keys(words);

/**
 * Adds the words of a part of the page that keeps its own: key → [English, 简体中文].
 * @param {Record<string, [string, string]>} more
 */
export function addWords(more) {
  Object.assign(words, more);
}
