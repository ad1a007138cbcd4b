// @ts-check
// A row of seats: the places of a queue on the rail. The head sits where things leave; the row runs away from it, to the left or, where
// the rail stands upright, up.
import { attr, s, show, text } from '../kit/dom.js';
import { Glyph } from '../kit/glyphs.js';

/** @typedef {import('../kit/glyphs.js').Kind} Kind */
/**
 * What is on a seat. `taken` fills the chip. `behind` is how many are behind it, of which two are drawn. `selected` is whether it is the
 * selected object, `word` a text in place of its glyph, `gap` its distance from those before it.
 * @typedef {{kind: Kind, taken?: boolean, behind?: number, selected?: boolean, word?: string, gap?: number}} Sitter
 */
/**
 * The place of a row of seats: the middle of the first seat, the number of seats, their size, and the distance between their middles.
 * `vacant` is the class of an empty seat; without it an empty seat is not drawn. `of` says what the seats belong to.
 * @typedef {{x: number, y: number, n: number, size: number, pitch: number, upright?: boolean, vacant?: string, of?: string}} Row
 */

/** One seat, with what is on it. Rare parts (others behind it, a word, the mark of the selected object) are made when they are needed. */
export class Seat {
  /**
   * @param {SVGElement} parent
   * @param {number} size @param {string} [vacant] the class of the seat while it is empty; hidden without one
   */
  constructor(parent, size, vacant = '') {
    this.size = size;
    this.vacant = vacant;
    this.box = this.square({ class: vacant });
    this.g = s('g', {}, this.box);
    this.glyph = new Glyph(this.g, 0, 0, 0);
    /** The edges of those behind, the nearest first. @type {SVGElement[]} */
    this.behind = [];
    /** @type {import('../kit/dom.js').Txt | null} */
    this.word = null;
    /** @type {SVGElement | null} */
    this.mark = null;
    parent.append(this.g);
    this.set(null);
  }

  /** @param {Record<string, string | number>} more @private */
  square(more) {
    return s('rect', { width: this.size, height: this.size, rx: this.size > 22 ? 5 : 4, ...more });
  }

  /** @param {number} cx middle of the seat @param {number} cy */
  moveTo(cx, cy) {
    attr(this.g, 'transform', `translate(${cx - this.size / 2} ${cy - this.size / 2})`);
    return this;
  }

  /** @param {Sitter | null} sitter */
  set(sitter) {
    show(this.g, !!sitter || !!this.vacant);
    attr(this.box, 'class', sitter ? `ch ${sitter.taken ? 'mv' : 'rs'} k-${sitter.kind}` : this.vacant);
    this.stack(sitter);
    if (sitter?.word) this.word ??= text(this.g, this.size / 2, this.size / 2 + 4, 'l t1 lb', 'middle');
    this.word?.set(sitter?.word ?? '');
    if (sitter?.selected && !this.mark) {
      const around = this.size + 6;
      this.g.append((this.mark = s('rect', { x: -3, y: -3, width: around, height: around, rx: 6, class: 'selbox' })));
    }
    if (this.mark) show(this.mark, !!sitter?.selected);
    if (!sitter || sitter.word) return this.glyph.hide();
    // A key is a dot, which is small in its box.
    const size = this.size * (sitter.kind === 'key' ? 0.9 : 0.68);
    this.glyph.set(sitter.kind, sitter.taken).moveTo((this.size - size) / 2, (this.size - size) / 2);
    attr(this.glyph.el, 'width', size);
    attr(this.glyph.el, 'height', size);
  }

  /** @param {Sitter | null} sitter @private */
  stack(sitter) {
    const n = Math.min(2, sitter?.behind ?? 0);
    while (this.behind.length < n) {
      const away = -4 * (this.behind.length + 1);
      const edge = this.square({ x: away, y: away });
      this.g.prepend(edge);
      this.behind.push(edge);
    }
    this.behind.forEach((edge, i) => {
      show(edge, i < n);
      if (i < n) attr(edge, 'class', 'ch-stack k-' + sitter?.kind);
    });
  }
}

/** @param {SVGElement} g @param {Row} row */
export function seats(g, row) {
  const { x, y, n, size, upright } = row;
  const seated = s('g', row.of ? { 'data-seats': row.of } : {});
  g.append(seated);
  const all = Array.from({ length: n }, () => new Seat(seated, size, row.vacant));
  /** @type {(distance: number) => [number, number]} */
  const place = (distance) => (upright ? [x, y - distance] : [x - distance, y]);
  const line = {
    /** The middle of a seat, counted from the head. @param {number} i @param {number} [pitch] */
    at: (i, pitch = row.pitch) => place(pitch * Math.min(n - 1, Math.max(0, i))),
    /**
     * @param {Sitter[]} sitters from the head on
     * @param {number} [pitch]
     * @returns {[number, number]} the middle of the seat of the last of them, or of the head's
     */
    set(sitters, pitch = row.pitch) {
      let distance = 0;
      let last = 0;
      for (let i = 0; i < n; i++) {
        const sitter = sitters[i] ?? null;
        distance += (i ? pitch : 0) + (sitter?.gap ?? 0);
        all[i].moveTo(...place(distance)).set(sitter);
        if (sitter) last = distance;
      }
      return place(last);
    },
  };
  line.set([]);
  return line;
}
