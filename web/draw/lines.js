// @ts-check
// Lines of a chip and a name: what is in a queue, on the wire, with a worker.
import { text } from '../kit/dom.js';
import { middle } from '../kit/format.js';
import { fit, width } from '../kit/measure.js';
import { kindOf } from '../kit/glyphs.js';
import { Seat } from './seats.js';

/** @param {import('../wire/page-types.js').Slot} slot @param {number} x of the chips @param {number} y of the first line's words @param {number} n lines */
export function lines(slot, x, y, n) {
  const size = slot.chip;
  const left = x + size * 1.5 - (size < 20 ? 1 : 0);
  const room = slot.x + slot.w - slot.pad - left;
  return Array.from({ length: n }, (_, i) => {
    const base = y + (size + 7) * i;
    const chip = new Seat(slot.g, size).moveTo(x + size / 2, base - size / 2 + 4);
    const words = text(slot.g, left, base, slot.type.key);
    return {
      words,
      /**
       * @param {string | undefined} op nothing is drawn without one
       * @param {string} key
       * @param {boolean} [solid] it moves, or is being taken
       * @param {string} [note] what stands behind the key, whole
       */
      set(op, key, solid = false, note = '') {
        chip.set(op === undefined ? null : { kind: kindOf(op), taken: solid });
        if (op === undefined) {
          words.set('');
          return;
        }
        words.set(shorten(key, room - (note ? width(note, slot.fonts.key) : 0), slot.fonts.key) + note, key + note);
      },
      /** @param {import('../wire/page-types.js').Lane} lane @param {string} op @param {string} path of the key @param {boolean} solid */
      bind(lane, op, path, solid) {
        chip.set({ kind: kindOf(op), taken: solid });
        words.bind(lane, path, 'middle', 'same', (key) => shorten(key, room, slot.fonts.key));
      },
    };
  });
}

/** A key in the room it has: its ends tell more than its middle. @param {string} key @param {number} room @param {string} font */
export function shorten(key, room, font) {
  if (font.includes('mono')) return middle(key, Math.floor(room / 7.3));
  let n = Math.min(key.length, Math.max(8, Math.ceil(room)));
  while (n > 4 && width(middle(key, n), font) > room) n--;
  return fit(middle(key, n), room, font);
}
