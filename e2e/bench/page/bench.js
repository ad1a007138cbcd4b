// @ts-check
// Runs each WebAssembly program of the benchmark in a worker of its own, as
// informerscope's page does.
"use strict";

/** @type {Map<string, {worker: Worker, calls: Map<number, {resolve: (value: string) => void, reject: (why: Error) => void}>}>} */
const programs = new Map();
let lastCall = 0;

/** Loads a program; resolves with the milliseconds until it is ready. @param {string} name */
function load(name) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const worker = new Worker(`worker.js?${name}`);
    const program = { worker, calls: new Map() };
    worker.onerror = (e) => reject(new Error(e.message));
    worker.onmessage = ({ data }) => {
      if (data.ready) {
        programs.set(name, program);
        resolve(performance.now() - begin);
        return;
      }
      const call = program.calls.get(data.id);
      program.calls.delete(data.id);
      if (data.error) call.reject(new Error(data.error));
      else call.resolve(data.result);
    };
  });
}

/** Measures once; resolves with a result as JSON. @param {string} name @param {string} what a feed mode, or a pipeline task as JSON */
function measure(name, what) {
  return new Promise((resolve, reject) => {
    const { worker, calls } = programs.get(name);
    const id = ++lastCall;
    calls.set(id, { resolve, reject });
    worker.postMessage({ id, what });
  });
}
