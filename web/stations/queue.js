// @ts-check
// The queue, as what it is: a RealFIFO is one ordered list of deltas; a DeltaFIFO is a queue of keys and a map of Deltas.
// Its head lies on the rail.
import { nothing, seatWord, unframed } from '../draw/comparison.js';
import { bracket } from '../draw/bracket.js';
import { deltaWords } from '../draw/delta.js';
import { halfHead, middleHead, takenHalf } from '../draw/halves.js';
import { heading, lineHeading } from '../draw/heading.js';
import { lamp } from '../draw/lamp.js';
import { lines } from '../draw/lines.js';
import { markedLine } from '../draw/marked.js';
import { hangPanel, panel } from '../draw/panel.js';
import { row } from '../draw/row.js';
import { seats } from '../draw/seats.js';
import { sparkline } from '../draw/sparkline.js';
import { gist } from '../draw/sentence.js';
import { strip } from '../draw/strip.js';
import { unseenReason } from '../draw/unseen.js';
import { whenChanged } from '../draw/when.js';
import { attr, Num, s, show, text } from '../kit/dom.js';
import { count, exact, middle, rate } from '../kit/format.js';
import { fit, width } from '../kit/measure.js';
import { kindOf } from '../kit/glyphs.js';
import { addWords } from '../kit/i18n.js';
import { Rows } from '../kit/rows.js';
import { stationNames } from '../kit/names.js';

/** @import { Comparison, Listener, Queue as State, QueueItem as Item } from '../wire/types.js' */
/** @import { Ctx, Draw, Lane, Slot } from '../wire/page-types.js' */

addWords({
  'queue.densePer': ['{per} a column', '每列 {per} 个'],
  'queue.gistEmpty': ['empty: {why}', '空：{why}'],
  'queue.gistWait': ['{n} [n:delta waits|deltas wait] for Pop', '{n} 个 delta 等待出队'],
  'queue.gistKeys': ['{n} [n:key waits|keys wait] for Pop', '{n} 个 key 等待出队'],
  'queue.gistHeld': ['you hold Pop: {n} [n:waits|wait]', 'Pop 被拦住：{n} 个等待'],
  'queue.next': ['next batch: {n}', '下一批：{n}'],
  'queue.nextOne': ['next: 1 delta', '下一个：1 个 delta'],
  'queue.rows': ['the queue from its head on', '队列，从队首起'],
  'queue.syncTo': ['SyncAll → {names}', 'SyncAll → {names}'],
  'queue.tip.Bookmark': [
    'It carries no object, only a resourceVersion, and moves the store’s version to it. It cannot join a batch.',
    '没有对象，只有 resourceVersion：把本地缓存的版本推进到它。不能并入一批。',
  ],
  'queue.tip.SyncAll': [
    'One delta for a whole resync: the listeners that asked for a resync get every object of the store, with old and new the same pointer. The '
      + 'store is not written, and no request is sent.',
    '一次 resync 只有一个 delta：要求 resync 的 listener 收到本地缓存的每个对象，old 和 new 是同一个指针。不写入，也不发请求。',
  ],
  'queue.tip.ReplacedAll': [
    'One delta for a whole list: the store is replaced in one step, then the handlers are notified of deleted, changed and new objects.',
    '一次 list 只有一个 delta：本地缓存一步替换，然后通知 handler 哪些对象删除、变化和新增。',
  ],
  'queue.tip.Replaced': ['An object of a list, as the older releases queue it: one delta for each.', '一次 list 里的对象；旧版本每个对象一个 delta。'],
  'queue.tip.Sync': ['An object that a resync sends again, as the older releases queue it: one delta for each.', 'resync 再次发出的对象；旧版本每个对象一个 delta。'],
  'queue.tip.tombstone': [
    'A tombstone (DeletedFinalStateUnknown): the deletion itself was missed, so this is the last known object.',
    'tombstone（DeletedFinalStateUnknown）：没有收到删除事件，对象是最后已知的样子。',
  ],
  'queue.tookThen': ['what Pop took, then what waits', '先是 Pop 已取出的，再是等待的'],
  'queue.tip.waits': ['waits', '等待中'],
  'queue.tip.taken': ['being processed', '正在处理'],
  'queue.deltas': ['{n} [n:Delta|Deltas]: {ops}', '{n} 个 Deltas：{ops}'],
  'queue.deltaMerged': ['{n} merged, two Deleted into one', '{n} 次合并（两个 Deleted 成一个）'],
  'queue.noMerge': ['nothing merged', '没有合并'],
  'queue.lockUnseen': ['lock not seen', '看不到锁'],
  'queue.lockTitle': [
    'The lock of the queue. While it is locked, the Reflector cannot queue anything until the popped deltas are processed.',
    '队列的锁。锁住时，已出队的处理完之前 Reflector 无法入队。',
  ],
});

const title = stationNames.queue;

/** @param {State} q */
const byKey = (q) => q.kind === 'DeltaFIFO';

