// @ts-check
// The present: right of the rail each row's number, with its unit and the age of what has waited longest, or a few words.
import { attr, s, show, text } from '../kit/dom.js';
import { width } from '../kit/measure.js';
import { fit } from './fit.js';

/** @typedef {import('../rows/parts.js').Present} Present */

/** Where what is under words stands. @type {import('./fit.js').Fit} */
const plain = { long: false, unit: [0, 0], under: [0, 22] };
/** How wide a letter of the version is, with a little more for the space before it. */
const letter = 8.2;

export class PresentRow {
  /** How far below the row's line its words go. */
  below = 0;

  /** @param {SVGElement} parent */
  constructor(parent) {
    this.root = s('g');
    parent.append(this.root);
    this.number = text(this.root, 0, 5, 'now-number');
    this.unit = text(this.root, 0, -8, 'now-unit');
    this.under = text(this.root, 0, 8, 'now-under');
    this.words = text(this.root, 0, 5, 'now-words');
    this.tail = text(this.root, 0, 5, 'now-words dim');
    this.call = text(this.root, 0, 24, 'now-call');
    this.side = text(this.root, 0, 5, 'now-side', 'end');
  }

  /** Shows words alone. @param {string} words */
  fail(words) {
    for (const other of [this.number, this.unit, this.under, this.tail, this.call, this.side]) other.set('');
    this.words.cls('now-words err').set(words);
  }

  /**
   * @param {Present} shown @param {import('../wire/page-types.js').Lane} lane
   * @param {{x: number, y: number, edge: number, lane: number | null}} at where it stands, up to where it may go, and of which of two informers it is
   */
  paint(shown, lane, at) {
    attr(this.root, 'transform', `translate(${at.x} ${at.y.toFixed(2)})`);
    attr(this.root, 'data-lane', at.lane);
    const { number = '', tone = 'dim' } = shown;
    show(this.number.el, !!number);
    this.number.bind(lane, number, 'exact');
    this.unit.set(number ? shown.unit ?? '' : '');
    if (shown.under) this.under.bind(lane, shown.under, shown.underAs);
    else this.under.set(shown.underWords ?? '');
    const widths = [this.unit, this.under].map(({ words }, i) => (words ? width(words, i ? '13px' : '14px') : 0));
    const { long, unit, under } = number ? fit(this.number.words, widths[0], widths[1], at.edge - at.x, width) : plain;
    this.number.cls(long ? 'now-number long' : 'now-number');
    this.unit.moveTo(...unit);
    this.under.moveTo(...under);
    this.below = Math.max(0, ...[unit, under].map(([, y], i) => (widths[i] ? y : 0)));
    attr(this.words.el, 'class', `now-words ${tone}`);
    if (number) this.words.set('');
    else if (shown.path) this.words.bind(lane, shown.path, shown.as);
    else this.words.set(shown.words ?? '');
    this.tail.moveTo(shown.tail ? width(this.words.words, '14px') : 0, 5).set(number ? '' : shown.tail ?? '');
    this.call.moveTo(0, this.below > 12 ? this.below + 14 : 24).set(shown.call ?? '');
    // Where both have no room in the line, the side stands above.
    const room = at.edge - at.x - width(this.words.words, '14px') - width('rv 00000', '13px');
    this.side.moveTo(at.edge - at.x, room < 24 ? -12 : 5);
    if (shown.side) this.side.bind(lane, shown.side, 't row.rv');
    // The words go first where there is no room for both.
    if (!shown.side || width(this.words.words, '14px') + letter * this.side.words.length > at.edge - at.x) this.side.set('');
  }
}
