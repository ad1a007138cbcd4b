// @ts-check
// The rail: now, upright, with a ring for each station, and the fork to the handlers. It is dotted where nothing comes, and broken where
// the watch broke.
import { attr, s, show } from '../kit/dom.js';

/** @typedef {import('./rows.js').Band} Band */
/**
 * What prevents that something comes: the stages that are held, by name and for a handler with its number, and whether there is no watch, or one
 * that brings nothing.
 * @typedef {{held: (stage: string, listener?: number) => boolean, cut: boolean, silent: boolean}} Stops
 */

/** How far the fork stands from the rail, and the work queue from the fork. */
const side = 18;
/** How far above its foot a row has its ring. */
const ringUp = 9;
/** How large a ring is, and that of an informer that is not open. */
const ring = 6;
const little = 4;

/**
 * Where a row's ring stands.
 * @param {Band} band @param {number} x the rail's @param {number} apart how far the rails of two informers are, 0 for one @returns {[number, number]}
 */
export function ringAt(band, x, apart) {
  const aside = apart ? band.lane * apart : Math.max(0, band.level - 1) * side;
  return [x + aside, band.foot - (band.station === 'informer' ? Math.min(ringUp, band.h / 2) : ringUp)];
}

/** How wide the rails are together, up to where words may begin. @param {number} apart */
export const railWidth = (apart) => (apart ? apart + 22 : 14);

/** Whether nothing comes to a row. @param {Band} band @param {Stops} stops */
export function isStarved({ station, listener }, { held, cut, silent }) {
  if (station === 'cluster' || station === 'reflector' || station === 'informer') return false;
  if (cut || silent || held('store')) return true;
  if (station === 'queue') return false;
  return held('pop') || (station === 'work' && held('deliver', listener));
}

/**
 * The stretches of the rail between the rings.
 * @param {Band[]} bands @param {number} x @param {Stops[]} stops of each informer @param {number} apart
 * @returns {{d: string, cls: string}[]}
 */
export function stretches(bands, x, stops, apart) {
  /** @type {{d: string, cls: string}[]} */
  const out = [];
  const at = (/** @type {Band} */ b) => ringAt(b, x, apart);
  const first = bands.find((b) => b.station === 'reflector');
  stops.forEach((stop, lane) => {
    const own = bands.filter((b) => b.lane === lane && b.station !== 'informer');
    const [cluster, mine] = ['cluster', 'reflector'].map((station) => own.find((b) => b.station === station));
    if (cluster && mine) {
      const cls = stop.cut ? 'now-rail none' : stop.silent ? 'now-rail dry' : 'now-rail';
      out.push({ d: `M${at(cluster)[0]} ${at(cluster)[1]}V${at(mine)[1]}`, cls });
    }
    const reflector = mine ?? first;
    const queue = own.find((b) => b.station === 'queue');
    const store = own.find((b) => b.station === 'indexer');
    if (!queue || !store || !reflector) return;
    const cls = (/** @type {Band} */ b) => (isStarved(b, stop) ? 'now-rail dry' : 'now-rail');
    const [qx, qy] = at(queue);
    const [, sy] = at(store);
    const ry = at(reflector)[1];
    out.push({ d: !mine && apart ? `M${x} ${ry}H${qx - 8}Q${qx} ${ry} ${qx} ${ry + 8}V${qy}` : `M${qx} ${ry}V${qy}`, cls: cls(queue) });
    out.push({ d: `M${qx} ${qy}V${sy}`, cls: cls(store) });
    const handlers = own.filter((b) => b.station === 'handler' || b.station === 'fold');
    for (const b of apart ? handlers : []) out.push({ d: `M${qx} ${sy}V${at(b)[1]}`, cls: cls(b) });
    if (apart || !handlers.length) return;
    const last = at(handlers[handlers.length - 1])[1] - ringUp;
    out.push({ d: `M${x} ${sy}V${last}`, cls: cls(handlers[0]) });
    for (const b of handlers) out.push({ d: `M${x} ${at(b)[1] - ringUp}q0 ${ringUp} ${ringUp} ${ringUp}h${side - ringUp - 6}`, cls: cls(b) });
    const work = own.find((b) => b.station === 'work');
    const feeder = work && (handlers.find((b) => b.listener === work.listener) ?? handlers[handlers.length - 1]);
    if (!work || !feeder) return;
    const [fx, fy] = at(feeder);
    out.push({ d: `M${fx} ${fy}V${at(work)[1] - ringUp}q0 ${ringUp} ${ringUp} ${ringUp}h${side - ringUp - 6}`, cls: `${cls(work)} keys` });
  });
  return out;
}

export class Rail {
  /** @param {SVGElement} root */
  constructor(root) {
    this.lines = s('g');
    this.rings = s('g');
    this.cut = s('path', { class: 'now-cut' });
    root.append(this.lines, this.cut, this.rings);
  }

  /** @param {Band[]} bands @param {number} x @param {Stops[]} stops @param {number} apart @param {(band: Band) => boolean} lit which rows hold up */
  paint(bands, x, stops, apart, lit) {
    write(this.lines, stretches(bands, x, stops, apart), () => s('path'), (el, { d, cls }) => {
      attr(el, 'd', d);
      attr(el, 'class', cls);
    });
    write(this.rings, bands, () => s('circle'), (el, band) => {
      const [cx, cy] = ringAt(band, x, apart);
      attr(el, 'cx', cx);
      attr(el, 'r', band.station === 'informer' ? little : ring);
      attr(el, 'cy', cy.toFixed(2));
      attr(el, 'class', lit(band) ? 'now-ring lit' : 'now-ring');
    });
    const cuts = stops.map((stop, lane) => {
      const ends = bands.filter((b) => b.lane === lane && ['cluster', 'reflector'].includes(b.station)).map((b) => ringAt(b, x, apart));
      if (!stop.cut || ends.length < 2) return '';
      const [left, y] = [ends[0][0] - 8, (ends[0][1] + ends[1][1]) / 2];
      return `M${left} ${y - 2}l16 -6M${left} ${y + 8}l16 -6`;
    });
    show(this.cut, cuts.some(Boolean));
    attr(this.cut, 'd', cuts.join(''));
  }
}

/**
 * Brings the children of a group to a list: as many as it has members, each written.
 * @template T
 * @param {Element} group @param {T[]} list @param {() => Element} make @param {(el: Element, of: T) => void} put
 */
function write(group, list, make, put) {
  while (group.children.length < list.length) group.append(make());
  [...group.children].forEach((el, i) => {
    show(el, i < list.length);
    if (i < list.length) put(el, list[i]);
  });
}
