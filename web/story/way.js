// @ts-check
// The line at the foot of presenter mode: a dot for each step of the story, or how far the log has come.
import { attachedWords, castWords, liveName } from '../bars/topbar.js';
import { attr, s, text } from '../kit/dom.js';
import { forgottenTime } from '../time/forgotten.js';
import { isRecording, Span } from '../kit/span.js';
import { newest } from '../wire/marks.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */
/**
 * Where the line stands, in units: on `low`, `left` from both sides of what is `w` wide, with its words `below` it. At most `marks` marks have a dot.
 * @typedef {{w: number, low: number, below: number, left: number, marks: number}} At
 */

/**
 * Draws a dot for each step: filled is past, large is now, hollow is to come. Returns what paints it.
 * @param {Ctx} ctx @param {SVGElement} svg @param {At} at
 * @param {import('./stories.js').Stories} stories
 * @param {NonNullable<import('./stories.js').Stories['story']>} story
 */
export function drawSteps({ t }, svg, { w, low, below, left }, stories, story) {
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

/** Draws how far the log has come, with a dot for each thing that happened. Returns what paints it. @param {Ctx} ctx @param {SVGElement} svg @param {At} at */
export function drawTime(ctx, svg, { w, low, below, left, marks: dotted }) {
  const { model } = ctx;
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
    const now = ctx.now();
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
    clock.bind({ now }, 'at=moment now', `t ${timeWords(ctx)}`);
    source.set(sourceWords(ctx));
  };
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
