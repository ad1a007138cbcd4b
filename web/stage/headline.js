// @ts-check
// The sentence over the stage, and the smaller one that says why. Which ones are true is a fact, computed in Go.
import { about, capitalize, exact, middle, seconds, span } from '../kit/format.js';
import { plain } from '../kit/trouble.js';
import '../kit/words-head.js';

/**
 * The two sentences for the moment that is painted, and an id by which they are compared.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @returns {{id: string, words: string, why: string}}
 */
export function headline(ctx) {
  const { t, model } = ctx;
  const { headline: said } = model.facts;
  const now = ctx.now();
  const { id } = said;
  if (!id) return { id, words: '', why: '' };
  // While time runs its numbers are rounded: they change faster than a reader reads.
  const runs = model.view.mode !== 'paused';
  const count = runs ? about : exact;
  const age = Math.max(0, now - (said.since ?? now));
  const reason = /too old resource version/i.test(said.why ?? '') ? '410 Gone' : plain(ctx, said.why ?? '').replace(/[.。]$/, '');
  const old = runs && age >= 1000 ? seconds(Math.floor(age / 1000) * 1000).replace('.0 s', ' s') : seconds(age);
  const args = {
    n: count(said.n ?? 0), m: count(said.m ?? 0), name: said.name ?? '', key: middle(said.key ?? '', 40), t: span(said.m ?? 0),
    why: reason && `${capitalize(reason)}.`, s: seconds(Math.max(0, (said.until ?? 0) - now)), old,
  };
  const lists = id.startsWith('gap') && !said.until;
  // Of one slow handler among several late ones it cannot be said that it alone is late.
  const others = id === 'slow' && model.lane(0).state.listeners.some((l) => !l.removed && l.name !== said.name && l.pending > 0);
  const kind = others ? 'call' : id === 'retry' && reason ? 'retryWhy' : id;
  return { id, words: t(`head.${id}`, args), why: t(lists ? 'head.gap.list' : `head.${kind}.y`, args) };
}
