// @ts-check
// The speaker's side of a broadcast: the button with its lamp, the menu with the audience link, and the large QR code for a projector.
// It also reports to the worker where this page is, so that followers' pages go there too.
import { attr, button, h, put, reveal, s } from '../kit/dom.js';
import { bytes, count, exact } from '../kit/format.js';
import { copy } from '../bars/files.js';
import { openDialog } from '../kit/popup.js';
import { qrPicture } from '../kit/qr.js';
import '../kit/words-hall.js';

/** @typedef {import('../wire/types.js').OnAir} OnAir */

/** @returns {OnAir} */
const off = () => ({ offered: false, phase: '', path: '', objects: false, other: false, followers: 0, segments: 0, bytes: 0, seq: 0, skipped: 0 });

/** Whether only this computer reaches an address. @param {string} address */
const local = (address) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname);

export class Broadcast {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{page: () => import('../wire/page-types.js').SpeakerPage}} o `page` says where this page is, for followers
   */
  constructor(ctx, app, o) {
    this.ctx = ctx;
    this.app = app;
    this.o = o;
    this.air = off();
    /** What the menu shows, to be painted again. @type {(() => void) | null} */
    this.menu = null;
    /** The large code, and what paints its words. @type {{root: HTMLDialogElement, paint: () => void} | null} */
    this.large = null;
    this.lastReport = '';
    this.words = h('span');
    this.button = button({ class: 'key air', hidden: '', 'aria-haspopup': 'dialog' }, () => this.open(this.button),
      s('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('circle', { cx: 8, cy: 8, r: 2.2 }),
      s('path', { d: 'M4.6 11.4a4.8 4.8 0 0 1 0-6.8M11.4 4.6a4.8 4.8 0 0 1 0 6.8M2.6 13.4a7.6 7.6 0 0 1 0-10.8M13.4 2.6a7.6 7.6 0 0 1 0 10.8' })), h('i'),
      this.words);
  }

  /** Whether what happens here goes out. */
  get isOn() {
    return this.air.phase === 'on' || this.air.phase === 'lost';
  }

  /** The audience's link. */
  get link() {
    return this.air.path ? new URL(this.air.path, location.href).href : '';
  }

  /** Takes the state of the broadcast from the worker. @param {OnAir} next */
  hear(next) {
    const before = this.air;
    const air = { ...off(), ...next };
    this.air = air;
    const { t } = this.ctx;
    if (before.phase !== air.phase) {
      if (air.phase === 'taken') this.ctx.say(t('air.taken'), true);
      if (air.phase === 'failed') this.ctx.say(t('air.failed', { w: air.error ?? '' }), true);
      if (!this.isOn) this.large?.root.close();
      this.lastReport = '';
    }
    if (air.skipped > before.skipped && before.phase) this.ctx.say(t('air.skipped'), true);
    this.paint();
  }

  /** Asks the server whether it broadcasts, so that the button is there. */
  ask() {
    return this.ctx.call('broadcast').then((state) => this.hear(state));
  }

  paint() {
    const { t } = this.ctx;
    const { air } = this;
    reveal(this.button, air.offered || this.isOn);
    const word = this.isOn ? t(air.phase === 'lost' ? 'air.lost' : 'air.on') : t('air.button');
    attr(this.button, 'class', `key air${this.isOn ? ' on' : ''}${air.phase === 'lost' ? ' lost' : ''}`);
    put(this.words, this.isOn ? count(air.followers) : '');
    const tip = this.isOn ? t('air.lampTip', { phase: word, n: t('air.followers', { n: exact(air.followers) }) }) : word;
    attr(this.button, 'title', `${tip} (A)`);
    attr(this.button, 'aria-label', `${tip} (A)`);
    this.menu?.();
    this.large?.paint();
    this.tell();
  }

  /** Reports to the worker where this page is, if that has changed. @private */
  tell() {
    if (!this.isOn) return;
    const text = JSON.stringify(this.o.page());
    if (text === this.lastReport) return;
    this.lastReport = text;
    this.ctx.call('page', JSON.parse(text)).catch((err) => this.ctx.say(err.message, true));
  }

  /** @param {Element} anchor */
  open(anchor) {
    const { ctx } = this;
    const { t } = ctx;
    let asked = '';
    let asking = true;
    ctx.popup(anchor, (root) => {
      /** @type {string} */
      let shown = '';
      const body = h('div', { class: 'airmenu' });
      root.append(h('h2', {}, t('air.title')), body);
      const facts = { lamp: h('p', { class: 'airstate', role: 'status' }, h('i'), h('span')), sent: h('p', { class: 'note' }),
        late: h('p', { class: 'note bad', hidden: '' }) };
      const paint = () => {
        if (!root.isConnected && shown) {
          if (this.menu === paint) this.menu = null;
          return;
        }
        const { air } = this;
        const isTaken = air.other || air.phase === 'taken';
        const state = asking ? 'asking' : asked ? 'failed' : !air.offered ? 'none' : this.isOn ? `on ${this.link}` : isTaken ? 'other' : 'off';
        if (state !== shown) {
          const held = body.contains(document.activeElement);
          shown = state;
          body.replaceChildren(...this.parts(state, asked, facts, (call, args) => {
            asking = true;
            paint();
            ctx.call(call, .../** @type {import('../wire/types.js').CallArgs['broadcastBegin']} */ (args)).then((now) => {
              asking = false;
              this.hear(now);
              if (call === 'broadcastEnd') ctx.say(t('air.ended'));
              paint();
            }, fail);
          }));
          if (held) /** @type {HTMLElement | null} */ (body.querySelector('button, input'))?.focus();
        }
        if (!this.isOn) return;
        attr(facts.lamp, 'class', `airstate ${air.phase}`);
        put(/** @type {HTMLElement} */ (facts.lamp.lastElementChild),
          `${t(air.phase === 'lost' ? 'air.lost' : 'air.on')} · ${t('air.followers', { n: exact(air.followers) })}`);
        put(facts.sent, t('air.sent', { n: exact(air.seq), b: bytes(air.bytes) }));
        const behind = Math.max(0, ctx.model.view.head - air.seq);
        facts.late.hidden = air.phase !== 'lost';
        put(facts.late, `${air.error ?? ''} ${t('air.behind', { n: exact(behind) })}`.trim());
      };
      const fail = (/** @type {Error} */ err) => {
        asking = false;
        asked = err.message;
        paint();
      };
      this.menu = paint;
      paint();
      this.ask().then(() => {
        asking = false;
        paint();
      }, fail);
    }, { width: 400, label: t('air.title') });
  }

  /**
   * What the menu is made of.
   * @param {string} state @param {string} error
   * @param {{lamp: HTMLElement, sent: HTMLElement, late: HTMLElement}} facts
   * @param {(call: 'broadcastBegin' | 'broadcastEnd', args: any[]) => void} does
   * @returns {(Node | string)[]}
   * @private
   */
  parts(state, error, facts, does) {
    const { t } = this.ctx;
    const key = (/** @type {string} */ words, /** @type {() => void} */ f, cls = 'key') => {
      return button({ class: cls }, f, words);
    };
    const note = (/** @type {string} */ words, cls = 'note') => h('p', { class: cls }, words);
    if (state === 'asking') return [note(t('air.asking'))];
    if (state === 'failed') return [note(error, 'note bad')];
    if (state === 'none') return [note(t('air.notOffered'))];
    const bodies = note(t(this.air.objects ? 'air.bodies' : 'air.noBodies'));
    if (state === 'off') return [note(t('air.what')), bodies, h('div', { class: 'btnrow' },
      key(t('air.begin'), () => does('broadcastBegin', [{}]), 'key main'))];
    if (state === 'other') return [note(t('air.other')), note(t('air.what')), bodies,
      h('div', { class: 'btnrow' }, key(t('air.take'), () => does('broadcastBegin', [{ take: true }])))];
    const { link } = this;
    const field = /** @type {HTMLInputElement} */ (h('input', { class: 'linkfield', type: 'text', readonly: '', value: link, 'aria-label': t('air.link') }));
    field.addEventListener('focus', () => field.select());
    return [facts.lamp, facts.sent, facts.late,
      h('div', { class: 'airqr' }, qrPicture(link, t('air.qr')), h('div', {}, field,
        h('div', { class: 'btnrow' }, key(t('air.copy'), () => this.copy(field)), key(t('air.large'), () => this.enlarge(link))),
        h('div', { class: 'btnrow' }, key(t('air.end'), () => does('broadcastEnd', []))))),
      ...(local(link) ? [note(t('air.local'))] : []), bodies];
  }

  /** @param {HTMLInputElement} field @private */
  async copy(field) {
    const { t } = this.ctx;
    if (await copy(field.value)) return this.ctx.say(t('air.copied'));
    field.focus();
    field.select();
    this.ctx.say(t('air.uncopied'), true);
  }

  /** Shows a link large enough for a room to read. @param {string} [link] */
  enlarge(link = this.link) {
    if (!link) return;
    const { t } = this.ctx;
    const n = h('p', { class: 'n' });
    const esc = h('button', { class: 'key', type: 'button', 'aria-label': `esc ${t('close')}` }, 'esc');
    const paint = () => put(n,
      this.isOn ? `${t(this.air.phase === 'lost' ? 'air.lost' : 'air.on')} · ${t('air.followers', { n: exact(this.air.followers) })}` : '');
    paint();
    const root = openDialog(this.app, { class: 'ov qrlarge', 'aria-label': t('air.qr') }, [qrPicture(link, t('air.qr')),
      h('div', { class: 'say' }, h('b', {}, t('air.scan')), h('p', { class: 'u' }, link), n, esc)], true);
    esc.addEventListener('click', () => root.close());
    this.large = { root, paint };
  }
}
