// How much time the past shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closer, usual, Wheel, windowOf } from './zoom.js';

test('from 1 ms to 10 minutes', () => {
  assert.equal(closer(usual, 100), 1);
  assert.equal(closer(usual, -100), 600e3);
  assert.equal(closer(usual, 1), 4000);
});

test('a wheel that turns in small pieces turns as far', () => {
  const wheel = new Wheel();
  assert.equal(Array.from({ length: 8 }, () => wheel.turn(-20)).reduce((a, b) => a + b, 0), 2);
  assert.equal(wheel.turn(30) + 0, 0);
});

test('a window is as short as what it shows lets it be', () => {
  assert.deepEqual([0, 0.4, 1.2, 3000, 700e3].map(windowOf), [1, 1, 2, 4000, 600e3]);
});
