// @ts-check
// One pop-up at a time: it hangs from its button, Escape or a press outside shuts it, and the focus goes back.
import { h } from './dom.js';

/** @type {(() => void) | null} */
let shut = null;

/** Closes the pop-up that is open. Returns whether there was one. */
export function closePopup() {
  const was = !!shut;
  shut?.();
  return was;
}

/**
 * @param {HTMLElement} app
 * @param {Element} anchor
 * @param {(root: HTMLElement, close: () => void) => void} build
 * @param {{width?: number, label?: string}} [options] width in units of the stage
 */
export function openPopup(app, anchor, build, options = {}) {
  closePopup();
  const root = h('div', { class: 'pop', role: 'dialog' });
  if (options.label) root.setAttribute('aria-label', options.label);
  const width = options.width ?? 320;
  const box = app.getBoundingClientRect();
  const unit = box.width / 1280;
  const a = anchor.getBoundingClientRect();
  const left = Math.max(8, Math.min((a.left - box.left) / unit, 1272 - width));
  root.style.width = `${width / 16}rem`;
  root.style.left = `${left / 16}rem`;
  const below = (a.bottom - box.top) / unit + 6;
  if (below < 460) {
    root.style.top = `${below / 16}rem`;
    root.style.maxHeight = `${Math.min(544, 708 - below) / 16}rem`;
  } else {
    const above = 720 - (a.top - box.top) / unit + 6;
    root.style.bottom = `${above / 16}rem`;
    root.style.maxHeight = `${Math.min(544, 708 - above) / 16}rem`;
  }
  const back = /** @type {HTMLElement | null} */ (document.activeElement);
  const outside = (/** @type {Event} */ e) => {
    if (!root.contains(/** @type {Node} */ (e.target)) && !anchor.contains(/** @type {Node} */ (e.target))) close(false);
  };
  const close = (refocus = true) => {
    if (shut !== close) return;
    shut = null;
    document.removeEventListener('pointerdown', outside, true);
    root.remove();
    anchor.setAttribute('aria-expanded', 'false');
    if (refocus && back?.isConnected) back.focus();
  };
  shut = close;
  build(root, () => close());
  anchor.setAttribute('aria-expanded', 'true');
  app.append(root);
  document.addEventListener('pointerdown', outside, true);
  root.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') {
      close();
      e.stopPropagation();
      e.preventDefault();
    } else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      if (/** @type {HTMLElement} */ (e.target).closest('.find')) return;
      const rows = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('button.row')]);
      const i = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      rows[Math.max(0, Math.min(rows.length - 1, i + (e.key === 'ArrowDown' ? 1 : -1)))]?.focus();
      e.preventDefault();
    }
    e.stopPropagation();
  });
  const first = /** @type {HTMLElement | null} */ (root.querySelector('input, [aria-selected="true"], [aria-checked="true"], button'));
  first?.focus();
}

/**
 * A list with a search field above it: type to narrow, arrows to move, Enter to choose.
 * @template T
 * @param {HTMLElement} root
 * @param {{
 *   items: T[],
 *   words: (item: T) => string,
 *   row: (item: T) => {label: string, aside?: string, on?: boolean, title?: string},
 *   choose: (item: T) => void,
 *   placeholder: string,
 *   none: string,
 *   limit?: number
 * }} o
 */
export function searchList(root, o) {
  const field = /** @type {HTMLInputElement} */ (h('input', { class: 'find', type: 'text', placeholder: o.placeholder, 'aria-label': o.placeholder, spellcheck: 'false', autocomplete: 'off', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'pop-list' }));
  const list = h('div', { class: 'list', role: 'listbox', id: 'pop-list', 'aria-label': o.placeholder });
  root.append(field, list);
  /** @type {T[]} */
  let shown = [];
  let cur = 0;
  const mark = () => {
    [...list.children].forEach((c, i) => c.classList.toggle('cur', i === cur));
    list.children[cur]?.scrollIntoView({ block: 'nearest' });
  };
  const fill = () => {
    const q = field.value.trim().toLowerCase();
    shown = o.items.filter((it) => !q || o.words(it).toLowerCase().includes(q)).slice(0, o.limit ?? 400);
    cur = Math.max(0, q ? 0 : shown.findIndex((it) => o.row(it).on));
    list.replaceChildren(...shown.map((it) => {
      const r = o.row(it);
      const b = h('button', { class: 'row', type: 'button', role: 'option', tabindex: -1, 'aria-selected': String(!!r.on) }, h('span', { class: 'tick' }), h('span', {}, r.label));
      if (r.aside) b.append(h('small', {}, r.aside));
      if (r.title) b.title = r.title;
      b.addEventListener('click', () => o.choose(it));
      return b;
    }));
    if (!shown.length) list.append(h('p', { class: 'note' }, o.none));
    mark();
  };
  field.addEventListener('input', fill);
  field.addEventListener('keydown', (e) => {
    if (e.key === 'ArrowDown') cur = Math.min(shown.length - 1, cur + 1);
    else if (e.key === 'ArrowUp') cur = Math.max(0, cur - 1);
    else if (e.key === 'Enter') {
      // An item may be the empty word (all namespaces), so it is the place that counts.
      if (cur < shown.length) o.choose(shown[cur]);
    } else return;
    e.preventDefault();
    mark();
  });
  fill();
  return field;
}
