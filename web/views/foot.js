// @ts-check
// The foot of presenter mode: the caption in large type, and below it the dots of a story's steps, or the line of time.
import { attachedWords, castWords, liveName } from '../bars/topbar.js';
import { attr, s, text } from '../kit/dom.js';
import { forgottenTime } from '../draw/forgotten.js';
import { width, wrap, wrapClauses } from '../kit/measure.js';
import { language } from '../kit/i18n.js';
import { foot } from '../layouts/presenter.js';
import { newest } from '../wire/marks.js';
import { Remedy } from '../kit/remedy.js';
import { isRecording, Span } from '../kit/span.js';
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
    const { story } = this.stories;
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
      this.paintLine = story ? this.dots(shape, story) : this.time(shape);
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

  /**
   * A dot for each step: filled is past, large is now, hollow is to come.
   * @param {Shape} shape
   * @param {NonNullable<import('../story/stories.js').Stories['story']>} story
   * @private
   */
  dots({ w, h }, story) {
    const { svg, stories } = this;
    const { t } = this.ctx;
    const low = h - above;
    const n = story.steps.length;
    const x = (/** @type {number} */ i) => left + (n > 1 ? ((w - 2 * left) * i) / (n - 1) : 0);
    const way = s('path', { d: '', class: 'pl on' });
    svg.append(s('path', { d: `M${left} ${low}H${w - left}`, class: 'pl' }), way);
    const dots = story.steps.map((_, i) => s('circle', { cx: x(i), cy: low, r: 5, class: 'pd todo' }));
    svg.append(...dots);
    const name = text(svg, left, low + below, 'p16 t1');
    const title = text(svg, w - 30, low + below, 'p16', 'end');
    return () => {
      const { i } = stories;
      attr(way, 'd', i ? `M${left} ${low}H${x(i)}` : '');
      dots.forEach((d, j) => {
        attr(d, 'r', j === i ? 8 : 5);
        attr(d, 'class', j <= i ? 'pd on' : 'pd todo');
      });
      const early = x(i) < 200;
      const late = x(i) > w - 280;
      attr(name.el, 'text-anchor', early ? 'start' : late ? 'end' : 'middle');
      name.moveTo(early ? 32 : late ? Math.min(w - 30, x(i) + 8) : x(i), low + below);
      name.set(t('pres.step', { i: i + 1, n, name: stories.say(story.steps[i].name) }));
      title.set(late ? '' : stories.say(story.title));
    };
  }

  /** How far the log has come, with a dot for each thing that happened. @param {Shape} shape @private */
  time({ w, h }) {
    const { svg } = this;
    const { model } = this.ctx;
    const low = h - above;
    const past = s('path', { d: '', class: 'pl on' });
    const head = s('circle', { cx: left, cy: low, r: 8, class: 'pd on' });
    const span = new Span({ left, edge: w - left, least: 1, fills: true });
    const dots = Array.from({ length: dotted }, () => s('circle', { cy: low, r: 5 }));
    const gone = forgottenTime(left, { top: low - 6, tall: 12, over: 4, under: 4 });
    const ahead = s('path', { d: '', class: 'pl' });
    svg.append(gone.el, ahead, past, ...dots, head);
    const clock = text(svg, 32, low + below, 'p16 t1');
    const source = text(svg, w - 30, low + below, 'p16', 'end');
    return () => {
      const now = this.ctx.now();
      span.see(model, performance.now());
      const x = (/** @type {number} */ ms) => Math.min(w - left, span.x(ms)).toFixed(1);
      gone.set(span.first > 0, span.x(span.first));
      attr(ahead, 'd', `M${x(span.first)} ${low}H${w - left}`);
      attr(past, 'd', `M${x(span.first)} ${low}H${x(now)}`);
      attr(head, 'cx', x(now));
      const marks = newest(model.marks, dotted).filter((m) => m.atMillis >= span.first);
      dots.forEach((dot, i) => {
        const m = marks[i];
        attr(dot, 'display', m ? null : 'none');
        if (!m) return;
        attr(dot, 'cx', x(m.atMillis));
        attr(dot, 'class', m.atMillis <= now ? 'pd on' : 'pd todo');
      });
      clock.bind({ now }, 'at=moment now', `t ${timeWords(this.ctx)}`);
      source.set(sourceWords(this.ctx));
    };
  }
}

/** The key of the words for the moment that the view shows. @param {import('../wire/page-types.js').Ctx} ctx */
export function timeWords(ctx) {
  if (ctx.model.view.mode !== 'live') return 'pres.paused';
  return isRecording(ctx) ? 'pres.end' : ctx.model.isSure() ? 'pres.live' : 'pres.now';
}

/** The source of the objects in a few words. @param {import('../wire/page-types.js').Ctx} ctx */
export function sourceWords(ctx) {
  const { t, model } = ctx;
  const { kind, context, seed } = model.state.source;
  if (kind === 'live') return t(model.isSure() ? 'top.live' : 'top.troubled', { name: liveName(ctx, model.state.source) });
  if (kind === 'probe') return attachedWords(ctx, context);
  if (kind === 'broadcast') return castWords(ctx, context);
  return kind === 'file' ? t('top.file') : t('top.seed', { seed: seed ?? '' });
}
