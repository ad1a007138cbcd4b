// @ts-check
// The keyboard, a clicker's keys included, and the overlay that lists them.
import { h } from '../kit/dom.js';
import { t } from '../kit/i18n.js';
import { openDialog, popupOpen } from '../kit/popup.js';
import { faults } from '../kit/commands.js';

/** @import { FaultName } from '../wire/page-types.js' */

/**
 * @typedef {{
 *   toggle: () => void, step: (n: number) => void, faster: (n: number) => void, start: () => void, live: () => void, mark: (n: number) => void,
 *   find: () => void, escape: () => boolean, hold: (digit: number) => void, release: (n: number) => void, fault: (name: FaultName) => void,
 * black: () => boolean, theme: () => void, language: () => void, era: () => void, help: () => void, explain: (n: number) => void, air: ()
 * => void, qr: () => void, fork: () => void
 * }} Actions
 */

/** @param {Actions} a */
export function bindKeys(a) {
  let prefix = '';
  let prefixAt = 0;
  document.addEventListener('keydown', (e) => {
    if (e.defaultPrevented || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
    const el = /** @type {HTMLElement} */ (e.target);
    const typing = el.matches?.('input:not([type=range]), textarea, select');
    // While a menu or a dialog is open, keys belong to it, wherever the focus is.
    if (popupOpen()) return;
    if (e.key === 'Escape') {
      if (a.escape()) e.preventDefault();
      return;
    }
    if (typing) return;
    const slider = el.matches?.('input[type=range]');
    const pressed = el.matches?.('button, a');
    const digit = /^[1-9]$/.test(e.key) ? Number(e.key) : /^Digit[1-9]$/.test(e.code) && !e.shiftKey ? Number(e.code.slice(5)) : 0;
    const now = performance.now();
    const two = now - prefixAt < 1500 ? prefix : '';
    prefix = '';
    let done = true;
    if (digit) {
      if (two === 'h') a.hold(digit);
      else a.fault(faults[digit - 1].name);
    } else {
      switch (e.key) {
        case ' ':
          if (pressed) done = false;
          else a.toggle();
          break;
        case 'ArrowLeft':
        case 'ArrowRight': {
          if (slider) {
            done = false;
            break;
          }
          const n = e.key === 'ArrowLeft' ? -1 : 1;
          if (e.shiftKey) a.mark(n);
          else a.step(n);
          break;
        }
        case 'Home': slider ? (done = false) : a.start(); break;
        case 'End': slider ? (done = false) : a.live(); break;
        case '[': case 'PageUp': a.mark(-1); break;
        case ']': case 'PageDown': a.mark(1); break;
        case '-': case '_': a.faster(-1); break;
        case '+': case '=': a.faster(1); break;
        case '/': a.find(); break;
        case '?': a.help(); break;
        case 'i': a.explain(1); break;
        case 'I': a.explain(-1); break;
        case '.': a.black(); break;
        case 'c': case 'C': two === 'f' ? a.fault('compact') : (done = false); break;
        case 'r': case 'R': two === 'f' ? a.fault('restart') : (done = false); break;
        case 'a': case 'A': a.air(); break;
        case 'q': case 'Q': a.qr(); break;
        case 'y': case 'Y': a.fork(); break;
        case 'n': a.release(1); break;
        case 'N': a.release(0); break;
        case 't': case 'T': a.theme(); break;
        case 'l': case 'L': a.language(); break;
        case 'e': case 'E': a.era(); break;
        case 'h': case 'H': case 'f': case 'F':
          prefix = e.key.toLowerCase();
          prefixAt = now;
          break;
        default: done = false;
      }
    }
    if (done) e.preventDefault();
  });
}

/** @type {[string, [string[], string][]][][]} */
const table = [
  [
    ['keys.time', [[['Space'], 'keys.space'], [['←', '→'], 'keys.step'], [['−', '+'], 'keys.speed'], [['Home', 'End'], 'keys.ends'],
      [['[', ']'], 'keys.marks'], [['Y'], 'fork.here']]],
    ['keys.look', [[['Tab'], 'keys.tab'], [['Enter'], 'keys.enter'], [['/'], 'keys.find'], [['I'], 'keys.explain'], [['Z', '0'], 'keys.zoom'],
      [['K', 'J'], 'keys.walk'], [['Esc'], 'keys.esc']]],
  ],
  [
    ['keys.holds', [[['H', '1'], 'keys.h1'], [['H', '2'], 'keys.h2'], [['H', '3'], 'keys.h3'], [['H', '4'], 'keys.h4'], [['N'], 'keys.n'],
      [['Shift', 'N'], 'keys.N']]],
    ['keys.faults', [[['1'], 'keys.f1'], [['2'], 'keys.f2'], [['3'], 'keys.f3'], [['4'], 'keys.f4'], [['5'], 'keys.f5'], [['6'], 'keys.f6'],
      [['7', '8', '9'], 'keys.f789'], [['F', 'C'], 'fault.compact'], [['F', 'R'], 'fault.restart']]],
  ],
  [
    ['keys.clicker', [[['Page Down'], 'keys.pgdn'], [['Page Up'], 'keys.pgup'], [['.'], 'keys.dot']]],
    ['keys.screen', [[['E'], 'keys.e'], [['B'], 'keys.b'], [['S'], 'keys.s'], [['P'], 'keys.p'], [['W'], 'keys.w'], [['T'], 'keys.t'], [['L'], 'keys.l'],
      [['A'], 'keys.a'], [['Q'], 'keys.Q'], [['?'], 'keys.q']]],
  ],
];

/**
 * Opens the list of keys.
 * @param {HTMLElement} app
 * @param {{words: string, go: () => void}} [first] what is offered before the keys: the tour
 */
export function openHelp(app, first) {
  const esc = h('button', { class: 'key', type: 'button', 'aria-label': `esc ${t('close')}` }, 'esc');
  const tour = first ? [h('button', { class: 'key fill', type: 'button', 'data-do': 'tour' }, first.words)] : [];
  const grid = h('div', { class: 'kc' }, ...table.map((col) => h('div', {}, ...col.flatMap(([head, rows]) => [
    h('h4', {}, t(head)),
    ...rows.map(([keys, words]) => (
      h('div', { class: 'kr' }, h('span', {}, ...keys.map((k) => h('kbd', {}, k))), h('span', {}, t(words))))),
  ]))));
  const root = openDialog(app, { class: 'ov', 'aria-label': t('keys.title') }, [
    h('div', { class: 'kp' }, h('div', { class: 'kh' }, h('b', {}, t('keys.title')), h('span', {}, t('keys.note')), esc, ...tour), grid)], true);
  esc.addEventListener('click', () => root.close());
  tour[0]?.addEventListener('click', () => {
    root.close();
    first?.go();
  });
}
