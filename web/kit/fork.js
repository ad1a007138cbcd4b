// @ts-check
// The two lanes of a fork: their names, which say what the second one alone knows, and how many objects differ.
import { exact } from './format.js';
import { faults } from './commands.js';
import { addWords, t } from './i18n.js';

addWords({
  'fork.on': ['with “{what}”', '有“{what}”'],
  'fork.off': ['without “{what}”', '没有“{what}”'],
  'fork.hold.store': ['held before the queue', '在入队前拦住'],
  'fork.hold.pop': ['with Pop held', 'Pop 被拦住'],
  'fork.hold.deliver': ['held before {name}', '在 {name} 前拦住'],
  'fork.hold.take': ['with the workers held', 'worker 被拦住'],
  'fork.free.store': ['the queue released', '入队已放行'],
  'fork.free.pop': ['with Pop released', 'Pop 已放行'],
  'fork.free.deliver': ['with {name} released', '{name} 已放行'],
  'fork.free.take': ['with the workers released', 'worker 已放行'],
  'fork.slow': ['{name}, {n} ms a call', '{name} 每次调用 {n} ms'],
  'fork.fast': ['{name}, no extra time', '{name} 不再变慢'],
  'fork.era': ['as client-go {era}', '改用 client-go {era}'],
  'fork.noResync': ['{name} without resync', '{name} 不做 resync'],
  'fork.resync': ['{name} with a resync', '{name} 做 resync'],
  'fork.other': ['with one more act', '多一个操作'],
  'fork.was': ['as it was', '原样'],
  'fork.f.cut': ['with the watch cut', '切断了 watch'],
  'fork.f.410': ['with 410 Gone', '收到 410 Gone'],
  'fork.f.429': ['with 429 Too Many Requests', '收到 429 Too Many Requests'],
  'fork.f.500': ['with a 500', '收到 500'],
  'fork.f.refuse': ['with connections refused', '连接被拒绝'],
  'fork.f.halfopen': ['with a half-open watch', 'watch 半开'],
  'fork.f.compact': ['with the history compacted', '历史已清除（compacted）'],
  'fork.f.nobookmarks': ['without bookmarks', '没有书签'],
});

/** A name as a link has it, with ~ and two digits for a byte. @param {string} name */
export function unescapeName(name) {
  try {
    return decodeURIComponent(name.replace(/~/g, '%'));
  } catch {
    return name;
  }
}

/** The fault that an action is, as in a link without its time; empty for none. @param {string} act */
export function faultOf(act) {
  const [verb, name] = act.split(':');
  return verb === 'fault' ? name : faults.find((f) => f.verb === verb)?.name ?? '';
}

/**
 * The words for the lane in which something is different.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {string} acts as in a link
 */
export function laneWords({ model }, acts) {
  const all = acts.split(',').map((a) => a.split(':').slice(/^\d+:/.test(a) ? 1 : 0));
  const [verb, a = '', b = ''] = all[0];
  const name = (/** @type {string} */ id) => model.state.listeners.find((l) => l.id === Number(id))?.name ?? id;
  const last = all[all.length - 1];
  const fault = faultOf(all[0].join(':'));
  if (fault) {
    const own = t('fork.f.' + fault);
    return b !== 'off' && !own.startsWith('fork.f.') ? own : t(b === 'off' ? 'fork.off' : 'fork.on', { what: t('fault.' + fault) });
  }
  if (verb === 'hold') return t('fork.hold.' + a, { name: name(b) });
  if (verb === 'release') return t('fork.free.' + a, { name: name(all[0][3] ?? '') });
  if (verb === 'pace') return t(Number(b) ? 'fork.slow' : 'fork.fast', { name: name(a), n: exact(Number(b) || 0) });
  if (verb === 'shutdown' && last[0] === 'start' && last[2]) return t('fork.era', { era: last[2] });
  if (verb === 'unlisten' && last[0] === 'listen') return t(Number(last[3]) ? 'fork.resync' : 'fork.noResync', { name: unescapeName(last[1]) });
  return t('fork.other');
}

/**
 * The names of the two lanes of a fork.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {import('../wire/types.js').Fork} fork
 */
export const laneNames = (ctx, fork) => [t('fork.was'), laneWords(ctx, fork.acts)];

/** In how many objects the stores of two lanes differ. @param {import('../wire/types.js').Fork['stores']} stores */
export const countApart = ({ only, other }) => only[0] + only[1] + other;
