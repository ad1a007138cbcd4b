// @ts-check
// A line of words behind the glyph of a delta type, for the fine print of the stage. Lines with a chip are in lines.js.
import { text } from '../kit/dom.js';
import { Glyph, kindOf } from '../kit/glyphs.js';

/** @param {SVGElement} parent @param {number} x of the glyph @param {number} y of the words' foot @param {string} cls of the words */
export function markedLine(parent, x, y, cls) {
  const glyph = new Glyph(parent, x, y - 10.5, 13);
  glyph.hide();
  const words = text(parent, x + 18.5, y, cls);
  return {
    words,
    /** @param {string | undefined} op no glyph is drawn without one */
    mark: (op) => (op === undefined ? glyph.hide() : glyph.set(kindOf(op))),
  };
}
