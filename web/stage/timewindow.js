// @ts-check
// How much time the past shows, and who changes that: the wheel, keys, buttons, steps of stories, and a ride.
import { attr, button, h, icon } from '../kit/dom.js';
import { closer, usual, Wheel, windowOf } from './zoom.js';

export class TimeWindow {
  /** How long the past is. */
  millis = usual;
  /** What it was before a ride; null while there is none. @type {number | null} */
  before = null;
  /** What the worker was asked for. */
  asked = '';

  /**
   * @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} canvas where the wheel turns
   * @param {() => number} columns how many there is room for
   */
  constructor(ctx, canvas, columns) {
    this.ctx = ctx;
    this.columns = columns;
    this.buttons = /** @type {const} */ ([-1, 1]).map((n) => ({
      b: button({ 'data-zoom': n }, () => this.turn(n), icon(n > 0 ? 'M8 3v10M3 8h10' : 'M3 8h10')), words: n > 0 ? 'row.closer' : 'row.wider',
    }));
    this.root = h('div', { class: 'zooms' }, ...this.buttons.map(({ b }) => b));
    const wheel = new Wheel();
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const steps = wheel.turn(e.deltaY * (e.deltaMode ? 40 : 1));
      if (steps) this.turn(steps);
    }, { passive: false });
  }

  /** Shows less time, or more. @param {number} steps closer */
  turn(steps) {
    this.show(closer(this.millis, steps));
  }

  /** Shows so much time. @param {number} millis */
  show(millis) {
    this.millis = millis;
    this.ask();
    this.ctx.repaint();
  }

  /** Goes to the window of a step, or back to the usual one. @param {import('../wire/types.js').StoryPage | null} step null for none */
  follow(step) {
    if (step || this.millis !== usual) this.show(step?.windowMillis || usual);
  }

  /**
   * Shows the way of a ridden change, so that its waits are wide; null when the ride ends: the window is then as it was.
   * @param {number | null} millis how long the change has been on its way
   */
  ride(millis) {
    if (millis === null) {
      if (this.before === null) return;
      const { before } = this;
      this.before = null;
      return void this.show(before);
    }
    this.before ??= this.millis;
    this.show(windowOf(millis * 1.25));
  }

  /** Asks the worker for the window, if it has another one. */
  ask() {
    const { ctx, millis } = this;
    if (!ctx.model.any) return; // the worker does not listen yet
    const columns = this.columns();
    const asked = `${millis} ${columns}`;
    if (asked === this.asked) return;
    this.asked = asked;
    ctx.model.past.room = columns + 2;
    ctx.call('window', millis, columns).catch(() => {}); // a worker that has ended says so elsewhere
  }

  /** Whether a key changed it. @param {string} key */
  takes(key) {
    if (key === '0') this.show(usual);
    else if (key === 'z' || key === 'Z') this.turn(key === 'z' ? 1 : -1);
    else return false;
    return true;
  }

  /** Says what the buttons do. */
  paint() {
    for (const { b, words } of this.buttons) {
      attr(b, 'title', this.ctx.t(words));
      attr(b, 'aria-label', this.ctx.t(words));
    }
  }
}
