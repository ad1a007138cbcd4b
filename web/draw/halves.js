// @ts-check
// The phone's two releases: a station stands between two upright rails, a half at either side with what one release has of it, and its name
// in the middle. The open one shows what each release made of the changes that are compared.
import { bracketAt, changeChip, lineChips, nothing, isReordered, changeOf, takenLines, unframed, verdict } from './comparison.js';
import { whenChanged } from './when.js';
import { s, text } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { wrap } from '../kit/measure.js';

/** @import { Ctx, Lane, Slot } from '../wire/page-types.js' */
/** @typedef {import('../wire/types.js').Comparison} Comparison */

/** Lines of what Pop took, and how many newest states there are; large type leaves less room for these. */
const room = { per: 2, lines: 4, newest: { small: 3, large: 2 } };
/** What an open Listener's slot has above its rows and below them. */
const around = 104;

/** Writes at the side of the rail that a half is of. @param {Slot} slot */
export function side({ x, w, rail }) {
  const right = rail > x;
  return (/** @type {SVGElement} */ g, /** @type {number} */ y, /** @type {string} */ type) => text(g, right ? x + w : x, y, type, right ? 'end' : 'start');
}

/** The number of a half, and the words below it, for which a bare slot has no room. @param {Slot} slot */
export function halfHead(slot) {
  const write = side(slot);
  return { number: write(slot.head, slot.y + 6, slot.type.number), words: write(slot.bare ? s('g') : slot.head, slot.y + 25, slot.type.label) };
}

/** The name of a station between its halves. Returns the words below it. @param {Slot} slot @param {string} title @param {number} [low] how far below */
export function middleHead({ head, x, y, w, type }, title, low = 25) {
  const middle = x + w / 2;
  text(head, middle, y + 5, type.title, 'middle').set(title);
  return text(head, middle, y + low, type.label, 'middle');
}

/** A station whose name is all that stands in its middle. @param {string} title @returns {import('../wire/page-types.js').Draw} */
export const middleName = (title) => (slot) => {
  middleHead(slot, title);
  return { paint() {} };
};

/**
 * What draws an open station's part of the comparison, again for another comparison.
 * @param {Slot} slot @param {Ctx} ctx @param {(g: SVGElement, c: Comparison, lane: Lane) => void} draw
 */
function comparePart(slot, ctx, draw) {
  const g = s('g');
  slot.g.append(g);
  const paint = whenChanged((lane, /** @type {Comparison} */ c, /** @type {boolean} */ none) => {
    g.replaceChildren();
    if (!none) draw(g, c, lane);
  });
  return (/** @type {Lane} */ lane) => {
    if (slot.lit) paint(lane, ctx.model.compare ?? nothing, unframed(ctx));
  };
}

/** The lane that a slot shows: 0 at the left, 1 at the right. @param {Slot} slot */
const laneOf = (slot) => (slot.rail > slot.x ? 1 : 0);

/** What Pop took, or what waits for it. @param {Slot} slot @param {Ctx} ctx */
export const takenHalf = (slot, ctx) => comparePart(slot, ctx, (g, c) => {
  const { x, y, lean } = slot;
  const { shown, hidden, head } = takenLines(ctx, c, laneOf(slot), room);
  text(g, x, y + 47, 'l').set(hidden ? ctx.t('lanes.more', { n: exact(hidden) }) : lean ? '' : head);
  const left = x + (lean ? 2 : 40);
  shown.forEach((l, j) => {
    const top = y + 56 + 24 * j;
    if (l.name && !lean) text(g, x, top + 15, 'l t1').set(l.name);
    g.append(bracketAt(l, left, top - 1, top + 22));
    lineChips(g, c, laneOf(slot), l, { x: left + 6, y: top, w: 38, h: 21, step: 41, type: 'l t1 lb' });
  });
});