/** @param {Ctx} ctx */
const held = (ctx) => !!ctx.model.hold('pop');

/** The delta type that is shown for a key: that of its newest delta. @param {Item} it */
const newest = (it) => kindOf(it.deltas?.length ? it.deltas[it.deltas.length - 1].op : it.op);

/**
 * What is on the seats of a queue, from its head on: what is being taken, and what waits behind it.
 * @param {State} q @param {number} n seats @param {string} selected @param {number} [gap] between what is taken and what waits
 * @param {(it: Item) => string | undefined} [wordOf] the name of what waits, where it has one
 * @returns {{sitters: import('../draw/seats.js').Sitter[], taken: number, hidden: number}} taken: seats of what is taken; hidden: how
 *   many more wait than have seats
 */
function sit(q, n, selected, gap = 0, wordOf = () => undefined) {
  // A DeltaFIFO pops one key with all its Deltas: one chip, with others behind it when there are several.
  const last = q.batch[q.batch.length - 1];
  const taking = !last ? [] : byKey(q) ? [last] : q.batch.slice(0, Math.ceil(n / 2));
  const all = byKey(q) ? (last?.deltas?.length || q.batch.length) : Math.max(q.batchSize, q.batch.length);
  /** @type {import('../draw/seats.js').Sitter[]} */
  const sitters = taking.map((it, i) => ({
    kind: kindOf(it.op ?? it.deltas?.[0]?.op), taken: true, selected: !!selected && it.key === selected,
    behind: i === taking.length - 1 ? all - taking.length : 0, gap: 0,
  }));
  const waiting = q.items.slice(0, Math.max(1, n - taking.length));
  const hidden = waiting.length ? q.depth - waiting.length : 0;
  waiting.forEach((it, i) => sitters.push({
    kind: newest(it), taken: false, selected: !!selected && it.key === selected,
    behind: i === waiting.length - 1 && hidden > 0 ? 2 : Math.min(1, (it.deltas?.length ?? 1) - 1),
    gap: i === 0 && taking.length ? gap : 0, word: wordOf(it),
  }));
  return { sitters, taken: taking.length, hidden };
}

/**
 * A line of a short list: a delta, where it is in the state, and whether it is taken.
 * @typedef {{it: Item, path: string, taken: boolean}} Listed
 */

/**
 * What a short list shows of a queue: what is being taken, and what waits behind it. For an empty queue it is what was taken last, except
 * while Pop is held, where it would look as if it were held.
 * @param {State} q @param {number} n lines @param {boolean} stopped Pop is held
 * @returns {{rows: Listed[], waiting: number, last: boolean}} waiting: how many of them wait; last: all of them are gone
 */
function arrangeRows(q, n, stopped) {
  const from = (/** @type {'batch' | 'items' | 'lastBatch'} */ list, /** @type {boolean} */ taken) =>
    q[list].map((it, i) => ({ it, path: `queue.${list}.${i}`, taken }));
  const taken = from('batch', true).slice(0, n);
  const waiting = from('items', false).slice(0, n - taken.length);
  const last = !taken.length && !waiting.length && !stopped;
  return { rows: last ? from('lastBatch', true).slice(0, n) : [...taken, ...waiting], waiting: waiting.length, last };
}

/** Writes a delta into a line of a chip and a name. @param {Lane} lane @param {ReturnType<typeof lines>[number]} line @param {Listed | undefined} row */
function writeItem(lane, line, row) {
  const it = row?.it;
  const several = (it?.deltas?.length ?? 0) > 1;
  const note = it?.tombstone ? ', tombstone' : several ? ` ×${it?.deltas?.length}` : '';
  if (it?.key && !note) line.bind(lane, it.op ?? '', `${row?.path}.key`, !!row?.taken);
  else line.set(it && (it.op ?? ''), it ? deltaWords(it, Infinity) : '', row?.taken, note);
}

// --- The main stage.

/** How many rows the list has, how many items the map. */
const listRows = 7;
const mapItems = 4;

