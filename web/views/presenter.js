// @ts-check
// Presenter mode: the same state, readable from the last row of a room. No chrome, large type. The stations of the step are wide and bright;
// the others are quiet but never removed, so that the rail keeps its order. Over two releases it only adds the caption and the dots of the steps.
import { attr, h, s } from '../kit/dom.js';
import { Foot } from './foot.js';
import { Host, chooseListeners } from '../stage/host.js';
import { language } from '../kit/i18n.js';
import { stationOf } from '../kit/names.js';
import { arrange, shapes } from '../layouts/presenter.js';
import { Motion } from '../stage/motion.js';
import { areEqual } from '../kit/same.js';
import { stations } from '../stations/index.js';

/** @typedef {import('../wire/types.js').State} State */

export class Presenter {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {import('../story/stories.js').Stories} stories
   * @param {{caption: (fits: (words: string) => boolean) => string}} o
   */
  constructor(ctx, app, stories, o) {
    this.ctx = ctx;
    this.stories = stories;
    this.shape = shapes.wide;
    /** Device pixels per unit. */
    this.k = 1;
    this.root = h('section', { class: 'presv', hidden: '' });
    this.svg = s('svg', { class: 'stage', viewBox: '0 0 1280 720' });
    const under = s('svg', { class: 'stage', viewBox: '0 0 1280 720' });
    const over = h('div', { class: 'layer' });
    this.foot = new Foot(ctx, under, stories, o.caption);
    this.root.append(this.svg, under, over, this.foot.remedy.root);
    this.under = under;
    app.append(this.root);
    this.motion = new Motion(ctx, over);
    this.host = new Host(ctx, this.svg, this.motion, stations);
    /** What is laid out. @type {any[]} */
    this.layoutKey = [];
  }

  /** The stations to look at: the step's, or those where something is the matter. @returns {string[]} */
  focus() {
    const riding = this.ctx.riding?.();
    if (riding) return [stationOf(riding.hop.stage)];
    const step = this.stories.step;
    if (step && !this.stories.starting) return step.look;
    const { model } = this.ctx;
    return model.lost || model.unheard ? ['api', 'reflector'] : model.facts.focus;
  }

  resize() {
    const { scene } = this.ctx;
    const { narrow } = scene;
    this.shape = narrow ? shapes.four : shapes.wide;
    const { w, h: tall } = this.shape;
    const pixels = devicePixelRatio || 1;
    this.k = scene.unit(this.shape, narrow) * pixels;
    this.root.classList.toggle('p43', narrow);
    for (const svg of [this.svg, this.under]) attr(svg, 'viewBox', `0 0 ${w} ${tall}`);
    this.motion.resize(this.k, this.k / pixels);
    this.layoutKey = [];
  }

  /** @param {import('../wire/types.js').Frame} frame */
  apply(frame) {
    if (!this.root.hidden) this.host.move(frame);
  }

  /** @param {number} clock @param {boolean} [footOnly] another view draws the stations */
  paint(clock, footOnly = false) {
    if (footOnly) {
      if (this.host.layout) this.host.clear();
      this.layoutKey = [];
    } else {
      const focus = this.focus();
      const { listeners, main } = chooseListeners(this.ctx, this.stories.step?.listener);
      const laid = [this.shape, language(), this.k, main, ...focus, '', ...listeners];
      if (!areEqual(laid, this.layoutKey)) {
        this.layoutKey = laid;
        this.host.lay(arrange(this.shape, focus, listeners, main), this.k);
      }
      this.host.paint(clock);
    }
    this.foot.paint(this.shape);
  }
}
