// @ts-check
// What the rows say of their past.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '../kit/i18n.js';
import '../kit/words-past.js';
import '../kit/words-tracks.js';
import { drawActs, drawHolds, writeLists, writePiles } from '../stage/causes.js';
import { Pen } from '../stage/pen.js';
import { clusterPast } from './cluster-past.js';
import { fold } from './handler.js';
import { handlerPast } from './handler-past.js';
import { sayRead } from './reads.js';
import { reflectorPast } from './reflector-past.js';
import { workPast } from './work-past.js';

/** @typedef {import('../wire/types.js').Span} Span */

const specials = { cluster: clusterPast, reflector: reflectorPast, handler: handlerPast, work: workPast, queue: null };
/** A canvas on which anything may be drawn. */
const anything = () => /** @type {CanvasRenderingContext2D} */ (new Proxy(/** @type {any} */ ({}), { get: (o, name) => o[name] ?? (() => {}) }));

/**
 * What a row says in a window of 1,000 ms that is 500 wide.
 * @param {keyof typeof specials} station @param {Span[]} spans @param {Partial<import('../wire/past.js').Track>} [more]
 * @param {any} [crowd] other clients of the API server
 */
function said(station, spans, more, crowd) {
  const track = /** @type {import('../wire/past.js').Track} */ ({
    id: 'row', station, lane: 0, name: 'mailer', waiting: 0, oldestMillis: null, highest: 0, columns: new Map(), came: new Set(), newest: 100, spans, ...more,
  });
  const pen = new Pen(anything(), {
    colour: { bg: '#000' }, k: 1, right: 500, now: 2000, step: 10, dpr: 1, begin: 0, over: 0.5, xOf: (ms) => (ms - 1000) / 2,
    seatOf: () => ({ id: '0.indexer', y: 10, h: 30 }), spansOf: () => [{ kind: 'list', fromMillis: 1100, toMillis: 1120, n: 240 }], nameOf: () => 'mailer', crowdOf: () => crowd,
  });
  pen.moveTo(track, { id: 'row', y: 100, h: 60 });
  specials[station]?.draw(pen);
  drawHolds(pen);
  drawActs(pen);
  writePiles(pen, [{ from: 100, to: 130, highest: 238, live: false, unit: 0.1, folded: true, tops: [238] }]);
  if (station === 'queue' || station === 'handler') writeLists(pen);
  return pen.labels;
}
/** @param {keyof typeof specials} station @param {Span[]} spans @param {object} [more] */
const words = (station, spans, more) => said(station, spans, more).map((label) => label.words[0]);

test('a hold says how long it lasts, then how many went on', () => {
  assert.deepEqual(words('queue', [{ kind: 'hold', fromMillis: 1500, toMillis: null }]), ['Pop held for 500 ms']);
  assert.deepEqual(words('queue', [{ kind: 'hold', fromMillis: 1200, toMillis: 1500, n: 31 }]), ['Pop was held for 300 ms', 'then 31 went on']);
  assert.deepEqual(words('queue', [{ kind: 'hold', fromMillis: 1200, toMillis: 1500, n: 31, pops: 8 }]), ['Pop was held for 300 ms', 'then 31 went on, 8 pops']);
  assert.deepEqual(words('queue', [{ kind: 'hold', fromMillis: 1200, toMillis: 1500, n: 1, pops: 1 }])[1], 'then 1 went on, 1 pop');
  assert.deepEqual(words('work', [{ kind: 'hold', fromMillis: 1500, toMillis: null }]), ['workers held for 500 ms']);
});

test('a tombstone says what it is, and once for several of one moment', () => {
  assert.deepEqual(words('handler', [{ kind: 'tombstone', fromMillis: 1500, toMillis: 1500, n: 3 }]), ['3 tombstones: final state unknown']);
  assert.deepEqual(words('handler', [{ kind: 'tombstone', fromMillis: 1500, toMillis: 1500, n: 1 }]), ['a tombstone: final state unknown']);
});

