// @ts-check
// A ride: one change of an object on its way through the informer, hop by hop. The worker lists the hops, with the function and the duration
// of each. This file moves the view from one hop to the next, lights the hop's station, and draws a ruler of the real time below.
import { attr, button, h, icon, s } from '../kit/dom.js';
import { exact, middle, span } from '../kit/format.js';
import { chipIcon, kindOf } from '../kit/glyphs.js';
import { areEqual } from '../kit/same.js';
import '../kit/words-ride.js';
import { nameOf, stationNames, stationOf } from '../kit/names.js';

const stages = Object.keys(stationNames);
/** How long a hop stays while the ride plays, in ms. */
const stay = 1800;
/** The margin at both ends of the ruler, and the width of a letter of a function's name, in percent of the ruler. */
const margin = 1;
const letter = 0.59;
/** The least distance between two hops, where a tenfold time is 1. */
const least = 3;
/** The number of rows for the names of functions. */
const rows = 3;
/** The icons of the button that plays the ride or pauses it. */
const signs = { play: 'M1.5 3v10l6-5zM8.5 3v10l6-5z', pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z' };

/** @typedef {import('../wire/types.js').Ride} Ridden */

/** A time in microseconds: exact while it is short enough to read. @param {number} n */
function micros(n) {
  return n < 1 ? '<1 µs' : n < 10_000 ? `${exact(n)} µs` : span(n / 1000);
}

export class Ride {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {{
   *   words: (hop: import('../wire/types.js').Hop) => string, opened: (key: string) => void, closed: () => void, leaves: () => boolean,
   *   shows: (millis: number) => void
   * }} o `words` is a sentence for a hop. `opened` makes room for a ride, `closed` frees it. `leaves` is whether a step beyond the first or last
   *   hop leaves the ride. `shows` gets how long the change has been on its way at the hop that is gone to
   */
  constructor(ctx, app, o) {
    this.ctx = ctx;
    this.app = app;
    this.o = o;
    /** The ride; null for none. @type {Ridden | null} */
    this.ride = null;
    this.i = 0;
    this.epoch = 0;
    /** Where the view was. @type {{live: boolean, seq: number}} */
    this.before = { live: true, seq: 0 };
    this.timer = 0;
    /** The moves of the view, one after the other. @type {Promise<unknown>} */
    this.moving = Promise.resolve();
    /** @type {unknown[]} */
    this.drawnOf = [];
    this.icon = h('span', { class: 'ic' });
    this.name = h('b', { class: 'station' });
    this.where = h('span', { class: 'where' });
    this.code = h('code');
    this.hopWords = h('span', { class: 'said', 'aria-live': 'polite' });
    this.long = h('span', { class: 'long' });
    const key = { class: 'key' };
    this.back = button(key, () => this.step(-1), icon('M12 3v10L4 8z'));
    /** The icon of the button that plays or pauses. */
    this.sign = s('path', { d: signs.play });
    this.run = button(key, () => this.auto(!this.timer), icon(this.sign));
    this.next = button(key, () => this.step(1), icon('M4 3v10l8-5z'));
    this.x = button(key, () => this.close(), 'esc');
    this.note = h('span', { class: 'note' });
    this.head = h('div', { class: 'head' }, this.name, this.code, this.icon, this.where, this.back, this.next, this.run, this.x);
    this.tells = h('div', { class: 'tells' }, this.hopWords, this.long, this.note);
    this.ruler = h('ol', { class: 'ruler' });
    this.root = h('section', { class: 'ride', hidden: 'hidden', tabindex: -1 }, this.head, this.tells, this.ruler);
    app.append(this.root);
    // In the capture phase, before other listeners: during a ride the arrows go from hop to hop.
    document.addEventListener('keydown', (e) => this.key(e), true);
  }

  get isOn() {
    return !this.root.hidden;
  }

  /** The station of the present hop; empty without a ride. */
  get station() {
    return stationOf(this.position?.hop.stage ?? '');
  }

  /** The change that is ridden: the present hop, and the furthest until then; null without a ride. */
  get position() {
    if (!this.ride || !this.isOn) return null;
    const { hops, key, lane, listener } = this.ride;
    // A function that returns later does not bring the change back.
    const rank = (/** @type {Ridden['hops'][0]} */ h) => stages.indexOf(stationOf(h.stage));
    const furthest = hops.slice(0, this.i + 1).reduce((a, b) => (rank(b) >= rank(a) ? b : a));
    return { hop: hops[this.i], furthest, key, lane, listener, op: this.opAt(this.i), rv: hops.find((h) => h.rv)?.rv };
  }

  /** The delta type of the change at a hop: a hop without one has that of the hop before. @param {number} i @private */
  opAt(i) {
    const { hops } = /** @type {Ridden} */ (this.ride);
    return [...hops.slice(0, i + 1)].reverse().find((h) => h.op)?.op ?? hops.find((h) => h.op)?.op ?? '';
  }

  /**
   * Rides the newest change of an object that a handler has returned from.
   * @param {string} key
   * @param {number} [lane]
   * @param {{auto: boolean, wanted: () => boolean}} [o] whether it goes on by itself, and whether it is still wanted when the worker has answered
   */
  async open(key, lane, o = { auto: true, wanted: () => true }) {
    const { ctx } = this;
    const { view } = ctx.model;
    const before = { live: view.mode === 'live', seq: view.seq };
    const ride = await ctx.call('ride', key, lane);
    if (!o.wanted()) return;
    if (!this.isOn) this.before = before;
    this.ride = ride;
    this.epoch = ctx.model.epoch;
    this.root.hidden = false;
    this.o.opened(key);
    this.drawnOf = [];
    this.i = -1;
    const there = this.go(0);
    this.root.focus({ preventScroll: true });
    await there;
    if (o.auto && this.ride === ride && this.i === 0) this.auto(true);
  }

  /** Leaves the ride: the view goes back to where it was. @param {boolean} [back] false where it is moved by what ends the ride */
  close(back = true) {
    if (!this.isOn) return false;
    this.root.hidden = true;
    this.ride = null;
    this.auto(false);
    this.ctx.repaint();
    if (back && this.ctx.model.epoch === this.epoch) this.move(() => (this.before.live ? this.ctx.act('live') : this.ctx.act('seek', this.before.seq)));
    this.o.closed();
    this.ctx.repaint();
    return true;
  }

  /** Whether the hop that shows is the last one. */
  get atEnd() {
    return !!this.ride && this.i === this.ride.hops.length - 1;
  }

  /** Goes to a hop. @param {number} i */
  go(i) {
    const ride = this.ride;
    if (!ride || i < 0 || i >= ride.hops.length || i === this.i) return this.moving;
    const forward = i === this.i + 1 && i > 0;
    this.i = i;
    this.ctx.repaint();
    this.o.shows(ride.hops.slice(1, i + 1).reduce((sum, hop) => sum + hop.sinceMicros, 0) / 1000);
    const { seq } = ride.hops[i];
    this.paint();
    // A step plays the events in between, so that the object is seen to move; a jump shows only where it is.
    return this.move(() => (forward ? this.ctx.act('step', Math.max(1, seq - ride.hops[i - 1].seq)) : this.ctx.act('seek', seq)));
  }

  /** @param {() => Promise<unknown> | unknown} act @private */
  move(act) {
    this.moving = this.moving.then(act);
    return this.moving;
  }

  /** By hand, forwards or back. @param {number} n */
  step(n) {
    this.auto(false);
    if (this.o.leaves() && (n > 0 ? this.atEnd : this.i === 0)) this.close();
    else this.go(this.i + n);
  }

  /** Plays the ride, or pauses it. @param {boolean} on */
  auto(on) {
    clearInterval(this.timer);
    this.timer = 0;
    if (on && this.ride && !this.atEnd) {
      this.timer = window.setInterval(() => {
        if (!this.atEnd) this.go(this.i + 1);
        else if (this.o.leaves()) this.close();
        else this.auto(false);
      }, stay);
    }
    this.paint();
  }

  /** @param {KeyboardEvent} e @private */
  key(e) {
    if (!this.isOn || e.ctrlKey || e.metaKey || e.altKey || /** @type {HTMLElement} */ (e.target).matches?.('input, textarea, select')) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), PageDown: () => this.step(1), PageUp: () => this.step(-1),
      Home: () => (this.auto(false), this.go(0)), End: () => (this.auto(false), this.go((this.ride?.hops.length ?? 1) - 1)),
      ' ': () => this.auto(!this.timer), Escape: () => this.close(),
    };
    const act = keys[e.key];
    if (!act || (e.key === ' ' && /** @type {HTMLElement} */ (e.target).matches?.('button'))) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    act();
  }

  paint() {
    const { ctx, ride } = this;
    if (!ride || !this.isOn) return;
    if (ctx.model.epoch !== this.epoch) {
      this.close();
      return;
    }
    const { t } = ctx;
    const leaves = this.o.leaves();
    const drawn = [ride, this.i, this.timer > 0, t('ride.next'), ctx.model.state.source.kind, leaves];
    if (areEqual(drawn, this.drawnOf)) return;
    const isOther = this.drawnOf[0] !== ride || this.drawnOf[3] !== drawn[3];
    this.drawnOf = drawn;
    const hop = ride.hops[this.i];
    this.root.setAttribute('aria-label', t('ride.label'));
    this.icon.replaceChildren(chipIcon(kindOf(this.opAt(this.i))), middle(ride.key, 40));
    this.icon.title = ride.key;
    this.where.textContent = t('ride.hop', { i: exact(this.i + 1), n: exact(ride.hops.length) });
    this.name.textContent = nameOf(hop.stage);
    this.code.textContent = hop.function;
    this.hopWords.textContent = this.o.words(hop);
    this.long.textContent = t(ride.whole ? 'ride.whole' : 'ride.partly', { s: micros(ride.micros) });
    for (const [b, words] of /** @type {[HTMLElement, string][]} */ ([[this.back, t(leaves && this.i === 0 ? 'ride.leave' : 'ride.back')],
      [this.next, t(leaves && this.atEnd ? 'ride.leave' : 'ride.next')],
      [this.run, t(this.timer ? 'ride.pause' : 'ride.play')], [this.x, t('ride.leave')]])) {
      b.setAttribute('aria-label', words);
      b.title = words;
    }
    attr(this.sign, 'd', this.timer ? signs.pause : signs.play);
    this.next.classList.toggle('asked', leaves); // it lies over the story's own
    this.back.toggleAttribute('disabled', !leaves && this.i === 0);
    this.next.toggleAttribute('disabled', !leaves && this.atEnd);
    this.run.toggleAttribute('disabled', !this.timer && this.atEnd);
    if (isOther) this.lay(ride);
    [...this.ruler.children].forEach((el, i) => {
      el.classList.toggle('now', i === this.i);
      el.classList.toggle('past', i < this.i);
      el.querySelector('button')?.setAttribute('aria-current', i === this.i ? 'step' : 'false');
    });
    this.note.textContent = t('ride.scale') + (ctx.model.state.source.kind === 'probe' ? ` · ${t('ride.unseen')}` : '');
  }

  /** Lays the ruler out: a place for each hop, and between two the time that passed. @param {Ridden} ride @private */
  lay(ride) {
    const wide = ride.hops.map((x, i) => (i ? least + Math.log10(1 + x.sinceMicros) : 0));
    const all = wide.reduce((a, b) => a + b, 0) || 1;
    const size = 100 - 2 * margin;
    /** Where each row is free again, in per cent. */
    const free = Array(rows).fill(-1);
    let so = 0;
    this.ruler.replaceChildren(...ride.hops.map((x, i) => {
      const from = margin + (so / all) * size;
      so += wide[i];
      const at = margin + (so / all) * size;
      const name = x.function.length * letter;
      // A name that would go beyond the ruler ends at its hop.
      const begins = at + name > 100 ? at - name : at;
      const fits = free.findIndex((end) => end < begins);
      const row = fits < 0 ? free.indexOf(Math.min(...free)) : fits;
      if (fits >= 0) free[row] = begins + name + 1;
      // A name without room shows only while the ride is at its hop.
      const place = button({ class: `fn${at + name > 100 ? ' before' : ''}${fits < 0 ? ' tight' : ''}` }, () => {
        this.auto(false);
        this.go(i);
      }, x.function);
      const li = h('li', {}, h('i', { class: 'tick' }), place);
      li.style.left = `${at}%`;
      li.style.setProperty('--row', String(row));
      if (i) {
        const gap = h('span', { class: 'gap' }, `+${micros(x.sinceMicros)}`);
        gap.style.setProperty('--wide', String(at - from));
        li.append(gap);
      }
      return li;
    }));
  }
}
