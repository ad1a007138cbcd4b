// The words on the way back from the store. Run: node --test web/*/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { t } = await import('../kit/i18n.js');
const { readWords } = await import('./controller.js');

test('a read that had the newest version is current, whatever else is on its way into a probe’s store', () => {
  const model = { staleMillis: () => 0, isUnlisted: () => false, isSure: () => true };
  const words = (/** @type {object} */ fidelity, /** @type {number} */ behind, /** @type {boolean} */ upToDate) => readWords(
    /** @type {any} */ ({ state: { fidelity, workqueue: { lastRead: { behind } } }, facts: { upToDate } }),
    /** @type {any} */ ({ t, model, now: () => 0 }));
  const probe = { 'workqueue.lastRead': { how: 'derived' } };
  assert.equal(words(probe, 0, false), t('con.readFresh'));
  assert.equal(words(probe, 2, false), t('con.read', { n: '2' }));
  assert.equal(words({}, 0, false), t('con.readBehind'));
  assert.equal(words({}, 0, true), t('con.readFresh'));
});
