// @ts-check
// What a line says of a delta.
import { count, middle, version } from '../kit/format.js';

/**
 * @param {import('../wire/types.js').QueueItem} delta
 * @param {number} room for a key, in characters
 */
export function deltaWords(delta, room) {
  if (delta.op === 'Bookmark') return `rv ${version(delta.rv ?? '', 10)}`;
  if (delta.op === 'SyncAll') return 'SyncAll';
  if (delta.op === 'ReplacedAll') return delta.count === undefined ? 'ReplacedAll' : `ReplacedAll ${count(delta.count)}`;
  return middle(delta.key ?? '', room);
}
