// @ts-check
// Holds a stage, and releases some of what waits there, or all of it.
import { button, h } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { addWords } from '../kit/i18n.js';

/** @typedef {import('../wire/page-types.js').Ctx} Ctx */
/** @typedef {import('../wire/page-types.js').Stage} Stage */

addWords({
  'hold.some': ['n', 'n'],
  'hold.someLong': ['release n', '放行 n 个'],
  'hold.someTitle': ['Release how many?', '放行多少个？'],
  'hold.count': ['how many', '多少个'],
  'hold.go': ['release', '放行'],
});

/** The stages by their numbers on the keyboard, in the order of the rail. @type {Stage[]} */
export const holdable = ['store', 'pop', 'deliver', 'take'];

/**
 * Holds a stage, or releases all that it holds and holds it no longer.
 * @param {Ctx} ctx
 * @param {Stage} stage
 * @param {number} [listener] the one that "deliver" is of
 */
export function toggleHold({ model, act }, stage, listener) {
  const args = listener === undefined ? [] : [listener];
  return model.hold(stage, listener) ? act('release', stage, 0, ...args) : act('hold', stage, ...args);
}

/** Releases so many at every stage that is held, or all of them with 0. @param {Ctx} ctx @param {number} n */
export function releaseEverywhere({ model, act }, n) {
  for (const { stage, listener } of model.state.holds) act('release', stage, n, ...(listener ? [listener] : []));
}

/** Asks how many may pass. @param {Ctx} ctx @param {HTMLElement} anchor @param {Stage} stage @param {number[]} args the listener that "deliver" is of */
export function openSome(ctx, anchor, stage, args) {
  const { t } = ctx;
  ctx.popup(anchor, (root, close) => {
    root.append(h('h2', {}, t('hold.someTitle')));
    const free = (/** @type {number} */ n) => {
      close();
      ctx.act('release', stage, n, ...args);
    };
    const quick = h('div', { class: 'btnrow' }, ...[5, 10, 100, 1000].map((n) => button({ class: 'key' }, () => free(n), exact(n))));
    const field = /** @type {HTMLInputElement} */ (h('input', { type: 'number', min: 1, max: 1000000, step: 1, value: 10, 'aria-label': t('hold.count') }));
    const form = h('form', { class: 'form' }, h('span', {}, t('hold.count')), field, h('button', { class: 'key', type: 'submit' }, t('hold.go')));
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      const n = Math.round(Number(field.value));
      if (n >= 1) free(n);
    });
    root.append(form, quick);
    field.select();
  }, { width: 248, label: t('hold.someTitle') });
}
