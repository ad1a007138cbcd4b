// @ts-check
// The levels of a story: beside its first step the reader says what is known already, and reads how many steps are new.
import { button, h } from '../kit/dom.js';
import { addWords, language, translate } from '../kit/i18n.js';
import * as fragment from '../wire/fragment.js';
import * as tour from './tour.js';

/** @typedef {import('../wire/types.js').Story} Story */

addWords({
  'level.knows': ['What do you know already?', '你已经了解多少？'],
  'level.new': ['{n} steps are new to you, and {q} questions follow.', '有 {n} 步对你是新的，最后有 {q} 道题。'],
  'level.skipped': ['{name}, skipped', '{name}，已跳过'],
});

/** Whether a step passes unseen, because its reader knows it. @param {import('../wire/types.js').StoryPage} step @param {number} [level] */
export function skips(step, level = 1) {
  return !!step.level && step.level < level;
}

/** The level that the address or this browser has kept for a story, 1 for none. @param {Story} story */
export function keptLevel(story) {
  const level = Number(fragment.read().get('level')) || (story.id === tour.id ? tour.level() : 1);
  return story.levels?.[level - 1] ? level : 1;
}

export class Levels {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} app */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.root = h('div', { class: 'quiz levels', role: 'group', hidden: '' });
    app.append(this.root);
    /** The story whose levels show. @type {Story | null} */
    this.story = null;
    this.drawn = '';
  }

  /** @param {Story | null} story the one whose first step shows to a reader who may choose @param {number} [level] */
  paint(story, level = 1) {
    this.story = story?.levels ? story : null;
    if (this.root.hidden !== !this.story) this.root.hidden = !this.story;
    const drawn = [this.story?.id, level, language()].join();
    if (!this.story?.levels || drawn === this.drawn) return;
    this.drawn = drawn;
    const { t } = this.ctx;
    const { levels, steps } = this.story;
    this.root.setAttribute('aria-label', t('level.knows'));
    this.root.replaceChildren(...levels.map((words, i) => {
      const cls = `key answer ${i + 1 === level ? 'chosen' : ''}`;
      return button({ class: cls, 'data-level': i + 1, 'aria-pressed': String(i + 1 === level) }, () => this.choose(i + 1),
        h('kbd', {}, String(i + 1)), h('span', {}, translate(words)));
    }), h('span', { class: 'news', role: 'status' }, t('level.new', { n: levels[level - 1].new, q: steps.filter((x) => x.answers).length })));
  }

  /** @param {number} level @private */
  choose(level) {
    if (this.story?.id === tour.id) tour.keepLevel(level);
    fragment.write({ level: level > 1 ? level : null });
    this.ctx.act('storyLevel', level);
  }

  /** Takes a digit. Returns whether it chose a level. @param {string} key */
  key(key) {
    if (!this.story?.levels?.[Number(key) - 1]) return false;
    this.choose(Number(key));
    return true;
  }
}
