// @ts-check
// When the page is painted: it takes the worker's frames and has the layout that shows brought to them, once an animation frame at most.
import { Cadence } from './cadence.js';
import { endPulses } from '../kit/landing.js';
import { bringsNews } from '../wire/model.js';

/** @typedef {import('../wire/types.js').Frame} Frame */

/**
 * The shortest time that words stay while events stream, in ms. Numbers that change faster than six times a second cannot be read, and each
 * change costs a layout.
 */
const stand = 30;
/** Where animation frames are rare, one of them writes more parts: one more for each of so many ms since the last. */
const partMillis = 80;
/** Clocks and countdowns run on between frames, ten times a second. */
const tick = 100;
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
   *   link: import('../wire/link.js').Link, stage: import('./stage.js').Stage, views: import('../views/views.js').Views,
   *   caption: import('../bars/caption.js').Caption, bars: (clock: number) => void, before: (clock: number) => void,
   *   took: (frame: Frame, first: boolean, clock: number) => void
   * }} page `bars` paints what stands around the stage, `before` what there is to see before the first event. `took` is called after each
   *   frame that the model has taken in, and gets whether it is the first of all
   */
  constructor(ctx, page) {
    this.ctx = ctx;
    this.page = page;
    /** Whether something other than the log requires that everything is painted again. */
    this.dirty = true;
    this.cadence = new Cadence(navigator.hardwareConcurrency);
    this.paintedAt = 0;
    /** When all was painted as it had become another one. */
    this.newsAt = 0;
    /** The part that is painted next, and how many have not been painted since the last news. */
    this.turn = 0;
    this.due = 0;
    /** Whether the next animation frame is the words', even when news wait. */
    this.words = false;
    /** The page's clock that all is painted by in this animation frame; null between two of them. @type {number | null} */
    this.clock = null;
    /** When words were written last. Where animation frames are rare, one writes more parts, so that none is older than a third of a second. */
    this.wordsAt = 0;
    /** @param {number} clock */
    this.loop = (clock) => {
      this.clock = clock;
      try {
        this.frame(clock);
      } finally {
        this.clock = null;
      }
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

  /** Asks for the next animation frame, or lets the page rest until something is due. @param {number} clock @private */
  plan(clock) {
    const { model, eye } = this.ctx;
    const { views, link } = this.page;
    this.asked = false;
    clearTimeout(this.timer);
    if (!views.rests || !model.any || this.dirty || this.due || link.frame) return this.wake();
    const stands = model.view.mode === 'paused' && clock - this.newsAt > settles;
    const words = stands ? Infinity : this.paintedAt + (eye.still.matches ? still : tick) - clock;
    const wait = Math.min(views.dueIn(), words);
    if (wait < soon) return this.wake();
    if (wait < Infinity) this.timer = setTimeout(() => this.wake(), wait);
    return undefined;
  }

  /** A frame has come. Where time stands still only the log's end moves, which can wait. @param {Frame} frame */
  note(frame) {
    const { mode } = this.ctx.model.view;
    if (!this.page.views.rests || mode !== 'paused' || frame.view.mode !== 'paused' || this.dirty || bringsNews(frame)) return this.wake();
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
    this.paint(null, clock, true, true);
    this.page.views.draw(clock);
    this.clock = null;
  }

  /** Begins to paint. */
  start() {
    this.wake();
  }

  /**
   * Paints the parts of the view. While events stream, the parts take turns. An animation frame with news writes no words: it moves chips
   * and cells, which needs no layout. A part is then at most two frames per part old. A paused view, a jump and another state are painted
   * whole. A view in place of the stage paints itself.
   * @private
   */
  parts() {
    const { stage, views, bars } = this.page;
    return views.view ? [(/** @type {number} */ clock) => stage.seatListeners(clock), bars] : [...stage.parts, bars];
  }

  /** @param {number} clock @private */
  frame(clock) {
    const { model, eye } = this.ctx;
    const { link, views, bars } = this.page;
    eye.advance(clock);
    endPulses();
    if (!this.cadence.draws(clock, performance.now(), model.view.mergedTokens)) return;
    const ready = clock - this.wordsAt >= stand;
    const frame = this.due && this.words && ready && !this.dirty ? null : link.take();
    const turned = !!frame && this.take(frame, clock);
    // Where time stands still, only the log's end moves on.
    const stands = model.view.mode === 'paused' && !this.dirty && !turned && !(frame && model.hasNews);
    const rare = !this.due && clock - this.paintedAt >= (views.rests && eye.still.matches ? still : tick);
    const news = this.dirty || (!stands && (!!frame || rare));
    if (stands && rare) {
      this.paintedAt = clock;
      const parts = this.parts();
      if (views.view) views.paint(clock);
      else parts[this.turn++ % parts.length](clock);
      bars(clock);
    } else if (news || (this.due && ready)) {
      // Between frames all words are written at once, so that the next animation frame can wait.
      const between = !frame && news && views.rests;
      const whole = this.dirty || turned || between || (!!frame && (!!frame.jump || model.view.mode === 'paused' || (eye.waits && model.hasNews)));
      this.dirty = false;
      if (whole && (frame || !rare)) this.newsAt = clock;
      if (news) this.paintedAt = clock;
      this.paint(frame, clock, news, whole);
    }
    views.draw(clock);
    link.want(eye);
  }

  /**
   * Takes a frame in. Returns whether what it brings is shown at once by all: what makes buttons come and go, and what several stations
   * show.
   * @param {Frame} frame @param {number} clock @private
   */
  take(frame, clock) {
    const { model } = this.ctx;
    const first = !model.any;
    const { phase } = model.state.reflector;
    const { mode, speed } = model.view;
    model.apply(frame, clock);
    this.ctx.eye.note(frame, clock);
    const st = frame.lanes?.[0]?.state;
    const other = !!st && ('holds' in st || 'faults' in st || 'source' in st || model.state.reflector.phase !== phase);
    const turned = mode !== model.view.mode || speed !== model.view.speed || other;
    if (first && model.any) this.dirty = true;
    this.page.took(frame, first && model.any, clock);
    return turned;
  }

  /** @param {Frame | null} frame @param {number} clock @param {boolean} news @param {boolean} whole @private */
  paint(frame, clock, news, whole) {
    const { stage, views, caption, before } = this.page;
    if (!this.ctx.model.any) return before(clock);
    if (whole) {
      this.turn = 0;
      stage.take();
      stage.seatListeners(clock);
    }
    if (frame) {
      stage.move(frame);
      caption.note(!!frame.jump);
    }
    if (news) views.paint(clock);
    const parts = this.parts();
    if (news) {
      stage.cells(frame, whole);
      // The running round ends first; the next one paints the present state.
      this.due = parts.length + ((parts.length - (this.turn % parts.length)) % parts.length);
      this.words = true;
      if (!whole) return;
    }
    this.words = false;
    let n = whole ? this.due : 1 + (clock - this.wordsAt) / partMillis;
    this.wordsAt = clock;
    do {
      if (this.turn % parts.length === 0) stage.take();
      parts[this.turn++ % parts.length](clock);
    } while (--this.due && --n >= 1);
  }
}
