// @ts-check
// "What does the upgrade change?": the differences between two releases of client-go, each with the story that shows it.
import { button, h } from '../kit/dom.js';
import { changes, releases } from '../kit/commands.js';
import { addWords, translate } from '../kit/i18n.js';

/** @import { Ctx } from '../wire/page-types.js' */

addWords({
  'up.title': ['What does an upgrade of client-go change?', '升级 client-go 会改变什么？'],
  'up.from': ['from', '从'],
  'up.to': ['to', '到'],
  'up.none': ['Choose a later release: an upgrade goes forward.', '请选择更新的版本：升级只能向前。'],
  'up.count': ['{n} [n:change|changes]', '{n} 处变化'],
  'up.both': ['see both side by side', '并排查看两者'],
  'up.story': ['Story: {title}', '故事：{title}'],
});

/** What an upgrade changes, as core/words/releases.Changes says it. @param {string} from @param {string} to */
export function changesBetween(from, to) {
  const at = (/** @type {string} */ era) => releases.findIndex((r) => r.era === era);
  return changes.filter(({ since }) => at(since) < at(from) && at(since) >= at(to));
}

/** Opens the list under a button. @param {Ctx} ctx @param {HTMLElement} anchor */
export async function openUpgrade(ctx, anchor) {
  const { t, model } = ctx;
  const shown = model.state.era.split(',')[0];
  const newest = releases[0].era;
  const library = ctx.follower ? { stories: [] } : await ctx.call('stories');
  const titles = new Map(library.stories.map((x) => [x.id, translate(x.title)]));
  ctx.popup(anchor, (root, close) => {
    const list = h('div', { class: 'list', tabindex: 0, role: 'region', 'aria-label': t('up.title') });
    const count = h('span', { class: 'count', role: 'status' });
    const choose = (/** @type {string} */ name, /** @type {string} */ chosen) => {
      const options = releases.map(({ era, label }) => h('option', { value: era }, label));
      const field = /** @type {HTMLSelectElement} */ (h('select', { 'aria-label': t(name) }, ...options));
      field.value = releases.some((r) => r.era === chosen) ? chosen : releases[1].era;
      field.addEventListener('change', paint);
      return field;
    };
    const from = choose('up.from', shown === newest ? releases[1].era : shown);
    const to = choose('up.to', newest);
    const both = button({ class: 'key' }, () => {
      close();
      ctx.act('select', { era: `${from.value},${to.value}` });
    }, t('up.both'));
    function paint() {
      const found = changesBetween(from.value, to.value);
      count.textContent = found.length ? t('up.count', { n: found.length }) : t('up.none');
      both.hidden = !found.length || !!ctx.follower || !['sim', 'live'].includes(model.state.source.kind);
      list.replaceChildren(...found.map((x, i) => {
        const title = titles.get(x.story);
        const go = title && button({ class: 'dgs' }, () => {
          close();
          ctx.tellStory?.(x.story).catch((/** @type {Error} */ err) => ctx.say(err.message, true));
        }, t('up.story', { title }));
        const since = x.since === found[i - 1]?.since ? '' : releases.find((r) => r.era === x.since)?.label ?? '';
        return h('div', { class: 'change' }, h('b', {}, since), h('p', {}, translate(x)), go || '');
      }));
    }
    paint();
    root.append(h('h2', {}, t('up.title')), h('div', { class: 'ends' }, t('up.from'), from, t('up.to'), to, count, both), list);
  }, { width: 620, label: t('up.title') });
}
