import assert from 'node:assert/strict';
import test from 'node:test';
import { pairLines } from './lines.js';

test('a line that did not change is the same line', () => {
  for (const [old, next, kept] of [
    ['', '', []],
    ['', 'ab', [-1, -1]],
    ['ab', '', []],
    ['abc', 'abc', [0, 1, 2]],
    ['abc', 'xyz', [-1, -1, -1]],
    ['abc', 'axc', [0, -1, 2]],
    ['abc', 'xabc', [-1, 0, 1, 2]],
    ['xabc', 'abc', [1, 2, 3]],
    ['abcd', 'bxd', [1, -1, 3]],
  ]) {
    assert.deepEqual(pairLines([...old], [...next]), kept, `${old} → ${next}`);
  }
});

test('pairs are equal, in order, and as many as there can be', () => {
  let seed = 7;
  const random = (/** @type {number} */ n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 300; round++) {
    const [old, next] = [0, 0].map(() => Array.from({ length: random(12) }, () => 'abc'[random(3)]));
    const got = pairLines(old, next);
    let before = -1;
    got.forEach((i, j) => {
      if (i < 0) return;
      assert.ok(i > before && old[i] === next[j], `${old} → ${next}: ${got}`);
      before = i;
    });
    const table = Array.from({ length: old.length + 1 }, () => new Array(next.length + 1).fill(0));
    for (let i = 1; i <= old.length; i++) for (let j = 1; j <= next.length; j++) {
      table[i][j] = old[i - 1] === next[j - 1] ? table[i - 1][j - 1] + 1 : Math.max(table[i - 1][j], table[i][j - 1]);
    }
    assert.equal(got.filter((i) => i >= 0).length, table[old.length][next.length], `${old} → ${next}: ${got}`);
  }
});

test('a line of ten thousand changes', () => {
  const old = Array.from({ length: 10_000 }, (_, i) => `"f${i}": ${i},`);
  const next = old.map((line, i) => (i === 12 || i === 9_980 ? line + ' ' : line));
  next.splice(5_000, 0, '"more": 1,');
  assert.equal(pairLines(old, next).filter((i) => i >= 0).length, 9_998);
});
