// @ts-check
// The page's end of the contract in docs/dev/protocol.md: calls with answers, frames only when asked for, true progress of
// the loading, and the worker's last words.
import { failure, worker } from './boot.js';
import { Pulse } from './pulse.js';

/** @typedef {import('./types.js').Frame} Frame */
/** @typedef {{message: string, stack: string, end?: 'lost' | 'ended'}} Crash `end`: it ended without a message of its own */

/** Calls whose time grows with the log. */
const long = ['load', 'record', 'export'];

/** The error of a selection that a later one replaced before its cluster had answered. */
export class Superseded extends Error {}

export class Link {
  /**
   * @param {{
   *   init: {fragment: string, token: string, relay: string, audience: string, page: string},
   *   progress: (p: {stage: string, loaded: number, total: number}) => void,
   *   ready: (exact: boolean, go: string) => void,
   *   crash: (c: Crash) => void,
   *   onAir: (is: import('../hall/broadcast.js').OnAir) => void,
   *   failed: (message: string) => void,
   *   hearing: (is: import('../hall/audience.js').Hearing) => void,
   *   silent: (seconds: number) => void,
   *   came: (frame: Frame) => void
   * }} o `crash` with `lost` is taken back by `silent(0)`: the worker answers after all
   */
  constructor(o) {
    this.o = o;
    this.next = 1;
    /** @type {Map<number, {call: string, resolve: (v: any) => void, reject: (e: Error) => void}>} */
    this.open = new Map();
    /** The newest frame that was not painted yet. @type {Frame | null} */
    this.frame = null;
    this.isAsked = false;
    this.alive = false;
    this.dead = false;
    this.decoder = new TextDecoder();
    this.worker = worker;
    this.worker.onmessage = (e) => this.receive(e.data);
    this.worker.onmessageerror = () => this.end({ message: 'a message from the worker could not be read', stack: '' });
    this.pulse = new Pulse({
      // Any answer will do, an error too.
      ask: () => this.worker.postMessage({ id: 0, call: 'checkStory', args: [''] }),
      long: () => [...this.open.values()].some((c) => long.includes(c.call)),
      silent: o.silent,
      lost: () => o.crash({ message: '', stack: '', end: 'lost' }),
      ended: () => this.end({ message: 'the worker ended', stack: '', end: 'ended' }),
    });
    this.worker.postMessage({ init: { ...o.init, lock: this.pulse.lock } });
    failure.then((c) => this.end(c));
  }

  /** @param {any} m @private */
  receive(m) {
    if (!m || this.dead) return;
    this.pulse.noteNews();
    if (m.frame) {
      this.isAsked = false;
      try {
        this.frame = /** @type {Frame} */ (JSON.parse(this.decoder.decode(m.frame)));
        this.o.came(this.frame);
      } catch (err) {
        this.end({ message: `a frame from the worker is not JSON: ${err instanceof Error ? err.message : err}`, stack: '' });
      }
    } else if (m.progress) {
      this.o.progress(m.progress);
    } else if (m.onAir) {
      this.o.onAir(m.onAir);
    } else if (m.hearing) {
      this.o.hearing(m.hearing);
    } else if (m.held) {
      this.pulse.watch();
    } else if (m.ready) {
      this.alive = true;
      this.o.ready(!!m.exact, String(m.go ?? ''));
    } else if (m.failed) {
      this.o.failed(String(m.failed));
    } else if (m.crash) {
      this.end({ message: m.crash.message ?? String(m.crash), stack: m.crash.stack ?? '' });
    } else if (m.id !== undefined) {
      const call = this.open.get(m.id);
      if (!call) return;
      this.open.delete(m.id);
      if (m.error !== undefined && m.error !== null && m.error !== '') call.reject(m.superseded ? new Superseded(m.error) : new Error(m.error));
      else call.resolve(m.result);
    }
  }

  /** @param {Crash} c @private */
  end(c) {
    if (this.dead) return;
    this.dead = true;
    this.pulse.stop();
    this.alive = false;
    for (const { reject } of this.open.values()) reject(new Error(`the informer has stopped: ${c.message}`));
    this.open.clear();
    this.frame = null;
    this.o.crash(c);
  }

  /**
   * Carries out a command in the worker. It is rejected with the worker's words when that fails. A buffer that is given goes to the
   * worker, and is empty here afterwards.
   * @param {string} call
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  call(call, args) {
    if (this.dead) return Promise.reject(new Error('the informer has stopped; reload the page to start it again'));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.open.set(id, { call, resolve, reject });
      this.worker.postMessage({ id, call, args }, args.filter((a) => a instanceof ArrayBuffer));
    });
  }

  /** Reports that the page is ready to paint; at most one frame follows. */
  want() {
    if (this.frame || !this.alive || this.isAsked) return;
    this.worker.postMessage({ want: true });
    this.isAsked = true;
  }

  /** The frame to paint now, if one has come. */
  take() {
    const f = this.frame;
    this.frame = null;
    return f;
  }
}
