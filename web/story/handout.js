// @ts-check
// A story on paper: a still of the end of each step with what is said there, and what to do in one's own code. The browser prints it.
import { h } from '../kit/dom.js';
import { addWords } from '../kit/i18n.js';

addWords({
  'handout.print': ['print a handout', '打印讲义'],
  'handout.tip': ['plays the story, and prints a picture of each step with its words', '播放故事，打印每一步的画面和说明'],
  'handout.plays': ['Making the handout: the story plays to its end…', '正在制作讲义：故事播放到结尾……'],
  'handout.step': ['Making the handout: step {i} of {n}…', '正在制作讲义：第 {i} 步，共 {n} 步……'],
  'handout.left': ['You left the story, so there is no handout.', '故事已退出，没有讲义。'],
  'handout.foot': ['Made with informerscope. Pictures and text may be used under CC BY 4.0.', '由 informerscope 制作。图片与文字可按 CC BY 4.0 使用。'],
});

export class Handout {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {import('./stories.js').Stories} stories
   * @param {{light: () => () => void}} o `light` puts the page on white, and gives what puts it back
   */
  constructor(ctx, stories, o) {
    this.ctx = ctx;
    this.stories = stories;
    this.o = o;
    this.root = h('section', { class: 'handout' });
    document.body.append(this.root);
    addEventListener('afterprint', () => this.clear());
  }

  /** @private */
  clear() {
    this.root.replaceChildren();
    document.documentElement.classList.remove('prints');
  }

  /** Plays a story to its end as fast as it goes, makes its handout and opens the browser's print dialog. @param {string} id */
  async print(id) {
    const { ctx, stories } = this;
    const { t } = ctx;
    this.clear();
    await stories.list();
    const last = (stories.library.stories.find((x) => x.id === id)?.steps.length ?? 1) - 1;
    await stories.start(id, false, last);
    const { story } = stories;
    if (!story) throw new Error(t('handout.left'));
    ctx.say(t('handout.plays'));
    stories.manual = true; // no page turns by itself, and no ride opens
    for (let i = 0; i <= last; i++) stories.openedRides.add(i);
    await this.finish(story, last);
    const restore = this.o.light();
    try {
      const say = stories.say.bind(stories);
      /** @type {HTMLElement[]} */
      const pages = [];
      for (let i = last; i >= 0; i--) { // one step back after the other: many steps can have one event, so that a seek does not say which is meant
        ctx.say(t('handout.step', { i: last + 1 - i, n: last + 1 }));
        await this.showEnd(story, i);
        const caption = stories.state?.caption;
        const { svg } = await ctx.picture(false);
        const image = /** @type {HTMLImageElement} */ (h('img', { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: '' }));
        await image.decode();
        pages.unshift(h('article', {}, h('h2', {}, `${i + 1}. ${say(story.steps[i].name)}`), image, h('p', {}, caption ? say(caption) : '',
          ...(caption?.numbers ?? []).map((n) => h('span', {}, h('b', {}, n.is), ` ${say(n)}`)))));
      }
      const { words, go, see } = story.take;
      const take = h('article', {}, h('h2', {}, t('story.takeTitle')), h('p', {}, say(words)), h('pre', {}, go.trimEnd().replaceAll('\t', '    ')));
      if (see.length) take.append(h('p', {}, t('story.see', { all: see.join(' · ') })));
      this.root.replaceChildren(h('h1', {}, say(story.title)), h('p', { class: 'lesson' }, say(story.lesson)), ...pages, ...(words.en ? [take] : []),
        h('footer', {}, t('handout.foot')));
    } finally {
      restore();
      ctx.say('');
    }
    document.documentElement.classList.add('prints');
    print();
    return { id, steps: last + 1 };
  }

  /**
   * Plays the story to the end of its last step, and does what a step asks of its reader.
   * @param {import('../wire/types.js').Story} story
   * @param {number} last
   * @private
   */
  async finish(story, last) {
    const { ctx, stories } = this;
    await this.awaitCondition(story, () => stories.state && !stories.starting && stories.state.last === last);
    for (let presses = 0; presses < 3 && !stories.state?.ended; presses++) {
      const before = stories.state;
      await ctx.call('storyTurn', 1);
      await this.awaitCondition(story, () => stories.state !== before);
    }
    await this.awaitCondition(story, () => stories.state?.ended);
  }

  /** Goes to the end of a step, from the step after it. @param {import('../wire/types.js').Story} story @param {number} step @private */
  async showEnd(story, step) {
    const { ctx, stories } = this;
    for (;;) {
      const before = stories.state;
      if (before?.step === step && before.done) return;
      await ctx.call('storyTurn', (before?.step ?? 0) > step ? -1 : 1);
      await this.awaitCondition(story, () => stories.state?.step !== before?.step || stories.state?.done !== before?.done);
    }
  }

  /** @param {import('../wire/types.js').Story} story @param {() => unknown} condition @private */
  async awaitCondition(story, condition) {
    while (!condition()) {
      const { state } = this.stories;
      if (state?.problem) throw new Error(state.problem);
      if (this.stories.story !== story) throw new Error(this.ctx.t('handout.left'));
      await new Promise(requestAnimationFrame);
    }
  }
}
