// @ts-check
// The rail with its stretches, nodes, source, holds, the mark of a cut, and the way back. It runs from left to right, or upright with its
// head at the top.
import { s } from '../kit/dom.js';

/** @typedef {number[]} Place x and y */

/**
 * Two places, or more, as a path whose corners are round.
 * @param {number[]} pts
 * @param {number} [r]
 */
export function path(pts, r = 6) {
  let d = `M${pts[0]} ${pts[1]}`;
  for (let i = 2; i < pts.length - 2; i += 2) {
    const [x, y] = [pts[i], pts[i + 1]];
    const back = pointToward(x, y, pts[i - 2], pts[i - 1], r);
    const on = pointToward(x, y, pts[i + 2], pts[i + 3], r);
    d += `L${back[0]} ${back[1]}Q${x} ${y} ${on[0]} ${on[1]}`;
  }
  return `${d}L${pts[pts.length - 2]} ${pts[pts.length - 1]}`;
}

/** @param {number} x @param {number} y @param {number} tx @param {number} ty @param {number} r @returns {Place} */
function pointToward(x, y, tx, ty, r) {
  const d = Math.hypot(tx - x, ty - y) || 1;
  const n = Math.min(r, d / 2) / d;
  return [x + (tx - x) * n, y + (ty - y) * n];
}

/** A stretch of the rail. @param {number[]} pts */
export function stretch(pts) {
  return s('path', { d: path(pts), class: 'rail' });
}

/** The node of a station on the rail. @param {Place} at @param {number} r */
export function node([x, y], r) {
  const dot = r > 9 ? r * 0.41 : 3.5;
  return s('g', {}, s('circle', { cx: x, cy: y, r, class: 'node' }), s('circle', { cx: x, cy: y, r: dot, class: 'nodedot' }));
}

/** Where the rail begins. @param {Place} at @param {boolean} upright */
export function source([x, y], upright) {
  return s('path', { d: upright ? `M${x - 7} ${y}H${x + 7}` : `M${x} ${y - 9}V${y + 9}`, class: 'srcbar' });
}

/** Where the connection broke: two bars across the rail, nothing between them but a cross. @param {Place} at @param {boolean} upright */
export function cut([x, y], upright) {
  const [half, bar, icon] = upright ? [15, 10, 18] : [20, 14, 22];
  const gap = upright ? { x: x - 4, y: y - half, width: 8, height: 2 * half } : { x: x - half, y: y - 4, width: 2 * half, height: 8 };
  const bars = [-half, half].map((d) => (upright ? `M${x - bar} ${y + d}H${x + bar}` : `M${x + d} ${y - bar}V${y + bar}`)).join('');
  return s('g', {}, s('rect', { ...gap, class: 'pn2' }), s('path', { d: bars, class: 'cute' }),
    s('use', { href: '#i-x', x: x - icon / 2, y: y - icon / 2, width: icon, height: icon, class: 'ic ce' }));
}

/** A stage that is held: a bar across the rail, with its disc where there is room above. @param {Place} at @param {boolean} upright */
export function drawHold([x, y], upright) {
  if (upright) return s('path', { d: `M${x - 13} ${y}H${x + 13}`, class: 'hbarp' });
  return s('g', {}, s('rect', { x: x - 4, y: y - 22, width: 8, height: 44, rx: 2, class: 'hbar' }),
    s('use', { href: '#i-hold', x: x - 12, y: y - 44, width: 24, height: 24, class: 'ic c1' }));
}

/** A fine way back, of what a controller reads or writes, with a head at its end. @param {number[]} pts @param {number} [r] of its corners */
export function wayBack(pts, r) {
  const n = pts.length;
  const [x, y] = [pts[n - 2], pts[n - 1]];
  const dx = Math.sign(x - pts[n - 4]);
  const dy = Math.sign(y - pts[n - 3]);
  const head = dx ? `M${x - 4 * dx} ${y - 4}L${x} ${y}L${x - 4 * dx} ${y + 4}` : `M${x - 5} ${y - 7 * dy}L${x} ${y}L${x + 5} ${y - 7 * dy}`;
  return s('g', {}, s('path', { d: path(pts, r), class: 'ret' }), s('path', { d: head, class: 'reta' }));
}
