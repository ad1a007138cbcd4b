// @ts-check
// The stations of the rows, by the name that a row has.
import { cluster } from './cluster.js';
import { fold, handler } from './handler.js';
import { informer } from './informer.js';
import { indexer } from './indexer.js';
import { queue } from './queue.js';
import { reflector } from './reflector.js';
import { work } from './work.js';

/** @type {Record<string, import('./parts.js').Station>} */
export const stations = { cluster, reflector, queue, indexer, handler, fold, work, informer };