/** @type {Draw} */
function full(slot, ctx) {
  const { t } = ctx;
  const { g } = slot;
  g.append(s('rect', { x: slot.x, y: slot.y, width: slot.w, height: slot.h, rx: 4, class: 'pn' }));
  const head = stageHead(slot, ctx);
  const rail = stageRail(slot, ctx);
  const chosen = new Choices(slot, ctx);
  const list = stageList(slot, ctx, chosen);
  const map = stageMap(slot, ctx, chosen);
  const empty = emptyWords(slot, ctx);
  const last = lastBatch(slot, ctx);
  const depths = s('g');
  g.append(depths);
  const left = slot.x + slot.pad;
  const right = slot.x + slot.w - slot.pad;
  const foot = slot.y + slot.h;
  const depthHead = text(depths, left, foot - 126, 'l');
  const deepest = text(depths, right, foot - 126, 'l', 'end');
  const curve = sparkline(depths, { x: left, y: foot - 114, w: right - left - 2, h: 34 }, 30e3);
  const state = stageFoot(slot, ctx);
  const says = gist(slot);
  return {
    paint(lane) {
      const { state: st, facts, view } = lane;
      const q = st.queue;
      const stopped = held(ctx);
      // The next batch is known only while the queue does not move.
      const next = stopped && !q.batch.length && q.depth ? facts.nextBatch : 0;
      head(lane, q, facts.growing, facts.deltas);
      paintGist(says, lane, stopped, t);
      show(list.g, !byKey(q));
      show(map.g, byKey(q));
      show(depths, !byKey(q));
      chosen.over.label(t('queue.rows'));
      const selected = ctx.selected();
      if (byKey(q)) map.paint(lane, q, selected);
      else {
        list.paint(lane, q, st.listeners, selected, next);
        depthHead.set(t('queue.curve'));
        deepest.set(t('queue.max', { n: count(q.maxDepth) }));
        curve.set(facts.depths, q.depth, view.atMillis);
      }
      empty(lane, q, stopped);
      last(lane, q);
      const crowded = q.depth + q.batchSize > (st.indexer.count > 2600 ? listRows : 172);
      rail.paint(lane, q, crowded && !byKey(q), facts.deltas, next, selected);
      state(lane, q, unseenReason(st, 'queue.locked'));
    },
    compared: (lane) => head(lane, lane.state.queue, lane.facts.growing, lane.facts.deltas),
    points: { store: (_, st) => rail.seat(st.queue) },
  };
}

/** What the calm stage says of the queue. @param {ReturnType<typeof gist>} says @param {Lane} lane @param {boolean} stopped @param {Ctx['t']} t */
function paintGist(says, lane, stopped, t) {
  const q = lane.state.queue;
  if (!q.depth) says.set(t('queue.gistEmpty', { why: whyEmpty(q, stopped, t) }));
  else says.bind(lane, 'n=count queue.depth', stopped ? 't queue.gistHeld' : byKey(q) ? 't queue.gistKeys' : 't queue.gistWait');
}

/** Name, number and kind. @param {Slot} slot @param {Ctx} ctx */
function stageHead(slot, { t }) {
  text(slot.head, slot.x, slot.rail - 84, slot.type.title).set(title);
  const number = new Num(slot.head, slot.x, slot.rail - 56, slot.type.number, 7).markEarly();
  const kind = text(slot.head, slot.x + slot.w, slot.rail - 84, slot.type.state, 'end').markEarly();
  return whenChanged((lane, /** @type {State} */ q, /** @type {number} */ growing, /** @type {number} */ deltas) => {
    kind.bind(lane, 'queue.kind');
    const word = byKey(q) ? t('queue.keys', { k: q.depth, n: count(deltas) }) : t('queue.depth');
    number.bind(lane, 'queue.depth', 'count', growing ? t('queue.growing', { n: rate(growing) }) : word);
  });
}

/** The lines of the list or of the map that can be selected: their keys and tips. */
class Choices {
  /** @param {Slot} slot @param {Ctx} ctx */
  constructor(slot, ctx) {
    this.ctx = ctx;
    /** @type {(Item | undefined)[]} */
    this.items = [];
    /** How many of them are being taken. */
    this.takenCount = 0;
    this.over = new Rows(ctx, slot.press, listRows, slot.x + slot.pad, {
      act: (i) => {
        const key = this.items[i]?.key;
        if (key) ctx.select(key);
      },
      tip: (i) => this.tip(i),
    });
  }

  /** @param {Item[]} items @param {number} taken @param {(i: number) => [number, number, number, number]} where their boxes are */
  set(items, taken, where) {
    this.items = items;
    this.takenCount = taken;
    let whole = true;
    for (let i = 0; i < listRows; i++) {
      const tip = this.tip(i);
      whole = this.over.set(i, tip ? `${tip.head}. ${tip.body}` : '', ...(tip ? where(i) : [])) && whole;
    }
    return whole;
  }

  /** The tip of a line. @param {number} i @returns {import('../kit/rows.js').Tip | null} */
  tip(i) {
    const it = this.items[i];
    if (!it) return null;
    const { t } = this.ctx;
    const { op = '', key, rv } = it;
    const head = [op, key, rv ? `rv ${rv}` : '', it.count ? exact(it.count) : ''].filter(Boolean).join(' ');
    let body = t(i < this.takenCount ? 'queue.tip.taken' : 'queue.tip.waits');
    if (it.tombstone) body = t('queue.tip.tombstone');
    else if (['Bookmark', 'SyncAll', 'ReplacedAll', 'Replaced', 'Sync'].includes(op)) body = t('queue.tip.' + op);
    else if (it.deltas) {
      body = t('queue.deltas', { n: it.deltas.length, ops: it.deltas.map((d) => `${d.op} ${d.rv ?? ''}`.trim()).join(', ') });
    }
    return { head: head || key || '', body };
  }
}

