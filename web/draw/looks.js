// @ts-check
// What the colour of a cell says: how fresh an object is, the phase it is in, or whether it is looked for.
/** @typedef {import('../wire/page-types.js').Cell} Cell */
/**
 * The colour of a cell, by its name in the palette, and whether it is hollow where it is large enough.
 * @typedef {{colour: string, hollow: boolean}} Ink
 */
/**
 * `of` is the look of an object as a number; a cell that stands for several objects shows the highest. `inks` are what looks are
 * drawn with.
 * @typedef {{of: (cell: Cell, now: number) => number, inks: Ink[]}} Looks
 */

/** @param {string} colour @param {boolean} [hollow] @returns {Ink} */
const ink = (colour, hollow = false) => ({ colour, hollow });

/** The step of an object that changed just now. */
export const freshest = 4;

/** How fresh objects are, and which of them a handler changed since they came. @param {import('../wire/model.js').Model} model @returns {Looks} */
export function byFreshness(model) {
  return {
    of: (cell, now) => (cell.mutated ? freshest + 1 : model.freshness(now - cell.at)),
    inks: [...Array.from({ length: freshest + 1 }, (_, step) => ink('h' + step)), ink('warn', true)],
  };
}

/**
 * Phases from the best to the worst: neutral while all is well, a hue for what is not. What is none of them is well.
 * @type {[string, Ink][]}
 */
const phases = [
  ['', ink('h2')],
  ['Succeeded', ink('h1')], ['Released', ink('h1')],
  ['Running', ink('h3')], ['Active', ink('h3')], ['Bound', ink('h3')], ['Available', ink('h3')],
  ['Terminating', ink('del', true)], ['Pending', ink('warn', true)],
  ['Lost', ink('err')], ['Unknown', ink('err', true)], ['Failed', ink('err')],
];

/** @type {Map<string, number>} */
const rank = new Map(phases.map(([name], i) => [name, i]));

/** The phases objects are in. @type {Looks} */
export const byPhase = {
  of: (cell) => rank.get(cell.phase) ?? 0,
  inks: phases.map(([, of]) => of),
};

/** What a phase is drawn with. @param {string} phase */
export function phaseInk(phase) {
  return byPhase.inks[rank.get(phase) ?? 0];
}

/** Objects with a word in their key are bright, all others dim. @param {string} word in small letters @returns {Looks} */
export function byWord(word) {
  return { of: (cell) => Number(cell.key.toLowerCase().includes(word)), inks: [ink('line'), ink('t1')] };
}
