// @ts-check
// The picture of a story in the chooser: the rail in miniature. The larger a station, the more of the story's steps look at it; a triangle is where
// the story breaks something.
import { s } from '../kit/dom.js';
import { addWords, language } from '../kit/i18n.js';

addWords({
  'rail.at': ['happens at {all}', '发生在 {all}'],
  'rail.breaks': ['{name} (breaks)', '{name}（出错）'],
});

/** @type {Record<string, string>} */
const names = { api: 'API server', reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listeners: 'Listeners', controller: 'Controller' };

/**
 * @param {import('../wire/types.js').StoryStop[]} stops
 * @param {import('../wire/page-types.js').Ctx['t']} t
 */
export function miniature(stops, t) {
  const seen = stops.filter((x) => x.share > 0 || x.breaks);
  const words = seen.map((x) => (x.breaks ? t('rail.breaks', { name: names[x.station] }) : names[x.station]));
  return s('svg', { class: 'mini', viewBox: '0 0 96 24', role: 'img', 'aria-label': t('rail.at', { all: words.join(language() === 'zh' ? '、' : ', ') }) },
    s('path', { d: 'M4 12h88' }),
    ...stops.map(({ station, share, breaks }, i) => {
      const x = 8 + 16 * i;
      const r = 2.5 + 3 * share;
      if (!breaks) return s('circle', { cx: x, cy: 12, r: share ? r : 2, class: share ? 'lit' : '', 'data-stop': station });
      const a = Math.max(r, 4) * 1.25;
      return s('path', { d: `M${x} ${12 - a}l${a * 1.05} ${a * 1.8}h${-a * 2.1}z`, class: 'breaks', 'data-stop': station });
    }));
}
