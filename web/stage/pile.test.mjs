// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bracketOf, drawPiles, heightOf, isFolded, pileAt, runsOf, unitOf, unseenRuns } from './pile.js';

/** @typedef {import('../wire/types.js').Column} Column */

/** @param {number} n @param {number[]} pile @returns {Column} */
const column = (n, pile, followed = -1, notches = /** @type {number[]} */ ([])) => [n, [], pile, followed, notches];

/** A row with these columns. @param {Column[]} columns @param {object} [more] */
const track = (columns, more) => /** @type {import('../wire/past.js').Track} */ (/** @type {unknown} */ ({
  id: '0.queue', waiting: 0, highest: 9, newest: columns.at(-1)?.[0] ?? 0, spans: [], came: new Set(), columns: new Map(columns.map((c) => [c[0], c])), ...more,
}));

/** A context that keeps the rectangles that are filled, cut out and cleared. */
function recording() {
  const ops = /** @type {(string | number)[][]} */ ([]);
  const cx = {
    fillStyle: '', globalAlpha: 1, globalCompositeOperation: 'source-over',
    /** @param {number[]} box */
    fillRect(...box) {
      ops.push([cx.globalCompositeOperation === 'source-over' ? cx.fillStyle : `out ${cx.globalAlpha}`, ...box]);
    },
    /** @param {number[]} box */
    clearRect(...box) {
      ops.push(['clear', ...box]);
    },
  };
  return { cx: /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (cx)), ops };
}

const look = { x: 0, wide: 2, foot: 100, unit: 8, least: 3, gap: 1, inks: ['key', 'add', 'upd'], accent: 'acc' };

test('a pile is its types from the foot up, with a line free above each bar', () => {
  const { cx, ops } = recording();
  drawPiles(cx, [column(1, [2, 2, 1, 1])], look);
  assert.deepEqual(ops, [['upd', 0, 84, 2, 16], ['add', 0, 76, 2, 8], ['out 1', 0, 92, 2, 1], ['out 1', 0, 84, 2, 1], ['out 1', 0, 76, 2, 1], ['out 1', 0, 68, 2, 1]]);
});

test('what is too thin for a bar of its own has an outline, and each line stands for some', () => {
  const { cx, ops } = recording();
  drawPiles(cx, [column(1, [2, 10]), column(2, [2, 20])], { ...look, unit: 1 });
  // The lines are 4 apart, as the measure is doubled until a bar can be seen.
  assert.deepEqual(ops.filter(([o]) => o === 'out 0.45').map(([, , y]) => y), [96, 92, 88, 84, 80, 76]);
  assert.deepEqual(ops.slice(-4), [['upd', 0, 90, 2, 1], ['upd', 0, 90, 1, 10], ['upd', 2, 80, 2, 1], ['upd', 2, 80, 1, 10]]);
});

test('the followed one has the accent, at its place', () => {
  const { cx, ops } = recording();
  drawPiles(cx, [column(1, [2, 3], 1)], look);
  assert.deepEqual(ops.at(-1), ['acc', 0, 85, 2, 7]);
});

test('a further change is a notch in its bar', () => {
  const { cx, ops } = recording();
  drawPiles(cx, [column(1, [0, 3], -1, [2])], look);
  assert.deepEqual(ops.at(-1), ['clear', 0, 76, 2, 8]);
  // The bar of four keys has it for each.
  drawPiles(cx, [column(1, [0, 10], -1, [5])], { ...look, unit: 1 });
  assert.deepEqual(ops.at(-1), ['clear', 0, 92, 2, 4]);
});

test('piles are columns without a break; the newest waits until now', () => {
  const row = track([column(1, [2, 4]), column(2, [2, 6]), column(5, [2, 1]), column(6, [2, 3])], { waiting: 3 });
  assert.deepEqual(runsOf(row, 0, 9).map((r) => [r.from, r.to, r.highest, r.live]), [[1, 2, 6, false], [5, 9, 3, true]]);
  assert.deepEqual(pileAt(row, 9), [2, 3]);
  assert.deepEqual(runsOf(row, 0, 20)[1].tops, [3, 3, 3], 'also those that are not known yet');
  row.waiting = 0;
  assert.deepEqual(runsOf(row, 2, 9).map((r) => [r.from, r.to, r.highest, r.live]), [[2, 2, 6, false], [5, 6, 3, false]]);
  assert.equal(pileAt(row, 9), undefined);
});

test('all piles have one measure, in steps that leave less than four tenths of the room empty', () => {
  assert.equal(unitOf([{ bars: 0, room: 100 }], 8), 8);
  assert.equal(unitOf([{ bars: 12, room: 100 }, { bars: 3, room: 40 }], 8), 8);
  for (let bars = 13; bars < 3000; bars += 7) {
    const high = bars * unitOf([{ bars, room: 100 }, { bars: 1, room: 40 }], 8);
    assert.ok(high <= 100 && high >= 59, `${bars} are ${high} of 100 pixels high`);
  }
});

test('a short pile that is higher than a fold is folded', () => {
  const run = { from: 1, to: 10, highest: 238, live: false, unit: 0, folded: false, tops: [] };
  assert.ok(isFolded(run, 268, 1, 22));
  assert.ok(!isFolded({ ...run, to: 60 }, 268, 1, 22), 'it lasted');
  assert.ok(!isFolded({ ...run, highest: 10 }, 268, 1, 22), 'it is low');
});

test('the bracket counts a round number that is easily seen', () => {
  assert.deepEqual([8, 4, 2, 1, 0.25, 0.03125].map((unit) => bracketOf(unit, 24)), [5, 10, 20, 50, 100, 1000]);
});

test('changes that no watch brought are known by their columns', () => {
  const row = track([], { spans: [{ kind: 'unseen', fromMillis: 95, toMillis: 130, n: 3 }, { kind: 'act', fromMillis: 1, toMillis: 1 }] });
  assert.deepEqual(unseenRuns(row, 30).map((r) => [r.from, r.to]), [[3, 4]]);
});

test('the height of a pile is the sum of its counts', () => {
  assert.deepEqual([[], [2, 7], [2, 1, 1, 2, 2, 3]].map(heightOf), [0, 7, 6]);
});
