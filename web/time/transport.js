// @ts-check
// The transport: play, pause, step, marks, speed, the clock of the log, and sharing.
import { attr, button, h, icon, menuRow, put, s, Txt } from '../kit/dom.js';
import { clock, speed as speedWords } from '../kit/format.js';
import { isRecording } from '../kit/span.js';
import { forkButton } from '../bars/fork.js';
import { shareButton } from '../bars/files.js';
import '../kit/words-time.js';

const speeds = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

export class Transport {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{mark: (direction: number) => void, share: (anchor: Element) => void}} does
   */
  constructor(ctx, app, does) {
    this.ctx = ctx;
    /** The speed that play uses. */
    this.speed = 1;
    const sign = (/** @type {string} */ d, /** @type {() => void} */ f, cls = '') => {
      const p = s('path', { d });
      return { b: button({ class: `key ${cls}`.trim() }, f, icon(p)), p };
    };
    this.start = sign('M2 3h2v10H2zM14 3v10L5 8z', () => this.toStart());
    this.markBack = sign('M8 3v10L1.5 8zM12 5l3 3-3 3-3-3z', () => does.mark(-1), 'small');
    this.back = sign('M12 3h2v10h-2zM10 3v10L2 8z', () => this.step(-1));
    this.main = sign('M4 2.5v11l9-5.5z', () => this.toggle(), 'main');
    this.fwd = sign('M2 3h2v10H2zM6 3v10l8-5z', () => this.step(1));
    this.markFwd = sign('M8 3v10l6.5-5zM4 5L1 8l3 3 3-3z', () => does.mark(1), 'small');
    this.end = sign('M12 3h2v10h-2zM2 3v10l9-5z', () => this.live());
    this.pace = button({ class: 'key speed', 'aria-haspopup': 'dialog' }, (b) => this.openSpeeds(b));
    this.time = new Txt(h('span', { class: 'clock' })).set(clock(0));
    this.event = new Txt(h('small'));
    this.time.el.append(this.event.el);
    this.share = shareButton(ctx, does.share);
    this.fork = forkButton(ctx);
    this.root = h('div', { class: 'tr' }, h('div', { class: 'btns' }, this.start.b, this.markBack.b, this.back.b, this.main.b, this.fwd.b, this.markFwd.b,
      this.end.b, this.pace), this.time.el, this.share.b, this.fork.b);
    app.append(this.root);
  }

  async toggle() {
    this.follow();
    const v = this.ctx.model.view;
    if (this.atEnd()) {
      await this.toStart();
      return this.ctx.act('play', this.speed);
    }
    return v.mode === 'paused' ? this.ctx.act('play', this.speed) : this.ctx.act('pause');
  }

  /** Whether the view is at the end of a recording, where play starts it again. */
  atEnd() {
    const { view } = this.ctx.model;
    return isRecording(this.ctx) && (view.mode === 'live' || view.behind === 0);
  }

  /** How long before a fork its play begins, in ms: until the fork both lanes do the same. */
  static before = 3000;

  toStart() {
    const { fork, view } = this.ctx.model;
    const from = (fork?.atMillis ?? 0) - Transport.before;
    if (from > 0 && view.atMillis > from) return this.ctx.act('seekTime', from);
    return this.ctx.act('seek', this.ctx.model.view.first || 1);
  }

  live() {
    return this.ctx.act('live');
  }

  /** @param {number} n */
  step(n) {
    return this.ctx.act('step', n);
  }

  /** @param {number} v */
  setSpeed(v) {
    this.speed = v;
    if (this.ctx.model.view.mode !== 'paused') this.ctx.act('play', v);
    this.paint();
  }

  /** Takes over the speed of the view, also when it was not set here, so that the next press counts from it. @private */
  follow() {
    const v = this.ctx.model.view;
    if (v.mode === 'playing' && v.speed > 0) this.speed = v.speed;
    // What is live goes as fast as it happens.
    if (v.mode === 'live' && !this.atEnd()) this.speed = 1;
  }

  /** @param {number} n steps faster, negative for slower */
  changeSpeed(n) {
    this.follow();
    const i = speeds.reduce((best, s2, j) => (Math.abs(Math.log(s2 / this.speed)) < Math.abs(Math.log(speeds[best] / this.speed)) ? j : best), 0);
    this.setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, i + n))]);
  }

  /** @param {HTMLElement} anchor */
  openSpeeds(anchor) {
    const { ctx } = this;
    ctx.popup(anchor, (root, close) => {
      for (const v of [...speeds].reverse()) {
        root.append(menuRow(close, () => this.setSpeed(v), { role: 'option', 'aria-selected': String(v === this.speed) },
          h('span', { class: 'tick' }), h('span', {}, speedWords(v))));
      }
    }, { width: 160, label: ctx.t('tr.speed') });
  }

  paint() {
    const { t, model } = this.ctx;
    const v = model.view;
    this.follow();
    this.root.classList.toggle('off', !model.any);
    const again = this.atEnd();
    const paused = v.mode === 'paused' || again;
    this.share.paint();
    this.fork.paint();
    attr(this.main.p, 'd', paused || !model.any ? 'M4 2.5v11l9-5.5z' : 'M4 2.5h3v11H4zM9 2.5h3v11H9z');
    for (const [o, k, key] of /** @type {[{b: HTMLElement}, string, string][]} */ (
      [[this.start, 'tr.start', 'Home'], [this.markBack, 'tr.markBack', '['], [this.back, 'tr.back', '←'],
      [this.main, again ? 'tr.replay' : paused ? 'tr.play' : 'tr.pause', 'Space'], [this.fwd, 'tr.fwd', '→'],
      [this.markFwd, 'tr.markFwd', ']'], [this.end, 'tr.live', 'End']])) {
      const words = `${t(k)} (${key})`;
      if (o.b.title !== words) o.b.title = words;
      attr(o.b, 'aria-label', words);
    }
    const words = speedWords(this.speed);
    put(this.pace, words);
    attr(this.pace, 'title', `${t('tr.speed')} (− +)`);
    attr(this.pace, 'aria-label', `${words}: ${t('tr.speed')}`);
    const from = { view: v, now: this.ctx.now() };
    if (model.any) this.time.bind(from, 'now', model.clockFormat);
    if (v.seq) this.event.bind(from, 'n=exact seq', 't tr.event');
    else this.event.set(t('tr.none'));
  }
}
