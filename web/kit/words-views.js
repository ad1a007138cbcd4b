// @ts-check
// The words of the views beside the main stage: two releases, presenter mode, stories and the phone.
import { addWords } from './i18n.js';

addWords({
  'lanes.buttonTitle': ['1.31 and 1.37 side by side on one stream (B)', '1.31 与 1.37 并排，同一条流（B）'],
  'cap.lanesOver': [
    'DeltaFIFO pops {k}’s changes together, so {a} overtakes {b}. RealFIFO keeps the order.',
    'DeltaFIFO 让 {k} 的变更一起出队，{a} 于是超过 {b}。RealFIFO 保持顺序。',
  ],
  'cap.lanesHeld': [
    'Pop is held in both: DeltaFIFO files {n} [n:change|changes] under {k} [k:key|keys], RealFIFO keeps them in one line.',
    '两边的 Pop 都被拦住：DeltaFIFO 把 {n} 个变更归到 {k} 个 key 下，RealFIFO 排成一行。',
  ],
  'cap.lanesHeldKeys': [
    'Pop is held in both: {n} [n:change|changes] wait, filed under {k} [k:key|keys] in each DeltaFIFO.',
    '两边的 Pop 都被拦住：{n} 个变更在等，每个 DeltaFIFO 都归到 {k} 个 key 下。',
  ],
  'cap.lanesHeldLine': [
    'Pop is held in both: {n} [n:change|changes] of {k} [k:key|keys] wait in line, in each RealFIFO.',
    '两边的 Pop 都被拦住：{k} 个 key 的 {n} 个变更在每个 RealFIFO 里排队。',
  ],
  'cap.lanesHeldCut': [
    'Pop is held in both. The log no longer has the moment of the hold; since its beginning {n} [n:change|changes] of {k} [k:key|keys] came.',
    '两边的 Pop 都被拦住。日志已不包含拦住的时刻；从日志开头起共有 {k} 个 key 的 {n} 个变更。',
  ],
  'cap.lanesHeldNone': ['Pop is held in both: new changes wait in the queues.', '两边的 Pop 都被拦住：新的变更在队列中等待。'],
  'cap.lanesSame': ['Popped one by one as they arrive, the same changes leave both queues in the same order.', '同样的变更逐个到达、逐个出队时，两种队列的顺序相同。'],
  'cap.lanesIdle': [
    'One cluster, two informers: {a} lists and then watches, {b} gets its list through a watch.',
    '一个集群，两个 informer：{a} 先 LIST 再 WATCH，{b} 用一个 watch 取回列表。',
  ],
  'cap.lanesIdle2': [
    'One cluster, two informers: {a} gets its list through a watch, {b} lists and then watches.',
    '一个集群，两个 informer：{a} 用一个 watch 取回列表，{b} 先 LIST 再 WATCH。',
  ],
  'cap.lanesBothWatch': ['One cluster, two informers: {a} and {b} both get their list through a watch.', '一个集群，两个 informer：{a} 和 {b} 都用一个 watch 取回列表。'],
  'cap.lanesBothList': ['One cluster, two informers: {a} and {b} both list and then watch.', '一个集群，两个 informer：{a} 和 {b} 都先 LIST 再 WATCH。'],
  'cap.laneBackoff': ['{era} waits and tries again in {s}; the other informer goes on. Why: {why}.', '{era} 等待，{s} 后重试；另一个 informer 不受影响。原因：{why}。'],

  'pres.button': ['presenter', '演示'],
  'pres.step': ['{i} of {n}, {name}', '第 {i} 步，共 {n} 步：{name}'],
  'pres.now': ['{at}, now', '{at}，现在'],
  'pres.live': ['{at}, live', '{at}，实时'],
  'pres.end': ['{at}, end', '{at}，结尾'],
  'pres.paused': ['{at}, paused', '{at}，已暂停'],

  'story.pick': ['stories', '故事'],
  'story.title': ['Stories', '故事'],
  'story.search': ['search stories, lessons, functions', '搜索故事、要点、函数'],
  'story.count': ['{n} [n:story|stories], {m} min', '{n} 个故事，{m} 分钟'],
  'story.none': ['No story with these words.', '没有这样的故事。'],
  'story.choose': ['choose', '选择'],
  'story.play': ['play', '播放'],
  'story.playPres': ['play in presenter mode', '在演示模式播放'],
  'story.close': ['close', '关闭'],
  'quiz.score': ['{n} of {m} right', '{m} 题答对 {n} 题'],
  'quiz.right': ['right', '正确'],
  'quiz.yours': ['your answer', '你的回答'],
  'story.turnDoes': ['The next step does it for you.', '下一步会代你完成。'],
  'story.doIt': ['do it for me', '替我做'],
  'story.takenUp': ['continues at step {i} of {n}', '从第 {i} 步继续，共 {n} 步'],
  'tour.begin': ['take the tour, seven minutes', '七分钟导览'],
  'story.take': ['in your code', '用在代码里'],
  'story.takeTitle': ['In your own controller', '在自己的 controller 里'],
  'story.see': ['See {all}', '参见 {all}'],
  'story.end': ['leave the story', '退出故事'],
  'story.prev': ['previous step', '上一步'],
  'story.next': ['next step', '下一步'],
  'story.replace': ['A story starts its own cluster, and the current log ends.', '故事会启动自己的集群：现在的日志到此为止。'],
  'story.unknown': ['There is no story “{id}”; there are {all}.', '没有故事“{id}”；现有 {all}。'],
  'story.hurry': ['time runs fast until this step ends', '时间正在加速，直到这一步结束'],
  'story.stands': ['time is paused until the next step', '进入下一步之前时间暂停'],

  'keys.pgdn': ['next step of a story, or mark', '故事的下一步，或下一个标记'],
  'keys.pgup': ['previous step, or mark', '上一步，或上一个标记'],
  'keys.b': ['two releases side by side', '两个版本并排'],
  'keys.p': ['presenter mode', '演示模式'],
  'keys.w': ['full screen', '全屏'],
  'keys.s': ['stories', '故事'],

  'phone.present': ['presenter mode', '演示模式'],
  'phone.leave': ['leave presenter mode', '退出演示模式'],
  'phone.hold': ['hold', '拦住'],
  'phone.faults': ['faults', '故障'],
  'phone.story': ['story', '故事'],
  'phone.more': ['more', '更多'],
  'phone.toLive': ['+{n} to live', '+{n} 到实时'],
});
