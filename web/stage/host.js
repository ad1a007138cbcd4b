// @ts-check
// A layout on the screen: the host draws the rail, gives each station its slot, brings all of them to the state, and has the ways of the
// moves. It is the same for every layout that is arranged as data (presenter mode, two releases, the phone, one station alone).
import { quiet } from '../draw/quiet.js';
import * as rails from '../draw/rail.js';
import { attr, s, show, text } from '../kit/dom.js';
import { width } from '../kit/measure.js';
import { writeWords } from '../stations/controller.js';
import { named, router } from './ways.js';

/** @typedef {import('../wire/page-types.js').Arranged} Arranged */
/** @typedef {import('../wire/page-types.js').Box} Box */
/** @typedef {import('../wire/page-types.js').Drawn} Drawn */
/** @typedef {import('../wire/page-types.js').Lane} Lane */

/** The opacity of quiet stations. */
const faint = 0.4;

export class Host {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {SVGElement} svg
   * @param {import('./motion.js').Motion} motion
   * @param {Record<string, import('../wire/page-types.js').Station>} stations
   */
  constructor(ctx, svg, motion, stations) {
    this.ctx = ctx;
    this.svg = svg;
    this.motion = motion;
    this.stations = stations;
    /** @type {Arranged | null} */
    this.layout = null;
    /** What each station drew, and the lane it shows. @type {{lane: number, drawn: Drawn}[]} */
    this.drawn = [];
    /** The named points of each lane. @type {Record<string, import('../wire/page-types.js').Point>[]} */
    this.points = [];
    /** What the rail and what stands around the stations follow, of the first lane. @type {((lane: Lane) => void)[]} */
    this.updates = [];
    motion.strength = (x, y) => this.strength(x, y);
  }

  /** Takes everything off. */
  clear() {
    this.svg.replaceChildren();
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
    this.clear();
    this.layout = layout;
    attr(this.svg, 'viewBox', `0 0 ${layout.w} ${layout.h}`);
    const quiet = s('g', { class: 'pdim' });
    const loud = s('g');
    this.svg.append(quiet, loud);
    /** @param {string} station whose it is: what belongs to a quiet one is quiet */
    const layer = (station) => (layout.slots.find((b) => b.id === station)?.lit === false && !layout.upright ? quiet : loud);
    this.drawRail(layout, layer);
    this.points = (layout.lanes ?? [{}]).map((own) => ({ ...layout.points, ...own }));
    for (const box of layout.slots) {
      const points = this.points[box.lane ?? 0];
      const g = s('g', layout.upright && box.bare ? { class: 'pdim' } : {});
      // The lane whose state it shows.
      if (layout.lanes) g.dataset.lane = String(box.lane ?? 0);
      layer(box.id).append(g);
      const drawn = this.draw({ ...box, g, head: frame(box, g) }, box.density);
      drawn.resize?.(scale);
      this.drawn.push({ lane: box.lane ?? 0, drawn });
      Object.assign(points, named(box.id, drawn.points));
      if (box.id === 'listeners' && !layout.upright) points['listeners.branch'] = branch(box, points);
    }
    this.drawMarks(layout, layer);
    this.motion.lay(layout.motion, layout.canvases);
  }

  /**
   * Draws a station. One that is quiet looks like the others, so it needs no drawing of its own.
   * @param {import('../wire/page-types.js').Slot & {id: string}} slot
   * @param {Box['density']} density
   * @private
   */
  draw(slot, density) {
    const station = this.stations[slot.id];
    if (density === 'quiet') return quiet(slot, station.title);
    const draw = station[density];
    if (!draw) throw new Error(`${slot.id} is not drawn as ${density}`);
    return draw(slot, this.ctx);
  }

  /** @param {Arranged} layout @param {(station: string) => SVGElement} layer @private */
  drawRail(layout, layer) {
    const { model } = this.ctx;
    for (const { station, pts, wire, behind, listener } of layout.rails) {
      const line = rails.stretch(pts);
      layer(station).append(line);
      if (wire) this.updates.push(() => attr(line, 'class', model.down() ? 'rail dead' : 'rail'));
      if (!behind) continue;
      const held = () => behind.some((stage) => model.hold(stage, stage === 'deliver' ? listener : undefined));
      this.updates.push(() => attr(line, 'class', held() ? 'rail starve' : 'rail'));
    }
    if (layout.source) layer(layout.source.station).append(rails.source(layout.source.at, layout.upright));
    for (const { station, pts } of layout.stems) layer(station).append(s('path', { d: rails.path(pts), class: 'stem' }));
    for (const { station, at, r } of layout.nodes) layer(station).append(rails.node(at, r));
  }

