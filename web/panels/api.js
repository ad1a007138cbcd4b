// @ts-check
// The API server: its resourceVersion, and a ledger of the newest frames by how far they have come.
import { attr, h, Num, place, reveal, s, show, text } from '../dom.js';
import { ahead, bigVersion, bytes, count, exact, fit, reason, span, version, wrap } from '../format.js';
import { Glyph, kindOf } from '../glyphs.js';
import { addWords } from '../i18n.js';
import { Rows } from '../rows.js';
import { columns } from '../scene.js';

addWords({
  'api.holds': ['objects', '对象'],
  'api.total': ['total', '总数'],
  'api.requests': ['requests', '请求'],
  'api.noRequest': ['none open', '没有打开的'],
  'api.kept': ['kept ≥ {rv}', '保留 ≥ {rv}'],
  'api.historyTitle': ['history: from {rv} on', '历史：从 {rv} 起'],
  'api.history': ['A watch can start at {rv} at the earliest. What is older was compacted, and asking for it is answered 410 Gone; “compact” moves this line to the newest version.', 'watch 最早可从 {rv} 开始。更早的已被 compact，再要就得到 410 Gone；“compact” 会把这条线移到最新版本。'],
  'api.historyLive': ['This cluster does not say how far back its history goes. A watch from before it is answered 410 Gone; an API server keeps about five minutes.', '这个集群没说历史有多长。从更早开始的 watch 得到 410 Gone；API server 大约保留五分钟。'],
  'api.reqOpen': ['{verb}, open {s}', '{verb}，已打开 {s}'],
  'api.reqSent': ['{verb}, not answered yet', '{verb}，还没有回答'],
  'api.reqDone': ['{verb}, ended: {status}', '{verb}，已结束：{status}'],
  'api.reqBody': ['{url} — {frames} [frames:frame|frames], {bytes}', '{url} — {frames} 个 frame，{bytes}'],
  'api.ledger': ['the newest changes, by how far they have come', '最新的变更，看走到了哪里'],
});

/** What a request is, by its parameters. @param {string} url */
function verbOf(url) {
  if (/[?&]sendInitialEvents=true/.test(url)) return 'WatchList';
  if (/[?&]watch=(true|1)/.test(url)) return 'WATCH';
  return /[?&]continue=/.test(url) ? 'LIST …' : 'LIST';
}

