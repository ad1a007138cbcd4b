// @ts-check
// What differs between the cluster and the store, as frames around cells.
import { attr, s } from '../kit/dom.js';
import { kindOf } from '../kit/glyphs.js';

/** How many changes are framed at most: State lists no more. */
const most = 96;

/**
 * Where the changes are that the store does not have yet: left and top in units of the grid of its cells. Objects that are not `stored` stand behind the
 * last cell.
 * @param {import('./cells.js').CellGrid} grid
 * @param {import('../wire/types.js').LedgerEntry[]} unstored
 * @returns {{x: number, y: number, size: number, kind: string, stored: boolean}[]}
 */
export function differences(grid, unstored) {
  const { cols, pitch, size } = grid;
  const low = grid.end + pitch;
  let next = 0;
  const at = [];
  for (const e of unstored.slice(-most)) {
    const cell = grid.byKey.get(e.key ?? '');
    const spot = cell ? grid.spot(cell) : null;
    if (!spot && e.op === 'Deleted') continue;
    const [x, y] = spot ?? [(next % cols) * pitch, low + Math.floor(next / cols) * pitch];
    if (!spot) next++;
    at.push({ x, y, size, kind: spot ? kindOf(e.op) : 'add', stored: !!spot });
  }
  return at;
}

/**
 * Frames around cells, those of one kind in one path.
 * @param {SVGElement} parent
 * @param {string} [cls]
 */
export function frameSet(parent, cls = '') {
  const paths = ['add', 'upd', 'del'].map((kind) => ({ kind, el: s('path', { class: `f-${kind}`, d: '' }) }));
  parent.append(s('g', { class: `frames ${cls}` }, ...paths.map(({ el }) => el)));
  /** @param {{x: number, y: number, size: number, kind: string}[]} list left and top of each cell */
  return (list) => {
    for (const { kind, el } of paths) {
      const framed = list.filter((is) => is.kind === kind).map(({ x, y, size }) => {
        const side = Math.max(6, size + 3);
        const start = (/** @type {number} */ at) => (at + (size - side) / 2).toFixed(1);
        return `M${start(x)} ${start(y)}h${side.toFixed(1)}v${side.toFixed(1)}h-${side.toFixed(1)}z`;
      });
      attr(el, 'd', framed.join(''));
    }
  };
}

/**
 * Frames what differs on a grid that compares itself with the store a few times a second: again only when it did, or when the changes are others.
 * @param {SVGElement} parent
 * @param {ReturnType<typeof import('./smallgrid.js').smallGrid>} cells
 * @param {boolean} stored the store's map frames only what it has
 */
export function frameDifferences(parent, cells, stored) {
  const set = frameSet(parent, stored ? 'behind' : 'now');
  /** @type {import('../wire/types.js').LedgerEntry[] | null} */
  let framed = null;
  /** Returns whether the grid has compared itself. @param {import('../wire/types.js').LedgerEntry[]} unstored @param {number} clock */
  return (unstored, clock) => {
    const fresh = cells.paint(clock);
    if (!fresh && unstored === framed) return false;
    framed = unstored;
    set(differences(cells.grid, unstored).filter((c) => c.stored || !stored));
    return fresh;
  };
}
