// The line of time: it grows in steps, forgets at the left, and its two directions agree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Span } from './span.js';

const box = { left: 100, edge: 1100, least: 10_000 };

/** A model whose newest moment is `head`, with nothing before `first` kept. */
function model(head, first = 0, kind = 'sim') {
  return { view: { mode: 'paused', headMillis: head, first: first > 0 ? 5 : 1 }, firstMillis: first, state: { source: { kind } }, now: () => head };
}

test('a moment lies where the line says that it lies', () => {
  const span = new Span(box);
  span.see(model(25_000), 0);
  for (const ms of [0, 1, 12_345, 25_000]) assert.ok(Math.abs(span.millisAt(span.x(ms)) - ms) < 1e-6);
  assert.equal(span.x(span.from), box.left);
  assert.equal(span.x(span.from + span.total), box.edge);
});

test('the scale stays while there is room, and grows in steps', () => {
  const span = new Span(box);
  const totals = new Set();
  for (let head = 0; head <= 60_000; head += 100) {
    span.see(model(head), 0);
    assert.ok(span.x(head) <= box.edge, `${head} lies beyond the right end`);
    totals.add(span.total);
  }
  assert.ok(totals.size < 15, `${totals.size} scales in a minute`);
});

test('what was dropped leaves a strip at the left', () => {
  const span = new Span(box);
  for (let first = 1000; first < 30_000; first += 50) {
    span.see(model(first + 20_000, first), 0);
    assert.ok(span.x(first) > box.left, `the first moment lies at ${span.x(first)}`);
    assert.ok(span.x(first + 20_000) <= box.edge);
  }
});

test('a recording fills the line from end to end', () => {
  const span = new Span(box);
  span.see(model(4000, 0, 'file'), 0);
  assert.equal(span.x(0), box.left);
  assert.equal(span.x(4000), box.edge);
});
