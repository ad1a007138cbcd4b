// @ts-check
// Before there is anything to show, the rail is the loading bar: solid is done, dotted is to come. Each station says what
// it will do.
import { attr, s, show, text } from '../kit/dom.js';
import { bytes, exact } from '../kit/format.js';
import { width, wrap } from '../kit/measure.js';
import { t } from '../kit/i18n.js';
import { stationNames } from '../kit/names.js';
import { columns, RAIL } from '../layouts/stage.js';

const stops = [28, 640, 945, 1250];
const stages = ['download', 'compile', 'start', 'first'];

export class Loading {
  /** @param {import('./scene.js').Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.g = s('g');
    scene.svg.append(this.g);
    this.todo = s('path', { d: `M28 ${RAIL}H1250`, class: 'rail todo' });
    this.done = s('path', { d: '', class: 'load', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 });
    this.dot = s('circle', { cx: 28, cy: RAIL, r: 7, class: 'loadd' });
    this.g.append(this.todo, this.done, s('path', { d: 'M26 145V159', class: 'srcbar' }));
    this.nodes = [1, 2, 3].map((i) => {
      const c = s('circle', { cx: stops[i], cy: RAIL, r: 5, class: 'node' });
      this.g.append(c);
      return c;
    });
    this.cut = s('g', {}, s('path', { d: 'M1188 140V164M1220 140V164', class: 'cute' }),
      s('use', { href: '#i-x', x: 1196, y: 144, width: 16, height: 16, class: 'ic ce' }));
    this.g.append(this.dot, this.cut);
    show(this.cut, false);
    this.num = text(this.g, 28, 132, 'num2', 'middle');
    this.names = stages.map((_, i) => text(this.g, [30, 640, 945, 1250][i], 180, 'l', i === 0 ? 'start' : i === 3 ? 'end' : 'middle'));
    /** @type {{lines: import('../kit/dom.js').Txt[], name: string, w: number}[]} */
    this.say = [];
    for (const [name, c] of Object.entries(columns)) {
      text(this.g, c.x, 68, 'ti').set(stationNames[name]);
      text(this.g, c.x, 96, 'num2 t3').set('—');
      this.g.append(s('rect', { x: c.x, y: 196, width: c.w, height: 336, rx: 4, class: 'pn ghost' }));
      this.say.push({ name, w: c.w - 24, lines: [0, 1, 2, 3, 4, 5].map((i) => text(this.g, c.x + 12, 226 + 20 * i, 'c14')) });
    }
    this.stage = 0;
    this.share = 0;
    this.loaded = 0;
    this.total = 0;
    this.toggle(true);
    this.paint();
  }

  /** @param {{stage: string, loaded: number, total: number}} p */
  progress(p) {
    show(this.cut, false);
    show(this.dot, true);
    const i = Math.max(0, stages.indexOf(p.stage));
    this.stage = i;
    this.loaded = p.loaded ?? 0;
    this.total = p.total ?? 0;
    this.share = this.total ? Math.min(1, this.loaded / this.total) : 0;
    this.paint();
  }

  /** What was to be begun could not be: the bar ends in a cut. */
  fail() {
    show(this.cut, true);
    attr(this.done, 'd', `M28 ${RAIL}H1188`);
    show(this.dot, false);
  }

  /** @param {boolean} on */
  toggle(on) {
    show(this.scene.root, !on);
    show(this.scene.high, !on);
    this.scene.over.hidden = on;
    show(this.g, on);
  }

  paint() {
    const from = stops[Math.min(2, this.stage)];
    const to = stops[Math.min(3, this.stage + 1)];
    const x = this.stage >= 3 ? stops[3] - 60 * (1 - this.share) : from + (to - from) * this.share;
    attr(this.done, 'd', `M28 ${RAIL}H${x.toFixed(1)}`);
    const stage = t('load.' + stages[this.stage]);
    attr(this.done, 'aria-label', stage);
    attr(this.done, 'aria-valuenow', Math.round(((x - stops[0]) / (stops[3] - stops[0])) * 100));
    attr(this.dot, 'cx', x.toFixed(1));
    const words = this.stage === 0 && this.loaded ? (this.total ? t('load.of', { a: bytes(this.loaded), b: bytes(this.total) }) : bytes(this.loaded)) : '';
    attr(this.done, 'aria-valuetext', words ? `${stage}, ${words}` : stage);
    this.num.moveTo(Math.max(16 + width(words, '20px') / 2, Math.min(1190, x)), 132).set(words);
    // A large simulated cluster is made object by object.
    const made = this.stage === 3 && this.total ? ` · ${exact(this.loaded)} / ${exact(this.total)}` : '';
    this.names.forEach((n, i) => n.cls(i === this.stage ? 'l t1' : 'l').set(t('load.' + stages[i]) + (i === 3 ? made : '')));
    for (const o of this.say) {
      const lines = wrap(t('load.' + o.name), o.w, 6, '14px');
      o.lines.forEach((l, i) => l.set(lines[i] ?? ''));
    }
  }
}
