// @ts-check
// How often the page draws: in each animation frame, or in every second one where the machine is too busy for that and far
// more happens than the eye can follow. Fewer pictures, each on time, are calmer than all of them with some late, and
// what they leave of the processors goes to the informer.

/** An animation frame that starts this many ms after its time is late: something else had the processor. */
const late = 4;
/** From this part of late ones on fewer are drawn. On an idle machine one in fifty is late, on a full one every tenth and more. */
const many = 0.04;
/** Over how many animation frames the part is taken: about two seconds of them. */
const over = 120;
/** After this many ms without an animation frame the measurements are dropped: the tab was hidden. */
const gap = 250;
/** More moves a second than this, merged into others, are a flood that no eye follows; it is over at half of it. Ten moves or so make a change. */
const flood = 3000;
/** So few processors are fully used by a busy informer: it has one, and the page and the browser's drawing share the other. */
const few = 2;

export class Cadence {
  /** @param {number} processors how many the machine has */
  constructor(processors) {
    this.few = processors <= few;
    /** Whether every second animation frame is left out. */
    this.half = false;
    /** Which part of the last animation frames was late. */
    this.late = 0;
    this.last = -Infinity;
    this.drew = false;
  }

  /**
   * Whether to draw in an animation frame.
   * @param {number} clock its time, in ms
   * @param {number} now when it was called, by the same clock
   * @param {number} merged how many moves were merged into others in the last second
   */
  draws(clock, now, merged) {
    if (clock - this.last > gap) this.late = 0;
    else this.late += ((now - clock > late ? 1 : 0) - this.late) / over;
    this.last = clock;
    // Fewer are late less often, so being on time is no reason to go back; that the eye can follow again is.
    const flooded = merged > (this.half ? flood / 2 : flood);
    this.half = flooded && (this.few || this.half || this.late > many);
    this.drew = !(this.half && this.drew);
    return this.drew;
  }
}
