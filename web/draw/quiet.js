// @ts-check
// A station that a step does not speak of, in presenter mode: its name above its node on the rail.
import { text } from '../kit/dom.js';
import { node } from './rail.js';

/** @param {import('../wire/page-types.js').Slot} slot @param {string} title @returns {import('../wire/page-types.js').Drawn} */
export function drawQuiet(slot, title) {
  const middle = slot.x + slot.w / 2;
  slot.g.append(node([middle, slot.rail], 10));
  text(slot.head, middle, slot.rail - 36, 'p16', 'middle').set(title);
  return { paint() {} };
}
