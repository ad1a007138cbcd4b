// @ts-check
// The tour: the story that a new user is offered once, on a first visit, and that resumes where it was left. Its progress stays in this
// browser.
import * as fragment from '../wire/fragment.js';

/** The story's id. */
export const id = 'tour';
const kept = 'informerscope.tour';

/**
 * What is kept: whether it was offered, the step at which it was left, and what its reader knows.
 * @returns {{offered?: boolean, step?: number, level?: number}}
 */
function read() {
  try {
    const found = JSON.parse(localStorage.getItem(kept) ?? '{}');
    return found && typeof found === 'object' ? found : {};
  } catch {
    return {}; // a browser that keeps nothing, or something else under this name
  }
}

/** @param {{offered?: boolean, step?: number, level?: number}} members */
function write(members) {
  try {
    localStorage.setItem(kept, JSON.stringify({ ...read(), ...members }));
  } catch {
    // A browser that keeps nothing offers it again.
  }
}

/** The address #tour is that of the story. */
export function adopt() {
  const p = fragment.read();
  if (!p.has('tour')) return;
  fragment.write({ tour: null, story: id });
}

/** Whether an address has no scene of its own: what the server prints has its token alone. @param {URLSearchParams} asked */
export function isBare(asked) {
  return [...asked.keys()].every((k) => k === 'token');
}

/** Whether it was offered, or begun, before. */
export function wasOffered() {
  const found = read();
  return !!found.offered || found.step !== undefined;
}

/** Keeps that it was offered. */
export function remember() {
  write({ offered: true });
}

/** The step at which the tour was left, from 0; 0 when it was not started, or has ended. */
export function stepLeft() {
  const { step } = read();
  return Number.isInteger(step) && Number(step) > 0 ? Number(step) : 0;
}

/** What its reader knows: one of its levels, from 1. */
export function level() {
  return read().level ?? 1;
}

/** @param {number} level */
export function keepLevel(level) {
  write({ level: level });
}

let last = -1;

/** Keeps how far the tour has come. @param {number} step @param {boolean} over */
export function keep(step, over) {
  const at = over ? 0 : step;
  if (at === last) return;
  last = at;
  write({ step: at, offered: true });
}
