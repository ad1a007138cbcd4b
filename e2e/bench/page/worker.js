// @ts-check
// Loads the program that the worker's query names, and calls its bench function.
"use strict";

importScripts("wasm_exec.js");

globalThis.benchReady = () => postMessage({ ready: true });

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, result: await globalThis.bench(data.what) });
  } catch (e) {
    postMessage({ id: data.id, error: String(e) });
  }
};

(async () => {
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(`${location.search.slice(1)}.wasm`), go.importObject);
  await go.run(instance);
})();
