// @ts-check
// The Listeners: for each handler its two unbuffered channels, the ring that grows between them, and the handler with
// its pace. Three are drawn large; from the fourth on, all but the first and the one that has something to tell become rows.
import { attr, h, Num, place, reveal, s, show, text } from '../dom.js';
import { Glyph, kindOf } from '../glyphs.js';
import { count, exact, fit, ring as ringNumber, span } from '../format.js';
import { addWords } from '../i18n.js';
import { label } from './queue.js';
import { columns, lanesY } from '../scene.js';

/** @typedef {import('../types.js').Listener} Listener */

const paces = [0, 10, 50, 120, 500];

/** A handler is slow when its calls take long, or when it was made so. @param {Listener} l */
export function isSlow(l) {
  return l.paceMillis >= 50 || (l.meanMicros > 50e3 && l.pending > 8) || (l.capacities.length > 0 && l.pending > l.capacity / 4);
}

addWords({
  'lis.handledOf': ['{n} handled of {m}', '已处理 {n} / {m}'],
  'lis.handledTitle': ['{d} distributed to it, {m} delivered over nextCh, {n} handled', '分发给它 {d}，经 nextCh 交付 {m}，处理完 {n}'],
  'lis.now': ['now {key}', '正在 {key}'],
  'lis.menu': ['{name}: its handler', '{name}：它的 handler'],
  'lis.each': ['extra time of each call', '每次调用的额外时间'],
  'lis.own': ['other: milliseconds', '其他：毫秒'],
  'lis.panic': ['panic in the next call', '下一次调用 panic'],
  'lis.panicNote': ['client-go would crash the program. Here it is recovered: the call is lost, the handler rests for a second, and goes on.', 'client-go 会让程序崩溃。这里恢复了它：这次调用丢失，handler 停一秒，再继续。'],
  'lis.noResync': ['no resync', '没有 resync'],
  'lis.facts': ['{d} distributed · {m} delivered · {n} handled', '分发 {d} · 交付 {m} · 处理 {n}'],
  'lis.gone': ['removed', '已移除'],
  'lis.goneWhy': ['{n} handled, {m} thrown away', '处理了 {n}，丢弃 {m}'],
  'lis.resyncNote': ['While the informer runs, a resync shorter than the one it checks for is raised to that.', 'informer 运行时，比它的检查周期更短的 resync 会被提高到该周期。'],
  'lis.set': ['set', '设定'],
});

