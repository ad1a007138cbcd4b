// @ts-check
// The sentence over two informers under each other: two releases of one resource, or the two lanes of a fork.
import { capitalize, exact, seconds } from '../kit/format.js';
import { countApart, laneWords } from '../kit/fork.js';
import { plain } from '../kit/trouble.js';
import { headline } from './headline.js';

/** The unit in which each kind of queue counts. */
const units = { DeltaFIFO: 'pair.keys', RealFIFO: 'pair.entries' };

/** @param {import('../wire/page-types.js').Ctx} ctx @returns {ReturnType<typeof headline>} */
export function pairHead(ctx) {
  const { t, model } = ctx;
  const said = headline(ctx);
  if (model.fork) return forkHead(ctx, model.fork, said);
  const [a, b] = [model.lane(0), model.lane(1)];
  const [first, second] = [a.state, b.state];
  const waits = (/** @type {typeof first} */ s) => t(units[/** @type {keyof typeof units} */ (s.queue.kind)] ?? 'pair.entries', { n: exact(s.queue.waiting) });
  const eras = { a: first.era, b: second.era, p: first.queue.kind, q: second.queue.kind };
  if (said.id.startsWith('held.pop') && first.queue.kind !== second.queue.kind) {
    return { id: 'pair.held', words: t('pair.held', { ...eras, n: waits(first), m: waits(second) }), why: t('pair.held.y') };
  }
  const r = second.reflector;
  if (r.phase === 'backoff' && first.reflector.phase !== 'backoff') {
    const why = plain(ctx, r.backoffCause || r.lastError);
    const s = seconds(Math.max(0, r.backoffMillis - (ctx.now() - r.backoffSince)));
    return { id: 'pair.gap', words: t('pair.gap', { ...eras, s }), why: why && capitalize(why) };
  }
  const whose = (/** @type {string} */ words) => words && t('pair.whose', { era: first.era, words });
  if (!['flow', 'idle', 'coming'].includes(said.id)) return { ...said, words: whose(said.words) };
  const [x, y] = [a, b].map((o) => o.facts.features.listsByWatch);
  const id = x === y ? (x ? 'lanesBothWatch' : 'lanesBothList') : x ? 'lanesIdle2' : 'lanesIdle';
  return { id: `pair.${id}`, words: t(`pair.${id}`, eras), why: whose(said.words) };
}

/**
 * @param {import('../wire/page-types.js').Ctx} ctx @param {import('../wire/types.js').Fork} fork
 * @param {ReturnType<typeof headline>} said of the first lane
 */
function forkHead(ctx, { parting, stores, acts }, said) {
  const { t } = ctx;
  const n = countApart(stores);
  const words = { s: seconds(parting?.atMillis ?? 0), n: exact(n), lane: laneWords(ctx, acts) };
  // The first difference is known when its moment is over; the stores may differ before.
  const id = !parting ? (n ? 'pair.forkNow' : 'pair.forkSame') : n ? 'pair.forkParted' : 'pair.forkAlike';
  return { id, words: t(id, words), why: said.words && t('pair.first', { words: said.words }) };
}
