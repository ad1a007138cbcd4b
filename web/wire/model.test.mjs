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

test('the worlds have the objects of the cluster and of the store', () => {
  const model = new Model();
  const frame = (/** @type {any} */ cells, jump = false) => model.apply(/** @type {any} */ ({ view: { head: 1 }, jump, lanes: [{ cells }] }), 0);
  const row = (/** @type {number} */ slot, /** @type {number} */ where) => [slot, `a/${slot}`, 5, where, 7];
  frame({ reset: true, set: [row(0, 3), row(1, 1), row(2, 2)], del: [] }, true);
  assert.deepEqual([...model.worlds.cells.keys()], [0, 1, 2]);
  assert.equal(model.worlds.fresh, true);
  model.worlds.fresh = false;
  model.worlds.touched.clear();
  frame({ reset: false, set: [row(0, 1), row(1, 3)], del: [2] });
  assert.deepEqual([...model.worlds.touched].sort(), [0, 1, 2]);
  assert.deepEqual([...model.worlds.cells].map(([slot, c]) => [slot, c.places, c.written]), [[0, 1, 7], [1, 3, 7]]);
  assert.equal(model.worlds.fresh, false);
});

test('of a factory the informer that shows has the State, whatever its lane', () => {
  const model = new Model();
  model.apply(/** @type {any} */ ({ view: { head: 1 }, lanes: [{ state: { synced: true } }] }), 0);
  assert.equal(model.lane(3).state, model.lane(0).state);
});
