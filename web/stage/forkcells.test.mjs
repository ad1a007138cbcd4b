import assert from 'node:assert/strict';
import test from 'node:test';
import { forkCells, keyOf } from './forkcells.js';
import { markOf } from './worldgrid.js';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { countApart } = await import('../kit/fork.js');

const stores = { map: '=~<>~', counts: [4, 4], only: [1, 1], other: 2, onlyKeys: [['a/here'], ['a/there']], otherKeys: ['a/x', 'a/y'] };

test('the stores of a fork are cells in the order of its map', () => {
  assert.deepEqual([...forkCells(stores).values()].map((c) => markOf(c.places)), ['same', 'older', 'missing', 'gone', 'older']);
  assert.deepEqual([0, 1, 2, 3, 4].map((i) => keyOf(stores, i)), ['', 'a/x', 'a/here', 'a/there', 'a/y']);
  assert.equal(countApart(stores), 4);
});
