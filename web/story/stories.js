// @ts-check
// Stories: the chooser, and the bar of the story that plays. The worker plays it (core/page/story): the sentence of the moment shown comes with the
// frames, and a call turns to another step. The page only shows it.
import { attr, button, h, icon, isSeen, put, reveal, s } from '../kit/dom.js';
import * as fragment from '../wire/fragment.js';
import { capitalize } from '../kit/format.js';
import { language, translate } from '../kit/i18n.js';
import { Levels, keptLevel, skips } from './levels.js';
import { Quiz } from './quiz.js';
import { miniature } from './rail.js';
import * as tour from './tour.js';
import { openDialog } from '../kit/popup.js';

/** @import { Story, StoryState, StoryWords as Words } from '../wire/types.js' */

export class Stories {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{presenter: (on?: boolean) => void, presenting: () => boolean, ride: import('../object/ride.js').Ride}} views
   */
  constructor(ctx, app, views) {
    this.ctx = ctx;
    this.app = app;
    this.views = views;
    /** @type {import('../wire/types.js').Library} */
    this.library = { groups: [], stories: [] };
    /** The story that plays, or is about to. @type {Story | null} */
    this.story = null;
    /** The story's state, as the worker reports it. @type {StoryState | null} */
    this.state = null;
    /** Whether a story was started here, and has not arrived in a frame yet. */
    this.wanted = false;
    /** True once a person has turned a page: then the person turns them all. */
    this.manual = false;
    /** Whether it is the speaker's story. */
    this.mirrored = false;
    /** The sentence that shows, and since when. */
    this.said = { id: '', at: 0 };
    /** @type {HTMLDialogElement | null} */
    this.chooser = null;
    this.bar = h('div', { class: 'storybar', role: 'group', hidden: '' });
    const key = (/** @type {string} */ d, /** @type {() => void} */ f) => button({ class: 'key' }, f, icon(d));
    this.prevB = key('M10.5 3L5.5 8l5 5', () => this.turn(-1));
    this.nextB = key('M5.5 3l5 5-5 5', () => this.turn(1));
    this.endB = key('M4 4l8 8M12 4l-8 8', () => this.leave());
    /** The button for the card at the end of a story: what to do in one's own controller. */
    this.takeB = button({ class: 'key take', 'aria-haspopup': 'dialog' }, () => this.openTake());
    this.dots = h('span', { class: 'dots' });
    this.words = h('span', { class: 'words' });
    /** The numbers of the step. */
    this.figures = h('div', { class: 'figures', hidden: '' });
    /** What to take home, in presenter mode: turned to like a step behind the last. */
    this.home = h('section', { class: 'home', hidden: '' });
    app.append(this.home);
    /** Does what the step asks of its reader, in the reader's place. */
    this.doB = button({ class: 'key for-me', hidden: '' }, () => this.ctx.act('storyTurn', 1));
    this.bar.append(this.takeB, this.words, this.dots, this.prevB, this.nextB, this.endB);
    app.append(this.bar);
    /** The function of client-go that the step shows at work. */
    this.function = h('code', { class: 'fn', hidden: '' });
    app.querySelector('.cap')?.prepend(this.figures);
    app.querySelector('.cap')?.append(this.function);
    app.querySelector('.cap')?.append(this.doB);
    /** What the step asks its reader to press, while it waits. @type {HTMLElement | null} */
    this.control = null;
    this.quiz = new Quiz(ctx, app, (w) => this.say(w));
    this.levels = new Levels(ctx, app);
    this.drawn = '';
    ctx.storiesChanged = () => {
      this.library = { groups: [], stories: [] };
    };
    ctx.tellStory = (id) => this.start(id);
    /** The stations that a step speaks of; the others are quiet. */
    this.focus = '';
    this.ride = views.ride;
    /** Steps of this story whose ride was opened: going back and forth does not open it again. @type {Set<number>} */
    this.openedRides = new Set();
    /** The step whose ride may open again with the worker's next report; -1 for none. */
    this.again = -1;
    /** The step whose ride is being opened, and presses that came meanwhile. @type {{step: number, presses: number[]} | null} */
    this.opening = null;
    /** The worker's report that came while a ride showed other moments than the step's; undefined for none. @type {StoryState | null | undefined} */
    this.since = undefined;
    /** The step whose ride shows; -1 for one that is not the story's. */
    this.rides = -1;
    /** The object that is followed for the story's ride alone. */
    this.followed = '';
    /** A ride shows, or the view is on its way back from it. */
    this.riding = false;
  }

  /** @param {Words | import('../wire/types.js').Saying} w */
  say(w) {
    return translate(w);
  }

  /** The step of the moment shown. */
  get i() {
    return this.state?.step ?? 0;
  }

  get starting() {
    return this.state?.starting ?? true;
  }

  get step() {
    return this.story?.steps[this.i] ?? null;
  }

  /** The numbers that are drawn large beside the sentence of the moment shown. */
  numbers() {
    const { state, story } = this;
    if (!state || !story || state.waits || this.riding) return [];
    return state.caption?.numbers ?? [];
  }

  /** The sentence of the moment shown, or null without a story. Nothing else is said between two sentences of a story. @returns {[string, string] | null} */
  caption() {
    const { state, story } = this;
    if (!story) return null;
    // A step's sentence may not be true of the moments of a ride, which says each hop itself.
    if (this.riding) return [`story ${story.id} ride`, capitalize(this.say(this.step?.name ?? story.title))];
    if (!state || state.starting) return [`story ${story.id}`, this.say(story.title)];
    const said = state.caption ? this.say(state.caption) : '';
    const asks = this.asks();
    if (asks) return [`story ${story.id} ${state.step} asks`, [said, asks].join(language() === 'zh' ? '' : ' ').trim()];
    return [`story ${story.id} ${state.step} ${state.done}`, said];
  }

  /** The function of client-go that the step shows at work; empty where its sentence does not show. */
  functionName() {
    return this.state?.caption && !this.riding && !this.state.waits ? this.step?.function ?? '' : '';
  }

  /** What the reader is asked to do, and how, while the step waits for it; else empty. @private */
  asks() {
    const { state, step } = this;
    if (!state?.waits || !state.asks || !step) return '';
    if (step.answers) return this.say(state.asks);
    const how = this.control && step.how ? this.say(step.how) : this.ctx.t('story.turnDoes');
    return `${this.say(state.asks)}${language() === 'zh' ? '' : ' '}${how}`;
  }

  /** Chooses an answer to the question that is open, or a level. Returns whether the key was one for it. @param {string} key */
  answer(key) {
    return !this.mirrored && (this.quiz.key(key) || this.levels.key(key));
  }

  /** Points at what the reader is asked to press, where this view has it. @private */
  point() {
    const call = this.state?.waits && !this.mirrored ? this.step?.control ?? '' : '';
    const find = (/** @type {string} */ c) => /** @type {HTMLElement | undefined} */ (
      [...this.app.querySelectorAll(`[data-call="${CSS.escape(c)}"]`)].find(isSeen));
    const to = call ? find(call) ?? find(call.split(' ')[0]) ?? null : null;
    if (to === this.control) return;
    this.control?.classList.remove('asked');
    to?.classList.add('asked');
    this.control = to;
  }

  /** A story that asks its reader to act waits for the reader. @private */
  get byHand() {
    return !!this.story?.steps.some((x) => x.control);
  }

  /** Starts a story where it was left, if it can be resumed. @param {string} id @param {boolean} [presenter] */
  takeUp(id, presenter) {
    return this.start(id, presenter, id === tour.id ? tour.stepLeft() : 0);
  }

  /** Begins the tour, or takes it up again. */
  beginTour() {
    this.takeUp(tour.id).catch((err) => this.ctx.say(err.message, true));
  }

  /** Asks the worker which stories there are. */
  async list() {
    if (!this.library.stories.length) {
      await this.ctx.ownStories?.();
      this.library = await this.ctx.call('stories');
    }
    return this.library.stories;
  }

  /**
   * Starts a story. It rejects when there is none with that id.
   * @param {string} id
   * @param {boolean} [presenter] in presenter mode
   * @param {number} [step] the step at which it is taken up
   */
  async start(id, presenter, step = 0) {
    const stories = await this.list();
    const story = stories.find((x) => x.id === id);
    if (!story) throw new Error(this.ctx.t('story.unknown', { id, all: stories.map((x) => x.id).join(', ') }));
    const recording = story.recording ? await this.ctx.recording?.(story.recording) : undefined;
    this.close();
    if (recording) {
      this.ctx.select('');
      fragment.write({ at: null });
    }
    this.ride.close(false);
    this.riding = false;
    this.opening = null;
    this.since = undefined;
    this.openedRides.clear();
    this.story = story;
    this.state = null;
    this.wanted = true;
    fragment.write({ story: id });
    if (presenter) this.views.presenter(true);
    try {
      await this.ctx.call('storyBegin', id, '', Math.min(step, story.steps.length - 1), recording);
      const level = keptLevel(story);
      if (level > 1) await this.ctx.call('storyLevel', level);
    } catch (err) {
      this.endStory();
      throw err;
    }
    return { id, steps: story.steps.length };
  }

  /** Ends the story on the page. @private */
  endStory() {
    const before = this.story;
    this.openedRides.clear();
    this.opening = null;
    this.story = null;
    this.state = null;
    this.wanted = false;
    if (before && !this.mirrored) fragment.write({ story: null, level: null });
    this.paint();
  }

  /** Ends the story; the log and the view stay. */
  leave() {
    if (!this.story || this.mirrored) return false;
    this.ride.close(false);
    this.endStory();
    this.ctx.act('storyEnd').then(() => {
      if (this.ctx.model.view.mode !== 'live') this.ctx.act('live');
    });
    return true;
  }

  /** Takes a frame in. @param {import('../wire/types.js').Frame} frame @param {number} clock */
  apply(frame, clock) {
    if (frame.story !== undefined) this.hear(frame.story);
    const { state, story } = this;
    if (!state || !story || this.riding || state.starting) return;
    const id = `${state.step} ${state.done}`;
    if (id !== this.said.id) this.said = { id, at: clock };
    const isRead = clock > this.said.at + (state.caption?.readMillis ?? 0);
    if (this.isRideDue) {
      // The sentence before the ride is read first, unless a press asked for the ride.
      if (state.ride?.asked || isRead) this.openRide();
      return;
    }
    // A free story goes on when the sentence has been read.
    const goes = state.awaitsPress || (state.done && state.last < story.steps.length - 1);
    if (goes && isRead && state.caption && state.step === state.last && this.free && !this.mirrored) {
      this.said.at = clock;
      this.ctx.act('storyTurn', 1);
    }
  }

  /** Whether the story goes on by itself once a sentence has been read. @private */
  get free() {
    return !this.byHand && !this.manual && !this.views.presenting();
  }

  /** Whether the step that shows has come to its end, and its ride was not opened. @private */
  get isRideDue() {
    const { state, ride, opening } = this;
    return !!state?.ride && state.done && !this.mirrored && !this.riding && !ride.isOn && !opening && !this.openedRides.has(state.step);
  }

  /** Opens the ride of the step that shows. @private */
  openRide() {
    const { state, story } = this;
    if (!state?.ride || !story) return;
    const opening = { step: state.step, presses: /** @type {number[]} */ ([]) };
    const wanted = () => this.opening === opening && this.story === story && this.state?.step === opening.step;
    this.opening = opening;
    this.ctx.act('storyRide');
    this.followed = this.ctx.selected() ? '' : state.ride.key;
    this.ride.open(state.ride.key, 0, { auto: this.free, wanted }).catch((err) => {
      this.openedRides.add(opening.step);
      this.ctx.say(err.message, true);
    }).finally(() => {
      if (this.opening !== opening) return;
      this.opening = null;
      for (const n of opening.presses) this.turn(n);
    });
  }

  /** Leaves a ride that the worker was asked for and that does not show yet. */
  noRide() {
    const wasOpening = !!this.opening;
    this.opening = null;
    return wasOpening;
  }

  /** A ride shows other moments than the step's: their sentences are not shown, and the step stays. */
  rideOpened() {
    if (!this.riding) this.since = undefined;
    this.riding = !!this.story;
    this.rides = this.opening?.step ?? -1;
  }

  /** The view goes back to the step's moment, and its stations are those to look at again. */
  rideClosed() {
    // Only a ride that was shown is done: one that was skipped may still be opened.
    if (this.riding && this.rides >= 0) this.openedRides.add(this.rides);
    this.ride.moving.then(() => {
      if (this.ride.isOn || !this.riding) return;
      this.riding = false;
      this.focus = '\0'; // the ride has lit others
      if (this.ctx.selected() && this.ctx.selected() === this.followed) this.ctx.select('');
      this.followed = '';
      const { since } = this;
      this.since = undefined;
      if (since !== undefined) this.hear(since);
      this.ctx.repaint();
    });
  }

  /** @param {StoryState | null} state @private */
  hear(state) {
    if (state?.step === this.again) {
      this.openedRides.delete(this.again);
      this.again = -1;
    }
    if (this.riding && state && state.id === this.state?.id && state.last === this.state.last) {
      this.since = state;
      return;
    }
    if (this.riding) { // the story went on, or is over: the view is there already
      this.riding = false;
      this.focus = '\0';
      this.ride.close(false);
    }
    if (!state) {
      if (this.story && !this.wanted) this.endStory();
      return;
    }
    if (this.wanted && state.id !== this.story?.id) return; // a frame of the story before
    const story = this.library.stories.find((x) => x.id === state.id);
    if (!story) {
      this.list().then(() => this.library.stories.some((x) => x.id === state.id) && this.hear(state), (err) => this.ctx.say(err.message, true));
      return;
    }
    if (this.story !== story && !this.wanted && !this.mirrored) return; // it was left meanwhile
    if (state.problem && state.problem !== this.state?.problem) this.ctx.say(state.problem, true);
    this.wanted = false;
    this.story = story;
    this.state = state;
    if (story.id === tour.id && !state.starting && !state.hurry && !this.mirrored) tour.keep(state.last, state.last === story.steps.length - 1 && state.ended);
  }

  /** A page turned by hand. @param {number} n */
  turn(n) {
    if (this.mirrored || !this.story) return;
    this.manual = true;
    if (this.opening) {
      this.opening.presses.push(n);
      return;
    }
    if (this.ride.isOn) {
      this.ride.step(n);
      return;
    }
    if (n > 0 && this.isRideDue) {
      this.openRide();
      return;
    }
    if (this.views.presenting()) {
      const at = this.story.steps.length - 1;
      if (!this.home.hidden) {
        if (n < 0) this.home.hidden = true;
        return;
      }
      if (n > 0 && this.i === at && this.state?.done) {
        this.home.hidden = false;
        this.paintHome();
        return;
      }
    }
    this.ctx.act('storyTurn', n); // the worker keeps it while the story starts
  }

  /** Leaves what is to be taken home, if that shows. */
  goBack() {
    const wasShown = !this.home.hidden;
    this.home.hidden = true;
    return wasShown;
  }

  /** Where the story is, for followers; null without a story. */
  position() {
    return this.story && this.state ? { ...this.state, caption: null, letters: undefined } : null;
  }

  /** The speaker's story, as last reported. */
  speakerStory = '';

  /** Shows the speaker's story, or none with null. @param {unknown} at */
  mirror(at) {
    this.mirrored = true;
    const text = JSON.stringify(at ?? null);
    if (text === this.speakerStory) return;
    this.speakerStory = text;
    this.ctx.call('storyFollow', at ?? null).catch((err) => this.ctx.say(err.message, true));
    if (!at) this.endStory();
  }

  paint() {
    const { t } = this.ctx;
    const st = this.step;
    this.point();
    this.quiz.paint(this.story, this.riding ? null : this.state, this.mirrored);
    this.levels.paint(this.state?.starting === false && !this.i && !this.mirrored && !this.views.presenting() ? this.story : null, this.state?.level);
    this.paintFigures();
    put(this.function, this.functionName());
    reveal(this.function, this.function.textContent !== '' && !this.views.presenting());
    if (!this.home.hidden && (!this.story || !this.views.presenting() || this.i !== this.story.steps.length - 1)) this.home.hidden = true;
    if (!this.home.hidden && this.home.lang !== language()) {
      this.home.lang = language();
      this.paintHome();
    }
    if (this.doB.hidden === (!!this.state?.waits && !this.step?.answers && !!this.story && !this.mirrored)) this.doB.hidden = !this.doB.hidden;
    const on = !!st && !!this.story && !this.views.presenting();
    if (this.bar.hidden === on) this.bar.hidden = !on;
    this.app.classList.toggle('in-story', on);
    if (!st || !this.story) return;
    const n = this.story.steps.length;
    const { state } = this;
    const ride = this.riding && this.ride.isOn ? 'on' : this.isRideDue || this.opening ? 'due' : '';
    const last = state?.last ?? 0;
    const how = state?.hurry ? t('story.hurry') : state?.stands && state.step === state.last ? t('story.stands') : '';
    const turns = this.byHand && (state?.awaitsPress || (state?.done && (this.i < n - 1 || ride === 'due' || ride === 'on')));
    const id = [this.story.id, this.i, last, state?.done, how, state?.waits, state?.awaitsPress, ride, state?.level, language()].join(' ');
    if (id === this.drawn) return;
    this.drawn = id;
    this.bar.dataset.step = String(this.i + 1);
    this.dots.classList.toggle('many', n > 12);
    this.bar.dataset.state = state?.done ? 'told' : state?.waits ? 'waits' : state?.awaitsPress ? 'stands' : 'telling';
    this.bar.dataset.ride = ride || (state?.ride ? 'over' : '');
    this.doB.textContent = t('story.doIt');
    this.nextB.classList.toggle('asked', !!turns);
    this.words.textContent = t('pres.step', { i: this.i + 1, n, name: this.say(st.name) });
    attr(this.words, 'title', how);
    this.takeB.hidden = !(state?.done && this.i === n - 1 && this.story.take.words.en);
    this.takeB.textContent = t('story.take');
    this.bar.setAttribute('aria-label', this.say(this.story.title));
    for (const b of [this.prevB, this.nextB, this.endB]) b.hidden = this.mirrored;
    this.dots.replaceChildren(...this.story.steps.map((x, i) => {
      const skipped = skips(x, state?.level);
      const name = skipped ? t('level.skipped', { name: this.say(x.name) }) : this.say(x.name);
      const b = h('button', { type: 'button', class: i === this.i ? 'dot now' : state && !state.starting && i <= last ? 'dot on' : 'dot',
        'aria-label': t('pres.step', { i: i + 1, n, name }), title: name });
      b.classList.toggle('skipped', skipped);
      if (i === this.i) b.setAttribute('aria-current', 'step');
      if (!state || state.starting || i > last || this.mirrored) b.setAttribute('disabled', '');
      b.addEventListener('click', () => {
        this.manual = true;
        this.ride.close(false);
        // A person who chooses the step may want its ride again, once the step plays: until the worker reports that, the page shows the step's end.
        this.ctx.act('storyStep', i).then(() => { this.again = i; });
      });
      return b;
    }));
    const next = ride === 'due' ? 'ride.go' : ride ? 'ride.next' : state?.awaitsPress ? 'story.show' : 'story.next';
    for (const [b, k, keyName] of /** @type {[HTMLElement, string, string][]} */ (
      [[this.prevB, 'story.prev', 'Page Up'], [this.nextB, next, 'Page Down'],
        [this.endB, 'story.end', 'Esc']])) {
      attr(b, 'aria-label', `${t(k)} (${keyName})`);
      attr(b, 'title', `${t(k)} (${keyName})`);
    }
  }

  /** Shows what to take home so that it is read from the last row. @private */
  paintHome() {
    const { story } = this;
    if (!story) return;
    const { t } = this.ctx;
    const { words, go, see } = story.take;
    const code = h('pre', { class: 'go' }, go.trimEnd().replaceAll('\t', '    '));
    this.home.replaceChildren(h('h2', {}, t('story.takeTitle')), h('p', {}, this.say(words)), code);
    if (see.length) this.home.append(h('p', { class: 'note' }, t('story.see', { all: see.join(' · ') })));
    // As large as its longest line and its height allow.
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    for (let size = 1.75; size >= 0.75; size -= 0.0625) {
      code.style.fontSize = `${size}rem`;
      if (code.scrollWidth <= code.clientWidth && this.home.scrollHeight <= this.home.clientHeight + rem / 8) break;
    }
  }

  /** Paints the numbers beside the sentence, where this view has the caption's line: whenever that asks what to say, also while nothing happens. */
  paintFigures() {
    const numbers = this.views.presenting() ? [] : this.numbers();
    const drawn = [language(), ...numbers.map((x) => x.is + x.en)].join();
    if (this.figures.dataset.drawn === drawn) return;
    this.figures.dataset.drawn = drawn;
    this.figures.hidden = !numbers.length;
    this.figures.replaceChildren(...numbers.map((x) => h('span', {}, h('b', {}, x.is), this.say(x))));
  }

  /** Shows what to do in one's own controller. @private */
  openTake() {
    const { story } = this;
    if (!story) return;
    const { t } = this.ctx;
    this.ctx.popup(this.takeB, (root, close) => {
      const { words, go, see } = story.take;
      root.append(h('h2', {}, t('story.takeTitle')), h('p', { class: 'note' }, this.say(words)), h('pre', { class: 'go', tabindex: 0 }, go.trimEnd()));
      if (see.length) root.append(h('p', { class: 'note' }, t('story.see', { all: see.join(' · ') })));
      const b = this.printButton(() => story);
      b.addEventListener('click', close);
      root.append(h('div', { class: 'btnrow' }, b));
    }, { width: 864, label: t('story.takeTitle') });
  }

  /** Prints a story. @param {() => Story | null | undefined} which @private */
  printButton(which) {
    const { t } = this.ctx;
    return button({ class: 'key print', title: t('handout.tip') }, () => {
      const story = which();
      if (story) this.ctx.handout?.(story.id);
    }, t('handout.print'));
  }

  /** Shows the chooser. @param {HTMLElement} [anchor] what the focus goes back to @param {string} [group] whose first story is marked */
  open(anchor, group) {
    if (this.chooser) return this.close();
    this.list().then((stories) => this.chooser || this.choose(stories, anchor, group), (err) => this.ctx.say(err.message, true));
    return true;
  }

  /** @param {Story[]} stories @param {HTMLElement} [anchor] @param {string} [group] @private */
  choose(stories, anchor, group) {
    const { t } = this.ctx;
    const { groups } = this.library;
    const field = /** @type {HTMLInputElement} */ (h('input', { type: 'text', placeholder: t('story.search'), 'aria-label': t('story.search'),
      role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'story-list', spellcheck: 'false', autocomplete: 'off' }));
    const total = Math.round(stories.reduce((a, x) => a + x.seconds, 0) / 60);
    const list = h('div', { class: 'sl', id: 'story-list', role: 'listbox', 'aria-label': t('story.title') });
    const foot = h('div', { class: 'sk2' }, h('span', {}, h('kbd', {}, '↑'), h('kbd', {}, '↓'), t('story.choose')),
      h('span', {}, h('kbd', {}, 'Enter'), t('story.play')), h('span', {}, h('kbd', {}, 'Shift'), h('kbd', {}, 'Enter'), t('story.playPres')),
      h('span', {}, h('kbd', {}, 'Esc'), t('story.close')), this.printButton(() => shown[cur]));
    const card = h('div', { class: 'sc' },
      h('div', { class: 'sf' }, s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('circle', { cx: 6.5, cy: 6.5, r: 4.5 }),
        s('path', { d: 'M10 10l4.5 4.5' })), field, h('span', { class: 'ct' }, t('story.count', { n: stories.length, m: total }))), list,
      h('div', { class: 'story-acts' }, ...['diagnose', 'laboratory'].map((what) => (
        button({ class: 'key', title: t(`file.${what}.x`), 'data-do': what }, () => {
          this.close();
          this.ctx[/** @type {'diagnose' | 'laboratory'} */ (what)]?.();
        }, t('file.' + what))))), foot);
    if (this.ctx.model.any) card.append(h('p', { class: 'sn' }, t('story.replace')));
    /** @type {Story[]} */
    let shown = [];
    let cur = 0;
    const mark = () => {
      [...list.querySelectorAll('.srow')].forEach((r, i) => {
        r.classList.toggle('foc', i === cur);
        r.setAttribute('aria-selected', String(i === cur));
        if (i === cur) {
          field.setAttribute('aria-activedescendant', r.id);
          r.scrollIntoView({ block: 'nearest' });
        }
      });
    };
    const play = (/** @type {Story} */ x, /** @type {boolean} */ pres) => {
      this.manual = false;
      this.takeUp(x.id, pres).catch((err) => this.ctx.say(err.message, true));
    };
    const left = (/** @type {Story} */ x) => {
      const i = x.id === tour.id ? tour.stepLeft() : 0;
      return i ? t('story.takenUp', { i: i + 1, n: x.steps.length }) : this.say(x.lesson);
    };
    const fill = () => {
      const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      /** @type {HTMLElement[]} */
      const rows = [];
      shown = [];
      for (const { id: g, name } of groups) {
        const members = stories.filter((x) => x.group === g
          && words.every((w) => [x.title.en, x.title.zh, x.lesson.en, x.lesson.zh, x.terms].join(' ').toLowerCase().includes(w)));
        if (!members.length) continue;
        rows.push(h('div', { class: 'sg', role: 'presentation' }, this.say(name)));
        for (const x of members) {
          const r = h('div', { class: 'srow', role: 'option', id: 'story-' + x.id },
            miniature(x.rail, t), h('b', {}, this.say(x.title)), h('span', {}, left(x)),
            h('i', {}, `${Math.floor(x.seconds / 60)}:${String(x.seconds % 60).padStart(2, '0')}`));
          r.addEventListener('click', (e) => play(x, e.shiftKey));
          rows.push(r);
          shown.push(x);
        }
      }
      if (!shown.length) rows.push(h('p', { class: 'sn' }, t('story.none')));
      list.replaceChildren(...rows);
      cur = Math.min(cur, Math.max(0, shown.length - 1));
      mark();
    };
    field.addEventListener('input', () => {
      cur = 0;
      fill();
    });
    anchor?.focus(); // so that the browser gives the focus back to it
    const box = openDialog(this.app, { class: 'ov story-ov', 'aria-label': t('story.title') }, [card], true);
    box.addEventListener('keydown', (e) => {
      if (e.key === 'ArrowDown') cur = Math.min(shown.length - 1, cur + 1);
      else if (e.key === 'ArrowUp') cur = Math.max(0, cur - 1);
      else if (e.key === 'Enter' && e.target === field) {
        if (shown[cur]) play(shown[cur], e.shiftKey);
      } else return;
      e.preventDefault();
      mark();
    });
    box.addEventListener('close', () => (this.chooser = null));
    this.chooser = box;
    cur = Math.max(0, groups.flatMap(({ id: g }) => stories.filter((x) => x.group === g)).findIndex((x) => (
      group ? x.group === group : x.id === (this.story?.id ?? tour.id))));
    fill();
    field.focus();
  }

  /** Closes the chooser. Returns whether it was open. */
  close() {
    if (!this.chooser) return false;
    this.chooser.close();
    return true;
  }
}
