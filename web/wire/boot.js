// @ts-check
// What needs none of the page's other modules begins before they have come: the worker starts, and its program is loaded and compiled.
// link.js takes both over.

/** @typedef {{stage: string, loaded: number, total: number}} Progress */

// What the page carries inside itself when it is one file (`make standalone`).
const script = document.getElementById('carried-worker');
const wasm = document.getElementById('carried-wasm');

export const worker = new Worker(script ? URL.createObjectURL(new Blob([script.textContent ?? ''], { type: 'text/javascript' }))
  : new URL('../worker.js', import.meta.url), { name: 'informerscope' });

/** The keys that were pressed while the page loads. */
const pressed = /** @type {KeyboardEvent[]} */ ([]);
const mostKeys = 64;

/** Keeps a key for the page that is to come; what somebody types, and the browser's own keys, are left alone. @param {KeyboardEvent} e */
function keepKey(e) {
  const at = /** @type {HTMLElement} */ (e.target);
  if (!e.isTrusted || e.ctrlKey || e.metaKey || e.altKey || /^(Tab|F\d+|Shift|Escape)$/.test(e.key)) return;
  if (at.closest?.('input, textarea, select, button, a, dialog')) return;
  e.stopImmediatePropagation();
  e.preventDefault();
  if (pressed.length < mostKeys) pressed.push(e);
}
addEventListener('keydown', keepKey, true);

/** Plays the keys that were kept, in their order. From now on the page takes each key itself. */
export function playKeys() {
  removeEventListener('keydown', keepKey, true);
  for (const { key, code, shiftKey } of pressed.splice(0)) {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true }));
  }
}

/** How far the program has come. @type {Progress} */
let progress = { stage: 'download', loaded: 0, total: 0 };
let tell = (/** @type {Progress} */ _) => {};

/**
 * Reports from now on how far the program has come, until the worker has it.
 * @param {(p: Progress) => void} f
 */
export function follow(f) {
  tell = f;
  tell(progress);
}

/** @param {Progress} p */
function advance(p) {
  progress = p;
  tell(p);
}

/**
 * Why there is nothing to talk to: the worker did not start or threw an error, or has no program. It may come before link.js asks.
 * @type {Promise<{message: string, stack: string}>}
 */
export const failure = new Promise((resolve) => {
  worker.onerror = (e) => {
    e.preventDefault();
    resolve({ message: e.message || 'the worker could not be started: worker.js or what it loads is missing',
      stack: e.filename ? `${e.filename}:${e.lineno}` : '' });
  };
  program().then((module) => worker.postMessage({ module })).catch((err) => resolve({ message: String(err?.message || err), stack: String(err?.stack ?? '') }));
});

/** Compiles the program while it arrives, and reports how many bytes have arrived. */
async function program() {
  const { body, total } = wasm ? unpack(wasm) : await download('informerscope.wasm');
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

/** @param {string} name @returns {Promise<{body: ReadableStream<Uint8Array>, total: number}>} */
async function download(name) {
  const response = await fetch(new URL(`../${name}`, import.meta.url)); // as index.html preloads it
  if (!response.ok || !response.body) {
    throw new Error(`${name}: the server answered ${response.status} ${response.statusText}. Was the page built? Run "make wasm".`);
  }
  // A compressed answer's length is not that of the bytes that arrive here.
  const total = Number(response.headers.get('x-informerscope-length') ||
    (response.headers.get('content-encoding') ? 0 : response.headers.get('content-length')) || 0);
  return { body: response.body, total };
}

/** @param {HTMLElement} data base64 of gzip @returns {{body: ReadableStream<Uint8Array>, total: number}} */
function unpack(data) {
  const text = (data.textContent ?? '').trim();
  data.remove(); // these millions of characters are not needed twice
  const step = 4 * 65536; // four characters are three bytes
  let at = 0;
  const gzip = new ReadableStream({
    pull(out) {
      const part = atob(text.slice(at, at + step));
      at += step;
      const bytes = new Uint8Array(part.length);
      for (let i = 0; i < part.length; i++) bytes[i] = part.charCodeAt(i);
      out.enqueue(bytes);
      if (at >= text.length) out.close();
    },
  });
  return { body: gzip.pipeThrough(new DecompressionStream('gzip')), total: Number(data.dataset.size) || 0 };
}
