// @ts-check
// What stands below the rows: the overview of the log, the one act that is likely, the key to the marks, and in presenter mode the line of the steps.
import { button, put, reveal, s } from '../kit/dom.js';
import { language } from '../kit/i18n.js';
import { KeyMarks } from '../stage/keymarks.js';
import { drawSteps, drawTime } from '../story/way.js';
import { Timeline } from '../time/timeline.js';

/** How many units the line of the steps is wide. */
const wayWide = 1280;
/** The overview of the log. */
const overview = { h: 44, left: 6, base: 40, high: 26, rise: 36, least: 10e3 };
/** How often the overview is painted, in ms. */
const often = 120;

export class Foot {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} parent
   * @param {import('../story/stories.js').Stories} stories
   */
  constructor(ctx, parent, stories) {
    this.ctx = ctx;
    this.stories = stories;
    this.overview = new Timeline(ctx, parent, overview, 'tracks-log');
    this.act = button({ class: 'likely' }, () => this.actLikely());
    parent.append(this.act);
    this.marks = new KeyMarks(parent, ctx.t, ctx.repaint);
    this.way = s('svg', { class: 'tracks-way', viewBox: `0 0 ${wayWide} 57` });
    parent.append(this.way);
    this.paintedAt = 0;
    /** What paints the line of the steps, and what that was made for. */
    this.paintLine = () => {};
    this.lineOf = '';
  }

  /**
   * Measures the room again.
   * @param {number} wide of the window, in CSS pixels @param {number} k those per unit @param {boolean} hasStory its bar stands beside the overview
   */
  resize(wide, k, hasStory) {
    // Its units are CSS pixels: it is as many of them long as the stage has units there, and drawn larger.
    const from = (38.5 * wide) / 80;
    const { style } = this.overview.root;
    Object.assign(style, { left: `${from}px`, width: `${(wide - from) / k - (hasStory ? 480 : 208)}px`, transform: k > 1 ? `scale(${k})` : '' });
    this.lineOf = '';
    this.overview.resize();
    this.overview.paint();
  }

  /**
   * @param {number} clock
   * @param {Parameters<KeyMarks['paint']>[1]} seats those of the rows in the past
   * @param {boolean} presenting
   */
  paint(clock, seats, presenting) {
    this.paintLikely();
    this.marks.paint(this.ctx.model, seats);
    if (presenting) this.paintWay();
    if (clock - this.paintedAt <= often) return;
    this.paintedAt = clock;
    this.overview.paint();
  }

  /** The one act that is likely: to hold Pop, and where something is held to let one through. @private */
  paintLikely() {
    const { t, model, follower } = this.ctx;
    const held = model.state.holds.length > 0;
    reveal(this.act, !follower && model.any && !['file', 'probe'].includes(model.state.source.kind));
    put(this.act, t(held ? 'act.one' : 'act.holdPop'));
    this.act.classList.toggle('fill', held);
  }

  /** @private */
  actLikely() {
    const [held] = this.ctx.model.state.holds;
    if (held) this.ctx.act('release', held.stage, 1, ...(held.listener ? [held.listener] : []));
    else this.ctx.act('hold', 'pop');
  }

  /** @private */
  paintWay() {
    const { ctx, way, stories, stories: { story } } = this;
    const made = `${story?.id} ${language()}`;
    if (made !== this.lineOf) {
      this.lineOf = made;
      way.replaceChildren();
      const at = { w: wayWide, low: 16, below: 30, left: 36, marks: 24 };
      this.paintLine = story ? drawSteps(ctx, way, at, stories, story) : drawTime(ctx, way, at);
    }
    this.paintLine();
  }
}
