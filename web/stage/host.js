// @ts-check
// A layout on the screen: the host draws the rail, gives each station its slot, brings all of them to the state, and has the ways of the
// moves. It is the same for every layout: the stage, presenter mode, two releases, the phone, one station alone.
import { drawQuiet } from '../draw/quiet.js';
import * as rails from '../draw/rail.js';
import { attr, h, s, show, text } from '../kit/dom.js';
import { width } from '../kit/measure.js';
import { stationOf } from '../kit/names.js';
import { writeWords } from '../stations/controller.js';
import { namePoints, router } from './ways.js';

/** @import { Arranged, Box, Drawn, Lane, Slot } from '../wire/page-types.js' */

/** What the Reflector of a lane does. @param {Lane} lane */
const phaseOf = ({ row, state }) => (row ?? state.reflector).phase;
/** The opacity of quiet stations. */
const faint = 0.4;

export class Host {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {SVGElement} root what it draws into
   * @param {import('./motion.js').Motion} motion
   * @param {Record<string, import('../wire/page-types.js').Station>} stations
   * @param {HTMLElement} [press] where the buttons of the stations go, if this layout has them
   */
  constructor(ctx, root, motion, stations, press = h('div')) {
    this.ctx = ctx;
    this.root = root;
    this.press = press;
    this.motion = motion;
    this.stations = stations;
    /** The stations that are not quiet, where a layout that stays does not say it. @type {string[] | null} */
    this.lit = null;
    /** @type {Arranged | null} */
    this.layout = null;
    /** What each station drew, where, and the lane it shows. @type {{id: string, lane: number, slot: Slot, drawn: Drawn}[]} */
    this.drawn = [];
    /** The named points of each lane. @type {Record<string, import('../wire/page-types.js').Point>[]} */
    this.points = [];
    /** What the rail and what stands around the stations follow: the first lane, or all. @type {((lane: Lane, lanes: Lane[]) => void)[]} */
    this.updates = [];
    /** What the rail is drawn into, where that is a layer of its own. */
    this.rails = s('g');
    /** What the rail of a station is drawn into. @type {(station: string) => SVGElement} */
    this.level = () => this.rails;
    /** The informer of a lane. @type {(i: number) => Omit<Lane, 'now'>} */
    this.lane = (i) => ctx.model.lane(i);
    motion.strength = (x, y) => this.strength(x, y);
  }

  /** Takes everything off. */
  clear() {
    this.root.replaceChildren();
    this.layout = null;
    this.drawn = [];
    this.updates = [];
    this.motion.words = null;
    this.motion.clear();
  }

  /**
   * Lays a layout out.
   * @param {Arranged} layout
   * @param {number} scale device pixels per unit that the stations draw their pictures for
   * @param {(box: Box, g: SVGElement) => SVGElement} [frame] draws what stands around a station, and says where its head goes
   */
  lay(layout, scale, frame = (_, g) => g) {
    const flying = this.motion.live.slice();
    this.clear();
    this.layout = layout;
    attr(/** @type {Element} */ (this.root.closest('svg')), 'viewBox', `0 0 ${layout.w} ${layout.h}`);
    const seat = layout.layered ? this.makeLayers() : this.makeLevels(layout);
    this.points = (layout.lanes ?? [{}]).map((own) => ({ ...layout.points, ...own }));
    for (const box of layout.slots) {
      const points = this.points[box.lane ?? 0];
      const layers = seat(box);
      const slot = { ...box, ...layers, head: layers.head ?? frame(box, layers.g) };
      const drawn = this.draw(slot, box.density);
      drawn.resize?.(scale);
      this.drawn.push({ id: box.id, lane: box.lane ?? 0, slot, drawn });
      Object.assign(points, namePoints(box.id, drawn.points));
      if (box.id === 'listeners' && !layout.upright) points['listeners.branch'] = branch(box, points);
    }
    if (layout.layered) this.layRail(layout);
    else this.drawMarks(layout);
    this.motion.lay(layout.motion, layout.canvases);
    if (flying.length && !layout.lanes) this.motion.resume(flying, router(layout.ways, this.points[0], this.lane(0).state));
  }

