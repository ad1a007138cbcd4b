// @ts-check
// The dialog over the page when its worker has ended or does not answer: why, what is lost, and what can be done.
import { button, h, s } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { openDialog } from '../kit/popup.js';

/**
 * @param {(key: string, args?: Record<string, string | number>) => string} t
 * @param {import('../wire/link.js').Crash} crash
 * @param {string} title
 * @param {HTMLElement[]} buttons
 */
function crashCard(t, crash, title, buttons) {
  const mark = s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('use', { href: '#i-x' }));
  const said = h('p');
  said.textContent = crash.end ? t(`crash.${crash.end}.x`) : crash.message;
  const card = h('div', { class: 'crash' }, h('h2', {}, mark, title), ...(crash.end ? [] : [h('p', { class: 's' }, t('crash.what'))]), said);
  if (crash.stack) {
    const stack = h('pre', { tabindex: 0 });
    stack.textContent = crash.stack;
    card.append(stack);
  }
  card.append(h('p', { class: 's' }, t('crash.do')), h('div', { class: 'row2' }, ...buttons));
  return card;
}

/** Lost shows the dialog for a worker that has stopped sending: it ended, or has not answered for a while. */
export class Lost {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {() => (() => void) | null} again starts the same scene again, where that is known
   */
  constructor(ctx, app, again) {
    this.ctx = ctx;
    this.app = app;
    this.again = again;
    /** @type {HTMLDialogElement | null} */
    this.box = null;
    this.ended = false;
    /** For how many seconds the worker has left a question unanswered. */
    this.mute = 0;
  }

  /** The caption while the worker does not answer; empty while it does. */
  get words() {
    if (this.ended) return this.ctx.t('cap.crash');
    return this.mute ? this.ctx.t('cap.mute', { n: this.mute }) : '';
  }

  /** @param {import('../wire/link.js').Crash} crash */
  end(crash) {
    this.recover();
    const { ctx: { model, t }, again } = this;
    this.ended = true;
    model.lost = 'ended';
    model.view.mode = 'paused'; // stop the clock, so nothing looks live
    const reload = button({ class: 'key' }, () => location.reload(), t('crash.reload'));
    const back = again();
    const buttons = [reload];
    if (back) buttons.push(button({ class: 'key' }, back, t('crash.again', { n: exact(model.view.seq) })));
    if (model.any) buttons.push(button({ class: 'key' }, () => this.box?.close(), t('crash.look')));
    const title = t(crash.end === 'lost' ? 'crash.lost' : 'crash.title');
    this.box = openDialog(this.app, { class: 'ov', role: 'alertdialog', 'aria-label': title }, [crashCard(t, crash, title, buttons)]);
    if (!model.any) this.box.addEventListener('cancel', (e) => e.preventDefault()); // there is nothing to look at
    reload.focus();
    this.ctx.repaint();
  }

  /** The worker has been silent for so many seconds; 0 when it answers. @param {number} seconds @param {boolean} dead it will not come back */
  reportSilence(seconds, dead) {
    const { model } = this.ctx;
    this.mute = seconds;
    if (model.lost !== 'ended') model.lost = seconds ? 'mute' : '';
    if (!seconds && !dead) this.recover();
    this.ctx.repaint();
  }

  /** Takes back that the worker was given up. @private */
  recover() {
    if (!this.ended) return;
    this.box?.close();
    this.ended = false;
    this.ctx.model.lost = '';
  }
}
