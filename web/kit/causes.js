// @ts-check
// What can stand between the page and its cluster, in words: the table of causes, and what is said around it. The server's own English text is shown beside
// them, as it has the details of the case.
import { causes } from './cause-table.js';
import { addWords } from './i18n.js';

for (const [cause, { name, what, remedy, answer }] of Object.entries(causes)) {
  addWords({ [`cause.${cause}.name`]: name, [`cause.${cause}.say`]: what, [`cause.${cause}.do`]: remedy });
  if (answer) addWords({ [`answer.${cause}`]: answer });
}

addWords({
  'cause.user': ['This user', '这个用户'],
  'cause.verbs': ['list and watch', 'list 和 watch'],
  'cause.clusterRole': ['a ClusterRole', ' ClusterRole'],
  'cause.role': ['a Role in the namespace {ns}', ' namespace “{ns}”里的 Role'],
  'cause.everywhere': ['in all namespaces', '全部 namespace '],
  'cause.inNs': ['in the namespace {ns}', 'namespace “{ns}” '],
  'cause.where': [' at {s}', '（{s}）'],
  'cause.said': ['full message', '完整的说明'],
  'cause.more': ['more', '详情'],
  'cause.moreLabel': ['more: all details of the trouble', '详情：这个异常的全部信息'],
  'cause.offer': ['show namespace {ns}', '改看 namespace {ns}'],
  'cause.again': ['try again', '重试'],
  'cause.link': ['enter the new link…', '输入新链接…'],
  'cause.trouble': ['trouble', '异常'],
  'cause.lastError': ['the Reflector’s last error', 'Reflector 最近的错误'],

  'answer.unreached': ['not reached', '未到达'],

  'err.broke': ['the connection broke in the middle of a response', '连接在响应途中断开'],
  'err.closing': ['the server closes its connections', '服务器正在关闭连接'],
  'err.ended': ['the response ended in the middle', '响应中途结束'],
  'err.short': ['the watch ended within a second, without an event', 'watch 不到一秒就结束，没有事件'],
  'err.refused': ['connection refused', '连接被拒绝'],
  'err.roundEnded': ['the last watch ended', '上一次 watch 结束了'],
});

/** Whether there are words for a cause. @param {string} cause */
export const known = (cause) => Object.hasOwn(causes, cause);

/** The ID of every cause. */
export const all = () => Object.keys(causes);
