// @ts-check
// Piles: what waits, drawn column by column. The same place in neighbouring columns makes a bar; the lowest leaves next, then the others move down.

/** @typedef {import('../wire/types.js').Column} Column */
/** @typedef {import('../wire/past.js').Track} Track */

/**
 * Columns in which something waits without a break, from one to another, and the highest of them. A live one waits still. It is drawn with
 * `unit` pixels for each that waits; `folded`, if that is its own measure and not the picture's. `tops` are its highest columns, one of a few.
 * @typedef {{from: number, to: number, highest: number, live: boolean, unit: number, folded: boolean, tops: number[]}} Run
 */

/** A pile has one top for so many columns. */
export const topColumns = 6;
/** A pile that is over, and was shorter than this part of the window, is folded. */
const brief = 0.085;

/** The heights of long piles, which are asked for in each frame. @type {WeakMap<number[], number>} */
const heights = new WeakMap();

/** How many wait in a pile. @param {number[]} pile */
export function heightOf(pile) {
  if (pile.length < 3) return pile.length ? pile[1] : 0;
  let n = heights.get(pile);
  if (n === undefined) {
    n = 0;
    for (let i = 1; i < pile.length; i += 2) n += pile[i];
    heights.set(pile, n);
  }
  return n;
}

/**
 * What waits in a column. What waited in the newest one of a row waits until now, if something waits now.
 * @param {Track} track @param {number} n
 */
export function pileAt(track, n) {
  if (n > track.newest && track.waiting > 0) n = track.newest;
  return track.columns.get(n)?.[2];
}

/** The piles of a row within the columns of the window. @param {Track} track @param {number} from @param {number} to that of now @returns {Run[]} */
export function runsOf(track, from, to) {
  /** @type {Run[]} */
  const runs = [];
  if (!track.highest && !track.waiting) return runs;
  /** @type {Run | undefined} */
  let run;
  for (const [n, column] of track.columns) {
    if (n < from || n > to || !column[2].length) continue;
    if (run?.to !== n - 1) runs.push((run = { from: n, to: n, highest: 0, live: false, unit: 0, folded: false, tops: [] }));
    run.to = n;
    const high = heightOf(column[2]);
    if (high > run.highest) run.highest = high;
    const at = Math.floor((n - run.from) / topColumns);
    if (!(run.tops[at] > high)) run.tops[at] = high;
  }
  if (run && run.to >= Math.min(track.newest, to) && track.waiting > 0) {
    const high = heightOf(pileAt(track, to) ?? []);
    for (let n = run.to + topColumns; n < to + topColumns; n += topColumns) run.tops[Math.floor((Math.min(n, to) - run.from) / topColumns)] ??= high;
    run.to = to;
    run.live = true;
  }
  return runs;
}

/**
 * The columns with changes that no watch brought. They have no pile; their ticks are broken.
 * @param {Track} track @param {number} step of a column, in ms
 * @returns {Run[]}
 */
export function unseenRuns({ spans }, step) {
  const unseen = spans.filter((s) => s.kind === 'unseen');
  return unseen.map((s) => ({
    from: Math.floor(s.fromMillis / step), to: Math.floor((s.toMillis ?? s.fromMillis) / step), highest: 0, live: false, unit: -1, folded: false, tops: [],
  }));
}

/**
 * Whether a pile is drawn in a measure of its own: it is short, and higher than a fold.
 * @param {Run} run @param {number} columns of the window @param {number} unit @param {number} fold
 */
export function isFolded(run, columns, unit, fold) {
  return run.to - run.from + 1 < columns * brief && run.highest * unit > fold;
}

/** By what the measure of piles is divided, and by tens of it: in steps of which the highest pile fills at least six tenths of its room. */
const divisors = [1, 1.5, 2, 3, 5, 7.5];

/**
 * The measure of all piles of the picture: the most pixels for each that waits with which all have room. It changes in steps.
 * @param {{bars: number, room: number}[]} rows the highest pile of each, and how high it may be, in pixels
 * @param {number} most
 */
