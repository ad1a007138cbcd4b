// Where the cells of objects are, and which of them are drawn.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CellGrid } from './cells.js';
import { differences } from './frames.js';

const looks = { of: (cell) => cell.look ?? 0, inks: [{ colour: 'old' }, { colour: 'new' }] };

/** A grid of 100 × 40 units with a model that frames change, and the list of cells that it drew. */
function open({ sizes = [{ pitch: 10, size: 8, gap: 4 }], named = 0 } = {}) {
  const drawn = [];
  const surface = { begin: () => { drawn.length = 0; }, cell: (x, y, size, ink) => drawn.push([x, y, ink?.colour ?? '']), flush: () => {} };
  const words = { unnamed: () => '(none)', others: (n) => `${n} others` };
  const grid = new CellGrid(surface, { w: 100, h: 40, sizes, named, lowest: 0, words }, looks);
  const model = { cells: new Map(), groups: { list: [['', 0]] }, touched: [], goneCells: [], cellsReset: false, groupsChanged: true };
  return {
    grid, drawn, model,
    /** One frame: objects that come or change, and the keys of those that go. */
    frame(set, del = []) {
      drawn.length = 0;
      model.goneCells = del.map((key) => [...model.cells.values()].find((c) => c.key === key));
      for (const cell of model.goneCells) model.cells.delete(cell.slot);
      for (const cell of set) model.cells.set(cell.slot, Object.assign(model.cells.get(cell.slot) ?? {}, cell));
      model.touched = set.map((cell) => cell.slot);
      grid.take(model, 0);
      model.groupsChanged = false;
    },
    spot: (key) => grid.spot([...model.cells.values()].find((c) => c.key === key)),
  };
}

const objects = (n, group = 0, from = 0) => Array.from({ length: n }, (_, i) => ({ slot: from + i, key: `o${from + i}`, group, look: 0 }));

test('each object has a cell of its own, and is found there', () => {
  const g = open();
  g.frame(objects(25));
  const all = [...g.model.cells.values()];
  assert.equal(new Set(all.map((c) => g.spot(c.key).join())).size, 25);
  for (const c of all) {
    const [x, y] = g.spot(c.key);
    assert.equal(g.grid.hit(x + 4, y + 4), c);
  }
});

test('an object keeps its place when another one goes, and a new one takes the free place', () => {
  const g = open();
  g.frame(objects(12));
  const before = ['o0', 'o5', 'o11'].map(g.spot);
  const free = g.spot('o3');
  g.frame([], ['o3']);
  assert.deepEqual(['o0', 'o5', 'o11'].map(g.spot), before);
  assert.deepEqual(g.drawn, [[...free, '']], 'only the empty place is drawn');
  g.frame([{ slot: 12, key: 'o12', group: 0, look: 1 }]);
  assert.deepEqual(g.spot('o12'), free);
});

test('the cells of a smaller map have one gap between them, in pixels', () => {
  const g = open({ sizes: [{ pitch: 8, size: 7, gap: 2 }] });
  g.frame(objects(12));
  const [ratio, k] = [100 / 144, 1];
  const size = g.grid.sizeAt(ratio, k);
  const edges = Array.from({ length: 10 }, (_, i) => [8 * i * ratio * k, (8 * i * ratio + size) * k].map(Math.round));
  assert.deepEqual(new Set(edges.slice(1).map(([left], i) => left - edges[i][1])), new Set([1]));
});

test('only a cell that looks otherwise is drawn', () => {
  const g = open();
  g.frame(objects(12));
  g.frame([{ slot: 4, key: 'o4', group: 0, look: 0 }]);
  assert.deepEqual(g.drawn, []);
  g.frame([{ slot: 5, key: 'o5', group: 0, look: 1 }]);
  assert.deepEqual(g.drawn, [[...g.spot('o5'), 'new']]);
});

test('each group has a block, and the smallest share one where they are too many', () => {
  const g = open({ named: 2 });
  g.model.groups.list = [['a', 3], ['b', 9], ['c', 2]];
  g.frame([...objects(3, 0), ...objects(9, 1, 3), ...objects(2, 2, 12)]);
  assert.deepEqual(g.grid.blocks.map((b) => [b.name, b.cells.length]), [['b', 9], ['2 others', 5]]);
  assert.ok(g.spot('o3')[1] < g.spot('o0')[1], 'the blocks stand one below the other');
});

test('cells get smaller, and then stand for several objects, until all have room', () => {
  const sizes = [{ pitch: 10, size: 8, gap: 4 }, { pitch: 5, size: 4, gap: 2 }];
  const g = open({ sizes });
  g.frame(objects(40));
  assert.deepEqual([g.grid.pitch, g.grid.per], [10, 1]);
  g.frame(objects(60, 0, 40));
  assert.deepEqual([g.grid.pitch, g.grid.per], [5, 1]);
  g.frame(objects(400, 0, 100));
  assert.equal(g.grid.pitch, 5);
  assert.ok(g.grid.per > 1 && Math.ceil(500 / g.grid.per) <= 160, `${g.grid.per} objects in a cell`);
  g.frame([{ slot: 7, key: 'o7', group: 0, look: 1 }]);
  assert.ok(g.drawn.some(([, , colour]) => colour === 'new'), 'a cell shows the freshest of its objects');
});

test('a reset forgets every object', () => {
  const g = open();
  g.frame(objects(12));
  g.model.cells.clear();
  g.model.cellsReset = true;
  g.frame(objects(2, 0, 50));
  assert.equal(g.grid.byKey.size, 2);
  assert.equal(g.grid.hit(55, 5), null);
});

test('what differs is at its cell, and what is not stored stands behind the last one', () => {
  const g = open();
  g.frame(objects(12)); // ten in the first row, two in the second
  assert.equal(g.grid.end, 20);
  const at = differences(g.grid, [
    { op: 'Updated', key: 'o3' }, { op: 'Added', key: 'new' }, { op: 'Deleted', key: 'o11' }, { op: 'Deleted', key: 'unknown' }, { op: 'Updated', key: 'later' },
  ]);
  assert.deepEqual(at.map(({ kind, stored }) => [kind, stored]), [['upd', true], ['add', false], ['del', true], ['add', false]]);
  assert.deepEqual([at[0].x, at[0].y], g.spot('o3'));
  assert.deepEqual([at[2].x, at[2].y], g.spot('o11'));
  assert.deepEqual([at[1], at[3]].map(({ x, y }) => [x, y]), [[0, 30], [10, 30]]);
});
