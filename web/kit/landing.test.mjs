import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endPulses, landing, pulse } from './landing.js';

/** An element with only the classes that a pulse changes. */
function element() {
  const classes = new Set();
  return { classes, classList: { add: (c) => classes.add(c), remove: (c) => classes.delete(c) } };
}

test('a number pulses while a large chip lands, for half a second of the eye, and a clock that stands holds it', () => {
  const eye = { time: 1000, until: 0, keep: (millis) => (eye.until = eye.time + millis) };
  landing.eye = eye;
  landing.flies = () => false;
  const number = element();
  pulse(number);
  assert.equal(number.classes.size, 0, 'nothing lands');
  landing.flies = () => true;
  pulse(number);
  assert.deepEqual([...number.classes], ['landed']);
  assert.equal(eye.until, 1500, 'the clock goes on until the pulse has ended');
  endPulses();
  eye.time = 1499;
  endPulses();
  assert.equal(number.classes.size, 1);
  eye.time = 1500;
  endPulses();
  assert.equal(number.classes.size, 0);
});