export function unitOf(rows, most) {
  const fits = Math.min(most, ...rows.map(({ bars, room }) => Math.max(room, 1) / Math.max(bars, 1e-6)));
  for (let ten = 1; ; ten *= 10) for (const n of divisors) if (most / (n * ten) <= fits || ten > 1e5) return most / (n * ten);
}

/**
 * How far two bars are from foot to foot: the measure, or where that is too small for a bar of its own, as many of them as make one.
 * @param {number} unit @param {number} least how thin a bar may be
 */
function pitchOf(unit, least) {
  let pitch = unit;
  while (pitch < least) pitch *= 2;
  return pitch;
}

/** How many the bracket beside the piles counts: a round number whose height is easily seen. @param {number} unit @param {number} least in pixels */
export function bracketOf(unit, least) {
  for (let ten = 1; ; ten *= 10) for (const n of [1, 2, 5]) if (n * ten * unit >= least) return n * ten;
}

/**
 * Draws neighbouring columns of piles into a picture in device pixels.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} cx
 * @param {(Column | undefined)[]} columns
 * @param {{
 *   x: number, wide: number, foot: number, unit: number, least: number, gap: number, inks: string[], accent: string, edge?: string, before?: number[]
 * }} o `x` is where the first begins, `wide` how wide each is, `foot` what they stand on. `least` is how thin a bar may be, `gap` what is free
 *   above each. The followed one is the `accent`, with a line of the `edge`. `before` is the pile at the left of the first
 */
export function drawPiles(cx, columns, { x, wide, foot, unit, least, gap, inks, accent, edge = '', before = [] }) {
  const pitch = pitchOf(unit, least);
  let top = 0;
  let ink = '';
  columns.forEach((column, i) => {
    if (!column) return;
    const pile = column[2];
    let place = 0;
    let low = 0;
    // In a high pile most are lower than a pixel.
    for (let j = 0; j < pile.length; j += 2) {
      place += pile[j + 1];
      const high = Math.round(place * unit);
      if (high === low) continue;
      if (inks[pile[j]] !== ink) cx.fillStyle = ink = inks[pile[j]];
      cx.fillRect(x + i * wide, foot - high, wide, high - low);
      low = high;
    }
    top = Math.max(top, low);
  });
  if (!top) return;
  // Where a bar stands for several, what is between them is half as bright and the outline is whole: it is a surface, of which each line counts some.
  const one = pitch === unit;
  cx.globalCompositeOperation = 'destination-out';
  cx.globalAlpha = one ? 1 : 0.45;
  for (let r = 1; r * pitch <= top + pitch; r++) cx.fillRect(x, foot - Math.round(r * pitch), columns.length * wide, gap);
  cx.globalCompositeOperation = 'source-over';
  cx.globalAlpha = 1;
  let last = Math.round(heightOf(before) * unit);
  columns.forEach((column, i) => {
    const pile = column?.[2] ?? [];
    const left = x + i * wide;
    if (!one) {
      const high = Math.round(heightOf(pile) * unit);
      if (pile.length) {
        cx.fillStyle = inks[pile[pile.length - 2]];
        cx.fillRect(left, foot - high, wide, gap);
        if (high > last) cx.fillRect(left, foot - high, gap, high - last);
      }
      last = high;
    }
    if (!column) return;
    const [, , , followed, notches] = column;
    if (followed >= 0) {
      const high = Math.max(Math.round((followed + 1) * unit), gap * 2);
      cx.fillStyle = accent;
      const tall = Math.max(gap * 2, Math.round(unit) - gap);
      const y = foot - high + (one ? gap : 0);
      cx.fillRect(left, y, wide, tall);
      if (edge) {
        cx.fillStyle = edge;
        cx.fillRect(left, y + Math.floor((tall - gap) / 2), wide, gap);
      }
    }
    // The bar is cut through; one that stands for several is cut for each of them.
    for (const place of notches ?? []) {
      const bar = Math.floor((place * unit) / pitch + 1e-6);
      const [low, high] = [Math.round(bar * pitch), Math.round((bar + 1) * pitch)];
      cx.clearRect(left, foot - high, wide, high - low);
    }
  });
}
