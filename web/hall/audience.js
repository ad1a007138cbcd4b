// @ts-check
// The page of a follower: it shows the state of the broadcast, goes where the speaker's page goes, and lets the follower look around
// alone and come back. A follower cannot act; the worker refuses it too.
import { attr, button, h, put, reveal } from '../kit/dom.js';
import { capitalize } from '../kit/format.js';
import { language } from '../kit/i18n.js';
import '../kit/words-hall.js';

/** @typedef {import('../wire/types.js').Hearing} Hearing */

export class Audience {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('../views/views.js').Views} views
   * @param {{pick: (key: string) => void}} o `pick` opens an object's journey, or shuts it
   */
  constructor(ctx, app, views, o) {
    this.ctx = ctx;
    this.app = app;
    this.views = views;
    this.o = o;
    /** @type {Hearing} */
    this.hearing = { phase: 'joining', behindMillis: 0, recording: false, own: false, skipped: 0, before: false };
    /** What of the speaker's page was taken over last. */
    this.lastPage = '';
    this.words = h('span', { role: 'status' });
    this.back = button({ class: 'key' }, () => this.rejoinSpeaker());
    this.root = h('div', { class: 'hall' }, h('i'), this.words, this.back);
    app.append(this.root);
    app.classList.add('audience');
    ctx.leaveSpeaker = () => this.leaveSpeaker();
    ctx.recorded = () => this.hearing.recording;
  }

  /** Takes the state of the broadcast from the worker. @param {Hearing} hearing */
  hear(hearing) {
    this.hearing = hearing;
    this.ctx.model.unheard = !['following', 'over'].includes(hearing.phase);
    this.take();
    this.paint();
  }

  /** Stands where the speaker's page does. @private */
  take() {
    const { hearing } = this;
    if (hearing.own) {
      if (this.lastPage) this.views.stories.mirror(null); // its sentences are about what the speaker shows
      this.lastPage = '';
      return;
    }
    const page = /** @type {import('../wire/page-types.js').SpeakerPage} */ (hearing.page ?? {});
    const text = JSON.stringify(page);
    if (!hearing.page || text === this.lastPage) return;
    this.lastPage = text;
    const { views } = this;
    views.stories.mirror(page.story ?? null);
    if (!!page.presenter !== views.presenting) views.present(!!page.presenter, false);
    views.stage.informers.follow(typeof page.lane === 'number' ? page.lane : -1);
    this.o.pick(typeof page.object === 'string' ? page.object : '');
  }

  /** From now on the follower looks around alone. */
  leaveSpeaker() {
    if (this.hearing.own) return;
    this.hearing = { ...this.hearing, own: true };
    this.take();
    this.ctx.call('apart').catch((err) => this.ctx.say(err.message, true));
    this.paint();
  }

  rejoinSpeaker() {
    return this.ctx.call('along').then((state) => this.hear(state), (err) => this.ctx.say(err.message, true));
  }

  /** The caption's sentence while the view is out of date. */
  get trouble() {
    const own = this.hearing.own || ['joining', 'following', 'over', 'slow'].includes(this.hearing.phase);
    return own ? '' : capitalize(`${this.say()}${language() === 'zh' ? '。' : '.'}`);
  }

  /** One sentence on how it goes. */
  say() {
    const { t } = this.ctx;
    const { hearing } = this;
    if (hearing.phase === 'slow') return t('hall.slow', { s: Math.round(hearing.behindMillis / 1000) });
    if (hearing.phase === 'following' && hearing.before && !hearing.own) return t('hall.before');
    if (hearing.own && ['following', 'over', 'joining'].includes(hearing.phase)) return t('hall.own');
    return t(`hall.${hearing.phase}`);
  }

  paint() {
    const { t } = this.ctx;
    const { hearing } = this;
    const home = this.views.phone.isOn ? this.views.phone.hall : this.app;
    if (this.root.parentElement !== home) home.append(this.root);
    const bad = ['slow', 'quiet', 'silent', 'unknown', 'damaged'].includes(hearing.phase);
    attr(this.root, 'class', `hall ${hearing.phase}${hearing.own ? ' own' : ''}${bad ? ' bad' : ''}`);
    put(this.words, this.say());
    attr(this.words, 'title', hearing.error || null);
    put(this.back, t(hearing.recording ? 'hall.goOn' : 'hall.back'));
    attr(this.back, 'title', `${t(hearing.recording ? 'hall.goOn' : 'hall.back')} (A)`);
    reveal(this.back, hearing.own);
  }
}
