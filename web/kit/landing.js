// @ts-check
// A number that a large chip changes pulses once as the chip lands. The pulse is timed by the clock of the eye, so a pause holds it.

/** How long a pulse lasts, in ms of that clock. */
const lasts = 500;

/** What lands, and the clock; the page sets it. @type {{flies: () => boolean, eye: {time: number, keep: (millis: number) => void} | null}} */
export const landing = { flies: () => false, eye: null };
/** When each number that pulses began to. @type {Map<Element, number>} */
const pulsing = new Map();

/** A number changes. @param {Element} el */
export function pulse(el) {
  const { eye, flies } = landing;
  if (!eye || !flies()) return;
  pulsing.set(el, eye.time);
  el.classList.add('landed');
  eye.keep(lasts);
}

/** Ends the pulses whose time is over. */
export function endPulses() {
  for (const [el, since] of pulsing) {
    if (landing.eye && landing.eye.time - since < lasts) continue;
    el.classList.remove('landed');
    pulsing.delete(el);
  }
}
