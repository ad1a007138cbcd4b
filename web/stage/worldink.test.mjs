// What is drawn of a light, and of a difference: one cannot be taken for the other.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drawCell, drawLight, looks } from './worldink.js';

/** A canvas that keeps what is filled and what is outlined, with its colour and how bright it is. */
function recording() {
  const filled = [];
  const outlined = [];
  const cx = {
    globalAlpha: 1, fillStyle: '', strokeStyle: '', lineWidth: 1, clearRect() {},
    fillRect(x, y, w, h) { filled.push({ colour: this.fillStyle, alpha: this.globalAlpha, w, h }); },
    strokeRect(x, y, w, h) { outlined.push({ colour: this.strokeStyle, wide: this.lineWidth, w, h }); },
  };
  return { cx, filled, outlined };
}
const palette = { h1: 'h1', h2: 'h2', upd: 'upd', add: 'add', del: 'del', t2: 't2' };

test('a light is a fine grey line, and the cell stays what it was', () => {
  for (const size of [6, 11, 31]) {
    const { cx, filled, outlined } = recording();
    drawLight(cx, palette, 0, 0, size, 1, false);
    assert.deepEqual(filled, []);
    assert.deepEqual(outlined.map(({ colour }) => colour), ['t2']);
    const { cx: other, filled: edges } = recording();
    drawCell(other, palette, 0, 0, size + 1, size, looks.store.older, false);
    assert.ok(edges.slice(1).every(({ colour }) => colour === 'upd'), 'a difference has a colour');
    assert.ok(outlined[0].wide <= Math.min(...edges.slice(1).flatMap(({ w, h }) => [w, h])), 'a light is no wider than the line of a difference');
    assert.equal(cx.globalAlpha, 1);
  }
});

test('where there is no room for a line, a square is a little brighter', () => {
  for (const [size, several] of [[3, false], [7, true]]) {
    const { cx, filled, outlined } = recording();
    drawLight(cx, palette, 0, 0, size, 1, several);
    assert.deepEqual(outlined, []);
    assert.ok(filled.length === 1 && filled[0].alpha < 0.3);
  }
});
