// Where the rings stand, and which stretches of the rail are dotted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStarved, ringAt, stretches } from './rail.js';

const band = (id, station, y, more = {}) => ({ id, station, lane: 0, level: { handler: 2, fold: 2, work: 3, cluster: 0 }[station] ?? 1, foot: y, ...more });
const bands = [
  band('cluster', 'cluster', 100), band('0.reflector', 'reflector', 150), band('0.queue', 'queue', 200), band('0.indexer', 'indexer', 250),
  band('a', 'handler', 300, { listener: 1 }), band('b', 'handler', 350, { listener: 2 }), band('0.work', 'work', 400, { listener: 2 }),
];
const free = { held: () => false, cut: false, silent: false };
const kinds = (stops) => stretches(bands, 723, [stops], 0).map((s) => s.cls.replace('now-rail', '').trim());

test('the fork stands right of the rail, and the work queue right of the fork', () => {
  assert.deepEqual([3, 4, 6].map((i) => ringAt(bands[i], 723, 0)[0]), [723, 741, 759]);
});

test('the rail is whole while all flows', () => {
  assert.deepEqual(new Set(kinds(free)), new Set(['', 'keys']));
});

test('it is dotted behind what is held, and broken without a watch', () => {
  const pop = { ...free, held: (stage) => stage === 'pop' };
  assert.equal(kinds(pop)[1], '');
  assert.equal(kinds(pop)[2], 'dry');
  assert.equal(kinds({ ...free, cut: true })[0], 'none');
  assert.ok(isStarved(bands[2], { ...free, cut: true }) && !isStarved(bands[2], pop) && isStarved(bands[5], pop));
});

test('a held handler starves its work queue alone', () => {
  const stops = { ...free, held: (stage, listener) => stage === 'deliver' && listener === 2 };
  assert.deepEqual(bands.filter((b) => isStarved(b, stops)).map((b) => b.id), ['0.work']);
});
