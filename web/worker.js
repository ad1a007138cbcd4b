// @ts-check
// The page's worker: it loads the Go program, says how far it has come, and
// reports its end. Everything else passes between the page and Go directly.
// See docs/protocol.md.
/* global importScripts, Go */
'use strict';

/** The last lines that the Go program wrote; a panic's story is among them. @type {string[]} */
const said = [];

self.onmessage = (event) => {
  const init = event.data && event.data.init;
  if (!init) return;
  self.onmessage = null;
  start(init).catch((error) => crash(String((error && error.message) || error), String((error && error.stack) || '')));
};

/** @param {string} message @param {string} stack */
function crash(message, stack) {
  self.postMessage({ crash: { message, stack } });
}

/** @param {{token: string, relay: string}} init */
async function start(init) {
  self.importScripts('wasm_exec.js');
  listen();
  self.informerscopeConfig = { token: init.token || '', relay: init.relay || '' };
  const go = new self.Go();
  const { instance } = await instantiate('informerscope.wasm', go.importObject);
  self.postMessage({ progress: { stage: 'start', loaded: 0, total: 0 } });
  await go.run(instance);
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
  self.fs.writeSync = (/** @type {number} */ fd, /** @type {Uint8Array} */ bytes) => {
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

/**
 * Fetches and compiles at the same time, and tells the page the bytes that have come.
 * @param {string} url @param {WebAssembly.Imports} imports
 */
async function instantiate(url, imports) {
  const response = await fetch(url);
  if (!response.ok || !response.body) {
    throw new Error(`${url}: the server answered ${response.status} ${response.statusText}. Was the page built? Run "make wasm".`);
  }
  // A compressed answer's length is not that of the bytes that arrive here.
  const total = Number(response.headers.get('x-informerscope-length') ||
    (response.headers.get('content-encoding') ? 0 : response.headers.get('content-length')) || 0);
  let loaded = 0;
  let told = 0;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      if (loaded - told > 65536 || loaded === total) {
        told = loaded;
        self.postMessage({ progress: { stage: 'download', loaded, total } });
      }
      out.enqueue(chunk);
    },
    flush() {
      self.postMessage({ progress: { stage: 'compile', loaded, total } });
    },
  }));
  return WebAssembly.instantiateStreaming(new Response(counted, { headers: { 'content-type': 'application/wasm' } }), imports);
}
