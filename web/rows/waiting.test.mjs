// @ts-check
// What the rows say of frames that were decoded ahead, and of a work queue that is paused. Run: node --test web/*/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { t } = await import('../kit/i18n.js');
await import('../kit/words-tracks.js');
const { reflector } = await import('./reflector.js');
const { work } = await import('./work.js');

/** @param {number} ahead @param {any} [more] */
const reading = (ahead, more) => /** @type {any} */ ({
  t, now: 0, silent: false, phone: false, two: false, ctx: {}, ...more,
  lane: {
    state: { reflector: { phase: more?.phase ?? 'watching', resourceVersion: '7', lastRequest: '', backoffs: [], lists: 0 } },
    facts: { ahead, features: { decodesAhead: true } },
  },
});

test('frames that wait before the Reflector stand in its row, and not while there is no watch', () => {
  assert.deepEqual(reflector.present(reading(212)), { number: 'facts.ahead', unit: 'decoded, not read', side: 'rv=version reflector.resourceVersion' });
  assert.equal(reflector.present(reading(1)).words, 'watching');
  assert.equal(reflector.say(reading(212)), '212 frames are decoded, and wait for the Reflector to read them');
  for (const more of [{ silent: true }, { phase: 'backoff' }]) {
    assert.equal(reflector.present(reading(212, more)).number, undefined);
    assert.doesNotMatch(reflector.say(reading(212, more)), /decoded/);
  }
});

/** @param {number} depth @param {boolean} paused */
const queue = (depth, paused) => /** @type {any} */ ({
  t, now: 9000, phone: false, starved: false, row: { oldestMillis: 2000, sampled: false },
  lane: { state: { workqueue: { depth, paused, processing: [], workers: [1], retries: 0, waitingCount: 0 } } },
});

test('a work queue that is paused says so, and how long its oldest key has waited', () => {
  assert.deepEqual(work.present(queue(3, true)), { number: 'workqueue.depth', unit: 'keys wait', underWords: 'paused · oldest 7.0 s' });
  assert.equal(work.present(queue(0, true)).tail, ' · paused');
  assert.equal(work.say(queue(3, true)), 'paused; 3 keys wait');
  assert.doesNotMatch(JSON.stringify(work.present(queue(3, false))), /paused/);
});
