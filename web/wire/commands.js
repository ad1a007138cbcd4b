// @ts-check
// Made by go run ./tools/webtypes from the tables of core/command and the releases of core/informer; not to be edited.

/** What a command does to the experiment; see docs/protocol.md. @typedef {'looks' | 'shows' | 'moves' | 'acts' | 'begins' | 'talks'} Effect */

/** The effect of each command. @type {Record<keyof import('./types.js').Calls, Effect>} */
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
  index: 'looks',
  show: 'shows',
  follow: 'shows',
  groupBy: 'shows',
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
};

/** The releases of client-go, the newest first, and the queue of each. */
export const releases = [
  { era: '1.37', queue: 'RealFIFO' },
  { era: '1.35', queue: 'RealFIFO' },
  { era: '1.33', queue: 'RealFIFO' },
  { era: '1.31', queue: 'DeltaFIFO' },
];
