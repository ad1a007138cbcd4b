// @ts-check
// How the stage shows: in the window, in presenter mode, on the phone, or one row of it alone.
import '../kit/words-views.js';
import { reveal } from '../kit/dom.js';
import * as fragment from '../wire/fragment.js';
import { hasHalt } from '../wire/marks.js';
import { paintedMoment } from '../wire/moment.js';
import { Phone } from './phone.js';
import { closePopup, popupOpen } from '../kit/popup.js';
import { Stage } from './stage.js';
import { Stories } from '../story/stories.js';

export class Views {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{
   *   caption: import('../bars/caption.js').Caption, top: import('../bars/topbar.js').TopBar, transport: import('../time/transport.js').Transport,
   *   theme: () => void, language: () => void, find: () => void, explain: () => void, ride: import('../object/ride.js').Ride, say: (clock: number) => void
   * }} o `say` writes the sentence over the stage
   */
  constructor(ctx, app, o) {
    this.ctx = ctx;
    this.app = app;
    this.stories = new Stories(ctx, app, {
      presenter: (on) => this.present(on), presenting: () => this.presenting, ride: o.ride,
    });
    this.phone = new Phone(ctx, app, this.stories, {
      ...o, presenting: () => this.presenting, present: (on) => this.present(on),
      caption: (fits) => this.stories.caption()?.[1] ?? o.caption.wordsWithin(fits),
    });
    /** The stage. */
    this.stage = new Stage(ctx, app, this.stories);
    this.mainCaption = o.caption;
    this.say = o.say;
    this.choose();
    ctx.storyTitle = () => (this.stories.story ? this.stories.say(this.stories.story.title) : '');
    o.caption.extra = () => this.caption();
    this.presenting = !ctx.follower && fragment.read().get('presenter') === '1';
    /** How the stage shows now; null until it was painted. @type {{phone: boolean, presenting: boolean, alone: string} | null} */
    this.shown = null;
    /** What the stage was painted from last: all of it at once. @type {import('../wire/moment.js').Painted | undefined} */
    this.painted = undefined;
    this.step = '';
    this.cursorTimer = 0;
    document.addEventListener('keydown', (e) => this.key(e), true);
    document.addEventListener('pointermove', () => this.cursor());
    this.stories.paint();
    addEventListener('hashchange', () => {
      this.choose();
      this.ctx.repaint();
      this.stage.informers.choose();
      const p = fragment.read();
      const on = p.get('presenter') === '1';
      if (this.ctx.follower) return;
      if (on !== this.presenting) this.present(on);
      const id = p.get('story');
      if (id && id !== this.stories.story?.id) this.stories.takeUp(id).catch((err) => ctx.say(err.message, true));
    });
  }

  /** Takes from the fragment whether one station is shown alone. @private */
  choose() {
    const id = (fragment.read().get('embed') ?? '').toLowerCase();
    this.stage.alone = id;
    this.app.classList.toggle('view-embed', !!id);
  }

  /** The step of a story that the stage follows. @type {import('../wire/types.js').StoryPage | null} */
  followedStep = null;

  /** Whether the stage shows as on a phone: in a narrow window, or on a page that is zoomed far. */
  get isPhone() {
    return this.phone.isOn && !this.stage.alone;
  }

  /** The part of the page that a still is of: the stage without the bars around it. */
  pictureBox() {
    const all = this.app.getBoundingClientRect();
    if (this.isPhone) return this.phone.pictureBox();
    if (this.presenting || this.stage.alone) return all;
    const unit = all.width / 1280;
    return new DOMRect(all.x, all.y + 44 * unit, all.width, all.height - 126 * unit);
  }

  /** Takes a frame in. @param {import('../wire/types.js').Frame} frame @param {number} clock */
  apply(frame, clock) {
    this.stage.informers.find();
    this.stories.apply(frame, clock);
  }

  /** Shows the stage as it is to show now. @private */
  arrange() {
    const { isPhone: phone, presenting, shown, stage: { alone } } = this;
    if (shown && shown.phone === phone && shown.presenting === presenting && shown.alone === alone) return;
    this.shown = { phone, presenting, alone };
    this.app.classList.toggle('view-phone', phone);
    this.app.classList.toggle('wide', !phone);
    this.app.classList.toggle('presenting', presenting && !phone);
    this.phone.root.hidden = !phone;
    document.documentElement.classList.toggle('is-phone', phone);
    this.stage.show(phone ? this.phone.stage : null, phone ? this.phone.maps : null, presenting);
    this.resize();
    this.cursor();
  }

  /** Paints what there is before the first event: the phone's bars. @param {number} clock */
  paintBefore(clock) {
    this.arrange();
    reveal(this.stage.root, false);
    if (this.isPhone) this.phone.paint(clock);
  }

  /** Paints the stage. @param {number} clock */
  paint(clock) {
    this.arrange();
    const step = this.stories.caption()?.[0] ?? '';
    if (step !== this.step) {
      this.step = step;
      this.mainCaption.repaint();
    }
    const { riding, starting, step: now } = this.stories;
    if (now !== this.followedStep && !riding && !(now && starting)) {
      this.followedStep = now;
      this.stage.follow(now);
    }
    this.painted = paintedMoment(this.ctx);
    reveal(this.stage.root, true);
    this.say(clock);
    this.stage.paint(clock);
    if (this.isPhone) this.phone.paint(clock);
    this.stories.paint();
  }

  resize() {
    this.phone.resize();
    this.stage.resize();
    this.mainCaption.wear(this.stage.k);
  }

  /** The sentence of a story, or that of the stage. @returns {[string, string] | null} */
  caption() {
    this.stories.paintFigures(); // of the sentence that is about to be said
    const story = this.stories.caption();
    // What a person wrote is said in its place, and while time runs what the user did.
    this.stage.said = null;
    const { model } = this.ctx;
    const { id } = model.facts.sentence;
    if (story || id.startsWith('person') || (id === 'act' && model.view.mode !== 'paused')) return story;
    return this.stage.caption();
  }

  /** Two releases side by side, or one again. */
  twoEras() {
    return this.ctx.act('select', { era: this.ctx.model.otherEras() });
  }

  /**
   * Presenter mode on or off.
   * @param {boolean} [on]
   * @param {boolean} [byHand] the person of this page does it, and not the speaker who is followed
   */
  present(on = !this.presenting, byHand = true) {
    if (byHand) this.ctx.leaveSpeaker?.();
    this.presenting = on;
    if (!this.ctx.follower) fragment.write({ presenter: on ? 1 : null });
    if (!on && document.fullscreenElement) document.exitFullscreen().catch(() => {});
    if (this.ctx.model.any) this.paint(performance.now());
  }

  /** The whole screen, or the window again. */
  fullscreen() {
    const p = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    p.catch((err) => this.ctx.say(err.message, true));
  }

  /** In presenter mode the cursor goes when it rests for 2 s. @private */
  cursor() {
    clearTimeout(this.cursorTimer);
    document.documentElement.classList.remove('no-cursor');
    if (!this.presenting) return;
    this.cursorTimer = window.setTimeout(() => document.documentElement.classList.toggle('no-cursor', this.presenting), 2000);
  }

  /** Shuts what lies on top. Returns whether there was something. */
  escape() {
    if (this.stage.shut() || this.stories.close() || this.stories.goBack() || this.stories.noRide()) return true;
    if (this.presenting) {
      this.present(false);
      return true;
    }
    return this.stories.leave();
  }

  /** @param {KeyboardEvent} e @private */
  key(e) {
    if (e.defaultPrevented || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
    const el = /** @type {HTMLElement} */ (e.target);
    const turns = this.stories.story || this.presenting;
    // A clicker's keys turn the page whatever hangs over it.
    const shut = turns && ['PageDown', 'PageUp'].includes(e.key) && closePopup();
    if (!shut && (popupOpen() || el.matches?.('input:not([type=range]), textarea, select') || el.closest?.('.pop, .ov'))) return;
    if (/^[1-9]$/.test(e.key) && this.stories.answer(e.key)) {
      e.preventDefault();
      return;
    }
    switch (e.key) {
      case 'PageDown': case 'PageUp': {
        if (!turns) return;
        const n = e.key === 'PageDown' ? 1 : -1;
        const { model } = this.ctx;
        if (this.stories.story && !this.ctx.follower) this.stories.turn(n);
        else if (hasHalt(model.marks, model.view.seq, n)) this.ctx.act('mark', n); // an audience reads no message that there is none
        break;
      }
      case 'p': case 'P': this.present(); break;
      case 'w': case 'W': this.fullscreen(); break;
      case 's': case 'S':
        if (this.ctx.follower) return;
        this.stories.open();
        break;
      case 'b': case 'B':
        // Some clickers send b to darken the screen; that is the dot's work here, and releases do not change by accident.
        if (this.presenting || this.ctx.follower) return;
        this.twoEras();
        break;
      default: return;
    }
    e.preventDefault();
  }
}
