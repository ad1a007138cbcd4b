// @ts-check
// Where the parts of the stage stand, in its units: 1280 by 720 of them, or as many as a screen of another shape has.

/** @typedef {{x: number, y: number, w: number, h: number}} Area */
/**
 * `rows` is where the rows stand, `past` what the canvas covers, `x` the rail, and `edge` where its words must end. `ground` is
 * what lies right of the rail, and `apart` how far the rails of two informers are. A `drawer` takes the place of the inside, and most of the maps'.
 * @typedef {{
 *   w: number, h: number, phone: boolean, presenting: boolean, past: Area, rows: import('./rows.js').Box, x: number, apart: number, edge: number,
 *   names: number, ground: Area,
 *   worlds: Area & {beside: boolean}, inside: Area, drawer: Area | null
 * }} Geometry
 */

/** What the bars take from the top and the bottom of the page. */
const above = 108;
const below = 82;

/** How high the maps are with their words, side by side over a drawer. */
const low = 196;
/** A page narrower than so many units has as much room for numbers as one that is as wide, and lower maps. */
const narrow = 1160;
/** What a ride takes from the foot of the page; in presenter mode, instead of what the dots of the steps take. */
const ruler = 166;
const dots = 38;
const largeRuler = 108;

/**
 * @param {number} w @param {number} h
 * @param {{phone?: boolean, aside?: Area | null, presenting?: boolean, opened?: boolean, drawer?: boolean, ride?: boolean}} [o] `aside`: where a phone
 *   that lies has its maps; `opened`: the inside of a station shows, for which presenter mode makes room. The last two say whether one object is
 *   inspected, and whether one of its changes is ridden
 * @returns {Geometry}
 */
export function measureStage(w, h, { phone, aside = null, presenting, opened, drawer = false, ride = false } = {}) {
  if (phone) return measurePhone(w, h, aside);
  return presenting ? measurePresenting(w, h, !!opened, ride ? largeRuler : dots) : measurePage(w, h, drawer, ride ? ruler : below);
}

/**
 * For presenter mode: the units are half as large again, so there are fewer of them. Two lines say the sentence, and below are the dots of the steps.
 * @param {number} w @param {number} h @param {boolean} opened @param {number} foot @returns {Geometry}
 */
function measurePresenting(w, h, opened, foot) {
  const top = 72;
  const end = h - foot;
  const x = Math.round(w * 0.48);
  const left = 150;
  const maps = Math.round(w * 0.7);
  const panel = opened ? 144 : 0;
  return {
    w, h, phone: false, presenting: true, x, apart: 34, edge: maps - 12, names: left - 4,
    past: { x: left, y: top, w: x - 10 - left, h: end - top },
    rows: { y: top + 24, h: end - 26 - top - 24, gap: 8 },
    ground: { x, y: top, w: w - x, h: end - top },
    worlds: { x: maps, y: top + 8, w: w - 12 - maps, h: end - panel - top - 16, beside: opened },
    inside: { x: maps, y: end - panel, w: w - 12 - maps, h: panel },
    drawer: null,
  };
}

/** @param {number} w @param {number} h @param {boolean} drawer @param {number} foot @returns {Geometry} */
function measurePage(w, h, drawer, foot) {
  // Numbers need as much room on a narrow page.
  const x = Math.round(w < narrow ? w - 477 : w * 0.565);
  const left = 176;
  const maps = Math.round(w < narrow ? w - 290 : w * 0.722);
  const end = h - foot;
  const panel = 140;
  const right = { x: maps, w: w - 16 - maps };
  return {
    w, h, phone: false, presenting: false, x, apart: 34, edge: maps - 26, names: left - 6,
    past: { x: left, y: above, w: x - 10 - left, h: end - above },
    rows: { y: above + 26, h: end - 30 - above - 26, gap: 9 },
    ground: { x, y: above, w: w - x, h: end - above },
    worlds: { ...right, y: above + 16, h: drawer ? low : end - panel - 8 - above - 16, beside: drawer },
    inside: { ...right, y: end - panel, h: panel },
    drawer: drawer ? { ...right, y: above + 16 + low + 8, h: end - above - 16 - low - 8 } : null,
  };
}

/**
 * One station alone: its name on top, its past and its present below that, and its inside at the foot, where there is room for it.
 * @param {number} w @param {number} h @returns {Geometry}
 */
export function measureAlone(w, h) {
  const x = Math.round(w * (w < 480 ? 0.58 : 0.64));
  const inside = h < 300 ? 0 : Math.min(150, Math.round(h * 0.34));
  const end = h - inside - (inside ? 16 : 4);
  const at = { x: 12, y: 44 };
  return {
    w, h, phone: true, presenting: false, x, apart: 0, edge: w - 8, names: 160,
    past: { ...at, w: x - 10 - at.x, h: end - at.y },
    rows: { y: at.y + 28, h: end - at.y - 58, gap: 0 },
    ground: { x, y: at.y, w: w - x, h: end - at.y },
    worlds: { ...at, w: 0, h: 0, beside: false },
    inside: { x: 12, y: h - inside - 8, w: w - 24, h: inside },
    drawer: null,
  };
}

/** Two lines that say why. */
const why = 36;

/** Maps on top, or beside, and rows below. @param {number} w @param {number} h @param {Area | null} aside @returns {Geometry} */
function measurePhone(w, h, aside) {
  const x = Math.round(w * 0.66);
  const left = 12;
  const maps = why + (aside ? 0 : Math.min(138, Math.round(h * 0.33)));
  return {
    w, h, phone: true, presenting: false, x, apart: 20, edge: w - 8, names: x - left - 20,
    past: { x: left, y: maps + 4, w: x - 10 - left, h: h - maps - 4 },
    rows: { y: maps + 28, h: h - maps - 58, gap: aside ? 4 : 6, small: true, flat: !!aside },
    ground: { x, y: maps + 8, w: w - x, h: h - maps - 8 },
    worlds: { ...(aside ?? { x: left, y: why + 4, w: w - 2 * left, h: maps - why - 4 }), beside: true },
    inside: { x: left, y: h - 190, w: w - 2 * left, h: 190 },
    drawer: null,
  };
}

/**
 * Puts an element at a place of the stage.
 * @param {HTMLElement} el @param {{x: number, y: number, w?: number, h?: number}} at @param {number} k CSS pixels per unit
 */
export function seat(el, at, k) {
  for (const [name, value] of /** @type {['left' | 'top' | 'width' | 'height', number | undefined][]} */ (
    [['left', at.x], ['top', at.y], ['width', at.w], ['height', at.h]])) {
    if (value === undefined) continue;
    const px = `${(value * k).toFixed(1)}px`;
    if (el.style[name] !== px) el.style[name] = px;
  }
}
