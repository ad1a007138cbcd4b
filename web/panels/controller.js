// @ts-check
// The Controller: its work queue with the keys that wait, are worked on, or are dirty, and its workers on the rail.
// Keys have no type any more, so everything here is neutral.
import { attr, h, Num, place, reveal, s, show, text } from '../dom.js';
import { count, exact, fit, middle, span, version } from '../format.js';
import { Chip, Glyph } from '../glyphs.js';
import { addWords, t as say } from '../i18n.js';
import { Rows } from '../rows.js';
import { columns, RAIL } from '../scene.js';

const left = 1094;
const right = 1254;

addWords({
  'con.rows': ['keys of the work queue', 'work queue 的 key'],
  'con.tipQueue': ['In the FIFO, place {n}: the next free worker takes the first.', '在 FIFO 里，第 {n} 位：下一个空闲的 worker 取第一个。'],
  'con.tipProcessing': ['Worker {w} has it, for {s}. Added again now, it would be marked dirty and queued when the worker is done.', 'worker {w} 在处理它，已 {s}。这时再加入只标记 dirty，做完后再排队。'],
  'con.tipWaiting': ['In the waiting heap, due in {s}, after {n} [n:failure|failures]. A fresh Add does not wait for that.', '在等待堆里，{s} 后到期，已失败 {n} 次。新的 Add 不等它。'],
  'con.tipDirty': ['dirty: {n} [n:key waits or is|keys wait or are] to be worked on again. Added again: {keys}', 'dirty：{n} 个 key 在等或要再处理。再次加入的：{keys}'],
  'con.tipRead': ['The reconciler read {key} at rv {rv} through the lister; the cluster was at {latest}. It does not ask the API server.', 'reconciler 通过 lister 读到 {key} 的 rv {rv}；集群已到 {latest}。它不问 API server。'],
  'con.lastRead': ['read rv {rv}, {n} behind', '读到 rv {rv}，落后 {n}'],
  'con.lastReadNow': ['read rv {rv}, current', '读到 rv {rv}，最新'],
  'con.write': ['writes', '写入'],
  'con.written': ['[n:write|writes]', '写入'],
  'con.writeOnly': ['reads only', '只读'],
  'con.writeTip': ['writes: the controller writes what it observed into an annotation of the object, in the simulated cluster alone', '写入：controller 把观察到的写进对象的 annotation，仅限模拟集群'],
  'con.conflicts': ['{n} [n:conflict|conflicts]', '冲突 {n} 次'],
  'con.fails': ['{n} failed', '失败 {n} 次'],
  'con.sends': ['PATCH {key}, rv {rv}', 'PATCH {key}，rv {rv}'],
  'con.wrote': ['PATCH {key}, rv {rv} → {new}', 'PATCH {key}，rv {rv} → {new}'],
  'con.stale': ['409 Conflict: rv {rv} was stale', '409 Conflict：rv {rv} 已过时'],
  'con.unwritten': ['PATCH failed: {e}', 'PATCH 失败：{e}'],
  'con.tipWrites': ['A reconcile writes what it observed into an annotation, with the resourceVersion it read. If that was stale the API server answers 409 and the key is tried again. The write comes back over the watch, and then there is nothing to write. Last: worker {w}, {last}.', '一次 reconcile 把观察到的写进 annotation，带着它读到的 resourceVersion。若已过时，API server 回答 409，这个 key 会重试。写入会经 watch 回来，之后就没有要写的了。上一次：worker {w}，{last}。'],
});