/** What lies on the rail: the seats, or a strip when there are too many deltas for them. @param {Slot} slot @param {Ctx} ctx */
function stageRail(slot, ctx) {
  const { t } = ctx;
  const g = s('g');
  slot.above.append(g);
  const { rail } = slot;
  const right = slot.x + slot.w;
  const pitch = (/** @type {State} */ q) => (byKey(q) ? 34 : 22);
  const places = (/** @type {State} */ q) => (byKey(q) ? 5 : 7);
  const at = { x: right - 11, y: rail, n: 7, size: 20, pitch: 22 };
  const [free, taken, dense] = [s('g'), s('g'), s('g')];
  g.append(free, taken, dense);
  seats(free, { ...at, vacant: 'slot off' });
  const line = seats(taken, { ...at, of: 'queue' });
  const columns = strip(dense, { x: slot.x, y: rail - 10, w: slot.w, h: 20 });
  const columnWords = text(dense, slot.x, rail - 18, 'l');
  const over = bracket(g, right - 1, rail - 15);
  const hiddenWords = text(g, right, rail + 32, 'n16 knock');
  /** Where the strip ends, while it is drawn. */
  let tail = 0;

  /** @param {State} q @param {number} next */
  const batchWords = (q, next) => {
    const n = q.batchSize || q.batch.length;
    if (n) return byKey(q) ? t('queue.onekey') : t('queue.batch', { n: exact(n) });
    return !next || byKey(q) ? '' : next === 1 ? t('queue.nextOne') : t('queue.next', { n: exact(next) });
  };
  /** @param {State} q @param {number} deltas that wait @param {number} next */
  const paintStrip = (q, deltas, next) => {
    const { per, reach } = columns.set(q.mix, deltas, q.depth + q.batchSize, q.batchSize);
    const marked = q.batchSize || next;
    // The words of a batch take room.
    columnWords.set(t(marked ? 'queue.densePer' : 'queue.dense', { n: count(q.depth), per }));
    over.set(marked ? reach(marked) : 0, batchWords(q, next));
    hiddenWords.set('');
    tail = Math.max(slot.x, right - reach(q.depth));
  };
  /** @param {State} q @param {number} next @param {string} selected */
  const paintSeats = (q, next, selected) => {
    const { sitters, taken: n, hidden } = sit(q, places(q), selected, byKey(q) ? 0 : 14);
    const [last] = line.set(sitters, pitch(q));
    hiddenWords.moveTo(last - 10, rail + 32).set(hidden > 0 ? '×' + count(hidden + 1) : '');
    const marked = byKey(q) ? 0 : n || Math.min(next, sitters.length);
    over.set(marked ? 22 * marked - 2 : 0, batchWords(q, next), !byKey(q) && n > 2 ? right - 10 - 11 * (n - 1) : undefined);
    tail = 0;
  };
  return {
    /** Where a delta comes to rest that is stored now. @param {State} q @returns {[number, number]} */
    seat: (q) => (tail ? [tail - 11, rail] : line.at(Math.min(places(q), q.depth) - 1, pitch(q))),
    paint: whenChanged((_, /** @type {State} */ q, /** @type {boolean} */ crowded, /** @type {number} */ deltas, /** @type {number} */ next,
      /** @type {string} */ selected) => {
      show(dense, crowded);
      show(taken, !crowded);
      show(free, !crowded && !q.batch.length && !q.depth);
      if (crowded) paintStrip(q, deltas, next);
      else paintSeats(q, next, selected);
    }),
  };
}

