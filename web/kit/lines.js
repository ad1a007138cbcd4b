// @ts-check
// Lines that are drawn again and again while a person reads them. A line that did not change keeps its node, and with it what is selected in it.

/** @typedef {{id: string, make: () => HTMLElement}} Line a line; two with the same id look the same */

/** @type {WeakMap<Element, string>} */
const ids = new WeakMap();

/** Shows these lines in an element, which has no other children. @param {Element} el @param {Line[]} lines */
export function drawLines(el, lines) {
  const nodes = [...el.children];
  const kept = pairLines(nodes.map((node) => ids.get(node) ?? ''), lines.map((line) => line.id));
  let at = 0;
  lines.forEach((line, i) => {
    if (kept[i] >= 0) {
      while (at < kept[i]) nodes[at++].remove();
      at++;
      return;
    }
    const node = line.make();
    ids.set(node, line.id);
    el.insertBefore(node, nodes[at] ?? null);
  });
  while (at < nodes.length) nodes[at++].remove();
}

/** How many lines may come or go; with more, all are made again. */
const most = 800;

/**
 * For each new line the place of the old one that it is, or -1. Both keep their order, and as many lines stay as can. This is the greedy algorithm
 * of Myers's "An O(ND) Difference Algorithm".
 * @param {string[]} old
 * @param {string[]} next
 * @returns {number[]}
 */
export function pairLines(old, next) {
  const kept = next.map(() => -1);
  const far = new Int32Array(2 * most + 3);
  const mid = most + 1;
  /** @type {Int32Array[]} */
  const steps = [];
  for (let d = 0; d <= Math.min(most, old.length + next.length); d++) {
    steps.push(far.slice(mid - d, mid + d + 1));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k < d && far[mid + k - 1] < far[mid + k + 1]) ? far[mid + k + 1] : far[mid + k - 1] + 1;
      while (x < old.length && x - k < next.length && old[x] === next[x - k]) x++;
      far[mid + k] = x;
      if (x >= old.length && x - k >= next.length) {
        walkBack(steps, old.length, next.length, kept);
        return kept;
      }
    }
  }
  return kept;
}

/** Goes from the ends of both back to their beginnings. @param {Int32Array[]} steps @param {number} x @param {number} y @param {number[]} kept */
function walkBack(steps, x, y, kept) {
  for (let d = steps.length - 1; d >= 0; d--) {
    const k = x - y;
    const reach = (/** @type {number} */ at) => steps[d][at + d] ?? 0;
    const from = d === 0 ? 0 : k === -d || (k < d && reach(k - 1) < reach(k + 1)) ? k + 1 : k - 1;
    const before = d === 0 ? 0 : reach(from);
    while (x > before && y > before - from) kept[--y] = --x;
    x = before;
    y = before - from;
  }
}
