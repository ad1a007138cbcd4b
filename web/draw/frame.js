// @ts-check
// A watch frame in words: what its mark and its name are.
import { version } from '../kit/format.js';

/** @typedef {import('../wire/types.js').WireFrame} WireFrame */

/** The type of a frame. An error has no object and no version, so it is not one of the delta types. @param {WireFrame} f */
export function frameOp(f) {
  return f.op || (f.key || f.rv ? '' : 'ERROR');
}

/** The name of a frame: its object, or its version if it has no object, or ERROR. @param {WireFrame} f */
export function frameName(f) {
  return f.key || (f.rv ? `rv ${version(f.rv, 10)}` : 'ERROR');
}
