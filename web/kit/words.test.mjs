// Each fault, and each lever that a menu offers, has its words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faults, levers } from '../kit/commands.js';
import { isolate, t } from './i18n.js';

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

test('a name does not turn the words behind it', () => {
  /** How many embeddings and isolates a text leaves open. @param {string} words */
  const open = (words) => {
    /** @type {string[]} */
    let stack = [];
    for (const c of words) {
      if (/[\u202a\u202b\u202d\u202e\u2066-\u2068]/.test(c)) stack.push(c);
      else if (c === '\u202c' && /[\u202a\u202b\u202d\u202e]/.test(stack.at(-1) ?? '')) stack.pop();
      else if (c === '\u2069') {
        const isolates = stack.map((x) => /[\u2066-\u2068]/.test(x)).lastIndexOf(true);
        if (isolates >= 0) stack = stack.slice(0, isolates);
      }
    }
    return stack.length;
  };
  for (const name of ['a\u202eb', '\u2067a', 'a\u2069\u202eb', '\u2066\u202e\u2069\u2069\u202e', t('top.live', { name: '\u202ex' })]) {
    assert.equal(open(isolate(name)), 0, JSON.stringify(name));
    assert.equal(open(t('top.live', { name })), 0, JSON.stringify(name));
    assert.ok(t('top.live', { name }).endsWith(' · live'));
  }
  assert.equal(isolate('default/web'), 'default/web');
});
