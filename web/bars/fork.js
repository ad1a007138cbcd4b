// @ts-check
// "Fork here": the choice of the one act that two lanes with one past differ by, and the words for it.
import { button, h, icon, menuRow } from '../kit/dom.js';
import { faults, releases } from '../kit/commands.js';
import { faultOf, laneWords } from '../kit/fork.js';
import { addWords } from '../kit/i18n.js';

/** @import { Ctx, FaultName } from '../wire/page-types.js' */

addWords({
  'fork.here': ['fork here', '在此分叉'],
  'fork.end': ['end the fork', '结束分叉'],
  'fork.title': ['Fork here: one past, two lanes', '在此分叉：同一段过去，两条线'],
  'fork.note': [
    'The cluster is played again to this moment, twice. Then one act is different in the second lane. Seed and virtual time stay the same.',
    '集群会重放到这一刻，共两次。之后第二条线里有一个操作不同；种子和虚拟时间都相同。',
  ],
  'fork.endTitle': ['End the fork: the first lane goes on alone', '结束分叉：第一条线单独继续'],
  'fork.only': [
    'Only the simulated cluster forks: what a live cluster or a recording did cannot be played again.',
    '只有模拟集群可以分叉：真实集群或录制的过程不能重来一遍。',
  ],
  'fork.two': ['A fork has one resource in one release: choose those first.', '分叉只用一种资源和一个版本：请先选择。'],
  'fork.grp.fault': ['a fault', '故障'],
  'fork.grp.hold': ['a hold', '拦住'],
  'fork.grp.handler': ['a handler', 'handler'],
  'fork.grp.release': ['the program starts again as another release', '程序以另一个版本重新启动'],
  'fork.again': ['the handler is removed and added again', '移除这个 handler，再重新添加'],
});

/** Faults that the menu offers. @type {FaultName[]} */
const offered = ['cut', '410', '429', '500', 'refuse', 'halfopen', 'compact', 'nobookmarks'];
/** How slow a slow handler is, in ms a call, and how often a handler that gets a resync has one. */
const slow = 500;
const resync = 30000;

/** What can be different, by group: as in a link. @param {Ctx} ctx @returns {[string, string[]][]} */
function choices({ model }) {
  const { state } = model;
  const there = state.listeners.filter((l) => !l.removed);
  const hold = (/** @type {string} */ stage, listener = 0) =>
    (model.hold(stage, listener) ? `release:${stage}:0${listener ? `:${listener}` : ''}` : `hold:${stage}${listener ? `:${listener}` : ''}`);
  const last = there[there.length - 1];
  /** A name as it stands in a link. @param {string} name */
  const plain = (name) => [...new TextEncoder().encode(name)].map((c) => (/[\w./-]/.test(String.fromCharCode(c)) && c < 128 ? String.fromCharCode(c)
    : `~${c.toString(16).padStart(2, '0')}`)).join('');
  return [
    ['fault', faults.filter((f) => offered.includes(f.name)).map(({ name, held, verb }) => verb
      || `fault:${name}${held ? (model.fault(name)?.on ? ':off' : ':on') : ''}`)],
    ['hold', [hold('store'), hold('pop'), ...(last ? [hold('deliver', last.id)] : []), hold('take')]],
    ['handler', there.slice(0, 4).flatMap((l) => [
      `pace:${l.id}:${l.paceMillis ? 0 : slow}`,
      ...(l.resyncMillis ? [`unlisten:${l.id},listen:${plain(l.name)}:${l.paceMillis}:0`] : []),
    ]).concat(last && !last.resyncMillis ? [`unlisten:${last.id},listen:${plain(last.name)}:${last.paceMillis}:${resync}`] : [])],
    ['release', releases.filter((r) => r.era !== state.era).map((r) => `shutdown,start::${r.era}`)],
  ];
}

/** @param {Ctx} ctx @param {HTMLElement} anchor */
export function openFork(ctx, anchor) {
  const { t, model } = ctx;
  if (model.fork) return ctx.act('fork', '');
  if (!model.any) return undefined;
  if (model.state.source.kind !== 'sim') return ctx.say(t('fork.only'), true);
  if (model.lanes > 1 || model.factory) return ctx.say(t('fork.two'), true);
  ctx.popup(anchor, (root, close) => {
    const list = h('div', { class: 'list' });
    root.append(h('h2', {}, t('fork.title')), h('p', { class: 'note' }, t('fork.note')), list);
    for (const [group, all] of choices(ctx)) {
      list.append(h('div', { class: 'grp' }, t('fork.grp.' + group)));
      for (const act of all) {
        const about = act.startsWith('unlisten') ? t('fork.again') : group === 'fault' ? t(`fault.${faultOf(act)}.x`) : '';
        list.append(menuRow(close, () => ctx.act('fork', act), { 'data-fork': act }, h('span', {}, laneWords(ctx, act)), h('small', {}, about)));
      }
    }
  }, { width: 520, label: t('fork.title') });
}

/** The button that forks, and ends a fork. @param {Ctx} ctx */
export function forkButton(ctx) {
  const words = h('span');
  const b = button({ class: 'key forkb', 'aria-haspopup': 'dialog' }, () => openFork(ctx, b),
    icon('M1.5 8H6M6 8C9 8 8.5 3.5 14 3.5M6 8C9 8 8.5 12.5 14 12.5'), words);
  return {
    b,
    paint() {
      const { t, model } = ctx;
      b.hidden = ctx.follower || !(model.fork || (model.state.source.kind === 'sim' && model.any && model.lanes === 1 && !model.factory));
      const w = t(model.fork ? 'fork.end' : 'fork.here');
      if (words.textContent === w) return;
      words.textContent = w;
      b.title = `${t(model.fork ? 'fork.endTitle' : 'fork.title')} (Y)`;
      b.setAttribute('aria-label', b.title);
    },
  };
}