  /**
   * Where the connection broke, what is held, and the way of the writes.
   * @param {Arranged} layout
   * @param {(station: string) => SVGElement} layer
   * @private
   */
  drawMarks(layout, layer) {
    const { model } = this.ctx;
    if (layout.way) {
      const { pts, words } = layout.way;
      const way = rails.wayBack(pts);
      layer('controller').append(way);
      const wrote = words && text(way, words[0], words[1], 'p16 knock', 'middle');
      this.updates.push(({ state }) => {
        show(way, !!state.workqueue?.writing);
        if (!wrote) return;
        const said = state.workqueue?.writing ? writeWords(state.workqueue.lastWrite) : '';
        wrote.set(said);
        this.motion.words = { x: words[0], y: pts[3], wide: said ? width(said, '16px') : 0 };
      });
    }
    if (layout.cut) {
      const mark = rails.cut(layout.cut, layout.upright);
      this.svg.append(mark);
      this.updates.push(() => show(mark, model.down()));
    }
    for (const { stage, at } of layout.holds) {
      const mark = rails.held(at, layout.upright);
      this.svg.append(mark);
      this.updates.push(() => show(mark, !!model.hold(stage)));
    }
  }

  /** @param {number} clock */
  paint(clock) {
    const { model } = this.ctx;
    const lanes = this.points.map((_, i) => model.lane(i));
    for (const update of this.updates) update(lanes[0]);
    for (const { lane, drawn } of this.drawn) drawn.paint(lanes[lane], clock);
    this.stand(lanes);
  }

  /** What is held stands before what holds it. @param {Lane[]} lanes @private */
  stand(lanes) {
    const { layout, motion } = this;
    if (!layout) return;
    lanes.forEach(({ state, facts }, i) => {
      motion.stand(facts.held, router(layout.ways, this.points[i], state), (h) => layout.holds.find((pin) => pin.stage === h.stage)?.at,
        layout.lanes ? String(i) : '');
    });
  }

  /**
   * Sends what moved in a frame on its way.
   * @param {import('../wire/types.js').Frame} frame
   * @param {(m: import('../wire/types.js').Move) => string} [label] the name of what moves
   */
  move(frame, label) {
    const { layout, motion } = this;
    if (frame.jump) motion.clear();
    else if (layout) {
      this.points.forEach((points, i) => {
        const way = router(layout.ways, points, this.ctx.model.lane(i).state);
        motion.add(frame.lanes?.[i]?.moves ?? [], way, { lane: layout.lanes ? String(i) : '', label });
      });
    }
  }

  /** How strong a chip is at a place: over a quiet station it is quiet too. @param {number} x @param {number} y @private */
  strength(x, y) {
    const { layout } = this;
    if (!layout) return 1;
    if (layout.way && (layout.upright ? x === layout.way.pts[2] : y === layout.way.pts[3])) {
      const writer = layout.slots.find((b) => b.id === 'controller');
      return !writer || (layout.upright ? !writer.bare : writer.lit) ? 1 : faint;
    }
    const along = layout.upright ? y : x;
    const box = layout.slots.find((b) => along >= b.span[0] && along < b.span[1]);
    if (!box) return 1;
    if (layout.upright) return box.bare ? faint : 1;
    if (!box.lit) return faint;
    if (box.id !== 'listeners' || x <= box.x) return 1;
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
 * The listeners that have a row, in the informer's order, and the one among them that matters: the step's, or the one that has most to
 * tell. Beyond three it is the first two and that one.
 * @param {import('../wire/model.js').Model} model
 * @param {string} [wanted] the name of the listener that a step speaks of
 */
export function matters(model, wanted) {
  const there = model.state.listeners.filter((l) => !l.removed);
  const most = there.find((l) => l.id === model.facts.listener);
  const chosen = there.find((l) => l.name === wanted) ?? most ?? there[Math.min(2, there.length - 1)];
  const rows = there.slice(0, 3);
  if (chosen && !rows.includes(chosen)) rows[2] = chosen;
  return { listeners: rows.map((l) => l.id), main: chosen?.id ?? 0 };
}
