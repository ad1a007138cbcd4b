// @ts-check
// The honest line at the right of the caption: how many tokens were merged for the eye, while any are; of a paused view, its event.
import { h, put, reveal, s } from './dom.js';
import { exact, middle } from './format.js';

/** How long it stays after the last of them, in ms. */
const stays = 2000;

export class Merged {
  /** @param {import('./page-types.js').Ctx} ctx */
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
    const { t, motion, model: { view } } = this.ctx;
    const { event } = view;
    this.root.classList.toggle('event', !!event);
    if (event) {
      this.until = 0;
      reveal(this.root, true);
      put(this.words, t('stepped', { n: exact(view.seq), kind: event.kind, key: middle(event.key, 28) }));
      return;
    }
    const { merged, all } = motion.tally();
    if (merged > 0) this.until = clock + stays;
    reveal(this.root, clock < this.until && (merged > 0 || !this.root.hidden));
    if (merged > 0) put(this.words, t('merged', { a: exact(merged), b: exact(all) }));
  }
}
