// @ts-check
// The menus of the Indexer: look into an index, add one, and find objects by a part of their name.
import { button, h, s } from '../kit/dom.js';
import { count, exact, middle } from '../kit/format.js';
import { fit } from '../kit/measure.js';
import { addWords } from '../kit/i18n.js';
import { searchList } from '../kit/popup.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */
/** @typedef {(key: string) => void} Choose */
/** A menu that shows one list after another. @typedef {{ctx: Ctx, root: HTMLElement, close: () => void, choose: Choose}} Menu */

addWords({
  'idx.value1': ['1 value', '1 个值'],
  'idx.indices': ['look into an index: value → keys', '查看索引：值 → key'],
  'idx.backTo': ['all indices', '全部索引'],
  'idx.valuesOf': ['{index}: value → set of keys', '{index}：值 → key 集合'],
  'idx.keysOf': ['{index} = {value}', '{index} = {value}'],
  'idx.findValue': ['search values', '搜索值'],
  'idx.findKey': ['search keys', '搜索 key'],
  'idx.noValue': ['No such value.', '没有这个值。'],
  'idx.cut': ['the first {n} of {m}', '{m} 个中的前 {n} 个'],
  'idx.add': ['Add an index', '添加索引'],
  'idx.name': ['name', '名字'],
  'idx.expr': ['label or JSONPath', '标签或 JSONPath'],
  'idx.exprEg': ['label:app or .spec.nodeName', 'label:app 或 .spec.nodeName'],
  'idx.addNote': ['AddIndexers works while the informer runs: every object of the store is indexed at once.', 'informer 运行时也能 AddIndexers：本地缓存里的对象立刻全部编入。'],
  'idx.find': ['find objects by a part of the name', '按名字的一部分查找对象'],
  'idx.keep': ['keep all {n} marked', '把这 {n} 个都保持标出'],
});

/** Where these menus stand: beside the maps, which stay in sight. */
const left = 500;
/** With more objects than this their names are not sorted before they are shown. */
const mostSorted = 20000;

/** @param {Ctx} ctx @param {Element} anchor @param {Choose} choose hears which object was chosen @param {(menu: Menu) => void} begin */
function openMenu(ctx, anchor, choose, begin) {
  ctx.popup(anchor, (root, close) => begin({ ctx, root, close, choose }), { width: 400, left, label: ctx.t('idx.indices') });
}

/** The indices. @param {Ctx} ctx @param {Element} anchor @param {Choose} choose */
export function openIndices(ctx, anchor, choose) {
  openMenu(ctx, anchor, choose, showIndices);
}

/** Look into one, or add one. @param {Menu} menu */
function showIndices(menu, { indexSizes, indices } = menu.ctx.model.state.indexer) {
  const { ctx, root } = menu;
  const { t } = ctx;
  const names = Object.keys(indexSizes ?? indices).sort();
  root.replaceChildren(h('h2', {}, t('idx.indices')));
  const list = h('div', { class: 'list' });
  for (const name of names) {
    const values = valuesWord(ctx, indexSizes?.[name] ?? Object.keys(indices[name] ?? {}).length);
    list.append(button({ class: 'row' }, () => showValues(menu, name), h('span', {}, name), h('small', {}, values)));
  }
  root.append(list);
  if (!names.length) root.append(h('p', { class: 'note' }, t('idx.noIndex')));
  if (!ctx.follower && ctx.model.state.source.kind !== 'probe') {
    root.append(h('hr'), h('h2', {}, t('idx.add')), ...addForm(menu), h('p', { class: 'note' }, t('idx.addNote')));
  }
  root.querySelector('button')?.focus();
}

/** @param {Ctx} ctx @param {number} n */
function valuesWord({ t }, n) {
  return t(n === 1 ? 'idx.value1' : 'idx.values', { n: count(n) });
}

/** Asks for an index to add, and shows below it what is wrong with it. @param {Menu} menu */
function addForm(menu) {
  const { ctx } = menu;
  const { t } = ctx;
  const field = (/** @type {Record<string, string | number>} */ attrs) =>
    /** @type {HTMLInputElement} */ (h('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', ...attrs }));
  const name = field({ maxlength: 40, 'aria-label': t('idx.name'), placeholder: 'app' });
  const expression = field({ maxlength: 200, 'aria-label': t('idx.expr'), placeholder: t('idx.exprEg') });
  const said = h('p', { class: 'note bad', role: 'alert', hidden: '' });
  const form = h('form', { class: 'form' },
    h('span', {}, t('idx.expr')), expression, h('span'),
    h('span', {}, t('idx.name')), name, h('button', { class: 'key', type: 'submit' }, t('add')));
  // A name is proposed from what is indexed.
  let proposed = '';
  expression.addEventListener('input', () => {
    if (name.value !== proposed) return;
    proposed = /([A-Za-z0-9_-]+)(\[\*\])?['")\]}\s]*$/.exec(expression.value)?.[1] ?? '';
    name.value = proposed;
  });
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    said.hidden = true;
    try {
      await ctx.call('addIndex', name.value.trim() || expression.value.trim(), expression.value.trim());
      const { indexer } = await ctx.call('state'); // the frame that has the index may come later
      if (form.isConnected) showIndices(menu, indexer);
    } catch (err) {
      said.textContent = err instanceof Error ? err.message : String(err);
      said.hidden = false;
      expression.focus();
    }
  });
  return [form, said];
}

