// @ts-check
// The API server: its resourceVersion, and a ledger of the newest frames by how far they have come.
import { attr, h, Num, place, s, show, text } from '../dom.js';
import { ahead, bigVersion, count, exact, reason, version, wrap } from '../format.js';
import { Glyph, kindOf } from '../glyphs.js';
import { columns } from '../scene.js';

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

  /** @param {SVGElement} root */
  function build(root) {
    const title = text(root, x, 68, 'ti');
    const rv = text(root, x, 96, 'l');
    const num = text(root, x + 18, 96, 'num');
    const no = text(root, x, 96, 'num2 cet');
    const caret = s('path', { d: 'M103 61h8l-4 5z', class: 'caretp' });
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
    const wire = rows([237, 255], 'm1');
    const queueHead = head(279);
    const queue = rows([298, 316, 334, 352], 'm2');
    const more = text(body, 45, 298, 'l3');
    const storeHead = head(376);
    const store = rows([395, 413, 431, 449], 'm2');
    const nothing = [237, 298, 395].map((y) => text(body, 26, y, 'l3'));
    body.append(s('rect', { x: 26, y: 463, width: 80, height: 6, class: 'hatch' }));
    const older = text(body, 26, 486, 'l');
    const writes = new Num(body, 26, 518, 'n16', 5);
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
    dense.append(s('rect', { x: 26, y: 463, width: 80, height: 6, class: 'hatch' }));
    const dOlder = text(dense, 26, 486, 'l');
    const dWrites = new Num(dense, 26, 518, 'n16', 4);
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
    return { title, rv, num, no, caret, panel, body, wireHead, wire, queueHead, queue, more, storeHead, store, nothing, older, writes, dense, figures, dOlder, dWrites, down, box, why, where };
  }

  /**
   * @param {{glyph: Glyph, rv: import('../dom.js').Txt}[]} slots
   * @param {{op?: string, rv?: string, key?: string}[]} items
   */
  function fill(slots, items) {
    for (let i = 0; i < slots.length; i++) {
      const it = items[i];
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
      slots[i].rv.set(version(it.rv ?? '', 8), it.key ? `${it.op} ${it.key} ${it.rv}` : `${it.op} ${it.rv}`);
    }
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
      button = h('button', { class: 'sbtn head quiet', type: 'button', 'aria-haspopup': 'dialog' });
      place(button, 14, 50, 104, 24);
      button.addEventListener('click', () => openMenu());
      ctx.scene.over.append(button);
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
      button.hidden = st.source.kind !== 'sim';
      ui.rv.set(down ? '' : 'rv');
      ui.num.set(down ? '' : bigVersion(st.api.resourceVersion), version(st.api.resourceVersion, 30));
      ui.no.set(down ? t('api.noAnswer') : '');
      const big = st.indexer.count > 2600;
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
        return;
      }
      const older = st.api.oldest ? t('api.older') : t('api.olderUnknown');
      const sim = st.source.kind === 'sim';
      const rate = st.api.writesPerSecond;
      const rateText = rate >= 10 ? exact(Math.round(rate)) : rate.toFixed(rate > 0 && rate < 1 ? 1 : 0);
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
        ui.dOlder.set(older);
        ui.dWrites.set(rateText, rate >= 999.5 ? '/s' : sim ? t('api.writes') : t('api.frames'));
        return;
      }
      ui.wireHead.set(t('api.onWire'));
      ui.queueHead.set(t('api.inQueue'));
      ui.storeHead.set(t('api.inStore'));
      fill(ui.wire, onWire.length ? onWire.slice(0, 2) : []);
      const rows = queued.flatMap((q) => (q.deltas?.length ? q.deltas : [q]));
      const rest = Math.max(st.queue.depth + (st.queue.batch.length || 0), rows.length) - 4;
      const newest = rows.slice(0, rest > 0 ? 3 : 4).reverse();
      fill(ui.queue, rest > 0 ? [{}, ...newest] : newest);
      if (rest > 0) ui.queue[0].glyph.hide();
      ui.more.set(rest > 0 ? t('more', { n: count(rest + 1) }) : '');
      fill(ui.store, inStore.slice(0, 4));
      [onWire.length, rows.length, inStore.length].forEach((n, i) => ui.nothing[i].set(n ? '' : t('api.nothing')));
      ui.older.set(older, st.api.oldest ? t('api.oldest', { rv: version(st.api.oldest, 30) }) : '');
      ui.writes.set(rateText, rate >= 999.5 ? '/s' : sim ? t('api.writes') : t('api.frames'));
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
