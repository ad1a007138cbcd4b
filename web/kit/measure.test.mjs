import assert from 'node:assert/strict';
import { test } from 'node:test';

// Without a canvas each character is 6.5 units wide.
globalThis.document = { createElement: () => ({ getContext: () => null }), fonts: { addEventListener() {} }, body: {} };
globalThis.getComputedStyle = () => ({ fontFamily: '' });
const { distinctPart, fit, fitMiddle, width, wrap, wrapClauses } = await import('./measure.js');

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

test('a sentence is broken where its clauses end, if they fit', () => {
  assert.deepEqual(wrapClauses('one two: three four', 13 * 6.5, 2, '12px'), ['one two:', 'three four']);
  assert.deepEqual(wrap('one two three four', 9 * 6.5, 2), ['one two', 'three fo…']);
  assert.equal(fit('abcdef', 4 * 6.5), 'abc…');
});

test('a long name is cut in its middle', () => {
  assert.equal(fitMiddle('abcdef', 6 * 6.5), 'abcdef');
  assert.equal(fitMiddle('pod · Watches ConfigMap', 9 * 6.5), 'pod …gMap');
  for (let room = 3; room < 23; room++) {
    const [head, tail] = fitMiddle('pod · Watches ConfigMap', room * 6.5).split('…');
    assert.ok('pod · Watches ConfigMap'.startsWith(head) && 'pod · Watches ConfigMap'.endsWith(tail) && head.length + tail.length === room - 1);
  }
});

test('two names never look the same', () => {
  const own = (name) => name.slice(name.lastIndexOf('.') + 1);
  const cut = (name) => fitMiddle(name, 9 * 6.5);
  const all = ['x.handler', 'y.handler', 'handler', 'pod · Watches ConfigMap', 'pod · Watches StaticMap and its gMap', 'z.short'];
  const shown = all.map((name, i) => distinctPart(name, i + 1, all, own, cut));
  assert.equal(new Set(shown).size, all.length, shown.join(', '));
  assert.deepEqual([shown[0], shown[2], shown[5]], ['1 handler', 'handler', 'short']);
  assert.deepEqual(shown.slice(3, 5), ['4 po…gMap', '5 po…gMap']);
});
