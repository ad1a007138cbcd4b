// @ts-check
// What is under the pointer in the past, in words: when it was, what passed or waited there, and what lasted. A press follows its object, or lists
// those that are there.
import { h, menuRow, put, reveal } from '../kit/dom.js';
import { clock, exact, middle, precise, span, version } from '../kit/format.js';
import { width } from '../kit/measure.js';
import { sayRead } from '../rows/reads.js';
import { seat } from './geometry.js';

/** The names of what passes and waits, by their numbers. A key has none. */
const names = ['', 'Added', 'Updated', 'Deleted', 'Replaced', 'Sync', 'Replaced', 'Sync', 'Bookmark'];

/** How long the pointer rests before the worker is asked what is there, in ms. */
const rest = 120;
/** How long a finger rests before it points, in ms. */
const hold = 400;

/** @typedef {import('../wire/types.js').Entry} Entry */
/** @typedef {NonNullable<ReturnType<import('./past.js').Past['at']>>} Place */

/**
 * What is at a place, in words, without when it was.
 * @param {Place} place @param {number} now @param {import('../wire/page-types.js').Ctx['t']} t
 */
export function wordsAt({ what: { pile, span: cause, passes = [] } }, now, t) {
  const name = (/** @type {number} */ op) => names[op] || t('point.key');
  /** @type {string[]} */
  const all = [];
  if (pile) all.push(t('point.pile', { op: name(pile.op), i: exact(pile.place + 1), n: exact(pile.of) }));
  if (cause?.kind === 'read') all.push(sayRead(cause, t));
  else if (cause && cause.kind !== 'act' && cause.kind !== 'pile') {
    const s = span(cause.millis || (cause.toMillis ?? now) - cause.fromMillis);
    all.push(t(`point.${cause.kind}`, { s, n: exact(cause.n ?? 0) }) + (cause.key ? ` ${cause.key}` : ''));
  }
  /** @type {string[]} */
  const list = [];
  for (let i = 0; i < passes.length; i += 2) list.push(`${exact(passes[i + 1])} ${name(passes[i])}`);
  if (list.length) all.push(t('point.passed', { list: list.join(', ') }));
  return all;
}

/**
 * A change and when it came, in words.
 * @param {Entry} entry @param {import('../wire/page-types.js').Ctx['t']} t
 */
const changeWords = ({ key, rv, op, cameMillis }, t) =>
  `${op || t('point.key')} ${key}${rv && ` rv ${version(rv)}`}, ${t('point.came', { s: clock(cameMillis) })}`;

/**
 * A change that passed or waited, in words: for how long it waited, and how long its call took.
 * @param {Entry} entry @param {number} now @param {import('../wire/page-types.js').Ctx['t']} t
 */
export function entryWords(entry, now, t) {
  const { cameMillis, leftMillis, endMillis } = entry;
  const waited = t(leftMillis === null ? 'point.waits' : 'point.waited', { s: precise((leftMillis ?? now) - cameMillis) });
  const left = leftMillis === null ? [] : [t('point.left', { s: clock(leftMillis) })];
  const call = leftMillis !== null && endMillis !== null ? [t('point.took', { s: precise(endMillis - leftMillis) })] : [];
  return [changeWords(entry, t), waited, ...left, ...call].join(', ');
}

/**
 * The changes among entries, each once, in the order in which they came; only an object's, if its key is given.
 * @param {Entry[]} entries @param {string} [key]
 */
export function changesOf(entries, key) {
  const own = entries.filter((e) => (key ? e.key === key : e.key));
  return [...new Map(own.map((e) => [`${e.key} ${e.rv}`, e])).values()].sort((a, b) => a.cameMillis - b.cameMillis);
}

