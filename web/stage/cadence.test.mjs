// How often the page draws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cadence } from './cadence.js';

/** Runs animation frames, and returns how many of them are drawn. */
function drawn(cadence, frames, { from = 0, lateness = 0, merged = 0 } = {}) {
  let n = 0;
  for (let i = 0; i < frames; i++) {
    const clock = (from + i) * 16;
    if (cadence.draws(clock, clock + lateness, merged)) n++;
  }
  return n;
}

test('each frame is drawn while the eye can follow', () => {
  assert.equal(drawn(new Cadence(2), 100), 100);
  assert.equal(drawn(new Cadence(8), 100, { lateness: 10 }), 100, 'late frames alone are no reason');
  assert.equal(drawn(new Cadence(8), 100, { merged: 10_000 }), 100, 'a flood alone is none on an idle machine');
});

test('every second frame is drawn in a flood, where the machine is small or busy', () => {
  assert.equal(drawn(new Cadence(2), 100, { merged: 10_000 }), 50);
  const busy = new Cadence(8);
  drawn(busy, 200, { lateness: 10 });
  assert.equal(drawn(busy, 100, { from: 200, lateness: 10, merged: 10_000 }), 50);
});

test('a flood is over at half of what began it', () => {
  const cadence = new Cadence(2);
  drawn(cadence, 10, { merged: 3001 });
  drawn(cadence, 10, { from: 10, merged: 1600 });
  assert.equal(cadence.half, true);
  drawn(cadence, 10, { from: 20, merged: 1400 });
  assert.equal(cadence.half, false);
});

test('a hidden tab forgets how late frames were', () => {
  const cadence = new Cadence(8);
  drawn(cadence, 200, { lateness: 10 });
  assert.ok(cadence.late > 0.5);
  cadence.draws(1e6, 1e6, 0);
  assert.equal(cadence.late, 0);
});
