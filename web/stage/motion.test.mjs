// How moves become chips, and where each is at a moment of the eye's clock.
import assert from 'node:assert/strict';
import test from 'node:test';

globalThis.document = { fonts: { addEventListener: () => {} } };
globalThis.OffscreenCanvas = class {};
const { Motion } = await import('./motion.js');
const { departures, lap, legs } = await import('../wire/eye.js');

/** A motion on one straight way of 300 units, whose clock the test sets. */
function open({ selected = '' } = {}) {
  const eye = { time: 0, born: 0, runs: true, still: { matches: false }, keep: () => {} };
  const motion = new Motion({ eye, selected: () => selected, model: { view: { mode: 'live', speed: 1 } }, scene: { colour: {} } }, null);
  motion.isVisible = true;
  const route = (m) => (m.p === 'nowhere' ? null : [0, 0, 300, 0]);
  return { eye, motion, add: (...moves) => motion.add(moves, route) };
}

const wire = (k, rv) => ({ p: 'wire', k, rv, o: 'Updated', s: Number(rv) });

test('a chip runs along its way in the time of its leg', () => {
  const { eye, motion, add } = open();
  add({ ...wire('a', '7'), p: 'store' });
  assert.deepEqual(motion.chips(), [], 'it has not set out');
  eye.time = departures.store + legs.store / 2;
  assert.deepEqual(motion.chips(), [{ path: 'store', key: 'a', versions: ['7'], share: 0.5, n: 1 }]);
  eye.time = departures.store + legs.store;
  assert.deepEqual(motion.chips(), [], 'it has arrived');
});

test('changes that would overlap are one stack, which counts them and has their versions', () => {
  const { eye, motion, add } = open();
  add(wire('a', '1'), wire('b', '2'), { ...wire('c', '3'), o: 'Deleted', n: 4, mix: { Deleted: 4 } });
  eye.time = 10;
  const [stack, ...others] = motion.chips();
  assert.deepEqual(others, []);
  assert.deepEqual([stack.n, stack.versions], [6, ['1', '2', '3']]);
  assert.deepEqual(motion.live[0].mix, { Updated: 2, Deleted: 4 });
  assert.equal(motion.live[0].kind, 'del', 'it has the colour of most of them');
  assert.deepEqual(motion.tally(), { all: 6, merged: 6 });
});

test('the selected object is never part of a stack', () => {
  const { eye, motion, add } = open({ selected: 'b' });
  add(wire('a', '1'), wire('b', '2'), wire('c', '3'));
  eye.time = 10;
  assert.deepEqual(motion.chips().map((c) => [c.key, c.n]), [['a', 2], ['b', 1]]);
});

test('a change that travels alone is large, and no longer when another one joins it', () => {
  const { motion, add } = open();
  add(wire('a', '1'));
  assert.deepEqual([motion.live[0].hero, motion.live[0].size], [true, motion.plan.hero]);
  add(wire('b', '2'));
  assert.deepEqual([motion.live[0].hero, motion.live[0].size], [false, motion.plan.size]);
});

test('what a write causes comes a lap after it', () => {
  const { motion, add } = open();
  add({ p: 'write', k: 'a', s: 1 }, { ...wire('a', '2'), p: 'store' });
  const [write, echo] = motion.live;
  assert.equal(write.start, departures.write);
  assert.equal(echo.start, departures.store + lap);
});

test('a move without a way and a hidden layout have no chips', () => {
  const { motion, add } = open();
  add({ p: 'nowhere', k: 'a', s: 1 });
  assert.equal(motion.live.length, 0);
  motion.show(false);
  add(wire('a', '1'));
  assert.equal(motion.live.length, 0);
});

test('however many moves come, there is room for 400 chips', () => {
  const { eye, motion, add } = open();
  for (let i = 0; i < 1000; i++) {
    eye.born = i * 1000;
    add(wire(`o${i}`, String(i)));
  }
  assert.ok(motion.live.length > 300 && motion.live.length <= 401, `${motion.live.length} chips`);
});

test('a held change stands before its hold, and goes on from there', () => {
  const { eye, motion, add } = open();
  const route = () => [0, 0, 300, 0];
  motion.stand([{ stage: 'store', key: 'a', op: 'Updated', rv: '7' }], route, () => [200, 0]);
  const [held] = motion.standing.values();
  assert.equal(held.to, (200 - motion.plan.hero / 2 - 6) / 300);
  eye.time = 100;
  add({ ...wire('a', '7'), p: 'store' });
  assert.equal(motion.live[0].from, held.to);
  motion.stand([], route, () => [200, 0]);
  assert.equal(motion.standing.size, 0);
});

test('the name of a large chip covers neither names of stations that recede nor numbers, nor a station of an upright rail', () => {
  const { motion } = open();
  const boxes = [];
  const cx = { beginPath: () => {}, roundRect: (...box) => boxes.push(box), fill: () => {}, stroke: () => {}, fillText: () => {}, measureText: () => ({ width: 100 }) };
  motion.surface = { units: () => cx, right: 1280 };
  motion.plan = { ...motion.plan, nodes: true, between: [61, 141] };
  motion.strength = (x) => (x < 300 ? 0.4 : 1);
  const tag = (p, x) => motion.tag({ key: 'a', p, size: 56, to: 1, pts: [0, 152, 300, 152], kind: 'upd' }, x, 152);
  tag('store', 200);
  tag('store', 340);
  tag('store', 500);
  tag('wire', 500);
  assert.deepEqual(boxes.map(([, top]) => top > 152), [true, true, false, true]);
  for (const y of [46, 68, 108, 190]) motion.tag({ key: 'a', p: 'wire', size: 28, to: 1, pts: [32, 46, 32, 92], kind: 'upd' }, 32, y);
  assert.deepEqual(boxes.slice(4).map(([, top, , tall]) => top + tall / 2), [61, 61, 141, 190]);
});

test('what is on its way runs on when the stations move', () => {
  const { eye, motion, add } = open();
  add({ ...wire('a', '7'), p: 'store' });
  eye.time = departures.store + legs.store / 2;
  const flying = motion.live.slice();
  motion.surface = { lay: () => {} };
  motion.lay({ ...motion.plan, hero: 56 }, []);
  assert.deepEqual(motion.chips(), []);
  motion.resume(flying, () => [0, 100, 900, 100]);
  assert.deepEqual([motion.chips()[0].share, motion.live[0].len, motion.live[0].size], [0.5, 900, 56]);
});
