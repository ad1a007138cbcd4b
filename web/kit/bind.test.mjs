// Paths, expressions and sentences that a text is bound to.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compile, sourceOf } from './bind.js';
import * as format from './format.js';
import { addWords } from './i18n.js';

const lane = {
  state: {
    era: '1.37', workqueue: null, queue: { depth: 12345, items: [{ key: 'a' }, { key: 'b' }] }, holds: [{ stage: 'pop', sinceMillis: 900 }],
    reflector: { backoffSince: 1000, backoffMillis: 3000 }, api: { resourceVersion: '48215', wire: [{ seq: 7, bytes: 120 }] },
  },
  facts: { versions: { behind: 3 } }, view: { behind: 9, seq: 41, atMillis: 1500, headMillis: 4000 }, now: 1600,
};
const both = { lanes: [lane, { state: { era: '1.31' }, facts: { versions: { behind: 5 } } }], factory: { rows: [{ lane: 2, depth: 6 }] } };

test('a path leads into the state, and into what stands beside it', () => {
  for (const [path, from, want] of [
    ['era', lane, '1.37'], ['queue.items.1.key', lane, 'b'], ['queue.items.length', lane, 2], ['holds[stage=pop].sinceMillis', lane, 900],
    ['api.wire[seq=7].bytes', lane, 120], ['facts.versions.behind', lane, 3], ['view.behind', lane, 9], ['seq', lane, 41], ['now', lane, 1600],
    ['lanes.1.era', both, '1.31'], ['lanes.1.facts.versions.behind', both, 5], ['factory.rows[lane=2].depth', both, 6],
  ]) assert.equal(compile(path)(from), want, path);
});

test('nothing is at a path that leads nowhere', () => {
  for (const path of ['workqueue.depth', 'queue.items.7.key', 'api.wire[seq=8].bytes', 'holds[stage=take].sinceMillis', 'queue.kind[a=b]', 'lanes.3.era', '']) {
    assert.equal(compile(path)(lane), undefined, path);
  }
});

test('an expression is evaluated from left to right', () => {
  for (const [sum, want] of [
    ['reflector.backoffSince + reflector.backoffMillis - now max 0', 2400], ['now - reflector.backoffMillis max 0', 0], ['now - 100 * 2', 3000],
    ['view.headMillis max atMillis min now', 1600], ['reflector.backoffMillis / 1000', 3],
  ]) assert.equal(compile(sum)(lane), want, sum);
});

test('the words are those of the function, in full too', () => {
  const words = (path, as, whole = '') => {
    const { value, format, full } = sourceOf(path, as, whole);
    return [format(value(lane)), full(value(lane))];
  };
  addWords({ 'bind.held': ['held', '拦住'], 'bind.of': ['{a} of {n} [n:key|keys]', '{n} 中的 {a}'] });
  assert.deepEqual(words('era', 'same'), ['1.37', '']);
  assert.deepEqual(words('queue.depth * 10', 'count', 'exact'), ['123k', '123,450']);
  assert.deepEqual(words('api.resourceVersion', 'version 4', 'same'), ['…215', '48215']);
  assert.deepEqual(words('now - holds[stage=pop].sinceMillis', 'seconds behind bind.held'), ['held, 0.7 s', '']);
  assert.deepEqual(words('a=span now - reflector.backoffSince; n=exact queue.items.length', 't bind.of', 'same'), ['600 ms of 2 keys', '600 ms of 2 keys']);
});

test('what cannot be compiled says why', () => {
  assert.throws(() => compile('now over 2'), /“now over 2”: “over” is none of \+ -/);
  assert.throws(() => sourceOf('era', 'bold', ''), /“bold”: format.js has no “bold”/);
  assert.throws(() => sourceOf('n=bold era', 't more', ''), /format.js has no “bold”/);
  assert.throws(() => sourceOf('queue.depth', 't more', ''), /“queue.depth” is no argument/);
});

test('the sentences of the page name functions of format.js', async () => {
  const web = new URL('../', import.meta.url);
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((f) => /\.js$/.test(f) && !/wasm_exec|^bundle/.test(f));
  const named = files.flatMap((f) => [...readFileSync(new URL(f, web), 'utf8').matchAll(/[`';] ?\w+=(\w+) (?:now|\$\{|\w+\.)/g)].map((m) => m[1]));
  assert.ok(named.length > 20, `only ${named.length} were found`);
  assert.deepEqual(named.filter((name) => name !== 'same' && !(name in format)), []);
});
