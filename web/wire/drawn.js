// @ts-check
// What is drawn, for a comparison with the informer: each visible text that names its source, with the moment from which it was
// painted. It is read in one go, so nothing is painted meanwhile.

import { isSeen } from '../kit/dom.js';

/** @typedef {import('./moment.js').Painted} Painted */

/**
 * A text with its `words`, made by the function `as` from the source `of`.
 * @typedef {{station: string, lane: number | null, of: string, as: string, words: string}} Mark
 */

/** @param {Element} el */
function visible(el) {
  return isSeen(el) && el.getBoundingClientRect().width > 0;
}

/** The text of an element, without parts that name their own source. @param {Element} el */
function words(el) {
  const own = [...el.childNodes].filter((n) => n.nodeName !== 'title' && !(n instanceof Element && n.hasAttribute('data-of')));
  return own.map((n) => n.textContent).join('');
}

/** @param {HTMLElement | SVGElement} el @returns {Mark | null} */
function mark(el) {
  const said = words(el);
  const at = el.closest('[data-lane]');
  return said && el.dataset.of ? {
    station: el.closest('[data-station]')?.getAttribute('data-station') ?? '', lane: at ? Number(at.getAttribute('data-lane')) : null,
    of: el.dataset.of, as: el.dataset.as ?? 'same', words: said,
  } : null;
}

/**
 * All that is drawn, by the moments that it was painted from.
 * @param {Element} root
 * @param {(el: Element) => Painted | undefined} from which moment an element shows
 */
export function listDrawn(root, from) {
  /** @type {Map<Painted | undefined, Mark[]>} */
  const by = new Map();
  for (const el of /** @type {NodeListOf<HTMLElement | SVGElement>} */ (root.querySelectorAll('[data-of]'))) {
    const drawn = visible(el) ? mark(el) : null;
    if (!drawn) continue;
    const at = from(el);
    const marks = by.get(at);
    if (marks) marks.push(drawn);
    else by.set(at, [drawn]);
  }
  return [...by].map(([at, marks]) => ({ painted: at ?? null, marks }));
}
