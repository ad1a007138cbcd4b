// @ts-check
// What is drawn, for a comparison with the informer: each visible text and bar that names its source, with the moment from which it was
// painted. It is read in one go, so nothing is painted meanwhile.

/** @typedef {import('./moment.js').Painted} Painted */

/**
 * `early` parts are compared with other stations' numbers, and painted with them. A text has its `words`, made by the function `as` from the
 * source `of`. A bar or an arc has a share, `part` of `whole`, in `geometry`.
 * @typedef {{
 *   station: string, early: boolean, lane: number | null, of?: string, as?: string, words?: string,
 *   part?: string, whole?: string, room?: number, least?: number, curve?: number, geometry?: string
 * }} Mark
 */

/** @param {Element} el */
function visible(el) {
  return el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && el.getBoundingClientRect().width > 0;
}

/** The text of an element, without parts that name their own source. @param {Element} el */
function words(el) {
  const own = [...el.childNodes].filter((n) => n.nodeName !== 'title' && !(n instanceof Element && n.hasAttribute('data-of')));
  return own.map((n) => n.textContent).join('');
}

/** @param {HTMLElement | SVGElement} el @returns {Mark | null} */
function mark(el) {
  const at = el.closest('[data-lane]');
  const station = el.closest('[data-station]');
  const of = {
    station: station?.getAttribute('data-station') ?? '',
    early: !!el.closest('[data-early]'),
    lane: at ? Number(at.getAttribute('data-lane')) : null,
  };
  const { part, whole, room, least, curve } = el.dataset;
  if (part) {
    const geometry = el.getAttribute(el.tagName === 'rect' ? 'width' : 'd') ?? '';
    return geometry ? { ...of, part, whole, room: Number(room ?? 0), least: Number(least ?? 0), curve: Number(curve ?? 0), geometry } : null;
  }
  const said = words(el);
  return said && el.dataset.of ? { ...of, of: el.dataset.of, as: el.dataset.as ?? 'same', words: said } : null;
}

/**
 * All that is drawn, by the moments that it was painted from.
 * @param {Element} root
 * @param {(el: Element) => Painted | undefined} from which moment an element shows
 */
export function listDrawn(root, from) {
  /** @type {Map<Painted | undefined, Mark[]>} */
  const by = new Map();
  for (const el of /** @type {NodeListOf<HTMLElement | SVGElement>} */ (root.querySelectorAll('[data-of], [data-part]'))) {
    const is = visible(el) ? mark(el) : null;
    if (!is) continue;
    const at = from(el);
    const marks = by.get(at);
    if (marks) marks.push(is);
    else by.set(at, [is]);
  }
  return [...by].map(([at, marks]) => ({ painted: at ?? null, marks }));
}
