// Each fault, and each lever that a menu offers, has its words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faults, levers } from '../kit/commands.js';
import { t } from './i18n.js';

/** The keys that have no words. @param {string[]} keys */
const missing = (keys) => keys.filter((k) => t(k) === k);

test('each fault has words in its menu and on the timeline', () => {
  const inMenu = [...faults, ...levers.filter((l) => l.menu === 'faults')].map((f) => f.name);
  assert.deepEqual(missing(inMenu.flatMap((n) => [`fault.${n}`, `fault.${n}.x`])), []);
  // A number is a word of its own.
  assert.deepEqual(missing(inMenu.filter((n) => !/^\d+$/.test(n)).map((n) => `mark.${n}`)), []);
});

test('each lever has words in the menu of the cluster', () => {
  const inMenu = levers.filter((l) => l.menu === 'cluster');
  assert.deepEqual(missing(inMenu.flatMap(({ name, held, offers, params = [] }) => [
    ...(offers ? [...offers, ...(held ? [0] : [])].map((n) => `sim.${name}.${n}`) : [`sim.${name}`]), ...params.map((p) => `sim.${p.name}`),
  ])), []);
});
