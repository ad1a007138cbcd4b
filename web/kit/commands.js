// @ts-check
// Made by go run ./tools/webtypes from the tables of core/page/command and the releases of core/informer; not to be edited.

/** What a command does to the experiment; see docs/dev/protocol.md. @typedef {'looks' | 'shows' | 'moves' | 'acts' | 'begins' | 'talks'} Effect */

/** The effect of each command. @type {Record<keyof import('../wire/types.js').Calls, Effect>} */
export const effects = {
  state: 'looks',
  select: 'begins',
  transform: 'begins',
  fork: 'begins',
  story: 'looks',
  attached: 'looks',
  checkStory: 'looks',
  arrive: 'looks',
  fault: 'acts',
  hold: 'acts',
  release: 'acts',
  addListener: 'acts',
  removeListener: 'acts',
  pace: 'acts',
  panic: 'acts',
  addIndex: 'acts',
  writes: 'acts',
  shutdown: 'acts',
  start: 'acts',
  shard: 'acts',
  unshared: 'acts',
  cluster: 'acts',
  play: 'moves',
  pause: 'moves',
  live: 'moves',
  step: 'moves',
  seek: 'moves',
  seekTime: 'moves',
  mark: 'moves',
  object: 'looks',
  ride: 'looks',
  diagnose: 'looks',
  laboratory: 'looks',
  index: 'looks',
  show: 'shows',
  follow: 'shows',
  window: 'shows',
  entries: 'looks',
  stories: 'looks',
  storyAdd: 'shows',
  storyBegin: 'begins',
  storyTurn: 'moves',
  storyStep: 'moves',
  storyLevel: 'shows',
  storyRide: 'shows',
  storyEnd: 'shows',
  storyFollow: 'shows',
  sources: 'looks',
  token: 'begins',
  resources: 'looks',
  namespaces: 'looks',
  record: 'looks',
  export: 'looks',
  load: 'begins',
  broadcast: 'talks',
  broadcastBegin: 'talks',
  broadcastEnd: 'talks',
  page: 'talks',
  apart: 'talks',
  along: 'talks',
};

/** The greatest number that a key of the address takes. */
export const limits = {
  seed: 9007199254740991,
  objects: 100000,
  rate: 10000,
  from: 21600000,
  at: 9007199254740991,
  level: 3,
  laboratory: 2000,
};

/** The releases of client-go, the newest first: how people write each, and its queue. */
export const releases = [
  { era: '1.38', label: '1.38 (beta)', queue: 'RealFIFO' },
  { era: '1.37', label: '1.37', queue: 'RealFIFO' },
  { era: '1.35', label: '1.35', queue: 'RealFIFO' },
  { era: '1.33', label: '1.33', queue: 'RealFIFO' },
  { era: '1.31', label: '1.31', queue: 'DeltaFIFO' },
];

/** The release of a page that names none. */
export const standard = '1.37';

/**
 * A fault. A held one stays on until it is switched off; verb is that of its lever in a link, if the fault is one; and millis is the length that the menus ask
 * for. cluster is 'own' for one that only the page's own cluster has, and 'simulated' for one that any simulated cluster has.
 * @typedef {{name: import('../wire/types.js').CallArgs['fault'][0], held?: true, cluster?: 'own' | 'simulated', verb?: string, millis?: number}} Fault
 */

/** The faults, in the order of the menus. @type {Fault[]} */
export const faults = [
  { name: 'cut' },
  { name: 'refuse', held: true },
  { name: '410' },
  { name: '429' },
  { name: '500' },
  { name: 'slow', held: true },
  { name: 'delay', held: true, millis: 500 },
  { name: 'nobookmarks', held: true },
  { name: 'noendmark', held: true },
  { name: 'halfopen', held: true },
  { name: 'forbidden', held: true },
  { name: 'slowindex', held: true },
  { name: 'mutate', held: true },
  { name: 'ratelimit', held: true },
  { name: 'rewrite', held: true, cluster: 'own' },
  { name: 'compact', cluster: 'simulated', verb: 'compact' },
  { name: 'restart', cluster: 'simulated', verb: 'reboot' },
];

/**
 * What a person fills in for a lever: it gives some members of the lever's arguments. looks is how it is written. It is a number up to max, or a
 * text without that.
 * @typedef {{name: string, looks: string, members: string[], max?: number}} Param
 */

/**
 * A lever that a menu offers. A held one stays on until it is pulled with an n of 0, and strikes is the fault that the log then has. offers are the numbers n
 * that have a button each.
 * @typedef {object} Lever
 * @property {import('../wire/types.js').CallArgs['cluster'][0]} name
 * @property {'cluster' | 'faults'} menu
 * @property {true} [held]
 * @property {string} [strikes]
 * @property {number[]} [offers]
 * @property {Param[]} [params]
 */

/** The levers, in the order of the menus. @type {Lever[]} */
export const levers = [
  { name: 'create', menu: 'cluster',
    params: [{ name: 'deployment', looks: 'namespace/name', members: ['namespace', 'name'] },
      { name: 'replicas', looks: 'replicas', members: ['replicas'], max: 100000 }] },
  { name: 'scale', menu: 'cluster',
    params: [{ name: 'deployment', looks: 'namespace/name', members: ['namespace', 'name'] },
      { name: 'replicas', looks: 'replicas', members: ['replicas'], max: 100000 }] },
  { name: 'restart', menu: 'cluster',
    params: [{ name: 'deployment', looks: 'namespace/name', members: ['namespace', 'name'] }] },
  { name: 'delete', menu: 'cluster',
    params: [{ name: 'pod', looks: 'namespace/name', members: ['key'] }] },
  { name: 'drain', menu: 'cluster',
    params: [{ name: 'node', looks: 'name', members: ['name'] }] },
  { name: 'burst', menu: 'cluster', offers: [1, 100] },
  { name: 'crowd', menu: 'cluster', held: true, offers: [1000] },
  { name: 'compact', menu: 'cluster', strikes: 'compact' },
  { name: 'failover', menu: 'faults', held: true, strikes: 'failover', offers: [20] },
  { name: 'expire', menu: 'faults', strikes: 'expire' },
];