test('a crowd says how many lists came at once, and how many would have without jitter', () => {
  const lists = { fromMillis: 1200, stepMillis: 250, requests: [0, 900, 40], unjittered: [1000, 0, 990] };
  assert.deepEqual(said('cluster', [], {}, { lists }).map((label) => label.words[0]), ['900 lists in a quarter of a second', 'without jitter: 990 at once']);
  assert.deepEqual(said('cluster', [], {}, { lists: { ...lists, unjittered: [1000, 0, 0] } }).length, 1, 'what is over is not said');
  assert.deepEqual(said('cluster', [], {}), []);
});

test('no watch says why, and for how long', () => {
  const gap = { kind: 'gap', fromMillis: 1400, toMillis: /** @type {number | null} */ (null), words: 'connection refused.' };
  assert.deepEqual(words('reflector', [gap]), ['Connection refused: no watch for 600 ms']);
  const backoff = { kind: 'backoff', fromMillis: 1800, toMillis: null, millis: 1000 };
  assert.deepEqual(words('reflector', [gap, backoff]), ['Connection refused: no watch for 600 ms']);
  assert.deepEqual(words('reflector', [{ ...gap, toMillis: 1900, code: 410 }]), ['410 Gone: no watch for 500 ms']);
  const next = { ...gap, fromMillis: 1602, toMillis: 1900, code: 410 };
  assert.deepEqual(words('reflector', [{ ...gap, toMillis: 1600 }, next]), ['Connection refused: no watch for 500 ms', '410 Gone'], 'one sees one stretch');
  assert.deepEqual(words('reflector', [{ kind: 'silent', fromMillis: 1500, toMillis: null }]), ['nothing came for 500 ms']);
});

test('a list, a resync and a handler that is added have their numbers', () => {
  assert.deepEqual(words('reflector', [{ kind: 'list', fromMillis: 1500, toMillis: 1510, n: 1 }]), ['list: 1 object']);
  assert.deepEqual(words('reflector', [{ kind: 'list', fromMillis: 1500, toMillis: null }]), [], 'before it ends its number is not known');
  assert.deepEqual(words('handler', [{ kind: 'resync', fromMillis: 1500, toMillis: 1500, n: 240 }]), ['resync: 240 objects']);
  assert.deepEqual(words('handler', [{ kind: 'added', fromMillis: 1500, toMillis: 1500, n: 241 }]), ['mailer starts here and gets the store’s 241 objects']);
  assert.deepEqual(words('handler', [{ kind: 'removed', fromMillis: 1500, toMillis: 1500 }]), ['mailer was removed']);
});

test('a call says its length once it is over, and where there is room', () => {
  assert.deepEqual(words('handler', [{ kind: 'call', fromMillis: 1500, toMillis: null }]), []);
  assert.deepEqual(words('handler', [{ kind: 'call', fromMillis: 1200, toMillis: 1210 }, { kind: 'call', fromMillis: 1210, toMillis: 1600 }]), ['a call of 390 ms']);
});

test('a read says the version that it got, and that of the cluster if it was newer', () => {
  const read = { kind: /** @type {const} */ ('read'), fromMillis: 1500, toMillis: 1500, n: 1, key: 'a/b', rv: '41', latest: '43', behind: 2 };
  const wordsOf = (/** @type {object} */ more) => words('work', [{ ...read, ...more }]);
  assert.deepEqual(wordsOf({}), ['got 41, the cluster had 43']);
  assert.deepEqual(wordsOf({ latest: undefined }), ['got 41, the cluster had it no more']);
  assert.deepEqual(wordsOf({ rv: undefined }), ['found nothing, the cluster had 43']);
  assert.deepEqual(wordsOf({ behind: 0 }), ['got 41']);
  assert.equal(sayRead({ ...read, merged: 3 }, t), 'worker 1 read a/b: got 41, the cluster had 43, 3 more reads beside it');
  assert.equal(sayRead({ ...read, n: 0, behind: 0, key: 'a/c' }, t), 'a read of a/c: got 41', 'who read is not known, nor what the cluster had');
});