/** @returns {import('../types.js').Panel & {menuButton: () => HTMLElement, onmenu: () => void}} */
export function createApi() {
  const x = columns.api.x;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {() => void} */
  let openMenu = () => {};
  /** @type {HTMLElement} */
  let button;
  /** @type {ReturnType<typeof build>} */
  let ui;
  /** Over the ledger (eight lines), the history and the requests. @type {Rows} */
  let rows;
  /** @type {string[]} */
  const keys = [];
  /** @type {(import('../rows.js').Tip | null)[]} */
  const says = [];

  /** @param {SVGElement} root */
  function build(root) {
    const title = text(root, x, 68, 'ti');
    const rv = text(root, x, 96, 'l');
    const num = text(root, x + 18, 96, 'num');
    const no = text(root, x, 96, 'num2 cet');
    const caret = s('path', { d: 'M116 61h8l-4 5z', class: 'caretp' });
    root.append(caret);
    const panel = s('rect', { x, y: 196, width: 100, height: 336, rx: 4, class: 'pn' });
    root.append(panel);
    const body = s('g');
    root.append(body);
    /** @param {number} y */
    const head = (y) => text(body, 26, y, 'l');
    /** @param {number[]} ys @param {string} cls */
    const rows = (ys, cls) => ys.map((y) => ({ glyph: new Glyph(body, 26.5, y - 10.5, 13), rv: text(body, 45, y, cls) }));
    const wireHead = head(218);
    const wire = rows([236, 253], 'm1');
    const queueHead = head(276);
    const queue = rows([294, 311, 328], 'm2');
    const more = text(body, 45, 294, 'l3');
    const storeHead = head(351);
    const store = rows([369, 386, 403], 'm2');
    const nothing = [236, 294, 369].map((y) => text(body, 26, y, 'l3'));
    const low = s('g');
    root.append(low);
    low.append(s('rect', { x: 26, y: 414, width: 80, height: 6, class: 'hatch' }));
    const older = text(low, 26, 434, 'l');
    const reqHead = text(low, 26, 457, 'l');
    const lamp = s('circle', { cx: 30, cy: 470.5, r: 3.5, class: 'lamp' });
    low.append(lamp);
    const req = text(low, 39, 475, 'm1');
    const holds = new Num(low, 25, 499, 'n16', 3);
    const writes = new Num(low, 25, 521, 'n16', 3);
    const dense = s('g');
    root.append(dense);
    const figures = [0, 1, 2].map((i) => ({
      head: text(dense, 26, 218 + 61 * i, 'l'), n: text(dense, 26, 242 + 61 * i, 'n20'),
      bars: ['upd', 'add', 'del', 'rep', 'syn', 'bmk'].map((k) => {
        const r = s('rect', { x: 26, y: 250 + 61 * i, width: 0, height: 4, class: 'mx k-' + k });
        dense.append(r);
        return { k, r };
      }),
    }));
    const down = s('g');
    root.append(down);
    down.append(
      s('rect', { x, y: 196, width: 100, height: 336, rx: 4, class: 'hatch' }),
      s('rect', { x: 24, y: 210, width: 84, height: 126, rx: 3, class: 'pn2' }),
      s('use', { href: '#i-x', x: 55, y: 223, width: 22, height: 22, class: 'ic ce' }),
    );
    const box = /** @type {SVGElement} */ (down.children[1]);
    const why = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => text(down, 66, 262 + 16 * i, 'l t1', 'middle'));
    const where = [0, 1, 2].map((i) => text(down, 66, 304 + 16 * i, 'm2', 'middle'));
    return { title, rv, num, no, caret, panel, body, wireHead, wire, queueHead, queue, more, storeHead, store, nothing, low, older, reqHead, lamp, req, holds, writes, dense, figures, down, box, why, where };
  }

  /**
   * @param {{glyph: Glyph, rv: import('../dom.js').Txt}[]} slots
   * @param {{op?: string, rv?: string, key?: string, bytes?: number}[]} items
   * @param {number} first the first of their lines
   * @param {number} y
   */
  function fill(slots, items, first, y) {
    for (let i = 0; i < slots.length; i++) {
      const it = items[i];
      keys[first + i] = it?.key ?? '';
      says[first + i] = it?.rv ? { head: it.key ?? `${it.op}`, body: [it.op, `rv ${it.rv}`, it.bytes ? bytes(it.bytes) : ''].filter(Boolean).join(' · ') } : null;
      rows.set(first + i, it?.rv ? `${it.op} ${it.key ?? ''} rv ${it.rv}` : '', 22, y + 17 * i - 13, 88, 17);
      if (!it) {
        slots[i].glyph.hide();
        slots[i].rv.set('');
        continue;
      }
      slots[i].glyph.set(kindOf(it.op));
      if (!it.op && !it.rv) {
        slots[i].glyph.hide();
        slots[i].rv.set('');
        continue;
      }
      slots[i].rv.set(version(it.rv ?? '', 8));
    }
  }

  /** What the cluster holds, how far back it remembers, and who asks it now. @param {import('../types.js').State} st */
  function below(st) {
    const { t } = ctx;
    const now = ctx.now();
    const oldest = st.api.oldest;
    ui.older.set(oldest ? fit(t('api.kept', { rv: version(oldest, 7) }), 82) : t('api.older'));
    says[8] = oldest ? { head: t('api.historyTitle', { rv: version(oldest, 30) }), body: t('api.history', { rv: version(oldest, 30) }) } : { head: t('api.olderUnknown'), body: t('api.historyLive') };
    keys[8] = '';
    rows.set(8, `${says[8].head}. ${says[8].body}`, 22, 411, 88, 28);
    const open = st.api.requests.filter((r) => r.open);
    const r = open[0] ?? st.api.requests[0];
    ui.reqHead.set(t('api.requests') + (open.length > 1 ? ` · ${exact(open.length)}` : ''));
    attr(ui.lamp, 'class', open.length ? 'lamp on' : 'lamp');
    const verb = r ? verbOf(r.url) : '';
    const age = r ? span(Math.max(0, now - r.sentMillis)) : '';
    ui.req.set(r ? fit(`${verb} ${r.open ? '' : r.status || '—'}`.trim(), 70, '12px') : '—');
    const line = (/** @type {import('../types.js').WireRequest} */ q) => t(q.open ? (q.status ? 'api.reqOpen' : 'api.reqSent') : 'api.reqDone', { verb: verbOf(q.url), s: span(Math.max(0, now - q.sentMillis)), status: q.error ? reason(q.error) : String(q.status || '—') });
    const body = (/** @type {import('../types.js').WireRequest} */ q) => t('api.reqBody', { url: short(q.url), frames: exact(q.frames), bytes: bytes(q.bytes) });
    says[9] = r ? { head: line(r), body: [body(r), ...st.api.requests.filter((q) => q !== r).slice(0, 3).map((q) => `${line(q)} · ${bytes(q.bytes)}`)].join('\n') } : { head: t('api.requests'), body: t('api.noRequest') };
    keys[9] = '';
    rows.set(9, `${t('api.requests')}: ${r ? `${verb} ${age}` : t('api.noRequest')}`, 22, 445, 88, 36);
    ui.holds.set(st.api.objects < 0 ? '—' : count(st.api.objects), t(st.api.objects > 9999 ? 'api.total' : 'api.holds'));
    const rate = st.api.writesPerSecond;
    const rateText = rate >= 10 ? exact(Math.round(rate)) : rate.toFixed(rate > 0 && rate < 1 ? 1 : 0);
    ui.writes.set(rateText, rate >= 999.5 ? '/s' : st.source.kind === 'sim' ? t('api.writes') : t('api.frames'));
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
      button = h('button', { class: 'sbtn head quiet', type: 'button', 'aria-haspopup': 'dialog' });
      place(button, 14, 50, 112, 24);
      button.addEventListener('click', () => openMenu());
      ctx.scene.over.append(button);
      rows = new Rows(ctx, 10, x + 1, { act: (i) => keys[i] && ctx.select(keys[i]), tip: (i) => says[i] ?? null });
    },

    menuButton() {
      return button;
    },

    paint(_, st) {
      const { t } = ctx;
      const m = ctx.model;
      const down = m.down();
      ui.title.set('API server');
      attr(button, 'aria-label', t(st.source.kind === 'sim' ? 'api.menu' : 'api.server'));
      show(ui.caret, st.source.kind === 'sim');
      reveal(button, st.source.kind === 'sim');
      ui.rv.set(down ? '' : 'rv');
      ui.num.set(down ? '' : bigVersion(st.api.resourceVersion), version(st.api.resourceVersion, 30));
      ui.no.set(down ? t('api.noAnswer') : '');
      const big = st.indexer.count > 2600;
      show(ui.low, !down);
      show(ui.body, !down && !big);
      show(ui.dense, !down && big);
      show(ui.down, down);
      if (down) {
        const words = m.trouble();
        const host = /\b((?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]+\]|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):(\d+)\b/i.exec(words);
        const short = /connection refused|ECONNREFUSED/i.test(words) ? t('api.refused') : reason(words);
        const lines = wrap(short, 78, host ? 4 : 9);
        ui.why.forEach((line, i) => line.set(lines[i] ?? '', i === 0 ? words : ''));
        const y = 262 + 16 * lines.length + 10;
        const place2 = host ? [host[1].length > 11 ? version(host[1], 11) : host[1], ':' + host[2]] : [];
        ui.where.forEach((line, i) => line.at(66, y + 16 * i).set(place2[i] ?? ''));
        attr(ui.box, 'height', Math.max(64, y + (host ? 22 : -6) - 210));
        for (let i = 0; i < 10; i++) rows.set(i, '');
        return;
      }
      rows.label(t('api.ledger'));
      below(st);
      /** @type {import('../types.js').WireFrame[]} */
      const onWire = [];
      const inStore = [];
      const queued = [...st.queue.batch, ...st.queue.items];
      const queuedRv = new Set();
      for (const q of queued) {
        if (q.rv) queuedRv.add(q.rv);
        for (const d of q.deltas ?? []) if (d.rv) queuedRv.add(d.rv);
      }
      // The queue's list is cut; what is newer than its last line is behind it.
      const lastItem = st.queue.depth > st.queue.items.length ? st.queue.items[st.queue.items.length - 1] : undefined;
      const cutAt = lastItem ? lastItem.rv || lastItem.deltas?.[lastItem.deltas.length - 1]?.rv || '' : '';
      for (const f of st.api.wire) {
        const lead = ahead(st.reflector.resourceVersion, f.rv);
        if (lead !== null && lead > 0) onWire.push(f);
        else if (!queuedRv.has(f.rv) && !(cutAt && (ahead(cutAt, f.rv) ?? 0) > 0)) inStore.push(f);
      }
      if (big) {
        const mixes = [mixOf(onWire), st.queue.mix, mixOf(inStore)];
        const ns = [onWire.length, st.queue.depth, st.indexer.count];
        const heads = ['api.onWire', 'api.inQueue', 'api.inStore'];
        ui.figures.forEach((f, i) => {
          f.head.set(t(heads[i]));
          f.n.set(count(ns[i]));
          strip(f.bars, mixes[i], 26, 80);
        });
        for (let i = 0; i < 8; i++) rows.set(i, '');
        return;
      }
      ui.wireHead.set(t('api.onWire'));
      ui.queueHead.set(t('api.inQueue'));
      ui.storeHead.set(t('api.inStore'));
      fill(ui.wire, onWire.length ? onWire.slice(0, 2) : [], 0, 236);
      const all = queued.flatMap((q) => (q.deltas?.length ? q.deltas.map((d) => ({ ...d, key: d.key || q.key })) : [q]));
      const rest = Math.max(st.queue.depth + (st.queue.batch.length || 0), all.length) - 3;
      const newest = all.slice(0, rest > 0 ? 2 : 3).reverse();
      fill(ui.queue, rest > 0 ? [{}, ...newest] : newest, 2, 294);
      if (rest > 0) ui.queue[0].glyph.hide();
      ui.more.set(rest > 0 ? t('more', { n: count(rest + 1) }) : '');
      fill(ui.store, inStore.slice(0, 3), 5, 369);
      [onWire.length, all.length, inStore.length].forEach((n, i) => ui.nothing[i].set(n ? '' : t('api.nothing')));
    },

    resize() {},
    focus() {
      button.focus();
    },
    get onmenu() {
      return openMenu;
    },
    set onmenu(/** @type {() => void} */ f) {
      openMenu = f;
    },
  };
}

/** A URL in a tip: the path, and that there is a query. @param {string} url */
function short(url) {
  return url.split('?')[0];
}

/** @param {{op: string}[]} frames @returns {Record<string, number>} */
function mixOf(frames) {
  /** @type {Record<string, number>} */
  const mix = {};
  for (const f of frames) mix[f.op] = (mix[f.op] ?? 0) + 1;
  return mix;
}

/**
 * A bar whose parts are the delta types of a mix.
 * @param {{k: string, r: SVGElement}[]} bars
 * @param {Record<string, number>} mix
 * @param {number} x
 * @param {number} width
 */
export function strip(bars, mix, x, width) {
  /** @type {Record<string, number>} */
  const by = {};
  let total = 0;
  for (const op in mix) {
    const k = kindOf(op);
    by[k] = (by[k] ?? 0) + mix[op];
    total += mix[op];
  }
  let at = x;
  for (const b of bars) {
    const w = total ? ((by[b.k] ?? 0) / total) * width : 0;
    attr(b.r, 'x', at.toFixed(1));
    attr(b.r, 'width', w.toFixed(1));
    at += w;
  }
}
