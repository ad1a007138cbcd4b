// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document ??= /** @type {any} */ ({
  fonts: { addEventListener() {} }, createElement: () => ({ getContext: () => null }), body: {},
});
globalThis.getComputedStyle ??= /** @type {any} */ (() => ({ fontFamily: 'sans' }));
const { Past } = await import('./past.js');
const { History } = await import('../wire/past.js');
const { Failures } = await import('../page/failures.js');

/** @typedef {import('../wire/types.js').Column} Column */

/** A canvas that counts what is drawn on it and keeps its words. */
function canvas(width = 1, height = 1) {
  const calls = /** @type {Record<string, number>} */ ({});
  const words = /** @type {string[]} */ ([]);
  const cx = new Proxy(/** @type {any} */ ({}), {
    get: (o, name) => (name in o ? o[name] : (/** @type {unknown[]} */ ...args) => {
      calls[String(name)] = (calls[String(name)] ?? 0) + 1;
      if (name === 'fillText') words.push(String(args[0]));
    }),
    set: (o, name, value) => {
      o[name] = value;
      return true;
    },
  });
  return { width, height, style: {}, getContext: () => cx, calls, words };
}

/** A past with a queue and a handler. */
function stage({ still = false } = {}) {
  const past = new History();
  const pictures = /** @type {ReturnType<typeof canvas>[]} */ ([]);
  const shown = canvas();
  const failures = new Failures(/** @type {any} */ ({}), /** @type {any} */ (null));
  failures.report = () => {};
  const ctx = { model: { past }, scene: { colour: { rail: 'r', t1: 't' } }, attempt: failures.attempt.bind(failures) };
  const drawn = new Past(/** @type {any} */ (ctx), /** @type {any} */ (shown), {
    still: () => still,
    make: /** @type {any} */ ((/** @type {number} */ w, /** @type {number} */ h) => {
      const one = canvas(w, h);
      pictures.push(one);
      return one;
    }),
  });
  drawn.lay({ x: 100, y: 0, w: 200, h: 300, k: 1 }, 1);
  drawn.place([{ id: '0.queue', y: 30, h: 100 }, { id: '0.handler.1', y: 150, h: 40 }]);
  return { past, drawn, shown, pictures };
}

/** How many columns of the queue each painting from now on draws. @param {ReturnType<typeof stage>['drawn']} drawn */
function countColumns(drawn) {
  const strip = drawn.strips.get('0.queue');
  assert.ok(strip);
  const counts = /** @type {number[]} */ ([]);
  const draw = strip.draw.bind(strip);
  strip.draw = (...args) => {
    counts.push(draw(...args));
    return counts[counts.length - 1];
  };
  return { strip, counts };
}

/** @param {object} [queue] @param {object} [frame] */
const frame = (queue, frame) => /** @type {import('../wire/types.js').Past} */ ({
  reset: false, stepMillis: 10, first: 0, from: 0, last: 99, ...frame, rows: [
    { id: '0.queue', station: 'queue', lane: 0, waiting: 0, oldestMillis: null, highest: 0, ...queue },
    { id: '0.handler.1', station: 'handler', lane: 0, listener: 1, name: 'mailer', waiting: 0, oldestMillis: null, highest: 0 },
  ],
});
/** @param {number} n @returns {Column} */
const column = (n) => [n, [2, 1], [], -1, []];

test('a window has as many columns as fit', () => {
  const { drawn } = stage();
  assert.equal(drawn.columns, 100);
  assert.equal(drawn.lay({ x: 0, y: 0, w: 1611, h: 2160, k: 3 }, 1), 268);
});

test('a frame draws the columns that came, and no others', () => {
  const { past, drawn } = stage();
  past.apply(frame({ columns: [1, 5, 99].map(column) }, { reset: true }));
  drawn.paint(0, 1000);
  const { counts } = countColumns(drawn);
  past.apply(frame({ columns: [[99, [2, 4], [], -1, []], column(100)] }, { from: 98, last: 100 }));
  drawn.paint(16, 1010);
  assert.deepEqual(counts, [2], 'the newest is another, and one is new');
  drawn.paint(32, 1015);
  assert.deepEqual(counts, [2, 1], 'a new one begins, in which nothing is known yet');
});

/** A pile of so many in a column. @param {number} n @param {number} high @returns {Column} */
const pile = (n, high) => [n, [], [2, high], -1, []];

test('another scale is drawn some columns a frame, and the others are stretched to it', () => {
  const { past, drawn, shown } = stage();
  const apply = (/** @type {number} */ high, /** @type {number} */ last) => past.apply(frame(
    { columns: high ? [pile(last, high)] : Array.from({ length: 100 }, (_, n) => pile(n, 8)), waiting: high || 8, highest: high || 8, oldestMillis: 0 },
    { reset: !high, from: high ? last : 0, last }));
  apply(0, 99);
  drawn.paint(0, 1000);
  drawn.paint(2000, 1000);
  const { strip, counts } = countColumns(drawn);
  const unit = strip.units[5];
  apply(30, 100);
  assert.ok(drawn.paint(2016, 1010), 'another frame is due');
  assert.ok(drawn.unit < unit, 'the scale is another');
  assert.equal(counts[0], 41, 'some columns, and the one that came');
  const old = strip.zones(drawn.runs.get('0.queue') ?? [], 1, 101, () => drawn.unit);
  assert.deepEqual(old.map((z) => z.stretch), [1, drawn.unit / unit, 1], 'the rest are stretched');
  drawn.paint(2100, 1010);
  const copies = shown.calls.drawImage;
  drawn.paint(2400, 1010);
  assert.deepEqual(counts, [41, 40, 19], 'when the scale stands, all is drawn in it');
  assert.ok(shown.calls.drawImage > copies);
  assert.equal(drawn.paint(2420, 1010), false);
});

