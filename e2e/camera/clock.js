// The clock of the page and of its worker. Time stands still until __clock.step moves it, so the same steps give the same pictures, however
// busy the machine is. It runs before the page's first script, and before the worker's.
(() => {
  const page = typeof document === 'object';
  const real = { Date, Worker: globalThis.Worker };
  const epoch = Date.UTC(2026, 0, 1, 9);
  // In the worker each look at the clock takes a microsecond, so that what it measures is not nothing.
  const look = page ? 0 : 0.001;
  let now = 0;
  let serial = 0;
  /** @type {Map<number, {due: number, every?: number, run: () => void}>} */
  const timers = new Map();

  globalThis.Date = class extends real.Date {
    constructor(...args) {
      if (args.length) super(...args);
      else super(epoch + now);
    }
    static now() {
      return epoch + now;
    }
  };
  performance.now = () => (now += look);

  const plan = (run, wait, every) => {
    timers.set(++serial, { due: now + Math.max(0, Number(wait) || 0), every, run });
    soon();
    return serial;
  };
  const drop = (id) => void timers.delete(id);
  Object.assign(globalThis, {
    setTimeout: (f, wait, ...args) => plan(() => f(...args), wait),
    setInterval: (f, wait, ...args) => plan(() => f(...args), wait, Math.max(1, Number(wait) || 0)),
    clearTimeout: drop,
    clearInterval: drop,
  });

  let seed = 7;
  const chance = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
  Math.random = chance;
  Object.defineProperty(crypto, 'getRandomValues', { value: (a) => {
    for (let i = 0; i < a.length; i++) a[i] = chance() * 4294967296;
    return a;
  } });

  // Fires what is due by t, one timer after the other, each at its own time.
  const fire = async (t) => {
    for (;;) {
      let id = 0;
      for (const [i, x] of timers) if (x.due <= t && (!id || x.due < timers.get(id).due)) id = i;
      if (!id) break;
      const timer = timers.get(id);
      now = Math.max(now, timer.due);
      if (timer.every) timer.due += timer.every;
      else timers.delete(id);
      timer.run();
      await null;
    }
  };
  // What is due at once happens before the next message comes.
  let firing = Promise.resolve();
  let waiting = false;
  const soon = () => {
    if (page || waiting) return;
    waiting = true;
    firing = firing.then(() => {
      waiting = false;
      return fire(now);
    });
  };

  if (!page) {
    // A channel to oneself is a turn of the same queue.
    globalThis.MessageChannel = class {
      constructor() {
        const end = () => ({ onmessage: null });
        [this.port1, this.port2] = [end(), end()];
        this.port1.postMessage = (data) => void plan(() => this.port2.onmessage?.({ data }));
        this.port2.postMessage = (data) => void plan(() => this.port1.onmessage?.({ data }));
      }
    };
    addEventListener('message', (e) => {
      if (e.data?.clock === undefined) return;
      e.stopImmediatePropagation();
      firing = firing.then(async () => {
        await fire(e.data.clock);
        now = Math.max(now, e.data.clock);
        postMessage({ clock: e.data.clock });
      });
    });
    return;
  }

  Object.defineProperty(navigator, 'hardwareConcurrency', { value: 8 });
  let frames = new Map();
  globalThis.requestAnimationFrame = (f) => {
    frames.set(++serial, f);
    return serial;
  };
  globalThis.cancelAnimationFrame = (id) => void frames.delete(id);

  let worker;
  let asked = 0; // messages that the page sent
  let answered = () => {};
  const clock = (globalThis.__clock = { story: null, seq: 0, ready: false });
  globalThis.Worker = class extends real.Worker {
    constructor(...args) {
      super(...args);
      worker = this;
      this.addEventListener('message', (e) => {
        const { data } = e;
        if (data.clock !== undefined) {
          e.stopImmediatePropagation();
          answered();
        } else if (data.frame) {
          const frame = JSON.parse(new TextDecoder().decode(data.frame));
          if (frame.story !== undefined) clock.story = frame.story;
          clock.seq = frame.view.seq;
        } else if (data.ready) {
          clock.ready = true;
        }
      });
    }
    postMessage(m, ...rest) {
      asked++;
      super.postMessage(m, ...rest);
    }
  };
  // The worker goes on to the page's time, and all that the page asked is answered.
  const settle = async () => {
    do {
      asked = 0;
      await new Promise((resolve) => {
        answered = resolve;
        worker.postMessage({ clock: now });
        asked = 0;
      });
      await null;
    } while (asked);
  };

  // Transitions and animations of the styles follow the same clock.
  const begun = new WeakMap();
  const animate = () => {
    for (const a of document.getAnimations()) {
      if (!begun.has(a)) {
        begun.set(a, now);
        a.pause();
      }
      const at = now - begun.get(a);
      if (at >= a.effect.getComputedTiming().endTime) a.finish();
      else a.currentTime = at;
    }
  };

  /** Lets so many milliseconds pass in one animation frame. */
  clock.step = async (millis) => {
    const t = now + millis;
    if (asked) await settle(); // what a key or a click asked for
    await fire(t);
    now = t;
    await settle();
    const due = frames;
    frames = new Map();
    for (const f of due.values()) f(now);
    await settle();
    animate();
  };
  /** Lets time pass until something holds, for at most so many milliseconds. An error counts as not yet. */
  clock.until = async (holds, most) => {
    for (const end = now + most; now <= end; await clock.step(1000 / 60)) {
      await settle();
      try {
        if (await holds()) return true;
      } catch {}
    }
    return false;
  };
})();
