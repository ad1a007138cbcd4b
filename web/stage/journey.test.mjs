// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../kit/words-past.js';
import { drawJourney } from './journey.js';

/** A pen that keeps its lines, dots and words. A ms is a pixel. */
function recording(bg = '#0B0E12') {
  const lines = /** @type {(string | number[])[][]} */ ([]);
  const dots = /** @type {(number | string)[][]} */ ([]);
  const words = /** @type {string[]} */ ([]);
  const pen = {
    k: 1, now: 500, colour: { bg, acc: 'acc', t1: 't1', t2: 't2' }, scene: { xOf: (/** @type {number} */ ms) => ms }, x: (/** @type {number} */ ms) => ms,
    stroke: (/** @type {number[]} */ points, /** @type {string} */ ink) => lines.push([ink, points]),
    upright: (/** @type {number} */ x, /** @type {number} */ y0, /** @type {number} */ y1, /** @type {string} */ ink) => lines.push([`dots ${ink}`, [x, y0, y1]]),
    dot: (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ ink) => dots.push([x, y, ink]),
    say: (/** @type {string[]} */ [first]) => words.push(first),
  };
  return { pen: /** @type {import('./pen.js').Pen} */ (/** @type {unknown} */ (pen)), lines, dots, words };
}

const rows = ['cluster', '0.reflector', '0.queue', '0.indexer', '0.handler.1', '0.handler.2', '0.work'];
/** @param {string} id */
const placeOf = (id) => (rows.includes(id) ? { y: rows.indexOf(id) * 10, station: id.replace(/^0\./, '').replace(/\.\d$/, '') } : null);
/** @param {string} row @param {number} cameMillis @param {number | null} [leftMillis] @param {number | null} [endMillis] */
const stop = (row, cameMillis, leftMillis = null, endMillis = null) => ({ row, cameMillis, leftMillis, endMillis });
const stops = [
  stop('cluster', 100, 101), stop('0.reflector', 101, 101), stop('0.queue', 101, 103), stop('0.indexer', 103, 103),
  stop('0.handler.1', 103, 104, 104.005), stop('0.handler.2', 103, 104, 106), stop('0.work', 104, 105, 109.1),
];
const journey = { key: 'shop/cart', rv: '470', op: 'Updated', stops };

test('a followed change has a dot in each row, at its time', () => {
  const { pen, dots } = recording();
  drawJourney(pen, journey, placeOf, '0.handler.1');
  assert.deepEqual(dots, [
    [100, 0, 'acc'], [101, 10, 'acc'], [101, 20, 'acc'], [103, 30, 'acc'], [104, 40, 'acc'], [104, 50, 'acc'], [105, 60, 't2'],
  ]);
});

test('its times are in words, from the moment of the change', () => {
  const { pen, words } = recording();
  drawJourney(pen, journey, placeOf, '0.handler.1');
  assert.deepEqual(words, [
    'Updated shop/cart', '+1 ms', '+1 ms, waits 2 ms', '+3 ms', '+4 ms, call 5 µs', '+4 ms, call 2 ms', '+5 ms, reconcile 4.1 ms',
  ]);
});

test('it goes level where it waits, and from the store to the handlers in dots', () => {
  const { pen, lines } = recording();
  drawJourney(pen, journey, placeOf, '0.handler.1');
  assert.ok(lines.some(([ink, points]) => ink === 'acc' && String(points) === '101,20,103,20'));
  assert.deepEqual(lines.at(-1), ['dots acc', [103, 30, 50]]);
  assert.deepEqual(lines.filter(([ink]) => ink === 't2'), [['t2', [104, 40, 104, 60, 105, 60]]], 'its key comes from the handler that feeds the queue');
});

test('what has not happened is not drawn', () => {
  const { pen, dots, words } = recording();
  drawJourney(pen, { ...journey, stops: stops.slice(0, 2).concat(stop('0.queue', 101)) }, placeOf, undefined);
  assert.equal(dots.length, 3);
  assert.equal(words.at(-1), '+1 ms, waits 399 ms');
});

test('on white the line is dark, on a band', () => {
  const { pen, lines } = recording('#FFF');
  drawJourney(pen, journey, placeOf, undefined);
  assert.deepEqual(lines.slice(0, 2), [['acc', [100, 0, 101, 0]], ['t1', [100, 0, 101, 0]]]);
});
