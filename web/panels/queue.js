// @ts-check
// The queue, as what it is: a RealFIFO is one ordered list of deltas; a DeltaFIFO is a queue of keys and a map of Deltas.
// Its head lies on the rail.
import { attr, Num, s, show, text } from '../dom.js';
import { count, exact, fit, middle, version } from '../format.js';
import { Chip, Glyph, kindOf } from '../glyphs.js';
import { addWords } from '../i18n.js';
import { Rows } from '../rows.js';
import { columns, RAIL } from '../scene.js';

const left = 362;
const right = 514;

/** @typedef {import('../types.js').QueueItem} Item */

/** What a row says about a delta. @param {Item} it @param {number} room */
export function label(it, room) {
  if (it.op === 'Bookmark') return `rv ${version(it.rv ?? '', 10)}`;
  if (it.op === 'SyncAll') return 'SyncAll';
  if (it.op === 'ReplacedAll') return it.count === undefined ? 'ReplacedAll' : `ReplacedAll ${count(it.count)}`;
  return middle(it.key ?? '', room);
}

addWords({
  'queue.densePer': ['{per} a column', '每列 {per} 个'],
  'queue.next': ['next batch: {n}', '下一批：{n}'],
  'queue.nextOne': ['next: 1 delta', '下一个：1 个 delta'],
  'queue.rows': ['the queue from its head on', '队列，从队首起'],
  'queue.syncTo': ['SyncAll → {names}', 'SyncAll → {names}'],
  'queue.tip.Bookmark': ['It carries no object, only a resourceVersion, and moves the store’s version to it. It cannot join a batch.', '没有对象，只有 resourceVersion：把 store 的版本推进到它。不能并入一批。'],
  'queue.tip.SyncAll': ['One delta for a whole resync: every object of the store goes to the listeners that asked for it, old and new being the same pointer. Nothing is written and nothing is asked.', '一次 resync 只有一个 delta：store 的每个对象都发给要它的 listener，old 和 new 是同一个指针。不写入，也不发请求。'],
  'queue.tip.ReplacedAll': ['One delta for a whole list: the store is replaced in one step, then the handlers hear of what is gone, what changed and what is new.', '一次 list 只有一个 delta：store 一步替换，然后 handler 得知消失的、变化的和新增的。'],
  'queue.tip.Replaced': ['An object of a list, as the older eras queue it: one delta for each.', '一次 list 里的对象；旧时代每个对象一个 delta。'],
  'queue.tip.Sync': ['An object that a resync hands out again, as the older eras queue it: one delta for each.', 'resync 再次发出的对象；旧时代每个对象一个 delta。'],
  'queue.tip.tombstone': ['A tombstone (DeletedFinalStateUnknown): the deletion itself was missed, so the object is the last one known.', '一个 tombstone (DeletedFinalStateUnknown)：没看到删除本身，对象是最后已知的样子。'],
  'queue.tip.waits': ['waits', '等待中'],
  'queue.tip.taken': ['being processed', '正在处理'],
  'queue.deltas': ['{n} [n:Delta|Deltas]: {ops}', '{n} 个 Deltas：{ops}'],
  'queue.deltaMerged': ['{n} merged, two Deleted into one', '{n} 次合并（两个 Deleted 成一个）'],
  'queue.noMerge': ['nothing merged', '没有合并'],
  'queue.lockTitle': ['The lock of the queue. Locked: the Reflector cannot queue anything until what was taken is processed.', '队列的锁。锁住时，取走的处理完之前 Reflector 无法入队。'],
});

/** Delta types that a batch can hold; each other one is taken alone. */
const batchable = new Set(['Added', 'Updated', 'Deleted', 'Replaced', 'Sync']);

/**
 * How many deltas the next Pop takes, as far as the queue's head tells. Mirrors client-go tools/cache.(*RealFIFO).PopBatch (v0.37.2).
 * @param {import('../types.js').Queue} q
 * @param {string} era
 */
function nextBatch(q, era) {
  if (era === '1.31' || era === '1.33') return Math.min(1, q.items.length);
  const keys = new Set();
  let n = 0;
  for (const it of q.items) {
    if (q.initialPopulation > 0 && n >= q.initialPopulation) break;
    if (!batchable.has(it.op ?? '')) return n || 1;
    if (keys.has(it.key)) break;
    keys.add(it.key);
    n++;
  }
  return n;
}

