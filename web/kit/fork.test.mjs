// The names of a fork's lanes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laneWords } from './fork.js';

const ctx = { model: { state: { listeners: [{ id: 3, name: 'mailer' }] } } };

test('the second lane is named by what only it knows', () => {
  for (const [acts, words] of [
    ['5210:fault:cut', 'with the watch cut'], ['fault:refuse:off', 'without “refuse”'], ['compact', 'with the history compacted'],
    ['9:hold:deliver:3', 'held before mailer'], ['9:release:pop:0', 'with Pop released'], ['pace:3:500', 'mailer, 500 ms a call'],
    ['pace:3:0', 'mailer, no extra time'], ['7:shutdown,8:start::1.31', 'as client-go 1.31'], ['unlisten:2,listen:my~20own:0:0', 'my own without resync'],
    ['unlisten:3,listen:mailer:0:30000', 'mailer with a resync'], ['burst:5', 'with one more act'],
  ]) assert.equal(laneWords(ctx, acts), words);
});

test('a name that a link damaged stays as it is', () => {
  assert.equal(laneWords(ctx, 'unlisten:3,listen:~ff~'), '~ff~ without resync');
  assert.equal(laneWords(ctx, ''), 'with one more act');
});
