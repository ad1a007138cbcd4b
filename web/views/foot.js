// @ts-check
// The foot of presenter mode: the caption in large type, and below it the dots of a story's steps, or the line of time.
import { attr, text } from '../kit/dom.js';
import { width, wrap, wrapClauses } from '../kit/measure.js';
import { language } from '../kit/i18n.js';
import { foot } from '../layouts/presenter.js';
import { Remedy } from '../kit/remedy.js';
import { drawSteps, drawTime } from '../story/way.js';
import { trouble } from '../kit/trouble.js';

/** @typedef {typeof import('../layouts/presenter.js').shapes.wide} Shape */

/** How wide a number beside the caption is with what it counts, at least, and the font of the number. */
const beside = 200;
const numberFont = '600 60px';

const { sizes, above, below, left, marks: dotted } = foot;
/** Where a number stands. */
const numberY = 612;

export class Foot {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {SVGElement} svg
   * @param {import('../story/stories.js').Stories} stories
   * @param {(fits: (words: string) => boolean) => string} caption
   */
  constructor(ctx, svg, stories, caption) {
    this.ctx = ctx;
    this.svg = svg;
    this.stories = stories;
    this.caption = caption;
    /** Whether the caption has the whole description of a trouble. */
    this.whole = true;
    this.remedy = new Remedy(ctx, 'prem', 'key', () => this.whole);
    /** @type {Shape | null} */
    this.shape = null;
    this.language = '';
    /** @type {any} */
    this.story = null;
    this.lastWords = '';
    /** The base line of the sentence's last line. */
    this.low = 0;
    /** The function below the sentence. @type {import('../kit/dom.js').Txt | null} */
    this.function = null;
    /** @type {import('../kit/dom.js').Txt[]} */
    this.lines = [];
    /** The numbers that carry the lesson, large, with what they count. @type {{is: import('../kit/dom.js').Txt, of: import('../kit/dom.js').Txt}[]} */
    this.numbers = [];
    /** @type {() => void} */
    this.paintLine = () => {};
  }

  /** @param {Shape} shape */
  paint(shape) {
    const { ctx, stories: { story } } = this;
    if (shape !== this.shape || story !== this.story || language() !== this.language) {
      this.shape = shape;
      this.story = story;
      this.language = language();
      this.lastWords = '';
      this.svg.replaceChildren();
      this.lines = Array.from({ length: shape.lines + 1 }, () => text(this.svg, 32, 0, 'p30'));
      this.numbers = Array.from({ length: 2 }, () => ({
        is: text(this.svg, 0, numberY, 'pnum', 'middle'), of: text(this.svg, 0, numberY + 28, 'p16', 'middle'),
      }));
      this.function = text(this.svg, 32, 0, 'p16 fn');
      const { w, h } = shape;
      const at = { w, low: h - above, below, left, marks: dotted };
      this.paintLine = story ? drawSteps(ctx, this.svg, at, this.stories, story) : drawTime(ctx, this.svg, at);
    }
    this.paintLine();
    this.paintCaption(shape);
  }

  /** @param {Shape} shape @private */
  paintCaption(shape) {
    const counted = this.stories.numbers();
    // While a number counts, its room changes only with its length.
    const wide = counted.map((n) => Math.max(beside, Math.ceil(width(n.is.replace(/\d/g, '0'), numberFont)) + 32));
    const room = shape.w - 64 - wide.reduce((a, b) => a + b, 0);
    const split = (/** @type {string} */ words, /** @type {typeof sizes[0]} */ is) => wrapClauses(words, room, shape.lines + is.more, is.font);
    const cut = (/** @type {string[]} */ lines) => !!lines.at(-1)?.endsWith('…');
    // A trouble's description is shortened to what large type has room for. A story's sentence is never cut: its type becomes smaller.
    const words = this.caption((w) => !cut(wrap(w, room, shape.lines, sizes[1].font)));
    this.remedy.paint();
    const now = [words, ...counted.map((n) => n.is + n.en)].join('\n');
    if (now !== this.lastWords) {
      this.lastWords = now;
      let edge = 32 + room;
      this.numbers.forEach(({ is, of }, i) => {
        const n = counted[i];
        const x = edge + (wide[i] ?? 0) / 2;
        edge += wide[i] ?? 0;
        is.moveTo(x, numberY).set(n?.is ?? '');
        of.moveTo(x, numberY + 28).set(n ? this.stories.say(n) : '');
      });
      const size = sizes.find((is) => !cut(split(words, is))) ?? sizes[1];
      const lines = split(words, size);
      // A sentence a line, where two sentences fit so.
      const two = words.match(/^(.+?(?:[.:;](?=\s)|[。：；]))\s*(.+)$/);
      const whole = two && [two[1], two[2]].every((w) => wrap(w, room, 2, size.font).length === 1) ? [two[1], two[2]] : lines;
      this.lines.forEach((l, i) => {
        attr(l.el, 'class', size.cls);
        l.moveTo(32, size.first + size.pitch * i).set(whole[i] ?? '');
      });
      this.low = size.first + size.pitch * (whole.length - 1);
      const tr = trouble(this.ctx);
      this.whole = !tr || (words === tr.whole && !tr.detail && !cut(lines));
    }
    // The function stands where the sentence leaves a line, or a narrow one above the dots.
    this.function?.moveTo(32, this.low + 27).set(shape.h - above - this.low > 40 ? this.stories.functionName() : '');
  }
}
