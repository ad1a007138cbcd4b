// @ts-check
// How much time the past shows: from 1 ms to 10 minutes, in steps that the axis can name.

const windows = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4000, 8000, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3];
/** How much it shows at first. */
export const usual = 8000;
/** How far a wheel turns for one step. */
const notch = 80;

/** The window that is so many steps closer than another, or wider where `steps` is below zero. @param {number} millis @param {number} steps */
export function closer(millis, steps) {
  let i = windows.findIndex((w) => w >= millis);
  if (i < 0) i = windows.length - 1;
  return windows[Math.max(0, Math.min(windows.length - 1, i - steps))];
}

/** The shortest window that shows so many ms. @param {number} millis */
export const windowOf = (millis) => windows.find((w) => w >= millis) ?? windows[windows.length - 1];

/** Counts the steps of a wheel, which turns in small pieces on some devices. */
export class Wheel {
  turned = 0;

  /** How many steps a turn is worth, with what was turned before. @param {number} delta in pixels, below zero towards the screen */
  turn(delta) {
    if (Math.sign(delta) !== Math.sign(this.turned)) this.turned = 0;
    this.turned += delta;
    const steps = Math.trunc(this.turned / notch);
    this.turned -= steps * notch;
    return -steps;
  }
}
