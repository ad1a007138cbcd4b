// What the clock of the eye promises: node --test web/*/*.test.mjs
import assert from 'node:assert/strict';
import test from 'node:test';

globalThis.matchMedia = () => ({ matches: false });
const { departures, Eye, lap, legs } = await import('./eye.js');

const frame = (...paths) => ({ view: {}, lanes: [{ moves: paths.map((p) => ({ p, s: 1 })) }] });

/** An eye with a view, and a function that lets some animation frames pass. */
function open(view = { mode: 'live', speed: 1 }) {
  const eye = new Eye(() => view);
  let clock = 1000;
  eye.advance(clock);
  return { eye, view, get clock() { return clock; }, pass: (n) => { while (n--) eye.advance((clock += 16)); } };
}

test('each leg begins where the one before it ends', () => {
  let at = 0;
  for (const [path, millis] of Object.entries(legs)) {
    assert.equal(departures[path], at);
    at += millis;
  }
  assert.equal(lap, at);
});

test('it stands while nothing travels, and runs while something does', () => {
  const e = open();
  e.pass(10);
  assert.equal(e.eye.time, 0);
  e.eye.note(frame('wire'), e.clock);
  e.pass(10);
  assert.equal(Math.round(e.eye.time), 160);
});

test('what begins on the way begins at once', () => {
  const e = open();
  e.eye.note(frame('fan', 'next'), e.clock);
  assert.equal(e.eye.born + departures.fan, e.eye.time);
});

test('a pause stops it, and a step lets what it moves arrive', () => {
  const e = open();
  e.eye.note(frame('wire'), e.clock);
  e.pass(5);
  e.view.mode = 'paused';
  e.eye.frozen = true;
  const stood = e.eye.time;
  e.pass(20);
  assert.equal(e.eye.time, stood);
  e.eye.note(frame('store'), e.clock); // the worker's last frame before the pause
  e.pass(20);
  assert.equal(e.eye.time, stood);
  e.eye.frozen = false;
  e.eye.note(frame('store'), e.clock);
  e.pass(400);
  assert.equal(e.eye.busy, false);
  assert.equal(e.eye.frozen, false);
});

test('what was on its way when the view came to its end arrives', () => {
  const e = open();
  e.eye.note(frame('wire'), e.clock);
  e.pass(5);
  e.view.mode = 'paused';
  e.pass(400);
  assert.equal(e.eye.busy, false);
});

test('it runs while stations wait for moves that are not drawn', () => {
  const e = open();
  e.eye.note({ view: { reached: {} }, born: 0, lanes: [] }, e.clock);
  assert.equal(e.eye.busy, true);
  e.pass(400);
  assert.equal(e.eye.time, lap);
});

test('it goes faster at ten changes a second, and no station waits at sixty', () => {
  const e = open();
  for (let i = 0; i < 10; i++) {
    e.eye.note(frame('wire', 'store', 'pop'), e.clock);
    e.pass(6);
  }
  assert.ok(e.eye.waits && e.eye.pace > 3.4 && e.eye.pace <= 3.5, `pace ${e.eye.pace}`);
  assert.ok(e.eye.next > e.eye.time);
  for (let i = 0; i < 30; i++) {
    e.eye.note(frame('wire'), e.clock);
    e.pass(1);
  }
  assert.equal(e.eye.waits, false);
  assert.equal(e.eye.next, -1);
  e.pass(80);
  assert.equal(e.eye.waits, true);
});

test('no station waits while each frame has many changes, however rare frames are', () => {
  for (const frames of [8, 14, 30]) {
    const e = open();
    for (let i = 0; i < 5 * frames; i++) {
      e.eye.note({ view: {}, lanes: [{ moves: [{ p: 'wire', s: 1, n: 60 }, { p: 'wire', s: 1 }] }] }, e.clock);
      e.pass(Math.round(60 / frames));
      assert.ok(i < frames || !e.eye.waits, `${frames} frames a second: it waits at frame ${i}`);
    }
  }
});

test('a burst in one frame, and ten changes a second of two lanes with three listeners, are waited for', () => {
  const e = open();
  e.eye.note({ view: {}, lanes: [{ moves: [{ p: 'store', s: 1, n: 300 }] }] }, e.clock);
  e.pass(1);
  assert.ok(e.eye.waits);
  const lane = { moves: [1, 2, 3].map((l) => ({ p: 'fan', s: 1, l })) };
  for (let i = 0; i < 30; i++) {
    e.eye.note({ view: {}, lanes: [lane, lane] }, e.clock);
    e.pass(6);
    assert.ok(e.eye.waits && e.eye.rate <= 11, `change ${i}`);
  }
});

test('nothing waits at eight times the speed, and half of it takes longer', () => {
  const fast = open({ mode: 'playing', speed: 8 });
  fast.pass(1);
  assert.equal(fast.eye.waits, false);
  const slow = open({ mode: 'playing', speed: 1 / 4 });
  slow.eye.note(frame('wire'), slow.clock);
  slow.pass(10);
  assert.equal(Math.round(slow.eye.time), 80);
});

test('a jump leaves nothing on its way', () => {
  const e = open();
  e.eye.note(frame('wire'), e.clock);
  e.pass(3);
  e.eye.note({ view: {}, jump: true, lanes: [] }, e.clock);
  assert.equal(e.eye.busy, false);
});
