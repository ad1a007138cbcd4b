// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeLabels } from './lettering.js';

/** Letters are 6 wide. @param {string} words */
const measure = (words) => words.length * 6;
/** @type {import('./lettering.js').Box} */
const bounds = [0, 0, 500, 200];
/** @param {string | string[]} words @param {import('./lettering.js').Place[]} places @param {boolean} [first] */
const label = (words, places, first) => ({ words: [words].flat(), places, size: 12, colour: '', first });
/** @param {import('./lettering.js').Label[]} labels @param {import('./lettering.js').Box[]} [marks] */
const place = (labels, marks = []) => placeLabels(labels, marks, bounds, measure).map((p) => [p.words, p.x, p.y]);

test('words stand at their best place', () => {
  assert.deepEqual(place([label('one', [{ x: 10, y: 50 }, { x: 90, y: 50 }])]), [['one', 10, 50]]);
});

test('words do not lie on a mark or on other words', () => {
  const at = [{ x: 10, y: 50 }, { x: 90, y: 50 }];
  assert.deepEqual(place([label('one', at)], [[0, 44, 40, 46]]), [['one', 90, 50]]);
  assert.deepEqual(place([label('one', at), label('two', at), label('six', at)]), [['one', 10, 50], ['two', 90, 50]], 'the third has no place');
});

test('those that come first choose first', () => {
  const at = [{ x: 10, y: 50 }];
  assert.deepEqual(place([label('one', at), label('two', at, true)]), [['two', 10, 50]]);
});

test('words that do not fit before the rail are said shorter, and else not at all', () => {
  assert.deepEqual(place([label(['no watch for 1.3 s', 'no watch'], [{ x: 440, y: 50 }])]), [['no watch', 440, 50]]);
  assert.deepEqual(place([label(['no watch for 1.3 s', 'no watch'], [{ x: 480, y: 50 }])]), []);
  assert.deepEqual(place([label('held for 4.2 s', [{ x: 10, y: 50, end: 60, inside: true }])], [[0, 0, 60, 60]]), [], 'nor beyond their own mark');
});

test('words that have their time in them may stand before it', () => {
  const at = [{ x: 470, y: 50 }, { x: 460, y: 50, before: true }];
  assert.deepEqual(place([label('+1.58 ms', at)]), [['+1.58 ms', 412, 50]]);
});

test('words inside their own mark may lie on it', () => {
  assert.deepEqual(place([label('held', [{ x: 10, y: 50, end: 60, inside: true }])], [[0, 0, 60, 60]]), [['held', 10, 50]]);
});

test('no two words ever meet, and none leaves the picture', () => {
  let seed = 7;
  const random = (/** @type {number} */ n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < 50; round++) {
    const labels = Array.from({ length: 40 }, (_, i) => label('w'.repeat(1 + random(20)), [{ x: random(500), y: random(200) }, { x: random(500), y: random(200) }], i % 3 === 0));
    const marks = Array.from({ length: 10 }, () => /** @type {import('./lettering.js').Box} */ (((x, y) => [x, y, x + random(60), y + random(20)])(random(500), random(200))));
    const boxes = placeLabels(labels, marks, bounds, measure).map((p) => [p.x, p.y - p.size * 0.8, p.x + measure(p.words), p.y + p.size * 0.24]);
    const meet = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    boxes.forEach((a, i) => {
      assert.ok(a[0] >= 0 && a[2] <= 500 && a[1] >= 0 && a[3] <= 200);
      assert.ok(!boxes.slice(i + 1).some((b) => meet(a, b)) && !marks.some((b) => meet(a, b)));
    });
  }
});
