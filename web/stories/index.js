// @ts-check
// The stories, in the order of the chooser. A story is data: what to select, what to say, which stations to look at,
// which calls to make, and the condition on State that ends each step.
import burst from './burst.js';
import gone from './gone.js';
import key from './key.js';
import late from './late.js';
import ring from './ring.js';
import tombstone from './tombstone.js';

/**
 * @typedef {[string, string]} Words English, 简体中文; {path} stands for the number at a path of State
 * @typedef {{name: Words, focus: string[], listener?: string, open?: string, caption: Words, after?: Words, do?: any[][], then?: any[][], until: import('../condition.js').Condition, freeze?: boolean, dwell?: number}} Step
 *   `open` is the station that the phone opens, the last of `focus` if left out; `do` are calls when the step begins, `then` when its condition holds; `after` is the caption from then on; `freeze` stands
 *   still at that moment; `dwell` is how long the step lasts at least, in seconds.
 * @typedef {{id: string, group: 'order' | 'breaks' | 'handlers', seconds: number, title: Words, lesson: Words, terms: string,
 *   select: Record<string, any>, ready: import('../condition.js').Condition, steps: Step[]}} Story
 */

/** The groups of the chooser. @type {[Story['group'], Words][]} */
export const groups = [
  ['order', ['Order', '顺序']],
  ['breaks', ['When the connection breaks', '连接断开时']],
  ['handlers', ['Handlers and workers', 'handler 与 worker']],
];

/** @type {Story[]} */
export const stories = [burst, tombstone, gone, ring, late, key];
