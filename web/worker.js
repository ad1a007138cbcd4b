// @ts-check
// The page's worker: it runs the Go program, and reports its end. Everything else passes between the page and Go directly.
// See docs/dev/protocol.md.
/* global Go */
'use strict';

/** The last lines that the Go program wrote; a panic's story is among them. @type {string[]} */
const said = [];

/** @typedef {{token: string, relay: string, audience?: string, page?: string, lock?: string}} Init */

// What the page sends first, in either order.
/** @type {Init | undefined} */
let init;
/** @type {WebAssembly.Module | undefined} */
let module;

// The worker begins before the page listens, and says nothing until it got `init`.
self.onmessage = ({ data }) => {
  if (data?.init) {
    init = data.init;
    // The browser frees a lock when its holder ends, however it ends.
    if (data.init.lock) self.navigator.locks.request(data.init.lock, () => new Promise(() => self.postMessage({ held: true }))).catch(() => {});
  } else if (data?.module) {
    module = data.module;
  } else {
    // Until the program listens, a call gets an error instead of no answer.
    if (data?.id !== undefined) self.postMessage({ id: data.id, error: 'the informer is still being loaded' });
    return;
  }
  if (init && module) start(init, module).catch((error) => crash(String((error && error.message) || error), String((error && error.stack) || '')));
};

self.onmessageerror = () => crash('a message from the page could not be read', '');

// What nothing catches in a promise does not end the worker, and the page says it.
self.addEventListener('unhandledrejection', ({ reason }) => self.postMessage({ failed: String((reason && reason.message) || reason) }));

// The page that is one file brings wasm_exec.js in front of this script.
if (!self.Go) self.importScripts('wasm_exec.js');

/** @param {string} message @param {string} stack */
function crash(message, stack) {
  self.postMessage({ crash: { message, stack } });
}

/** @param {Init} init @param {WebAssembly.Module} module */
async function start(init, module) {
  if (!self.Go) throw new Error('wasm_exec.js is not the one that belongs to this page');
  listen();
  self.informerscopeConfig = { token: init.token || '', relay: init.relay || '', audience: init.audience || '', page: init.page || '' };
  const go = new self.Go();
  self.postMessage({ progress: { stage: 'start', loaded: 0, total: 0 } });
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  const text = said.join('\n');
  const at = text.lastIndexOf('panic:');
  const fatal = at < 0 ? text.lastIndexOf('fatal error:') : at;
  const story = fatal < 0 ? text : text.slice(fatal);
  crash(story.split('\n')[0] || 'The informer ended without a word.', story);
}

// Go writes to standard error through fs.writeSync; a panic must reach the page, not only the console.
function listen() {
  const decoder = new TextDecoder();
  let rest = '';
  self.fs.writeSync = (_, bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() || '';
    for (const line of lines) {
      said.push(line);
      if (said.length > 400) said.shift();
      console.error(line);
    }
    return bytes.length;
  };
}
