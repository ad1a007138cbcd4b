// Where the rows of the stage stand, and that none lies over another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrange, choose, Rows } from './rows.js';

const demand = (rows) => (id) => ({ bars: rows.find((r) => r.id === id).highest, folded: false });

const box = { y: 134, h: 466, gap: 9 };
const row = (id, station, more = {}) => ({ id, station, lane: 0, waiting: 0, highest: 0, oldestMillis: null, spans: [], ...more });
const handler = (n, more = {}) => row(`0.handler.${n}`, 'handler', { listener: n, name: `h${n}`, ...more });
const stage = (handlers = 3, queue = 0) => [
  row('cluster', 'cluster'), row('0.reflector', 'reflector'), row('0.queue', 'queue', { waiting: queue, highest: queue }), row('0.indexer', 'indexer'),
  ...Array.from({ length: handlers }, (_, i) => handler(i + 1)), row('0.work', 'work', { listener: 1 }),
];

function holdApart(bands, at = box) {
  bands.forEach((b, i) => {
    assert.ok(b.h > 0 && b.foot === b.y + b.h, b.id);
    if (i) assert.ok(b.y >= bands[i - 1].foot, `${b.id} lies over ${bands[i - 1].id}`);
  });
  assert.ok(bands.at(-1).foot <= at.y + at.h + 0.001, 'the last row ends below the box');
}

test('the work queue stands under the handler that feeds it', () => {
  assert.deepEqual(choose(stage(), box, new Set()).map((r) => r.id).slice(4), ['0.handler.2', '0.handler.3', '0.handler.1', '0.work']);
});

test('nothing overlaps, with 1 to 30 handlers and any pile', () => {
  for (const handlers of [1, 3, 10, 30]) {
    for (const queue of [0, 2, 29, 1000, 100000]) holdApart(new Rows().place(stage(handlers, queue), box, 0, demand(stage(handlers, queue))));
  }
});

test('many handlers fold into one row, but the one that feeds and those that stay', () => {
  const rows = stage(30);
  const rest = choose(rows, box, new Set()).find((r) => r.station === 'fold');
  const shown = choose(rows, box, new Set()).filter((r) => r.station === 'handler');
  assert.equal(rest.folded.length + shown.length, 30);
  assert.ok(shown.some((r) => r.listener === 1));
  const kept = choose(rows, box, new Set(['0.handler.30'])).filter((r) => r.station === 'handler');
  assert.ok(kept.some((r) => r.listener === 30));
});

test('the handler that a step names does not fold', () => {
  const low = { ...box, h: 300, named: 'h3' };
  assert.deepEqual(choose(stage(), low, new Set()).map((r) => r.id).slice(4), ['0.handler.3', '0.fold', '0.work']);
  assert.deepEqual(choose(stage(), { ...low, named: '' }, new Set()).map((r) => r.id).slice(4), ['0.fold', '0.handler.1', '0.work']);
});

test('a row opens in 300 ms, and shuts after 10 s at the earliest', () => {
  const rows = new Rows();
  const heightAt = (queue, clock) => rows.place(stage(3, queue), box, clock, demand(stage(3, queue))).find((b) => b.id === '0.queue').h;
  const shut = heightAt(0, 0);
  assert.equal(heightAt(29, 1000), shut);
  assert.ok(heightAt(29, 1150) > shut && rows.moves);
  const open = heightAt(29, 1300);
  assert.ok(open > shut + 60 && !rows.moves);
  assert.equal(heightAt(30, 2000), open, 'it does not grow with each change');
  assert.equal(heightAt(0, 9000), open);
  heightAt(0, 12100);
  assert.equal(heightAt(0, 12500), shut);
});

test('while rows move, none lies over another', () => {
  const rows = new Rows();
  rows.place(stage(3, 0), box, 0, demand(stage(3, 0)));
  const full = stage(3, 900).map((r) => (r.id === '0.work' ? { ...r, highest: 300 } : r));
  for (let clock = 100; clock < 500; clock += 16) holdApart(rows.place(full, box, clock, demand(full)));
});

test('each of two informers is a band with a heading, its handlers in one row', () => {
  const lane = (i) => stage(3, 9).slice(1).map((r) => ({ ...r, lane: i, id: r.id.replace(/^0/, i) }));
  const two = choose([row('cluster', 'cluster'), ...lane(0), ...lane(1)], box, new Set());
  assert.deepEqual(two.map((r) => r.id), ['cluster', '0.reflector', '0.queue', '0.indexer', '0.fold', '1.queue', '1.indexer', '1.fold']);
  holdApart(arrange(two, box, new Map()));
});

test('a thin row is a line, whatever waits in it, and thin handlers are one', () => {
  const thin = (r) => r.station !== 'queue';
  const rows = stage(5, 40);
  rows.find((r) => r.id === '0.handler.2').highest = 500;
  const all = rows.find((r) => r.id === '0.handler.2');
  const bands = new Rows().place(rows, { ...box, thin }, 0, (id) => demand(rows)(rows.some((r) => r.id === id) ? id : all.id));
  assert.deepEqual(bands.map((b) => b.station), ['cluster', 'reflector', 'queue', 'indexer', 'fold', 'work']);
  assert.ok(bands.find((b) => b.station === 'fold').whole);
  const queue = bands.find((b) => b.station === 'queue');
  for (const b of bands) assert.ok(b === queue || (b.thin && b.h < 40 && queue.h > 3 * b.h), b.id);
  holdApart(bands);
});

test('the Reflector has height for what waits before the queue, and more for words', () => {
  const height = (more) => {
    const rows = stage().map((r) => (r.station === 'reflector' ? { ...r, ...more } : r));
    const bands = new Rows().place(rows, box, 0, demand(rows));
    holdApart(bands);
    return bands.find((b) => b.station === 'reflector').h;
  };
  assert.ok(height({ highest: 29 }) > height({}) + 60);
  assert.ok(height({ spans: [{ kind: 'gap', fromMillis: 0, toMillis: null }] }) > height({}) + 10);
});
