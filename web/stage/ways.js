// @ts-check
// The ways of the moves: a layout names the points between which each move runs, and layouts and stations give the places of these points.

/**
 * @param {import('../wire/page-types.js').Arranged['ways']} ways
 * @param {Record<string, import('../wire/page-types.js').Point>} points by station and name, `queue.store`
 * @param {import('../wire/types.js').State} state
 * @returns {(m: import('../wire/types.js').Move) => number[] | null} the way of a move; null where this layout has none
 */
export function router(ways, points, state) {
  return (m) => {
    const names = ways[m.p];
    if (!names) return null;
    /** @type {number[]} */
    const pts = [];
    for (const name of names) {
      const p = points[name];
      const at = typeof p === 'function' ? p(m, state) : p;
      if (!at) return null;
      pts.push(...at);
    }
    return pts;
  };
}

/**
 * The points of a station, under its name.
 * @param {string} station
 * @param {Record<string, import('../wire/page-types.js').Point> | undefined} points
 */
export function namePoints(station, points) {
  return Object.fromEntries(Object.entries(points ?? {}).map(([k, p]) => [`${station}.${k}`, p]));
}
