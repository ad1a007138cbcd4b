// What an upgrade changes. Run: node --test web/*/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { changesBetween } = await import('./upgrade.js');
const { changes } = await import('../kit/commands.js');

test('an upgrade changes what came after its first release, up to its second', () => {
  assert.deepEqual([...new Set(changesBetween('1.33', '1.37').map((x) => x.since))], ['1.35', '1.37']);
  assert.equal(changesBetween('1.31', '1.38').length, changes.length);
  assert.equal(changesBetween('1.31', '1.35').length + changesBetween('1.35', '1.38').length, changes.length);
});

test('no upgrade, and one that goes back, change nothing', () => {
  assert.deepEqual(changesBetween('1.37', '1.37'), []);
  assert.deepEqual(changesBetween('1.38', '1.31'), []);
});
