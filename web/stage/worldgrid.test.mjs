// Where the cells of both maps are, and what they say.
import assert from 'node:assert/strict';
import test from 'node:test';
import { markOf, WorldGrid } from './worldgrid.js';

/** A grid of n objects in 340 × 115 pixels. @param {number} n */
function gridOf(n) {
  const cells = new Map(Array.from({ length: n }, (_, slot) => [slot, { slot, key: `a/${String(slot).padStart(5, '0')}`, places: 3, written: 0, at: 0 }]));
  const worlds = { cells, touched: new Set(), fresh: true };
  const grid = new WorldGrid();
  grid.resize(340, 115, 1);
  const take = (/** @type {number[]} */ ...slots) => {
    slots.forEach((slot) => worlds.touched.add(slot));
    const changed = grid.take(worlds);
    worlds.touched.clear();
    worlds.fresh = false;
    return changed;
  };
  assert.equal(take(), null);
  return { grid, cells, worlds, take };
}

test('cells shrink until all have room, and then stand for several', () => {
  for (const n of [0, 1, 10, 240, 3000, 10000, 100000]) {
    const { grid } = gridOf(n);
    assert.ok(grid.cols * grid.rows * grid.per >= n, `${n} objects have room`);
    assert.ok(grid.pitch >= 3, `${n} objects: a cell of ${grid.pitch} pixels can be seen`);
    assert.equal(grid.per > 1, n > 4294, `${n} objects: ${grid.per} in a square`);
    for (let i = 0; i < n; i += 97) {
      const [x, y] = grid.spot(i);
      assert.ok(x + grid.pitch <= 340 && y + grid.pitch <= 115, `object ${i} of ${n} lies in the map`);
      const at = grid.hit(x + 1, y + 1);
      assert.equal(Math.floor(at / grid.per), Math.floor(i / grid.per));
    }
  }
});

test('an object keeps its place while others come and go', () => {
  const { grid, cells, take } = gridOf(240);
  const before = grid.spot(grid.find('a/00100'));
  cells.delete(7);
  cells.set(240, { slot: 240, key: 'b', places: 1, written: 5, at: 0 });
  const changed = take(7, 240);
  assert.deepEqual(changed?.map(({ place, before }) => [place, before?.key ?? null]), [[7, 'a/00007'], [7, null]]);
  assert.equal(grid.find('b'), 7);
  assert.deepEqual(grid.spot(grid.find('a/00100')), before);
  cells.get(100).places = 7;
  assert.deepEqual(take(100)?.map(({ place }) => place), [100]);
});

test('an object keeps its place at another moment and in another size, unless most are others', () => {
  const { grid, cells, worlds, take } = gridOf(240);
  cells.delete(7);
  cells.set(240, { slot: 240, key: 'b', places: 1, written: 5, at: 0 });
  take(7, 240);
  // Another moment has the objects in other slots, one less and two more.
  const all = [...cells.values()].filter(({ key }) => key !== 'a/00100');
  all.push(...['c', 'd'].map((key) => ({ slot: 0, key, places: 1, written: 9, at: 0 })));
  worlds.cells = new Map(all.map((cell, i) => [500 + i, { ...cell, slot: 500 + i }]));
  worlds.fresh = true;
  grid.resize(300, 100, 1);
  assert.equal(grid.take(worlds), null);
  assert.deepEqual(['a/00006', 'b', 'a/00101', 'c', 'd'].map((key) => grid.find(key)), [6, 7, 101, 100, 240]);
  assert.equal(grid.placeOf.get(500 + all.findIndex(({ key }) => key === 'b')), 7);
  assert.equal(grid.hit(...grid.spot(101)), 101);
  worlds.cells = new Map(Array.from({ length: 9 }, (_, i) => [i, { slot: i, key: `e${8 - i}`, places: 3, written: 0, at: 0 }]));
  grid.take(worlds);
  assert.deepEqual(grid.cells.map((cell) => cell?.key), Array.from({ length: 9 }, (_, i) => `e${i}`));
});

test('places close up when many are empty', () => {
  const { grid, cells, take } = gridOf(240);
  const gone = Array.from({ length: 200 }, (_, i) => i);
  for (const slot of gone) cells.delete(slot);
  assert.equal(take(...gone), null);
  assert.equal(grid.cells.length, 40);
  assert.equal(grid.pitch, 28);
});

test('a place says how the maps differ', () => {
  const marks = { 1: 'missing', 2: 'gone', 3: 'same', 7: 'older', 9: 'unsent', 11: 'left', 19: 'same', 23: 'older' };
  for (const [places, mark] of Object.entries(marks)) assert.equal(markOf(Number(places)), mark, places);
});

test('the keyboard skips empty places', () => {
  const { grid, cells, take } = gridOf(30);
  cells.delete(4);
  take(4);
  assert.equal(grid.walk(3, 1), 5);
  assert.equal(grid.walk(5, -1), 3);
  assert.equal(grid.walk(-1, 0), 0);
  assert.equal(grid.walk(29, 1), 29);
});

test('a still has the cells of the page, in more pixels', () => {
  const grid = new WorldGrid();
  const cells = new Map(Array.from({ length: 240 }, (_, i) => [i, { slot: i, key: `k${String(i).padStart(3, '0')}`, places: 3, written: 0, at: 0 }]));
  grid.resize(339, 115, 1);
  grid.take({ cells, touched: [], fresh: true });
  const { pitch, cols } = grid;
  grid.resize(678, 231, 2, 2);
  grid.take({ cells, touched: [], fresh: true });
  assert.deepEqual([grid.pitch, grid.cols], [2 * pitch, cols]);
  grid.resize(339, 115, 1);
  grid.take({ cells, touched: [], fresh: true });
  assert.deepEqual([grid.pitch, grid.cols], [pitch, cols]);
});

test('few objects have room for their names, where the map is wide enough', () => {
  for (const [n, cols] of [[1, 1], [4, 1], [5, 2], [12, 3]]) {
    const { grid } = gridOf(n);
    assert.ok(grid.hasLabels);
    assert.equal(grid.cols, cols, `${n} objects`);
    assert.equal(grid.hit(grid.wide - 1, 1), 0, 'the name belongs to its cell');
  }
  assert.ok(!gridOf(13).grid.hasLabels);
  const { grid, cells, worlds, take } = gridOf(12);
  cells.set(12, { slot: 12, key: 'b', places: 3, written: 0, at: 0 });
  assert.equal(take(12), null, 'all are drawn again when they lose their names');
  assert.ok(!grid.hasLabels);
  grid.canLabel = false;
  worlds.fresh = true;
  for (let i = 2; i < 13; i++) cells.delete(i);
  take();
  assert.ok(!grid.hasLabels, 'the objects of two clusters have no one version');
  grid.resize(90, 115, 1);
  grid.canLabel = worlds.fresh = true;
  take();
  assert.ok(!grid.hasLabels, 'on a narrow map');
});
