// @ts-check
// Menus and dialogs. The browser closes them at Escape, a menu also at a press beside it, and gives the focus back.
import { h } from './dom.js';

/** Whether a menu or a dialog is open: typed keys then belong to it, and are no shortcuts of the page. */
export function popupOpen() {
  return !!document.querySelector('.pop:popover-open, .ov:modal');
}

/** Closes the menu that is open. Returns whether there was one. */
export function closePopup() {
  const root = /** @type {HTMLElement | null} */ (document.querySelector('.pop:popover-open'));
  root?.hidePopover();
  root?.remove();
  return !!root;
}

/**
 * @param {HTMLElement} app
 * @param {Element} anchor
 * @param {(root: HTMLElement, close: () => void) => void} build
 * @param {{width?: number, left?: number, label?: string}} [options] in units of the stage; it hangs from the anchor where there is no `left`
 */
export function openPopup(app, anchor, build, options = {}) {
  closePopup();
  const root = h('div', { class: 'pop', role: 'dialog', popover: '', tabindex: -1 });
  if (options.label) root.setAttribute('aria-label', options.label);
  const width = options.width ?? 320;
  // Firefox places by an anchor in CSS from 147 on.
  const box = app.getBoundingClientRect();
  const unit = box.width / 1280;
  const a = anchor.getBoundingClientRect();
  const left = options.left ?? Math.max(8, Math.min((a.left - box.left) / unit, 1272 - width));
  root.style.width = `${width / 16}rem`;
  root.style.left = `${(left + box.left / unit) / 16}rem`;
  // It stays within the stage.
  const tall = box.height / unit;
  const below = Math.max(8, (a.bottom - box.top) / unit + 6);
  if (below < tall - 340) {
    root.style.top = `${(below + box.top / unit) / 16}rem`;
    root.style.maxHeight = `${Math.min(544, tall - 12 - below) / 16}rem`;
  } else {
    const above = tall - (a.top - box.top) / unit + 6;
    root.style.bottom = `${(above + (innerHeight - box.bottom) / unit) / 16}rem`;
    root.style.maxHeight = `${Math.min(544, tall - 12 - above) / 16}rem`;
  }
  build(root, () => root.matches(':popover-open') && closePopup());
  root.addEventListener('beforetoggle', (e) => anchor.setAttribute('aria-expanded', String(e.newState === 'open')));
  root.addEventListener('toggle', (e) => e.newState === 'closed' && root.remove());
  root.addEventListener('keydown', (e) => {
    if (!['ArrowDown', 'ArrowUp'].includes(e.key) || /** @type {HTMLElement} */ (e.target).closest('.find')) return;
    const rows = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('button.row')]);
    const i = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    rows[Math.max(0, Math.min(rows.length - 1, i + (e.key === 'ArrowDown' ? 1 : -1)))]?.focus();
    e.preventDefault();
  });
  app.append(root);
  root.showPopover();
  // A field comes first; of several choices the one that was made, so that Enter changes nothing.
  const first = /** @type {HTMLElement | null} */ (root.querySelector('input, button'));
  const chosen = /** @type {HTMLElement | null} */ (root.querySelector('[aria-selected="true"], [aria-checked="true"]'));
  ((first instanceof HTMLInputElement ? first : chosen ?? first) ?? root).focus();
}

/**
 * Opens a dialog over the page; a press beside it closes it where `light` is true.
 * @param {HTMLElement} app
 * @param {{class: string, 'aria-label': string, role?: string}} attrs
 * @param {(Node | string)[]} kids
 * @param {boolean} [light]
 */
export function openDialog(app, attrs, kids, light) {
  closePopup();
  const root = /** @type {HTMLDialogElement} */ (h('dialog', attrs, ...kids));
  root.addEventListener('close', () => root.remove());
  if (light) root.addEventListener('click', (e) => e.target === root && root.close());
  app.append(root);
  root.showModal();
  return root;
}

/** The rest of a press of Enter, which closed a pop-up, is not a press of the button that has the focus then. */
function swallow() {
  const eat = (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    e.stopPropagation();
  };
  for (const type of /** @type {('keydown' | 'keypress')[]} */ (['keydown', 'keypress'])) {
    // Not this very keydown: it has gone past the window already.
    window.addEventListener(type, eat, true);
    window.addEventListener('keyup', () => window.removeEventListener(type, eat, true), { capture: true, once: true });
  }
}

let lists = 0;

