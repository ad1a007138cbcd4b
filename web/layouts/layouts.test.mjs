import assert from 'node:assert/strict';
import test from 'node:test';
import { rowAt, shapes } from './factory.js';
import * as lanes from './lanes.js';
import * as pair from './pair.js';

const size = { num: 26, p35: 34.6, p27: 26.6, n16: 16 };

test('the rows of a factory share the height, and their words stay in them', () => {
  for (const [name, shape] of Object.entries(shapes)) {
    for (let n = 1; n <= 20; n++) {
      const rows = Array.from({ length: n }, (_, i) => rowAt(shape, i, n));
      assert.equal(rows[0].y, shape.rows.top);
      const last = rows[n - 1];
      assert.ok(Math.abs(last.y + last.h - shape.rows.bottom) < 1e-6, `${name}, ${n} rows end at ${last.y + last.h}`);
      for (const { y, h, base, rail, type } of rows) {
        // Figures are about 0.73 of their size above the line.
        const high = base - 0.73 * size[type.number];
        assert.ok(n > 14 || high >= y, `${name}, ${n} rows: a number begins ${y - high} above its row`);
        assert.ok(rail > y && rail < y + h, `${name}, ${n} rows: the rail is at ${rail - y} of ${h}`);
      }
    }
  }
});

test('two or three rows have the type of presenter mode', () => {
  for (const shape of [shapes.wide, shapes.four]) {
    for (const n of [2, 3]) assert.equal(rowAt(shape, 0, n).type.title, 'p21');
    assert.equal(rowAt(shape, 0, 4).type.title, 'ti');
    assert.equal(rowAt(shape, 0, 6).type.title, 't14');
  }
});

test('two releases fill a screen of 4:3, the more so while nothing is compared', () => {
  for (const [alone, least] of [[false, 13.3], [true, 16]]) {
    const o = lanes.shapeFor(true, true, alone);
    assert.equal(o.w / o.h, 4 / 3);
    assert.ok((12 * 1024) / o.w >= least, `the smallest type has ${(12 * 1024) / o.w} pixels of 1024`);
    assert.ok(o.listeners.x + o.listeners.w >= o.w - 24, `the right ${o.w - o.listeners.x - o.listeners.w} of ${o.w} are empty`);
    assert.ok(o.foot < (545 / 768) * o.h, `the caption begins above ${o.foot} of ${o.h}`);
    assert.ok(o.rails[0] + o.drop + o.panel < o.rails[1] - 44, 'the panels of the first release reach into the words of the second');
  }
  assert.ok(lanes.shapeFor(true, true, true).listeners.w < 100);
});

test("the phone's two releases lie at either side, and grow with the changes", () => {
  const of = (changes) => pair.arrange({ w: 390, open: 'listeners', large: false, listener: 1, changes });
  assert.ok(of(6).h > of(2).h);
  const { slots, lanes: points } = of(3);
  const [left, right] = [0, 1].map((lane) => slots.find((b) => b.id === 'queue' && b.density === 'half' && b.lane === lane));
  assert.ok(left.x + left.w < right.x);
  assert.equal(left.x, 390 - right.x - right.w);
  assert.deepEqual(points.map((p) => p['listeners.fan']({ l: 2 })), [null, null]);
});
