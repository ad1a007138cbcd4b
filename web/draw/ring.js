// @ts-check
// The ring of a listener: the buffer that grows between its two channels. It fills anticlockwise from three o'clock, where its exit
// is, and has ticks at the capacities it had before it doubled.
import { attr, s, shareOf, text } from '../kit/dom.js';
import { exact, ring as short } from '../kit/format.js';

/** @typedef {import('../wire/types.js').Listener} Listener */

/**
 * The look of a ring: radius and the class of its stroke. `number` and `of` are the classes of its number and of "of 1,024" below it,
 * `numberY` and `ofY` how far they are below the middle. `ticks` is how many former capacities have a tick, `reach` how far a tick
 * reaches to either side, `tick` its class.
 * `as` shortens the number to what the ring has room for.
 * @typedef {{
 *   r: number, stroke: string, number?: string, numberY?: number, of?: string, ofY?: number,
 *   ticks?: number, reach?: number, tick?: string, as?: import('../kit/bind.js').As
 * }} RingLook
 */

/** @param {SVGElement} g @param {number} cx @param {number} cy @param {RingLook} look */
export function ring(g, cx, cy, look) {
  const { r, stroke, ticks = 0, reach = 4, tick = '', as = 'ring' } = look;
  const circle = (/** @type {string} */ cls) => g.append(s('circle', { cx, cy, r, class: cls }));
  circle('ringbg');
  circle(`ring ${stroke}`.trim());
  const filled = s('path', { d: '', class: '' });
  // A tick on what is filled is dark, one on what is empty bright; the newest is longer.
  const dark = s('path', { d: '', class: `rtick dk ${tick}`.trim() });
  const bright = s('path', { d: '', class: `rtick ${tick}`.trim() });
  g.append(filled, dark, bright);
  const number = look.number ? text(g, cx, cy + (look.numberY ?? 4), look.number, 'middle') : null;
  const of = look.of ? text(g, cx, cy + (look.ofY ?? 19), look.of, 'middle') : null;
  return {
    number,
    /**
     * @param {import('../kit/bind.js').From} from what is painted
     * @param {Listener} l
     * @param {string} path where the listener is there
     * @param {{slow: boolean, of?: (capacity: string) => string}} o
     */
    paint(from, l, path, o) {
      const capacity = Math.max(1, l.capacity);
      const share = l.ring / capacity;
      attr(filled, 'd', arc(cx, cy, r, share));
      shareOf(filled, `${path}.ring`, `${path}.capacity max 1`);
      attr(filled, 'class', `ringf ${o.slow ? 'w ' : ''}${stroke}`.trim());
      number?.bind(from, `${path}.pending`, as, 'exact');
      if (of && o.of) of.set(o.of(l.capacity > 9999 ? short(l.capacity) : exact(l.capacity)), exact(l.capacity));
      if (!ticks) return;
      let below = '';
      let above = '';
      l.capacities.slice(-ticks).forEach((had, i, all) => {
        const newest = i === all.length - 1;
        const at = had / capacity;
        const line = radius(cx, cy, r, at, newest ? reach + 1 : reach);
        if (newest || at > share) above += line;
        else below += line;
      });
      attr(bright, 'd', above);
      attr(dark, 'd', below);
    },
  };
}

/** A point on a circle, anticlockwise from three o'clock. @param {number} cx @param {number} cy @param {number} r @param {number} share */
function point(cx, cy, r, share) {
  const angle = share * 2 * Math.PI;
  return `${(cx + r * Math.cos(angle)).toFixed(2)} ${(cy - r * Math.sin(angle)).toFixed(2)}`;
}

/** A line across a circle. @param {number} cx @param {number} cy @param {number} r @param {number} share @param {number} reach */
function radius(cx, cy, r, share, reach) {
  return `M${point(cx, cy, r - reach, share)}L${point(cx, cy, r + reach, share)}`;
}

/**
 * The part of a circle that is filled; what holds anything at all can be seen.
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 * @param {number} share
 */
function arc(cx, cy, r, share) {
  if (!(share > 0)) return '';
  return `M${cx + r} ${cy}A${r} ${r} 0 ${share > 0.5 ? 1 : 0} 0 ${point(cx, cy, r, Math.min(Math.max(share, 0.012), 0.9999))}`;
}
