import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { dotsOf, gridOf, rowsOf } = await import('./crowd.js');

test('the dots of all states are the crowd', () => {
  for (const clients of [1, 10, 999, 1000, 1001, 2500, 10000]) {
    for (const listing of [0, 1, 10]) {
      const retrying = Math.floor((clients - listing) / 3);
      const waiting = Math.floor((clients - listing) / 7);
      const watching = clients - listing - retrying - waiting;
      if (watching < 0) continue;
      const { per, dots } = dotsOf({ clients, listing, retrying, waiting, watching });
      const sum = dots.reduce((a, b) => a + b);
      assert.equal(sum, Math.round(clients / per));
      assert.ok(sum <= 1000 && dots.every((n) => n >= 0));
      if (clients <= 1000) assert.deepEqual(dots, [listing, retrying, waiting, watching]);
    }
  }
});

test('a thousand dots fit into each panel', () => {
  for (const [w, h] of [[90, 104], [324, 252], [220, 250], [240, 100], [314, 52]]) {
    const { pitch, columns } = gridOf({ x: 0, y: 0, w, h }, 1000);
    assert.ok(Math.ceil(1000 / columns) * pitch <= h && columns * pitch <= w, `${w} × ${h}: ${pitch}`);
  }
});

test('a stretch of dots has a line for each row', () => {
  const grid = { pitch: 4, columns: 5 };
  assert.equal(rowsOf({ x: 10, y: 20, w: 0, h: 0 }, grid, 3, 4, 2), 'M22 21h6M10 25h6');
  assert.equal(rowsOf({ x: 10, y: 20, w: 0, h: 0 }, grid, 3, 0, 2), '');
});
