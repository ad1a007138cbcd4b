// @ts-check
// The menus of the handlers: add one, and what can be done with the handler of one.
import { button, h, s } from '../kit/dom.js';
import { exact, span } from '../kit/format.js';
import { addWords } from '../kit/i18n.js';

/** @typedef {import('../wire/types.js').Listener} Listener */
/** @typedef {import('../wire/page-types.js').Ctx} Ctx */

/** What a call can be made to take with one press, in ms. */
const paces = [0, 10, 50, 120, 500];
/** The longest a call can be made to take, in ms. */
const slowest = 10000;
/** Names that are proposed for new listeners, before numbered ones. */
const proposed = ['auditor', 'cache', 'notifier', 'backup'];

addWords({
  'lis.menu': ['{name}: its handler', '{name}：它的 handler'],
  'lis.each': ['extra time of each call', '每次调用的额外时间'],
  'lis.own': ['other: milliseconds', '其他：毫秒'],
  'lis.panic': ['panic in the next call', '下一次调用 panic'],
  'lis.panicNote': [
    'client-go would crash the program. Here the panic is recovered: the call is lost, the handler rests for a second, and goes on.',
    'client-go 会让程序崩溃。这里 panic 被恢复：这次调用丢失，handler 停一秒，再继续。',
  ],
  'lis.noResync': ['no resync', '没有 resync'],
  'lis.facts': ['{d} distributed · {m} delivered · {n} handled', '分发 {d} · 交付 {m} · 处理 {n}'],
  'lis.resyncNote': ['While the informer runs, a resync period shorter than its check period is raised to that.', 'informer 运行时，比它的检查周期更短的 resync 会被提高到该周期。'],
  'lis.set': ['set', '设定'],
  'drop.line': [
    'predicate {name} dropped {a} added, {u} updated, {d} deleted, {s} with equal versions; last {key}',
    'predicate {name} 丢弃：新增 {a}、更新 {u}、删除 {d}、版本未变 {s}；最近 {key}',
  ],
});

/** @param {Record<string, string | number>} attrs */
function input(attrs) {
  return /** @type {HTMLInputElement} */ (h('input', attrs));
}

/** A field for a whole number. @param {number} max @param {number} value @param {string} label */
function numberField(max, value, label) {
  return input({ type: 'number', min: 0, max, step: 1, value, 'aria-label': label });
}

/** A line of a menu, with its mark. @param {string} icon @param {string} words @param {() => void} act */
function menuLine(icon, words, act) {
  const mark = s('svg', { viewBox: '0 0 24 24', class: 'rowi', 'aria-hidden': 'true' }, s('use', { href: icon }));
  return button({ class: 'row' }, act, mark, h('span', {}, words));
}

/** A name that no listener has. @param {Listener[]} listeners */
function freeName(listeners) {
  const used = new Set(listeners.map((l) => l.name));
  const free = proposed.find((name) => !used.has(name));
  if (free) return free;
  let i = used.size + 1;
  while (used.has('handler-' + i)) i++;
  return 'handler-' + i;
}

/** Asks for a listener to add. @param {Ctx} ctx @param {HTMLElement} anchor */
export function openAdd(ctx, anchor) {
  const { t } = ctx;
  ctx.popup(anchor, (root, close) => {
    const free = freeName(ctx.model.state.listeners);
    const name = input({ type: 'text', maxlength: 24, value: free, 'aria-label': t('lis.name'), spellcheck: 'false' });
    const pace = numberField(slowest, 0, t('lis.pace'));
    const resync = numberField(3600, 0, t('lis.resync'));
    const form = h('form', { class: 'form' },
      h('span', {}, t('lis.name')), name, h('span'),
      h('span', {}, t('lis.pace')), pace, h('span', {}, 'ms'),
      h('span', {}, t('lis.resync')), resync, h('span', {}, 's'),
      h('span'), h('span'), h('button', { class: 'key', type: 'submit' }, t('add')));
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      close();
      ctx.act('addListener', {
        name: name.value.trim() || freeName(ctx.model.state.listeners),
        paceMillis: Number(pace.value) || 0,
        resyncMillis: (Number(resync.value) || 0) * 1000,
      });
    });
    const note = (/** @type {string} */ words) => h('p', { class: 'note' }, words);
    root.append(h('h2', {}, t('lis.addTitle')), note(t('lis.addNote')), form, note(t('lis.resyncNote')));
    name.select();
  }, { width: 288, label: t('lis.addTitle') });
}

