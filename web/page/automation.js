// @ts-check
// The stable interface for other programs: globalThis.informerscope. Tests, stories and talk scripts use it. Buttons make the same calls.
import { asText } from '../bars/files.js';

/**
 * @param {{
 *   address: import('./address.js').Address, link: import('../wire/link.js').Link, views: import('../views/views.js').Views,
 *   audience: import('../hall/audience.js').Audience | null, pick: (key: string) => void, drawn: () => ReturnType<typeof import('../wire/drawn.js').listDrawn>,
 *   ride: (key: string, lane?: number) => Promise<void>, picture: () => Promise<import('../wire/page-types.js').Still>,
 *   handout: (id: string) => Promise<{id: string, steps: number}>
 * }} page
 */
export function automation({ address, link, views, audience, pick, ride, drawn, picture, handout }) {
  const call = (/** @type {keyof import('../wire/types.js').Calls} */ name) => (/** @type {any[]} */ ...args) => address.perform(name, args);
  return {
    /** Resolves when calls are answered. */
    ready: address.ready,
    state: () => link.call('state', []),
    select: call('select'),
    transform: call('transform'),
    fork: (/** @type {string} */ acts = '') => address.perform('fork', [acts]),
    fault: (/** @type {string} */ name, /** @type {any} */ args, /** @type {number | undefined} */ lane) =>
      address.perform('fault', [name, args ?? {}, lane]),
    hold: call('hold'),
    release: call('release'),
    step: (/** @type {number} */ n = 1) => address.perform('step', [n]),
    seek: call('seek'),
    seekTime: call('seekTime'),
    mark: call('mark'),
    play: (/** @type {number} */ v = 1) => address.perform('play', [v]),
    pause: () => address.perform('pause', []),
    live: () => address.perform('live', []),
    record: async (/** @type {'whole' | 'names' | undefined} */ objects) => asText(await address.perform('record', [objects])),
    load: call('load'),
    story: (/** @type {string} */ id) => views.stories.start(id),
    attached: () => address.perform('attached', []),
    sources: () => address.perform('sources', []),
    resources: () => address.perform('resources', []),
    namespaces: () => address.perform('namespaces', []),
    object: call('object'),
    ride: call('ride'),
    diagnose: call('diagnose'),
    compare: call('compare'),
    laboratory: call('laboratory'),
    cluster: (/** @type {string} */ verb, /** @type {any} */ args) => address.perform('cluster', [verb, args ?? {}]),
    index: call('index'),
    addIndex: call('addIndex'),
    panic: call('panic'),
    writes: call('writes'),
    addListener: call('addListener'),
    removeListener: call('removeListener'),
    pace: call('pace'),
    show: (/** @type {number} */ lane = 0) => address.perform('show', [lane]),
    shutdown: () => address.perform('shutdown', []),
    start: () => address.perform('start', []),
    shard: call('shard'),
    unshared: call('unshared'),
    broadcast: () => link.call('broadcast', []),
    broadcastBegin: (/** @type {any} */ o) => link.call('broadcastBegin', [o ?? {}]),
    broadcastEnd: () => link.call('broadcastEnd', []),
    hearing: () => audience?.hearing ?? null,
    along: () => audience?.rejoinSpeaker(),
    selectObject: pick,
    rideObject: ride,
    drawn,
    picture: () => picture(),
    handout,
  };
}
