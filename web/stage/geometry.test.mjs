// That the parts of the stage keep apart on every screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureStage } from './geometry.js';

test('on a page the past, the present, the maps and the panel keep apart', () => {
  for (const [w, h] of [[1280, 720], [1024, 768], [1280, 800], [1280, 960]]) {
    const g = measureStage(w, h);
    assert.ok(g.names <= g.past.x && g.past.x + g.past.w < g.x && g.x < g.edge && g.edge < g.worlds.x);
    assert.ok(g.rows.y >= g.past.y && g.rows.y + g.rows.h + 20 < g.past.y + g.past.h);
    assert.ok(g.worlds.y + g.worlds.h <= g.inside.y && g.inside.y + g.inside.h <= g.ground.y + g.ground.h && g.worlds.h > 300);
    assert.ok(g.worlds.x + g.worlds.w <= w - 16);
  }
});

test('on 1280 by 720 the parts are where the language of the stage has them', () => {
  const g = measureStage(1280, 720);
  assert.deepEqual([g.past.x, g.past.x + g.past.w, g.x, g.worlds.x, g.worlds.x + g.worlds.w, g.ground.y + g.ground.h], [176, 713, 723, 924, 1264, 638]);
});

test('on a phone the maps stand over the rows, and beside them where it lies', () => {
  for (const [w, h] of [[390, 585], [360, 480], [422, 330]]) {
    const aside = h < 400 ? { x: w + 16, y: 60, w: w - 32, h: 110 } : null;
    const g = measureStage(w, h, { phone: true, aside });
    assert.ok(g.worlds.beside && g.rows.y + g.rows.h + 20 <= h && g.rows.h > 120);
    if (aside) assert.deepEqual(g.worlds, { ...aside, beside: true });
    else assert.ok(g.worlds.w > 0 && g.worlds.y + g.worlds.h <= g.past.y);
  }
});

test('in presenter mode the maps have their room, and those of an open row stand side by side above its inside', () => {
  for (const [w, h] of [[853, 480], [853, 640]]) {
    const shut = measureStage(w, h, { presenting: true });
    const open = measureStage(w, h, { presenting: true, opened: true });
    assert.ok(!shut.worlds.beside && open.worlds.beside && open.worlds.y + open.worlds.h <= open.inside.y);
    assert.ok(shut.worlds.y + shut.worlds.h <= shut.ground.y + shut.ground.h && shut.rows.h > 300 && shut.edge < shut.worlds.x);
  }
});

test('a drawer lies below both maps, and a ride below all', () => {
  const g = measureStage(1280, 720, { drawer: true, ride: true });
  assert.ok(g.worlds.beside && g.drawer && g.worlds.y + g.worlds.h <= g.drawer.y && g.drawer.h > 150);
  assert.ok(g.drawer.y + g.drawer.h === g.ground.y + g.ground.h && g.ground.y + g.ground.h <= 720 - 158);
  assert.equal(measureStage(1280, 720).drawer, null);
});

test('a ride in presenter mode does not cover a row', () => {
  const { rows } = measureStage(853, 480, { presenting: true, opened: true, ride: true });
  assert.ok(rows.y + rows.h < 480 - 105, `the rows end at ${rows.y + rows.h}`);
  assert.ok(rows.h >= 6 * 34 + 5 * rows.gap, `six rows have ${rows.h}`);
});
