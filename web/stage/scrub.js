// @ts-check
// The past is dragged: what is under the pointer stays under it, and the rail shows another moment.

/** A press that moves less than so many pixels is no drag. */
const least = 3;

export class Scrub {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} el
   * @param {() => number} perPixel how many ms a CSS pixel is @param {() => number} moment the one at the rail of the past
   */
  constructor(ctx, el, perPixel, moment) {
    this.ctx = ctx;
    this.perPixel = perPixel;
    /** Where a drag began, and at which moment. @type {{x: number, millis: number} | null} */
    this.from = null;
    /** The moment that is asked for next. @type {number | null} */
    this.wanted = null;
    this.busy = false;
    el.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || !ctx.model.any) return;
      el.setPointerCapture(e.pointerId);
      this.from = { x: e.clientX, millis: moment() };
    });
    el.addEventListener('pointermove', (e) => this.from && this.go(e.clientX));
    for (const end of ['pointerup', 'pointercancel']) el.addEventListener(end, () => (this.from = null));
  }

  /** What is pressed is no drag. */
  stop() {
    this.from = null;
  }

  /** One seek at a time; the newest wish follows. @param {number} x @private */
  async go(x) {
    const { from, ctx: { model } } = this;
    if (!from || Math.abs(x - from.x) < least) return;
    this.wanted = Math.max(model.firstMillis, Math.min(model.view.headMillis, from.millis - (x - from.x) * this.perPixel()));
    if (this.busy) return;
    this.busy = true;
    while (this.wanted !== null) {
      const to = Math.round(this.wanted);
      this.wanted = null;
      await this.ctx.act('seekTime', to);
    }
    this.busy = false;
  }
}
