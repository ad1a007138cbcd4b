// @ts-check
// One station alone, by `embed=` in the fragment: no bars, no controls, no words but the station's own and where its objects come from.
import { attr, h, s, text, Txt } from '../kit/dom.js';
import { sourceWords } from '../story/way.js';
import { Host, chooseListeners } from '../stage/host.js';
import { language } from '../kit/i18n.js';
import { arrange, ids } from '../layouts/embed.js';
import { Motion } from '../stage/motion.js';
import { areEqual } from '../kit/same.js';
import { stations } from '../stations/index.js';

export class Embed {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.id = '';
    this.svg = s('svg', { class: 'stage' });
    const over = h('div', { class: 'layer' });
    this.captionLine = h('p', { class: 'esay', role: 'status' });
    this.root = h('section', { class: 'embedv', hidden: '' }, this.svg, over, this.captionLine);
    app.append(this.root);
    this.motion = new Motion(ctx, over);
    this.host = new Host(ctx, this.svg, this.motion, stations);
    /** What is laid out. @type {any[]} */
    this.layoutKey = [];
    /** @type {import('../kit/dom.js').Txt | null} */
    this.source = null;
    /** The moment that shows. @type {Txt | null} */
    this.moment = null;
  }

  get isOn() {
    return this.id !== '';
  }

  /** Takes the station that the fragment names; empty for none, and it may be unknown. @param {string} id */
  show(id) {
    this.id = id.toLowerCase();
    this.layoutKey = [];
    this.root.hidden = !this.isOn;
  }

  resize() {
    this.layoutKey = [];
  }

  /** Says something in place of the station. @param {string} words */
  say(words) {
    if (this.captionLine.textContent !== words) this.captionLine.textContent = words;
    this.captionLine.hidden = !words;
  }

  /** @param {import('../wire/types.js').Frame} frame */
  apply(frame) {
    if (this.isOn) this.host.move(frame);
  }

  /** @param {number} clock */
  paint(clock) {
    const { ctx, id } = this;
    if (!ids.includes(id)) {
      this.say(ctx.t('embed.unknown', { id: id.slice(0, 40), ids: ids.join(', ') }));
      if (this.host.layout) this.host.clear();
      return;
    }
    this.say('');
    const { listeners, main } = chooseListeners(ctx);
    const laid = [id, innerWidth, innerHeight, devicePixelRatio, language(), main, ...listeners];
    if (!areEqual(laid, this.layoutKey)) {
      this.layoutKey = laid;
      const layout = arrange({ id, width: innerWidth, height: innerHeight, listeners, main });
      const css = innerWidth / layout.w;
      const k = css * (devicePixelRatio || 1);
      this.host.lay(layout, k, (box, g) => {
        // On the upright rail the layout draws the panel, as the phone does.
        if (layout.upright) g.append(s('rect', { x: 48, y: box.y - 22, width: layout.w - 56, height: box.h - 4, rx: 6, class: 'pn' }));
        return g;
      });
      this.motion.resize(k, css);
      attr(this.root, 'aria-label', stations[id].title);
      this.source = text(this.svg, layout.words[0], layout.words[1], layout.upright ? 'l' : 'p16');
      const at = s('tspan');
      this.source.el.append(at);
      this.moment = new Txt(at);
    }
    this.host.paint(clock);
    this.source?.set(`${sourceWords(ctx)} · `);
    this.moment?.bind({ now: ctx.now() }, 'now', 'moment');
  }
}
