// @ts-check
// The clock of the eye: chips travel by it, and stations show a change when its chip has come to them. The worker gets the same clock with
// each request for a frame (docs/protocol.md). It stands while nothing travels, and while someone has paused the view. What was on its way when the
// view came to its end arrives.

/** How long a chip travels along each path, in ms, in the order in which a change takes them. core/page/view has the same table. */
export const legs = { wire: 320, store: 260, pop: 320, fan: 320, next: 140, key: 220, take: 160, write: 900 };

/** When a chip sets out on each path, in ms after its change has left the API server. @type {Record<string, number>} */
export const departures = {};
/** How long the way of a change lasts, to its worker, and back to the API server with what the worker writes. */
export let lap = 0;
for (const [path, millis] of Object.entries(legs)) {
  departures[path] = lap;
  lap += millis;
}

/**
 * Up to how many changes in the last second stations wait for chips, and from how many on they wait again. The eye follows about ten a second.
 * Changes of one frame count as at most `stack`: their chips are one. While very many come, frames are rare, and each has many of them.
 */
const waitLimits = { ends: 20, begins: 14, stack: 3 };
/** The way from the API server to the worker takes its own time at one change a second, and this part of it at ten. */
const maxPace = 3.5;
/** From this speed on nothing waits: the log itself is too fast for the eye. */
const fastSpeed = 4;
/** The maxStep time between two animation frames by which chips go on, in ms. */
const maxStep = 100;
/** How far ahead the worker looks, in ms: its answer is painted about one animation frame later. */
const lookahead = 24;

export class Eye {
  /** @param {() => import('./types.js').View} view */
  constructor(view) {
    this.view = view;
    this.time = 0;
    /** When the last chip that is on its way arrives. */
    this.until = 0;
    /** When the changes of the newest frame would have left the API server. */
    this.born = 0;
    this.last = 0;
    /** Whether stations wait for chips. */
    this.waits = true;
    /** Whether someone has paused the view, and taken no step since. */
    this.frozen = false;
    /** Whether the view shows each change at its true time, so that no station waits for a chip. */
    this.exact = false;
    /**
     * The frames with moves of the last second: when they came, on the page's clock, and how many changes on which paths.
     * @type {{clock: number, paths: Map<string, number>}[]}
     */
    this.recent = [];
    /** How many frames in the last second had changes on the same path: a change takes each path once, often in several frames. */
    this.rate = 0;
    this.still = matchMedia('(prefers-reduced-motion: reduce)');
  }

  /** Whether something is on its way. */
  get busy() {
    return this.time < this.until;
  }

  /** How fast the clock goes, in ms of its own for each ms of the page. */
  get pace() {
    const { mode, speed: played } = this.view();
    const speed = mode === 'playing' ? played || 1 : 1;
    const often = this.waits ? Math.min(maxPace, Math.max(1, this.rate ** 0.54)) : 1;
    return Math.sqrt(Math.min(1, speed)) * Math.max(1, speed) * often;
  }

  /** Whether the clock runs. */
  get runs() {
    return this.busy && !this.frozen;
  }

  /** Goes on to an animation frame. @param {number} clock */
  advance(clock) {
    const passed = this.last ? Math.min(maxStep, clock - this.last) : 0;
    this.last = clock;
    while (this.recent.length && this.recent[0].clock < clock - 1000) this.recent.shift();
    const { mode, speed } = this.view();
    const most = (/** @type {number} */ limit) => Math.max(...Object.keys(legs).map((p) =>
      this.recent.reduce((n, c) => n + Math.min(limit, c.paths.get(p) ?? 0), 0)));
    this.rate = most(1);
    const calm = most(waitLimits.stack) <= (this.waits ? waitLimits.ends : waitLimits.begins);
    this.waits = calm && !this.exact && !this.still.matches && !(mode === 'playing' && speed >= fastSpeed);
    if (this.runs) this.time = Math.min(this.until, this.time + passed * this.pace);
  }

  /**
   * Takes in what a frame sends on its way.
   * @param {import('./types.js').Frame} frame @param {number} clock
   */
  note(frame, clock) {
    if (frame.jump) this.until = this.time;
    const lists = [...frame.lanes ?? [], ...frame.rows ?? []].map((l) => l.moves ?? []);
    const moves = lists.flat();
    // Moves that no layout draws, as those of a factory while one of its informers has the stage, take their time too.
    if (frame.view.reached) this.keep((frame.born ?? this.time) + lap - this.time);
    if (!moves.length) return;
    this.recent.push({ clock, paths: countChanges(lists) });
    this.born = frame.born ?? this.time - Math.min(...moves.map((m) => departures[m.p]));
    this.keep(this.born + (moves.some((m) => m.p === 'write') ? 2 : 1) * lap - this.time);
  }

  /** Goes on for at least so long. @param {number} millis */
  keep(millis) {
    this.until = Math.max(this.until, this.time + millis);
  }

  /** The time at the next animation frame, for the worker; -1 when no station waits. */
  get next() {
    return this.waits ? this.time + (this.runs ? lookahead * this.pace : 0) : -1;
  }
}

/**
 * How many changes a frame sends along each path: in each lane and to each listener they are the same ones.
 * @param {import('./types.js').Move[][]} lanes
 */
function countChanges(lanes) {
  /** @type {Map<string, number>} */
  const most = new Map();
  for (const moves of lanes) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { p, l = 0, n = 1 } of moves) {
      const count = (counts.get(`${p} ${l}`) ?? 0) + n;
      counts.set(`${p} ${l}`, count);
      most.set(p, Math.max(count, most.get(p) ?? 0));
    }
  }
  return most;
}