  /**
   * The layers of a layout whose stations lie on several: panels, above them the rail, above it what lies on the rail. What can be pressed
   * is in the order of the rail, which the keyboard follows.
   * @private
   */
  makeLayers() {
    const [below, above] = [s('g'), s('g')];
    this.root.append(below, this.rails, above);
    return (/** @type {Box} */ { id, x }) => {
      const layer = { g: s('g', { class: 'detail' }), head: s('g'), above: s('g'), press: h('div', { 'data-x': x - 3 }) };
      const panel = s('g', {}, layer.head, layer.g);
      for (const el of [panel, layer.above, layer.press]) el.dataset.station = id;
      below.append(panel);
      above.append(layer.above);
      this.press.append(layer.press);
      return layer;
    };
  }

  /**
   * The one layer of a layout that stands above its rail, in two levels: what belongs to a quiet station is quiet.
   * @param {Arranged} layout @private
   */
  makeLevels(layout) {
    const quiet = s('g', { class: 'pdim' });
    const loud = s('g');
    this.root.append(quiet, loud);
    this.level = (station) => (layout.slots.find((b) => b.id === station)?.lit === false && !layout.upright ? quiet : loud);
    this.drawRail(layout);
    return (/** @type {Box} */ box) => {
      const g = s('g', layout.upright && box.bare ? { class: 'pdim' } : {});
      // The lane whose state it shows.
      if (layout.lanes && box.density !== 'row') g.dataset.lane = String(box.lane ?? 0);
      this.level(box.id).append(g);
      return { g, head: undefined, above: g, press: this.press };
    };
  }

  /** Draws the rail of a layout again whose stations stay. @param {Arranged} layout */
  layRail(layout) {
    this.layout = layout;
    this.rails.replaceChildren();
    this.updates = [];
    this.drawRail(layout);
    this.drawMarks(layout);
  }

  /** A station as it is drawn. @param {string} id */
  station(id) {
    const found = this.drawn.find((o) => o.id === id);
    if (!found) throw new Error(`${id} is not on this layout`);
    return found;
  }

  /** The size of a unit changed. @param {number} scale */
  resize(scale) {
    for (const { drawn } of this.drawn) drawn.resize?.(scale);
  }

  /**
   * Draws a station. One that is quiet looks like the others, so it needs no drawing of its own.
   * @param {import('../wire/page-types.js').Slot & {id: string}} slot
   * @param {Box['density']} density
   * @private
   */
  draw(slot, density) {
    const station = this.stations[slot.id];
    if (density === 'quiet') return drawQuiet(slot, station.title);
    const draw = station[density];
    if (!draw) throw new Error(`${slot.id} is not drawn as ${density}`);
    return draw(slot, this.ctx);
  }

  /** @param {Arranged} layout @private */
  drawRail(layout) {
    const { model } = this.ctx;
    const { level } = this;
    const { upright } = layout;
    for (const { station, pts, wire, behind, listener, idle, lane: of = 0 } of layout.rails) {
      const line = rails.stretch(pts);
      level(station).append(line);
      if (wire) this.updates.push((_, all) => attr(line, 'class', this.isSilent(all[of]) ? 'rail dead' : 'rail'));
      if (idle) attr(line, 'class', 'rail starve');
      if (!behind) continue;
      const held = (/** @type {Lane} */ { row, ...lane }) => behind.some((stage) => {
        if (row) return row.held.includes(stage);
        return stage === 'deliver' ? this.stops(lane, listener) : lane.state.holds.some((x) => x.stage === stage);
      });
      this.updates.push((_, all) => attr(line, 'class', held(all[of]) ? 'rail starve' : 'rail'));
    }
    if (layout.reach) this.drawReach(layout.reach, level('indexer'));
    if (layout.source) {
      const bar = rails.source(layout.source.at, upright);
      level(layout.source.station).append(bar);
      this.updates.push(() => attr(bar, 'class', model.isDown() ? 'srcbar dead' : 'srcbar'));
    }
    for (const { station, pts } of layout.stems) level(station).append(s('path', { d: rails.path(pts), class: 'stem', 'data-stem': station }));
    for (const { station, at, r, lane = 0 } of layout.nodes) {
      const node = rails.node(at, r);
      level(station).append(node);
      if (station === 'reflector') this.updates.push((_, all) => attr(node, 'class', phaseOf(all[lane]) === 'backoff' ? 'waits' : null));
    }
    for (const [cx, cy] of layout.forks ?? []) level('listeners').append(s('circle', { cx, cy, r: 4, class: 'fork' }));
  }

