// @ts-check
// Which moments a line of time stands for, and where on it each of them lies.

/** What forgotten time leaves at the left, in units. */
const GONE = 24;

/**
 * Where the moments lie, in units: between `left` and `edge`. `least` is the least time that the whole of it stands for, in ms. A line that
 * `fills` ends at the newest moment, as it does for a recording, which does not grow; else there is room for more.
 * @typedef {{left: number, edge: number, least: number, fills?: boolean}} SpanBox
 */

/** Whether the log is a recording, which has an end. @param {import('../wire/page-types.js').Ctx} ctx */
export const isRecording = ({ model, recorded }) => model.state.source.kind === 'file' || !!recorded?.();

export class Span {
  /** @param {SpanBox} box read again each time, as it changes with the window */
  constructor(box) {
    this.box = box;
    /** The moment at the left end and how much lies between it and the right end. */
    this.from = 0;
    this.total = box.least;
    /** Where the log that can still be shown begins; 0 while nothing was dropped. */
    this.first = 0;
  }

  /** Where a moment lies. @param {number} ms */
  x(ms) {
    const { left, edge } = this.box;
    return left + ((ms - this.from) / this.total) * (edge - left);
  }

  /** Which moment lies there. @param {number} x */
  millisAt(x) {
    const { left, edge } = this.box;
    return this.from + ((x - left) / (edge - left)) * this.total;
  }

  /**
   * Takes the log in as it is now, and returns its newest moment. It grows and forgets; the scale follows in steps, so that bars do not
   * shimmer.
   * @param {import('../wire/model.js').Model} model
   * @param {number} clock
   */
  see(model, clock) {
    const { view, state } = model;
    const head = view.mode === 'live' ? Math.max(view.headMillis, model.momentAt(clock)) : view.headMillis;
    this.first = view.first > 1 ? model.firstMillis : 0;
    if (this.box.fills || state.source.kind === 'file') this.fill(head);
    else this.grow(head);
    return head;
  }

  /** From end to end. @param {number} head @private */
  fill(head) {
    const lost = this.first > 0;
    const strip = lost ? GONE / (this.box.edge - this.box.left) : 0;
    this.total = Math.max(Math.min(1000, this.box.least), head - this.first) / (1 - strip);
    this.from = lost ? this.first - strip * this.total : 0;
  }

  /** With room for what is to come. @param {number} head @private */
  grow(head) {
    const { first } = this;
    const lost = first > 0;
    const room = this.box.edge - this.box.left;
    const steps = (/** @type {number} */ span) => {
      let total = lost ? 5000 : this.box.least;
      while (total < span) total *= 1.15;
      return total;
    };
    // Where something was forgotten, a strip of it stays in sight.
    const span = (head - first) * (lost ? 1 + GONE / (room - GONE) : 1);
    if (!lost) {
      this.from = 0;
      this.total = steps(head);
      return;
    }
    const total = steps(span);
    // It shrinks only when it would by two steps, so it does not flap between two.
    if (total > this.total || total * 1.3 < this.total || this.from === 0) this.total = total;
    const strip = (GONE / room) * this.total;
    const from = Math.max(0, first - strip);
    if (from < this.from || from - this.from > strip * 0.5 || head - this.from > this.total) this.from = from;
  }
}
