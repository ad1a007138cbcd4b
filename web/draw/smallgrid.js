// @ts-check
// The grid of the store's cells where a layout draws it with rectangles, and compares it with the store a few times a second.
import { CellGrid } from './cells.js';
import { byFreshness } from './looks.js';
import { Rects } from './rects.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */

/** How a grid calls what has no name of its own. @param {Ctx} ctx */
export function groupWords({ t }) {
  return { unnamed: () => t('idx.unnamed'), others: (/** @type {number} */ n) => t('idx.others', { n }) };
}

/** How often cells grow older, in ms: those of a large store more rarely. @param {Ctx} ctx */
export function agingPause({ model }) {
  return model.cells.size > 20000 ? 1000 : 250;
}

/** The least pitch of cells that can be told apart from the last row of a room. */
const leastPitch = 4;

/** Sizes of cells from the largest to the smallest, with the gap that there is between blocks. @param {number} from @param {number} gap */
function sizesFrom(from, gap) {
  const sizes = [];
  for (let pitch = from; pitch >= leastPitch; pitch--) sizes.push({ pitch, size: pitch - 1, gap });
  return sizes;
}

/**
 * A grid of rectangles that compares itself with the store a few times a second.
 * @param {SVGElement} g
 * @param {Ctx} ctx
 * @param {number} x
 * @param {number} y
 * @param {Omit<import('../draw/cells.js').GridOptions, 'words'>} options
 */
export function smallGrid(g, ctx, x, y, options) {
  const grid = new CellGrid(new Rects(g, x, y), { ...options, words: groupWords(ctx) }, byFreshness(ctx.model));
  let agedAt = -Infinity;
  return {
    grid,
    /** Returns whether it looked at the store. @param {number} clock */
    paint(clock) {
      if (clock - agedAt < agingPause(ctx)) return false;
      agedAt = clock;
      grid.refresh(ctx.model, ctx.now());
      return true;
    },
  };
}

/**
 * The grid of a large slot of presenter mode: how wide the names beside it are, and what it has room for.
 * @param {{w: number, h: number, pad: number}} slot
 * @returns {{names: number, options: Omit<import('./cells.js').GridOptions, 'words'>}}
 */
export function hallGrid({ w, h, pad }) {
  const room = w - 2 * pad;
  const lowest = 19;
  const names = room > 150 ? Math.min(100, room * 0.4) : 0;
  const named = names ? Math.floor((h - 30) / lowest) : 0;
  return { names, options: { w: room - names, h: h - 30, sizes: sizesFrom(26, 5), named, lowest: named ? lowest : 0 } };
}