  /** Whether nothing comes over a lane's wire. @param {Lane} lane @private */
  isSilent({ row, facts }) {
    return row ? !row.requests : facts.trouble.down;
  }

  /** Whether nothing comes out of a listener's ring: it is held, or nothing comes into it and it is empty. @param {Lane} lane @param {number} [id] @private */
  stops({ state }, id) {
    const { model } = this.ctx;
    if (model.hold('deliver', id)) return true;
    return !!model.hold('pop') && !state.listeners.find((l) => l.id === id)?.pending;
  }

  /**
   * The way of the selected object: as far as it has come, and what lies ahead of it.
   * @param {NonNullable<Arranged['reach']>} reach @param {SVGElement} g @private
   */
  drawReach({ begin, rail, end, gaps, at }, g) {
    const { ctx } = this;
    const come = s('path', { class: 'hl1', d: '' });
    const ahead = s('path', { class: 'hl2', d: '' });
    g.append(s('g', { class: 'hl' }, come, ahead));
    this.updates.push(({ facts: { selected } }) => {
      const key = ctx.selected();
      const cell = key ? this.point('indexer.cell', key) : null;
      const place = stationOf(ctx.riding?.()?.furthest.stage ?? '') || (selected?.key === key ? selected.at : '');
      const to = key && place ? at[place] : 0;
      const hang = cell && to >= at.store ? cell.slice(2) : null;
      const stem = g.querySelector('[data-stem=indexer]');
      if (stem) attr(stem, 'opacity', hang ? 0 : null);
      attr(come, 'd', to ? `M${begin} ${rail}H${to}${hang ? `M${at.store} ${rail + 9}L${hang.join(' ')}` : ''}` : '');
      let d = '';
      let from = to;
      for (const [a, b] of [...gaps, [end, end]]) {
        if (from < a) d += `M${from} ${rail}H${a}`;
        from = Math.max(from, b);
      }
      attr(ahead, 'd', to ? d : '');
    });
  }

  /** The place of a named point of the first lane for an object. @param {string} name @param {string} key @private */
  point(name, key) {
    const p = this.points[0][name];
    return typeof p === 'function' ? p({ p: '', k: key, s: 0 }, this.ctx.model.state) : p;
  }

  /**
   * Where the connection broke, what is held, and the ways back of what is read and written.
   * @param {Arranged} layout
   * @private
   */
  drawMarks(layout) {
    const { level } = this;
    const top = layout.layered ? this.rails : this.root;
    if (layout.read) level('controller').append(rails.wayBack(layout.read));
    if (layout.way) {
      const { pts, words } = layout.way;
      const way = rails.wayBack(pts);
      level('controller').append(way);
      const wrote = words && text(way, words[0], words[1], 'p16 knock', 'middle');
      this.updates.push(({ state }) => {
        show(way, !!state.workqueue?.writing);
        if (!wrote) return;
        const said = state.workqueue?.writing ? writeWords(state.workqueue.lastWrite) : '';
        wrote.set(said);
        this.motion.words = { x: words[0], y: pts[3], wide: said ? width(said, '16px') : 0 };
      });
    }
    (layout.cuts ?? (layout.cut ? [layout.cut] : [])).forEach((at, i) => {
      const mark = rails.cut(at, layout.upright);
      top.append(mark);
      this.updates.push((_, all) => show(mark, this.isSilent(all[i]) && (!all[i].row || !!all[i].row.trouble)));
    });
    // Where a stage can be held by a press, its button shows that it is.
    for (const { stage, at, lane = 0 } of layout.layered ? [] : layout.holds) {
      const mark = rails.drawHold(at, layout.upright);
      top.append(mark);
      this.updates.push((_, all) => show(mark, all[lane].state.holds.some((x) => x.stage === stage && !x.listener)));
    }
  }

  /** @param {number} clock */
  paint(clock) {
    const lanes = this.points.map((_, i) => ({ ...this.lane(i), now: this.ctx.now() }));
    for (const { lane, drawn } of this.drawn) drawn.paint(lanes[lane], clock);
    this.paintRail(lanes);
  }

