// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from './past.js';

/** @typedef {import('./types.js').Column} Column */

/** A frame of one row. @param {Partial<import('./past.js').Row>} row @param {Partial<import('./past.js').Frame>} [frame] */
const frame = (row, frame) => ({
  reset: false, stepMillis: 30, first: 0, from: row.columns?.[0][0] ?? 0, last: row.columns?.at(-1)?.[0] ?? -1, ...frame, rows: [{ id: '0.queue', station: /** @type {const} */ ('queue'), lane: 0, waiting: 0, oldestMillis: null, highest: 0, ...row }],
});
/** @param {number} n @param {number[]} [pile] @returns {Column} */
const column = (n, pile = []) => [n, [2, 1], pile, -1, []];

test('columns follow, and those that come again replace', () => {
  const past = new History();
  past.apply(frame({ columns: [column(5), column(7)] }, { reset: true }));
  past.apply(frame({ columns: [column(7, [2, 1]), column(8)] }));
  const row = past.rows[0];
  assert.deepEqual([...row.columns.keys()], [5, 7, 8]);
  assert.deepEqual(row.columns.get(7)?.[2], [2, 1]);
  assert.equal(row.newest, 8);
  assert.deepEqual([...row.came].sort(), [5, 6, 7, 8]);
});

test('a column that is missing among those that come again is empty', () => {
  const past = new History();
  past.apply(frame({ columns: [column(5), column(6), column(7)] }, { reset: true }));
  past.rows[0].came.clear();
  past.apply(frame({ columns: [column(6)] }, { last: 7 }));
  assert.deepEqual([...past.rows[0].columns.keys()], [5, 6]);
  assert.deepEqual([...past.rows[0].came].sort(), [7], 'what was drawn of it is drawn again');
});

test('a reset drops what there is', () => {
  const past = new History();
  past.apply(frame({ columns: [column(5)], spans: [{ kind: 'hold', fromMillis: 1, toMillis: null }] }, { reset: true }));
  past.apply(frame({ columns: [column(900)] }, { reset: true, stepMillis: 1 }));
  assert.deepEqual([...past.rows[0].columns.keys()], [900]);
  assert.deepEqual(past.rows[0].spans, []);
  assert.equal(past.stepMillis, 1);
  assert.equal(past.resets, 2);
});

test('spans stay while none come, and go when the row is closed', () => {
  const past = new History();
  past.apply(frame({ spans: [{ kind: 'hold', fromMillis: 1, toMillis: null }], keyed: true }));
  past.apply(frame({ waiting: 3 }));
  assert.equal(past.rows[0].spans.length, 1);
  assert.equal(past.rows[0].waiting, 3);
  assert.equal(past.rows[0].keyed, undefined, 'what a frame leaves out is as if it were zero');
  past.apply(frame({ closed: true }));
  assert.deepEqual(past.rows[0].spans, []);
});

test('no more is kept than the window has, nor than the log', () => {
  const past = new History();
  past.room = 100;
  for (let n = 0; n < 1000; n++) past.apply(frame({ columns: [column(n)] }));
  assert.equal(past.rows[0].columns.size, 100);
  assert.equal(past.rows[0].came.size, 100, 'a hidden page draws none of them');
  past.apply(frame({}, { first: 990, from: 1000, last: 999 }));
  assert.deepEqual([...past.rows[0].columns.keys()], [990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
});

test('of a window that comes again only what is another is new', () => {
  const past = new History();
  past.apply(frame({ columns: [column(5), column(6), column(7)] }, { reset: true, from: 0, last: 9 }));
  past.rows[0].came.clear();
  past.apply(frame({ columns: [column(5), column(7, [2, 1])] }, { reset: true, from: 0, last: 9 }));
  assert.deepEqual([...past.rows[0].columns.keys()], [5, 7]);
  assert.deepEqual([...past.rows[0].came].sort(), [6, 7], 'one is empty now, and in one something waits');
  past.rows[0].came.clear();
  past.apply(frame({ columns: [column(5)] }, { reset: true, from: 0, last: 11 }));
  assert.deepEqual([...past.rows[0].came].sort((a, b) => a - b), [7, 10, 11], 'what was not known before is new even if it is empty');
});

test('what was not drawn yet stays to be drawn', () => {
  const past = new History();
  past.apply(frame({ columns: [column(5)] }, { reset: true }));
  past.apply(frame({ columns: [column(5)] }, { reset: true }));
  assert.ok(past.rows[0].came.has(5));
});

test('a row that a frame has no longer is gone', () => {
  const past = new History();
  past.apply(frame({ columns: [column(1)] }));
  past.apply({ ...frame({}), rows: [] });
  assert.equal(past.row('0.queue'), undefined);
});

test('while one looks at another moment, what is kept stays', () => {
  const past = new History();
  past.apply(frame({ columns: [column(5)] }, { reset: true }));
  past.stands = true;
  past.apply(frame({ columns: [column(2)] }, { reset: true }));
  assert.deepEqual([...past.rows[0].columns.keys()], [5]);
});
