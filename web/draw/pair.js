// @ts-check
// A number over its word.
import { Counted, s, text } from '../kit/dom.js';
import { fit } from '../kit/measure.js';

/** @param {import('../wire/page-types.js').Slot} slot @param {number} x @param {number} y of the number @param {number} [room] for the word below */
export function pair(slot, x, y, room = slot.w - 2 * slot.pad) {
  // A bare slot has no room for them: they go into a group that is not on the page.
  const g = slot.bare ? s('g') : slot.g;
  const number = text(g, x, y, slot.type.value);
  const word = text(g, x, y + 21, slot.type.label);
  return new Counted(number, (words) => word.set(fit(words, room, slot.fonts.label), words));
}