/** A RealFIFO: one ordered list of deltas, from its head on. @param {Slot} slot @param {Ctx} ctx @param {Choices} chosen */
function stageList(slot, ctx, chosen) {
  const { t } = ctx;
  const g = s('g');
  slot.g.append(g);
  const left = slot.x + slot.pad;
  const right = slot.x + slot.w - slot.pad;
  const top = slot.y + 24;
  const pitch = 23;
  const mark = s('path', { class: 'brk', d: '' });
  const cut = s('path', { class: 'hair', d: '' });
  g.append(mark, cut);
  const rows = Array.from({ length: listRows }, (_, i) =>
    row(g, { x: left + 28, y: top + pitch * i, w: 124, cls: 'm1', glyph: 14, picked: true }));
  const more = text(g, left + 28, top, 'l t1');
  /** A SyncAll goes to the listeners that take part in the resync. @param {Listener[]} listeners */
  const syncAll = (listeners) => {
    const names = listeners.filter((l) => !l.removed && l.syncing).map((l) => l.name);
    if (!names.length) return 'SyncAll';
    return fit(t('queue.syncTo', { names: names.join(', ') }), 122, `12px ${ctx.scene.colour.mono}`);
  };
  /** The bracket at the side of what is taken together, and the line below it. @param {number} n @param {boolean} open it goes on */
  const join = (n, open) => {
    show(mark, n > 0);
    const low = top + pitch * (n - 1) + 5;
    if (n) attr(mark, 'd', `M${left + 4} ${top - 13}H${left}V${low}${open ? '' : `H${left + 4}`}`);
    if (n) attr(cut, 'd', `M${left} ${low + 2}H${right}`);
  };
  return {
    g,
    paint: whenChanged((lane, /** @type {State} */ q, /** @type {Listener[]} */ listeners, /** @type {string} */ selected, /** @type {number} */ next) => {
      const taken = Math.min(q.batch.length, 5);
      const all = [...q.batch.slice(0, taken), ...q.items].slice(0, listRows);
      rows.forEach((r, i) => {
        const it = all[i];
        if (!it) return r.set(lane, null);
        const on = !!selected && it.key === selected;
        const bright = i < taken || (!q.batch.length && (!next || i < next));
        r.set(lane, {
          kind: kindOf(it.op), selected: on,
          words: (it.op === 'SyncAll' ? syncAll(listeners) : deltaWords(it, 17)) + (it.tombstone ? ' †' : ''),
          cls: (on ? 'm1 selk' : bright ? 'm1' : 'm2') + (it.key ? ' pickable' : ''),
          of: it.key && !it.tombstone ? `queue.${i < taken ? `batch.${i}` : `items.${i - taken}`}.key` : '', room: 17,
        });
      });
      const marked = taken || Math.min(next, all.length);
      join(marked, !taken && next > marked);
      show(cut, marked > 0 && all.length > marked);
      const rest = all.length ? q.depth + (q.batchSize || q.batch.length) - all.length : 0;
      more.moveTo(left + 28, top + pitch * all.length).set(rest > 0 ? t('queue.more', { n: count(rest) }) : '');
      return chosen.set(all, taken, (i) => [left + 4, top - 12 + pitch * i, 148, 21]);
    }),
  };
}

/** A DeltaFIFO: a queue of keys, and the map with the Deltas of each. @param {Slot} slot @param {Ctx} ctx @param {Choices} chosen */
function stageMap(slot, ctx, chosen) {
  const { t } = ctx;
  const g = s('g');
  slot.g.append(g);
  const left = slot.x + slot.pad;
  const right = slot.x + slot.w - slot.pad;
  text(g, left - 1, slot.y + 20, 'm1').set('queue');
  text(g, left + 44, slot.y + 20, 'm1').set('items');
  const by = text(g, right, slot.y + 20, 'l3', 'end');
  const items = Array.from({ length: mapItems }, (_, i) => mapItem(g, left, slot.y + 36 + 52 * i));
  const more = text(g, left + 34, slot.y + 256, 'l t1');
  return {
    g,
    paint: whenChanged((lane, /** @type {State} */ q, /** @type {string} */ selected) => {
      by.set(t('queue.byKey'));
      // The key that is being popped stands first; its Deltas are with it.
      const popped = q.batch.length ? [q.batch[0].deltas?.length ? q.batch[0] : { ...q.batch[0], deltas: q.batch }] : [];
      const all = [...popped, ...q.items].slice(0, mapItems);
      items.forEach((item, i) => item(lane, all[i], i, popped.length, selected));
      const rest = q.depth + popped.length - all.length;
      more.set(rest > 0 ? t('queue.moreKeys', { n: count(rest) }) : '');
      return chosen.set(all, popped.length, (i) => [left + 34, slot.y + 36 + 52 * i, 118, 38]);
    }),
  };
}

/** A place of the queue of keys, and what the map has under that key. @param {SVGElement} parent @param {number} x @param {number} y */
function mapItem(parent, x, y) {
  const g = s('g');
  parent.append(g);
  g.append(s('rect', { x, y, width: 22, height: 38, rx: 3, class: 'slotq' }));
  const place = text(g, x + 11, y + 24, 'n16', 'middle');
  const box = s('rect', { x: x + 34, y, width: 118, height: 38, rx: 3, class: 'item' });
  g.append(s('path', { d: `M${x + 22} ${y + 19}H${x + 34}`, class: 'hair2' }), box);
  const name = row(g, { x: x + 40, y: y + 14, w: 112, cls: 'm1', picked: true });
  const deltas = seats(g, { x: x + 48, y: y + 27, n: 5, size: 16, pitch: -20 });
  const rest = text(g, x + 146, y + 32, 'l3', 'end');
  /** @param {Lane} lane @param {Item | undefined} it @param {number} i @param {number} popped @param {string} selected */
  return (lane, it, i, popped, selected) => {
    show(g, !!it);
    if (!it) return;
    const taken = i < popped;
    const on = !!selected && it.key === selected;
    place.set(String(i + 1));
    attr(box, 'class', taken ? 'item on' : 'item');
    name.set(lane, {
      of: `queue.${taken ? `batch.${i}` : `items.${i - popped}`}.key`, room: 14, whole: true, cls: on ? 'm1 selk pickable' : 'm1 pickable', selected: on,
    });
    const all = it.deltas?.length ? it.deltas : [it];
    deltas.set(all.slice(0, 5).map((d) => ({ kind: kindOf(d.op), taken })));
    rest.set(all.length > 5 ? '+' + (all.length - 5) : '');
  };
}

