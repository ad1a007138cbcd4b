// @ts-check
// A wait that runs out: a ring that empties clockwise from its top, with the seconds that are left in it.
import { compile } from '../kit/bind.js';
import { attr, s, shareOf, text } from '../kit/dom.js';

/** How long the Reflector still waits, in ms. */
export const waitLeftPath = 'reflector.backoffSince + reflector.backoffMillis - now max 0';
export const waitLeft = compile(waitLeftPath);

/**
 * Draws the ring of the Reflector's wait.
 * @param {SVGElement} parent @param {number} cx @param {number} cy @param {number} r
 * @param {{words: string, base: number, thick?: string}} o the class of the words and how far below the middle they stand; the class of
 *   a ring that is thicker than the stage's
 */
export function countdown(parent, cx, cy, r, { words, base, thick = '' }) {
  const g = s('g');
  const track = s('circle', { cx, cy, r, class: `ring ${thick}`.trim() });
  const arc = s('path', { d: '', class: `ringf w ${thick}`.trim() });
  g.append(track, arc);
  const left = text(g, cx, cy + base, words, 'middle');
  shareOf(arc, waitLeftPath, 'reflector.backoffMillis');
  parent.append(g);
  return {
    g,
    /** @param {import('../wire/page-types.js').Lane} lane */
    paint(lane) {
      const { backoffMillis } = lane.state.reflector;
      attr(arc, 'd', sector(cx, cy, r, backoffMillis ? waitLeft(lane) / backoffMillis : 0));
      left.bind(lane, waitLeftPath, 'remainder');
    },
  };
}

/**
 * A clockwise arc from the top, as a share of the circle.
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 * @param {number} share
 */
function sector(cx, cy, r, share) {
  if (share <= 0.001) return '';
  const a = Math.min(share, 0.9999) * 2 * Math.PI;
  const x = cx + r * Math.sin(a);
  const y = cy - r * Math.cos(a);
  return `M${cx} ${cy - r}A${r} ${r} 0 ${share > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}`;
}
