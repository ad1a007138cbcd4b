// @ts-check
// The panel of a station, which hangs below the rail.
import { s } from '../kit/dom.js';

/**
 * Draws the panel of a slot, or a part of it.
 * @param {import('../wire/page-types.js').Slot} slot
 * @param {number} [y] the whole slot where nothing is said
 * @param {number} [h]
 * @param {number} [round] the radius of its corners
 */
export function panel(slot, y = slot.y, h = slot.h, round = 5) {
  if (slot.bare) return;
  slot.g.append(s('rect', { x: slot.x, y, width: slot.w, height: h, rx: round, class: slot.lit ? 'pn on' : 'pn' }));
}

/**
 * Draws the panel of a slot of a lane, and what it hangs by: together, as they are shown or not.
 * @param {import('../wire/page-types.js').Slot} slot
 * @param {number} gap from the rail to where the stem begins
 */
export function hangPanel(slot, gap) {
  const g = s('g', {}, s('path', { d: `M${slot.x + slot.w / 2} ${slot.rail + gap}V${slot.y}`, class: 'stem' }));
  panel({ ...slot, g, lit: false }, slot.y, slot.h, 4);
  slot.g.append(g);
  return g;
}
