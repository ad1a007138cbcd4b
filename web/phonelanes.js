// @ts-check
// Two eras on the phone: one wire that forks into two upright rails. A station stands between them with a number at
// either side, and time runs down: where the two eras differ, they differ from left to right.
import { attr, s, text } from './dom.js';
import { bigVersion, count, exact, version, wrap } from './format.js';
import { Glyph, kindOf } from './glyphs.js';
import { opAt } from './lanes.js';

/** @typedef {import('./phone.js').Phone} Phone */

export const stations = ['api', 'reflector', 'queue', 'indexer', 'listeners'];
const names = /** @type {Record<string, string>} */ ({ reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listeners: 'Listener' });

/** How tall a station is. @param {Phone} p @param {string} c @param {boolean} open @returns {number} */
export function tall(p, c, open) {
  const n = p.o.lanes.episode.changes.length;
  if (c === 'api') return 106;
  if (!open) return c === 'queue' && !p.large ? 84 : p.large ? 46 : 58;
  return { reflector: 118, queue: 180, indexer: 164, listeners: n ? 104 + n * pitch(n) : 150 }[c] ?? 60;
}

/** @param {number} n changes that are compared */
function pitch(n) {
  return n > 4 ? 36 : 42;
}

/** The rails, from one source. @param {Phone} p */
export function rails(p) {
  const { svg, ys, W } = p;
  const x = [32, W - 32];
  const low = ys.listeners + tall(p, 'listeners', p.open === 'listeners') - (p.open === 'listeners' ? 66 : 40);
  const fork = ys.api + 36;
  const d = [`M${x[0]} ${ys.api}V${low}`, `M${x[0]} ${fork}H${x[1] - 8}Q${x[1]} ${fork} ${x[1]} ${fork + 8}V${low}`];
  const both = d.map((q) => {
    const r = s('path', { d: q, class: 'rail' });
    svg.append(r);
    return r;
  });
  svg.append(s('path', { d: `M25 ${ys.api}H39`, class: 'srcbar' }), s('circle', { cx: 32, cy: fork, r: 4, class: 'fork' }));
  for (const q of x) for (const c of ['reflector', 'indexer']) svg.append(s('circle', { cx: q, cy: ys[c], r: 9, class: 'node' }), s('circle', { cx: q, cy: ys[c], r: 3.5, class: 'nodedot' }));
  // Behind a held Pop nothing comes.
  const dead = x.map((q) => {
    const r = s('path', { d: `M${q} ${ys.indexer + 12}V${low}`, class: 'rail starve' });
    svg.append(s('path', { d: `M${q} ${ys.indexer + 11}V${low}`, class: 'pn2r' }), r);
    return r;
  });
  const bars = x.map((q) => {
    const r = s('path', { d: `M${q - 13} ${ys.indexer - 16}H${q + 13}`, class: 'hbarp' });
    svg.append(r);
    return r;
  });
  p.updates.push(() => {
    const { model } = p.ctx;
    for (const r of both) attr(r, 'class', model.down() ? 'rail dead' : 'rail');
    for (const r of [...dead, ...bars]) attr(r, 'display', model.hold('pop') ? null : 'none');
    for (const r of dead) attr(/** @type {Element} */ (r.previousElementSibling), 'display', model.hold('pop') ? null : 'none');
  });
}

/** Where the moves of a lane run. @param {Phone} p @param {number} i @returns {Record<string, number[]>} */
export function ways(p, i) {
  const { ys, W } = p;
  const x = i ? W - 32 : 32;
  const fork = ys.api + 36;
  return {
    wire: i ? [32, ys.api + 10, 32, fork, x, fork, x, ys.reflector - 12] : [32, ys.api + 10, 32, ys.reflector - 12],
    store: [x, ys.reflector + 12, x, ys.queue - 16], pop: [x, ys.indexer - 24, x, ys.indexer - 12], fan: [x, ys.indexer + 12, x, ys.listeners + 12],
  };
}

