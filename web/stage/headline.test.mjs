// What the sentences over the stage name: the key of a retry, and of two informers the one that is meant.
import assert from 'node:assert/strict';
import test from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { headline } = await import('./headline.js');
const { pairHead } = await import('./pairhead.js');
const { t } = await import('../kit/i18n.js');

/** @param {object} said @param {object} [model] */
const ctxOf = (said, model = {}) => ({ t, now: () => 1000, model: { facts: { headline: said }, view: { mode: 'paused' }, ...model } });

test('a retry names its key, how often it failed and how long it waits', () => {
  const { words, why } = headline(ctxOf({ id: 'retry', key: 'default/pod-7', n: 3, until: 3000 }));
  assert.equal(words, 'default/pod-7 failed 3 times: it waits 2.0 s to be tried again.');
  assert.match(why, /returned an error, and a key/);
  const said = headline(ctxOf({ id: 'retry', key: 'a/b', n: 1, until: 3000, why: 'the pod crash-loops' }));
  assert.equal(said.why, 'Its reconcile returned an error. The pod crash-loops. The wait is longer after each failure.');
  assert.match(headline(ctxOf({ id: 'retry', key: 'a/b', n: 1, until: 3000 })).words, /failed 1 time:/);
});

test('while time runs its numbers are rounded', () => {
  const count = (mode, n) => headline(ctxOf({ id: 'held.pop', n }, { view: { mode } })).words.match(/: (.*) changes/)?.[1];
  assert.deepEqual([25, 99, 100, 1234, 1200].map((n) => count('live', n)), ['25', '99', '100', '≈ 1,200', '1,200']);
  assert.equal(count('paused', 1234), '1,234');
  const gap = (mode, now) => headline({ ...ctxOf({ id: 'gap', why: 'refused', since: 0 }, { view: { mode } }), now: () => now }).words;
  assert.match(gap('live', 3456), /for 3 s:/);
  assert.match(gap('paused', 3456), /for 3\.5 s:/);
});

test('of two releases each sentence says which one it is about', () => {
  const lane = (era, kind, listsByWatch) => ({ state: { era, queue: { kind, depth: 0 }, reflector: { phase: 'watching' }, listeners: [] }, facts: { features: { listsByWatch } } });
  const lanes = [lane('1.37', 'RealFIFO', true), lane('1.31', 'DeltaFIFO', false)];
  const head = (said) => pairHead(ctxOf(said, { fork: null, lane: (i) => lanes[i] }));
  assert.match(head({ id: 'flow', n: 8 }).why, /^1\.37: 8 changes a second/);
  assert.match(head({ id: 'slow', name: 'mailer', n: 29, m: 2000 }).words, /^1\.37: mailer takes/);
});

test('one handler alone is late only where no other has changes that wait', () => {
  const said = { id: 'slow', name: 'mailer', n: 29, m: 2000 };
  const why = (pending) => headline(ctxOf(said, { lane: () => ({ state: { listeners: [{ name: 'mailer', pending: 29 }, { name: 'printer', pending }] } }) })).why;
  assert.match(why(0), /^Only mailer is late/);
  assert.doesNotMatch(why(2), /Only/);
});
