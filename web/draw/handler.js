// @ts-check
// The box of a handler: how long a call takes, and a bar for how far the present one has come.
import { attr, s, shareOf, text } from '../kit/dom.js';
import { span } from '../kit/format.js';

/** @typedef {import('../wire/types.js').Listener} Listener */

/**
 * The look of a handler's box. `words` is the class of its text, `longWords` that of more than six letters, `wordsY` how far the text is below the
 * middle. `bar` is the height of the bar, `pad` its distance from the sides, `barY` how far it is below the middle. `edge` is a second class for a
 * coloured edge.
 * @typedef {{
 *   w: number, h: number, words: string, longWords?: string, wordsY: number, bar: number, pad: number, barY: number, edge?: string
 * }} HandlerLook
 */

/** The shortest bar of a call that runs, as a share of the whole. */
const least = 0.12;

/** How long a call of this handler is likely to take, in ms. @param {Listener} l */
export function expectMillis(l) {
  return Math.max(1, l.paceMillis, l.meanMicros / 1000);
}

/** How long a call took of late; for a handler that was slowed, the time that each call got on top. @param {Listener} l */
export function callTime(l) {
  if (l.paceMillis) return `+${span(l.paceMillis)}`;
  return l.handled || l.meanMicros ? span(l.meanMicros / 1000) : '—';
}

/**
 * @param {SVGElement} g
 * @param {number} x left
 * @param {number} cy
 * @param {HandlerLook} look
 */
export function handlerBox(g, x, cy, look) {
  const { w, h, wordsY, pad, edge = '' } = look;
  const box = s('rect', { x, y: cy - h / 2, width: w, height: h, rx: 4, class: 'hbox' });
  const bar = s('rect', { x: x + pad, y: cy + look.barY, width: 0, height: look.bar, class: 'hbusy' });
  g.append(box, bar);
  const time = text(g, x + w / 2, cy + wordsY, look.words, 'middle');
  return {
    /**
     * @param {Listener} l
     * @param {string} path where the listener is in the lane's state
     * @param {number} now
     * @param {{slow: boolean, bad: boolean, time?: string}} o it is slow, or panicked; the box says `time` instead of what a call took
     */
    paint(l, path, now, { slow, bad, time: words = callTime(l) }) {
      const colour = bad ? 'e' : slow ? 'w' : '';
      attr(box, 'class', colour ? `hbox ${colour} ${edge}`.trim() : 'hbox');
      const type = words.length > 6 && look.longWords || look.words;
      time.cls(slow ? `${type} cwt` : type).set(words);
      const share = l.handling ? Math.min(1, Math.max(least, (now - l.handlingSince) / expectMillis(l))) : 0;
      attr(bar, 'width', share ? ((w - 2 * pad) * share).toFixed(1) : 0);
      const whole = `${path}.meanMicros / 1000 max ${path}.paceMillis max 1`;
      shareOf(bar, l.handling ? `now - ${path}.handlingSince` : '', whole, w - 2 * pad, least * (w - 2 * pad));
      attr(bar, 'class', slow ? 'hbusy w' : 'hbusy');
    },
  };
}
