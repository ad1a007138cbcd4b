// @ts-check
// What somebody did, in words. Acts are written as in a link, without their time.
import { capitalize, exact, span as duration } from './format.js';
import { unescapeName } from './fork.js';
import { addWords, t } from './i18n.js';

addWords({
  'did.you': ['you: {what}', '你：{what}'],
  'did.other': ['{who}: {what}', '{who}：{what}'],
  'did.off': ['{what}: off', '{what}：关'],
  'did.f.cut': ['connections are cut', '切断连接'],
  'did.f.refuse': ['connections are refused', '拒绝连接'],
  'did.f.410': ['410 Gone for the watch', 'watch 得到 410 Gone'],
  'did.f.429': ['429 Too Many Requests', '429 Too Many Requests'],
  'did.f.500': ['an error 500', '错误 500'],
  'did.f.halfopen': ['the watch goes dead', 'watch 断而不报'],
  'did.burst': ['burst of {n}', '突发 {n} 次'],
  'did.hold.store': ['hold before the queue', '在入队前拦住'],
  'did.hold.pop': ['hold Pop', '拦住 Pop'],
  'did.hold.deliver': ['hold before {name}', '在 {name} 前拦住'],
  'did.hold.take': ['hold the workers', '拦住 worker'],
  'did.one': ['let {n} through', '放行 {n} 个'],
  'did.all': ['let all through', '全部放行'],
  'did.pace': ['{name} takes {s} a call', '{name} 每次调用 {s}'],
  'did.fast': ['{name} takes no extra time', '{name} 不再变慢'],
  'did.listen': ['a handler “{name}” added', '添加 handler“{name}”'],
  'did.unlisten': ['the handler “{name}” removed', '移除 handler“{name}”'],
  'did.panic': ['a panic of {name}', '{name} panic'],
  'did.writes': ['the worker writes', 'worker 会写入'],
  'did.noWrites': ['the worker writes nothing', 'worker 不写入'],
  'did.crowd': ['{n} other clients', '另外 {n} 个客户端'],
  'did.unshared': ['an informer that is not shared', '一个未共享的 informer'],
  'did.shutdown': ['shut the informer down', '关闭 informer'],
  'did.start': ['start the informer', '启动 informer'],
});

/** The words that exist for one of several keys, or the last key itself. @param {string[]} all */
const firstWords = (all) => all.map((key) => t(key)).find((words, i) => words !== all[i]);

/** @param {string[]} act its verb and its arguments @param {(listener: number) => string} nameOf */
function didWords([verb, a = '', b = '', ...more], nameOf) {
  switch (verb) {
    case 'fault': {
      const what = firstWords([`did.f.${a}`, `mark.${a}`, `fault.${a}`]) ?? a;
      return b === 'off' ? t('did.off', { what }) : what;
    }
    case 'burst':
      return t('did.burst', { n: exact(Number(a) || 1) });
    case 'hold':
      return t(`did.hold.${a}`, { name: nameOf(Number(b)) });
    case 'release':
      return Number(b) ? t('did.one', { n: exact(Number(b)) }) : t('did.all');
    case 'pace':
      return Number(b) ? t('did.pace', { name: nameOf(Number(a)), s: duration(Number(b)) }) : t('did.fast', { name: nameOf(Number(a)) });
    case 'listen':
      return t('did.listen', { name: unescapeName(a) });
    case 'unlisten':
    case 'panic':
      return t(`did.${verb}`, { name: nameOf(Number(a)) });
    case 'writes':
      return t(a === 'off' ? 'did.noWrites' : 'did.writes');
    case 'crowd':
      return t('did.crowd', { n: exact(Number(a) || 0) });
    case 'unshared':
      return b === 'off' ? t('did.off', { what: t('did.unshared') }) : t('did.unshared');
    case 'shutdown':
    case 'start':
      return t(`did.${verb}`);
  }
  return [firstWords([`mark.${verb}`, `sim.${verb}`]) ?? verb, ...[a, b, ...more].map(unescapeName)].filter(Boolean).join(' ');
}

/**
 * The words for an act.
 * @param {string} act as in a link; of an author other than the page's user the words as they are
 * @param {string} author empty for the page's user, "note" for a note
 * @param {(listener: number) => string} nameOf the name of a handler
 * @param {boolean} [told] a story plays: it does what its reader does not do
 */
export function actWords(act, author, nameOf, told) {
  if (author === 'note') return act;
  if (author) return t('did.other', { who: author, what: act });
  const what = didWords(act.split(':'), nameOf);
  return told ? capitalize(what) : t('did.you', { what });
}
