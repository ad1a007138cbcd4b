// @ts-check
// The page asks for the link of the server's present launch when the server has another token than this page.
import { h } from '../kit/dom.js';
import { addWords } from '../kit/i18n.js';
import { openDialog } from '../kit/popup.js';

addWords({
  'link.title': ['This page’s link is from another launch', '本页的链接来自另一次启动'],
  'link.what': [
    'The server runs, and does not accept the token in this page’s address: each launch has its own. Paste the link that the server printed when '
      + 'it started. The page goes on with the same context and is not reloaded.',
    '服务器在运行，但不接受本页地址里的 token：每次启动都有自己的 token。请粘贴服务器启动时打印的链接：本页不用重新载入，继续查看同一个 context。',
  ],
  'link.field': ['the new link, or its token', '新的链接，或其中的 token'],
  'link.use': ['use it', '使用'],
  'link.later': ['not now', '以后再说'],
  'link.none': ['There is no token in this. A link looks like {eg}.', '里面没有 token。链接的样子是 {eg}。'],
  'link.same': ['The page has this token already, and the server refused it. Look for the link of its newest launch.', '本页已有这个 token，服务器拒绝了它。请找最近一次启动打印的链接。'],
  'link.elsewhere': [
    'This link leads to {there}, and this page belongs to {here}. A page cannot change its server: open the link itself.',
    '这个链接指向 {there}，而本页属于 {here}。页面不能换服务器：请直接打开这个链接。',
  ],
  'link.open': ['open the link', '打开链接'],
  'link.refused': ['The server refuses this token too. Look for the link of its newest launch.', '服务器也拒绝这个 token。请找最近一次启动打印的链接。'],
  'link.asking': ['Asking the server…', '正在询问服务器……'],
});

/**
 * The token in what was pasted: a link with one in its fragment, or the token alone.
 * @param {string} pasted
 * @param {string} [origin] whose page this is
 * @returns {{token: string, link: string, there: string}} `there` is where a link of another server leads
 */
function readLink(pasted, origin = location.origin) {
  // Text copied from a terminal may have line breaks, and words before the link.
  const text = pasted.replace(/^.*?(?=https?:\/\/)/s, '').replace(/\s+/g, '');
  const hash = text.indexOf('#');
  if (hash >= 0 || /^https?:/i.test(text)) {
    const token = new URLSearchParams(text.slice(hash + 1)).get('token') ?? '';
    let there = '';
    try {
      const url = new URL(text);
      if (hash > 0 && url.origin !== origin) there = url.host;
    } catch {
      // "#token=..." alone belongs to this page.
    }
    return { token: hash >= 0 ? token : '', link: there ? text : '', there };
  }
  const bare = text.replace(/^token=/, '');
  return { token: /^[\w.~-]{8,512}$/.test(bare) ? bare : '', link: '', there: '' };
}

export class NewLink {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{token: () => string, use: (token: string) => Promise<string>}} o `use` gives the token to the worker; why it is refused, or ""
   */
  constructor(ctx, app, o) {
    this.ctx = ctx;
    this.app = app;
    this.o = o;
    /** @type {HTMLDialogElement | null} */
    this.box = null;
  }

  open() {
    const { t } = this.ctx;
    if (this.isOpen) return;
    const field = /** @type {HTMLInputElement} */ (h('input', { type: 'text', 'aria-label': t('link.field'), placeholder: t('link.field'), spellcheck: 'false',
      autocomplete: 'off', 'aria-describedby': 'link-said' }));
    const said = h('p', { class: 's', id: 'link-said', role: 'status' });
    const use = h('button', { class: 'key', type: 'submit' }, t('link.use'));
    const open = /** @type {HTMLAnchorElement} */ (h('a', { class: 'key', rel: 'noreferrer', hidden: '' }, t('link.open')));
    const later = h('button', { class: 'key', type: 'button' }, t('link.later'));
    const tell = (/** @type {string} */ words) => {
      said.textContent = words;
      field.setAttribute('aria-invalid', 'true');
      field.focus();
    };
    const form = h('form', { class: 'linkform', novalidate: '' }, field, h('div', { class: 'row2' }, use, open, later), said);
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      const { token, link, there } = readLink(field.value);
      open.hidden = !link;
      if (!token) return tell(t('link.none', { eg: `${location.origin}/#token=…` }));
      if (link) {
        open.href = link;
        return tell(t('link.elsewhere', { there, here: location.host }));
      }
      if (token === this.o.token()) return tell(t('link.same'));
      field.removeAttribute('aria-invalid');
      said.textContent = t('link.asking');
      this.o.use(token).then((refused) => (refused ? tell(refused === 'token' ? t('link.refused') : refused) : this.close()),
        (err) => tell(String(err?.message ?? err)));
    });
    field.addEventListener('input', () => {
      field.removeAttribute('aria-invalid');
      open.hidden = true;
      said.textContent = '';
    });
    later.addEventListener('click', () => this.close());
    const card = h('div', { class: 'crash' }, h('h2', {}, t('link.title')), h('p', {}, t('link.what')), form);
    this.box = openDialog(this.app, { class: 'ov newlink', 'aria-label': t('link.title') }, [card]);
    field.focus();
  }

  /** Whether it is open. */
  get isOpen() {
    return !!this.box?.open;
  }

  close() {
    this.box?.close();
  }
}
