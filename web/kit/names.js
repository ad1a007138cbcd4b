// @ts-check
// The names of the six stations, in the order of the rail. A hop's stage is named as its station, but for a single listener.

/** @type {Record<string, string>} */
export const stationNames = {
  api: 'API server', reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listeners: 'Listeners', controller: 'Controller',
};

/** The station of a hop's stage; empty for one that has none. @param {string} stage */
export function stationOf(stage) {
  const id = stage === 'listener' ? 'listeners' : stage;
  return id in stationNames ? id : '';
}

/** The name of the station of a hop's stage. @param {string} stage */
export function nameOf(stage) {
  return stationNames[stationOf(stage)] ?? stage;
}
