// @ts-check
// The honest line at the right of the caption. It says how many tokens were merged for the eye, or how long in truth took what is shown slowly. Of a
// paused view it names the event.
import { h, put, reveal, s } from '../kit/dom.js';
import { exact, middle, span } from '../kit/format.js';

/** How long it stays after the last of them, in ms. */
const stays = 2000;
/** A change that took longer than this, in µs, was on its way as long as its chip, or was held. */
const slowest = 1e5;

export class Merged {
  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    this.words = h('span');
    const stack = s('svg', { class: 'mgi', viewBox: '0 0 22 22', 'aria-hidden': 'true' },
      s('rect', { x: 7, y: 1, width: 14, height: 14, rx: 3 }), s('rect', { x: 4, y: 4, width: 14, height: 14, rx: 3 }),
      s('rect', { class: 'f', x: 1, y: 7, width: 14, height: 14, rx: 3 }));
    this.root = h('span', { class: 'no', hidden: '' }, stack, this.words);
    this.until = 0;
  }

  /** @param {number} clock */
  paint(clock) {
    const { t, motion, eye, model: { view, facts } } = this.ctx;
    const { merged, all } = motion.tally();
    const passed = eye.waits && eye.busy && !merged && clock >= this.until ? facts.wireMicros : null;
    const plain = view.event
      ? t('stepped', { n: exact(view.seq), kind: view.event.kind, key: middle(view.event.key, 28) })
      : passed && passed < slowest ? t('slowed', { s: span(passed / 1000) }) : '';
    this.root.classList.toggle('plain', !!plain);
    if (plain) {
      reveal(this.root, true);
      put(this.words, plain);
      return;
    }
    if (merged > 0) this.until = clock + stays;
    reveal(this.root, clock < this.until);
    if (merged > 0) put(this.words, t('merged', { a: exact(merged), b: exact(all) }));
  }
}
