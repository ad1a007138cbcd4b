import assert from 'node:assert/strict';
import { test } from 'node:test';

// Without a canvas each character is 6.5 units wide.
globalThis.document = { createElement: () => ({ getContext: () => null }), fonts: { addEventListener() {} }, body: {} };
globalThis.getComputedStyle = () => ({ fontFamily: '' });
const { fit, width, wrap } = await import('./measure.js');

test('a mark that closes goes with what it closes, and the line is not cut for it', () => {
  const said = '共五字节 JSON。丢掉这些。';
  assert.deepEqual(wrap(said, 9 * 6.5, 3), ['共五字节', 'JSON。丢掉这', '些。']);
  for (let room = 6; room < 20; room++) {
    const lines = wrap(said, room * 6.5, 20);
    assert.equal(lines.join('').replaceAll(' ', ''), said.replaceAll(' ', ''), `${room} characters a line`);
    for (const line of lines) {
      assert.ok(width(line) <= room * 6.5, line);
      assert.doesNotMatch(line, /^[，。：；、）]/);
    }
  }
});

test('a sentence is cut where its room ends', () => {
  assert.deepEqual(wrap('one two three four', 9 * 6.5, 2), ['one two', 'three fo…']);
  assert.equal(fit('abcdef', 4 * 6.5), 'abc…');
});
