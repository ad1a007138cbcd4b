// @ts-check
// A look into the past of a view that stands: while one points there, the right side shows that moment, and the rows stay as they are.
import { h, put, reveal } from '../kit/dom.js';
import { span } from '../kit/format.js';
import { seat } from './geometry.js';

export class Peek {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} parent */
  constructor(ctx, parent) {
    this.ctx = ctx;
    this.line = h('div', { class: 'peek-line', hidden: '', 'aria-hidden': 'true' });
    this.words = h('div', { class: 'peek-words', hidden: '', role: 'status' });
    parent.append(this.line, this.words);
    /** Where the view stands, to which it goes back. @type {{seq: number, millis: number} | null} */
    this.from = null;
    /** The moment that shows, and the one that is asked for next. */
    this.millis = 0;
    /** @type {number | null} */
    this.wanted = null;
    this.busy = false;
    // What is done by a key begins where the view stands.
    document.addEventListener('keydown', () => this.end(), true);
  }

  /** Shows a moment. One seek at a time; the newest wish follows. @param {number} millis */
  async show(millis) {
    const { model } = this.ctx;
    const { view } = model;
    if (this.ctx.follower || (!this.from && view.mode !== 'paused')) return;
    this.from ??= { seq: view.seq, millis: view.atMillis };
    model.past.stands = true;
    this.wanted = Math.max(model.firstMillis, Math.min(this.from.millis, millis));
    if (this.busy) return;
    this.busy = true;
    while (this.wanted !== null) {
      this.millis = this.wanted;
      this.wanted = null;
      await this.ctx.call('seekTime', this.millis).catch(() => {}); // a worker that has ended says so elsewhere
    }
    this.busy = false;
    this.ctx.repaint();
  }

  /** Goes back to where the view stands. */
  end() {
    const { from } = this;
    if (!from) return;
    this.from = null;
    this.wanted = null;
    this.ctx.model.past.stands = false;
    this.ctx.call('seek', from.seq).catch(() => {}); // it was forgotten meanwhile, or the worker says so elsewhere
    this.ctx.repaint();
  }

  /**
   * Says which moment shows.
   * @param {import('./geometry.js').Geometry} g @param {number} k CSS pixels per unit @param {(millis: number) => number} xOf where a moment is, in CSS pixels
   */
  paint(g, k, xOf) {
    const { from } = this;
    reveal(this.line, !!from);
    reveal(this.words, !!from);
    if (!from) return;
    put(this.words, this.ctx.t('past.peek', { s: span(from.millis - this.millis) }));
    seat(this.words, { x: g.x + 10, y: g.past.y + 2 }, k);
    seat(this.line, { x: xOf(this.millis) / k, y: g.rows.y - 4, h: g.rows.h + 8 }, k);
  }
}
