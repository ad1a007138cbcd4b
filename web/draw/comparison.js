// @ts-check
// What two releases made of the same changes: what was sent, what each queue popped together, the states of each store, and the order of
// each handler's calls. The worker compares them; this file only finds places and words.
import { s, show, text } from '../kit/dom.js';
import { exact, middle, span, version } from '../kit/format.js';
import { wrap } from '../kit/measure.js';
import { kindOf } from '../kit/glyphs.js';

/** @import { Comparison, SentChange } from '../wire/types.js' */
/** @typedef {import('../layouts/lanes.js').Shape} Layout */
/** @typedef {{name: string, changes: SentChange[], all: string, first: boolean, last: boolean}} Line */

/** Nothing to compare. @type {Comparison} */
export const nothing = {
  burst: false, held: false, cut: false, total: 0, keys: 0, more: 0, listener: 0, changes: [],
  lanes: [0, 1].map(() => ({
    waits: [], waiting: 0, taken: 0, pops: 0, took: [], stored: [], storedCount: 0, storedLate: 0, newest: [], overtaking: null,
    given: [], givenCount: 0, givenLate: 0,
  })),
};

/**
 * Whether there is no comparison and no request for one, as in a fork, or in a story about two releases that compares nothing. The frame of the
 * comparison is not drawn then.
 * @param {import('../wire/page-types.js').Ctx} ctx
 */
export const unframed = (ctx) => !!ctx.model.fork || (!!ctx.storyTitle?.() && !ctx.model.compare?.changes.length);

/** The change that a lane names by its number. @param {Comparison} c @param {number} n */
export function changeOf(c, n) {
  return c.changes[n - 1];
}

/**
 * The word on the seat of a queue's item, when it is one of the changes compared: a key with several deltas is named by its letter.
 * @param {Comparison} c
 * @param {import('../wire/types.js').QueueItem} item
 */
export function seatWord(c, item) {
  const several = (item.deltas?.length ?? 0) > 1;
  const change = c.changes.find((x) => x.key === item.key && (several || x.rv === item.rv));
  return change && (several ? change.letter : change.label);
}

/**
 * The type of a change: as the lane's store applied it, or as it was on the wire while it waits.
 * @param {Comparison} c
 * @param {number} lane
 * @param {number} n
 */
function opIn(c, lane, n) {
  return c.lanes[lane].stored.find((step) => step.n === n)?.op ?? changeOf(c, n).op;
}

/**
 * A chip with the name of a change.
 * @param {SVGElement} into
 * @param {{x: number, y: number, w: number, h: number, type: string, row?: string}} at
 * @param {{label: string, key: string, rv: string}} change
 * @param {string} op
 */
export function changeChip(into, at, change, op) {
  const { x, y, w, h, type } = at;
  const kind = kindOf(op);
  const mark = Math.min(h * 0.58, w * 0.36);
  const tight = w < 46;
  // A long name needs the room of the mark.
  const bare = w < 36 || (change.label.length > 2 && w < 54);
  const g = s('g', at.row ? { 'data-row': at.row } : {}, s('rect', { x, y, width: w, height: h, rx: 4, class: 'ch rs k-' + kind }));
  g.append(s('title', {}, `${change.label}: ${op} ${change.key}, rv ${change.rv}`));
  if (!bare) {
    const place = { x: x + (tight ? 3 : 5), y: y + (h - mark) / 2, width: mark, height: mark };
    g.append(s('use', { href: '#g-' + kind, ...place, class: 'gl k-' + kind }));
  }
  const right = x + w - (tight ? 4 : 6);
  const base = y + h / 2 + (type === 'n20' ? 7 : 5);
  text(g, bare ? x + w / 2 : right, base, type, bare ? 'middle' : 'end').set(change.label);
  into.append(g);
}

/**
 * What Pop took in a lane, or what waits for Pop: a few changes a line, and how many more there are.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {Comparison} c
 * @param {number} lane
 * @param {{per: number, lines: number}} room
 */
