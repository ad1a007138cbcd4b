// @ts-check
// One sentence about a station, in as many lines as it needs. It is one text, so that a test reads it whole.
import { s, Txt } from '../kit/dom.js';
import { wrap } from '../kit/measure.js';

/** From one line to the next. */
const pitch = 19;

/**
 * @param {Element} parent
 * @param {{x: number, y: number, w: number, lines: number, cls: string, font: string}} o y: of the first line; w: how wide a line is at most
 */
export function sentence(parent, { x, y, w, lines, cls, font }) {
  const el = s('text', { x, y, class: cls });
  parent.append(el);
  const rows = Array.from({ length: lines }, (_, i) => {
    const row = s('tspan', { x, dy: i ? pitch : 0 });
    el.append(row);
    return new Txt(row);
  });
  const whole = new Txt(el);
  let shown = '';
  return {
    /** @param {string} words @param {string} [of] where they come from, as Txt.of takes it @param {string} [as] */
    set(words, of = '', as = '') {
      whole.of(of, as);
      if (words === shown) return;
      shown = words;
      const parts = wrap(words, w, lines, font);
      let rest = words;
      rows.forEach((row, i) => {
        const part = parts[i] ?? '';
        rest = rest.slice(part.length);
        // The space at which a line was broken stays, so that the text of all lines is the sentence.
        const spaced = rest.startsWith(' ');
        if (spaced) rest = rest.slice(1);
        row.set(spaced && parts[i + 1] ? `${part} ` : part);
      });
    },
  };
}

/**
 * The sentence that the calm stage has in place of a station's details, below its part of the rail.
 * @param {import('../wire/page-types.js').Slot} slot
 */
export function gist(slot) {
  const g = s('g', { class: 'gist' });
  slot.head.append(g);
  return sentence(g, { x: slot.x, y: slot.y + 34, w: slot.w, lines: 5, cls: 'said', font: '14px' });
}
