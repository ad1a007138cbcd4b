// Which marks a log has, and in which words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasHalt, look, newest } from './marks.js';

const t = (key) => key;
const write = { seq: 5, atMillis: 10, lane: 2, kind: 'write', author: 'kubectl', text: 'kubectl scaled default/web from 3 to 6' };

test('a write of a person has a mark in every lane, with its author', () => {
  assert.equal(look(write, t)?.say, 'kubectl');
  assert.equal(hasHalt([write], 4, 1), true);
  assert.deepEqual(newest([write], 3), [write]);
});

test('a refused write looks like an error, and has its code', () => {
  const mark = look({ ...write, code: 409 }, t);
  assert.equal(mark?.say, 'kubectl 409');
  assert.equal(mark?.line, 'mk-l x');
});

test('a mark of another lane is not drawn', () => assert.equal(look({ ...write, kind: 'relist' }, t), null));
