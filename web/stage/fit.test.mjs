// That a number at the rail and its words keep within their room.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fit } from './fit.js';

/** @param {string} words @param {string} font */
const width = (words, font) => words.length * (font.includes('30') ? 17 : 11);

test('a number is smaller where there is no room, and its words go under it', () => {
  const end = (/** @type {import('./fit.js').Fit} */ { unit, under }) => Math.max(unit[0] + 60, under[0] + 80);
  assert.deepEqual(fit('317', 60, 80, 160, width), { long: false, unit: [width('317', '700 30px') + 8, -8], under: [width('317', '700 30px') + 8, 8] });
  for (const [number, room] of /** @type {[string, number][]} */ ([['317', 160], ['317', 130], ['317', 110], ['14,081', 170], ['14,081', 100]])) {
    assert.ok(end(fit(number, 60, 80, room, width)) <= room, `${number} in ${room}`);
  }
  assert.ok(fit('14,081', 60, 80, 900, width).long);
});
