// @ts-check
// What the page does when a part of it throws: the part is left out, the others go on, and the page says so once, with ways to go on.
import { button, h } from '../kit/dom.js';

export class Failures {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} app */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.app = app;
    /** The parts that threw. @type {Set<string>} */
    this.parts = new Set();
    /** What was said already. @type {Set<string>} */
    this.said = new Set();
    /** @type {HTMLElement | null} */
    this.box = null;
  }

  /** Reports what nothing else catches on the page. */
  listen() {
    // A notice without an error is the browser's own, such as that a size is measured late.
    addEventListener('error', (e) => e.error && this.report(e.error));
    addEventListener('unhandledrejection', (e) => this.report(e.reason));
  }

  /**
   * Does something for a part of the page, unless the part has failed. Returns whether it was done.
   * @param {string} part @param {() => void} act
   */
  attempt(part, act) {
    if (this.parts.has(part)) return false;
    try {
      act();
      return true;
    } catch (error) {
      this.parts.add(part);
      console.error(part, error);
      this.report(error);
      return false;
    }
  }

  /** Says that something failed, the first time. @param {unknown} error */
  report(error) {
    const words = error instanceof Error ? error.message : String(error);
    if (this.said.has(words)) return;
    this.said.add(words);
    const { t } = this.ctx;
    this.box?.remove();
    this.box = h('div', { class: 'toast bad failure', role: 'alert' }, h('p', {}, t('fail.part', { w: words.slice(0, 300) })), h('p', {}, t('fail.go')),
      h('div', { class: 'row2' }, button({ class: 'key' }, () => this.retry(), t('fail.again')),
        button({ class: 'key' }, () => location.reload(), t('crash.reload')), button({ class: 'key' }, () => this.box?.remove(), t('close'))));
    this.app.append(this.box);
  }

  /** Paints again what failed. */
  retry() {
    this.box?.remove();
    this.parts.clear();
    this.said.clear();
    this.ctx.repaint();
  }
}
