// @ts-check
// The simulated cluster's knobs: how many objects, how many events a second, and the seed of its story.
import { button, h } from '../kit/dom.js';
import { count, exact } from '../kit/format.js';
import * as fragment from '../wire/fragment.js';
import '../kit/words-time.js';

const steps = { objects: [100, 1000, 10000, 100000], rate: [0, 10, 1000, 10000] };

/**
 * Builds the knobs at the end of a menu.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {HTMLElement} root
 * @param {() => void} close
 */
export function appendKnobs(ctx, root, close) {
  const { t } = ctx;
  const src = ctx.model.state.source;
  // Of a cluster that others use too only the rate changes.
  const own = src.kind === 'sim';
  // A rate that was set while the log runs is in the address; the source has the one with which the log began.
  const asked = fragment.read();
  const note = h('p', { class: 'note', role: 'status' }, t(own ? 'knob.note' : 'knob.shared'));
  const field = (/** @type {'objects' | 'rate' | 'seed'} */ name) => {
    const text = own ? (name === 'rate' && asked.get(name)) || (src[name] ?? 0) : '';
    const el = /** @type {HTMLInputElement} */ (h('input', {
      type: 'text', inputmode: 'numeric', value: text, 'aria-label': t('knob.' + name), autocomplete: 'off', name: 'knob-' + name,
    }));
    el.addEventListener('input', () => {
      el.removeAttribute('aria-invalid');
      tell(name === 'objects' && value(el.value) > 20000 ? t('knob.many') : t('knob.note'), false);
    });
    el.addEventListener('keydown', (e) => {
      if (e.key !== 'Enter') return;
      e.preventDefault();
      if (name === 'rate') setRate();
      else begin();
    });
    return el;
  };
  const tell = (/** @type {string} */ words, /** @type {boolean} */ bad) => {
    note.className = bad ? 'note bad' : 'note';
    if (note.textContent !== words) note.textContent = words;
  };
  const fields = { objects: field('objects'), rate: field('rate'), seed: field('seed') };
  /** The number in a field, or null after a message about what is wrong with it. @param {'objects' | 'rate' | 'seed'} name */
  const read = (name) => {
    const el = fields[name];
    const n = value(el.value);
    if (Number.isInteger(n) && n >= 0 && n <= fragment.limits[name]) return n;
    el.setAttribute('aria-invalid', 'true');
    el.focus();
    tell(t('knob.bad', { name: t('knob.' + name), value: `“${el.value.trim().slice(0, 24)}”`, max: exact(fragment.limits[name]) }), true);
    return null;
  };
  const begin = async () => {
    const objects = read('objects');
    if (objects === null) return;
    const rate = read('rate');
    if (rate === null) return;
    const seed = read('seed');
    if (seed === null) return;
    close();
    await ctx.act('select', { source: 'sim', objects, rate, seed });
  };
  const setRate = async () => {
    const rate = read('rate');
    if (rate === null) return;
    close();
    const said = await ctx.act('cluster', 'rate', { perSecond: rate });
    if (said === undefined) return;
    fragment.write({ rate });
    ctx.say(String(said));
  };
  const chips = (/** @type {'objects' | 'rate'} */ name) => h('span', { class: 'steps' }, ...steps[name].map((n) =>
    button({ class: 'key', 'aria-label': `${shortCount(n)}: ${t('knob.' + name)} ${exact(n)}` }, () => {
      fields[name].value = String(n);
      fields[name].dispatchEvent(new Event('input'));
      if (name === 'rate') setRate();
    }, shortCount(n))));
  const another = h('span', { class: 'steps' }, button({ class: 'key' }, () => {
    fields.seed.value = String(crypto.getRandomValues(new Uint32Array(1))[0] % 10000);
    tell(t('knob.note'), false);
  }, t('knob.another')));
  const rate = [h('span', {}, t('knob.rate')), fields.rate, chips('rate')];
  root.append(
    h('div', { class: 'form knobs' }, ...(own
      ? [h('span', {}, t('knob.objects')), fields.objects, chips('objects'), ...rate, h('span', {}, t('knob.seed')), fields.seed, another] : rate)),
    h('div', { class: 'btnrow' }, ...(own ? [button({ class: 'key' }, begin, t('knob.begin'))] : []), button({ class: 'key' }, setRate, t('knob.setRate'))),
    note,
  );
}

/** A number as a person writes it: "10,000" and "10k" are the same. @param {string} text */
function value(text) {
  const m = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text.trim().replace(/(\d)[,_' \u00a0](?=\d{3}\b)/g, '$1'));
  return m ? Math.round(Number(m[1]) * (m[2] ? 1000 : 1) * 1e6) / 1e6 : NaN;
}

/** @param {number} n */
function shortCount(n) {
  return n >= 1000 && n % 1000 === 0 ? `${n / 1000}k` : count(n);
}