/** @returns {import('../types.js').Panel} */
export function createQueue() {
  const { x, w } = columns.queue;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {ReturnType<typeof build>} */
  let ui;
  /** The keys of the rows, for a click. @type {string[]} */
  const rowKeys = [];
  /** @type {(import('../rows.js').Tip | null)[]} */
  const says = [];
  /** @type {Rows} */
  let over;

  /** @param {SVGElement} root */
  function build(root) {
    text(root, x, 68, 'ti').set('Queue');
    const num = new Num(root, x, 96, 'num', 7);
    const kind = text(root, 524, 68, 't14', 'end');
    root.append(s('rect', { x, y: 196, width: w, height: 336, rx: 4, class: 'pn' }));

    const list = s('g');
    root.append(list);
    const brk = s('path', { class: 'brk', d: '' });
    const cut = s('path', { class: 'hair', d: '' });
    list.append(brk, cut);
    const rows = [0, 1, 2, 3, 4, 5, 6].map((i) => {
      const y = 220 + 23 * i;
      const bg = s('rect', { x: 387, y: y - 12, width: 124, height: 17, rx: 2, class: 'selbg' });
      list.append(bg);
      const glyph = new Glyph(list, 370, y - 11, 14);
      return { bg, glyph, t: text(list, 390, y, 'm1') };
    });
    const more = text(list, 390, 381, 'l t1');
    const empty = text(root, left, 220, 'l t1');
    const emptyWhy = text(root, left, 240, 'l');
    const lastHead = text(root, left, 270, 'l3');
    const lastRows = [0, 1, 2, 3].map((i) => ({ glyph: new Glyph(root, 362, 280 + 20 * i, 13), t: text(root, 381, 291 + 20 * i, 'm3') }));
    const lastMore = text(root, 381, 372, 'l3');

    const map = s('g');
    root.append(map);
    const hq = text(map, 361, 216, 'm1');
    const hi = text(map, 406, 216, 'm1');
    const by = text(map, right, 216, 'l3', 'end');
    const items = [0, 1, 2, 3].map((i) => {
      const y = 232 + 52 * i;
      const g = s('g');
      map.append(g);
      g.append(s('rect', { x: left, y, width: 22, height: 38, rx: 3, class: 'slotq' }));
      const n = text(g, 373, y + 24, 'n16', 'middle');
      g.append(s('path', { d: `M384 ${y + 19}H396`, class: 'hair2' }));
      const box = s('rect', { x: 396, y, width: 118, height: 38, rx: 3, class: 'item' });
      const bg = s('rect', { x: 399, y: y + 2, width: 112, height: 16, rx: 2, class: 'selbg' });
      g.append(box, bg);
      const key = text(g, 402, y + 14, 'm1');
      const chips = [0, 1, 2, 3, 4].map(() => new Chip(g, 16));
      const rest = text(g, 508, y + 32, 'l3', 'end');
      return { g, n, box, bg, key, chips, rest, y };
    });
    const mapMore = text(map, 396, 452, 'l t1');

    const spark = s('g');
    root.append(spark);
    const depthHead = text(spark, left, 406, 'l');
    const max = text(spark, right, 406, 'l', 'end');
    const curve = s('path', { class: 'spark', d: '' });
    const dot = s('circle', { r: 2.5, cx: right, cy: 452, class: 'sparkd' });
    spark.append(s('path', { d: 'M362 452H514', class: 'hair' }), curve, dot);
    const initial = new Num(root, left, 480, 'n16', 5);
    const lock = s('use', { href: '#i-unlock', x: 361, y: 490, width: 14, height: 14, class: 'ic' });
    const lamp = s('circle', { cx: 510, cy: 498, r: 4, class: 'lamp' });
    root.append(lock, lamp);
    const locked = text(root, 380, 502, 'l');
    const synced = text(root, 501, 502, 'l t1', 'end');
    const merges = text(root, left, 520, 'l3');

    // On the rail.
    const front = s('g');
    ctx.scene.front.append(front);
    const slots = [0, 1, 2, 3, 4, 5, 6].map((i) => {
      const r = s('rect', { x: 359 + 23 * i, y: RAIL - 10, width: 20, height: 20, rx: 4, class: 'slot off' });
      front.append(r);
      return r;
    });
    const chips = [0, 1, 2, 3, 4, 5, 6].map(() => new Chip(front, 20));
    const bracket = s('path', { d: '', class: 'brk' });
    front.append(bracket);
    const batch = text(front, 480, 127, 'l t1', 'middle');
    const stack = text(front, 375, 184, 'n16 knock');
    const dense = s('g');
    front.append(dense);
    dense.append(s('rect', { x: 352, y: 142, width: 172, height: 20, rx: 3, class: 'qdb' }));
    const columnsOf = [...Array(43).keys()].map((i) => ['del', 'rep', 'syn', 'bmk', 'upd', 'add'].map((k) => {
      const r = s('rect', { x: 353 + 4 * (42 - i) - 1, y: 143, width: 3, height: 0, class: 'mx k-' + k });
      dense.append(r);
      return { k, r };
    }));
    const denseText = text(dense, 352, 134, 'l');
    return {
      num, kind, list, brk, cut, rows, more, empty, emptyWhy, lastHead, lastRows, lastMore, map, hq, hi, by, items, mapMore, spark, depthHead, max, curve, dot, initial, lock, lamp, locked,
      synced, merges, slots, chips, bracket, batch, stack, dense, columnsOf, denseText,
    };
  }

  /** @param {import('../types.js').Queue} q @param {boolean} dense @param {number} next how many the next Pop takes, while it is held */
  function rail(q, dense, next) {
    const { t } = ctx;
    const sel = ctx.selected();
    const isDelta = q.kind === 'DeltaFIFO';
    const depth = q.depth;
    const batch = q.batch;
    show(ui.dense, dense);
    const idle = !dense && !batch.length && !depth;
    ui.slots.forEach((r) => show(r, idle));
    if (dense) {
      ui.chips.forEach((c) => c.hide());
      ui.stack.set('');
      const per = Math.max(1, Math.ceil((depth + q.batchSize) / 43));
      const cols = Math.min(43, Math.ceil((depth + q.batchSize) / per));
      const head = Math.ceil(q.batchSize / per);
      let total = 0;
      for (const o in q.mix) total += q.mix[o];
      /** @type {Record<string, number>} */
      const by = {};
      for (const o in q.mix) by[kindOf(o)] = (by[kindOf(o)] ?? 0) + q.mix[o];
      ui.columnsOf.forEach((parts, i) => {
        let y = 161;
        for (const p of parts) {
          const hgt = i < cols && total ? ((by[p.k] ?? 0) / total) * 18 : 0;
          y -= hgt;
          attr(p.r, 'y', y.toFixed(1));
          attr(p.r, 'height', hgt.toFixed(1));
          attr(p.r, 'class', `mx k-${p.k}${i < head ? '' : ' wt'}`);
        }
      });
      ui.denseText.set(t(next ? 'queue.densePer' : 'queue.dense', { n: count(depth), per }));
      show(ui.bracket, q.batchSize > 0 || next > 0);
      if (!q.batchSize && next) attr(ui.bracket, 'd', `M${524 - 4 * Math.max(2, Math.ceil(next / per))} 137V133H524V137`);
      if (q.batchSize) attr(ui.bracket, 'd', `M${524 - 4 * Math.max(2, head)} 137V133H524V137`);
      attr(ui.batch.el, 'text-anchor', 'end');
      ui.batch.at(524, 127).set(q.batchSize ? t('queue.batch', { n: exact(q.batchSize) }) : next ? nextWords(q, next) : '');
      return;
    }
    const waiting = q.items;
    const pitch = isDelta ? 34 : 22;
    const room = isDelta ? 5 : 7;
    let used = 0;
    let at = 513;
    const taking = Math.min(batch.length, isDelta ? 1 : 4);
    // A DeltaFIFO pops one key with all its Deltas: one chip, stacked when there are several.
    if (isDelta && batch.length) {
      const last = batch[batch.length - 1];
      ui.chips[used++].set(at, RAIL, kindOf(last.op ?? last.deltas?.[0]?.op), 'mv', Math.min(2, (last.deltas?.length || batch.length) - 1), !!sel && last.key === sel);
      at -= pitch;
    } else {
      for (let i = 0; i < taking; i++) {
        const stack = i === taking - 1 && q.batchSize > taking ? 2 : 0;
        ui.chips[used++].set(at, RAIL, kindOf(batch[i].op), 'mv', stack, !!sel && batch[i].key === sel);
        at -= pitch;
      }
      if (taking) at -= 14;
    }
    const fits = Math.max(1, Math.min(room - used, Math.floor((at - 363) / pitch) + 1));
    const rest = depth - Math.min(fits, waiting.length);
    let lastX = at;
    for (let i = 0; i < Math.min(fits, waiting.length); i++) {
      const it = waiting[i];
      const op = it.deltas?.length ? it.deltas[it.deltas.length - 1].op : it.op;
      const end = i === fits - 1 && rest > 0;
      const stack = end ? 2 : it.deltas && it.deltas.length > 1 ? 1 : 0;
      ui.chips[used++].set(at, RAIL, kindOf(op), 'rs', stack, !!sel && it.key === sel);
      lastX = at;
      at -= pitch;
    }
    for (let i = used; i < ui.chips.length; i++) ui.chips[i].hide();
    ui.stack.at(lastX - 10, 184).set(rest > 0 && waiting.length ? '×' + count(rest + 1) : '');
    const n = q.batchSize || batch.length;
    const ahead = !n && next && !isDelta ? Math.min(next, used) : 0;
    show(ui.bracket, (n > 0 && !isDelta) || ahead > 0);
    if (ahead) {
      attr(ui.bracket, 'd', `M${523 - 22 * ahead + 2} 137V133H523V137`);
      attr(ui.batch.el, 'text-anchor', 'end');
      ui.batch.at(523, 127).set(nextWords(q, next));
      return;
    }
    if (n && !isDelta) attr(ui.bracket, 'd', `M${523 - 22 * taking + 2} 137V133H523V137`);
    attr(ui.batch.el, 'text-anchor', taking < 3 || isDelta ? 'end' : 'middle');
    ui.batch.at(taking < 3 || isDelta ? 523 : 513 - 11 * (taking - 1) + 1, 127).set(!n ? '' : isDelta ? t('queue.onekey') : t('queue.batch', { n: exact(n) }));
  }

  /** The list is cut, so a batch may reach further than it shows. @param {import('../types.js').Queue} q @param {number} n */
  function nextWords(q, n) {
    if (n === 1) return ctx.t('queue.nextOne');
    return ctx.t('queue.next', { n: exact(n) + (n === q.items.length && q.depth > n ? '+' : '') });
  }

  /** What a line has to say. @param {Item} it @param {boolean} taken @returns {import('../rows.js').Tip} */
  function tip(it, taken) {
    const { t } = ctx;
    const op = it.op ?? '';
    const head = [op, it.key, it.rv ? `rv ${it.rv}` : '', it.count ? exact(it.count) : ''].filter(Boolean).join(' ');
    const what = it.tombstone ? t('queue.tip.tombstone') : ['Bookmark', 'SyncAll', 'ReplacedAll', 'Replaced', 'Sync'].includes(op) ? t('queue.tip.' + op) : it.deltas ? t('queue.deltas', { n: it.deltas.length, ops: it.deltas.map((d) => `${d.op} ${d.rv ?? ''}`.trim()).join(', ') }) : t(taken ? 'queue.tip.taken' : 'queue.tip.waits');
    return { head: head || it.key || '', body: what };
  }

  /** @param {import('../types.js').Queue} q */
  function curve(q) {
    const d = ctx.model.depths;
    const now = ctx.model.view.atMillis;
    let top = 1;
    for (const p of d) if (p.depth > top) top = p.depth;
    let path = '';
    let y = 452;
    // The highest of each step of two units, so that a short spike keeps its height.
    let i = 0;
    for (let px = 0; px <= 150; px += 2) {
      const until = now - 30e3 + (px / 150) * 30e3;
      let high = -1;
      while (i < d.length && d[i].at <= until) high = Math.max(high, d[i++].depth);
      if (high >= 0) y = 451.5 - 33.5 * Math.sqrt(high / top);
      else if (!d.length || (i === 0 && d[0].at > until)) continue;
      path += `${path ? 'L' : 'M'}${left + px} ${y.toFixed(1)}`;
    }
    attr(ui.curve, 'd', path);
    attr(ui.dot, 'cx', left + 150);
    attr(ui.dot, 'cy', y.toFixed(1));
    ui.depthHead.set(ctx.t('queue.curve'));
    ui.max.set(ctx.t('queue.max', { n: count(q.maxDepth) }));
  }

  /** A SyncAll goes to the listeners that take part in the resync. */
  function syncTo() {
    const names = ctx.model.state.listeners.filter((l) => !l.removed && l.syncing).map((l) => l.name);
    return names.length ? fit(ctx.t('queue.syncTo', { names: names.join(', ') }), 122, `12px ${ctx.scene.colour.mono}`) : 'SyncAll';
  }

  /** @param {import('../types.js').Queue} q @param {number} next */
  function real(q, next) {
    const { t } = ctx;
    const sel = ctx.selected();
    const batch = q.batch;
    const shownBatch = Math.min(batch.length, 5);
    /** @type {Item[]} */
    const all = [...batch.slice(0, shownBatch), ...q.items];
    const n = Math.min(7, all.length);
    ui.rows.forEach((r, i) => {
      const it = i < n ? all[i] : null;
      rowKeys[i] = it?.key ?? '';
      if (!it) {
        r.glyph.hide();
        r.t.set('');
        attr(r.bg, 'class', 'selbg');
        says[i] = null;
        over.set(i, '');
        return;
      }
      const on = !!sel && it.key === sel;
      r.glyph.set(kindOf(it.op));
      const words = it.op === 'SyncAll' ? syncTo() : label(it, 17);
      says[i] = tip(it, i < shownBatch);
      over.set(i, `${says[i]?.head}. ${says[i]?.body}`, 366, 208 + 23 * i, 148, 21);
      r.t.cls((on ? 'm1 selk' : i < shownBatch || (!batch.length && (!next || i < next)) ? 'm1' : 'm2') + (it.key ? ' pickable' : '')).set(words + (it.tombstone ? ' †' : ''));
      attr(r.bg, 'class', on ? 'selbg on' : 'selbg');
    });
    const marked = shownBatch || Math.min(next, 7, n);
    show(ui.brk, marked > 0);
    show(ui.cut, marked > 0 && n > marked);
    if (marked) {
      attr(ui.brk, 'd', `M366 207H362V${225 + 23 * (marked - 1)}${marked < Math.max(next, 0) && !shownBatch ? '' : 'H366'}`);
      attr(ui.cut, 'd', `M362 ${227 + 23 * (marked - 1)}H514`);
    }
    const rest = q.depth + (q.batchSize || batch.length) - n;
    ui.more.at(390, 220 + 23 * n).set(rest > 0 && n ? t('queue.more', { n: count(rest) }) : '');
    show(ui.more.el, n === 7 || rest > 0);
    const empty = !all.length;
    ui.empty.set(empty ? t('queue.empty') : '');
    ui.emptyWhy.set(empty ? t(q.closed ? 'queue.closed' : 'queue.waits') : '');
    const last = empty ? q.lastBatch : [];
    ui.lastHead.set(last.length ? t('queue.last', { n: exact(q.lastBatchSize || last.length) }) : '');
    ui.lastRows.forEach((r, i) => {
      const it = last[i];
      if (it) r.glyph.set(kindOf(it.op));
      else r.glyph.hide();
      r.t.set(it ? label(it, 18) : '', it?.key ?? '');
    });
    const lastRest = (q.lastBatchSize || last.length) - Math.min(4, last.length);
    ui.lastMore.set(last.length && lastRest > 0 ? t('more', { n: count(lastRest) }) : '');
  }

  /** @param {import('../types.js').Queue} q */
  function delta(q) {
    const { t } = ctx;
    const sel = ctx.selected();
    ui.hq.set('queue');
    ui.hi.set('items');
    ui.by.set(t('queue.byKey'));
    /** The key being popped stands first; its Deltas are with it. @type {Item[]} */
    const all = [];
    if (q.batch.length) {
      const b = q.batch[0];
      all.push(b.deltas?.length ? b : { ...b, deltas: q.batch });
    }
    all.push(...q.items);
    ui.items.forEach((row, i) => {
      const it = all[i];
      rowKeys[i] = it?.key ?? '';
      show(row.g, !!it);
      says[i] = it ? tip(it, i === 0 && q.batch.length > 0) : null;
      over.set(i, it ? `${says[i]?.head}. ${says[i]?.body}` : '', 396, 232 + 52 * i, 118, 38);
      if (!it) return;
      const taken = i === 0 && q.batch.length > 0;
      const on = !!sel && it.key === sel;
      row.n.set(String(i + 1));
      attr(row.box, 'class', taken ? 'item on' : 'item');
      attr(row.bg, 'class', on ? 'selbg on' : 'selbg');
      row.key.cls(on ? 'm1 selk pickable' : 'm1 pickable').set(middle(it.key ?? '', 14), it.key ?? '');
      const deltas = it.deltas?.length ? it.deltas : [it];
      row.chips.forEach((c, j) => {
        if (j < deltas.length) c.set(410 + 20 * j, row.y + 27, kindOf(deltas[j].op), taken ? 'mv' : 'rs', 0, false);
        else c.hide();
      });
      row.rest.set(deltas.length > 5 ? '+' + (deltas.length - 5) : '');
    });
    for (let i = 4; i < 7; i++) over.set(i, '');
    const rest = q.depth + (q.batch.length ? 1 : 0) - Math.min(4, all.length);
    ui.mapMore.set(rest > 0 ? t('queue.moreKeys', { n: count(rest) }) : '');
    const empty = !all.length;
    ui.empty.at(left, 248).set(empty ? t('queue.empty') : '');
    ui.emptyWhy.at(left, 268).set(empty ? t(q.closed ? 'queue.closed' : 'queue.waitsKey') : '');
    ui.lastHead.set('');
    ui.lastRows.forEach((r) => {
      r.glyph.hide();
      r.t.set('');
    });
    ui.lastMore.set('');
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
      over = new Rows(ctx, 7, left, { act: (i) => rowKeys[i] && ctx.select(rowKeys[i]), tip: (i) => says[i] ?? null });
    },

    paint(_, st) {
      const { t } = ctx;
      const q = st.queue;
      const isDelta = q.kind === 'DeltaFIFO';
      ui.kind.set(q.kind);
      let word = t('queue.depth');
      if (isDelta) {
        let deltas = 0;
        for (const o in q.mix) deltas += q.mix[o];
        word = t('queue.keys', { k: q.depth, n: count(deltas) });
      }
      if (ctx.model.hold('pop') && st.reflector.phase === 'watching') word = t('queue.growing', { n: exact(Math.round(st.api.writesPerSecond)) });
      ui.num.set(count(q.depth), word);
      show(ui.list, !isDelta);
      show(ui.map, isDelta);
      show(ui.spark, !isDelta);
      over.label(t('queue.rows'));
      const held = ctx.model.hold('pop');
      const next = held && !q.batch.length && q.depth ? nextBatch(q, st.era.split(',')[0]) : 0;
      if (isDelta) delta(q);
      else {
        ui.empty.at(left, 220);
        ui.emptyWhy.at(left, 240);
        real(q, next);
        curve(q);
      }
      rail(q, !isDelta && (q.depth + q.batchSize > 172 || (st.indexer.count > 2600 && q.depth + q.batchSize > 7)), next);
      ui.initial.set(exact(q.initialPopulation), 'initialPopulation');
      attr(ui.lock, 'href', q.locked ? '#i-lock' : '#i-unlock');
      attr(ui.lock, 'class', q.locked ? 'ic c1' : 'ic');
      ui.locked.cls(q.locked ? 'l t1' : 'l').set(t(q.locked ? 'queue.locked' : 'queue.unlocked'), t('queue.lockTitle'));
      attr(ui.lamp, 'class', q.synced ? 'lamp on' : 'lamp');
      ui.synced.cls(q.synced ? 'l t1' : 'l').set(q.synced ? 'synced' : t('notSynced'));
      ui.merges.set(isDelta ? (q.merges ? fit(t('queue.deltaMerged', { n: exact(q.merges) }), 150) : t('queue.noMerge')) : '');
    },

    resize() {},
    focus() {},
  };
}