/** The newest stored state of each object, and what the store was in between. @param {Slot} slot @param {Ctx} ctx */
export const storedHalf = (slot, ctx) => comparePart(slot, ctx, (g, c) => {
  const { x, y, w } = slot;
  c.lanes[laneOf(slot)].newest.slice(0, slot.lean ? room.newest.large : room.newest.small).forEach((change, j) => {
    changeChip(g, { x: x + 44 * j, y: y + 38, w: 40, h: 24, type: 'l t1 lb' }, change, change.op);
  });
  const { words, odd } = verdict(ctx, c, laneOf(slot));
  wrap(words, w, 5).forEach((line, j) => text(g, x, y + 80 + 15 * j, odd ? 'l t1' : 'l').set(line));
});

/** Where the rows of an open Listener lie, and how wide the boxes in its middle are. @param {Slot} slot @param {Comparison} c */
function rowsOf({ y, h, lean }, { changes }) {
  const step = (h - around) / changes.length;
  return { row: (/** @type {number} */ i) => y + 58 + step * i, box: lean ? 36 : 44 };
}

/** The changes in the order in which they were sent. @param {Slot} slot @param {Ctx} ctx */
export const sentMiddle = (slot, ctx) => comparePart(slot, ctx, (g, c) => {
  const mid = slot.x + slot.w / 2;
  if (!c.changes.length) {
    const words = wrap(ctx.t(ctx.model.isSimulated() ? 'lanes.nothing' : 'lanes.nothingLive'), slot.w - 16, 5, '14px');
    return words.forEach((line, i) => text(g, mid, slot.y + 56 + 19 * i, 'c14', 'middle').set(line));
  }
  const { row, box } = rowsOf(slot, c);
  for (const change of c.changes) {
    const cy = row(change.n - 1);
    const sentBox = s('g', { 'data-row': 'sent' }, s('rect', { x: mid - box / 2, y: cy - 13, width: box, height: 26, rx: 4, class: 'sentb' }));
    text(sentBox, mid, cy + 5, 't14', 'middle').set(change.label);
    g.append(sentBox);
  }
});

/** What a handler was given, from above down, tied to where each was sent: what changed places crosses. @param {Slot} slot @param {Ctx} ctx */
export const receivedHalf = (slot, ctx) => comparePart(slot, ctx, (g, c, { state }) => {
  if (!c.changes.length) return;
  const { x, w, rail, lean } = slot;
  const lane = laneOf(slot);
  const { given } = c.lanes[lane];
  const { row, box } = rowsOf(slot, c);
  const wide = lean ? 46 : 66;
  const left = lane ? x + w + 2 - wide : x - 2;
  const [inner, outer] = lane ? [left, left + wide] : [left + wide, left];
  const to = lane ? x - 6 + box / 2 : x + w + 6 - box / 2;
  const bend = (to - inner) * 0.55;
  c.changes.forEach((_, i) => {
    const cy = row(i);
    g.append(s('circle', { cx: rail, cy, r: 3, class: 'fork' }), s('path', { d: `M${rail} ${cy}H${outer}`, class: 'rail' }));
    const step = given[i];
    if (!step) {
      g.append(s('rect', { x: left, y: cy - 15, width: wide, height: 30, rx: 4, class: 'slot off' }));
      return;
    }
    const end = row(step.n - 1);
    const d = `M${inner} ${cy}C${inner + bend} ${cy} ${to - bend} ${end} ${to} ${end}`;
    g.prepend(s('path', { d, class: step.n - 1 === i ? 'bump' : 'bump x' }));
    changeChip(g, { x: left, y: cy - 15, w: wide, h: 30, type: lean ? 't14' : 'n16', row: `given-${lane}` }, changeOf(c, step.n), step.op);
  });
  if (!given.length) return;
  // Half the width for each: the words of one release never meet those of the other.
  const odd = isReordered(c, lane);
  const [type, font] = !odd ? ['l', '12px'] : lean ? ['l t1 b', '700 12px'] : ['t14', '600 14px'];
  const words = ctx.t(odd ? 'lanes.notOrder' : state.queue.kind === 'DeltaFIFO' ? 'lanes.keyOnly' : 'lanes.allKeys');
  const write = side(slot);
  wrap(words, w - 2, 2, font).forEach((line, j) => write(g, row(c.changes.length - 1) + 34 + 16 * j, type).set(line));
});
