// @ts-check
// The head of a station: its name and its one number, above the rail where that lies, beside it where it stands upright.
import { Counted, s, text, Txt } from '../kit/dom.js';
import { fit } from '../kit/measure.js';

/** Name over number, above the rail. Returns the number. @param {import('../wire/page-types.js').Slot} slot @param {string} name */
export function heading(slot, name) {
  text(slot.head, slot.x, slot.rail - 96, slot.type.title).set(fit(name, slot.w + 12, slot.fonts.title));
  return text(slot.head, slot.x, slot.rail - 56, slot.type.number).pulse();
}

/**
 * One line with the name, the number and its unit, and below it two asides. A bare slot keeps the line alone.
 * @param {import('../wire/page-types.js').Slot} slot @param {string} name
 */
export function lineHeading(slot, name) {
  text(slot.head, slot.x, slot.y + 5, slot.type.title).set(name);
  // An open station has the mark that shuts it at its right.
  const end = slot.x + slot.w - (slot.lit && !slot.lean ? 22 : 0);
  const line = s('text', { x: end, y: slot.y + 5, class: slot.type.number, 'text-anchor': 'end' });
  slot.head.append(line);
  // The unit behind the number is apart: only the number is bound.
  const digits = s('tspan');
  line.append(digits);
  const number = new Txt(digits).pulse();
  const unit = s('tspan', { class: slot.type.label, dx: 6 });
  // A bare slot has no room for the asides: they go into a group that is not on the page.
  const asides = slot.bare ? s('g') : slot.head;
  /** @param {string} word */
  const label = (word) => {
    if (unit.textContent !== word) unit.textContent = word;
    if (word && !unit.parentNode) line.append(unit);
  };
  return Object.assign(new Counted(number, label), {
    asides,
    /** The words below, at the left. */
    left: text(asides, slot.x, slot.y + 25, slot.type.label),
    /** The words below, at the right. */
    right: text(asides, slot.x + slot.w, slot.y + 25, slot.type.state, 'end'),
  });
}