test('a row that gets more room keeps what is drawn', () => {
  const { past, drawn, pictures } = stage();
  past.apply(frame({ columns: [1, 5, 99].map((n) => pile(n, 8)) }, { reset: true }));
  drawn.paint(0, 1000);
  const { counts } = countColumns(drawn);
  const many = pictures.length;
  drawn.place([{ id: '0.queue', y: 30, h: 200 }, { id: '0.handler.1', y: 240, h: 40 }]);
  drawn.paint(5000, 1000);
  assert.equal(pictures.length, many + 1, 'its picture is larger');
  assert.equal(pictures[many].calls.drawImage, 1);
  assert.deepEqual(counts, [0]);
});

test('nothing is drawn while nothing changes', () => {
  const { past, drawn, shown } = stage();
  past.apply(frame({ columns: [column(99)] }, { reset: true }));
  drawn.paint(0, 1000);
  const before = shown.calls.clearRect;
  assert.equal(drawn.paint(16, 1000), false);
  assert.equal(shown.calls.clearRect, before);
  assert.equal(drawn.stepOf(1), 5, 'a column is two pixels wide');
  assert.equal(drawn.stepOf(4), 1.25);
  assert.equal(drawn.stepOf(0.5), 25, 'what moves slowly is drawn in every second animation frame');
});

test('a window in which nothing was is not drawn again as time passes', () => {
  const { past, drawn, shown } = stage();
  past.apply(frame({ columns: [column(150)] }, { reset: true, last: 200 }));
  const ends = (/** @type {number} */ clock, /** @type {number} */ now) => {
    const before = shown.calls.clearRect ?? 0;
    drawn.paint(clock, now);
    return (shown.calls.clearRect ?? 0) - before;
  };
  ends(0, 2480);
  assert.equal(ends(2000, 2490), 1, 'the column moves');
  assert.equal(drawn.stepOf(1), 5);
  assert.equal(drawn.stepOf(0.5), 50, 'what is left of it moves in fewer');
  ends(3000, 2600);
  assert.equal(ends(3016, 2620), 0, 'nothing is in the window');
  assert.equal(drawn.stepOf(1), Infinity);
  assert.equal(drawn.shown.moment, 2620, 'who points at it points at what the rail shows');
  past.apply(frame({ spans: [{ kind: 'hold', fromMillis: 2610, toMillis: null }] }, { from: 200, last: 262 }));
  assert.equal(ends(3032, 2630), 1, 'a hold begins');
  assert.equal(ends(3064, 2650), 1, 'and grows');
  drawn.live = false;
  past.apply(frame({ spans: [] }, { from: 262, last: 264 }));
  ends(3080, 2660);
  assert.equal(ends(3096, 2690), 1, 'where words at the rail say which moment it is, they move on');
});

test('with reduced motion the past moves once a second', () => {
  const { past, drawn, shown } = stage({ still: true });
  past.apply(frame({ columns: [column(99)] }, { reset: true }));
  drawn.paint(0, 1000);
  const before = shown.calls.clearRect;
  for (let clock = 16; clock < 1000; clock += 16) drawn.paint(clock, 1000 + clock);
  assert.equal(shown.calls.clearRect, before);
  assert.equal(drawn.stepOf(1), 1000);
  drawn.paint(1000, 2000);
  assert.equal(shown.calls.clearRect, before + 1);
});

test('a row that throws is drawn as failed, and the others go on', (t) => {
  const { past, drawn, shown } = stage();
  t.mock.method(console, 'error', () => {});
  past.apply(frame({ columns: [column(99)] }, { reset: true }));
  past.rows[0].spans = /** @type {any} */ ([{ get kind() { throw new Error('broken'); } }]);
  drawn.paint(0, 1000);
  assert.ok(shown.words.includes('cannot be drawn'));
  assert.ok(drawn.strips.has('0.handler.1'));
  drawn.paint(16, 1010);
  assert.equal(/** @type {any} */ (console.error).mock.callCount(), 1, 'it is said once');
});

test('what is at a place is what is drawn there', () => {
  const { past, drawn } = stage();
  past.apply(frame({ waiting: 3, highest: 3, columns: [[98, [1, 4], [], -1, []], [99, [], [2, 2, 1, 1], -1, []]], spans: [
    { kind: 'hold', fromMillis: 990, toMillis: null },
  ] }, { reset: true }));
  drawn.paint(0, 1000);
  const pile = drawn.at(299, 130 - 18 - 20);
  assert.deepEqual(pile?.what.pile, { place: 2, op: 1, of: 3 });
  assert.equal(pile?.column, 99);
  assert.equal(pile?.row.id, '0.queue');
  assert.equal(drawn.at(299, 125)?.what.span?.kind, 'hold');
  assert.deepEqual(drawn.at(297, 100)?.what.passes, [1, 4]);
  assert.equal(drawn.at(299, 140), null, 'between two rows');
  assert.equal(drawn.at(50, 100), null, 'before the window');
});

test('what is written over the axis begins at its place', () => {
  const { past, drawn, shown } = stage();
  past.apply(frame());
  drawn.paint(0, 1000);
  assert.equal(shown.getContext().textAlign, 'left');
});
