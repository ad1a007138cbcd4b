// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, lengthWords } from './axis.js';

const words = (/** @type {number} */ ms, room = 537) => axisOf(ms, room).labels.map((l) => l.words);

test('eight seconds have a line a second and a label every second one', () => {
  assert.deepEqual(words(8000), ['−2 s', '−4 s', '−6 s']);
  assert.deepEqual(axisOf(8000, 537).lines, [1000, 2000, 3000, 4000, 5000, 6000, 7000]);
});

test('a zoomed axis says milliseconds, a long one minutes', () => {
  assert.deepEqual(words(0.5), ['−0.1 ms', '−0.2 ms', '−0.3 ms', '−0.4 ms']);
  assert.deepEqual(words(1), ['−0.2 ms', '−0.4 ms', '−0.6 ms', '−0.8 ms']);
  assert.deepEqual(words(600e3), ['−2 min', '−4 min', '−6 min', '−8 min']);
});

test('each label says its moment, at every window from 1 ms to 10 min', () => {
  const unit = { ms: 1, s: 1000, min: 60_000 };
  for (let ms = 1; ms <= 600e3; ms *= 1.037) {
    const { labels, lines } = axisOf(ms, 537);
    assert.ok(labels.length >= 1 && labels.length <= 6, `${ms}: ${labels.length} labels`);
    assert.ok(lines.length < 35);
    for (const { before, words: w } of labels) {
      const m = /^−([\d.]+) (ms|s|min)$/.exec(w);
      assert.ok(m, w);
      const said = Number(m[1]) * unit[/** @type {'ms'} */ (m[2])];
      assert.ok(Math.abs(said - before) < before * 1e-6, `${w} is at ${before}`);
    }
  }
});

test('the length of a window', () => {
  assert.deepEqual([0.5, 1, 8000, 7341, 20e3, 120e3, 150e3, 600e3].map(lengthWords), ['0.5 ms', '1 ms', '8 s', '7.34 s', '20 s', '2 min', '2 min 30 s', '10 min']);
});
