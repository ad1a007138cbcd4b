// @ts-check
// The columns of one row, drawn once each into a picture outside the page that is as wide as the window and wraps around. Column n stands
// at n modulo its length. So nothing is moved when time goes on; the picture is copied in two pieces.
import { drawBand } from './band.js';
import { drawPiles, pileAt } from './pile.js';
import { drawTick } from './tick.js';

/** @typedef {import('../wire/past.js').Track} Track */
/** @typedef {import('./pile.js').Run} Run */

/**
 * How a strip is drawn: the columns it has and how wide each is in device pixels, device pixels per unit, and colours by type.
 * @typedef {{length: number, wide: number, k: number, inks: string[], accent: string, edge: string, band: string}} Look
 */

/** In units: piles get room in steps of so many. */
const size = { room: 96 };

export class Strip {
  /** @param {(wide: number, high: number) => HTMLCanvasElement | OffscreenCanvas} make */
  constructor(make) {
    this.make = make;
    /** @type {Look | null} */
    this.look = null;
    /** How high piles and ticks are, in device pixels. */
    this.piles = 0;
    this.ticks = 0;
    /** Which column is drawn at each place, plus a half if it only stands in for one that is not known yet; and with how many pixels for each that waits. */
    this.drawn = new Float64Array(0);
    this.units = new Float64Array(0);
  }

  /**
   * Sets how it is drawn. Another look has all of it drawn again; where only the room for piles changes, what is drawn is kept.
   * @param {Look} look @param {number} piles how high they are at most, in device pixels @param {number} ticks
   */
  lay(look, piles, ticks) {
    const isSame = look === this.look && ticks === this.ticks;
    // A row that opens takes more room several times.
    const step = Math.ceil(size.room * look.k);
    const high = Math.ceil(piles / step) * step;
    if (isSame && high <= this.piles && high * 3 >= this.piles) return;
    const before = this.canvas;
    this.canvas = this.make(look.length * look.wide, high + ticks);
    this.cx = /** @type {OffscreenCanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    if (isSame && before) this.cx.drawImage(before, 0, high - this.piles);
    else {
      this.drawn = new Float64Array(look.length);
      this.units = new Float64Array(look.length);
      this.forget();
    }
    this.look = look;
    this.piles = high;
    this.ticks = ticks;
  }

  /** Has all columns drawn again. */
  forget() {
    this.drawn.fill(NaN);
  }

  /**
   * Draws the columns that came or changed.
   * @param {Track} track @param {Run[]} runs its piles @param {number} from @param {number} to that of now
   * @param {{most: number, alpha: number, budget: number}} marks how high ticks are, and how bright; the `budget` is how many columns are drawn at most of
   *   which only the scale is another. The others are stretched until then
   * @returns how many were drawn
   */
  draw(track, runs, from, to, marks) {
    const { drawn, units } = this;
    const { length } = /** @type {Look} */ (this.look);
    let { budget } = marks;
    let run = 0;
    /** The first of the columns that are drawn together, and their measure. */
    let first = NaN;
    let unit = 0;
    let count = 0;
    const flush = (/** @type {number} */ end) => {
      if (first < end) this.stretch(track, first, end, unit, marks);
      first = NaN;
    };
    for (let n = from; n <= to; n++) {
      while (run < runs.length && runs[run].to < n) run++;
      const u = run < runs.length && runs[run].from <= n ? runs[run].unit : 0;
      const at = n % length;
      // What stands in for an unknown column is what the newest one has, so it is drawn again when that is.
      const name = n > track.newest && u > 0 ? n + 0.5 : n;
      let whole = drawn[at] === name && !track.came.has(n) && !(name > n && track.came.size);
      if (whole && units[at] !== u) whole = u > 0 && units[at] > 0 && budget-- <= 0;
      if (whole || u !== unit || at === 0) flush(n);
      if (whole) continue;
      if (Number.isNaN(first)) first = n;
      unit = u;
      drawn[at] = name;
      units[at] = u;
      count++;
    }
    flush(to + 1);
    track.came.clear();
    return count;
  }

  /**
   * Draws columns that lie side by side.
   * @param {Track} track @param {number} from @param {number} to @param {number} unit @param {{most: number, alpha: number}} marks
   * @private
   */
  stretch(track, from, to, unit, { most, alpha }) {
    const { piles, ticks } = this;
    const cx = /** @type {OffscreenCanvasRenderingContext2D} */ (this.cx);
    const { length, wide, k, inks, accent, edge, band } = /** @type {Look} */ (this.look);
    const x = (from % length) * wide;
    cx.clearRect(x, 0, (to - from) * wide, piles + ticks);
    if (unit > 0) {
      const columns = [];
      for (let n = from; n < to; n++) columns.push(track.columns.get(Math.min(n, track.newest)));
      const [least, gap] = [Math.round(3 * k), Math.max(1, Math.round(k))];
      const at = { x, wide, foot: piles, unit, before: pileAt(track, from - 1) ?? [] };
      if (track.sampled) drawBand(cx, columns, { ...at, edge: Math.round(1.5 * k), ink: band });
      else drawPiles(cx, columns, { ...at, least, gap, inks, accent, edge });
    }
    if (!ticks) return;
    cx.globalAlpha = alpha;
    const thin = Math.min(wide, 1.7 * k);
    for (let n = from; n < to; n++) {
      const passes = track.columns.get(n)?.[1];
      if (passes?.length) drawTick(cx, passes, { x: (n % length) * wide, wide: thin, foot: piles + ticks, k, most, inks, broken: unit < 0 });
    }
    cx.globalAlpha = 1;
  }

  /**
   * The columns with piles, in zones that are stretched alike.
   * @param {Run[]} runs @param {number} from @param {number} end the one behind the last
   * @param {(run: Run) => number} measureOf how many pixels each that waits has in this frame
   */
  zones(runs, from, end, measureOf) {
    const { units } = this;
    const { length } = /** @type {Look} */ (this.look);
    /** @type {{from: number, end: number, stretch: number}[]} */
    const zones = [];
    for (const run of runs) {
      if (!run.highest) continue;
      const measure = measureOf(run);
      for (let n = Math.max(from, run.from); n < Math.min(end, run.to + 1); n++) {
        const stretch = measure / units[n % length];
        const last = zones.at(-1);
        if (last?.stretch === stretch) last.end = n + 1;
        else zones.push({ from: n, end: n + 1, stretch });
      }
    }
    return zones;
  }

  /**
   * Copies columns to where they stand on the canvas.
   * @param {CanvasRenderingContext2D} to in device pixels
   * @param {number} x where the first stands @param {number} from @param {number} end the one behind the last @param {number} right where the canvas ends
   * @param {{y: number, h: number, part: 'piles' | 'ticks', stretch?: number}} o its foot is `y`, it may be `h` high; piles may be stretched
   */
  copy(to, x, from, end, right, { y, h, part, stretch = 1 }) {
    const { canvas } = this;
    if (!canvas) return;
    const { length, wide } = /** @type {Look} */ (this.look);
    const zone = part === 'piles' ? this.piles : this.ticks;
    const high = Math.min(zone, h / stretch);
    if (high < 1) return;
    const top = (part === 'piles' ? 0 : this.piles) + zone - high;
    while (from < end) {
      const at = from % length;
      const many = Math.min(end - from, length - at);
      const w = Math.min(many * wide, right - x);
      if (w <= 0) return;
      to.drawImage(canvas, at * wide, top, w, high, x, y - high * stretch, w, high * stretch);
      from += many;
      x += w;
    }
  }
}
