// @ts-check
// The marks of the visual language, as symbols for the stage and as paths for the canvases. They are drawn, never
// typed, so they look the same everywhere.
import { s } from './dom.js';

/** @typedef {'add' | 'upd' | 'del' | 'rep' | 'syn' | 'bmk' | 'key' | 'err'} Kind */

const turn = 'M5.23 15.06A7.2 7.2 0 1 0 7.57 6.93';
const head = 'M3.17 11.53L11.47 10.53L4.37 2.53Z';

/** Strokes and filled parts of each glyph, in a box of 24 units. @type {Record<Kind, {stroke: string, fill?: string, edge?: number, flip?: boolean}>} */
export const shapes = {
  add: { stroke: 'M12 4.5V19.5M4.5 12H19.5' },
  upd: { stroke: 'M3.5 14C6 7.5 9.6 7.8 12 12S18 16.5 20.5 10' },
  del: { stroke: 'M4.5 12H19.5' },
  rep: { stroke: turn, fill: head, edge: 1 },
  syn: { stroke: turn, fill: head, edge: 1, flip: true },
  bmk: { stroke: 'M7 3.5V20.5', fill: 'M7 4.5H18.5L15.3 8.8L18.5 13H7Z', edge: 1.5 },
  err: { stroke: 'M5.5 5.5L18.5 18.5M18.5 5.5L5.5 18.5' },
  key: { stroke: '', fill: 'M15.6 12A3.6 3.6 0 1 1 8.4 12A3.6 3.6 0 1 1 15.6 12Z', edge: 0 },
};

/** @type {Record<string, Kind>} */
const kinds = {
  Added: 'add', ADDED: 'add', Updated: 'upd', MODIFIED: 'upd', Modified: 'upd', Deleted: 'del', DELETED: 'del', Replaced: 'rep', ReplacedAll: 'rep',
  Sync: 'syn', SyncAll: 'syn', Bookmark: 'bmk', BOOKMARK: 'bmk', ERROR: 'err',
};

/** The kind of mark that a delta type has; what carries no type is a key. @param {string | undefined} op @returns {Kind} */
export function kindOf(op) {
  return (op && kinds[op]) || 'key';
}

/** The definitions that the stage's symbols need. */
export function defs() {
  const d = s('defs');
  for (const name of /** @type {Kind[]} */ (Object.keys(shapes))) {
    const g = shapes[name];
    const body = s('g', g.flip ? { transform: 'matrix(-1 0 0 1 24 0)' } : {});
    if (g.stroke) body.append(s('path', { d: g.stroke }));
    if (g.fill) body.append(s('path', { d: g.fill, fill: 'currentColor', 'stroke-width': g.edge ?? 1 }));
    d.append(s('symbol', { id: 'g-' + name, viewBox: '0 0 24 24' }, s('g', { class: 'gs' }, body)));
  }
  /** @param {string} id @param {...SVGElement} kids */
  const icon = (id, ...kids) => d.append(s('symbol', { id, viewBox: '0 0 24 24' }, ...kids));
  icon('i-x', s('path', { d: 'M5 5L19 19M19 5L5 19', class: 'gs2' }));
  icon('i-bolt', s('path', { d: 'M13.5 2.5L5 13.5H11L9.5 21.5L19 9.5H12.5Z', fill: 'currentColor' }));
  d.append(
    s('pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      s('rect', { width: 6, height: 6, class: 'h0' }), s('rect', { width: 2, height: 6, class: 'h1' })),
  );
  return d;
}

/** A chip for the legend and the inspector. @param {Kind} kind */
export function chipIcon(kind) {
  return s('svg', { viewBox: '0 0 22 22', class: 'lgi', 'aria-hidden': 'true' },
    s('rect', { x: 1, y: 1, width: 20, height: 20, rx: 4, class: `ch mv k-${kind}` }),
    s('use', { href: '#g-' + kind, x: 4.2, y: 4.2, width: 13.6, height: 13.6, class: `gl onk k-${kind}` }));
}

/** The small triangle of a menu button. */
export function caret() {
  return s('svg', { viewBox: '0 0 8 8', class: 'caret-d', 'aria-hidden': 'true' }, s('path', { d: 'M0 2h8L4 7z' }));
}
