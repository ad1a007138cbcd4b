// @ts-check
// The page's worker: it loads the Go program, says how far it has come, and
// reports its end. Everything else passes between the page and Go directly.
// See docs/protocol.md.
/* global Go */
'use strict';

/** The last lines that the Go program wrote; a panic's story is among them. @type {string[]} */
const said = [];

self.onmessage = (event) => {
  const init = event.data && event.data.init;
  if (!init) return;
  // Until the program listens, a call gets an error instead of no answer.
  self.onmessage = ({ data }) => data && data.id !== undefined && self.postMessage({ id: data.id, error: 'the informer is still being loaded' });
  // The browser frees a lock when its holder ends, however it ends.
  if (init.lock) self.navigator.locks.request(init.lock, () => new Promise(() => self.postMessage({ held: true }))).catch(() => {});
  start(init).catch((error) => crash(String((error && error.message) || error), String((error && error.stack) || '')));
};

/** @param {string} message @param {string} stack */
function crash(message, stack) {
  self.postMessage({ crash: { message, stack } });
}

/** @param {{token: string, relay: string, audience?: string, page?: string, lock?: string, wasm?: {gzip: string, size: number}}} init */
async function start(init) {
  // The page that is one file brings wasm_exec.js in front of this script.
  if (!self.Go) self.importScripts('wasm_exec.js');
  listen();
  self.informerscopeConfig = { token: init.token || '', relay: init.relay || '', audience: init.audience || '', page: init.page || '' };
  if (!self.Go) throw new Error('wasm_exec.js is not the one that belongs to this page');
  const go = new self.Go();
  const { body, total } = init.wasm ? unpack(init.wasm) : await download('informerscope.wasm');
  const { instance } = await instantiate(body, total, go.importObject);
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

/** @param {string} url @returns {Promise<{body: ReadableStream<Uint8Array>, total: number}>} */
async function download(url) {
  const response = await fetch(url);
  if (!response.ok || !response.body) {
    throw new Error(`${url}: the server answered ${response.status} ${response.statusText}. Was the page built? Run "make wasm".`);
  }
  // A compressed answer's length is not that of the bytes that arrive here.
  const total = Number(response.headers.get('x-informerscope-length') ||
    (response.headers.get('content-encoding') ? 0 : response.headers.get('content-length')) || 0);
  return { body: response.body, total };
}

/** @param {{gzip: string, size: number}} wasm @returns {{body: ReadableStream<Uint8Array>, total: number}} */
function unpack(wasm) {
  const step = 4 * 65536; // four characters are three bytes
  let at = 0;
  const packed = new ReadableStream({
    pull(out) {
      const text = atob(wasm.gzip.slice(at, at + step));
      at += step;
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
      out.enqueue(bytes);
      if (at >= wasm.gzip.length) out.close();
    },
  });
  return { body: packed.pipeThrough(new DecompressionStream('gzip')), total: wasm.size };
}

/**
 * Compiles the program while it arrives, and reports to the page how many bytes have arrived.
 * @param {ReadableStream<Uint8Array>} body @param {number} total @param {WebAssembly.Imports} imports
 */
async function instantiate(body, total, imports) {
  let loaded = 0;
  let told = 0;
  const counted = body.pipeThrough(new TransformStream({
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
