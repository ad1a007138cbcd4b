// Each mark of the past is in the key to the marks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import '../kit/words-past.js';
import { t } from '../kit/i18n.js';
import { marks, markOf, marksIn } from './keymarks.js';

const names = marks.map(([name]) => name);

test('each kind of span has a mark, or is words alone', () => {
  const types = readFileSync(new URL('../wire/types.js', import.meta.url), 'utf8').replaceAll(/\n \* +/g, ' ');
  const [, list] = /@typedef {object} Span @property {([^}]*)} kind/.exec(types) ?? ['', ''];
  const kinds = [...list.matchAll(/\w+/g)].map(String);
  assert.ok(kinds.length > 10);
  for (const kind of kinds) assert.ok(!markOf(kind) || names.includes(markOf(kind)), `the key lacks ${kind}`);
});

test('each mark has words and a look', () => {
  const css = readFileSync(new URL('../tracks.css', import.meta.url), 'utf8');
  for (const [name, , look] of marks) {
    assert.notEqual(t(`keymarks.${name}`), `keymarks.${name}`);
    assert.ok(css.includes(`.km-${look}`), `.km-${look}`);
  }
});

test('the line has the marks that are in the picture', () => {
  const row = { id: '0.work', spans: [{ kind: 'retry' }, { kind: 'failed' }, { kind: 'burst' }, { kind: 'read' }, { kind: 'read', behind: 2 }], keyed: true, columns: new Map([[1, [1, [], [0, 2], -1, [0]]]]) };
  const model = { past: { rows: [row], journey: { stops: [] } }, fork: null };
  const quiet = marksIn({ past: { rows: [], journey: null }, fork: null }, new Set());
  const others = (drawn) => [...marksIn(model, new Set(drawn))].filter((mark) => mark && !quiet.has(mark));
  assert.deepEqual(others(['0.work']), ['retry', 'failed', 'read', 'readOld', 'notch', 'followed']);
  assert.deepEqual(others([]), ['followed'], 'a row that is not drawn has no marks');
  const pile = (toMillis) => marksIn({ past: { rows: [{ ...row, spans: [{ kind: 'pile', toMillis }] }], journey: null }, fork: null }, new Set(['0.work']));
  assert.ok(pile(5).has('waited') && !pile(null).has('waited'), 'what waited is half as bright');
  const crowd = { api: { crowd: { lists: { requests: [900] } } } };
  assert.deepEqual([...marksIn({ ...model, state: crowd }, new Set())].slice(-2), ['list', 'unjittered']);
});