/** What an index holds: its values, and how many keys each has. @param {Menu} menu @param {string} index */
function showValues(menu, index) {
  const { t } = menu.ctx;
  const title = t('idx.valuesOf', { index });
  showList(menu, { title, back: t('idx.backTo'), goBack: () => showIndices(menu), ask: () => menu.ctx.call('index', index) }, (answer) => ({
    items: answer.values ?? [],
    total: answer.total,
    words: (/** @type {any} */ v) => v.value,
    row: (/** @type {any} */ v) => ({ label: middle(v.value || t('idx.unnamed'), 36), aside: exact(v.count), title: v.value }),
    choose: (/** @type {any} */ v) => showKeys(menu, index, v.value),
    placeholder: t('idx.findValue'),
    none: t('idx.noValue'),
  }));
}

/** The set of keys of one value. @param {Menu} menu @param {string} index @param {string} value */
function showKeys(menu, index, value) {
  const { ctx, close, choose } = menu;
  const { t } = ctx;
  const title = t('idx.keysOf', { index, value: value || t('idx.unnamed') });
  showList(menu, { title, back: index, goBack: () => showValues(menu, index), ask: () => ctx.call('index', index, value) }, (answer) => ({
    items: answer.keys ?? [],
    total: answer.total,
    words: (/** @type {string} */ key) => key,
    row: (/** @type {string} */ key) => ({ label: middle(key, 44), on: key === ctx.selected(), title: key }),
    choose: (/** @type {string} */ key) => {
      close();
      choose(key);
    },
    placeholder: t('idx.findKey'),
    none: t('ins.findNone'),
  }));
}

/**
 * A list that the worker is asked for, with a way back.
 * @param {Menu} menu
 * @param {{title: string, back: string, goBack: () => void, ask: () => Promise<any>}} o
 * @param {(answer: any) => any} list
 */
async function showList({ ctx, root }, { title, back, goBack, ask }, list) {
  const chevron = s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true', class: 'chev' }, s('path', { d: 'M10 3L5 8L10 13' }));
  const leave = button({ class: 'key' }, goBack, chevron, back);
  const head = h('div', { class: 'row2' }, leave, h('h2', {}, fit(title, 230, '600 14px')));
  root.replaceChildren(head);
  leave.focus();
  try {
    const l = list(await ask());
    // The user may have moved on or closed the menu meanwhile.
    if (!head.isConnected) return;
    searchList(root, l).focus();
    if (l.total > l.items.length) root.append(h('p', { class: 'note' }, ctx.t('idx.cut', { n: exact(l.items.length), m: exact(l.total) })));
  } catch (err) {
    if (head.isConnected) root.append(h('p', { class: 'note bad' }, String(err instanceof Error ? err.message : err)));
  }
}

/**
 * Finds objects by a part of their name; while it is typed, the cells show where they are.
 * @param {Ctx} ctx
 * @param {Element} anchor
 * @param {{
 *   keys: () => string[], query: () => string, matches: () => number, mark: (query: string) => void, choose: Choose,
 *   asking: (field: HTMLElement | null) => void
 * }} o `mark` makes what has a word in its key bright; `asking` gets the field in which the word is typed, and null when the marks stay without it
 */
export function openFind(ctx, anchor, { keys, query, matches, mark, choose, asking }) {
  const { t } = ctx;
  ctx.popup(anchor, (root, close) => {
    const sorted = () => {
      const all = keys();
      return all.length < mostSorted ? all.sort() : all;
    };
    const keep = button({ class: 'row' }, () => {
      asking(null);
      close();
    });
    const field = searchList(root, {
      items: /** @type {string[]} */ (sorted()),
      words: (key) => key,
      row: (key) => ({ label: middle(key, 58), on: key === ctx.selected(), title: key }),
      choose: (key) => {
        close();
        mark('');
        choose(key);
      },
      placeholder: t('idx.find'),
      none: t('ins.findNone'),
      limit: 100,
    });
    field.addEventListener('input', () => {
      // Objects come and go while the menu is open.
      field.fillWith(sorted());
      mark(field.value);
      keep.hidden = !query() || !matches();
      keep.textContent = t('idx.keep', { n: exact(matches()) });
    });
    root.append(keep);
    if (query()) {
      field.value = query();
      field.dispatchEvent(new Event('input'));
    }
    keep.hidden = !query();
    asking(field);
    field.focus();
  }, { width: 480, left: 132, label: t('idx.find') });
}
