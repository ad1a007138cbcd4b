// Keeps what goes wrong in a document and in its workers. It runs before all other scripts of either.
'use strict';
(() => {
  /** @type {{kind: string, where: string, text: string}[]} */
  const kept = [];
  const inPage = typeof document !== 'undefined';
  const where = inPage ? 'page' : 'worker ' + self.location.href;
  const wire = new BroadcastChannel('informerscope-e2e-problems');
  const add = (kind, text) => {
    const problem = { kind, where, text: String(text) };
    if (inPage) kept.push(problem);
    else wire.postMessage(problem);
  };
  if (inPage) {
    wire.onmessage = (event) => kept.push(event.data);
    Object.defineProperty(globalThis, '__problems', { value: () => kept.splice(0) });
  }
  const words = (args) => args.map((a) => {
    if (typeof a === 'string') return a;
    if (a instanceof Error) return `${a.name}: ${a.message}`;
    try { return JSON.stringify(a); } catch { return String(a); }
  }).join(' ');
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
    const old = console[level];
    console[level] = (...args) => {
      add('console ' + level, words(args));
      old.apply(console, args);
    };
  }
  console.assert = (holds, ...args) => { if (!holds) add('console error', 'assertion failed: ' + words(args)); };
  // In the capturing phase the errors of elements that could not load come here too.
  addEventListener('error', (event) => {
    const el = event.target;
    if (inPage && el instanceof Element) add('request', `${el.tagName.toLowerCase()} ${el.src || el.href} could not be loaded`);
    else add('exception', event.error ? words([event.error]) : event.message);
  }, true);
  addEventListener('unhandledrejection', (event) => add('exception', words([event.reason])));
  addEventListener('securitypolicyviolation', (event) => {
    add('log', `Content Security Policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`);
  }, true);
})();
