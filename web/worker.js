// @ts-check
// The page's worker: it loads and runs the Go program, and reports its end. Everything else passes between the page and Go directly.
// See docs/dev/protocol.md.
/* global Go */
'use strict';

/** The last lines that the Go program wrote; a panic's story is among them. @type {string[]} */
const said = [];

/** @typedef {{base64: string, size: number}} Archive a page that is one file has the program as base64 of gzip */

// A blob's address begins so: then the page carries the program, and sends it.
const isCarried = self.location.protocol === 'blob:';

/** @type {(archive: Archive) => void} */
let bring = () => {};
/** The compiled program. @type {Promise<WebAssembly.Module>} */
const program = isCarried ? new Promise((resolve) => (bring = (archive) => resolve(compile(unpack(archive))))) : download('informerscope.wasm').then(compile);
program.catch(() => {}); // start() reports it

/** Whether the page listens: the worker begins before it does. */
let hasListener = false;
/** How far the program has come. */
let progress = { stage: 'download', loaded: 0, total: 0 };

self.onmessage = ({ data }) => {
  if (data?.init) {
    hasListener = true;
    // The browser frees a lock when its holder ends, however it ends.
    if (data.init.lock) self.navigator.locks.request(data.init.lock, () => new Promise(() => self.postMessage({ held: true }))).catch(() => {});
    self.postMessage({ progress });
    start(data.init).catch((error) => crash(String((error && error.message) || error), String((error && error.stack) || '')));
  } else if (data?.archive) {
    bring(data.archive);
  } else if (data?.id !== undefined) {
    // Until the program listens, a call gets an error instead of no answer.
    self.postMessage({ id: data.id, error: 'the informer is still being loaded' });
  }
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

/** @typedef {{body: ReadableStream<Uint8Array>, total: number}} Source the bytes of the program, and how many there are; 0 if that is unknown */

/** @param {string} name @returns {Promise<Source>} */
async function download(name) {
  const response = await fetch(new URL(name, self.location.href));
  if (!response.ok || !response.body) {
    throw new Error(`${name}: the server answered ${response.status} ${response.statusText}. Was the page built? Run "make wasm".`);
  }
  // A compressed answer's length is not that of the bytes that arrive here.
  const total = Number(response.headers.get('x-informerscope-length') ||
    (response.headers.get('content-encoding') ? 0 : response.headers.get('content-length')) || 0);
  return { body: response.body, total };
}

/** @param {Archive} archive @returns {Source} */
function unpack({ base64, size }) {
  const step = 4 * 65536; // four characters are three bytes
  let at = 0;
  const gzip = new ReadableStream({
    pull(out) {
      const part = atob(base64.slice(at, at + step));
      at += step;
      const bytes = new Uint8Array(part.length);
      for (let i = 0; i < part.length; i++) bytes[i] = part.charCodeAt(i);
      out.enqueue(bytes);
      if (at >= base64.length) out.close();
    },
  });
  return { body: gzip.pipeThrough(new DecompressionStream('gzip')), total: size };
}

/** Compiles the program while it arrives, and reports how many bytes have arrived. @param {Source} source */
function compile({ body, total }) {
  let loaded = 0;
  let reportedBytes = 0;
  const counted = body.pipeThrough(new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      if (loaded - reportedBytes > 65536 || loaded === total) {
        reportedBytes = loaded;
        advance({ stage: 'download', loaded, total });
      }
      out.enqueue(chunk);
    },
    flush: () => advance({ stage: 'compile', loaded, total }),
  }));
  return WebAssembly.compileStreaming(new Response(counted, { headers: { 'content-type': 'application/wasm' } }));
}

/** @param {typeof progress} p */
function advance(p) {
  progress = p;
  if (hasListener) self.postMessage({ progress });
}

/** @param {{token: string, relay: string, audience?: string, page?: string, lock?: string}} init */
async function start(init) {
  if (!self.Go) throw new Error('wasm_exec.js is not the one that belongs to this page');
  listen();
  self.informerscopeConfig = { token: init.token || '', relay: init.relay || '', audience: init.audience || '', page: init.page || '' };
  const go = new self.Go();
  const module = await program;
  advance({ stage: 'start', loaded: 0, total: 0 });
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
