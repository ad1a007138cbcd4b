// The lines that say why a key was reconciled. Run: node --test web/*/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({ fonts: { addEventListener() {} } });
const { lastRunLines, reconcileLines } = await import('./reconciles.js');

const run = {
  key: 'a/p', seq: 9, atMillis: 1000, tookMillis: 2, running: false, worker: 1, priority: -100, attempt: 2, againMillis: 50, retry: true, error: 'Conflict', merged: 3, older: 1,
  causes: [
    { seq: 1, why: 'event', op: 'Updated', lane: 0, listener: 1, name: 'pod · For', resource: 'pods', key: 'a/p', rv: '7', waitMillis: 12, by: 'a/p', loop: true },
    { seq: 2, why: 'again', lane: -1, waitMillis: 3 },
  ],
  reads: [{ seq: 3, lane: 0, resource: 'pods', key: 'a/p', rv: '7', behind: 1, own: '9' }, { seq: 4, lane: 1, resource: 'configmaps', objects: 3, behind: 0, index: 'namespace=a' }],
  writes: [{ seq: 5, lane: 1, verb: 'POST', resource: 'configmaps', key: 'a/c2', rv: '11', tookMillis: 1, duplicate: 'a/c1' },
    { seq: 6, lane: 0, verb: 'PUT', resource: 'pods', subresource: 'status', key: 'a/p', tookMillis: 1, error: 'Conflict', code: 409 }],
};

test('each run has its causes, reads and writes; loops, old reads and duplicates stand out', () => {
  const lines = reconcileLines({ newest: [/** @type {any} */ (run)], runs: 4, woken: 3 }, 2500);
  assert.deepEqual(lines.map(({ words, cls }) => `${cls}|${words}`), [
    'warned|This key woke itself: 3 of its 4 reconciles in the last minute followed from its own writes.',
    'run|−1.5 s · worker 1, 2.0 ms · priority -100 · attempt 2 · failed: Conflict · again after 50 ms',
    'loop|↻ Updated pods a/p rv 7 · its own write · pod · For · waited 12 ms',
    '|← it asked to run again · waited 3.0 ms',
    'f|3 entries became this run; 2 are listed',
    'old|· read pods a/p rv 7 · 1 behind · older than its own write, rv 9',
    '|· listed 3 configmaps a',
    'old|→ POST configmaps a/c2 → rv 11 · a second one: it had made a/c1',
    'old|→ PUT pods/status a/p: Conflict',
  ]);
});

test('the last reconcile in four lines: the own write that woke it, the read that is too old, the second object', () => {
  const lines = lastRunLines(/** @type {any} */ ({ ...run, writes: run.writes.slice(0, 1) })).map(({ words, aside, tone = '' }) => [words, aside, tone].join('|'));
  assert.deepEqual(lines, ['a/p|last reconcile, 2.0 ms|', '↻ Updated pods a/p rv 7|its own write|', '· read pods a/p rv 7|too old|warn', '→ POST a/c2|a second one|warn']);
  const plain = { ...run, running: true, causes: [run.causes[1]], reads: [run.reads[1]], writes: [] };
  assert.deepEqual(lastRunLines(/** @type {any} */ (plain)).map((line) => line.aside), ['reconcile runs for 2.0 ms', 'waited 3.0 ms', '']);
});

test('a key that no worker has taken says so', () => {
  assert.equal(reconcileLines({ newest: [], runs: 0, woken: 0 }, 0).length, 1);
});
