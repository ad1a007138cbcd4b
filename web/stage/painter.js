// @ts-check
// When the page is painted: it takes the worker's frames and has the view that shows brought to them, once an animation frame at most. While nothing is due
// it asks for no animation frame.
import { texts } from '../kit/dom.js';
import { bringsNews } from '../wire/model.js';

/** @typedef {import('../wire/types.js').Frame} Frame */

/** Clocks and countdowns run on between frames, ten times a second; where none wrote another text, twice a second. */
const tick = 100;
const slow = 500;
/** With reduced motion they do so once a second, as does the log's end while the view stands. */
const still = 1000;
/** What is due within so many ms is left to the next animation frame. */
const soon = 12;
/** For so many ms after the last news parts that ask the worker may have more to paint. */
const settles = 1500;

export class Painter {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {{
   *   link: import('../wire/link.js').Link, views: import('../views/views.js').Views,
   *   caption: import('../bars/caption.js').Caption, bars: (clock: number) => void, before: (clock: number) => void,
   *   took: (frame: Frame, first: boolean, clock: number) => void, failed: (error: unknown) => void
   * }} page `bars` paints what stands around the stage, `before` what there is to see before the first event. `took` is called after each
   *   frame that the model has taken in, and gets whether it is the first of all
   */
  constructor(ctx, page) {
    this.ctx = ctx;
    this.page = page;
    /** Whether something other than the log requires that everything is painted again. */
    this.dirty = true;
    this.paintedAt = 0;
    /** How many texts had been written before the last painting. */
    this.written = 0;
    /** When there was something else to paint last. */
    this.newsAt = 0;
    /** Whether the bars around the stage are older than the stage. */
    this.due = false;
    /** The page's clock that all is painted by in this animation frame; null between two of them. @type {number | null} */
    this.clock = null;
    /** @param {number} clock */
    this.loop = (clock) => {
      this.clock = clock;
      // Whatever throws, the next frame comes.
      try {
        this.frame(clock);
      } catch (error) {
        console.error(error);
        this.page.failed(error);
      }
      this.clock = null;
      this.plan(clock);
    };
    /** The animation frame that is asked for, and the timer that will ask for one. */
    this.asked = false;
    this.timer = 0;
  }

  /** Asks for an animation frame: there is something to paint. A hidden page gets it when it shows again. */
  wake() {
    if (this.asked) return;
    clearTimeout(this.timer);
    this.asked = true;
    requestAnimationFrame(this.loop);
  }

  /** How often what counts time is painted, in ms. */
  get pace() {
    if (this.ctx.still.matches) return still;
    return texts.written > this.written ? tick : slow;
  }

  /** Asks for the next animation frame, or lets the page rest until something is due. @param {number} clock @private */
  plan(clock) {
    const { model } = this.ctx;
    const { views, link } = this.page;
    this.asked = false;
    clearTimeout(this.timer);
    if (!model.any || this.dirty || this.due || link.frame) return this.wake();
    const stands = !model.speed && clock - this.newsAt > settles;
    const words = stands ? Infinity : this.paintedAt + this.pace - clock;
    const wait = Math.min(views.stage.dueIn(), words);
    if (wait < soon) return this.wake();
    if (wait < Infinity) this.timer = setTimeout(() => this.wake(), wait);
    return undefined;
  }

  /** A frame has come. Where time stands still only the log's end moves, which can wait. @param {Frame} frame */
  note(frame) {
    const { mode } = this.ctx.model.view;
    if (mode !== 'paused' || frame.view.mode !== 'paused' || this.dirty || bringsNews(frame)) return this.wake();
    if (this.asked) return undefined;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wake(), still);
    return undefined;
  }

  /** The moment on the log's clock. It is fixed while something is painted, so that all of it shows one moment. */
  now() {
    return this.ctx.model.momentAt(this.clock ?? performance.now());
  }

  /** Paints everything now, between two animation frames. */
  paintWhole() {
    const clock = Number(document.timeline.currentTime);
    this.clock = clock;
    this.paint(clock, true);
    this.page.views.stage.draw(clock);
    this.clock = null;
  }

  /**
   * While events stream, an animation frame with news paints the stage, and the next one the bars. A paused view, a jump and another state are painted
   * whole.
   * @param {number} clock @private
   */
  frame(clock) {
    const { model } = this.ctx;
    const { link, views, caption } = this.page;
    const bars = this.due;
    const frame = bars && !this.dirty ? null : link.take();
    const turned = !!frame && this.take(frame, clock);
    if (frame) caption.note(!!frame.jump);
    // Where time stands still, only the log's end moves on.
    const stands = model.view.mode === 'paused' && !this.dirty && !turned && !(frame && model.hasNews);
    const rare = clock - this.paintedAt >= this.pace;
    const whole = this.dirty || turned || (rare && !frame) || (!!frame && (!!frame.jump || model.view.mode === 'paused'));
    if (whole && (frame || this.dirty) && !stands) this.newsAt = clock;
    if (this.dirty || (stands ? rare : frame || rare)) {
      this.dirty = false;
      this.paint(clock, whole || stands);
    } else if (bars && model.any) {
      this.page.bars(clock);
      this.due = false;
    }
    views.stage.draw(clock);
    link.want();
  }

  /**
   * Takes a frame in. Returns whether what it brings is shown at once by all: what makes buttons come and go, and what several parts
   * show.
   * @param {Frame} frame @param {number} clock @private
   */
  take(frame, clock) {
    const { model } = this.ctx;
    const first = !model.any;
    const { phase } = model.state.reflector;
    const { mode, speed } = model.view;
    model.apply(frame, clock);
    const st = frame.lanes?.[0]?.state;
    const other = !!st && ('holds' in st || 'faults' in st || 'source' in st || model.state.reflector.phase !== phase);
    const turned = mode !== model.view.mode || speed !== model.view.speed || other;
    if (first && model.any) this.dirty = true;
    this.page.took(frame, first && model.any, clock);
    return turned;
  }

  /** @param {number} clock @param {boolean} whole the bars with the stage @private */
  paint(clock, whole) {
    const { views, bars, before } = this.page;
    this.paintedAt = clock;
    this.written = texts.written;
    if (!this.ctx.model.any) return before(clock);
    views.paint(clock);
    this.due = !whole;
    if (whole) bars(clock);
    return undefined;
  }
}
