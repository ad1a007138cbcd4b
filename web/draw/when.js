// @ts-check
// Draws only what changed.

/**
 * A painter that paints only when one of its arguments differs from the last time. State and facts are replaced whole where they changed,
 * so comparing references is enough. A painter that returns false has not finished and is called again.
 * @template {unknown[]} T
 * @param {(...given: T) => void | boolean} paint
 * @returns {(...given: T) => void}
 */
export function when(paint) {
  /** @type {T | null} */
  let last = null;
  return (...given) => {
    if (last && given.every((value, i) => value === last?.[i])) return;
    last = paint(...given) === false ? null : given;
  };
}
