// @ts-check
// The six stations, in the order of the rail.
import { api } from './api.js';
import { controller } from './controller.js';
import { indexer } from './indexer.js';
import { listeners } from './listeners.js';
import { queue } from './queue.js';
import { reflector } from './reflector.js';

/** @type {Record<string, import('../wire/page-types.js').Station>} */
export const stations = { api, reflector, queue, indexer, listeners, controller };