/** One station, both lanes. @param {Phone} p @param {string} c @param {SVGElement} g what it is drawn on @param {SVGElement} tap */
export function station(p, c, g, tap) {
  const { t, model } = p.ctx;
  const { W, ys } = p;
  const { lanes } = p.o;
  const y = ys[c];
  const open = p.open === c;
  const mid = W / 2;
  const side = open ? [57, W - 57] : [50, W - 50];
  const anchors = /** @type {('start' | 'end')[]} */ (['start', 'end']);
  if (c === 'api') {
    text(tap, 60, y + 5, 'ti').set('API server');
    const rv = text(tap, W - 16, y + 5, 'n20', 'end');
    const words = text(tap, 60, y + 24, 'l');
    const era = side.map((x, i) => text(tap, x, y + 64, 'n20', anchors[i]));
    const kind = side.map((x, i) => text(tap, x, y + 82, 'l t1', anchors[i]));
    p.updates.push((st) => {
      rv.set(bigVersion(st.api.resourceVersion));
      words.cls(model.down() ? 'l cet' : 'l').set(model.down() ? t('pres.noAnswer') : t('phone.oneSource'));
      for (const i of [0, 1]) {
        era[i].set(lanes.state(i).era);
        kind[i].set(lanes.state(i).queue.kind);
      }
    });
    return;
  }
  text(tap, mid, y + 5, 'ti', 'middle').set(names[c]);
  const num = side.map((x, i) => text(tap, x, y + 6, 'n20', anchors[i]));
  const low = p.large && !open ? [] : side.map((x, i) => text(tap, x, y + 25, 'l', anchors[i]));
  const put = (/** @type {(i: number) => [string, string]} */ f) => p.updates.push(() => {
    for (const i of [0, 1]) {
      const [a, b] = f(i);
      num[i].set(a);
      low[i]?.set(b);
    }
  });
  if (c === 'reflector') {
    const how = open ? side.map((x, i) => [0, 1, 2].map((j) => text(g, x, y + 46 + 19 * j, j ? 'l' : 'l t1', anchors[i]))) : [];
    put((i) => [bigVersion(lanes.state(i).reflector.resourceVersion), lanes.state(i).reflector.phase]);
    p.updates.push(() => how.forEach(([a, b, d], i) => {
      const r = lanes.state(i).reflector;
      a.set(r.lists ? 'LIST + WATCH' : r.watches ? 'WatchList' : '');
      b.set(`${exact(r.lists)} ${r.lists === 1 ? 'list' : 'lists'}`);
      d.set(`${exact(r.watches)} ${r.watches === 1 ? 'watch' : 'watches'}`);
    }));
  } else if (c === 'queue') {
    const seats = side.map((_, i) => Array.from({ length: open ? 6 : p.large ? 2 : 4 }, (_2, j) => {
      const cy = y - 6 + 20 * j;
      const x = i ? W - 32 : 32;
      const box = s('rect', { x: x - 9, y: cy - 9, width: 18, height: 18, rx: 4, class: 'slot' });
      g.append(box);
      return { box, glyph: new Glyph(g, x - 6.1, cy - 6.1, 12.2), words: text(g, x, cy + 4.5, 'l t1 lb', 'middle') };
    }));
    put((i) => [count(lanes.state(i).queue.depth), p.large ? '' : t(lanes.state(i).queue.kind === 'DeltaFIFO' ? 'lanes.byKey' : 'lanes.arrival')]);
    const held = open || p.large ? null : text(tap, mid, y + 45, 'l t1', 'middle');
    p.updates.push(() => {
      held?.set(model.hold('pop') ? t('lanes.held') : '');
      seats.forEach((list, i) => list.forEach((z, j) => {
        // The head is lowest: what leaves first is nearest to the store.
        const it = lanes.state(i).queue.items[list.length - 1 - j];
        const ch = it && lanes.episode.changes.find((e) => e.key === it.key && (e.rv === it.rv || (it.deltas?.length ?? 0) > 1));
        attr(z.box, 'class', it ? `ch rs k-${kindOf(it.op)}` : 'slot off');
        z.words.set(ch ? ((it.deltas?.length ?? 0) > 1 ? ch.letter : ch.label) : '');
        if (it && !ch) z.glyph.set(kindOf(it.op));
        else z.glyph.hide();
      }));
    });
  } else if (c === 'indexer') {
    put((i) => {
      const rv = lanes.state(i).indexer.resourceVersion;
      return [count(lanes.state(i).indexer.count), rv ? `rv ${version(rv, 8)}` : t('lanes.keepsNone')];
    });
  } else {
    put((i) => [open ? '' : exact(lanes.state(i).listeners.find((l) => l.id === lanes.printer()?.id)?.handled ?? 0), open ? t('lanes.received') : t('phone.handled')]);
    if (open) text(tap, mid, y + 25, 'l', 'middle').set(t('lanes.asSent'));
  }
  if (!open) return;
  const dyn = s('g');
  g.append(dyn);
  let drawn = '';
  p.updates.push(() => {
    const sig = JSON.stringify([lanes.episode, c === 'reflector' ? 0 : lanes.read.map((x) => [x.pops.map((q) => q.items.length), x.stored.length, x.got.length])]);
    if (sig === drawn) return;
    drawn = sig;
    dyn.replaceChildren();
    if (c === 'queue') queues(p, dyn, y);
    if (c === 'indexer') stores(p, dyn, y);
    if (c === 'listeners') orders(p, dyn, y);
  });
}

