// @ts-check
// Two releases side by side: one wire that forks, two informers under each other, and what their handlers received compared with what was sent.
import { Columns, nothing, changeOf, unframed } from '../draw/comparison.js';
import { attr, h, place, put, s, show, text } from '../kit/dom.js';
import { laneWords } from '../kit/fork.js';
import { Parting } from './parting.js';
import { Burst } from './eraburst.js';
import { exact, seconds } from '../kit/format.js';
import { fit } from '../kit/measure.js';
import { language } from '../kit/i18n.js';
import { Host } from '../stage/host.js';
import { arrange, holdsAt, shapeFor, stage } from '../layouts/lanes.js';
import { source as sourceBar } from '../draw/rail.js';
import { Motion } from '../stage/motion.js';
import { areEqual } from '../kit/same.js';
import { stations } from '../stations/index.js';
import { transformWords } from '../stations/transformmenu.js';
import { plain, trouble } from '../kit/trouble.js';
import { pin } from '../stage/pin.js';

/** @typedef {import('../wire/types.js').State} State */
/** @typedef {import('../layouts/lanes.js').Shape} Shape */

/** Stages that can be held, from left to right. @type {import('../wire/page-types.js').Stage[]} */
const stages = ['store', 'pop', 'deliver'];

export class Lanes {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    /** Whether there are two lanes. */
    this.isOn = false;
    this.maker = new Burst(ctx);
    this.root = h('section', { class: 'lanesv', hidden: '', 'aria-label': '1.31, 1.37' });
    this.svg = s('svg', { class: 'stage' });
    const over = h('div', { class: 'layer' });
    this.root.append(this.svg, over);
    this.motion = new Motion(ctx, over);
    this.host = new Host(ctx, this.svg, this.motion, stations);
    // No step speaks of one station here: all are as strong.
    this.motion.strength = () => 1;
    this.pins = [0, 1].flatMap((lane) => stages.map((name) => ({ lane, stage: name, ...pin(ctx, name, () => this.heldListener(name)) })));
    this.root.append(...this.pins.map((p) => p.el));
    this.releases = stage.rails.map((y) => {
      const b = h('button', { class: 'sbtn fill', type: 'button', hidden: '' });
      place(b, 578, y + 9, 72, 24);
      b.addEventListener('click', () => this.ctx.act('release', 'pop', 0));
      this.root.append(b);
      return b;
    });
    this.burstButton = h('button', { class: 'sbtn line', type: 'button' });
    place(this.burstButton, 26, 506, 80, 24);
    this.burstButton.addEventListener('click', () => (this.ctx.model.hold('pop') ? this.ctx.act('release', 'pop', 0) : this.burst()));
    this.root.append(this.burstButton);
    this.parting = new Parting(ctx);
    this.root.append(this.parting.root);
    this.shape = stage;
    this.presenting = false;
    /** How large a unit is, in units of the stage. */
    this.unit = 1;
    /** What is laid out. @type {unknown[]} */
    this.layoutKey = [];
    this.drawn = this.lay();
    app.append(this.root);
  }

  /** The listener that a stage's hold belongs to; undefined for other stages. @param {string} name @private */
  heldListener(name) {
    return name === 'deliver' ? this.comparedListener()?.id : undefined;
  }

  /** Lays the view out: the stations by the host, and the columns of the comparison over them. @private */
  lay() {
    const { svg, shape } = this;
    const { listener } = this;
    const fork = !!this.ctx.model.fork;
    this.layoutKey = [shape, listener, this.unit, fork];
    this.host.lay(arrange(shape, listener, fork), 1);
    const { api, reflector, indexer, listeners, rails, foot, titles, forks } = shape;
    const top = rails[0] + shape.drop + 8;
    // One surface each for what was sent and for what both handlers received, under all else.
    const frames = s('g', {},
      s('rect', { x: api.x, y: top, width: api.w, height: foot - top, rx: 4, class: 'pn' }),
      s('rect', { x: listeners.x, y: rails[0] - 46, width: listeners.w, height: foot - rails[0] + 46, rx: 4, class: 'pn' }));
    svg.prepend(frames);
    svg.append(fork ? sourceBar([shape.source, rails[1]], false) : s('circle', { cx: forks, cy: rails[0], r: 4, class: 'fork' }));
    for (const { words, x, y } of titles) if (!fork || x < listeners.x) text(svg, x, y, 'ti').set(words);
    const names = rails.map((y) => text(svg, reflector.x, y - 52, 't14'));
    place(this.parting.root, listeners.x * this.unit, titles[0].y * this.unit - 14, listeners.w * this.unit, (foot - titles[0].y) * this.unit + 14);
    const who = text(svg, listeners.x + listeners.w, titles[0].y, 'l', 'end');
    const keeps = text(svg, indexer.x + indexer.w, titles[0].y, 'l', 'end');
    const holds = holdsAt(shape);
    for (const p of this.pins) p.at(holds[/** @type {keyof typeof holds} */ (p.stage)] * this.unit, rails[p.lane] * this.unit);
    return { frames, names, who, keeps, columns: new Columns(this.ctx, svg, shape) };
  }

  /** What the lanes made of the same changes. */
  get compare() {
    return this.ctx.model.compare ?? nothing;
  }

  /** The listener whose handler stands at the end of both lanes: in a fork the first one. */
  get listener() {
    const { fork, state } = this.ctx.model;
    return fork ? state.listeners.find((l) => !l.removed)?.id ?? 0 : this.compare.listener;
  }

  /** @param {number} i @returns {State} */
  state(i) {
    return this.ctx.model.lane(i).state;
  }

  /** The listener whose handler is compared. */
  comparedListener() {
    return this.ctx.model.state.listeners.find((l) => l.id === this.listener);
  }

  /** The name of what moves, when it is one of the changes compared. @param {import('../wire/types.js').Move} m */
  label(m) {
    return (m.k && this.compare.changes.find((c) => c.key === m.k && c.rv === m.rv)?.label) || '';
  }

  /** Takes a frame in, whether the view shows or not. @param {import('../wire/types.js').Frame} frame */
  apply(frame) {
    this.isOn = this.ctx.model.lanes > 1;
    if (!this.isOn || frame.timeline?.reset) this.motion.clear();
    else this.host.move(frame, (m) => this.label(m));
  }

  /** The sentence for this moment, and an id by which sentences are compared. @returns {[string, string] | null} */
  caption() {
    if (!this.isOn) return null;
    const { t, model } = this.ctx;
    const { fork } = model;
    if (fork) {
      const { parting, stores } = fork;
      const n = stores.only[0] + stores.only[1] + stores.other;
      const words = { s: seconds(parting?.atMillis ?? 0), n: exact(n), lane: laneWords(this.ctx, fork.acts) };
      return ['fork', t(!parting ? 'cap.forkSame' : n ? 'cap.forkParted' : 'cap.forkAlike', words)];
    }
    const [st, second] = [this.state(0), this.state(1)];
    // The stage's own caption reports what stops both informers, and the first list.
    const elsewhere = trouble(this.ctx) || model.lost || model.isUnlisted();
    if (elsewhere || ['backoff', 'listing', 'watch-listing', 'stopped'].includes(st.reflector.phase)) return null;
    const r = second.reflector;
    if (r.phase === 'backoff') {
      const rest = seconds(Math.max(0, r.backoffMillis - (this.ctx.now() - r.backoffSince)));
      const why = plain(this.ctx, r.backoffCause || r.lastError) || t('none');
      return ['laneBackoff', t('cap.laneBackoff', { era: second.era, s: rest, why })];
    }
    const c = this.compare;
    const kinds = [st.queue.kind, second.queue.kind];
    if (c.held) {
      if (!c.total) return ['lanesHeld0', t('cap.lanesHeldNone')];
      const words = { n: exact(c.total), k: exact(c.keys) };
      if (c.cut) return ['lanesHeldCut', t('cap.lanesHeldCut', words)];
      if (kinds[0] === kinds[1]) return ['lanesHeldAlike', t(kinds[0] === 'DeltaFIFO' ? 'cap.lanesHeldKeys' : 'cap.lanesHeldLine', words)];
      return ['lanesHeld', t('cap.lanesHeld', words)];
    }
    const lane = c.lanes.findIndex((x) => x.overtaking);
    const over = c.lanes[lane]?.overtaking;
    if (over && kinds[0] !== kinds[1]) {
      const later = changeOf(c, over.later);
      return ['lanesOver', t('cap.lanesOver', { k: later.letter, a: later.label, b: changeOf(c, over.earlier).label })];
    }
    if (c.changes.length > 1 && c.lanes.every((x) => !x.givenLate)) return ['lanesSame', t('cap.lanesSame')];
    const [a, b] = [0, 1].map((i) => model.lane(i).facts.features.listsByWatch);
    const id = a === b ? (a ? 'cap.lanesBothWatch' : 'cap.lanesBothList') : a ? 'cap.lanesIdle2' : 'cap.lanesIdle';
    return ['lanesIdle', t(id, { a: st.era, b: second.era })];
  }

  /** Makes a burst of changes behind a held Pop. */
  burst() {
    return this.maker.make();
  }

  /** Fits the screen and what is shown. @param {boolean} [presenting] larger */
  resize(presenting = this.presenting) {
    const { scene } = this.ctx;
    const narrow = presenting && scene.narrow;
    this.presenting = presenting;
    this.shape = shapeFor(presenting, narrow, unframed(this.ctx) && !this.ctx.model.fork);
    const css = scene.unit(this.shape, narrow);
    this.unit = css / scene.scale;
    this.root.classList.toggle('p43', narrow);
    this.motion.resize(css * (devicePixelRatio || 1), css);
  }

  /** Brings the picture to what came. @param {number} clock */
  paint(clock) {
    const { t, model } = this.ctx;
    const { fork } = model;
    if (this.shape !== shapeFor(this.presenting, this.ctx.scene.narrow, unframed(this.ctx) && !fork)) this.resize();
    if (!areEqual([this.shape, this.listener, this.unit, !!fork], this.layoutKey)) this.drawn = this.lay();
    const { frames, names, who, keeps, columns } = this.drawn;
    show(frames, !unframed(this.ctx));
    names.forEach((name, i) => name.set(!fork ? '' : i ? laneWords(this.ctx, fork.acts) : t('fork.was')));
    this.parting.paint();
    const st = model.state;
    const name = this.comparedListener()?.name;
    who.set(this.shape.listeners.w > 200 && !fork ? t('lanes.listener', { name: name ?? '—' }) : '');
    const kept = this.state(0).indexer.transform ? transformWords(this.ctx) : '';
    keeps.set(fit(kept, this.shape.indexer.w - 76), kept); // beside the station's name
    this.host.paint(clock);
    columns.paint(this.compare, [st, this.state(1)], language());
    const pop = fork ? undefined : model.hold('pop');
    for (const button of this.releases) {
      button.hidden = !pop;
      put(button, t('lanes.release'));
      attr(button, 'title', t('lanes.releaseTitle'));
    }
    for (const p of this.pins) {
      const words = t('hold.' + p.stage, { name: name ?? '' });
      const { holds } = this.state(p.lane);
      p.paint(holds.some((x) => x.stage === p.stage && (x.listener ?? 0) === (this.heldListener(p.stage) ?? 0)), words);
      attr(p.el, 'title', words);
    }
    this.burstButton.hidden = !!fork || !this.ctx.model.changeable() || (!pop && !!this.ctx.storyTitle?.());
    put(this.burstButton, t(pop ? 'lanes.release' : 'lanes.burst'));
    attr(this.burstButton, 'class', pop ? 'sbtn fill' : 'sbtn line');
    attr(this.burstButton, 'title', t(pop ? 'lanes.releaseTitle' : 'lanes.burstTitle'));
  }
}
