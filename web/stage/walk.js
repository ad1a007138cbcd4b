// @ts-check
// Keys walk from one change to the next.

/**
 * Follows the next change of a row, or the one before.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {import('./pointer.js').Pointer} pointer
 * @param {string} row
 * @param {number} moment from which it goes, where no change is followed
 * @param {number} direction 1 or -1
 */
export async function walk(ctx, pointer, row, moment, direction) {
  const { past } = ctx.model;
  const track = past.row(row);
  if (!track) return;
  const key = ctx.selected();
  const { last } = pointer;
  const from = key && key === last.key && track.id === last.row ? last.millis
    : past.journey?.stops.find((s) => s.row === track.id)?.cameMillis ?? moment;
  const at = Math.floor(from / past.stepMillis);
  const numbers = [...track.columns.values()].filter(([n, passes, pile]) => (passes.length || pile.length) && (n - at) * direction >= 0).map(([n]) => n);
  if (direction < 0) numbers.reverse();
  for (const n of numbers) {
    const entries = (await ctx.call('entries', track.id, n).catch(() => [])) ?? []; // a place that the log has dropped has none
    const beyond = entries.filter((e) => e.key && (e.cameMillis - from) * direction > 0).sort((a, b) => (a.cameMillis - b.cameMillis) * direction);
    if (!beyond.length) continue;
    pointer.follow(beyond[0]);
    return;
  }
}
