// @ts-check
// Before there is anything to show: how far the loading is, and the stations, each with what it will do.
import { attr, h, put, reveal } from '../kit/dom.js';
import { bytes, exact } from '../kit/format.js';
import { t } from '../kit/i18n.js';
import { stationNames } from '../kit/names.js';

const stages = ['download', 'compile', 'start', 'first'];
/** Which part of the bar is full when a stage begins. */
const begins = [0, 0.7, 0.8, 0.85];

export class Loading {
  /** @param {HTMLElement} app */
  constructor(app) {
    this.bar = h('i');
    this.track = h('div', { class: 'track', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 }, this.bar);
    this.words = h('p');
    /** @type {[HTMLElement, string][]} */
    this.rows = Object.keys(stationNames).map((id) => [h('dd'), id]);
    this.root = h('section', { class: 'loading' }, this.track, this.words,
      h('dl', {}, ...this.rows.flatMap(([words, id]) => [h('dt', {}, stationNames[id]), words])));
    app.append(this.root);
    this.stage = 0;
    this.loaded = 0;
    this.total = 0;
    this.paint();
  }

  /** @param {{stage: string, loaded: number, total: number}} p */
  progress({ stage, loaded = 0, total = 0 }) {
    this.root.classList.remove('failed');
    this.stage = Math.max(0, stages.indexOf(stage));
    this.loaded = loaded;
    this.total = total;
    this.paint();
  }

  /** What was to be begun could not be. */
  fail() {
    this.root.classList.add('failed');
  }

  /** There is a log to show. */
  end() {
    reveal(this.root, false);
  }

  paint() {
    const { stage, loaded, total } = this;
    const share = begins[stage] + ((begins[stage + 1] ?? 1) - begins[stage]) * (total ? Math.min(1, loaded / total) : 0);
    this.bar.style.width = `${(100 * share).toFixed(1)}%`;
    // A large simulated cluster is made object by object.
    const count = stage === 0 && loaded ? (total ? t('load.of', { a: bytes(loaded), b: bytes(total) }) : bytes(loaded))
      : stage === 3 && total ? t('load.of', { a: exact(loaded), b: exact(total) }) : '';
    const words = t(`load.${stages[stage]}`);
    put(this.words, count ? `${words} · ${count}` : words);
    attr(this.track, 'aria-label', words);
    attr(this.track, 'aria-valuenow', Math.round(100 * share));
    attr(this.track, 'aria-valuetext', this.words.textContent ?? '');
    for (const [el, id] of this.rows) put(el, t(`load.${id}`));
  }
}