/** What became of a controller's last write. @param {import('../types.js').Write_ | undefined} wr */
export function writeWords(wr) {
  if (!wr) return '';
  const sent = { key: middle(wr.key.replace(/^.*\//, ''), 14), rv: version(wr.rv, 9), new: version(wr.newRV ?? '', 9), e: wr.error ?? '' };
  return say(wr.open ? 'con.sends' : wr.code === 409 ? 'con.stale' : wr.error ? 'con.unwritten' : 'con.wrote', sent);
}

/** @returns {import('../types.js').Panel} */
export function createController() {
  const { x, w } = columns.controller;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {ReturnType<typeof build>} */
  let ui;
  /** The key of each line, for a press, and what it has to say: three queued, two processed, four waiting, dirty, the last read. @type {string[]} */
  const keys = [];
  /** @type {(import('../rows.js').Tip | null)[]} */
  const says = [];
  /** @type {Rows} */
  let over;

  /** @param {SVGElement} root */
  function build(root) {
    text(root, x, 68, 'ti').set('Controller');
    const num = new Num(root, x, 96, 'num', 7);
    const workers = text(root, 1264, 96, 'l', 'end');
    const reads = text(root, 1264, 68, 'l', 'end');
    const writes = h('button', { class: 'sbtn line lampb', type: 'button', hidden: '' });
    place(writes, 1196, 52, 68, 24);
    writes.addEventListener('click', () => ctx.act('writes', !ctx.model.state.workqueue?.writing));
    ctx.scene.over.append(writes);
    const panel = s('rect', { x, y: 106, width: w, height: 426, rx: 4, class: 'pn' });
    root.append(panel);
    const lists = s('g');
    root.append(lists);
    /** @param {number} y @param {string} cls */
    const line = (y, cls) => {
      const bg = s('rect', { x: left - 3, y: y - 12, width: 118, height: 17, rx: 2, class: 'selbg' });
      lists.append(bg);
      const k = text(lists, left, y, cls);
      return { bg, k, y, v: text(lists, right, y, 'l', 'end') };
    };
    const qHead = new Num(lists, left, 210, 'n20', 6);
    const queue = [230, 248, 266].map((y) => line(y, 'm1'));
    const pHead = new Num(lists, left, 296, 'n20', 6);
    const processing = [316, 334].map((y) => line(y, 'm1'));
    const wHead = new Num(lists, left, 364, 'n20', 6);
    const retries = text(lists, right, 364, 'l cwt', 'end');
    const waiting = [384, 405, 426, 447].map((y) => {
      const o = line(y, 'm1');
      const trk = s('rect', { x: left, y: y + 4, width: 160, height: 2, class: 'trk2' });
      const bar = s('rect', { x: left, y: y + 4, width: 0, height: 2, class: 'bar2' });
      lists.append(trk, bar);
      return { ...o, trk, bar };
    });
    const dense = s('g');
    lists.append(dense);
    const bins = [...Array(40).keys()].map((i) => {
      const r = s('rect', { x: left + 4 * i, y: 418, width: 3, height: 0, class: 'dd' });
      dense.append(r);
      return r;
    });
    dense.append(s('path', { d: `M${left} 418.5H${right}`, class: 'axis' }));
    const dNow = text(dense, left, 433, 'l3');
    text(dense, right, 433, 'l3', 'end').set('20 s');
    const dHead = new Num(lists, left, 470, 'n20', 6);
    const readded = text(lists, right, 470, 'l3', 'end');
    const tHead = new Num(lists, left, 498, 'n20', 6);
    const refused = text(lists, right, 498, 'l cwt', 'end');
    const foot = text(root, left, 518, 'l');
    const quiet = s('g');
    root.append(quiet);
    const none = text(quiet, left + 2, 221, 'c14');
    const none2 = [0, 1, 2].map((i) => text(quiet, left + 2, 247 + 18 * i, 'l'));

    const front = s('g');
    ctx.scene.front.append(front);
    const slots = [0, 1, 2].map((i) => {
      const r = s('rect', { x: 1098 + 24 * i, y: 142, width: 20, height: 20, rx: 4, class: 'slotk off' });
      front.append(r);
      return { r, g: new Glyph(front, 1099 + 24 * i, 143, 18) };
    });
    const back = new Chip(front, 20);
    const stack = text(front, 1098, 184, 'n16');
    const qWord = text(front, 1132, 180, 'm2', 'middle');
    const ws = [0, 1].map((i) => {
      const c = s('circle', { cx: 1208 + 28 * i, cy: RAIL, r: 11, class: 'worker' });
      front.append(c);
      return { c, n: text(front, 1208 + 28 * i, 157, 't14', 'middle') };
    });
    const wWord = text(front, 1222, 180, 'l', 'middle');
    return {
      num, workers, panel, lists, qHead, queue, pHead, processing, wHead, retries, waiting, dense, bins, dNow, dHead, readded, tHead, refused, reads, writes, foot, quiet, none, none2, front, slots, back, stack, qWord, ws, wWord,
      read: /** @type {import('../dom.js').Txt | null} */ (null), write: /** @type {import('../dom.js').Txt | null} */ (null),
    };
  }

  /**
   * @param {number} n which of the lines that can be chosen
   * @param {{y: number, bg: SVGElement, k: import('../dom.js').Txt, v: import('../dom.js').Txt}} o
   * @param {string | undefined} key
   * @param {string} value
   * @param {string} [says_] what it has to say
   * @param {string} [more] what stands there in place of a key
   */
  function line(n, o, key, value, says_ = '', more = '') {
    keys[n] = key ?? '';
    says[n] = key ? { head: key, body: says_ } : null;
    over.set(n, key ? `${key}. ${says_}` : '', left - 4, o.y - 13 + (ctx.model.hold('take') ? 30 : 0), 168, 18);
    const on = !!key && key === ctx.selected();
    o.k.cls(more ? 'l' : on ? 'm1 selk pickable' : 'm1 pickable').set(key ? middle(key, 16) : more, key ?? '');
    attr(o.bg, 'class', on ? 'selbg on' : 'selbg');
    o.v.set(value);
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
      over = new Rows(ctx, 12, left, { act: (i) => keys[i] && ctx.select(keys[i]), tip: (i) => says[i] ?? null });
      ui.read = text(ctx.scene.front, 942, 548, 'l knock', 'middle');
      ui.write = text(ctx.scene.front, 438, 560, 'l knock', 'middle');
    },

    paint(_, st) {
      const { t } = ctx;
      const q = st.workqueue;
      const now = ctx.now();
      show(ui.quiet, !q && ctx.model.any);
      show(ui.lists, !!q);
      show(ui.front, !!q);
      attr(ui.panel, 'class', q ? 'pn' : 'pn ghost');
      ui.num.set(q ? count(q.depth) : '—', q ? t('con.queued') : '');
      attr(ui.num.el, 'class', q ? 'num' : 'num2 t3');
      ui.workers.set(q && q.depth < 1e4 ? t('con.workers', { n: q.workers.length }) : '');
      const sim = st.source.kind === 'sim';
      ui.reads.set(q && st.source.kind === 'live' ? t('con.writeOnly') : '');
      reveal(ui.writes, !!q && sim);
      if (ui.writes.textContent !== t('con.write')) ui.writes.textContent = t('con.write');
      attr(ui.writes, 'aria-label', t('con.writeTip'));
      attr(ui.writes, 'aria-pressed', String(!!q?.writing));
      if (!q) {
        for (let i = 0; i < 12; i++) over.set(i, '');
        ui.none.set(t('con.none'));
        const words = t('con.noneWhy').split('\n');
        ui.none2.forEach((l, i) => l.set(words[i] ?? ''));
        ui.foot.set('');
        ui.read?.set('');
        ui.write?.set('');
        return;
      }
      const held = !!ctx.model.hold('take');
      attr(ui.lists, 'transform', held ? 'translate(0 30)' : null);
      // The rail.
      ui.slots.forEach((sl, i) => {
        const on = i < q.depth;
        attr(sl.r, 'class', on ? 'slotk' : 'slotk off');
        if (on) sl.g.set('key');
        else sl.g.hide();
      });
      if (q.depth > 3) ui.back.set(1108, RAIL, 'key', 'rs', 2, false);
      else ui.back.hide();
      ui.stack.set(q.depth > 3 ? '×' + count(q.depth - 2) : '');
      ui.qWord.set(q.depth > 3 ? '' : 'queue');
      const busyIds = new Set(q.processing.map((p) => p.id));
      const busy = q.workers.filter((p) => p.key || busyIds.has(p.id));
      ui.ws.forEach((o, i) => {
        const wk = q.workers[i];
        show(o.c, !!wk);
        const rest = q.workers.length - 2;
        const on = !!wk && (!!wk.key || busyIds.has(wk.id));
        attr(o.c, 'class', on ? 'worker on' : 'worker');
        o.n.cls(on ? 't14 onw' : 't14').set(wk ? (i === 1 && rest > 0 ? '+' + (rest + 1) : String(i + 1)) : '');
      });
      ui.wWord.set(busy.length ? 'workers' : t('con.idle'));
      // The lists.
      ui.qHead.set(count(q.depth), 'queue');
      const more = q.depth - 3;
      ui.queue.forEach((o, i) => {
        if (i === 2 && more > 0 && q.depth > 3) {
          line(i, o, undefined, '', '', t('more', { n: count(q.depth - 2) }));
        } else line(i, o, q.queue[i], '', t('con.tipQueue', { n: i + 1 }));
      });
      ui.pHead.set(count(q.processing.length), 'processing');
      ui.processing.forEach((o, i) => {
        const p = q.processing[i];
        line(3 + i, o, p?.key, p ? span(now - p.sinceMillis) : '', p ? t('con.tipProcessing', { w: p.id, s: span(now - p.sinceMillis) }) : '');
      });
      ui.wHead.set(count(q.waitingCount), 'waiting');
      const worst = q.waiting.reduce((a, k) => Math.max(a, k.failures), 0);
      ui.retries.set(q.retries ? (q.retries === 1 && worst ? t('con.retry', { n: worst }) : t('con.retries', { n: exact(q.retries) })) : '');
      const dense = st.indexer.count > 2600 && q.waitingCount > 4;
      show(ui.dense, dense);
      const rows = held ? 2 : 4;
      ui.waiting.forEach((o, i) => {
        const k = !dense && i < rows ? q.waiting[i] : undefined;
        const due = k ? Math.max(0, k.dueMillis - now) : 0;
        line(5 + i, o, k?.key, k ? dueText(due) : '', k ? t('con.tipWaiting', { s: dueText(due), n: exact(k.failures) }) : '');
        o.v.cls('l t1');
        show(o.trk, !!k);
        show(o.bar, !!k);
        if (!k) return;
        attr(o.bar, 'width', (160 * Math.min(1, Math.log1p(due / 200) / Math.log1p(20e3 / 200))).toFixed(1));
        attr(o.bar, 'class', k.failures ? 'bar2 w' : 'bar2');
      });
      if (dense) {
        const ns = new Array(40).fill(0);
        const bad = new Array(40).fill(false);
        for (const k of q.waiting) {
          const i = Math.min(39, Math.max(0, Math.floor((k.dueMillis - now) / 500)));
          ns[i]++;
          if (k.failures) bad[i] = true;
        }
        const top = Math.max(1, ...ns);
        ui.bins.forEach((r, i) => {
          const hgt = ns[i] ? 3 + (15 * ns[i]) / top : 0;
          attr(r, 'y', (418 - hgt).toFixed(1));
          attr(r, 'height', hgt.toFixed(1));
          attr(r, 'class', bad[i] ? 'dd w' : 'dd');
        });
        ui.dNow.set(t('con.now'));
      }
      const lift = held ? 30 : 0;
      ui.dHead.y(470 - lift).set(count(q.dirtyCount), 'dirty');
      ui.readded.at(right, 470 - lift).set(q.reAdded ? t('con.readded', { a: count(q.dirtyCount - q.reAdded), b: count(q.reAdded) }) : '');
      over.label(t('con.rows'));
      keys[9] = keys[10] = '';
      says[9] = q.dirtyCount ? { head: 'dirty', body: t('con.tipDirty', { n: exact(q.dirtyCount), keys: (q.dirty ?? []).slice(0, 6).join(', ') || t('none') }) } : null;
      over.set(9, says[9]?.body ?? '', left - 4, 452, 168, 24);
      const read = q.lastRead;
      keys[10] = read?.key ?? '';
      says[10] = read ? { head: read.key, body: t('con.tipRead', { key: read.key, rv: version(read.rv, 14), latest: version(read.latest || read.rv, 14) }) } : null;
      over.set(10, says[10]?.body ?? '', 866, 536, 152, 16);
      const wr = q.lastWrite;
      const last = writeWords(wr);
      const tried = q.writing || !!wr;
      ui.tHead.y(498 - lift).set(tried ? count(q.writes) : '', tried ? t('con.written', { n: q.writes }) : '');
      ui.refused.at(right, 498 - lift).set(q.writeFails ? t('con.fails', { n: count(q.writeFails + q.conflicts) }) : q.conflicts ? t('con.conflicts', { n: count(q.conflicts) }) : '');
      keys[11] = wr?.key ?? '';
      says[11] = tried ? { head: wr?.key ?? t('con.write'), body: t('con.tipWrites', { w: wr?.worker || '—', last: last || t('none') }) } : null;
      over.set(11, says[11]?.body ?? '', left - 4, 480, 168, 24);
      const idle = !busy.length && !q.depth && !held;
      const foot = q.shuttingDown ? t('con.shutting') : idle ? t('con.wait') : q.failures ? t('con.failed', { n: exact(q.failures), m: exact(q.reconciles) }) : read ? t(read.behind > 0 ? 'con.lastRead' : 'con.lastReadNow', { rv: version(read.rv, 10), n: exact(read.behind) }) : '';
      ui.foot.set(held ? '' : fit(foot, 160));
      const stale = ctx.model.stale(now);
      const r = q.lastRead;
      ui.read?.set(stale ? t('con.readStale', { s: span(stale) }) : !r ? 'lister.Get' : r.behind > 0 ? t('con.read', { n: exact(r.behind) }) : t('con.readFresh'));
      ui.write?.set(!q.writing ? '' : last ? fit(last, 560) : t('con.writes'), wr?.error ?? '');
    },

    resize() {},
    focus() {},
  };
}

/** @param {number} ms */
function dueText(ms) {
  return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : span(ms);
}
