// @ts-check
// The questions of a story: its answers, each with the key that chooses it, and then which one turned out to be right. The informer decides
// that; what was chosen, and how often that was right, stays in this page.
import { h } from '../kit/dom.js';
import { language } from '../kit/i18n.js';

/** @typedef {import('../wire/types.js').StoryWords} Words */

export class Quiz {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {(w: Words) => string} say
   */
  constructor(ctx, app, say) {
    this.ctx = ctx;
    this.say = say;
    this.root = h('div', { class: 'quiz', role: 'group', hidden: '' });
    app.append(this.root);
    /** The question that shows: of a story's step, whether it is open. */
    this.now = { id: '', open: false, undecided: false, answers: 0 };
    /** What was chosen, from 1, by question. @type {Map<string, number>} */
    this.choices = new Map();
    /** Questions that were decided after an answer, and whether it was right. @type {Map<string, boolean>} */
    this.decided = new Map();
    this.drawn = '';
  }

  /**
   * @param {import('../wire/types.js').Story | null} story
   * @param {import('../wire/types.js').StoryState | null} state
   * @param {boolean} mirrored the speaker turns the pages
   */
  paint(story, state, mirrored) {
    const answers = state && !state.starting ? story?.steps[state.step]?.answers ?? null : null;
    const id = answers && story && state ? `${story.id} ${state.step}` : '';
    const open = !!id && !!state?.waits && !!state.asks;
    const right = id && state?.done ? state.right ?? 0 : 0;
    if (open && !this.now.open) {
      this.choices.delete(id); // it is asked again
    }
    this.now = { id, open, undecided: !!id && !right, answers: answers?.length ?? 0 };
    const chosen = this.choices.get(id) ?? 0;
    if (right && chosen) this.decided.set(id, right === chosen);
    const show = open || (!!id && chosen > 0);
    if (this.root.hidden === show) this.root.hidden = !show;
    const drawn = [show, id, open, right, chosen, language(), mirrored].join();
    if (!show || drawn === this.drawn) return;
    this.drawn = drawn;
    const { t } = this.ctx;
    this.root.setAttribute('aria-label', state?.asks ? this.say(state.asks) : t('quiz.yours'));
    this.root.replaceChildren(...(answers ?? []).map((a, i) => {
      const verdict = i + 1 === right ? 'right' : right && i + 1 === chosen ? 'wrong' : i + 1 === chosen ? 'chosen' : '';
      const mark = verdict === 'right' ? '✓' : verdict === 'wrong' ? '✗' : String(i + 1);
      const b = h('button', { class: `key answer ${verdict}`, type: 'button', 'data-answer': i + 1 }, h('kbd', {}, mark), h('span', {}, this.say(a)));
      const said = [verdict === 'right' ? t('quiz.right') : '', i + 1 === chosen ? t('quiz.yours') : ''].filter(Boolean).join(', ');
      if (said) b.setAttribute('aria-label', `${this.say(a)} (${said})`);
      if (!open || mirrored) b.setAttribute('disabled', '');
      b.addEventListener('click', () => this.choose(i + 1));
      return b;
    }));
    const n = [...this.decided.values()].filter(Boolean).length;
    if (right) this.root.append(h('span', { class: 'score' }, t('quiz.score', { n, m: this.decided.size })));
  }

  /** @param {number} n @private */
  choose(n) {
    if (!this.now.open || this.choices.has(this.now.id)) return;
    this.choices.set(this.now.id, n);
    this.ctx.act('storyTurn', 1); // the step goes on, and decides
    this.ctx.repaint();
  }

  /** Takes a digit. Returns whether it was meant for a question, which it is until that is decided. @param {string} key */
  key(key) {
    const { id, open, undecided, answers } = this.now;
    if (!id || !(open || (undecided && this.choices.has(id)))) return false;
    if (open && Number(key) <= answers) this.choose(Number(key));
    return true;
  }
}
