import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.document = { hidden: false };
const { SecondOpinion } = await import('./opinion.js');

/** A page on a live cluster at 100 s of its log, of which the newest thing came at 10 s. */
function page() {
  const asked = [];
  const ctx = {
    follower: false, asked,
    model: { epoch: 1, view: { mode: 'live', headMillis: 100_000 }, state: { source: { kind: 'live' }, world: { watched: true, cameMillis: 10_000 } } },
    now: () => ctx.model.view.headMillis,
    call: async (name, most) => {
      asked.push([name, most]);
      return { atMillis: ctx.model.view.headMillis, opinions: [], findings: [] };
    },
    repaint: () => {},
  };
  return ctx;
}

test('the page asks by itself, once in a silence', async () => {
  const ctx = page();
  const opinion = new SecondOpinion(ctx);
  opinion.watch();
  opinion.watch();
  await Promise.resolve();
  assert.deepEqual(ctx.asked, [['compare', 5000]]);
  assert.equal(opinion.now?.atMillis, 100_000);
  ctx.model.state.world.cameMillis = 101_000;
  ctx.model.view.headMillis = 110_000;
  opinion.watch();
  assert.equal(opinion.now, null, 'something has come since');
  assert.equal(ctx.asked.length, 1);
  ctx.model.view.headMillis = 180_000;
  opinion.watch();
  assert.equal(ctx.asked.length, 2, 'another silence');
});

test('it does not ask by itself where nobody looks, or nothing is to be said', () => {
  for (const change of [
    (c) => (c.follower = true), (c) => (c.model.state.source.kind = 'sim'), (c) => (c.model.state.world.watched = false),
    (c) => (c.model.view.mode = 'paused'), (c) => (c.model.view.headMillis = 84_000), () => (document.hidden = true),
  ]) {
    const ctx = page();
    change(ctx);
    new SecondOpinion(ctx).watch();
    document.hidden = false;
    assert.deepEqual(ctx.asked, [], String(change));
  }
});

test('the map says nothing that the list did not', async () => {
  const ctx = page();
  const opinion = new SecondOpinion(ctx);
  const compared = { lane: 1, request: '/api/v1/pods?limit=500', error: '', isSynced: true, apart: 0, moving: 0 };
  for (const [change, says] of [
    [{}, true], [{ lane: 0 }, false], [{ request: '' }, false], [{ error: 'no' }, false], [{ isSynced: false }, false], [{ moving: 2 }, false],
    [{ moving: 2, apart: 1 }, true],
  ]) {
    ctx.model.factory = { shown: 1 };
    ctx.call = async () => ({ atMillis: 100_000, opinions: [{ ...compared, ...change }], findings: [] });
    await opinion.ask();
    assert.equal(!!opinion.onStage, says, JSON.stringify(change));
  }
});

test('what was said of another log is not said of this one', async () => {
  const ctx = page();
  const opinion = new SecondOpinion(ctx);
  await opinion.ask();
  assert.ok(opinion.now);
  ctx.model.view.headMillis = 50_000;
  assert.equal(opinion.now, null, 'the view is at a moment before the list');
  ctx.model.view.headMillis = 100_000;
  assert.ok(opinion.now);
  ctx.model.epoch++;
  assert.equal(opinion.now, null);
});
