// @ts-check
// Drawing what changed, and nothing else.

/**
 * A painter that paints when one of what it is given is another than the last time. State and facts come whole where they changed, so
 * it is enough to hold them side by side. A painter that returns false has not finished and is asked again.
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
