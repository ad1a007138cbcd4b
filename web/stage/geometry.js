// @ts-check
// Where the parts of the stage stand, in its units: 1280 by 720 of them, or as many as a screen of another shape has.

/** @typedef {{x: number, y: number, w: number, h: number}} Area */
/**
 * `rows` is where the rows stand, `past` what the canvas covers, `x` the rail, and `edge` where its words must end. `ground` is
 * what lies right of the rail, and `apart` how far the rails of two informers are.
 * @typedef {{
 *   w: number, h: number, phone: boolean, past: Area, rows: import('./rows.js').Box, x: number, apart: number, edge: number, names: number, ground: Area,
 *   worlds: Area & {beside: boolean}, inside: Area
 * }} Geometry
 */

/** What the bars take from the top and the bottom of the page. */
const above = 108;
const below = 82;

/** @param {number} w @param {number} h @param {boolean} phone @returns {Geometry} */
export function measureStage(w, h, phone) {
  return phone ? measurePhone(w, h) : measurePage(w, h);
}

/** @param {number} w @param {number} h @returns {Geometry} */
function measurePage(w, h) {
  const x = Math.round(w * 0.565);
  const left = 176;
  const maps = Math.round(w * 0.722);
  const end = h - below;
  const panel = 140;
  return {
    w, h, phone: false, x, apart: 34, edge: maps - 26, names: left - 6,
    past: { x: left, y: above, w: x - 10 - left, h: end - above },
    rows: { y: above + 26, h: end - 30 - above - 26, gap: 9 },
    ground: { x, y: above, w: w - x, h: end - above },
    worlds: { x: maps, y: above + 16, w: w - 16 - maps, h: end - panel - 8 - above - 16, beside: false },
    inside: { x: maps, y: end - panel, w: w - 16 - maps, h: panel },
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
    w, h, phone: true, x, apart: 0, edge: w - 8, names: 160,
    past: { ...at, w: x - 10 - at.x, h: end - at.y },
    rows: { y: at.y + 28, h: end - at.y - 58, gap: 0 },
    ground: { x, y: at.y, w: w - x, h: end - at.y },
    worlds: { ...at, w: 0, h: 0, beside: false },
    inside: { x: 12, y: h - inside - 8, w: w - 24, h: inside },
  };
}

/** Maps on top, rows below. @param {number} w @param {number} h @returns {Geometry} */
function measurePhone(w, h) {
  const x = Math.round(w * 0.66);
  const left = 12;
  const why = 20;
  const maps = why + Math.min(138, Math.round(h * 0.33));
  return {
    w, h, phone: true, x, apart: 20, edge: w - 8, names: x - left - 20,
    past: { x: left, y: maps + 4, w: x - 10 - left, h: h - maps - 4 },
    rows: { y: maps + 28, h: h - maps - 58, gap: 6, small: true },
    ground: { x, y: maps + 8, w: w - x, h: h - maps - 8 },
    worlds: { x: left, y: why + 4, w: w - 2 * left, h: maps - why - 4, beside: true },
    inside: { x: left, y: h - 190, w: w - 2 * left, h: 190 },
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
