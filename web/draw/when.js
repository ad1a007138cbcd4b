// @ts-check
// Draws only what changed.
import { language } from '../kit/i18n.js';

/** @typedef {import('../wire/page-types.js').Lane} Lane */

/**
 * A painter that paints only when one of its arguments behind the lane differs from the last time, or the language. State and facts are replaced
 * whole where they changed, so comparing references is enough. A painter that returns false has not finished and is called again.
 * @template {unknown[]} T
 * @param {(lane: Lane, ...given: T) => void | boolean} paint
 * @returns {(lane: Lane, ...given: T) => void}
 */
export function whenChanged(paint) {
  /** @type {T | null} */
  let last = null;
  let words = '';
  return (lane, ...given) => {
    if (last && words === language() && given.every((value, i) => value === last?.[i])) return;
    words = language();
    last = paint(lane, ...given) === false ? null : given;
  };
}
