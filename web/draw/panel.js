// @ts-check
// The panel of a station: what is hangs in it, below the rail.
import { s } from '../dom.js';

/**
 * Draws the panel of a slot, or a part of it.
 * @param {import('../page-types.js').Slot} slot
 * @param {number} [y] the whole slot where nothing is said
 * @param {number} [h]
 * @param {number} [round] the radius of its corners
 */
export function panel(slot, y = slot.y, h = slot.h, round = 5) {
  if (slot.bare) return;
  slot.g.append(s('rect', { x: slot.x, y, width: slot.w, height: h, rx: round, class: slot.lit ? 'pn on' : 'pn' }));
}
