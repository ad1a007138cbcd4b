// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';
import { Model } from './model.js';

test('the moment shown runs on between frames, but never beyond the end of what is played', () => {
  const model = new Model();
  model.apply(/** @type {any} */ ({ view: { mode: 'playing', speed: 4, head: 9, headMillis: 3000, atMillis: 2500 }, lanes: [] }), 1000);
  assert.equal(model.momentAt(1100), 2900);
  assert.equal(model.momentAt(9000), 3000);
  // Who plays a live log is stopped by its newest event; the present runs on.
  model.apply(/** @type {any} */ ({ view: { mode: 'live', headMillis: 3000, atMillis: 3000 }, lanes: [] }), 1000);
  assert.equal(model.momentAt(2000), 4000);
  model.state.source.kind = 'file';
  assert.equal(model.momentAt(2000), 3000);
});
