// @ts-check
// A hidden tab asks for no frames, so it draws nothing; when it shows again the next frame brings everything at once.
// After a long absence a message says what was missed.
import { exact, span } from '../kit/format.js';
import '../kit/words-time.js';

const long = 5000;

export class Away {
  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    this.since = 0;
    this.seq = 0;
    this.viewMillis = 0;
    this.absence = 0;
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) {
        this.since = performance.now();
        this.seq = ctx.model.view.seq;
        this.viewMillis = ctx.model.view.atMillis;
        this.absence = 0;
      } else if (this.since) {
        this.absence = performance.now() - this.since;
        this.since = 0;
      }
    });
  }

  /** StoryState with each frame that was applied. @param {import('../wire/types.js').Frame} frame */
  note(frame) {
    if (!this.absence || frame.view.mode === 'paused') return;
    // A frame that was on its way when the tab went is of before; a view that is far behind catches up over several.
    if (frame.view.mode === 'live' && (frame.view.behind > 0 || frame.view.atMillis - this.viewMillis < this.absence / 2)) return;
    const events = frame.view.seq - this.seq;
    if (this.absence >= long && events > 0) this.ctx.say(this.ctx.t('away.back', { s: span(this.absence), n: exact(events) }));
    this.absence = 0;
  }
}