/** The words in place of an empty list. @param {Slot} slot @param {Ctx} ctx */
function emptyWords(slot, { t }) {
  const left = slot.x + slot.pad;
  const empty = text(slot.g, left, 0, 'l t1');
  const why = text(slot.g, left, 0, 'l');
  return whenChanged((_, /** @type {State} */ q, /** @type {boolean} */ stopped) => {
    const none = !q.batch.length && !q.items.length;
    const y = slot.y + (byKey(q) ? 52 : 24);
    empty.moveTo(left, y).set(none ? t('queue.empty') : '');
    why.moveTo(left, y + 20).set(none ? whyEmpty(q, stopped, t) : '');
  });
}

/** What Pop does while there is nothing for it. @param {State} q @param {boolean} stopped it is held @param {Ctx['t']} t */
function whyEmpty(q, stopped, t) {
  if (q.closed) return t('queue.closed');
  if (stopped) return t('pres.popHeld');
  return t(byKey(q) ? 'queue.waitsKey' : 'queue.waits');
}

/** What a RealFIFO handed over last, while it is empty. @param {Slot} slot @param {Ctx} ctx */
function lastBatch(slot, { t }) {
  const left = slot.x + slot.pad;
  const head = text(slot.g, left, slot.y + 74, 'l3');
  const rows = [0, 1, 2, 3].map((i) => markedLine(slot.g, left, slot.y + 95 + 20 * i, 'm3'));
  const more = text(slot.g, left + 20, slot.y + 176, 'l3');
  return whenChanged((lane, /** @type {State} */ q) => {
    const last = byKey(q) || q.batch.length || q.items.length ? [] : q.lastBatch;
    const n = q.lastBatchSize || last.length;
    head.set(last.length ? t('queue.last', { n: exact(n) }) : '');
    rows.forEach((r, i) => {
      const it = last[i];
      r.mark(it?.op);
      if (it?.key) r.words.bind(lane, `queue.lastBatch.${i}.key`, 'middle', '', (key) => middle(key, 18));
      else r.words.set(it ? deltaWords(it, 18) : '');
    });
    more.set(last.length && n > rows.length ? t('more', { n: count(n - rows.length) }) : '');
  });
}

/** The first list's count, the lock, the lamp. @param {Slot} slot @param {Ctx} ctx */
function stageFoot(slot, { t }) {
  const left = slot.x + slot.pad;
  const right = slot.x + slot.w - slot.pad;
  const low = slot.y + slot.h;
  const initial = new Num(slot.g, left, low - 52, slot.type.value, 5);
  const lock = s('use', { x: left - 1, y: low - 42, width: 14, height: 14 });
  slot.g.append(lock);
  const light = lamp(slot.g, right - 4, low - 34, 4);
  const locked = text(slot.g, left + 18, low - 30, 'l');
  const synced = text(slot.g, right - 13, low - 30, 'l', 'end');
  const merges = text(slot.g, left, low - 12, 'l3');
  return whenChanged((lane, /** @type {State} */ q, /** @type {string} */ hidden) => {
    initial.bind(lane, 'queue.initialPopulation', 'exact', 'initialPopulation');
    show(lock, !hidden);
    attr(lock, 'href', q.locked ? '#i-lock' : '#i-unlock');
    attr(lock, 'class', q.locked ? 'ic c1' : 'ic');
    locked.moveTo(hidden ? left : left + 18, low - 30).cls(q.locked ? 'l t1' : 'l');
    locked.set(t(hidden ? 'queue.lockUnseen' : q.locked ? 'queue.locked' : 'queue.unlocked'), hidden || t('queue.lockTitle'));
    light.set(q.synced);
    synced.cls(q.synced ? 'l t1' : 'l').set(t(q.synced ? 'synced' : 'notSynced'));
    if (!byKey(q)) merges.set('');
    else merges.set(q.merges ? fit(t('queue.deltaMerged', { n: exact(q.merges) }), 150) : t('queue.noMerge'));
  });
}

// --- Presenter mode.

/** The seats of a slot that is drawn large. @param {Slot} slot */
function wideSeats(slot) {
  const n = Math.max(3, Math.floor((slot.w - 24) / 30));
  const line = seats(slot.g, { x: slot.x + slot.w - 27, y: slot.rail, n, size: 26, pitch: 30, vacant: 'slot', of: 'queue' });
  return whenChanged((_, /** @type {State} */ q, /** @type {string} */ selected) => {
    line.set(sit(q, n, selected).sitters);
  });
}

/**
 * The words above the list: what it contains.
 * @param {State} q @param {ReturnType<typeof arrangeRows>} shown @param {boolean} stopped @param {Ctx['t']} t
 */
