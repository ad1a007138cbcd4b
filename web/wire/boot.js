// @ts-check
// What needs none of the page's other modules begins before they have come: the worker starts, and loads its program. link.js takes it over.

// What the page carries inside itself when it is one file (`make standalone`).
const script = document.getElementById('carried-worker');
const wasm = document.getElementById('carried-wasm');

export const worker = new Worker(script ? URL.createObjectURL(new Blob([script.textContent ?? ''], { type: 'text/javascript' }))
  : new URL('../worker.js', import.meta.url), { name: 'informerscope' });

if (wasm) {
  worker.postMessage({ archive: { base64: (wasm.textContent ?? '').trim(), size: Number(wasm.dataset.size) || 0 } });
  wasm.remove(); // these millions of characters are not needed twice
}

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

/**
 * Why there is nothing to talk to: the worker did not start or threw an error. It may come before link.js asks.
 * @type {Promise<{message: string, stack: string}>}
 */
export const failure = new Promise((resolve) => {
  worker.onerror = (e) => {
    e.preventDefault();
    resolve({ message: e.message || 'the worker could not be started: worker.js or what it loads is missing',
      stack: e.filename ? `${e.filename}:${e.lineno}` : '' });
  };
});
