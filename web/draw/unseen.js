// @ts-check
// What cannot be seen of an informer that is watched from outside: a hatch in its place, with the reason.
import { s, show } from '../dom.js';

/** @typedef {import('../types.js').State} State */

/** Why a member of the State is not seen; empty where it is. @param {State} state @param {string} member its path */
export function unseen(state, member) {
  const is = state.fidelity?.[member];
  return is?.how === 'unseen' ? is.why || ' ' : '';
}

/**
 * A hatch that tells its reason to who points at it, or reads it aloud.
 * @param {SVGElement} parent
 * @param {{x: number, y: number, w: number, h: number}} box
 */
export function hatch(parent, box) {
  const title = s('title');
  const g = s('g', { role: 'img' }, title, s('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 3, class: 'hatch' }));
  parent.append(g);
  return {
    /** @param {string} why nothing where it is seen */
    set(why) {
      show(g, !!why);
      if (title.textContent !== why) title.textContent = why;
    },
  };
}
