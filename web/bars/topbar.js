// @ts-check
// The top bar: what is looked at (source, resource, namespace, release), the faults, and how the page looks.
import { attr, button, h, icon, menuRow, put, reveal, s } from '../kit/dom.js';
import { middle } from '../kit/format.js';
import { faults, levers, releases } from '../kit/commands.js';
import { formatResource, parseResource, read as fragment } from '../wire/fragment.js';
import { caret } from '../kit/glyphs.js';
import { language } from '../kit/i18n.js';
import { openNamespaces, openResources, openSources } from './pickers.js';
import { trouble } from '../kit/trouble.js';
import { openUpgrade } from './upgrade.js';

/** @import { FaultName } from '../wire/page-types.js' */

/** The faults that have a button on the bar, the first of the menu. */
const onBar = faults.slice(0, 6);
/** What the menu offers of a simulated cluster beside its faults. */
const struck = levers.filter((l) => l.menu === 'faults');
/** The faults with letters as keys; the first nine have their digits. @type {Record<string, string>} */
const letters = { compact: 'F C', restart: 'F R' };
/** The key for a fault; empty for none. @param {string} name */
function keyOfFault(name) {
  const i = faults.findIndex((f) => f.name === name);
  return i >= 0 && i < 9 ? String(i + 1) : letters[name] ?? '';
}

/** The source of the objects, as a follower's page shows it. @param {import('../wire/page-types.js').Ctx} ctx @param {string} [context] of a live cluster */
export function castWords(ctx, context) {
  const kind = ctx.recorded?.() ? 'hall.recorded' : 'hall.cast';
  return context ? ctx.t(kind, { name: middle(context, 24) }) : ctx.t(`${kind}Sim`);
}

/**
 * The name of a live cluster: its context, but for the simulated one.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {{context?: string, simulated?: boolean}} source
 */
export function liveName({ t }, { context, simulated }) {
  return simulated ? t('top.shared') : context || '?';
}

/** The words about an attached process. @param {import('../wire/page-types.js').Ctx} ctx @param {string} [name] of the process */
export function attachedWords(ctx, name) {
  if (!name) return ctx.t('top.attaching');
  return ctx.t(ctx.model.any && !ctx.model.isSure() ? 'top.troubled' : 'top.attached', { name });
}

