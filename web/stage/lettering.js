// @ts-check
// Where words stand in the past: beside or over what they name, never on a line, a mark or another word, and never before their time.

/** A box, by its left, top, right and bottom. @typedef {[number, number, number, number]} Box */

/**
 * A place for words: their left end and the line that they stand on; where they must end, if that is before the past does. Those `inside` stand
 * on their own mark; a `ground` covers what is under them. Words that have their time in them may be `before` it: then x is their right end.
 * @typedef {{x: number, y: number, end?: number, inside?: boolean, ground?: boolean, before?: boolean}} Place
 *
 * Words: the same in several lengths, the longest first, and places for them, the best first. `first` ones choose before others.
 * @typedef {{words: string[], places: Place[], size: number, weight?: number, colour: string, first?: boolean}} Label
 *
 * @typedef {{words: string, x: number, y: number, size: number, weight: number, colour: string, inside: boolean, ground?: boolean}} Placed
 */

/** @param {Box} a @param {Box} b */
const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Where words begin. @param {Place} place @param {number} wide */
const leftOf = ({ x, before }, wide) => (before ? x - wide : x);

/**
 * Places words. Those that find no place are left out: what they say is also in the row's numbers.
 * @param {Label[]} labels
 * @param {Box[]} marks what words must not lie on
 * @param {Box} bounds
 * @param {(words: string, size: number, weight: number) => number} measure
 * @returns {Placed[]}
 */
export function placeLabels(labels, marks, bounds, measure) {
  /** @type {Box[]} */
  const taken = [];
  /** @type {Placed[]} */
  const out = [];
  for (const label of [...labels].sort((a, b) => Number(b.first ?? false) - Number(a.first ?? false))) {
    const { size, weight = 400, colour } = label;
    const found = findPlace(label, (words, place) => {
      const { y, end = bounds[2], inside = false } = place;
      const wide = measure(words, size, weight);
      const x = leftOf(place, wide);
      /** @type {Box} */
      const box = [x - 2, y - size * 0.8, x + wide + 2, y + size * 0.24];
      if (box[0] < bounds[0] - 2 || box[2] > Math.min(end, bounds[2]) || box[1] < bounds[1] || box[3] > bounds[3]) return false;
      if (taken.some((other) => meet(box, other)) || (!inside && marks.some((mark) => meet(box, mark)))) return false;
      taken.push(box);
      return true;
    });
    if (!found) continue;
    const { words, place } = found;
    out.push({ words, x: leftOf(place, measure(words, size, weight)), y: place.y, size, weight, colour, inside: place.inside ?? false, ground: place.ground });
  }
  return out;
}

/** @param {Label} label @param {(words: string, place: Place) => boolean} suits */
function findPlace({ words: lengths, places }, suits) {
  for (const words of lengths) {
    const place = places.find((p) => suits(words, p));
    if (place) return { words, place };
  }
  return null;
}