export function takenLines(ctx, c, lane, room) {
  const { t } = ctx;
  const x = c.lanes[lane];
  const waiting = c.held && !x.took.length;
  const { state, facts } = ctx.model.lane(lane);
  const pops = facts.features.popsBatches ? 'lanes.batch' : 'lanes.pop';
  const changes = (/** @type {number[]} */ ns) => ns.map((n) => changeOf(c, n));
  const groups = waiting
    ? x.waits.map((w) => ({ name: w.letter ? t('lanes.key', { k: w.letter }) : t('lanes.line'), changes: changes(w.changes), all: '' }))
    : x.took.map((p) => ({ name: t(pops, { n: exact(p.n) }), changes: changes(p.changes), all: '' }));
  const last = groups[groups.length - 1];
  if (!waiting && groups.length > 1 && last.changes.length === 1 && !c.more && state.queue.kind === 'DeltaFIFO') {
    last.all = t('lanes.allOf', { k: last.changes[0].letter });
  }
  /** @type {Line[]} */
  const lines = [];
  for (const g of groups) {
    for (let j = 0; j < g.changes.length; j += room.per) {
      const part = g.changes.slice(j, j + room.per);
      lines.push({ ...g, name: j ? '' : g.name, changes: part, first: j === 0, last: j + room.per >= g.changes.length });
    }
  }
  const shown = lines.slice(0, room.lines);
  const drawn = shown.reduce((n, l) => n + l.changes.length, 0);
  const all = waiting ? x.waiting : x.taken;
  return { shown, hidden: Math.max(0, all - drawn), head: t(waiting ? 'lanes.waits' : 'lanes.took') };
}

/** The bracket at the left of a line, and its chips. */
export const bracketAt = (/** @type {Line} */ l, /** @type {number} */ x, /** @type {number} */ a, /** @type {number} */ b) =>
  s('path', { d: `${l.first ? `M${x + 4} ${a}H${x}` : `M${x} ${a - 1}`}V${b}${l.last ? `H${x + 4}` : ''}`, class: 'brk' });

/**
 * Draws the chips of a line.
 * @param {SVGElement} g
 * @param {Comparison} c
 * @param {number} lane
 * @param {Line} l
 * @param {{x: number, y: number, w: number, h: number, step: number, type: string}} at
 */
export function lineChips(g, c, lane, l, at) {
  l.changes.forEach((change, i) => changeChip(g, { ...at, x: at.x + at.step * i }, change, opIn(c, lane, change.n)));
}

/**
 * What a lane's store was in between, and whether that is worth a stronger type.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {Comparison} c
 * @param {number} lane
 */
export function verdict({ t }, c, lane) {
  const x = c.lanes[lane];
  const o = x.overtaking;
  if (o) {
    const words = { s: span(o.millis), a: changeOf(c, o.later).label, b: changeOf(c, o.earlier).label };
    return { words: t(o.millis < 0.05 ? 'lanes.neverMoment' : 'lanes.never', words), odd: true };
  }
  if (x.storedLate) return { words: t('lanes.late', { n: exact(x.storedLate), m: exact(x.storedCount) }), odd: true };
  return { words: x.stored.length ? t('lanes.always') : c.changes.length ? t('lanes.asOf') : '', odd: false };
}

/** Whether a lane's handler was given changes in another order than they were sent in. @param {Comparison} c @param {number} lane */
export function isReordered(c, lane) {
  return c.lanes[lane].givenLate > 0;
}

/** The calls of a handler, as code. @param {Comparison} c @param {number} lane */
function calls(c, lane) {
  return c.lanes[lane].given.map((step) => {
    const { label } = changeOf(c, step.n);
    if (step.op === 'Added' || step.op === 'Replaced') return `OnAdd(${label})`;
    if (step.op === 'Deleted') return `OnDelete(${label})`;
    return step.was ? `OnUpdate(${step.was}→${label})` : `OnUpdate(${label})`;
  }).join('  ');
}

/** The comparison's columns in the two-releases view. */
export class Columns {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {SVGElement} svg
   * @param {Layout} o
   */
  constructor(ctx, svg, o) {
    this.ctx = ctx;
    this.o = o;
    /** Between the rails: the row of what was sent. */
    this.middle = (o.rails[0] + o.rails[1]) / 2;
    const all = s('g');
    /** All that the columns draw. */
    this.all = all;
    const { api, queue, indexer, listeners } = o;
    const top = o.rails[0] + o.drop;
    this.head = text(all, api.x + 10, top + 30, 'l');
    this.asSent = text(all, listeners.x + 24, this.middle + 4, 'l t1');
    this.legend = [0, 1, 2].map((i) => text(all, api.x + o.sent.legend.x, o.foot - o.sent.legend.up + 18 * i, 'm1'));
    this.truth = o.explains ? [0, 1].map((i) => text(all, api.x + 10, o.sent.truth + 15 * i, 'l t1')) : [];
    this.empty = [0, 1, 2].map((i) => text(all, listeners.x + 140, 252 + 20 * i, 'c14'));
    this.code = o.calls.y.map((y) => ({
      era: text(all, listeners.x + 24, y, 't14'),
      calls: text(all, listeners.x + 74, y, 'm1'),
      note: text(all, listeners.x + 74, y + o.calls.note, 'l'),
    }));
    this.lanes = o.rails.map((y) => {
      const at = y + o.drop;
      return {
        took: text(all, queue.x + 10, at + 20, 'l'),
        more: text(all, queue.x + queue.w - 10, at + 20, 'l', 'end'),
        said: [0, 1, 2].map((j) => text(all, indexer.x + 10, at + o.stored.words + 17 * j, 'l')),
        received: text(all, listeners.x + 24, y + 38, 'l'),
      };
    });
    this.g = s('g');
    all.append(this.g);
    svg.append(all);
    /** What is drawn. @type {Comparison | null} */
    this.drawn = null;
    this.words = '';
    this.source = '';
  }

