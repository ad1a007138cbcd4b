// @ts-check
// The Indexer: every object of the store a cell, grouped by an index, as fresh as it is bright. The cells are one picture of
// pixels, of which only those that changed are written: ten thousand rectangles would keep the page's thread for a whole frame.
import { attr, h, Num, place, put as write, reveal, s, show, text } from '../dom.js';
import { count, exact, fit, middle, seconds, version, width } from '../format.js';
import { caret, Glyph, kindOf } from '../glyphs.js';
import { addWords } from '../i18n.js';
import { searchList } from '../popup.js';
import { Rows } from '../rows.js';
import { columns } from '../scene.js';

/** The field of cells, in units of the stage. */
const X = 647;
const Y = 204;
const W = 144;
const H = 322;
/** Ages at which a cell becomes one step older, in ms. */
const steps = [4e3, 12e3, 26e3, 60e3];
/** How many objects grow older in one frame, while others wait for the next one. */
const atOnce = 4000;

addWords({
  'idx.colour': ['cells show how fresh an object is; press to show its phase', '格子显示对象的新旧；按下改为显示 phase'],
  'idx.colourBack': ['cells show the phase of an object; press to show how fresh it is', '格子显示对象的 phase；按下改为显示新旧'],
  'idx.noPhase': ['no phase', '无 phase'],
  'idx.open': ['look into {index}: value → keys', '查看 {index}：值 → key'],
  'idx.value1': ['1 value', '1 个值'],
  'idx.inside': ['keys', 'key'],
  'idx.indices': ['group by an index, or look into it', '按 index 分组，或查看它'],
  'idx.backTo': ['all indices', '全部 index'],
  'idx.valuesOf': ['{index}: value → set of keys', '{index}：值 → key 集合'],
  'idx.keysOf': ['{index} = {value}', '{index} = {value}'],
  'idx.findValue': ['search values', '搜索值'],
  'idx.findKey': ['search keys', '搜索 key'],
  'idx.noValue': ['No such value.', '没有这个值。'],
  'idx.cut': ['the first {n} of {m}', '{m} 个中的前 {n} 个'],
  'idx.add': ['Add an index', '添加 index'],
  'idx.name': ['name', '名字'],
  'idx.expr': ['label or JSONPath', 'label 或 JSONPath'],
  'idx.exprEg': ['label:app or .spec.nodeName', 'label:app 或 .spec.nodeName'],
  'idx.addNote': ['AddIndexers works while the informer runs: every object of the store is indexed at once.', 'informer 运行时也能 AddIndexers：store 里的对象立刻全部编入。'],
  'idx.find': ['find objects by a part of the name', '按名字的一部分查找对象'],
  'idx.matches': ['“{q}”: {n}', '“{q}”：{n}'],
  'idx.keep': ['keep all {n} marked', '把这 {n} 个都保持标出'],
  'idx.clear': ['no longer mark what has “{q}”', '不再标出含 “{q}” 的对象'],
  'idx.group': ['{name}: {n} [n:object|objects]; show their keys', '{name}：{n} 个对象；显示它们的 key'],
  'idx.groups': ['groups', '分组'],
});

/**
 * Phases as the cells show them: neutral while all is well, a hue for what is not.
 * Each: the colour it has, and whether its cell is hollow when it is large enough.
 * @type {Record<string, {colour: string, hollow?: boolean}>}
 */
const phases = {
  Running: { colour: 'h3' }, Active: { colour: 'h3' }, Bound: { colour: 'h3' }, Available: { colour: 'h3' }, Succeeded: { colour: 'h1' }, Released: { colour: 'h1' },
  Pending: { colour: 'warn', hollow: true }, Terminating: { colour: 'del', hollow: true }, Failed: { colour: 'err' }, Lost: { colour: 'err' }, Unknown: { colour: 'err', hollow: true },
};
/** From the best to the worst: a cell that stands for several shows the worst of them. */
const phaseNames = ['Succeeded', 'Released', 'Running', 'Active', 'Bound', 'Available', 'Terminating', 'Pending', 'Lost', 'Unknown', 'Failed'];
const otherPhase = { colour: 'h2', hollow: false };

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {{name: string, count: number, y: number, rows: number, groups: number[], slots: (number | -1)[], free: number[]}} Block */