/**
 * A list with a search field above it: type to narrow, arrows to move, Enter to choose. The field is there from the beginning, so that what is
 * typed while the items are still asked for is not lost.
 * @template T
 * @param {HTMLElement} root
 * @param {{
 *   items: T[] | null,
 *   words: (item: T) => string,
 *   row: (item: T) => {label: string, aside?: string, lines?: string[], on?: boolean, title?: string, off?: string},
 *   choose: (item: T) => void,
 *   typed?: (text: string, known: boolean) => {item: T, first: boolean} | null,
 *   placeholder: string,
 *   none: string,
 *   waiting?: string,
 *   limit?: number
 * }} o `items` is null while they are not known yet. `lines` stand below the label. `off` is why a row cannot be chosen. `typed` makes an item of
 *   what was typed, to be offered first or last
 * @returns {HTMLInputElement & {fillWith: (items: T[]) => void}}
 */
export function searchList(root, o) {
  const id = `pop-list-${++lists}`;
  const field = /** @type {HTMLInputElement} */ (h('input', { class: 'find', type: 'text', placeholder: o.placeholder, 'aria-label': o.placeholder,
    spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', role: 'combobox', 'aria-expanded': 'true', 'aria-autocomplete': 'list',
    'aria-controls': id }));
  const list = h('div', { class: 'list', role: 'listbox', id, 'aria-label': o.placeholder });
  root.append(field, list);
  let items = o.items;
  /** @type {T[]} */
  let shown = [];
  let cur = 0;
  /** Whether Enter came before the items: it is for the first that matches then. */
  let early = false;
  const mark = () => {
    const rows = [...list.children];
    rows.forEach((c, i) => c.classList.toggle('cur', i === cur));
    const at = shown.length ? rows[cur] : undefined;
    if (at) field.setAttribute('aria-activedescendant', at.id);
    else field.removeAttribute('aria-activedescendant');
    at?.scrollIntoView({ block: 'nearest' });
  };
  const pick = (/** @type {T} */ item) => {
    if (!o.row(item).off) o.choose(item);
  };
  const fill = () => {
    const text = field.value.trim();
    const q = text.toLowerCase();
    shown = (items ?? []).filter((item) => !q || o.words(item).toLowerCase().includes(q)).slice(0, o.limit ?? 400);
    const own = q ? o.typed?.(text, items !== null) : null;
    if (own) {
      if (own.first) shown.unshift(own.item);
      else shown.push(own.item);
    }
    cur = Math.max(0, q ? 0 : shown.findIndex((item) => o.row(item).on));
    list.replaceChildren(...shown.map((item, i) => {
      const r = o.row(item);
      const b = h('button', { class: 'row', type: 'button', role: 'option', id: `${id}-${i}`, tabindex: -1, 'aria-selected': String(!!r.on) },
        h('span', { class: 'tick' }));
      const label = h('span', {}, r.label);
      if (r.lines?.length || r.off) {
        b.classList.add('tall');
        b.append(h('span', { class: 'rl' }, label, ...(r.lines ?? []).filter(Boolean).map((w) => h('small', {}, w)),
          ...(r.off ? [h('small', { class: 'off-why' }, r.off)] : [])));
      } else b.append(label);
      if (r.aside) b.append(h('small', {}, r.aside));
      if (r.off) b.setAttribute('aria-disabled', 'true');
      if (r.title) b.title = r.title;
      b.addEventListener('click', () => pick(item));
      return b;
    }));
    if (!shown.length) list.append(h('p', { class: 'note' }, items === null ? o.waiting ?? '…' : o.none));
    mark();
  };
  field.addEventListener('input', () => {
    early = false;
    fill();
  });
  field.addEventListener('keydown', (e) => {
    if (e.isComposing) return;
    if (e.key === 'ArrowDown') cur = Math.min(shown.length - 1, cur + 1);
    else if (e.key === 'ArrowUp') cur = Math.max(0, cur - 1);
    else if (e.key === 'Enter') {
      swallow();
      // An item may be the empty word (all namespaces), so it is the place that counts.
      if (cur < shown.length) pick(shown[cur]);
      else early = items === null;
    } else return;
    e.preventDefault();
    mark();
  });
  fill();
  return Object.assign(field, {
    fillWith: (/** @type {T[]} */ all) => {
      const at = cur > 0 ? shown[cur] : undefined;
      items = all;
      fill();
      // A user who has moved down the list meanwhile stays on the line.
      const i = at === undefined ? -1 : shown.indexOf(at);
      if (i >= 0) {
        cur = i;
        mark();
      }
      if (early && cur < shown.length) pick(shown[cur]);
      early = false;
    },
  });
}
