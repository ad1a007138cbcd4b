// @ts-check
// The token of the server's launch: the page's address has it, and a user may enter another one.
import * as fragment from '../wire/fragment.js';
import { NewLink } from './newlink.js';
import { trouble } from '../kit/trouble.js';

export class Token {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.value = fragment.read().get('token') ?? '';
    /** Asks for the link of the server's present launch. */
    this.dialog = new NewLink(ctx, app, { token: () => this.value, use: (next) => this.use(next) });
    /** For which log the dialog was opened by itself; once is enough. */
    this.offered = -1;
  }

  /** Gives the worker another token. Returns why the server refuses that one too, or "". @param {string} next @private */
  async use(next) {
    const { live } = await this.ctx.call('token', next);
    if (live?.cause === 'token') return 'token';
    this.value = next;
    fragment.setToken(next);
    this.ctx.repaint();
    return live?.error ?? '';
  }

  /**
   * The address was changed. Returns whether the page must be reloaded, because its worker has ended.
   * @param {string} before @param {boolean} alive
   */
  follow(before, alive) {
    // A link that was given away is without the token that the page has.
    if (this.value && !fragment.read().has('token')) history.replaceState(null, '', `${location.hash}&token=${this.value}`);
    const next = fragment.read().get('token') ?? '';
    if (next === this.value) return false;
    if (!alive) return true;
    // The link of another launch replaces the last one: the page keeps its scene, or takes that of the link if it has one.
    this.value = next;
    fragment.setToken(next, new URL(before).hash);
    this.ctx.call('token', next).catch((err) => this.ctx.say(err.message, true));
    return false;
  }

  /**
   * Opens the dialog when the server is of another launch, and shuts it when it is not any more.
   * @param {boolean} busy something else has the whole screen
   */
  offer(busy) {
    const { model } = this.ctx;
    const live = model.view.mode === 'live';
    if (model.state.source.kind !== 'live' || !live || trouble(this.ctx)?.cause !== 'token' || model.lost) {
      if (this.dialog.isOpen && live) this.dialog.close();
      return;
    }
    if (this.offered === model.epoch || busy) return;
    this.offered = model.epoch;
    this.dialog.open();
  }
}
