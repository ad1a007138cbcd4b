// @ts-check
// A number over its word.
import { text } from '../kit/dom.js';
import { fit } from '../kit/measure.js';

/**
 * @param {import('../wire/page-types.js').Slot} slot
 * @param {number} x
 * @param {number} y of the number; the word stands 21 below
 * @param {number} [room] how wide the word may be
 */
export function pair(slot, x, y, room = slot.w - 2 * slot.pad) {
  const number = text(slot.g, x, y, slot.type.value);
  const word = text(slot.g, x, y + 21, slot.type.label);
  return {
    number,
    word,
    /** @param {string} n @param {string} label */
    set(n, label) {
      if (slot.bare) return;
      number.set(n);
      word.set(fit(label, room, slot.fonts.label), label);
    },
    /** Says where the number comes from, as Txt.of does. @param {string} path @param {string} [as] */
    of(path, as) {
      if (!slot.bare) number.of(path, as);
      return this;
    },
  };
}
