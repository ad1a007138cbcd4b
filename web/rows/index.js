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

/** The rows of the stations, as steps of stories name those. @type {Record<string, string[]>} */
export const rowsOf = {
  api: ['cluster', 'reflector'], reflector: ['reflector'], queue: ['queue'], indexer: ['indexer'], listeners: ['handler', 'fold'], controller: ['work'],
};
