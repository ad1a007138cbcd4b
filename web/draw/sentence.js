// @ts-check
// The sentence that the calm stage has in place of a station's details. It is one text in several lines, so that a test reads it whole.
import { s, Txt } from '../kit/dom.js';
import { wrap } from '../kit/measure.js';

/** How many lines it has at most, and from one to the next. */
const lines = 5;
const pitch = 19;

/** @param {import('../wire/page-types.js').Slot} slot below whose part of the rail it stands */
export function gist({ head, x, y, w }) {
  const el = s('text', { x, y: y + 34, class: 'said' });
  head.append(s('g', { class: 'gist' }, el));
  const rows = Array.from({ length: lines }, (_, i) => {
    const row = s('tspan', { x, dy: i ? pitch : 0 });
    el.append(row);
    return new Txt(row);
  });
  return new Txt(el, (words) => {
    const parts = wrap(words, w, lines, '14px');
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