/** Opens the menu of a listener: its facts, and what can be changed of its handler. @param {Ctx} ctx @param {HTMLElement} anchor @param {number} id */
export function openHandler(ctx, anchor, id) {
  const { t } = ctx;
  const l = ctx.model.state.listeners.find((q) => q.id === id);
  if (!l) return;
  ctx.popup(anchor, (root, close) => {
    root.append(h('h2', {}, t('lis.menu', { name: l.name })), h('p', { class: 'note' }, whatItDid(ctx, l)));
    root.append(...dropLines(ctx, l).map((words) => h('p', { class: 'note' }, words)));
    if (l.lastPanic) root.append(h('p', { class: 'note bad' }, t('lis.lastPanic', { w: l.lastPanic })));
    if (ctx.follower || ctx.model.state.source.kind === 'probe') return; // what follows acts
    const setPace = (/** @type {number} */ ms) => {
      close();
      ctx.act('pace', id, ms);
    };
    const panic = () => {
      close();
      ctx.act('panic', id);
    };
    const remove = () => {
      close();
      ctx.act('removeListener', id);
    };
    const list = paceButtons(ctx, l, setPace);
    root.append(
      h('div', { class: 'grp' }, t('lis.each')), list, paceForm(ctx, l, setPace), h('hr'),
      menuLine('#i-bolt', t('lis.panic'), panic), h('p', { class: 'note' }, t('lis.panicNote')),
      menuLine('#i-x', t('lis.remove', { name: l.name }), remove));
    /** @type {HTMLElement | null} */ (list.querySelector('[aria-pressed="true"]'))?.focus();
  }, { width: 320, label: t('lis.menu', { name: l.name }) });
}

/** @param {Ctx} ctx @param {Listener} l */
function whatItDid({ t }, l) {
  const counts = t('lis.facts', { d: exact(l.distributed), m: exact(l.delivered), n: exact(l.handled) });
  return `${counts} · ${l.resyncMillis ? t('lis.resyncEvery', { s: span(l.resyncMillis) }) : t('lis.noResync')}`;
}

/** A sentence for each predicate of a handler that threw something away. @param {Ctx} ctx @param {Listener} listener */
function dropLines({ t }, { drops = [] }) {
  return drops.map(({ predicate, added = 0, updated = 0, deleted = 0, synced = 0, last }) => t('drop.line', {
    name: predicate, a: exact(added), u: exact(updated), d: exact(deleted), s: exact(synced), key: last.key ?? '',
  }));
}

/** A button for each of the usual paces, and for its own. @param {Ctx} ctx @param {Listener} l @param {(ms: number) => void} choose */
function paceButtons({ t }, l, choose) {
  const list = h('div', { class: 'btnrow', role: 'group', 'aria-label': t('lis.each') });
  const own = Math.round(l.paceMillis);
  for (const ms of [...new Set([...paces, own])].sort((a, b) => a - b)) {
    const b = button({ class: 'key', 'aria-pressed': String(own === ms) }, () => choose(ms), ms ? span(ms) : t('none'));
    list.append(b);
  }
  return list;
}

/** @param {Ctx} ctx @param {Listener} l @param {(ms: number) => void} choose */
function paceForm({ t }, l, choose) {
  const own = numberField(slowest, Math.round(l.paceMillis), t('lis.own'));
  const form = h('form', { class: 'form' }, h('span', {}, t('lis.own')), own, h('button', { class: 'key', type: 'submit' }, t('lis.set')));
  form.addEventListener('submit', (e) => {
    e.preventDefault();
    choose(Math.max(0, Number(own.value) || 0));
  });
  return form;
}
