// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeLabels } from './lettering.js';
import { writeLetters } from './letters.js';
import { Pen } from './pen.js';

/** @typedef {import('../wire/types.js').Span} Span */
/** @typedef {import('./lettering.js').Box} Box */

/**
 * The letters of a row whose bars stand on 82 and whose ticks stand on 100. A ms is a pixel, a letter 8 wide and a bar 8 high. Three changes pass at 200.
 * @param {Span[]} spans @param {{ticks?: number, marks?: Box[]}} [o]
 */
function written(spans, { ticks = 15, marks = [] } = {}) {
  const scene = { colour: { t1: 't1' }, k: 1, right: 500, now: 500, step: 10, dpr: 1, xOf: (/** @type {number} */ ms) => ms };
  const pen = new Pen(/** @type {any} */ ({}), /** @type {any} */ (scene));
  pen.moveTo(/** @type {any} */ ({ spans, columns: new Map([[20, [20, [2, 3], [], -1, []]]]) }), { id: 'row', y: 20, h: 80 });
  pen.marks.push(...marks);
  writeLetters(pen, [{ from: 0, to: 49, highest: 3, live: true, unit: 8, folded: false, tops: [] }], ticks);
  assert.ok(pen.labels.every(({ colour, weight, size }) => colour === 't1' && weight === 600 && size === 12));
  return placeLabels(pen.labels, pen.marks, [0, 0, 500, 100], (words) => words.length * 8).map(({ words, x, y }) => [words, x, y]);
}
/** @param {string} words @param {number} fromMillis @param {number} n @returns {Span} */
const bar = (words, fromMillis, n) => ({ kind: 'letter', words, fromMillis, toMillis: null, n });
/** @param {string} words @param {number} at @returns {Span} */
const tick = (words, at) => ({ kind: 'letter', words, fromMillis: at, toMillis: at });
/** What waits from 200 to now: so many bars. @param {number} n @returns {Box} */
const pile = (n) => [200, 82 - 8 * n, 500, 82];

test('a letter stands left of its bar, not lower than its foot', () => {
  assert.deepEqual(written([bar('A', 200, 0)], { marks: [pile(1)] }), [['A', 188, 79]]);
  assert.deepEqual(written([bar('A', 200, 2)], { marks: [pile(3)] }), [['A', 188, 63]]);
});

test('letters that would lie on each other stand side by side, the lowest first', () => {
  assert.deepEqual(written([bar('A', 200, 0), bar('B', 200, 1), bar('A', 206, 2)], { marks: [pile(3)] }), [['A B A', 156, 74]]);
});

test('each bar of one object has a letter', () => {
  assert.deepEqual(written([bar('A', 200, 0), bar('A', 300, 1)], { marks: [pile(1), [300, 66, 500, 74]] }), [['A', 188, 79], ['A', 288, 71]]);
});

test('where a bar has no room at its left, its letter stands over it', () => {
  assert.deepEqual(written([bar('A', -50, 0)], { marks: [[0, 74, 500, 82]] }), [['A', 2, 71]], 'it began before the window');
  assert.deepEqual(written([bar('A', 200, 0)], { marks: [pile(1), [150, 60, 200, 82]] }), [['A', 202, 71]]);
});

test('over a call the letter of its tick stands higher, and left of it where something waits for it', () => {
  const call = /** @type {Box} */ ([200, 85, 400, 99]);
  assert.deepEqual(written([tick('A', 200)], { marks: [call] }), [['A', 196, 82]]);
  assert.deepEqual(written([tick('A', 200), bar('A', 200, 0), bar('B', 200, 1)], { marks: [call, pile(2)] }), [['A B', 172, 78], ['A', 188, 97]]);
});

test('over ticks letters stand in the order in which the objects passed', () => {
  assert.deepEqual(written([tick('A', 200), tick('A', 200), tick('B', 200.5)]), [['A A B', 196, 87]]);
  assert.deepEqual(written([tick('A', 200)], { ticks: 0 }), [], 'where none is drawn there is none');
});

test('what has no room is left out', () => {
  assert.deepEqual(written([bar('A', 200, 0)], { marks: [[0, 0, 500, 100]] }), []);
  assert.deepEqual(written(Array.from({ length: 9 }, (_, i) => bar('A', 200, i))), [], 'so are more than can be read');
});
