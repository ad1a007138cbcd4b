// @ts-check
// Whether what something was made of is what it would be made of now.

/**
 * @param {readonly unknown[]} a
 * @param {readonly unknown[]} b
 */
export function same(a, b) {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