  /**
   * Brings the columns to a comparison. They are drawn again only for another comparison, as its frames come only then.
   * @param {Comparison} c
   * @param {import('../wire/types.js').State[]} states of the lanes
   * @param {string} language
   */
  paint(c, states, language) {
    show(this.all, !unframed(this.ctx));
    const source = `${states[0].source.kind} ${this.ctx.storyTitle?.() ?? ''}`;
    if (c === this.drawn && language === this.words && source === this.source) return;
    this.drawn = c;
    this.words = language;
    this.source = source;
    this.g.replaceChildren();
    this.sentColumn(c);
    for (const lane of [0, 1]) {
      this.paintPop(c, lane);
      this.drawStored(c, lane);
    }
    this.drawReceived(c, states);
  }

  /** What was sent, one under the other. @param {Comparison} c @private */
  sentColumn(c) {
    const { t } = this.ctx;
    const { o, g } = this;
    const few = c.changes.length <= 3;
    const x = o.api.x + 10;
    const top = o.rails[0] + o.drop;
    this.head.set(t('lanes.sent'));
    c.changes.forEach((change, i) => {
      const y = top + 41 + (few ? o.sent.roomy : o.sent.pitch) * i;
      changeChip(g, { x, y, w: 48, h: 26, type: 't14' }, change, change.op);
      if (few) text(g, x, y + 42, 'm2').set('rv ' + version(change.rv, 7), change.rv);
    });
    if (o.sent.hair) g.append(s('path', { d: `M${x} ${o.sent.hair}H${x + 80}`, class: 'hair' }));
    this.truth.forEach((words, i) => words.set(t(i ? 'lanes.two' : 'lanes.one')));
    const keys = new Map(c.changes.map((change) => [change.letter, change.key]));
    const named = [...keys];
    this.legend.forEach((words, i) => {
      const [letter, key] = named[i] ?? ['', ''];
      words.set(letter && `${letter} ${middle(key.replace(/^.*\//, ''), 9)}`, key);
    });
  }

  /** What Pop took, or what waits for it. @param {Comparison} c @param {number} lane @private */
  paintPop(c, lane) {
    const { t } = this.ctx;
    const { o, g } = this;
    const at = o.taken;
    const { shown, hidden, head } = takenLines(this.ctx, c, lane, at);
    this.lanes[lane].took.set(head);
    this.lanes[lane].more.set(hidden ? t('lanes.more', { n: exact(hidden) }) : '');
    const size = Math.min(shown.length, 4) - 1;
    const left = o.queue.x + at.x;
    shown.forEach((l, j) => {
      const tall = Math.min(26, at.pitch[size] - 3);
      const top = o.rails[lane] + o.drop + at.first[size] + at.pitch[size] * j;
      if (l.name) text(g, o.queue.x + 10, top + tall / 2 + 4, 'l t1').set(l.name);
      g.append(bracketAt(l, left, top - 2, top + tall + 2));
      const w = l.changes.length > 2 ? at.narrow : at.wide;
      lineChips(g, c, lane, l, { x: left + 9, y: top, w, h: tall, step: w + 3, type: tall < 22 ? 'l t1 lb' : 't14' });
      if (l.all) text(g, left + 15 + (w + 3) * l.changes.length, top + tall / 2 + 4, 'l').set(l.all);
    });
  }

  /** What the store has of each object, and what it was in between. @param {Comparison} c @param {number} lane @private */
  drawStored(c, lane) {
    const { o, g } = this;
    const y = o.rails[lane] + o.drop + 13;
    c.lanes[lane].newest.slice(0, 3).forEach((change, j) => {
      changeChip(g, { x: o.indexer.x + 10 + 50 * j, y, w: 46, h: 26, type: 't14' }, change, change.op);
    });
    const { words, odd } = verdict(this.ctx, c, lane);
    const split = wrap(words, o.indexer.w - 16, 3);
    this.lanes[lane].said.forEach((line, j) => line.cls(odd ? 'l t1' : 'l').set(split[j] ?? ''));
  }

