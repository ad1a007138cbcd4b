// @ts-check
// What is under the pointer in the past, in words: when it was, what passed or waited there, and what lasted. A press follows its object.
import { h, put, reveal } from '../kit/dom.js';
import { exact, span } from '../kit/format.js';
import { width } from '../kit/measure.js';
import { seat } from './geometry.js';

/** The names of what passes and waits, by their numbers. A key has none. */
const names = ['', 'Added', 'Updated', 'Deleted', 'Replaced', 'Sync', 'Replaced', 'Sync', 'Bookmark'];

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
  if (cause && cause.kind !== 'act' && cause.kind !== 'pile') {
    const s = span(cause.millis || (cause.toMillis ?? now) - cause.fromMillis);
    all.push(t(`point.${cause.kind}`, { s, n: exact(cause.n ?? 0) }) + (cause.key ? ` ${cause.key}` : ''));
  }
  /** @type {string[]} */
  const list = [];
  for (let i = 0; i < passes.length; i += 2) list.push(`${exact(passes[i + 1])} ${name(passes[i])}`);
  if (list.length) all.push(t('point.passed', { list: list.join(', ') }));
  return all;
}

export class Pointer {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx @param {import('./past.js').Past} past @param {HTMLElement} canvas
   * @param {HTMLElement} parent where the words go
   */
  constructor(ctx, past, canvas, parent) {
    this.ctx = ctx;
    this.past = past;
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
      this.at = e.buttons ? null : place(e);
      this.paint();
    });
    canvas.addEventListener('pointerleave', () => {
      this.at = null;
      this.paint();
    });
    canvas.addEventListener('click', (e) => {
      const { x, y } = place(e);
      const key = past.at(x, y)?.what.span?.key;
      if (key) ctx.select(key);
    });
  }

  /** Brings the words to what is there now: the past moves under the pointer. */
  paint() {
    const { ctx, k } = this;
    const { x, y } = this.at ?? { x: -1, y: -1 };
    const place = this.at && this.past.at(x, y);
    const now = ctx.now();
    const said = place ? wordsAt(place, now, ctx.t) : [];
    reveal(this.tip, said.length > 0);
    if (!place || !said.length) return;
    put(this.tip, [ctx.t('point.ago', { s: span(now - place.millis) }), ...said].join(' · '));
    const wide = width(this.tip.textContent ?? '', '12px') + 16;
    seat(this.tip, { x: Math.max(0, Math.min(x / k + 12, this.past.area.x / k + this.past.area.w / k - wide)), y: y / k - 30 }, k);
  }
}