export class Pointer {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx @param {import('./past.js').Past} past @param {HTMLElement} canvas
   * @param {HTMLElement} parent where the words go @param {import('./peek.js').Peek} peek
   * @param {() => void} held what is pressed is held still, and is no drag
   */
  constructor(ctx, past, canvas, parent, peek, held) {
    this.ctx = ctx;
    this.past = past;
    this.peek = peek;
    this.tip = h('div', { class: 'tracks-tip', hidden: '', 'aria-hidden': 'true' });
    parent.append(this.tip);
    /** CSS pixels per unit. */
    this.k = 1;
    const place = (/** @type {MouseEvent} */ e) => {
      const box = parent.getBoundingClientRect();
      return { x: e.clientX - box.x, y: e.clientY - box.y };
    };
    /** Where it points; null while it does not, and while the past is dragged. @type {{x: number, y: number} | null} */
    this.at = null;
    canvas.addEventListener('pointermove', (e) => {
      const looks = e.pointerType === 'touch' && !!peek.from;
      if (e.buttons && !looks && Math.hypot(e.clientX - down.x, e.clientY - down.y) < 3) return; // a finger is never quite still
      this.at = e.buttons && !looks ? null : place(e);
      clearTimeout(this.timer);
      if (this.at) this.timer = setTimeout(() => this.look(), rest);
      this.paint();
    });
    const leave = () => {
      clearTimeout(this.timer);
      this.at = null;
      peek.end();
      this.paint();
    };
    canvas.addEventListener('pointerleave', leave);
    let down = { x: 0, y: 0 };
    canvas.addEventListener('pointerdown', (e) => {
      down = { x: e.clientX, y: e.clientY };
      clearTimeout(this.timer);
      peek.end();
      if (e.pointerType !== 'touch') return;
      this.timer = setTimeout(() => {
        held();
        this.at = place(e);
        this.look();
      }, hold);
    });
    for (const up of ['pointerup', 'pointercancel']) canvas.addEventListener(up, (e) => /** @type {PointerEvent} */ (e).pointerType === 'touch' && leave());
    canvas.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - down.x) >= 3) return; // the past was dragged
      this.at = place(e);
      this.press();
    });
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  /** What the worker said was at a place. @type {{row: string, column: number, entries: Entry[]}} */
  found = { row: '', column: -1, entries: [] };

  /** The pointer rests: asks what is under it, and shows that moment while the view stands. @private */
  look() {
    if (this.at && this.past.at(this.at.x, this.at.y)) this.peek.show(this.past.millisAt(this.at.x));
    this.ask();
  }

  /** Asks what is under the pointer. @private */
  async ask() {
    const place = this.at && this.past.at(this.at.x, this.at.y);
    if (!place || place.column < 0) return;
    const { row: { id: row }, column } = place;
    const entries = await this.ctx.call('entries', row, column).catch(() => []); // a place that the log has dropped has none
    this.found = { row, column, entries: entries ?? [] };
    this.paint();
  }

  /** The change that was followed last from here, or by keys, and the row from which. @type {{key: string, row: string, millis: number}} */
  last = { key: '', row: '', millis: 0 };

  /** Follows a change. @param {Entry} entry */
  follow({ key, rv, row, cameMillis }) {
    this.last = { key, row, millis: cameMillis };
    this.ctx.select(key, undefined, rv);
  }

  /** Follows what is under the pointer; of several one chooses. @private */
  async press() {
    const { ctx } = this;
    const place = this.at && this.past.at(this.at.x, this.at.y);
    if (!place || place.column < 0) return undefined;
    const { row: { id }, what: { span }, column } = place;
    const key = span && span.kind !== 'act' ? span.key : '';
    // A tick is narrow: what is beside the pointer counts if nothing is under it. A call has the change that left as it began.
    const columns = span && key ? [Math.floor(span.fromMillis / ctx.model.past.stepMillis)] : [0, -1, 1, -2, 2].map((n) => column + n);
    /** @type {Entry[]} */
    let changes = [];
    for (const n of columns) {
      changes = changesOf((await ctx.call('entries', id, n).catch(() => null)) ?? [], key);
      if (changes.length) break;
    }
    if (span && key) changes = changes.slice(-1);
    if (changes.length === 1) return this.follow(changes[0]);
    if (key) return ctx.select(key);
    if (!changes.length) return undefined;
    this.tell(ctx.t('point.several'));
    return ctx.popup(this.tip, (root, close) => {
      const words = (/** @type {Entry} */ e) => changeWords({ ...e, key: middle(e.key, 34) }, ctx.t);
      root.append(h('div', { class: 'list' }, ...changes.map((e) => menuRow(close, () => this.follow(e), {}, h('span', {}, words(e))))));
    }, { width: 480, label: ctx.t('point.several') });
  }

  /** Brings the words to what is there now: the past moves under the pointer. */
  paint() {
    const { ctx } = this;
    const { x, y } = this.at ?? { x: -1, y: -1 };
    const place = this.at && this.past.at(x, y);
    const now = this.past.shown.moment;
    const { row, column, entries } = this.found;
    const one = place && place.row.id === row && place.column === column && entries.length === 1 ? entries[0] : null;
    const read = one && place?.what.span?.kind === 'read' ? [sayRead(place.what.span, ctx.t)] : [];
    const said = !place ? [] : one ? [entryWords(one, now, ctx.t), ...read] : wordsAt(place, now, ctx.t);
    if (place && said.length) this.tell([ctx.t('point.ago', { s: span(now - place.millis) }), ...said].join(' · '));
    else reveal(this.tip, false);
  }

  /** Puts words to where it points. @param {string} words @private */
  tell(words) {
    const { k, at } = this;
    if (!at) return;
    reveal(this.tip, true);
    put(this.tip, words);
    const { x, y } = at;
    const wide = width(this.tip.textContent ?? '', '12px') + 16;
    seat(this.tip, { x: Math.max(0, Math.min(x / k + 12, this.past.area.x / k + this.past.area.w / k - wide)), y: y / k - 30 }, k);
  }
}