/** What Pop took, or what waits for it. @param {Phone} p @param {SVGElement} g @param {number} y @private */
function queues(p, g, y) {
  const { t } = p.ctx;
  const { lanes } = p.o;
  for (const i of [0, 1]) {
    const x = i ? p.W / 2 + 6 : 54;
    const { shown, hidden, head } = lanes.taken(i, 2, 4);
    text(g, x, y + 47, 'l').set(hidden ? t('lanes.more', { n: exact(hidden) }) : p.large ? '' : head);
    const bx = x + (p.large ? 2 : 40);
    shown.forEach((l, j) => {
      const top = y + 56 + 24 * j;
      if (l.name && !p.large) text(g, x, top + 15, 'l t1').set(l.name);
      g.append(s('path', { d: `${l.first ? `M${bx + 4} ${top - 1}H${bx}` : `M${bx} ${top - 2}`}V${top + 22}${l.last ? `H${bx + 4}` : ''}`, class: 'brk' }));
      l.items.forEach((c, k) => lanes.chip(bx + 6 + 41 * k, top, 38, 21, c, opAt(lanes.read[i], c), 'l t1 lb', g));
    });
  }
}

/** The newest stored state of each object, and what the store was in between. @param {Phone} p @param {SVGElement} g @param {number} y @private */
function stores(p, g, y) {
  const { lanes } = p.o;
  for (const i of [0, 1]) {
    const x = i ? p.W / 2 + 6 : 54;
    const w = p.W / 2 - 60;
    lanes.newest(i).slice(0, p.large ? 2 : 3).forEach((q, j) => lanes.chip(x + 44 * j, y + 38, 40, 24, q.c, q.op, 'l t1 lb', g));
    wrap(lanes.verdict(i), w, 5).forEach((q, j) => text(g, x, y + 80 + 15 * j, lanes.rows[i] ? 'l t1' : 'l').set(q));
  }
}

/** Received, as sent, received: time runs down, and what changed places crosses. @param {Phone} p @param {SVGElement} g @param {number} y @private */
function orders(p, g, y) {
  const { t, model } = p.ctx;
  const { lanes, W } = { lanes: p.o.lanes, W: p.W };
  const { changes } = lanes.episode;
  const n = changes.length;
  const step = pitch(n);
  const row = (/** @type {number} */ i) => y + 58 + step * i;
  const wide = p.large ? 46 : 66;
  const sw = p.large ? 36 : 44;
  const mid = W / 2;
  if (!n) {
    wrap(t(model.state.source.kind === 'sim' ? 'lanes.nothing' : 'lanes.nothingLive'), W - 124, 5, '14px').forEach((q, i) => text(g, mid, y + 56 + 19 * i, 'c14', 'middle').set(q));
    return;
  }
  for (const lane of [0, 1]) {
    const got = lanes.read[lane].got;
    const left = lane ? W - 52 - wide : 52;
    const inner = lane ? left : left + wide;
    const to = lane ? mid + sw / 2 : mid - sw / 2;
    const bend = (to - inner) * 0.55;
    for (let i = 0; i < n; i++) {
      const cy = row(i);
      g.append(s('circle', { cx: lane ? W - 32 : 32, cy, r: 3, class: 'fork' }), s('path', { d: `M${lane ? W - 32 : 32} ${cy}H${lane ? left + wide : left}`, class: 'rail' }));
      const q = got[i];
      if (!q) {
        g.append(s('rect', { x: left, y: cy - 15, width: wide, height: 30, rx: 4, class: 'slot off' }));
        continue;
      }
      const at = row(q.c.n - 1);
      g.prepend(s('path', { d: `M${inner} ${cy}C${inner + bend} ${cy} ${to - bend} ${at} ${to} ${at}`, class: q.c.n - 1 === i ? 'bump' : 'bump x' }));
      lanes.chip(left, cy - 15, wide, 30, q.c, q.op, p.large ? 't14' : 'n16', g);
    }
    const odd = got.some((q, i) => q.c.n - 1 !== i);
    const last = row(n - 1) + 34;
    // Half the width for each: the words of one era never meet those of the other.
    const font = odd && !p.large ? '600 14px' : odd ? '700 12px' : '12px';
    wrap(got.length ? t(odd ? 'lanes.notOrder' : lanes.state(lane).queue.kind === 'DeltaFIFO' ? 'lanes.keyOnly' : 'lanes.allKeys') : '', mid - 62, 2, font)
      .forEach((q, j) => text(g, lane ? W - 54 : 54, last + 16 * j, odd && !p.large ? 't14' : odd ? 'l t1 b' : 'l', lane ? 'end' : 'start').set(q));
  }
  for (const c of changes) {
    const cy = row(c.n - 1);
    g.append(s('rect', { x: mid - sw / 2, y: cy - 13, width: sw, height: 26, rx: 4, class: 'sentb' }));
    text(g, mid, cy + 5, 't14', 'middle').set(c.label);
  }
}
