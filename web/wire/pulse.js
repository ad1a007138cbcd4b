// @ts-check
// Whether the worker still lives. A crash reports itself. A worker that the browser ends is silent, and so is a busy one. Where there are
// Web Locks the worker holds one for as long as it exists, so a request for that lock is granted exactly when it has ended. Everywhere a
// silent worker gets a cheap call, and a call that stays unanswered is reported.

/** Seconds of silence before a call checks the worker: a paused view gets no frames. */
const asks = 5;
/** Seconds without an answer until the page reports that it waits. */
const tells = 10;
/** Seconds without an answer until a worker that holds no lock is given up; reading a large recording takes minutes. */
const patience = 30;
const longPatience = 300;

export class Pulse {
  /**
   * @param {{ask: () => void, long: () => boolean, silent: (seconds: number) => void, lost: () => void, ended: () => void}} o
   *   `long`: something is being done that may take minutes; `lost` comes before an answer may come after all, `ended` is the end
   * @param {(tick: () => void, millis: number) => any} [every]
   */
  constructor(o, every = (tick, millis) => setInterval(tick, millis)) {
    this.o = o;
    this.lock = navigator.locks ? `informerscope ${Date.now()} ${Math.random()}` : '';
    this.isHeld = false;
    this.quiet = 0;
    this.waits = -1;
    this.over = false;
    // Ticks are counted and not the clock: of a laptop that slept, or a thread that was busy, there is one tick and not many.
    every(() => this.tick(), 1000);
  }

  /** The worker has the lock: now it can only be had when the worker is gone. */
  watch() {
    this.isHeld = true;
    navigator.locks.request(this.lock, () => this.o.ended()).catch(() => {});
  }

  /** Something came from the worker. */
  noteNews() {
    if (this.waits >= tells) this.o.silent(0);
    this.quiet = 0;
    this.waits = -1;
  }

  stop() {
    this.over = true;
  }

  tick() {
    if (this.over) return;
    // The timers of a hidden tab are slow, and it asks for nothing.
    if (document.hidden) return this.noteNews();
    if (this.waits < 0) {
      if (++this.quiet < asks) return;
      this.waits = 0;
      return this.o.ask();
    }
    this.waits++;
    if (this.waits >= tells) this.o.silent(this.waits);
    if (!this.isHeld && this.waits === (this.o.long() ? longPatience : patience)) this.o.lost();
  }
}
