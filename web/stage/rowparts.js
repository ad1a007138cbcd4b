// @ts-check
// What is drawn and pressed of one row: its name, which opens it, its number at the rail, its menu, and what holds the stage behind it.
import { attr, button, h, icon, put, reveal, s } from '../kit/dom.js';
import { middle } from '../kit/format.js';
import { laneNames } from '../kit/fork.js';
import { stations } from '../rows/index.js';
import { shorten } from '../rows/parts.js';
import { openAdd, openHandler } from '../rows/handlermenu.js';
import { seat } from './geometry.js';
import { openSome, toggleHold } from './holds.js';
import { PresentRow } from './present.js';
import { railWidth, ringAt } from './rail.js';

/** @typedef {import('./rows.js').Band} Band */

/** From how many waiting on a row is amber. */
export const many = 2;
/** How much room the buttons need that let one through, n, or all. */
const freeing = 140;
/** The stage that can be held behind each station. @type {Record<string, import('../wire/page-types.js').Stage>} */
const stages = { reflector: 'store', queue: 'pop', handler: 'deliver', work: 'take' };

export class RowParts {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx @param {Band} band
   * @param {{list: HTMLElement, front: SVGElement, toggle: (id: string) => void, openInformer: (lane: number) => void}} stage where it goes, and
   *   what a press of its name does
   */
  constructor(ctx, band, { list, front, toggle, openInformer }) {
    this.ctx = ctx;
    const { id, station, listener, lane } = band;
    this.stage = stages[station];
    this.listener = station === 'handler' ? listener : undefined;
    const args = this.listener === undefined ? [] : [this.listener];
    this.name = button({ class: `row-name level${band.level} ${station}` }, () => (station === 'informer' ? openInformer(lane) : toggle(id)));
    this.said = h('span', { class: 'sr' });
    this.tip = h('span', { class: 'row-tip', role: 'tooltip', id: `row-tip-${id}` });
    attr(this.name, 'aria-describedby', this.tip.id);
    this.hold = button({ class: 'now-hold', 'data-call': `hold ${this.stage}` }, () => toggleHold(ctx, this.stage, this.listener),
      s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('circle', { cx: 12, cy: 12, r: 3, class: 'pip' }),
        s('g', { class: 'disc' }, s('circle', { cx: 12, cy: 12, r: 9 }), s('path', { d: 'M6.5 12h11' }))));
    const free = (/** @type {number} */ n, /** @type {string} */ cls) =>
      button({ class: `now-free ${cls}`, 'data-call': `release ${this.stage} ${n}` }, () => ctx.act('release', this.stage, n, ...args));
    this.one = free(1, 'fill');
    this.some = button({ class: 'now-free', 'aria-haspopup': 'dialog' }, (b) => openSome(ctx, b, this.stage, args));
    this.all = free(0, '');
    this.frees = h('div', { class: 'now-frees' }, this.one, this.some, this.all);
    this.menu = this.makeMenu(station);
    const menus = this.menu ? [this.menu] : [];
    this.item = h('div', { role: 'listitem', 'data-station': station }, this.name, this.tip, this.said, ...menus, this.hold, this.frees);
    list.append(this.item);
    this.now = new PresentRow(front);
    this.now.root.setAttribute('data-station', station);
    /** What stands at the rail, and of which moment. @type {import('../rows/parts.js').Present} */
    this.present = {};
    this.lane = { ...ctx.model.lane(0), now: 0 };
  }

  /** What can be done with a handler, or with all of them. @param {string} station @private */
  makeMenu(station) {
    const { ctx } = this;
    const attrs = { class: 'row-menu', 'aria-haspopup': 'dialog' };
    if (station === 'handler') return button(attrs, (b) => openHandler(ctx, b, this.listener ?? 0), icon('M4 6l4 4l4 -4'));
    return station === 'indexer' ? button(attrs, (b) => openAdd(ctx, b), icon('M8 3v10M3 8h10')) : null;
  }

  /** Says in place of the present that the row could not be painted. */
  fail() {
    this.now.fail(this.ctx.t('past.broken'));
  }

  remove() {
    this.item.remove();
    this.now.root.remove();
  }

  /** The name of an informer, short. @param {number} lane @param {string} era @private */
  whose(lane, era) {
    const { fork } = this.ctx.model;
    return fork ? middle(laneNames(this.ctx, fork)[lane], 18) : era;
  }

  /** Brings its words to a moment. @param {import('../rows/parts.js').About} about @param {boolean} isOpen */
  paint(about, isOpen) {
    const { row, t, ctx } = about;
    const station = stations[row.station];
    const own = station.name(row, about);
    const name = row.prefix ? `${this.whose(row.lane, about.lane.state.era)} · ${own}` : own;
    const shown = station.present(about);
    this.present = row.thin ? shorten(shown) : shown;
    this.lane = about.lane;
    put(this.name, name);
    attr(this.name, 'aria-expanded', String(isOpen));
    const what = row.station === 'queue' && about.lane.state.queue.kind === 'DeltaFIFO' ? 'delta' : row.station;
    put(this.tip, t(`row.what.${/** @type {'queue'} */ (what)}`));
    this.name.classList.toggle('lit', row.waiting >= many || !!about.lit);
    this.name.classList.toggle('dim', about.lit === false);
    put(this.said, `: ${station.say(about)}`);
    const held = this.stage && about.lane.state.holds.some((x) => x.stage === this.stage && (x.listener ?? 0) === (this.listener ?? 0));
    reveal(this.hold, !!this.stage && !ctx.follower && about.lane.state.fidelity.holds?.how !== 'unseen');
    reveal(this.frees, !!held && !ctx.follower);
    if (this.menu) {
      const does = this.listener === undefined ? t('row.add') : `${name}: ${t('inside.menu')}`;
      // Nothing is added to another program's informer.
      reveal(this.menu, !ctx.follower && (this.listener !== undefined || about.lane.state.fidelity.holds?.how !== 'unseen'));
      attr(this.menu, 'aria-label', does);
      attr(this.menu, 'title', does);
    }
    if (!this.stage) return;
    const words = t('hold.' + this.stage, { name });
    attr(this.hold, 'aria-pressed', String(!!held));
    attr(this.hold, 'aria-label', words);
    attr(this.hold, 'title', words);
    reveal(this.some, !about.phone && !about.two);
    put(this.some, t('hold.some'));
    put(this.all, t('row.all'));
    attr(this.one, 'aria-label', `${t('row.one')}: ${words}`);
    attr(this.some, 'aria-label', `${t('hold.someLong')}: ${words}`);
    attr(this.all, 'aria-label', `${t('row.all')}: ${words}`);
  }

  /**
   * Puts it where its row is now.
   * @param {Band} band @param {import('./geometry.js').Geometry} g @param {number} apart the rails of two informers, or 0 @param {number} k
   */
  place(band, g, apart, k) {
    const [x, y] = ringAt(band, g.x, apart);
    const indent = apart ? band.lane * 14 : Math.max(0, band.level - 1) * 18;
    const left = g.phone ? g.past.x : 16 + indent;
    const top = band.station === 'informer' ? y - 8 : g.phone ? band.y - 5 + (band.head ? 18 : 0) : y - 13;
    seat(this.name, { x: left, y: top, w: g.phone ? g.names : g.names - left - (this.menu && !g.presenting ? 20 : 0) }, k);
    seat(this.tip, { x: left, y: top + (g.phone ? 30 : 27) }, k);
    if (this.menu) seat(this.menu, { x: g.phone ? g.x - 36 : g.names - 20, y: top + 1 }, k);
    const words = apart ? g.x + railWidth(apart) : x + (band.level < 2 ? 18 : 22);
    this.now.paint(this.present, this.lane, { x: words, y, edge: g.edge, lane: apart ? band.lane : null });
    seat(this.hold, { x: x - 12, y: y + 4, w: 24, h: 24 }, k);
    put(this.one, this.ctx.t(g.phone || g.edge - words < freeing ? 'row.oneShort' : 'row.one'));
    seat(this.frees, { x: words, y: y + Math.max(12, this.now.below + 6) }, k);
  }
}
