// @ts-check
// Which view of the one state is shown: the main stage, two releases, presenter mode, the phone or one station alone. The views share the
// model, and hidden views are not painted.
import '../kit/words-views.js';
import * as fragment from '../wire/fragment.js';
import { Embed } from './embed.js';
import { Factory } from './factory.js';
import { Lanes } from './lanes.js';
import { hasHalt } from '../wire/marks.js';
import { paintedMoment } from '../wire/moment.js';
import { Phone } from './phone.js';
import { closePopup, popupOpen } from '../kit/popup.js';
import { Presenter } from './presenter.js';
import { Stories } from '../story/stories.js';
import { Tracks } from './tracks.js';

export class Views {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{
   *   caption: import('../bars/caption.js').Caption, top: import('../bars/topbar.js').TopBar, transport: import('../time/transport.js').Transport,
   *   theme: () => void, language: () => void, find: () => void, explain: (i: number) => void, ride: import('../object/ride.js').Ride,
   *   say: (clock: number) => void
   * }} o `say` writes the sentence over the stage, for a view whose numbers are those of the sentence
   */
  constructor(ctx, app, o) {
    this.ctx = ctx;
    this.app = app;
    const { scene } = ctx;
    for (const el of [scene.svg, scene.over, scene.high, scene.tokens]) el.classList.add('on-stage');
    this.lanes = new Lanes(ctx, app);
    this.factory = new Factory(ctx, app);
    this.stories = new Stories(ctx, app, {
      presenter: (on) => this.present(on), presenting: () => this.presenting, ride: o.ride,
    });
    this.presenter = new Presenter(ctx, app, this.stories, { caption: (fits) => this.stories.caption()?.[1] ?? o.caption.wordsWithin(fits) });
    this.phone = new Phone(ctx, app, this.stories, {
      ...o, lanes: this.lanes, presenting: () => this.presenting, focus: () => this.presenter.focus(),
      present: (on) => this.present(on), caption: (fits) => this.stories.caption()?.[1] ?? o.caption.wordsWithin(fits),
    });
    /** One station alone. */
    this.embed = new Embed(ctx, app);
    /** The stage whose rows are stations, in place of the others that show one informer, or two releases. */
    this.tracks = new Tracks(ctx, app, this.stories);
    this.mainCaption = o.caption;
    this.say = o.say;
    /** Moves go only to the layout that is visible. @type {[string, import('../stage/motion.js').Motion][]} */
    this.motions = [
      ['', ctx.motion], ['lanes', this.lanes.motion], ['presenter', this.presenter.motion], ['phone', this.phone.motion],
      ['embed', this.embed.motion], ['factory', this.factory.motion],
    ];
    ctx.motion.show(true);
    this.choose();
    ctx.storyTitle = () => (this.stories.story ? this.stories.say(this.stories.story.title) : '');
    o.caption.extra = () => this.caption();
    this.presenting = !ctx.follower && fragment.read().get('presenter') === '1';
    /** What shows: '' is the main stage. */
    this.view = '';
    this.shownPresenting = false;
    /** What the view in place of the stage was painted from last: all of it at once. @type {import('../wire/moment.js').Painted | undefined} */
    this.painted = undefined;
    /** Called when the main stage shows again. */
    this.onback = () => {};
    this.step = '';
    this.cursorTimer = 0;
    document.addEventListener('keydown', (e) => this.key(e), true);
    document.addEventListener('pointermove', () => this.cursor());
    this.stories.paint();
    addEventListener('hashchange', () => {
      this.choose();
      this.ctx.repaint();
      this.factory.choose();
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
    const id = fragment.read().get('embed') ?? '';
    this.wantsTracks = fragment.read().get('stage') === 'tracks';
    this.embed.show(this.wantsTracks ? '' : id);
    this.tracks.alone = this.wantsTracks ? id.toLowerCase() : '';
    this.app.classList.toggle('view-embed', !!id);
  }

  wantsTracks = false;
  /** The step of a story that the stage follows. @type {import('../wire/types.js').StoryPage | null} */
  told = null;
  shownTracks = false;

  /** Draws what moves, in an animation frame. @param {number} clock */
  draw(clock) {
    if (this.shownTracks) this.tracks.draw(clock);
    else this.motion.draw();
  }

  /** Whether what shows needs an animation frame only while something is due. */
  get rests() {
    return this.shownTracks;
  }

  /** In how many ms what shows is drawn again, if nothing comes until then. */
  dueIn() {
    return this.tracks.dueIn();
  }

  /** What travels on the layout that shows. */
  get motion() {
    return this.motions.find(([name]) => name === this.view)?.[1] ?? this.ctx.motion;
  }

  /** The part of the page that a still is of: the stage without the bars around it. @param {boolean} caption with its caption */
  pictureBox(caption) {
    const all = this.app.getBoundingClientRect();
    if (this.view === 'embed' || (this.presenting && this.view !== 'phone')) return all;
    if (this.view === 'phone') return this.phone.pictureBox();
    const unit = all.width / 1280;
    if (this.view === 'tracks') return new DOMRect(all.x, all.y + 44 * unit, all.width, all.height - 126 * unit);
    return new DOMRect(all.x, all.y + 44 * unit, all.width, (caption ? 558 : 520) * unit);
  }

  /** The state that shows, with its lanes. */
  state() {
    const st = this.ctx.model.state;
    return this.lanes.isOn ? { ...st, lanes: [st, this.lanes.state(1)] } : st;
  }

  /** Takes a frame in. @param {import('../wire/types.js').Frame} frame @param {number} clock */
  apply(frame, clock) {
    this.lanes.apply(frame);
    this.factory.apply(frame);
    this.presenter.apply(frame);
    this.phone.apply(frame);
    this.embed.apply(frame);
    this.stories.apply(frame, clock);
  }

  get mode() {
    if (this.embed.isOn) return 'embed';
    if (this.tracks.alone) return 'tracks';
    if (this.phone.isOn) return 'phone';
    if (this.wantsTracks) return 'tracks';
    if (this.factory.isOn) return 'factory';
    if (this.lanes.isOn) return 'lanes';
    return this.presenting ? 'presenter' : '';
  }

  /**
   * Paints the view that covers the stage. Returns its name; empty when the stage itself shows.
   * @param {number} clock
   */
  paint(clock) {
    const mode = this.mode;
    const tracks = this.wantsTracks && ['tracks', 'phone'].includes(mode);
    if (mode !== this.view || this.presenting !== this.shownPresenting || tracks !== this.shownTracks) {
      this.shownTracks = tracks;
      const back = this.view !== '' && mode === '';
      this.view = mode;
      this.shownPresenting = this.presenting;
      for (const v of ['lanes', 'presenter', 'phone', 'factory', 'tracks']) this.app.classList.toggle('view-' + v, v === mode);
      for (const v of ['lanes', 'factory', 'tracks']) this.app.classList.toggle('pres-' + v, this.presenting && mode === v);
      this.lanes.root.hidden = mode !== 'lanes';
      this.factory.root.hidden = mode !== 'factory';
      this.presenter.root.hidden = !this.presenting || ['phone', 'embed', 'tracks'].includes(mode);
      this.phone.root.hidden = mode !== 'phone';
      for (const [name, motion] of this.motions) motion.show(name === mode && !tracks);
      document.documentElement.classList.toggle('is-phone', mode === 'phone');
      this.app.classList.toggle('phone-tracks', tracks && mode === 'phone');
      this.tracks.show(tracks, mode === 'phone' ? this.phone.scroll : null, this.presenting);
      this.resize();
      if (back) this.onback();
      this.cursor();
    }
    const step = this.stories.caption()?.[0] ?? '';
    if (step !== this.step) {
      this.step = step;
      this.mainCaption.repaint();
    }
    const { riding, starting, step: told } = this.stories;
    if (told !== this.told && !riding && !(told && starting)) {
      this.told = told;
      this.tracks.follow(told);
    }
    this.painted = mode ? paintedMoment(this.ctx) : undefined;
    if (tracks) {
      this.say(clock);
      this.tracks.paint(clock);
    }
    if (mode === 'lanes') this.lanes.paint(clock);
    if (mode === 'factory') this.factory.paint(clock);
    this.factory.paintBack(mode === '');
    if (mode === 'embed') this.embed.paint(clock);
    else if (mode === 'phone') this.phone.paint(clock);
    else if (this.presenting && mode !== 'tracks') this.presenter.paint(clock, mode === 'lanes' || mode === 'factory');
    this.stories.paint();
    return mode;
  }

  resize() {
    this.lanes.resize(this.presenting);
    this.presenter.resize();
    this.factory.resize(this.presenting);
    this.phone.resize();
    this.embed.resize();
    this.tracks.resize();
    this.mainCaption.wear(this.tracks.on && !this.tracks.over ? this.tracks.k : 0);
  }

  /** The caption of the view, when it has one of its own. @returns {[string, string] | null} */
  caption() {
    this.stories.paintFigures(); // of the sentence that is about to be said
    const story = this.stories.caption();
    // What a person wrote is said by every view, in the words of the stage.
    this.tracks.said = null;
    if (story || this.ctx.model.facts.sentence.id.startsWith('person')) return story;
    const head = this.tracks.caption();
    if (head) return head;
    return this.lanes.isOn ? this.lanes.caption() : this.view === 'factory' ? this.factory.caption() : null;
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
    this.paint(performance.now());
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
    if (this.tracks.shut() || this.stories.close() || this.stories.goBack() || this.stories.noRide()) return true;
    if (this.presenting) {
      this.present(false);
      return true;
    }
    return this.stories.leave() || (!this.shownTracks && this.factory.goBack());
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
