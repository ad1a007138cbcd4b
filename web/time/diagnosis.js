// @ts-check
// The diagnosis: what the doctor finds in the log so far (core/ask/doctor), worst first. A press on a finding goes to its moment.
import { attr, button, h, reveal, s } from '../kit/dom.js';
import { clock, exact, middle } from '../kit/format.js';
import { translate } from '../kit/i18n.js';
import { openDialog } from '../kit/popup.js';
import { headline } from '../stage/headline.js';
import '../kit/words-time.js';

/**
 * @typedef {import('../wire/types.js').Finding} Finding
 * @typedef {{findings: Finding[], opinions?: import('../wire/types.js').Opinion[]}} Found
 */

/** The sign of each weight: its colour is not the only difference. @type {Record<Finding['weight'], string>} */
const signs = {
  critical: 'M5 1h6l4 4v6l-4 4H5l-4-4V5zM8 4.5v4M8 11v.5',
  warning: 'M8 1.5l7 13H1zM8 6v4M8 12v.5',
  hint: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M8 7v4.5M8 4.5v.5',
};

/**
 * Opens the diagnosis, which is filled when the worker has examined the log.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {HTMLElement} app
 */
export async function openDiagnosis(ctx, app) {
  const { t } = ctx;
  const esc = button({ class: 'key', 'aria-label': `esc ${t('close')}` }, () => root.close(), 'esc');
  const note = h('span', { role: 'status' }, t('dg.looks'));
  const ask = button({ class: 'key dga' }, () => fill(() => ctx.opinion.ask(), 'op.asks', 'op.failed'), t('op.ask'));
  reveal(ask, ctx.opinion.canAsk);
  const list = h('div', { class: 'dgl', tabindex: 0, role: 'region', 'aria-label': t('dg.title') });
  const root = openDialog(app, { class: 'ov', 'aria-label': t('dg.title') }, [
    h('div', { class: 'kp dg' }, h('div', { class: 'kh' }, h('b', {}, t('dg.title')), note, esc), ask, list)], true);
  /** @type {Map<string, string>} */
  let titles = new Map();

  /**
   * Shows what is found, and what lists say.
   * @param {() => Promise<Found>} look @param {string} meanwhile @param {string} failed
   */
  async function fill(look, meanwhile, failed) {
    note.textContent = t(meanwhile);
    attr(ask, 'disabled', '');
    try {
      show(await look());
    } catch (err) {
      note.textContent = t(failed, { w: err instanceof Error ? err.message : String(err) });
    }
    attr(ask, 'disabled', null);
  }

  /** @param {Found} is */
  function show({ findings: found, opinions = [] }) {
    const grave = found.filter((f) => f.weight !== 'hint').length;
    const hints = found.length - grave;
    note.textContent = [grave ? t('dg.found', { n: grave }) : '', hints ? t('dg.hints', { n: hints }) : ''].filter(Boolean).join(' · ')
      || nothing(ctx);
    list.replaceChildren(...opinions.map((o) => h('p', { class: 'dgq' }, ctx.opinion.words(o))),
      ...found.map((f) => card(ctx, f, titles.get(f.story), () => root.close())));
  }

  await fill(async () => {
    const { stories } = await ctx.call('stories');
    titles = new Map(stories.map((x) => [x.id, translate(x.title)]));
    return ctx.opinion.now ?? { findings: await ctx.call('diagnose') };
  }, 'dg.looks', 'dg.failed');
}

/** The sentences of the stage that speak of a failure. */
const failures = /^(gap|refused|stopped|halfOpen|call|retry)/;

/** That no rule has found anything; nothing is well while the caption speaks of a failure. @param {import('../wire/page-types.js').Ctx} ctx */
function nothing(ctx) {
  const { model } = ctx;
  const n = exact(model.view.head);
  const { id, words } = headline(ctx);
  if (failures.test(id)) return ctx.t('dg.unknown', { n, w: words });
  const all = [...Array(Math.max(1, model.lanes)).keys()].flatMap((i) => model.lane(i).state.workqueue?.waiting ?? []);
  const failed = all.find((key) => key.failures > 0);
  return failed ? ctx.t('dg.failing', { n, k: middle(failed.key, 40), f: exact(failed.failures) }) : ctx.t('dg.none', { n });
}

/**
 * A finding: a button that goes to its moment, what to do, and its story.
 * @param {import('../wire/page-types.js').Ctx} ctx @param {Finding} f @param {string | undefined} story its title @param {() => void} close
 */
function card(ctx, f, story, close) {
  const { t } = ctx;
  const sign = s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: signs[f.weight] }));
  const title = t('dg.go', { n: exact(f.seq) });
  const go = button({ class: 'dgo', title, 'aria-label': [t('dg.' + f.weight), translate(f.title), translate(f.what), title].join('. ') }, async () => {
    close();
    if (ctx.model.factory) await ctx.openInformer?.(f.lane);
    await ctx.act('seek', f.seq);
  }, sign, h('b', {}, translate(f.title)),
  h('small', {}, t('dg.where', { name: f.informer, t: clock(f.sinceMillis), how: t('dg.' + f.confidence) })), h('span', {}, translate(f.what)));
  const out = h('section', { class: 'dgf', 'data-weight': f.weight, 'data-rule': f.rule }, go, h('p', {}, translate(f.advice)));
  if (story && !ctx.follower) {
    out.append(button({ class: 'dgs' }, () => {
      close();
      ctx.tellStory?.(f.story).catch((/** @type {Error} */ err) => ctx.say(err.message, true));
    }, t('dg.story', { title: story })));
  }
  return out;
}
