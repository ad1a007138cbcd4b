// @ts-check
// Conditions of stories: an expression over State that is data. A path names members with dots and picks from a list
// with [name=mailer] or [0]; a condition compares what stands there, or joins others with and, or, not.
//
//   {path: 'listeners[name=mailer].pending', op: '>=', value: 1024}
//   {path: 'queue.pops', op: '>=', since: 3}            more by 3 than when the step began
//   {path: 'reflector.resourceVersion', op: '==', other: 'indexer.resourceVersion'}
//   {and: [...]}, {or: [...]}, {not: {...}}

/**
 * @typedef {{path?: string, op?: string, value?: any, since?: number, other?: string, and?: Condition[], or?: Condition[], not?: Condition}} Condition
 */

/** @type {Map<string, (string | number | {name: string, value: string})[]>} */
const parsed = new Map();

/**
 * The parts of a path. A path that cannot be read is an error that names it.
 * @param {string} path
 */
function parts(path) {
  let out = parsed.get(path);
  if (out) return out;
  out = [];
  const re = /([A-Za-z_][\w-]*)|\[(\d+)\]|\[(\w+)=([^\]]*)\]|\./gy;
  let at = 0;
  while (at < path.length) {
    re.lastIndex = at;
    const m = re.exec(path);
    if (!m) throw new Error(`the path "${path}" of a condition cannot be read at "${path.slice(at)}"`);
    at = re.lastIndex;
    if (m[1] !== undefined) out.push(m[1]);
    else if (m[2] !== undefined) out.push(Number(m[2]));
    else if (m[3] !== undefined) out.push({ name: m[3], value: m[4] });
  }
  parsed.set(path, out);
  return out;
}

/**
 * What stands at a path of a state, or undefined.
 * @param {any} state
 * @param {string} path
 */
export function at(state, path) {
  let v = state;
  for (const p of parts(path)) {
    if (v === null || v === undefined) return undefined;
    if (typeof p === 'object') v = Array.isArray(v) ? v.find((x) => String(x?.[p.name]) === p.value) : undefined;
    else v = Object.hasOwn(Object(v), p) ? v[p] : undefined;
  }
  return v;
}

/**
 * Whether a condition holds of a state.
 * @param {Condition} c
 * @param {any} state
 * @param {(path: string) => number} base what stood at a path when the step began, as a number
 * @returns {boolean}
 */
export function holds(c, state, base) {
  if (c.and) return c.and.every((x) => holds(x, state, base));
  if (c.or) return c.or.some((x) => holds(x, state, base));
  if (c.not) return !holds(c.not, state, base);
  if (!c.path) throw new Error('a condition needs a path, or one of and, or, not');
  let left = at(state, c.path);
  let right = c.other ? at(state, c.other) : c.value;
  if (c.since !== undefined) {
    left = (Number(left) || 0) - base(c.path);
    right = c.since;
  }
  switch (c.op ?? '==') {
    case '==': return left === right;
    case '!=': return left !== right;
    case '>': return num(left) > num(right);
    case '>=': return num(left) >= num(right);
    case '<': return num(left) < num(right);
    case '<=': return num(left) <= num(right);
    case 'has': return typeof left === 'string' ? left.includes(String(right)) : Array.isArray(left) && left.some((x) => x === right || x?.key === right || x?.op === right || x?.name === right);
  }
  throw new Error(`the comparison "${c.op}" is unknown: choose ==, !=, >, >=, <, <= or has`);
}

/** The paths that a condition measures from the step's beginning. @param {Condition} c @returns {string[]} */
export function measured(c) {
  return [...(c.and ?? []), ...(c.or ?? []), ...(c.not ? [c.not] : [])].flatMap(measured).concat(c.since !== undefined && c.path ? [c.path] : []);
}

/** @param {any} v */
function num(v) {
  return v === undefined || v === null || v === '' ? NaN : Number(v);
}
