// @ts-check
// A watch frame in words: what its mark and its name are.
import { version } from '../format.js';

/** @typedef {import('../types.js').WireFrame} WireFrame */

/** The type that a frame has. An error has no object and no version, so it is none of the delta types. @param {WireFrame} f */
export function frameOp(f) {
  return f.op || (f.key || f.rv ? '' : 'ERROR');
}

/** What a frame is called: by its object, or by its version where it has none, or as the error that it is. @param {WireFrame} f */
export function frameName(f) {
  return f.key || (f.rv ? `rv ${version(f.rv, 10)}` : 'ERROR');
}