  /** Brings the rail to the state. What is held stands before what holds it. @param {Lane[]} lanes */
  paintRail(lanes) {
    const { layout, motion } = this;
    if (!layout) return;
    for (const update of this.updates) update(lanes[0], lanes);
    lanes.forEach(({ state, facts }, i) => {
      const pin = (/** @type {import('../wire/types.js').HeldChange} */ h) =>
        layout.holds.find((p) => p.stage === h.stage && (p.lane ?? i) === i && (p.listener === undefined || p.listener === h.listener))?.at;
      const way = router(layout.ways, this.points[i], state);
      motion.stand(facts.held, way, pin, layout.lanes ? String(i) : '');
      const ridden = this.ctx.riding?.();
      // A layout of one informer shows the one that has the stage, whichever lane it is.
      if (!layout.lanes || (ridden?.lane ?? 0) === i) motion.ride(ridden ?? null, way);
    });
  }

  /**
   * Sends what moved in a frame on its way.
   * @param {import('../wire/types.js').Frame} frame
   * @param {(m: import('../wire/types.js').Move) => string} [label] the name of what moves
   * @param {(i: number) => import('../wire/types.js').Move[] | undefined} [moves] those of a lane
   */
  move(frame, label, moves = (i) => frame.lanes?.[i]?.moves) {
    const { layout, motion } = this;
    if (frame.jump) motion.clear();
    else if (layout) {
      this.points.forEach((points, i) => {
        const way = router(layout.ways, points, this.lane(i).state);
        motion.add(moves(i) ?? [], way, { lane: layout.lanes ? String(i) : '', label });
      });
    }
  }

  /** How strong a chip is at a place: over a quiet station it is quiet too. @param {number} x @param {number} y @private */
  strength(x, y) {
    const { layout } = this;
    if (!layout || (layout.layered && !this.lit)) return 1;
    const lit = (/** @type {Box} */ box) => this.lit?.includes(box.id) ?? box.lit;
    if (layout.way && (layout.upright ? x === layout.way.pts[2] : y === layout.way.pts[3])) {
      const writer = layout.slots.find((b) => b.id === 'controller');
      return !writer || (layout.upright ? !writer.bare : lit(writer)) ? 1 : faint;
    }
    const along = layout.upright ? y : x;
    const box = layout.slots.find((b) => along >= b.span[0] && along < b.span[1]);
    if (!box) return 1;
    if (layout.upright) return box.bare ? faint : 1;
    if (!lit(box)) return faint;
    if (box.id !== 'listeners' || !box.main || x <= box.x) return 1;
    // Of the listeners, the step speaks of one.
    const ring = this.points[0]['listeners.ring'];
    const main = typeof ring === 'function' ? ring({ p: 'next', s: 0, l: box.main }, this.ctx.model.state) : ring;
    return main?.[1] === y ? 1 : faint;
  }
}

/**
 * From the fork to the row of a listener that does not lie on the rail.
 * @param {Box} box
 * @param {Record<string, import('../wire/page-types.js').Point>} points of its lane
 * @returns {import('../wire/page-types.js').Point}
 */
function branch(box, points) {
  return (m, state) => {
    const fan = points['listeners.fan'];
    const to = typeof fan === 'function' ? fan(m, state) : fan;
    if (!to) return null;
    return to[1] === box.rail ? [] : [box.from, box.rail, box.from, to[1]];
  };
}

/**
 * The listeners that have a row, in the informer's order, and the one among them that matters: that of a ride, the step's, or the one that has
 * most to tell. Beyond three it is the first two and that one.
 * @param {import('../wire/page-types.js').Ctx} ctx
 * @param {string} [wanted] the name of the listener that a step speaks of
 */
export function chooseListeners({ model, riding }, wanted) {
  const there = model.state.listeners.filter((l) => !l.removed);
  const byId = (/** @type {number | undefined} */ id) => there.find((l) => l.id === id);
  const chosen = byId(riding?.()?.listener) ?? there.find((l) => l.name === wanted) ?? byId(model.facts.listener) ?? there[Math.min(2, there.length - 1)];
  const rows = there.slice(0, 3);
  if (chosen && !rows.includes(chosen)) rows[2] = chosen;
  return { listeners: rows.map((l) => l.id), main: chosen?.id ?? 0 };
}
