// @ts-check
// Compares the inputs from which something was made with those of now.

/**
 * @param {readonly unknown[]} a
 * @param {readonly unknown[]} b
 */
export function areEqual(a, b) {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