function headWords(q, { rows, waiting, last }, stopped, t) {
  if (!rows.length) return `${t('pres.empty')}, ${t(stopped ? 'pres.popHeld' : 'pres.popWaits')}`;
  if (last || !waiting) return t('lanes.took');
  if (q.batch.length) return t('queue.tookThen');
  return t(stopped ? 'pres.popHeld' : 'pres.depth');
}

/** @type {Draw} */
function large(slot, ctx) {
  const { t } = ctx;
  const number = heading(slot, title);
  const kind = text(slot.head, slot.x + slot.w, slot.rail - 96, slot.type.state, 'end');
  const line = wideSeats(slot);
  panel(slot);
  const left = slot.x + slot.pad;
  const room = slot.w - 2 * slot.pad;
  const head = text(slot.g, left, slot.y + 32, slot.type.label);
  const rows = lines(slot, left, slot.y + 66, 9);
  const more = text(slot.g, left, slot.y + slot.h - 12, slot.type.label);
  const list = whenChanged((lane, /** @type {State} */ q, /** @type {boolean} */ stopped) => {
    const shown = arrangeRows(q, rows.length, stopped);
    head.cls(stopped ? `${slot.type.label} t1` : slot.type.label).set(fit(headWords(q, shown, stopped, t), room, slot.fonts.label));
    rows.forEach((r, i) => writeItem(lane, r, shown.rows[i]));
    const rest = q.depth - shown.waiting;
    more.set(rest > 0 ? t('lanes.more', { n: exact(rest) }) : '');
  });
  return {
    paint(lane) {
      const q = lane.state.queue;
      number.bind(lane, 'queue.depth', 'count');
      kind.bind(lane, 'queue.kind');
      line(lane, q, ctx.selected());
      list(lane, q, held(ctx));
    },
  };
}

// --- The phone, where the rail stands upright.

/** @param {Slot} slot @param {Ctx} ctx @param {number} rows */
function drawUpright(slot, ctx, rows) {
  const { t } = ctx;
  const head = lineHeading(slot, title);
  const n = slot.bare ? 2 : 4;
  const pitch = 20;
  // The head is lowest: what leaves first is nearest to the store.
  const line = seats(slot.g, {
    x: slot.rail, y: slot.y - 6 + pitch * (n - 1), n, size: 18, pitch, upright: true, vacant: 'slot off', of: 'queue',
  });
  const below = text(head.asides, slot.x, slot.y + 43, slot.type.label);
  const list = lines(slot, slot.x, slot.y + 74, rows);
  const paint = whenChanged((lane, /** @type {State} */ q, /** @type {string} */ selected, /** @type {boolean} */ stopped, /** @type {string} */ hidden) => {
    head.bind(lane, 'queue.depth', 'count', t('queue.depth'));
    line.set(sit(q, n, selected).sitters);
    const shown = arrangeRows(q, rows, stopped);
    list.forEach((r, i) => writeItem(lane, r, shown.rows[i]));
    // A list of what is gone already says so.
    const gone = shown.last && shown.rows.length ? t('queue.last', { n: exact(q.lastBatchSize || shown.rows.length) }) : '';
    head.right.set(gone);
    head.left.set(fit(nextWords(q, stopped, t), slot.w - 14 - (gone ? width(gone, slot.fonts.label) + 8 : 0), slot.fonts.label));
    below.cls(stopped ? `${slot.type.label} t1` : slot.type.label);
    const lock = hidden ? 'queue.lockUnseen' : q.locked ? 'phone.locked' : 'phone.unlocked';
    below.set(stopped ? t('pres.popHeld') : `${t(lock)}, ${t(q.synced ? 'synced' : 'notSynced')}`);
  });
  return {
    /** @param {Lane} lane */
    paint: (lane) => paint(lane, lane.state.queue, ctx.selected(), held(ctx), unseenReason(lane.state, 'queue.locked')),
  };
}

/** What Pop takes and what comes then, in a line. @param {State} q @param {boolean} stopped @param {Ctx['t']} t */
function nextWords(q, stopped, t) {
  const next = q.items[0];
  if (q.batchSize > 1) return t('phone.batch', { n: exact(q.batchSize), k: next ? deltaWords(next, 20) : '—' });
  if (next) return t('phone.next', { k: deltaWords(next, 26) });
  return stopped ? t('phone.empty') : `${t('phone.empty')}, ${whyEmpty(q, stopped, t)}`;
}

/**
 * The pops of a queue since it was last empty, where no changes are compared: a block each, as large as the objects that it took.
 * @param {Slot} slot
 * @param {Ctx} ctx
 */