export class TopBar {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{theme: () => void, language: () => void, help: () => void, save: () => void, open: () => void, presenter: () => void, stories:
   * (anchor: HTMLElement) => void}} does
   */
  constructor(ctx, app, does) {
    this.ctx = ctx;
    this.app = app;
    this.does = does;
    /** Why the scene could not be started, while nothing runs yet. */
    this.pending = '';
    const asked = fragment();
    const kind = asked.get('source') ?? '';
    this.askedSource = { kind: ['live', 'probe'].includes(kind) ? kind : 'sim', context: asked.get('context') ?? '', seed: Number(asked.get('seed')) || 0,
      trouble: '' };
    /** The resources that the address asks for. */
    this.askedAll = (asked.get('resource') ?? (kind === 'probe' ? '…' : 'pods')).split(',');
    this.askedResource = { ...parseResource(this.askedAll[0]), namespace: asked.get('namespace') ?? '' };
    /** Whether the address leaves the namespace to the context, so that it is not known yet. */
    this.askedOwn = asked.get('source') === 'live' && !asked.has('namespace');
    this.name = h('h1', { class: 'name' }, 'informerscope');
    this.src = button({ class: 'src' }, (b) => this.openSources(b));
    this.srcText = h('span');
    this.src.append(h('i'), this.srcText);
    this.res = button({ class: 'pick' }, (b) => this.openResources(b));
    this.resText = h('span');
    this.res.append(this.resText, caret());
    this.ns = button({ class: 'pick ns' }, (b) => this.openNamespaces(b));
    this.nsText = h('span');
    this.ns.append(this.nsText, caret());
    for (const b of [this.src, this.res, this.ns]) b.setAttribute('aria-haspopup', 'dialog');
    this.era = h('div', { class: 'seg', role: 'radiogroup' });
    this.eraButtons = releases.map(({ era: e, label, queue }) => {
      const beta = label.slice(e.length).trim();
      const b = button({ role: 'radio' }, () => ctx.act('select', { era: e }), e);
      if (beta) b.append(h('small', {}, beta));
      this.era.append(b);
      return { e, label, queue, beta, b };
    });
    this.two = button({ class: 'twolanes', 'aria-pressed': 'false' }, () => ctx.act('select', { era: ctx.model.otherEras() }), icon(
      'M1 4.5H15M4 4.5V9.5Q4 11.5 6 11.5H15', ...[4.5, 11.5].map((cy) => s('circle', { cx: 11, cy, r: 2, fill: 'currentColor' }))));
    /** A release that another program has, and that is newer than those that are known. */
    this.newer = h('span');
    this.upgrade = button({ class: 'twolanes upgrade', 'aria-haspopup': 'dialog' }, (b) => openUpgrade(ctx, b), icon('M8 13.5V3M4 7L8 3L12 7'));
    this.era.append(this.newer, this.two, this.upgrade);
    this.era.addEventListener('keydown', (ev) => {
      const d = ev.key === 'ArrowRight' || ev.key === 'ArrowDown' ? 1 : ev.key === 'ArrowLeft' || ev.key === 'ArrowUp' ? -1 : 0;
      if (!d) return;
      const i = this.eraButtons.findIndex((o) => o.b === document.activeElement);
      const next = this.eraButtons[(i + d + releases.length) % releases.length];
      next.b.focus();
      ctx.act('select', { era: next.e });
      ev.preventDefault();
      ev.stopPropagation();
    });
    this.faultsWord = h('span');
    this.faultsMenu = button({ class: 'menu-b' }, (b) => this.openFaults(b));
    this.faultsMenu.setAttribute('aria-haspopup', 'dialog');
    this.faultsMenu.append(this.faultsWord, caret());
    this.faultButtons = onBar.map(({ name: n, held: stays = false }) => ({ n, stays, b: button({ class: 'key' }, () => this.fault(n)) }));
    this.faults = h('div', { class: 'faults', role: 'group' }, this.faultsMenu, ...this.faultButtons.map((o) => o.b));
    this.story = button({ class: 'pick tale' }, (b) => does.stories(b));
    this.storyText = h('span');
    this.story.append(this.storyText, caret());
    this.story.setAttribute('aria-haspopup', 'dialog');
    this.presenter = button({ class: 'key' }, () => does.presenter());
    this.presenter.append(s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('rect', { x: 1.5, y: 2.5, width: 13, height: 8.5 }),
      s('path', { d: 'M8 11v2.5M5 14.5h6' })));
    this.theme = button({ class: 'key' }, () => does.theme());
    this.theme.append(s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('circle', { cx: 8, cy: 8, r: 6 }),
      s('path', { d: 'M8 2a6 6 0 0 1 0 12z', fill: 'currentColor' })));
    this.lang = button({ class: 'key' }, () => does.language());
    this.help = button({ class: 'key' }, () => does.help());
    this.help.textContent = '?';
    const icons = (this.icons = h('div', { class: 'icons' }, this.presenter, this.theme, this.lang, this.help));
    app.prepend(h('header', { class: 'top' }, this.name, h('span', { class: 'rule' }), this.src, this.res, this.ns, this.era, this.story,
      h('span', { class: 'sp' }), this.faults, h('span', { class: 'rule' }), icons));
  }

  /** Strikes or switches a fault by its name. @param {FaultName} name */
  fault(name) {
    const { held, millis } = faults.find((f) => f.name === name) ?? {};
    return this.ctx.act('fault', name, held ? { on: !this.ctx.model.fault(name)?.on, ...(millis ? { millis } : {}) } : {});
  }

  paint() {
    const { t, model } = this.ctx;
    const st = model.state;
    const ready = model.any;
    for (const el of [this.res, this.ns, this.era, this.faults]) el.classList.toggle('off', !ready);
    // Until something runs, the bar shows what the address asks for.
    const src = ready ? st.source : { ...this.askedSource, trouble: this.pending };
    const resource = ready ? st.resource : this.askedResource;
    const tr = ready ? trouble(this.ctx) : null;
    // The informers of another process are as they are: what would choose something for them, or act on them, is not there.
    document.body.classList.toggle('attached', src.kind === 'probe');
    const bad = !!src.trouble || (ready && (!!tr || model.isDown() || !!model.lost || ((src.kind === 'live' || src.kind === 'probe') && !model.isSure())));
    attr(this.src, 'class', `src${src.kind === 'live' || src.kind === 'probe' ? ' live' : ''}${bad ? ' dead' : ''}`);
    const said = ready && !model.isSure() ? 'top.troubled' : 'top.live';
    const live = liveName(this.ctx, src);
    const full = src.kind === 'live' ? t(said, { name: live }) : src.kind === 'probe' ? attachedWords(this.ctx, src.context)
      : src.kind === 'broadcast' ? castWords(this.ctx, src.context)
      : src.kind === 'file' ? t('top.file') : src.seed ? t('top.seed', { seed: src.seed }) : t('top.simulated');
    put(this.srcText, src.kind === 'live' ? t(said, { name: src.simulated ? live : middle(live, 13) })
      : src.kind === 'probe' ? attachedWords(this.ctx, middle(src.context || '', 13)) : full);
    const words = tr?.whole || src.trouble;
    attr(this.src, 'title', words ? `${full}: ${words}` : full);
    attr(this.src, 'aria-label', `${t('top.source')}: ${full}`);
    // Of several it names the one that shows, and how many more there are.
    const all = ready ? [...new Set((model.factory?.rows ?? []).map((r) => r.resource))] : this.askedAll;
    const res = all.length > 1 ? all.join(', ') : formatResource(resource);
    put(this.resText, all.length > 1 ? `${middle(resource.resource, 14)} +${all.length - 1}` : middle(resource.resource, 18));
    attr(this.res, 'title', res);
    attr(this.res, 'aria-label', `${t('top.resource')}: ${res}`);
    const ns = resource.namespace;
    const which = ns || (!ready && this.askedOwn ? 'namespace' : t('top.allNs'));
    put(this.nsText, middle(which, 16));
    attr(this.ns, 'title', which);
    attr(this.ns, 'aria-label', `namespace: ${which}`);
    attr(this.era, 'aria-label', t('top.era'));
    const on = this.ctx.model.eras.length ? this.ctx.model.eras : st.era.split(',');
    attr(this.two, 'aria-pressed', String(this.ctx.model.eras.length > 1));
    for (const [b, words] of /** @type {const} */ ([[this.two, 'lanes.buttonTitle'], [this.upgrade, 'up.title']])) {
      attr(b, 'title', t(words));
      attr(b, 'aria-label', t(words));
    }
    const newer = on.find((e) => !releases.some((x) => x.era === e));
    reveal(this.newer, !!newer);
    put(this.newer, newer ? t('top.newer', { era: newer, known: releases[0].label }) : '');
    this.eraButtons.forEach(({ e, label, queue, beta, b }, i) => {
      const checked = on.includes(e);
      attr(b, 'aria-checked', String(checked));
      // The kind of queue stands only beside the releases that run.
      put(b, checked && on.length < 2 && !beta ? `${e} ${queue}` : e);
      attr(b, 'title', `client-go ${label}: ${queue}`);
      if (beta) attr(b, 'aria-label', label);
      attr(b, 'tabindex', checked || (i === 0 && !releases.some((x) => on.includes(x.era))) ? 0 : -1);
    });
    put(this.faultsWord, t('top.faults'));
    const now = this.ctx.now();
    let more = false;
    for (const f of st.faults) if (f.on && !onBar.some((o) => o.name === f.name)) more = true;
    this.faultsMenu.classList.toggle('t-held', more);
    for (const { n, stays, b } of this.faultButtons) {
      const f = model.fault(n);
      put(b, t('fault.' + n));
      const held = !!f?.on;
      const hit = !!f && !stays && now >= f.atMillis && now - f.atMillis < 1500;
      const cls = `key${held ? ' held' : ''}${hit ? ' hit' : ''}`;
      if (b.className !== cls) b.className = cls;
      if (stays) attr(b, 'aria-pressed', String(held));
      const words = `${t('fault.' + n)}: ${t(`fault.${n}.x`)} (${keyOfFault(n)})`;
      if (b.title !== words) b.title = words;
      attr(b, 'aria-label', words);
    }
    // While a story has its title here, the namespaces stand back unless one is chosen.
    reveal(this.ns, !this.ctx.storyTitle?.() || !!ns);
    reveal(this.story, !this.ctx.follower || !!this.ctx.storyTitle?.());
    put(this.storyText, this.ctx.storyTitle?.() || t('story.pick'));
    attr(this.story, 'title', `${t('story.title')} (S)`);
    put(this.lang, language() === 'zh' ? 'EN' : '中');
    for (const [b, k, key] of /** @type {[HTMLElement, string, string][]} */ (
      [[this.presenter, 'pres.button', 'P'], [this.theme, 'top.theme', 'T'], [this.lang, 'top.language', 'L'], [this.help, 'top.keys', '?']])) {
      const words = `${t(k)} (${key})`;
      if (b.title !== words) b.title = words;
      attr(b, 'aria-label', words);
    }
  }

  /** @param {HTMLElement} anchor */
  openSources(anchor) {
    openSources(this.ctx, anchor, this.does);
  }

  /** @param {HTMLElement} anchor */
  openResources(anchor) {
    if (this.ctx.model.state.source.kind === 'probe') openSources(this.ctx, anchor, this.does); // its informers stand there
    else openResources(this.ctx, anchor);
  }

  /** @param {HTMLElement} anchor */
  openNamespaces(anchor) {
    openNamespaces(this.ctx, anchor);
  }

  /** @param {HTMLElement} anchor */
  openFaults(anchor) {
    const { t } = this.ctx;
    const { model } = this.ctx;
    const own = model.state.source.kind === 'sim';
    const sim = model.changeable();
    const there = faults.filter(({ cluster }) => (cluster === 'own' ? own : !cluster || sim));
    this.ctx.popup(anchor, (root, close) => {
      const list = h('div', { class: 'list' });
      root.append(list);
      const row = (/** @type {string} */ n, /** @type {boolean} */ held, /** @type {() => any} */ does, /** @type {Record<string, number>} */ words = {}) => {
        const key = keyOfFault(n);
        // The menu covers stations that show what the fault does.
        const b = menuRow(close, does, { class: 'row fx' }, h('span', { class: 'tick' }), h('span', {}, t('fault.' + n)),
          h('small', {}, t(`fault.${n}.x`, words), key ? h('span', { class: 'hint' }, ` · ${key}`) : ''));
        if (held) b.setAttribute('aria-pressed', String(!!model.fault(n)?.on));
        else /** @type {HTMLElement} */ (b.firstElementChild).style.visibility = 'hidden';
        list.append(b);
      };
      for (const { name, held = false } of there) row(name, held, () => this.fault(name));
      for (const { name, held = false, offers: [n] = [0] } of sim ? struck : []) {
        row(name, held, () => this.ctx.act('cluster', name, held ? { n: model.fault(name)?.on ? 0 : n } : {}), { n });
      }
      list.append(h('hr'));
      for (const [what, open] of /** @type {const} */ ([['diagnose', this.ctx.diagnose], ['laboratory', this.ctx.laboratory]])) {
        list.append(menuRow(close, () => open?.(), { class: 'row fx' }, h('span', { class: 'tick' }), h('span', {}, t('file.' + what)),
          h('small', {}, t(`file.${what}.x`))));
      }
    }, { width: 440, label: t('top.faults') });
  }
}