/** @returns {import('../types.js').Panel & {cells: (frame: import('../types.js').Frame | null, whole: boolean) => void, cellAt: (key: string) => {x: number, y: number, size: number} | null, keys: () => string[], find: () => void}} */
export function createIndexer() {
  const { x, w } = columns.indexer;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {ReturnType<typeof build>} */
  let ui;
  /** @type {CanvasRenderingContext2D} */
  let cx;
  /** @type {Block[]} */
  let blocks = [];
  /** Block of each group. @type {number[]} */
  let blockOf = [];
  let pitch = 4;
  let size = 3;
  let cols = 36;
  /** Objects that one cell stands for. */
  let per = 1;
  let stale = true;
  /** Whether other groups came, and not only more or fewer rows of the same ones. */
  let regrouped = true;
  let dense = false;
  /** The groups that are laid out. @type {string[]} */
  let names = [];
  let relabel = false;
  /** The numbers beside the names, as they were written last. @type {number[]} */
  let labelled = [];
  let sweepAt = 0;
  /** Where the sweep has come to: a cell, or a block and a place in it. @type {IterableIterator<Cell> | null} */
  let sweeping = null;
  let sweepBlock = 0;
  let sweepPlace = 0;
  /** The picture, and what of it was not shown yet: left, top, right, bottom. @type {ImageData} */
  let picture;
  /** @type {Uint32Array} */
  let pixels;
  let [dirtyL, dirtyT, dirtyR, dirtyB] = [0, 0, 0, 0];
  /** Colours as pixels. @type {Map<string, number>} */
  const inks = new Map();
  /** @type {Map<string, Cell>} */
  const byKey = new Map();
  /** The cell under the keyboard. */
  let cursor = '';
  let groupsBy = '';
  /** Colour by phase, not by freshness. */
  let byPhase = false;
  /** Objects with this in their key are bright and all others dim, while it is not empty. */
  let query = '';
  /** The field in which it is typed, or null when the marks stay without it. @type {HTMLElement | null} */
  let asking = null;
  let matches = 0;
  /** Over the names of the groups. @type {Rows} */
  let over;
  let legendOf = '';
  let counted = 0;

  /** @param {SVGElement} root */
  function build(root) {
    text(root, x, 68, 'ti').set('Indexer');
    const num = new Num(root, x, 96, 'num', 7);
    const right = text(root, 800, 68, 'l', 'end');
    const rv = s('text', { x: 800, y: 96, class: 'n20', 'text-anchor': 'end' });
    const rvWord = s('tspan', { class: 'l' });
    const rvNum = s('tspan');
    rvWord.textContent = 'rv ';
    rv.append(rvWord, rvNum);
    root.append(rv);
    const none = text(root, 800, 96, 'l', 'end');
    const legend = s('g');
    root.append(legend);
    const lNow = text(legend, 575, 182, 'l3', 'end');
    for (let i = 0; i < 5; i++) legend.append(s('rect', { x: 580 + 11 * i, y: 173, width: 9, height: 9, class: 'hc' + (4 - i) }));
    const lThen = text(legend, 640, 182, 'l3');
    const phase = s('g');
    ctx.scene.front.append(phase);
    const phaseRows = [0, 1, 2, 3, 4].map(() => {
      const r = s('rect', { x: 551, y: 173.5, width: 8, height: 8 });
      phase.append(r);
      return { r, t: text(phase, 551, 182, 'l knock') };
    });
    const swap = h('button', { class: 'sbtn quiet', type: 'button', 'data-x': 642 });
    ctx.scene.over.append(swap);
    swap.addEventListener('click', () => {
      byPhase = !byPhase;
      counted = 0;
      sweep(true);
      ctx.model.touched.clear();
    });
    const clear = h('button', { class: 'sbtn line raise idxq', type: 'button', hidden: '', 'data-x': 643 });
    clear.append(h('span'), s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('use', { href: '#i-x' })));
    ctx.scene.over.append(clear);
    clear.addEventListener('click', () => mark(''));
    root.append(s('rect', { x, y: 196, width: w, height: 336, rx: 4, class: 'pn' }));
    const labels = [...Array(23).keys()].map(() => ({ name: text(root, 551, 215, 'l t1'), n: text(root, 642, 215, 'l', 'end') }));
    const empty = text(root, 556, 221, 'l t1');
    const emptyWhy = text(root, 556, 241, 'l');
    const sel = s('g');
    sel.append(s('rect', { x: -6.5, y: -6.5, width: 13, height: 13, rx: 2, class: 'selbox' }));
    const selFill = s('rect', { x: -5, y: -5, width: 10, height: 10, rx: 1 });
    sel.prepend(selFill);
    const glyph = new Glyph(sel, -4.5, -4.5, 9);
    ctx.scene.high.append(sel);
    show(sel, false);
    const by = h('button', { class: 'sbtn quiet pickby', type: 'button', 'aria-haspopup': 'listbox', 'data-x': 640 });
    const byText = h('span');
    by.append(byText, caret());
    ctx.scene.over.append(by);
    by.addEventListener('click', () => chooseIndex(by));
    return { num, right, rv, rvNum, none, legend, lNow, lThen, phase, phaseRows, swap, clear, labels, empty, emptyWhy, sel, selFill, glyph, by, byText };
  }

  /** @param {HTMLElement} anchor */
  function chooseIndex(anchor) {
    ctx.popup(anchor, (root, close) => {
      root.style.left = `${808 / 16}rem`;
      indices(root, close);
    }, { width: 400, label: ctx.t('idx.indices') });
  }

  /** @param {number} n */
  function valuesWord(n) {
    return ctx.t(n === 1 ? 'idx.value1' : 'idx.values', { n: count(n) });
  }

  /** The indices: group by one, look into one, add one. @param {HTMLElement} root @param {() => void} close */
  function indices(root, close) {
    const { t } = ctx;
    const ix = ctx.model.state.indexer;
    const names = Object.keys(ix.indexSizes ?? ix.indices).sort();
    root.replaceChildren(h('h2', {}, t('idx.indices')));
    const list = h('div', { class: 'list' });
    for (const n of names) {
      const row = h('button', { class: 'row', type: 'button', 'aria-pressed': String(n === ctx.model.groups.index) }, h('span', { class: 'tick' }), h('span', {}, n),
        h('small', {}, valuesWord(ix.indexSizes?.[n] ?? Object.keys(ix.indices[n] ?? {}).length)));
      row.addEventListener('click', () => {
        close();
        ctx.act('groupBy', n);
      });
      const look = h('button', { class: 'key', type: 'button', 'aria-label': t('idx.open', { index: n }), title: t('idx.open', { index: n }) }, t('idx.inside'));
      look.addEventListener('click', () => values(root, close, n));
      list.append(h('div', { class: 'row2' }, row, look));
    }
    root.append(list);
    if (!names.length) root.append(h('p', { class: 'note' }, t('idx.noIndex')));
    const name = /** @type {HTMLInputElement} */ (h('input', { type: 'text', maxlength: 40, 'aria-label': t('idx.name'), spellcheck: 'false', autocomplete: 'off', placeholder: 'app' }));
    const expr = /** @type {HTMLInputElement} */ (h('input', { type: 'text', maxlength: 200, 'aria-label': t('idx.expr'), spellcheck: 'false', autocomplete: 'off', placeholder: t('idx.exprEg') }));
    const said = h('p', { class: 'note bad', role: 'alert', hidden: '' });
    const form = h('form', { class: 'form' }, h('span', {}, t('idx.expr')), expr, h('span'), h('span', {}, t('idx.name')), name, h('button', { class: 'key', type: 'submit' }, t('add')));
    // A name is proposed from what is indexed.
    let proposed = '';
    expr.addEventListener('input', () => {
      if (name.value !== proposed) return;
      proposed = /([A-Za-z0-9_-]+)(\[\*\])?['")\]}\s]*$/.exec(expr.value)?.[1] ?? '';
      name.value = proposed;
    });
    form.addEventListener('submit', async (e) => {
      e.preventDefault();
      said.hidden = true;
      try {
        const n = await ctx.call('addIndex', name.value.trim() || expr.value.trim(), expr.value.trim());
        close();
        ctx.act('groupBy', n);
      } catch (err) {
        said.textContent = err instanceof Error ? err.message : String(err);
        said.hidden = false;
        expr.focus();
      }
    });
    root.append(h('hr'), h('h2', {}, t('idx.add')), form, said, h('p', { class: 'note' }, t('idx.addNote')));
    /** @type {HTMLElement | null} */ (root.querySelector('[aria-pressed="true"], button'))?.focus();
  }

  /** What an index holds: its values, and how many keys each has. @param {HTMLElement} root @param {() => void} close @param {string} index */
  function values(root, close, index) {
    fill(root, close, index, null, ctx.t('idx.valuesOf', { index }), (/** @type {any} */ o) => ({
      items: o.values ?? [], shown: (o.values ?? []).length, total: o.total,
      words: (/** @type {any} */ v) => v.value,
      row: (/** @type {any} */ v) => ({ label: middle(v.value || ctx.t('idx.unnamed'), 36), aside: exact(v.count), title: v.value }),
      choose: (/** @type {any} */ v) => keysOf(root, close, index, v.value),
      placeholder: ctx.t('idx.findValue'),
      none: ctx.t('idx.noValue'),
    }));
  }

  /** The set of keys of one value. @param {HTMLElement} root @param {() => void} close @param {string} index @param {string} value */
  function keysOf(root, close, index, value) {
    fill(root, close, index, value, ctx.t('idx.keysOf', { index, value: value || ctx.t('idx.unnamed') }), (/** @type {any} */ o) => ({
      items: o.keys ?? [], shown: (o.keys ?? []).length, total: o.total,
      words: (/** @type {string} */ k) => k,
      row: (/** @type {string} */ k) => ({ label: middle(k, 44), on: k === ctx.selected(), title: k }),
      choose: (/** @type {string} */ k) => {
        close();
        cursor = k;
        ctx.select(k);
      },
      placeholder: ctx.t('idx.findKey'),
      none: ctx.t('ins.findNone'),
    }));
  }

  /**
   * @param {HTMLElement} root
   * @param {() => void} close
   * @param {string} index
   * @param {string | null} value
   * @param {string} title
   * @param {(answer: any) => any} list
   */
  function fill(root, close, index, value, title, list) {
    const { t } = ctx;
    const back = h('button', { class: 'key', type: 'button' }, s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true', class: 'chev' }, s('path', { d: 'M10 3L5 8L10 13' })), value === null ? t('idx.backTo') : index);
    back.addEventListener('click', () => (value === null ? indices(root, close) : values(root, close, index)));
    root.replaceChildren(h('div', { class: 'row2' }, back, h('h2', {}, fit(title, 230, '600 14px'))));
    back.focus();
    const asked = value === null ? ctx.call('index', index) : ctx.call('index', index, value);
    asked.then(
      (o) => {
        if (!root.isConnected) return;
        const l = list(o);
        searchList(root, l).focus();
        if (l.total > l.shown) root.append(h('p', { class: 'note' }, t('idx.cut', { n: exact(l.shown), m: exact(l.total) })));
      },
      (err) => root.append(h('p', { class: 'note bad' }, String(err?.message ?? err))),
    );
  }

  /** The keys of a group. @param {number} i */
  function openGroup(i) {
    const g = blocks[i]?.groups[0];
    const name = g === undefined ? undefined : ctx.model.groups.list[g]?.[0];
    if (name === undefined) return;
    ctx.popup(over.rows[i].el, (root, close) => {
      root.style.left = `${808 / 16}rem`;
      keysOf(root, close, ctx.model.groups.index, name);
    }, { width: 400, label: ctx.t('idx.indices') });
  }

  /** Makes what has this in its key bright. @param {string} q */
  function mark(q) {
    query = q.trim().toLowerCase();
    counted = 0;
    sweep(true);
  }

  /** @param {string} key */
  function has(key) {
    return key.toLowerCase().includes(query);
  }

  /** Finds objects by a part of their name; while it is typed, the cells show where they are. */
  function find() {
    const { t } = ctx;
    const anchor = ui.num.el;
    ctx.popup(anchor, (root, close) => {
      root.style.left = `${132 / 16}rem`;
      const keys = [...byKey.keys()];
      if (keys.length < 20000) keys.sort();
      const keep = h('button', { class: 'row', type: 'button' });
      keep.addEventListener('click', () => {
        asking = null;
        close();
      });
      const field = /** @type {HTMLInputElement} */ (searchList(root, {
        items: keys,
        words: (k) => k,
        row: (k) => ({ label: middle(k, 58), on: k === ctx.selected(), title: k }),
        choose: (k) => {
          close();
          mark('');
          cursor = k;
          ctx.select(k);
        },
        placeholder: t('idx.find'),
        none: t('ins.findNone'),
        limit: 100,
      }));
      const seen = () => {
        mark(field.value);
        keep.hidden = !query || !matches;
        keep.textContent = t('idx.keep', { n: exact(matches) });
      };
      field.addEventListener('input', seen);
      root.append(keep);
      if (query) {
        field.value = query;
        field.dispatchEvent(new Event('input'));
      }
      keep.hidden = !query;
      asking = field;
      field.focus();
    }, { width: 480, label: t('idx.find') });
  }

  /** Where the phases of the cells stand, and how many there are of each. */
  function phaseLegend() {
    /** @type {Map<string, number>} */
    const n = new Map();
    for (const c of ctx.model.cells.values()) n.set(c.phase, (n.get(c.phase) ?? 0) + 1);
    const list = [...n].sort((a, b) => b[1] - a[1]);
    let at = 551;
    ui.phaseRows.forEach((o, i) => {
      const e = list[i];
      const words = e ? `${e[0] || ctx.t('idx.noPhase')} ${exact(e[1])}` : '';
      const wide = e ? width(words) : 0;
      const on = !!e && at + 12 + wide <= 800;
      show(o.r, on);
      o.t.set(on ? words : '');
      if (!on) return;
      const ph = phases[e[0]] ?? otherPhase;
      attr(o.r, 'x', at.toFixed(1));
      attr(o.r, 'class', ph.hollow ? `phh-${ph.colour}` : `phc-${ph.colour}`);
      o.t.at(Number((at + 12).toFixed(1)), 182);
      at += 12 + wide + 10;
    });
    return at;
  }

  /** Forms the blocks anew from the groups, and gives every cell its place. */
  function regroup() {
    const m = ctx.model;
    /** Groups in the order in which they came; too many for a name each, and the smallest share one block. */
    const list = m.groups.list.map(([name, c], i) => ({ name, c, i }));
    const room = 22;
    let named = list;
    let rest = /** @type {typeof list} */ ([]);
    if (list.length > room) {
      const big = new Set([...list].sort((a, b) => b.c - a.c || a.i - b.i).slice(0, room - 1).map((g) => g.i));
      named = list.filter((g) => big.has(g.i));
      rest = list.filter((g) => !big.has(g.i));
    }
    const old = blocks;
    blocks = named.map((g) => ({ name: g.name || ctx.t('idx.unnamed'), count: g.c, y: 0, rows: 0, groups: [g.i], slots: [], free: [] }));
    if (rest.length) blocks.push({ name: ctx.t('idx.others', { n: rest.length }), count: rest.reduce((a, g) => a + g.c, 0), y: 0, rows: 0, groups: rest.map((g) => g.i), slots: [], free: [] });
    blockOf = [];
    blocks.forEach((b, i) => b.groups.forEach((g) => (blockOf[g] = i)));
    // Cells keep their places where a group is still the same group.
    const before = new Map(old.map((b) => [b.name + '\n' + b.groups.length, b]));
    for (const b of blocks) {
      const was = before.get(b.name + '\n' + b.groups.length);
      if (was) {
        b.slots = was.slots;
        b.free = was.free;
      }
    }
    blocks.forEach((b, bi) => {
      for (let p = 0; p < b.slots.length; p++) {
        const c = b.slots[p] >= 0 ? m.cells.get(b.slots[p]) : undefined;
        if (b.slots[p] >= 0 && (!c || blockOf[c.group] !== bi || c.pos !== p)) {
          b.slots[p] = -1;
          b.free.push(p);
        }
      }
    });
    byKey.clear();
    for (const c of m.cells.values()) {
      byKey.set(c.key, c);
      const b = blocks[blockOf[c.group]];
      if (!b || b.slots[c.pos] !== c.slot) put(c);
    }
    names = m.groups.list.map((g) => g[0]);
  }

  /** Lays the cells out anew: how large one is, where each group begins. */
  function layout() {
    const m = ctx.model;
    const was = blocks.length ? pitch : 0;
    if (regrouped) regroup();
    regrouped = stale = false;
    dense = m.cells.size > 2600;
    // A block with many holes closes up.
    for (const b of blocks) {
      if (b.free.length > 72 && b.free.length > b.slots.length / 3) {
        const keep = b.slots.filter((x2) => x2 >= 0);
        b.slots = keep;
        b.free = [];
        keep.forEach((slot, p) => {
          const c = m.cells.get(slot);
          if (c) c.pos = p;
        });
      }
    }
    // A small store has larger cells, so that the last row of a hall can see them.
    /** Pitch, size, cells a row, objects a cell, gap between groups. @type {number[][]} */
    const tries = dense ? [] : [[12, 10, 12, 1, 2], [8, 7, 18, 1, 2], [6, 5, 24, 1, 1], [4, 3, 36, 1, 1], [3, 2, 48, 1, 1]];
    tries.push([2, 2, 72, 1, 3], [2, 2, 72, 1, 1]);
    for (let i = 2; i < 4000; i = Math.ceil(i * 1.25)) tries.push([2, 2, 72, i, 3]);
    for (const [p, sz, c, stands, gap] of tries) {
      pitch = p;
      size = sz;
      cols = c;
      per = stands;
      // Growing back needs some room to spare, so that a store on the edge does not jump to and fro.
      if (arrange(gap) <= (was && p > was ? H * 0.85 : H)) break;
    }
    const k = ctx.scene.k;
    place(ctx.scene.cells, X, Y, W, H + 2);
    const wide = Math.round(W * k);
    const tall = Math.round((H + 2) * k);
    if (picture?.width !== wide || picture.height !== tall) {
      cx.canvas.width = wide;
      cx.canvas.height = tall;
      picture = cx.createImageData(wide, tall);
      pixels = new Uint32Array(picture.data.buffer);
    }
    sweep(true);
    labelled = [];
    labels();
  }

  /** Puts the blocks one below the other. Returns the height they need. @param {number} gap */
  function arrange(gap) {
    const small = 14;
    let y = 0;
    let need = 0;
    for (const b of blocks) {
      b.rows = rowsOf(b);
      b.y = y;
      const body = b.rows * pitch;
      need = y + Math.max(body, small - 2);
      y += Math.max(body + gap, small);
    }
    return need;
  }

  /** @param {Cell} c */
  function put(c) {
    const b = blocks[blockOf[c.group]];
    if (!b) {
      c.pos = -1;
      return;
    }
    const p = b.free.pop();
    c.pos = p === undefined ? b.slots.length : p;
    b.slots[c.pos] = c.slot;
    c.step = -1;
  }

  /** @param {Block} b */
  function rowsOf(b) {
    return Math.max(1, Math.ceil(Math.ceil(b.slots.length / per) / cols));
  }

  /** Whether places are no longer what the layout made them. */
  function moved() {
    if (dense !== ctx.model.cells.size > 2600) return true;
    for (const b of blocks) if (rowsOf(b) !== b.rows) return true;
    return false;
  }

  function labels() {
    relabel = false;
    ui.labels.forEach((l, i) => {
      const b = blocks[i];
      l.name.show(!!b);
      l.n.show(!!b);
      if (!b) {
        if (!over.set(i, '')) relabel = true;
        return;
      }
      let n = 0;
      for (const g of b.groups) n += ctx.model.groups.list[g]?.[1] ?? 0;
      const words = exact(n);
      if (labelled[i] !== n) {
        labelled[i] = n;
        l.name.at(551, Y + b.y + 11).set(fit(b.name, 90 - width(words)), b.name);
        l.n.at(642, Y + b.y + 11).set(words);
      }
      if (!over.set(i, b.groups.length === 1 ? ctx.t('idx.group', { name: b.name, n: words }) : '', 549, Y + b.y - 1, 95, 14)) relabel = true;
    });
  }

  /** @param {number} age */
  function stepOf(age) {
    for (let i = 0; i < 4; i++) if (age < steps[i]) return 4 - i;
    return 0;
  }

  /** Where the cell asked for last is. @type {[number, number]} */
  const at = [0, 0];

  /** @param {Cell} c @returns {[number, number] | null} left and top in the canvas, in units, until the next one is asked for */
  function spot(c) {
    const b = blocks[blockOf[c.group]];
    if (!b || c.pos < 0) return null;
    const i = Math.floor(c.pos / per);
    at[0] = (i % cols) * pitch;
    at[1] = b.y + Math.floor(i / cols) * pitch;
    return at;
  }

  /** A colour as a pixel. @param {string} colour */
  function pixelOf(colour) {
    let v = inks.get(colour);
    if (v === undefined) {
      const was = cx.fillStyle;
      cx.fillStyle = colour;
      // The canvas says any opaque colour as #rrggbb.
      const n = parseInt(String(cx.fillStyle).slice(1), 16);
      cx.fillStyle = was;
      const [px] = new Uint32Array(new Uint8ClampedArray([n >> 16, (n >> 8) & 255, n & 255, 255]).buffer);
      inks.set(colour, (v = px));
    }
    return v;
  }

  /** @param {number} x0 in pixels @param {number} y0 @param {number} x1 @param {number} y1 @param {number} v */
  function fill_(x0, y0, x1, y1, v) {
    const wide = picture.width;
    for (let y = y0; y < y1; y++) pixels.fill(v, y * wide + x0, y * wide + Math.min(x1, wide));
  }

  /** Shows what was written since. */
  function flush() {
    if (dirtyR <= dirtyL) return;
    cx.putImageData(picture, 0, 0, dirtyL, dirtyT, dirtyR - dirtyL, dirtyB - dirtyT);
    dirtyR = dirtyL = dirtyT = dirtyB = 0;
  }

  /** @param {number} l @param {number} t @param {number} r @param {number} b */
  function dirty(l, t, r, b) {
    if (dirtyR <= dirtyL) [dirtyL, dirtyT, dirtyR, dirtyB] = [l, t, r, b];
    else {
      if (l < dirtyL) dirtyL = l;
      if (t < dirtyT) dirtyT = t;
      if (r > dirtyR) dirtyR = r;
      if (b > dirtyB) dirtyB = b;
    }
  }

  /** @param {number} px @param {number} py @param {string | null} colour @param {boolean} [hollow] */
  function paintCell(px, py, colour, hollow = false) {
    const k = ctx.scene.k;
    const x0 = Math.round(px * k);
    const y0 = Math.round(py * k);
    const x1 = Math.max(x0 + 1, Math.round((px + size) * k));
    const y1 = Math.max(y0 + 1, Math.round((py + size) * k));
    fill_(x0, y0, x1, y1, colour === null ? 0 : pixelOf(colour));
    const e = Math.max(1, Math.round((size >= 7 ? 1.5 : 1) * k));
    if (hollow && size >= 5) fill_(x0 + e, y0 + e, x1 - e, y1 - e, 0);
    dirty(x0, y0, x1, y1);
  }

  /** How a cell looks now, as a number that tells one look from another. @param {Cell} c @param {number} now */
  function look(c, now) {
    if (query) return has(c.key) ? 10 : 11;
    if (byPhase) return 20 + Math.max(0, phaseNames.indexOf(c.phase) + 1);
    return stepOf(now - c.at);
  }

  /** @param {number} step @returns {[string, boolean]} its colour, and whether it is hollow */
  function ink(step) {
    const col = ctx.scene.colour;
    if (step < 5) return [col['h' + step], false];
    if (step === 10) return [col.t1, false];
    if (step === 11) return [col.line, false];
    const ph = phases[phaseNames[step - 21]] ?? otherPhase;
    return [col[ph.colour], !!ph.hollow];
  }

  /** @param {number} px @param {number} py @param {number} step */
  function draw(px, py, step) {
    const [colour, hollow] = ink(step);
    paintCell(px, py, colour, hollow);
  }

  /** Lets every cell age; draws those whose step changed. @param {boolean} all begins anew with nothing drawn */
  function sweep(all) {
    if (!picture) return;
    if (all) {
      pixels.fill(0);
      dirty(0, 0, picture.width, picture.height);
      for (const c of ctx.model.cells.values()) c.step = -1;
      counted = -1;
    }
    sweeping = null;
    sweepBlock = sweepPlace = 0;
    sweepSome(Infinity);
    flush();
  }

  /** Goes on with a sweep. Returns true at its end. @param {number} most how many objects */
  function sweepSome(most) {
    const m = ctx.model;
    const now = ctx.now();
    if (query && now !== counted && !sweeping && !sweepBlock && !sweepPlace) {
      counted = now;
      matches = 0;
      for (const c of m.cells.values()) if (has(c.key)) matches++;
    }
    if (per === 1) {
      sweeping ??= m.cells.values();
      for (let i = 0; i < most; i++) {
        const { value: c, done } = sweeping.next();
        if (done) {
          sweeping = null;
          return true;
        }
        const st = look(c, now);
        if (st === c.step) continue;
        c.step = st;
        const p = spot(c);
        if (p) draw(p[0], p[1], st);
      }
      return false;
    }
    // A cell stands for several objects and shows the freshest of them, the one that matches, or the one that is worst off.
    let left = most;
    for (; sweepBlock < blocks.length; sweepBlock++, sweepPlace = 0) {
      const b = blocks[sweepBlock];
      for (; sweepPlace * per < b.slots.length; sweepPlace++) {
        if (left <= 0) return false;
        left -= per;
        let st = -1;
        for (let j = sweepPlace * per; j < Math.min(b.slots.length, (sweepPlace + 1) * per); j++) {
          const c = b.slots[j] >= 0 ? m.cells.get(b.slots[j]) : undefined;
          if (!c) continue;
          const step = look(c, now);
          st = st < 0 ? step : query ? Math.min(st, step) : Math.max(st, step);
        }
        const x1 = (sweepPlace % cols) * pitch;
        const y1 = b.y + Math.floor(sweepPlace / cols) * pitch;
        if (st < 0) paintCell(x1, y1, null);
        else draw(x1, y1, st);
      }
    }
    sweepBlock = 0;
    return true;
  }

  /** Draws what the last frame touched. */
  function touch() {
    const m = ctx.model;
    const marks = m.cells.size <= 2600 && size >= 3;
    const mid = size / 2 - 1.5;
    const tokens = tokensOf();
    for (const c of m.gone) {
      if (byKey.get(c.key) === c) byKey.delete(c.key);
      const b = blocks[blockOf[c.group]];
      if (!b || c.pos < 0 || b.slots[c.pos] !== c.slot) continue;
      const p = spot(c);
      b.slots[c.pos] = -1;
      b.free.push(c.pos);
      if (p && per === 1) {
        paintCell(p[0], p[1], null);
        if (marks) tokens?.mark(X + p[0] + mid, Y + p[1] + mid, 'del');
      }
    }
    const now = ctx.now();
    const few = m.touched.size <= 12;
    for (const slot of m.touched) {
      const c = m.cells.get(slot);
      if (!c) continue;
      byKey.set(c.key, c);
      if (c.pos < 0) put(c);
      const p = spot(c);
      if (!p) continue;
      const st = look(c, now);
      c.step = st;
      const fresh = stepOf(now - c.at) === 4;
      if (per === 1 || (fresh && !query && !byPhase)) draw(p[0], p[1], st);
      if (marks && few && fresh) tokens?.mark(X + p[0] + mid, Y + p[1] + mid, kindOf(c.op));
    }
  }

  function tokensOf() {
    return /** @type {{tokens?: import('../tokens.js').Tokens}} */ (/** @type {unknown} */ (ctx)).tokens;
  }

  /** @param {number} px @param {number} py in units of the stage @returns {Cell | null} */
  function hit(px, py) {
    const cxu = px - X;
    const cyu = py - Y;
    for (const b of blocks) {
      if (cyu < b.y || cyu >= b.y + b.rows * pitch) continue;
      const i = Math.floor((cyu - b.y) / pitch) * cols + Math.min(cols - 1, Math.max(0, Math.floor(cxu / pitch)));
      for (let j = i * per; j < (i + 1) * per; j++) {
        const c = b.slots[j] >= 0 ? ctx.model.cells.get(b.slots[j]) : undefined;
        if (c) return c;
      }
    }
    return null;
  }

  /** @param {number} step */
  function move(step) {
    const flat = blocks.flatMap((b) => b.slots.filter((x2) => x2 >= 0));
    if (!flat.length) return;
    const c = byKey.get(cursor);
    let i = c ? flat.indexOf(c.slot) : -1;
    i = i < 0 ? 0 : Math.max(0, Math.min(flat.length - 1, i + step));
    const next = ctx.model.cells.get(flat[i]);
    if (!next) return;
    cursor = next.key;
    describe();
    ctx.select(cursor);
  }

  function describe() {
    const c = byKey.get(cursor);
    const words = c ? `${c.key}${c.phase ? ', ' + c.phase : ''}` : ctx.t('idx.cells', { n: exact(ctx.model.cells.size) });
    attr(ctx.scene.cells, 'aria-label', words);
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
      const tk = tokensOf();
      if (tk) tk.cellAt = (key) => this.cellAt(key);
      over = new Rows(ctx, 23, 641, { act: (i) => openGroup(i) });
      const canvas = ctx.scene.cells;
      cx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      canvas.tabIndex = 0;
      canvas.dataset.x = String(X);
      canvas.setAttribute('role', 'application');
      canvas.setAttribute('aria-roledescription', 'object grid');
      const point = (/** @type {PointerEvent | MouseEvent} */ e) => {
        const box = canvas.getBoundingClientRect();
        return hit(X + ((e.clientX - box.left) / box.width) * W, Y + ((e.clientY - box.top) / box.height) * (H + 2));
      };
      canvas.addEventListener('pointermove', (e) => {
        const c2 = point(e);
        canvas.title = c2 ? c2.key + (c2.phase ? ` · ${c2.phase}` : '') : '';
      });
      canvas.addEventListener('click', (e) => {
        const c2 = point(e);
        if (!c2) return;
        cursor = c2.key;
        describe();
        ctx.select(c2.key);
      });
      canvas.addEventListener('keydown', (e) => {
        const d = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: cols, ArrowUp: -cols }[e.key];
        if (d === undefined && e.key !== 'Enter') return;
        if (e.key === 'Enter' && !cursor) move(0);
        else if (e.key === 'Enter') ctx.select(cursor);
        else move(/** @type {number} */ (d) * (per > 1 ? per : 1));
        e.preventDefault();
        e.stopPropagation();
      });
    },

    cells(frame, whole) {
      const m = ctx.model;
      if (m.cellsReset) {
        blocks = [];
        byKey.clear();
        sweeping = null;
        stale = regrouped = true;
      }
      if (frame && (m.touched.size || m.gone.length || m.groupsChanged || stale)) {
        if (m.groupsChanged) {
          relabel = true;
          if (m.groups.list.length !== names.length || m.groups.list.some((g, i) => g[0] !== names[i])) stale = regrouped = true;
        }
        if (!stale && blocks.length) {
          touch();
          if (moved()) stale = true;
        } else stale = regrouped = true;
        if (stale) layout();
      }
      const clock = performance.now();
      const begun = sweeping || sweepBlock || sweepPlace;
      if (m.cells.size && !stale && (begun || (whole && frame) || clock - sweepAt > (m.cells.size > 20000 ? 1000 : 250))) {
        if (!begun) sweepAt = clock;
        sweepSome(whole ? Infinity : atOnce);
      }
      flush();
    },

    paint(_, st) {
      const { t } = ctx;
      const m = ctx.model;
      if (relabel) labels();
      describe();
      ui.num.set(count(st.indexer.count), t(st.indexer.count === 1 ? 'idx.object' : 'idx.objects'));
      const now = ctx.now();
      const staleFor = m.stale(now);
      const held = !!m.hold('pop');
      const heldAt = m.hold('pop');
      const behind = held && st.reflector.phase === 'watching' ? now - (heldAt?.sinceMillis ?? now) : 0;
      const plain = !staleFor && !behind;
      ui.right.cls(staleFor ? 'l cwt' : 'l t1').set(staleFor ? t('idx.stale', { s: seconds(staleFor) }) : behind ? t('idx.still', { s: seconds(behind) }) : '');
      const noRv = !st.indexer.resourceVersion;
      show(ui.rv, !noRv);
      if (!noRv) write(ui.rvNum, version(st.indexer.resourceVersion, 9));
      ui.none.set(noRv && st.indexer.count ? t('idx.noRv', { era: st.era }) : '');
      reveal(ui.by, plain && m.any);
      const words = t('idx.by', { index: m.groups.index || 'namespace' });
      if (groupsBy !== words) {
        groupsBy = words;
        ui.byText.textContent = fit(words, 120);
        ui.by.title = words;
      }
      if (asking && !asking.isConnected) {
        asking = null;
        if (query) mark('');
      }
      const marked = query !== '' && m.any;
      over.label(t('idx.groups'));
      show(ui.legend, !held && !byPhase && !marked);
      show(ui.phase, !held && byPhase && !marked && m.any);
      reveal(ui.swap, !held && !marked && m.any);
      reveal(ui.clear, marked && !held);
      const swapWords = t(byPhase ? 'idx.colourBack' : 'idx.colour');
      attr(ui.swap, 'aria-label', swapWords);
      if (ui.swap.title !== swapWords) ui.swap.title = swapWords;
      if (byPhase && !marked) {
        const clock = performance.now();
        if (legendOf !== t('close') || clock - counted > 500) {
          legendOf = t('close');
          counted = clock;
          place(ui.swap, 548, 168, phaseLegend() - 551, 19);
        }
      } else if (!byPhase) {
        legendOf = '';
        place(ui.swap, 548, 168, 124, 19);
      }
      if (marked) {
        const said = t('idx.matches', { q: fit(query, 120), n: exact(matches) });
        const span_ = /** @type {HTMLElement} */ (ui.clear.firstElementChild);
        if (span_.textContent !== said) span_.textContent = said;
        attr(ui.clear, 'aria-label', `${said}: ${t('idx.clear', { q: query })}`);
      }
      ui.lNow.set(t('idx.now'));
      ui.lThen.set(t('idx.minute') + (per > 1 ? ` · ${t('idx.per', { n: per })}` : ''));
      const empty = m.any && !m.cells.size;
      ui.empty.set(empty ? t('idx.empty') : '');
      ui.emptyWhy.set(empty ? t('idx.emptyWhy') : '');
      reveal(ctx.scene.cells, !empty && m.any);
      const dim = staleFor > 0 && !document.documentElement.classList.contains('is-contrast') ? '0.55' : '';
      if (ctx.scene.cells.style.opacity !== dim) ctx.scene.cells.style.opacity = dim;
      const sel = ctx.selected() ? byKey.get(ctx.selected()) : undefined;
      const p = sel ? spot(sel) : null;
      show(ui.sel, !!p);
      if (sel && p) {
        attr(ui.sel, 'transform', `translate(${(X + p[0] + size / 2).toFixed(1)} ${(Y + p[1] + size / 2).toFixed(1)})`);
        const kind = kindOf(sel.op);
        attr(ui.selFill, 'class', `ch mv k-${kind}`);
        ui.glyph.set(kind, true);
      }
    },

    resize() {
      regrouped = true; // the words of some are other ones now
      if (ctx.model.any && blocks.length) layout();
    },

    focus() {
      ctx.scene.cells.focus();
    },

    find,

    cellAt(key) {
      const c = byKey.get(key);
      const p = c ? spot(c) : null;
      return p ? { x: X + p[0], y: Y + p[1], size } : null;
    },

    keys() {
      return [...byKey.keys()];
    },
  };
}
