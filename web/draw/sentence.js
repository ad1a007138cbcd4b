// @ts-check
// The sentence that the calm stage has in place of a station's details. It is one text in several lines, so that a test reads it whole.
import { s, Txt } from '../kit/dom.js';
import { wrap } from '../kit/measure.js';


/** @param {import('../wire/page-types.js').Slot} slot below whose part of the rail it stands */
export function gist({ head, x, y, w }) {
  const g = s('g', { class: 'gist' });
  head.append(g);
  return sentence(g, { x, y: y + 34, w, lines: 5, pitch: 19, font: '14px', cls: 'said' });
}

/**
 * One text in several lines.
 * @param {SVGElement} g
 * @param {{ x: number, y: number, w: number, lines: number, pitch: number, font: string, cls: string }} o lines: how many at most; pitch: from one to the next
 */
export function sentence(g, { x, y, w, lines, pitch, font, cls }) {
  const el = s('text', { x, y, class: cls });
  g.append(el);
  const rows = Array.from({ length: lines }, (_, i) => {
    const row = s('tspan', { x, dy: i ? pitch : 0 });
    el.append(row);
    return new Txt(row);
  });
  return new Txt(el, (words) => {
    const parts = wrap(words, w, lines, font);
    let end = 0;
    rows.forEach((row, i) => {
      const part = parts[i] ?? '';
      end += part.length;
      // The space at which a line was broken stays, so that all lines together are the sentence.
      const spaced = !!parts[i + 1] && words[end] === ' ';
      if (spaced) end++;
      row.set(spaced ? `${part} ` : part);
    });
  });
}
