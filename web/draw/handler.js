// @ts-check
// The box of a handler: how long a call takes, and a bar for how far the present one has come.
import { attr, s, shareOf, text } from '../dom.js';
import { span } from '../format.js';

/** @typedef {import('../types.js').Listener} Listener */

/**
 * The look of a handler's box. `words` is the class of its text, `wordsY` how far that is below the middle. `bar` is the height of the bar,
 * `pad` its distance from the sides, `barY` how far it is below the middle. `edge` is a second class for a coloured edge.
 * @typedef {{w: number, h: number, words: string, wordsY: number, bar: number, pad: number, barY: number, edge?: string}} HandlerLook
 */

/** The shortest bar of a call that runs, as a share of the whole. */
const least = 0.12;

/** How long a call of this handler is likely to take, in ms. @param {Listener} l */
export function expected(l) {
  return Math.max(1, l.paceMillis, l.meanMicros / 1000);
}

/** What a call took of late, or what each is made to take before there was one. @param {Listener} l */
export function took(l) {
  if (l.handled || l.meanMicros) return span(l.meanMicros / 1000);
  return l.paceMillis ? span(l.paceMillis) : '—';
}

/**
 * @param {SVGElement} g
 * @param {number} x left
 * @param {number} cy
 * @param {HandlerLook} look
 */
export function handlerBox(g, x, cy, look) {
  const { w, h, words, wordsY, pad, edge = '' } = look;
  const box = s('rect', { x, y: cy - h / 2, width: w, height: h, rx: 4, class: 'hbox' });
  const bar = s('rect', { x: x + pad, y: cy + look.barY, width: 0, height: look.bar, class: 'hbusy' });
  g.append(box, bar);
  const time = text(g, x + w / 2, cy + wordsY, words, 'middle');
  return {
    /**
     * @param {Listener} l
     * @param {string} path where the listener is in the lane's state
     * @param {number} now
     * @param {{slow: boolean, bad: boolean}} o it is slow, or panicked
     */
    paint(l, path, now, { slow, bad }) {
      const colour = bad ? 'e' : slow ? 'w' : '';
      attr(box, 'class', colour ? `hbox ${colour} ${edge}`.trim() : 'hbox');
      time.cls(slow ? `${words} cwt` : words).set(took(l));
      const share = l.handling ? Math.min(1, Math.max(least, (now - l.handlingSince) / expected(l))) : 0;
      attr(bar, 'width', share ? ((w - 2 * pad) * share).toFixed(1) : 0);
      const whole = `${path}.meanMicros / 1000 max ${path}.paceMillis max 1`;
      shareOf(bar, l.handling ? `now - ${path}.handlingSince` : '', whole, w - 2 * pad, least * (w - 2 * pad));
      attr(bar, 'class', slow ? 'hbusy w' : 'hbusy');
    },
  };
}