function popRun(slot, ctx) {
  const { x, y, w } = slot;
  const g = s('g');
  slot.g.append(g);
  const took = text(g, x + 10, y + 20, 'l');
  const pops = text(g, x + w - 10, y + 20, 'l t1', 'end');
  const blocks = s('g');
  g.append(blocks);
  const [pitch, row] = [12, 18];
  const per = Math.floor((w - 20) / pitch);
  const rows = 4;
  const draw = whenChanged((_, /** @type {State} */ { run, batch, lastBatch }) => {
    const kind = kindOf((batch[0] ?? lastBatch[0])?.op ?? '');
    let used = 0;
    blocks.replaceChildren(...run.flatMap((n) => {
      // A pop that does not fit beside the others has lines of its own.
      const lines = Math.ceil(n / per);
      if (lines > 1 || (used % per) + n > per) used = Math.ceil(used / per) * per;
      const [left, top] = [x + 10 + (used % per) * pitch, y + 32 + Math.floor(used / per) * row];
      used += lines > 1 ? lines * per : n;
      if (used > per * rows) return [];
      return [s('rect', { x: left, y: top, width: Math.min(n, per) * pitch - 2, height: Math.max(lines, 1) * row - 4, rx: 2, class: 'ch rs k-' + kind })];
    }));
  });
  return (/** @type {Lane} */ from) => {
    const q = from.state.queue;
    const shown = !ctx.model.compare?.changes.length && q.run.length > 0;
    show(g, shown);
    if (!shown) return;
    took.set(unframed(ctx) ? ctx.t('lanes.took') : '');
    pops.bind(from, 'n=exact queue.runPops', 't lanes.pops');
    draw(from, q);
  };
}

/**
 * One of several informers under each other: which queue it has, and what is on its seats. The changes of the comparison keep their
 * names there. What it made of them is drawn into its panel by comparison.js.
 * @type {Draw}
 */
function lane(slot, ctx) {
  const { g, x, w, rail, type } = slot;
  const frame = hangPanel(slot, 12);
  const kind = text(g, x, rail - 26, type.title);
  const order = text(g, x + w, rail - 26, type.label, 'end');
  const line = seats(g, { x: x + w - 10, y: rail, n: 7, size: 20, pitch: 24, vacant: 'slot off', of: 'queue' });
  const paint = whenChanged((from, /** @type {State} */ q, /** @type {Comparison | null} */ compared, /** @type {string} */ selected) => {
    kind.bind(from, 'queue.kind');
    order.set(ctx.t(byKey(q) ? 'lanes.byKey' : 'lanes.arrival'));
    line.set(sit(q, 7, selected, 0, (it) => (compared ? seatWord(compared, it) : undefined)).sitters);
  });
  const run = popRun(slot, ctx);
  return {
    paint(from) {
      show(frame, !unframed(ctx));
      run(from);
      paint(from, from.state.queue, ctx.model.compare, ctx.selected());
    },
    points: { store: (_, { queue: q }) => line.at(q.depth - 1) },
  };
}

/** Beside a rail of the phone's two: the queue of one release on its rail, its head lowest, and what Pop took. @type {Draw} */
function half(slot, ctx) {
  const head = halfHead(slot);
  const n = slot.lit ? 6 : slot.bare ? 2 : 4;
  const seated = seats(slot.g, { x: slot.rail, y: slot.y - 6 + 20 * (n - 1), n, size: 18, pitch: 20, upright: true, vacant: 'slot off' });
  const took = takenHalf(slot, ctx);
  return {
    paint(lane) {
      const { queue: q } = lane.state;
      head.number.bind(lane, 'queue.depth', 'count');
      head.words.set(slot.lean ? '' : ctx.t(byKey(q) ? 'lanes.byKey' : 'lanes.arrival'));
      seated.set(q.items.slice(0, n).map((it) => ({ kind: kindOf(it.op), word: seatWord(ctx.model.compare ?? nothing, it) })));
      took(lane);
    },
  };
}

/** @type {Draw} */
function drawBetween(slot, ctx) {
  const stopped = middleHead(slot, title, 45).cls(slot.type.state);
  return { paint: () => stopped.set(held(ctx) && !slot.lit && !slot.bare ? ctx.t('lanes.held') : '') };
}

/** In the row of an informer of a factory: how many wait, and seats on its rail. @type {Draw} */
function factoryRow({ g, x, y, w, rail, from, chip, type, bare }) {
  const number = text(g, x + w, y, type.number, 'end').pulse();
  const seat = (/** @type {unknown} */ _, /** @type {number} */ i) =>
    s('rect', { x: from - (chip + 3) * i - chip / 2, y: rail - chip / 2, width: chip, height: chip, rx: 3 });
  const all = bare ? [] : Array.from({ length: 4 }, seat);
  g.append(...all);
  return {
    paint(lane) {
      number.bind(lane, `${lane.of}.depth`, 'exact');
      all.forEach((el, i) => attr(el, 'class', i < (lane.row?.depth ?? 0) ? 'hbusy' : 'slot off'));
    },
  };
}

/** @satisfies {import('../wire/page-types.js').Station} */
export const queue = {
  id: 'queue',
  title,
  full,
  large,
  /** @type {Draw} */
  line: (slot, ctx) => drawUpright(slot, ctx, 0),
  /** @type {Draw} */
  open: (slot, ctx) => drawUpright(slot, ctx, 5),
  lane,
  half,
  between: drawBetween,
  row: factoryRow,
};
