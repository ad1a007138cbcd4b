// @ts-check
// The button that holds a stage, on the rail where it stops what travels: a handle, and while the stage is held a bar across the rail.
import { attr, h, place, s } from '../kit/dom.js';

/** @typedef {import('../wire/page-types.js').Stage} Stage */

/**
 * Holds a stage, or releases all that it holds and holds it no longer.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {Stage} stage
 * @param {number} [listener] the one that "deliver" is of
 */
export function toggleHold({ model, act }, stage, listener) {
  const args = listener === undefined ? [] : [listener];
  return model.hold(stage, listener) ? act('release', stage, 0, ...args) : act('hold', stage, ...args);
}

/**
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {Stage} stage
 * @param {() => number | undefined} listener the one that "deliver" is of, at a press
 */
export function pin(ctx, stage, listener) {
  const el = h('button', { class: 'pin', type: 'button', 'aria-pressed': 'false' });
  // The picture is drawn around x 8 of the button's box, with the rail at y 34 of the picture.
  el.append(s('svg', { viewBox: '0 0 16 52', 'aria-hidden': 'true' },
    s('g', { class: 'idle' }, s('path', { d: 'M8 29V21', class: 'hhs' }), s('circle', { cx: 8, cy: 18, r: 3, class: 'hhd' })),
    s('g', { class: 'held' }, s('rect', { x: 5.5, y: 17, width: 5, height: 34, rx: 1.5, class: 'hbar' }),
      s('use', { href: '#i-hold', x: -1, y: 1, width: 18, height: 18, class: 'ic c1' }))));
  el.addEventListener('click', () => toggleHold(ctx, stage, listener()));
  return {
    el,
    /** @param {number} x where it is on the rail, in units @param {number} y the rail's */
    at: (x, y) => place(el, x - 8, y - 24, 16, 36),
    /** @param {boolean} held @param {string} words what a press is about */
    paint(held, words) {
      attr(el, 'aria-pressed', String(held));
      attr(el, 'aria-label', words);
    },
  };
}