/** @returns {import('../types.js').Panel & {large: () => number[], total: () => number}} */
export function createListeners() {
  const { x, w } = columns.listeners;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {ReturnType<typeof build>} */
  let ui;
  /** @type {Listener[]} */
  let shown = [];
  /** Numbers of the listeners that are drawn large. @type {number[]} */
  let large = [];
  /** The listener that was drawn second when there were more than three. */
  let kept = 0;

  /** @param {SVGElement} root */
  function build(root) {
    text(root, x, 68, 'ti').set('Listeners');
    const num = new Num(root, x, 96, 'num', 7);
    const add = h('button', { class: 'sbtn line', type: 'button', 'aria-haspopup': 'dialog' });
    place(add, 1018, 53, 46, 21);
    add.addEventListener('click', () => openAdd(add));
    const panels = lanesY.map((y, i) => {
      const r = s('rect', { x, y: 106 + 145 * i, width: w, height: 136, rx: 4, class: 'pn' });
      root.append(r);
      return r;
    });
    const empty = text(root, 832, 221, 'l t1');
    const emptyWhy = text(root, 832, 241, 'l');
    const lanes = lanesY.map((y) => lane(y));
    const ghosts = lanesY.map((y) => {
      const ring = s('circle', { cx: 910, cy: y, r: 32, class: 'slot off' });
      root.append(ring);
      return { ring, name: text(root, 830, y - 26, 't14 t2'), state: text(root, 1054, y - 26, 'l', 'end'), n: text(root, 910, y + 7, 'n20 t3', 'middle'), words: text(root, 830, y + 64, 'l') };
    });
    const rows = [0, 1, 2, 3, 4].map((i) => row(root, 418 + 24 * i));
    const more = text(root, 830, 526, 'l3');
    ctx.scene.over.append(add);
    return { num, add, panels, empty, emptyWhy, lanes, rows, more, ghosts };
  }

  /** @param {number} y */
  function lane(y) {
    const g = s('g');
    ctx.scene.front.append(g);
    const name = text(g, 830, y - 26, 't14');
    const warn = s('use', { href: '#i-warn', x: 1040, y: y - 37.7, width: 14, height: 14, class: 'ic cw' });
    g.append(warn);
    const state = text(g, 1054, y - 26, 'l', 'end');
    g.append(s('path', { d: `M838 ${y - 11}V${y + 11}M848 ${y - 11}V${y + 11}`, class: 'gate' }));
    text(g, 843, y + 30, 'm2', 'middle').set('addCh');
    g.append(s('path', { d: `M968 ${y - 11}V${y + 11}M978 ${y - 11}V${y + 11}`, class: 'gate' }));
    text(g, 973, y + 30, 'm2', 'middle').set('nextCh');
    g.append(s('circle', { cx: 910, cy: y, r: 32, class: 'ringbg' }), s('circle', { cx: 910, cy: y, r: 32, class: 'ring' }));
    const arc = s('path', { d: '', class: 'ringf' });
    const ticks = s('path', { d: '', class: 'rtick' });
    const ticksDark = s('path', { d: '', class: 'rtick dk' });
    g.append(arc, ticksDark, ticks);
    const n = text(g, 910, y + 4, 'n20', 'middle');
    const of = text(g, 910, y + 19, 'l', 'middle');
    const box = s('rect', { x: 994, y: y - 18, width: 52, height: 36, rx: 4, class: 'hbox' });
    const busy = s('rect', { x: 998, y: y + 11, width: 0, height: 3, class: 'hbusy' });
    g.append(box, busy);
    const time = text(g, 1020, y + 4, 't14', 'middle');
    g.append(s('path', { d: `M830 ${y + 44}H1054`, class: 'hair' }));
    const handled = text(g, 830, y + 64, 'l');
    const lamp = s('circle', { cx: 1050, cy: y + 60, r: 4, class: 'lamp' });
    g.append(lamp);
    const synced = text(g, 1041, y + 64, 'l t1', 'end');
    const op = new Glyph(g, 830, y + 71, 13);
    const note = text(g, 830, y + 82, 'l');
    const button = h('button', { class: 'sbtn box', type: 'button', 'aria-haspopup': 'dialog' });
    place(button, 994, y - 18, 52, 36);
    ctx.scene.over.append(button);
    const o = { g, y, name, warn, state, arc, ticks, ticksDark, n, of, box, busy, time, handled, lamp, synced, op, note, button, id: 0 };
    button.addEventListener('click', () => openPace(button, o.id));
    return o;
  }

  /** @param {SVGElement} root @param {number} y */
  function row(root, y) {
    const g = s('g');
    root.append(g);
    const name = text(g, 830, y, 'l t1 b');
    g.append(s('circle', { cx: 926, cy: y - 4, r: 7, class: 'ring sm' }));
    const arc = s('path', { d: '', class: 'ringf sm' });
    g.append(arc);
    const n = text(g, 940, y, 'l t1');
    const time = text(g, 1036, y, 'l', 'end');
    const lamp = s('circle', { cx: 1050, cy: y - 4, r: 4, class: 'lamp' });
    g.append(lamp);
    const button = h('button', { class: 'sbtn', type: 'button', 'aria-haspopup': 'dialog' });
    place(button, 826, y - 15, 232, 22);
    ctx.scene.over.append(button);
    const o = { g, y, name, arc, n, time, lamp, button, id: 0 };
    button.addEventListener('click', () => openPace(button, o.id));
    return o;
  }

  /** @param {HTMLElement} anchor */
  function openAdd(anchor) {
    const { t } = ctx;
    ctx.popup(anchor, (root, close) => {
      root.append(h('h2', {}, t('lis.addTitle')));
      const name = /** @type {HTMLInputElement} */ (h('input', { type: 'text', maxlength: 24, value: freeName(), 'aria-label': t('lis.name'), spellcheck: 'false' }));
      const pace = /** @type {HTMLInputElement} */ (h('input', { type: 'number', min: 0, max: 10000, step: 1, value: 0, 'aria-label': t('lis.pace') }));
      const resync = /** @type {HTMLInputElement} */ (h('input', { type: 'number', min: 0, max: 3600, step: 1, value: 0, 'aria-label': t('lis.resync') }));
      const form = h('form', { class: 'form' }, h('span', {}, t('lis.name')), name, h('span'), h('span', {}, t('lis.pace')), pace, h('span', {}, 'ms'), h('span', {}, t('lis.resync')), resync, h('span', {}, 's'),
        h('span'), h('span'), h('button', { class: 'key', type: 'submit' }, t('add')));
      form.addEventListener('submit', (e) => {
        e.preventDefault();
        close();
        ctx.act('addListener', { name: name.value.trim() || freeName(), paceMillis: Number(pace.value) || 0, resyncMillis: (Number(resync.value) || 0) * 1000 });
      });
      root.append(h('p', { class: 'note' }, t('lis.addNote')), form, h('p', { class: 'note' }, t('lis.resyncNote')));
      name.select();
    }, { width: 288, label: t('lis.addTitle') });
  }

  function freeName() {
    const used = new Set(ctx.model.state.listeners.map((l) => l.name));
    for (const n of ['auditor', 'cache', 'notifier', 'backup']) if (!used.has(n)) return n;
    let i = used.size + 1;
    while (used.has('handler-' + i)) i++;
    return 'handler-' + i;
  }

  /** @param {HTMLElement} anchor @param {number} id */
  function openPace(anchor, id) {
    const { t } = ctx;
    const l = ctx.model.state.listeners.find((q) => q.id === id);
    if (!l) return;
    ctx.popup(anchor, (root, close) => {
      root.append(h('h2', {}, t('lis.menu', { name: l.name })),
        h('p', { class: 'note' }, `${t('lis.facts', { d: exact(l.distributed), m: exact(l.delivered), n: exact(l.handled) })} · ${l.resyncMillis ? t('lis.resyncEvery', { s: span(l.resyncMillis) }) : t('lis.noResync')}`));
      if (l.lastPanic) root.append(h('p', { class: 'note bad' }, t('lis.lastPanic', { w: l.lastPanic })));
      root.append(h('div', { class: 'grp' }, t('lis.each')));
      const list = h('div', { class: 'btnrow', role: 'group', 'aria-label': t('lis.each') });
      for (const ms of [...new Set([...paces, Math.round(l.paceMillis)])].sort((a, b) => a - b)) {
        const b = h('button', { class: 'key', type: 'button', 'aria-pressed': String(Math.round(l.paceMillis) === ms) }, ms ? span(ms) : t('none'));
        b.addEventListener('click', () => {
          close();
          ctx.act('pace', id, ms);
        });
        list.append(b);
      }
      const own = /** @type {HTMLInputElement} */ (h('input', { type: 'number', min: 0, max: 10000, step: 1, value: Math.round(l.paceMillis), 'aria-label': t('lis.own') }));
      const form = h('form', { class: 'form' }, h('span', {}, t('lis.own')), own, h('button', { class: 'key', type: 'submit' }, t('lis.set')));
      form.addEventListener('submit', (e) => {
        e.preventDefault();
        close();
        ctx.act('pace', id, Math.max(0, Number(own.value) || 0));
      });
      const boom = h('button', { class: 'row', type: 'button', title: t('lis.panicNote') }, s('svg', { viewBox: '0 0 24 24', class: 'rowi', 'aria-hidden': 'true' }, s('use', { href: '#i-bolt' })), h('span', {}, t('lis.panic')));
      boom.addEventListener('click', () => {
        close();
        ctx.act('panic', id);
      });
      const del = h('button', { class: 'row', type: 'button' }, s('svg', { viewBox: '0 0 24 24', class: 'rowi', 'aria-hidden': 'true' }, s('use', { href: '#i-x' })), h('span', {}, t('lis.remove', { name: l.name })));
      del.addEventListener('click', () => {
        close();
        ctx.act('removeListener', id);
      });
      root.append(list, form, h('hr'), boom, h('p', { class: 'note' }, t('lis.panicNote')), del);
      /** @type {HTMLElement | null} */ (list.querySelector('[aria-pressed="true"]'))?.focus();
    }, { width: 320, label: t('lis.menu', { name: l.name }) });
  }

  /** @param {Listener} l @param {boolean} first @returns {string} */
  function note(l, first) {
    const { t } = ctx;
    if (l.panics) return t('lis.panics', { n: exact(l.panics) });
    if (l.capacities.length > 1) return t('lis.doubledTo', { n: l.capacities.length, to: exact(l.capacity) });
    if (l.capacities.length === 1) return t('lis.doubled', { from: exact(l.capacities[0]), to: exact(l.capacity) });
    if (l.pending > 20 && l.meanMicros > 0 && !ctx.model.hold('deliver', l.id)) return t('lis.drain', { s: span((l.pending * l.meanMicros) / 1000) });
    if (first && ctx.model.state.workqueue) return t('lis.calls');
    if (l.syncing && l.resyncMillis > 0) return t('lis.syncing');
    return '';
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
    },

    large() {
      return large;
    },

    total() {
      return shown.length;
    },

    paint(_, st) {
      const { t } = ctx;
      shown = st.listeners.filter((l) => !l.removed);
      // One that was removed keeps its place as an outline, as long as nobody needs it: what stays does not move.
      let places = [...st.listeners];
      while (places.length > 3 && places.length > shown.length) places.splice(places.findIndex((l) => l.removed), 1);
      const many = places.length > 3;
      if (many) {
        // Where not all can be drawn large, the one that has something to tell is, and stays until another has.
        const rest = shown.slice(1);
        const tells = (/** @type {import('../types.js').Listener} */ l) => !l.synced || l.pending > 20;
        const second = rest.find((l) => l.id === kept && tells(l)) ?? rest.find(tells) ?? rest.find((l) => l.id === kept) ?? rest[0];
        kept = second.id;
        places = shown = [shown[0], second, ...rest.filter((l) => l !== second)];
      }
      large = places.slice(0, many ? 2 : 3).map((l) => (l.removed ? 0 : l.id));
      while (large.length && !large[large.length - 1]) large.pop();
      let pending = 0;
      for (const l of shown) pending += l.pending;
      const big = pending > 99999;
      ui.num.set(big ? count(pending) : pending > 9999 ? ringNumber(pending) : count(pending), t('lis.pending'));
      ui.add.textContent !== t('add') && (ui.add.textContent = t('add'));
      attr(ui.add, 'aria-label', t('lis.addTitle'));
      const now = ctx.now();
      const n = Math.min(3, places.length);
      ui.panels.forEach((p, i) => {
        show(p, i < Math.max(1, n));
        attr(p, 'class', places[i]?.removed ? 'pn ghost' : 'pn');
        attr(p, 'height', n ? 136 : 426);
      });
      ui.ghosts.forEach((o, i) => {
        const l = places[i]?.removed && !many ? places[i] : undefined;
        show(o.ring, !!l);
        o.n.set(l ? ringNumber(l.discarded ?? 0) : '', l ? exact(l.discarded ?? 0) : '');
        o.name.set(l ? fit(l.name, 110, '600 14px') : '', l?.name ?? '');
        o.state.set(l ? t('lis.gone') : '');
        o.words.set(l ? t('lis.goneWhy', { n: exact(l.handled), m: exact(l.discarded ?? 0) }) : '');
      });
      ui.empty.set(n || !ctx.model.any ? '' : t('lis.none'));
      ui.emptyWhy.set(n || !ctx.model.any ? '' : t('lis.noneWhy'));
      ui.lanes.forEach((o, i) => {
        const l = large[i] ? places[i] : undefined;
        show(o.g, !!l);
        reveal(o.button, !!l);
        if (!l) return;
        o.id = l.id;
        const slow = isSlow(l);
        const bad = l.panics > 0;
        const name = fit(l.name, 46 + (lanesY[i] === 152 ? 0 : 0) + 60, '600 14px');
        o.name.set(name, l.name);
        show(o.warn, slow || bad);
        const said = bad ? t('lis.panicked') : slow ? t('lis.slow') : l.resyncMillis ? t('lis.resyncEvery', { s: span(l.resyncMillis).replace(/\.0 s$/, ' s') }) : '';
        o.state.cls(bad ? 'l cet' : slow ? 'l cwt' : 'l').at(slow || bad ? 1036 : 1054, o.y - 26).set(said, l.lastPanic ?? '');
        attr(o.warn, 'class', bad ? 'ic ce' : 'ic cw');
        const cap = Math.max(1, l.capacity);
        attr(o.arc, 'd', anti(910, o.y, 32, l.ring / cap));
        attr(o.arc, 'class', slow ? 'ringf w' : 'ringf');
        let ticks = '';
        let dark = '';
        l.capacities.slice(-6).forEach((c2, j, all) => {
          const share = c2 / cap;
          const a = share * 2 * Math.PI;
          const [r1, r2] = j === all.length - 1 ? [27, 37] : [28, 36];
          const seg = `M${(910 + r1 * Math.cos(a)).toFixed(2)} ${(o.y - r1 * Math.sin(a)).toFixed(2)}L${(910 + r2 * Math.cos(a)).toFixed(2)} ${(o.y - r2 * Math.sin(a)).toFixed(2)}`;
          if (j === all.length - 1 || share > l.ring / cap) ticks += seg;
          else dark += seg;
        });
        attr(o.ticks, 'd', ticks);
        attr(o.ticksDark, 'd', dark);
        o.n.set(ringNumber(l.pending), exact(l.pending));
        o.of.set(t('lis.of', { n: l.capacity > 9999 ? ringNumber(l.capacity) : exact(l.capacity) }), exact(l.capacity));
        attr(o.box, 'class', bad && l.handling ? 'hbox e' : slow ? 'hbox w' : 'hbox');
        o.time.cls(slow ? 't14 cwt' : 't14').set(l.handled || l.meanMicros ? span(l.meanMicros / 1000) : l.paceMillis ? span(l.paceMillis) : '—');
        const expect = Math.max(1, l.paceMillis, l.meanMicros / 1000);
        const share = l.handling ? Math.min(1, Math.max(0.12, (now - l.handlingSince) / expect)) : 0;
        attr(o.busy, 'width', (44 * share).toFixed(1));
        attr(o.busy, 'class', slow ? 'hbusy w' : 'hbusy');
        o.handled.set(l.delivered > 99999 ? t('lis.handled', { n: exact(l.handled) }) : t('lis.handledOf', { n: exact(l.handled), m: exact(l.delivered) }), t('lis.handledTitle', { d: exact(l.distributed), m: exact(l.delivered), n: exact(l.handled) }));
        attr(o.lamp, 'class', l.synced ? 'lamp on' : 'lamp');
        o.synced.cls(l.synced ? 'l t1' : 'l').set(l.synced ? 'synced' : t('notSynced'));
        // A hold has its buttons at the right of the note.
        const held = !!ctx.model.hold('deliver', l.id);
        o.state.show(!held || slow || bad);
        // What it handles now, as soon as that lasts long enough to be read.
        const busyWith = l.handling && (ctx.model.view.mode === 'paused' || expect > 30 || now - l.handlingSince > 120) ? l.handling : null;
        if (busyWith) o.op.set(kindOf(busyWith.op));
        else o.op.hide();
        const picked = !!busyWith?.key && busyWith.key === ctx.selected();
        const words = busyWith ? label(busyWith, 28) : note(l, l.id === 1);
        o.note.cls(busyWith ? (picked ? 'm1 selk' : 'm1') : 'l').at(busyWith ? 848 : 830, o.y + 82).set(fit(words, (held ? 80 : 224) - (busyWith ? 16 : 0)), busyWith ? `${busyWith.op} ${busyWith.key ?? ''}` : l.lastPanic ?? words);
        attr(o.button, 'aria-label', t('lis.boxLabel', { name: l.name, s: span(l.meanMicros / 1000) }) + (l.handling?.key ? `, ${t('lis.now', { key: l.handling.key })}` : ''));
      });
      ui.rows.forEach((o, i) => {
        const l = many ? shown[2 + i] : undefined;
        show(o.g, !!l);
        reveal(o.button, !!l);
        if (!l) return;
        o.id = l.id;
        const slow = isSlow(l);
        o.name.set(fit(l.name, 84, '700 12px'), l.name);
        attr(o.arc, 'd', anti(926, o.y - 4, 7, l.ring / Math.max(1, l.capacity)));
        attr(o.arc, 'class', slow ? 'ringf w sm' : 'ringf sm');
        o.n.set(ringNumber(l.pending));
        o.time.cls(slow ? 'l cwt' : 'l').set(span(l.meanMicros / 1000));
        attr(o.lamp, 'class', l.synced ? 'lamp on' : 'lamp');
        attr(o.button, 'aria-label', t('lis.boxLabel', { name: l.name, s: span(l.meanMicros / 1000) }));
      });
      const rest = shown.length - 2 - 5;
      ui.more.set(many && rest > 0 ? t('more', { n: exact(rest) }) : '');
    },

    resize() {},
    focus() {
      (ui.lanes[0].button.hidden ? ui.add : ui.lanes[0].button).focus();
    },
  };
}

/**
 * An arc that runs anticlockwise from three o'clock, where the ring's exit is.
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 * @param {number} share
 */
export function anti(cx, cy, r, share) {
  if (!(share > 0)) return '';
  const a = Math.min(Math.max(share, 0.012), 0.9999) * 2 * Math.PI;
  return `M${cx + r} ${cy}A${r} ${r} 0 ${share > 0.5 ? 1 : 0} 0 ${(cx + r * Math.cos(a)).toFixed(2)} ${(cy - r * Math.sin(a)).toFixed(2)}`;
}
