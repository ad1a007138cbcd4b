// What the laboratory says of a lane is what it did. Run: node --test web/*/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { t } = await import('../kit/i18n.js');
const { outcome, sentence } = await import('./laboratory.js');

const first = { key: 'default/web-2', at: 12, took: 8, wrote: 60, read: 57 };
const lane = (/** @type {object} */ more) => /** @type {any} */ ({ guard: 'unguarded', duplicates: 0, worstMillis: 0, first, ...more });

test('each lane has the sentence of what happened in it', () => {
  assert.equal(sentence(lane({ first: undefined, guard: 'store' })), t('lab.fresh'));
  assert.equal(sentence(lane({ duplicates: 1 })), '1 child was created again, because the store did not have the first ones yet.');
  assert.equal(sentence(lane({})), t('lab.say.unguardedNone'));
  assert.match(sentence(lane({ guard: 'store', worstMillis: 251 })), /goes back to the queue.* 251 ms/);
  assert.match(sentence(lane({ guard: 'reads', worstMillis: 1000 })), /waits.* 1,000 ms/);
});

test('the first early reconcile is refused, waits, repeats, conflicts or goes on', () => {
  const say = (/** @type {object} */ more) => outcome(/** @type {any} */ ({ ...first, ...more }));
  assert.equal(say({ held: true, refusals: 9 }), t('lab.refused', { n: 9 }));
  assert.equal(say({ waited: 250 }), t('lab.waits'));
  assert.equal(say({ duplicates: 2 }), t('lab.created', { n: 2 }));
  assert.equal(say({ error: 'conflict' }), t('lab.conflict'));
  assert.equal(say({}), t('lab.went'));
});
