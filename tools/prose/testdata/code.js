// Comments for the rules.

// <!-- finds Plain.Terms -->

// - Two eras run side by side.
one(); // - A pin is on the queue.

/** - Two eras run in a block. */

/**
 * A block begins.
 * - Two eras run in a line of it.
 * @param {{eras: {era: number}}} eras
 *   - Two eras run behind a tag.
 */

// <!-- finds nothing -->

two('// - Two eras run in a string.', `${a}// - Two eras`, /[/]\/- Two eras/);

/**
 * - Short.
 * @param {{eras: {era: number}}} eras - the first of these parameters has a name that is a word which no rule may find, in many words
 * @param {Map<string, {era: number}>} era - the second has one too, and no sentence goes on over the tag that stands between them
 * @returns {Map<string,
 *   {era: number}>} - what is left
 */
