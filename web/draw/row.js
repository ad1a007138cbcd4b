// @ts-check
// A row of a list: a glyph, a name, what stands at its right end. The row of the selected object is marked.
import { attr, s, text } from '../kit/dom.js';
import { middle } from '../kit/format.js';
import { Glyph } from '../kit/glyphs.js';

/**
 * The place of a row: `x` is where its words begin, `w` its width from there, `y` the foot of its words. `cls` is the class of its name,
 * `glyph` the size of its glyph (none without one), and `picked` whether it can be the selected object.
 * @typedef {{x: number, y: number, w: number, cls: string, glyph?: number, picked?: boolean}} RowAt
 */
/**
 * What a row says: `words`, or the name at the path `of`, cut to so many characters as there is `room`; `whole` shows it in full to a pointer. `value` is
 * bound as Txt.bind takes it.
 * @typedef {{
 *   kind?: import('../kit/glyphs.js').Kind, words?: string, of?: string, room?: number, whole?: boolean, cls?: string, selected?: boolean,
 *   value?: [path: string, as?: import('../kit/bind.js').As]
 * }} RowSays
 */

/** @param {SVGElement} g @param {RowAt} at */
export function row(g, { x, y, w, cls, glyph, picked }) {
  const mark = picked ? s('rect', { x: x - 3, y: y - 12, width: w, height: 17, rx: 2, class: 'selbg' }) : null;
  if (mark) g.append(mark);
  const sign = glyph ? new Glyph(g, x - 20, y - 11, glyph) : null;
  const name = text(g, x, y, cls);
  const value = text(g, x + w, y, 'l', 'end');
  return {
    value,
    /** @param {import('../wire/page-types.js').Lane} lane @param {RowSays | null} says nothing is there without it */
    set(lane, says) {
      if (sign && says?.kind) sign.set(says.kind);
      else sign?.hide();
      name.cls(says?.cls ?? cls);
      if (says?.of) name.bind(lane, says.of, 'middle', says.whole ? 'same' : '', (key) => middle(key, says.room ?? Infinity));
      else name.set(says?.words ?? '');
      value.bind(lane, ...(says?.value ?? ['']));
      if (mark) attr(mark, 'class', says?.selected ? 'selbg on' : 'selbg');
    },
  };
}
