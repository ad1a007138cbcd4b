// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actWords } from './acts.js';

const name = (/** @type {number} */ id) => ['', 'printer', 'mailer'][id];
const words = (/** @type {string} */ act) => actWords(act, '', name);

test('an act has words', () => {
  assert.equal(words('burst:1000'), 'you: burst of 1,000');
  assert.equal(words('hold:pop'), 'you: hold Pop');
  assert.equal(words('hold:deliver:2'), 'you: hold before mailer');
  assert.equal(words('release:pop:1'), 'you: let 1 through');
  assert.equal(words('release:pop:0'), 'you: let all through');
  assert.equal(words('pace:2:2000'), 'you: mailer takes 2.0 s a call');
  assert.equal(words('fault:410'), 'you: 410 Gone for the watch');
  assert.equal(words('fault:refuse:off'), 'you: connections are refused: off');
  assert.equal(words('listen:my~20handler'), 'you: a handler “my handler” added');
  assert.equal(words('scale:web:3'), 'you: scale web 3');
});

test('another author is named, and a note is its own words', () => {
  assert.equal(actWords('scales web to 3', 'kubectl', name), 'kubectl: scales web to 3');
  assert.equal(actWords('watch this', 'note', name), 'watch this');
});
