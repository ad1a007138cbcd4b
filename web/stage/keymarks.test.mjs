// Each mark of the past is in the key to the marks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import '../kit/words-past.js';
import { t } from '../kit/i18n.js';
import { marks, markOfSpan, marksIn } from './keymarks.js';

const names = marks.map(([name]) => name);

test('each kind of span has a mark, or is words alone', () => {
  const types = readFileSync(new URL('../wire/types.js', import.meta.url), 'utf8').replaceAll(/\n \* +/g, ' ');
  const [, kinds] = /@typedef {object} Span @property {([^}]*)} kind/.exec(types) ?? ['', ''];
  assert.deepEqual([...kinds.matchAll(/\w+/g)].map(String).sort(), Object.keys(markOfSpan).sort());
  for (const [kind, mark] of Object.entries(markOfSpan)) assert.ok(!mark || names.includes(mark), `${kind}: the key lacks ${mark}`);
});

test('each kind of span that a row draws is in the key', () => {
  const files = ['../rows/cluster-past.js', '../rows/handler-past.js', '../rows/informer-past.js', '../rows/reflector-past.js', '../rows/work-past.js', './causes.js'];
  for (const file of files) {
    const drawn = [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/spans\('(\w+)'\)/g)].map(([, kind]) => kind);
    for (const kind of drawn) assert.ok(kind in markOfSpan, `${file} draws ${kind}`);
  }
});

test('each mark has words and a look', () => {
  const css = readFileSync(new URL('../tracks.css', import.meta.url), 'utf8');
  for (const [name, , look] of marks) {
    assert.notEqual(t(`keymarks.${name}`), `keymarks.${name}`);
    assert.ok(css.includes(`.km-${look}`), `.km-${look}`);
  }
});

test('the line has the marks that are in the picture', () => {
  const row = { id: '0.work', spans: [{ kind: 'retry' }, { kind: 'failed' }, { kind: 'burst' }], keyed: true, columns: new Map([[1, [1, [], [0, 2], -1, [0]]]]) };
  const model = { past: { rows: [row], journey: { stops: [] } }, fork: null };
  const quiet = marksIn({ past: { rows: [], journey: null }, fork: null }, new Set());
  const others = (drawn) => [...marksIn(model, new Set(drawn))].filter((mark) => mark && !quiet.has(mark));
  assert.deepEqual(others(['0.work']), ['retry', 'failed', 'notch', 'followed']);
  assert.deepEqual(others([]), ['followed'], 'a row that is not drawn has no marks');
});
