// @ts-check
// The Queue's panel as the page draws: nodes are built once, and each setter touches the document when its value changed.
import { attr, Num, s, show, text } from '/web/kit/dom.js';
import { Glyph } from '/web/kit/glyphs.js';
import { columns, curveOf, denseOf, isDense, kinds, left, rail, right, rowsOf, seatsOf, wordsOf } from './queue.js';

/** A chip, with those behind it when it stands for several. @param {SVGElement} parent */
function chip(parent) {
  const g = s('g');
  const behind = [8, 4].map((d) => s('rect', { width: 20, height: 20, rx: 4, x: -d, y: -d }));
  const box = s('rect', { width: 20, height: 20, rx: 4 });
  g.append(...behind, box);
  const glyph = new Glyph(g, (20 - 20 * 0.68) / 2, (20 - 20 * 0.68) / 2, 20 * 0.68);
  parent.append(g);
  /** @param {import('./queue.js').Seat | undefined} seat */
  return (seat) => {
    show(g, !!seat);
    if (!seat) return;
    attr(g, 'transform', `translate(${seat.x - 10} ${rail - 10})`);
    attr(box, 'class', `ch ${seat.moves ? 'mv' : 'rs'} k-${seat.kind}`);
    glyph.set(seat.kind, seat.moves);
    behind.forEach((b, i) => {
      show(b, seat.stack > 1 - i);
      attr(b, 'class', `ch-stack k-${seat.kind}`);
    });
  };
}

/** @param {SVGElement} root */
export function byHand(root) {
  text(root, left, 68, 'ti').set('Queue');
  const number = new Num(root, left, 96, 'num', 7);
  const kind = text(root, 524, 68, 't14', 'end');
  root.append(s('rect', { x: left - 10, y: 196, width: 172, height: 336, rx: 4, class: 'pn' }));
  const rows = [0, 1, 2, 3, 4, 5, 6].map((i) => {
    const g = s('g');
    const y = 220 + 23 * i;
    const background = s('rect', { x: 387, y: y - 12, width: 124, height: 17, rx: 2 });
    g.append(background);
    root.append(g);
    return { g, background, glyph: new Glyph(g, 370, y - 11, 14), words: text(g, 390, y, 'm1') };
  });
  const more = text(root, 390, 381, 'l t1');
  text(root, left, 406, 'l').set('depth');
  const max = text(root, right, 406, 'l', 'end');
  const curve = s('path', { class: 'spark' });
  root.append(s('path', { d: 'M362 452H514', class: 'hair' }), curve);
  const initial = new Num(root, left, 480, 'n16', 5);
  const lock = s('use', { x: 361, y: 490, width: 14, height: 14 });
  const lamp = s('circle', { cx: 510, cy: 498, r: 4 });
  root.append(lock, lamp);
  const locked = text(root, 380, 502, 'l');
  const synced = text(root, 501, 502, 'l t1', 'end');
  const seats = s('g');
  root.append(seats);
  const chips = [0, 1, 2, 3, 4, 5, 6].map(() => chip(seats));
  const batch = text(root, 523, 127, 'l t1', 'end');
  const dense = s('g');
  dense.append(s('rect', { x: 352, y: 142, width: 172, height: 20, rx: 3, class: 'qdb' }));
  const stacks = Array.from({ length: columns }, (_, i) => kinds.map((k) => {
    const part = s('rect', { x: 352 + 4 * (columns - 1 - i), width: 3 });
    dense.append(part);
    return { k, part };
  }));
  const denseWords = text(dense, 352, 134, 'l');
  root.append(dense);

  /** @param {import('./queue.js').Moment} m @param {string} selected */
  return (m, selected) => {
    const q = m.queue;
    const words = wordsOf(q);
    number.set(words.number, 'deltas');
    kind.set(words.kind);
    const list = rowsOf(m, selected);
    rows.forEach((row, i) => {
      const is = list[i];
      show(row.g, !!is);
      if (!is) return;
      attr(row.background, 'class', is.on ? 'selbg on' : 'selbg');
      row.glyph.set(is.kind);
      row.words.cls(is.on ? 'm1 selk' : is.dim ? 'm2' : 'm1').set(is.words);
    });
    more.set(words.more);
    max.set(words.max);
    attr(curve, 'd', curveOf(m.curve));
    initial.set(words.initial, 'initialPopulation');
    attr(lock, 'href', q.locked ? '#i-lock' : '#i-unlock');
    attr(lock, 'class', q.locked ? 'ic c1' : 'ic');
    locked.set(words.locked);
    attr(lamp, 'class', q.synced ? 'lamp on' : 'lamp');
    synced.set(words.synced);
    batch.set(words.batch);
    show(dense, isDense(q));
    show(seats, !isDense(q));
    if (!isDense(q)) {
      const places = seatsOf(q);
      chips.forEach((set, i) => set(places[i]));
      return;
    }
    const { used, taken, parts, words: said } = denseOf(q);
    stacks.forEach((stack, i) => stack.forEach(({ k, part }, j) => {
      show(part, i < used);
      if (i >= used) return;
      attr(part, 'y', parts[j].y);
      attr(part, 'height', parts[j].height);
      attr(part, 'class', `mx k-${k}${i < taken ? '' : ' wt'}`);
    }));
    denseWords.set(said);
  };
}