  /**
   * Received, as sent, received: what changed places crosses.
   * @param {Comparison} c
   * @param {import('../wire/types.js').State[]} states
   * @private
   */
  drawReceived(c, states) {
    const { t } = this.ctx;
    const { o, g } = this;
    const n = c.changes.length;
    const { listeners, received } = o;
    const pitch = received.w / Math.max(3, n);
    const wide = received.widths[n - 1] ?? pitch - 8;
    const left = listeners.x + listeners.w - received.right - received.w + (pitch - wide) / 2;
    const middleOf = (/** @type {number} */ i) => left + pitch * i + wide / 2;
    const at = { left, pitch, wide, tall: n <= 3 ? 38 : 34, type: received.sizes[n - 1] ?? 't14', middleOf };
    const ways = s('g');
    g.append(ways);
    for (const lane of [0, 1]) {
      this.lanes[lane].received.set(t('lanes.received'));
      this.drawHanded(c, lane, at, ways);
      this.called(c, lane, states[lane]);
    }
    const boxes = Math.min(48, pitch - 6);
    c.changes.forEach((change, i) => {
      const rect = s('rect', { x: middleOf(i) - boxes / 2, y: this.middle - 13, width: boxes, height: 26, rx: 4, class: 'sentb' });
      const box = s('g', { 'data-row': 'sent' }, rect);
      text(box, middleOf(i), this.middle + 5, 't14', 'middle').set(change.label);
      g.append(box);
    });
    this.asSent.set(n ? t('lanes.asSent') : '');
    // A story makes its own changes, so it does not ask for a burst.
    const asks = !n && o.explains && !this.ctx.storyTitle?.();
    const words = !asks ? [] : wrap(t(this.ctx.model.isSimulated() ? 'lanes.nothing' : 'lanes.nothingLive'), 300, 3, '14px');
    this.empty.forEach((line, i) => line.set(words[i] ?? ''));
  }

  /**
   * What a lane's handler was given, in its order, tied to where each was sent.
   * @param {Comparison} c
   * @param {number} lane
   * @param {{left: number, pitch: number, wide: number, tall: number, type: string, middleOf: (i: number) => number}} at
   * @param {SVGElement} ways
   * @private
   */
  drawHanded(c, lane, at, ways) {
    const { left, pitch, wide, tall, middleOf } = at;
    const y = this.o.rails[lane];
    const m = this.middle;
    const bend = y + 0.52 * (m - y);
    const { given } = c.lanes[lane];
    /** @type {number[]} */
    const moved = [];
    c.changes.forEach((_, i) => {
      const step = given[i];
      if (!step) {
        this.g.append(s('rect', { x: left + pitch * i, y: y - tall / 2, width: wide, height: tall, rx: 4, class: 'slot off' }));
        return;
      }
      const chip = { x: left + pitch * i, y: y - tall / 2, w: wide, h: tall, type: at.type, row: `given-${lane}` };
      changeChip(this.g, chip, changeOf(c, step.n), step.op);
      const to = step.n - 1;
      if (to !== i) moved.push(i);
      const [a, b] = [middleOf(i), middleOf(to)];
      const d = lane === 0
        ? `M${a} ${y + tall / 2}C${a} ${bend} ${b} ${bend} ${b} ${m - 15}`
        : `M${b} ${m + 15}C${b} ${bend} ${a} ${bend} ${a} ${y - tall / 2}`;
      ways.append(s('path', { d, class: to !== i ? 'bump x' : 'bump' }));
    });
    if (!moved.length) return;
    const [a, b] = [left + pitch * moved[0], left + pitch * moved[moved.length - 1] + wide];
    const [foot, up] = lane === 0 ? [y - 23, -4] : [y + 24, 4];
    this.g.append(s('path', { d: `M${a} ${foot}V${foot + up}H${b}V${foot}`, class: 'brk' }));
    text(this.g, (a + b) / 2, lane === 0 ? foot - 9 : foot + 18, 't14', 'middle').set(this.ctx.t('lanes.notOrder'));
  }

  /**
   * The calls of a lane's handler as code, complete calls only.
   * @param {Comparison} c
   * @param {number} lane
   * @param {import('../wire/types.js').State} state
   * @private
   */
  called(c, lane, state) {
    const { t } = this.ctx;
    const { explains } = this.o;
    const words = this.code[lane];
    const code = calls(c, lane);
    const room = code.length > 54 ? code.slice(0, Math.max(0, code.lastIndexOf('  ', 52))) + '  …' : code;
    words.era.set(c.changes.length && (explains || code) ? state.era : '');
    words.calls.set(explains ? room : '', code);
    words.note.set(code ? t(state.queue.kind === 'DeltaFIFO' ? 'lanes.keyOnly' : 'lanes.allKeys') : '');
  }
}