test('a key that waits to be tried again says which it is, the failure and its wait', () => {
  assert.deepEqual(words('work', [{ kind: 'retry', fromMillis: 1500, toMillis: null, key: 'default/pod-7', n: 13, millis: 20_000 }]), ['default/pod-7 failed 13 times: waits 20 s']);
});

test('a pile that is over says how many waited, and how many were merged', () => {
  const pile = { kind: 'pile', fromMillis: 1000, toMillis: 1300, n: 238 };
  assert.deepEqual(words('work', [pile], { keyed: true }), ['238 keys at most, 300 ms']);
  assert.deepEqual(words('handler', [pile]), ['238 at most, 300 ms']);
  assert.deepEqual(words('work', [{ ...pile, merged: 766 }], { keyed: true }), ['238 keys at most, 300 ms; 766 more merged into them']);
  assert.deepEqual(words('work', [{ ...pile, toMillis: null }], { keyed: true }), [], 'what waits has its number at the rail');
});

test('a burst is the sum that the data has, and an act is said in words', () => {
  assert.deepEqual(words('cluster', [{ kind: 'burst', fromMillis: 1200, toMillis: 1500, n: 992 }]), ['992 in 300 ms']);
  assert.deepEqual(words('cluster', [{ kind: 'act', fromMillis: 1200, toMillis: 1200, words: 'burst:1000' }]), ['you: burst of 1,000']);
});

test('the number of a list is what passed the row then', () => {
  /** @type {import('../wire/types.js').Column[]} */
  const columns = [[109, [2, 3], [], -1, []], [111, [6, 200], [], -1, []], [112, [6, 38, 2, 3], [], -1, []], [113, [2, 3], [], -1, []]];
  const more = { columns: new Map(columns.map((c) => [c[0], c])) };
  assert.deepEqual(words('queue', [], more), ['238'], 'without what was changed at the same time');
  assert.deepEqual(words('handler', [], more), ['241'], 'with what the list changed');
});

test('no words stand before their time', () => {
  const kinds = ['hold', 'call', 'gap', 'backoff', 'list', 'silent', 'resync', 'tombstone', 'added', 'removed', 'retry', 'failed', 'burst', 'pile', 'act', 'unseen'];
  for (const station of /** @type {(keyof typeof specials)[]} */ (Object.keys(specials))) {
    for (const kind of kinds) {
      for (const [fromMillis, toMillis] of [[1300, null], [1300, 1900], [1300, 1301]]) {
        const labels = said(station, [{ kind, fromMillis: Number(fromMillis), toMillis, n: 241, words: 'x', millis: 5000 }]);
        for (const label of labels) for (const place of label.places) assert.ok(place.x >= 150, `${label.words[0]} at ${place.x}`);
      }
    }
  }
});

test('nothing is said of what lies before the window', () => {
  const kinds = ['hold', 'gap', 'list', 'silent', 'added', 'removed', 'retry', 'burst', 'act'];
  for (const kind of kinds) {
    for (const station of /** @type {(keyof typeof specials)[]} */ (['cluster', 'reflector', 'handler', 'work'])) {
      assert.deepEqual(words(station, [{ kind, fromMillis: 100, toMillis: 900, n: 3, words: 'x' }]), []);
    }
  }
});

test('a row of several handlers counts those that are there', () => {
  const [there, gone] = [[], ['removed']].map((kinds) => ({ spans: kinds.map((kind) => ({ kind, fromMillis: 1, toMillis: 1 })) }));
  const name = (/** @type {object} */ row) => fold.name(/** @type {any} */ (row), /** @type {any} */ ({ t }));
  assert.equal(name({ folded: [there, there, gone], whole: true }), '2 handlers');
  assert.equal(name({ folded: [there, there, gone], among: [there, there, gone, there, gone] }), '2 more, 3 in all');
});
