// @ts-check
// Which moment of the log something on the page was painted from: the stage, and the bars around it.

/** @typedef {import('./page-types.js').Lane} Lane */

/**
 * `lanes` are the informers as they were in the frame with that `seq`, and `factory` what several show together. `now` is the moment on
 * the log's clock when they were painted: between frames it runs on, for what counts time.
 * @typedef {{
 *   seq: number, atMillis: number, now: number, lanes: Lane[],
 *   factory: import('./types.js').Factory | null
 * }} Painted
 */

/**
 * What the model holds, to be kept: its members are replaced by what comes and never changed.
 * @param {import('./model.js').Model} model
 * @param {number} i which lane
 */
function keepMoment(model, i) {
  const { state, facts, view } = model.lane(i);
  return { state: { ...state }, facts: { ...facts }, view };
}

/**
 * The moment that is painted now: of all informers of the model.
 * @param {import('./page-types.js').Ctx} ctx
 * @returns {Painted}
 */
export function paintedMoment({ model, now: clock }) {
  const now = clock();
  const lanes = Array.from({ length: model.lanes }, (_, i) => ({ ...keepMoment(model, i), now }));
  const { seq, atMillis } = model.view;
  return { seq, atMillis, now, lanes, factory: model.factory };
}
