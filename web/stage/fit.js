// @ts-check
// How large a number at the rail is, and where its words stand, so that all keep within their room.

/** How many characters a number has at most that is written large. */
const longest = 4;

/** @typedef {{long: boolean, unit: [number, number], under: [number, number]}} Fit */

/**
 * Where the unit of a number and what is under that stand: beside the number. Where there is no room the number is smaller, and then what is under the unit
 * stands under the number, and at last the unit alone.
 * @param {string} number @param {number} unit how wide it is @param {number} under the same @param {number} room
 * @param {(words: string, font: string) => number} width @returns {Fit}
 */
export function fit(number, unit, under, room, width) {
  const large = width(number, '700 30px') + 8;
  const small = width(number, '700 20px') + 8;
  const both = Math.max(unit, under);
  if (number.length <= longest && large + both <= room) return { long: false, unit: [large, -8], under: [large, 8] };
  if (small + both <= room) return { long: true, unit: [small, -8], under: [small, 8] };
  return small + unit <= room ? { long: true, unit: [small, 5], under: [0, 21] } : { long: true, unit: [0, 21], under: [0, 36] };
}
