// @ts-check
// The past of the Reflector: a line, solid while a watch is open, hatched while there is none, dotted while it brings nothing; and its lists.
import { capitalize, exact, reason, span as duration } from '../kit/format.js';
import { t } from '../kit/i18n.js';
import { stopWords } from './parts.js';

/** @typedef {import('../stage/pen.js').Pen} Pen */
/** @typedef {import('../wire/past.js').Span} Span */

/**
 * The words for a stretch without a watch: why, and for how long. When it is tried again stands at the rail. Gaps between which one sees no watch are one
 * stretch: the first says how long, and each says why.
 * @param {Pen} pen @param {Span[]} gaps in the order of their time @param {number} i which
 * @returns {string[]} the longest first
 */
function gapWords(pen, gaps, i) {
  const joins = (/** @type {number} */ n) => n > 0 && n < gaps.length && pen.x(gaps[n].fromMillis) - pen.x(pen.end(gaps[n - 1])) < 2 * pen.k;
  const gap = gaps[i];
  const why = gap.code === 410 ? t('past.gone') : capitalize(reason(gap.words ?? '')).replace(/[.。]$/, '');
  if (joins(i)) return why ? [why] : [];
  let last = i;
  while (joins(last + 1)) last++;
  const s = duration(pen.end(gaps[last]) - gap.fromMillis);
  return [...(why ? [t('past.gapWhy', { why, s })] : []), t('past.gap', { s }), t('past.noWatch')];
}

export const reflectorPast = {
  /** What it reads is not drawn a second time: it is what the queue gets. */
  ticks: 0,
  alpha: 1,
  /** @param {Pen} pen */
  draw(pen) {
    const { k, colour } = pen;
    const y = pen.foot - 9 * k;
    const [gaps, silent, lists, stops] = ['gap', 'silent', 'list', 'stopped'].map((kind) => pen.spans(kind));
    let x = pen.x(pen.scene.begin);
    if (pen.name && pen.name[3] > y) x = Math.max(x, pen.name[2]);
    for (const span of [...gaps, ...silent, ...lists, ...stops].sort((a, b) => a.fromMillis - b.fromMillis)) {
      pen.level(x, pen.x(span.fromMillis), y, colour.rail);
      x = Math.max(x, pen.x(pen.end(span)));
    }
    pen.level(x, pen.right, y, colour.rail);
    gaps.forEach((gap, i) => {
      const [x0, x1] = [pen.x(gap.fromMillis), Math.max(pen.x(gap.fromMillis) + 5 * k, pen.x(pen.end(gap)))];
      pen.hatch(x0, x1, y - 11 * k, 20 * k, colour.warn, { alpha: pen.bright(gap), origin: pen.scene.xOf(gap.fromMillis) });
      const backoffs = pen.spans('backoff').filter((b) => b.fromMillis >= gap.fromMillis && b.fromMillis <= pen.end(gap));
      for (const b of backoffs) pen.level(pen.x(b.fromMillis), pen.x(pen.end(b)) - k, y + 7.5 * k, colour.warn, { wide: 3, alpha: pen.bright(b) });
      const words = gapWords(pen, gaps, i);
      if (words.length) {
        pen.say(words, [{ x: x0, y: y - 15 * k }, { x: x1 + 8 * k, y: y - 6 * k }], { colour: colour.warn, size: 13, weight: 600, first: true });
      }
    });
    for (const stop of stops) {
      pen.say([stopWords(stop)], [{ x: pen.x(stop.fromMillis) + 8 * k, y: y + 4 * k }, { x: pen.x(stop.fromMillis), y: y - 6 * k }], { colour: colour.t2 });
    }
    for (const span of silent) {
      const [x0, x1] = [pen.x(span.fromMillis), pen.x(pen.end(span))];
      pen.level(x0, x1, y, colour.warn, { dots: true });
      pen.say([t('past.silent', { s: duration(pen.end(span) - span.fromMillis) }), t('past.nothing')], [{ x: x0, y: y - 6 * k }],
        { colour: colour.warn, size: 13, weight: 600, first: true });
    }
    for (const list of lists) {
      const [x0, x1] = [pen.x(list.fromMillis), Math.max(pen.x(list.fromMillis) + 5 * k, pen.x(pen.end(list)))];
      pen.block(x0, x1, y - 11 * k, 20 * k, colour.rep, Math.max(0.75, pen.bright(list)));
      const places = [{ x: x1 + 8 * k, y: y - 6 * k }, { x: x1 + 8 * k, y: pen.foot + 4 * k }];
      if (list.n) pen.say([t('past.list', { n: exact(list.n) })], places, { colour: colour.rep, size: 13, weight: 600 });
    }
  },
};
