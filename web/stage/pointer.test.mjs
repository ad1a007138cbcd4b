// What is under the pointer, in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { changesOf, entryWords, wordsAt } = await import('./pointer.js');
const t = (key, args = {}) => `${key} ${Object.values(args).join(' ')}`.trim();

test('a bar says its place, a tick what passed', () => {
  assert.deepEqual(wordsAt({ what: { pile: { place: 2, op: 2, of: 29 } } }, 0, t), ['point.pile Updated 3 29']);
  assert.deepEqual(wordsAt({ what: { passes: [2, 3, 0, 1] } }, 0, t), ['point.passed 3 Updated, 1 point.key']);
});

test('what lasts says how long, up to now while it does', () => {
  const call = { kind: 'call', fromMillis: 1000, toMillis: 1501, key: 'shop/cart' };
  assert.deepEqual(wordsAt({ what: { span: call } }, 9000, t), ['point.call 501 ms 0 shop/cart']);
  assert.deepEqual(wordsAt({ what: { span: { kind: 'hold', fromMillis: 1000, toMillis: null } } }, 5200, t), ['point.hold 4.2 s 0']);
});

test('a change says how long it waited, and its call', () => {
  const entry = { key: 'shop/cart', rv: '7', op: 'Updated', row: '0.queue', cameMillis: 1000, leftMillis: 2200, endMillis: 2700 };
  assert.equal(entryWords(entry, 9000, t), 'Updated shop/cart rv 7, point.came 0:01.000, point.waited 1.2 s, point.left 0:02.200, point.took 500 ms');
  assert.equal(entryWords({ ...entry, op: '', leftMillis: null, endMillis: null }, 5200, t), 'point.key shop/cart rv 7, point.came 0:01.000, point.waits 4.2 s');
});

test('each change can be followed, also of one object', () => {
  const entry = (key, rv, cameMillis) => ({ key, rv, op: 'Updated', row: '0.queue', cameMillis, leftMillis: null, endMillis: null });
  const entries = [entry('a', '1', 10), entry('b', '2', 30), entry('a', '3', 20), entry('a', '1', 10), entry('', '', 5)];
  assert.deepEqual(changesOf(entries).map(({ rv }) => rv), ['1', '3', '2']);
  assert.deepEqual(changesOf(entries, 'a').map(({ rv }) => rv), ['1', '3']);
});
