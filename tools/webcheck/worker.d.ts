// What the worker's script finds in its global scope beside what the browser puts there: the toolchain's wasm_exec.js, which it loads,
// and what it leaves there for the program.

declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare interface WorkerGlobalScope {
  Go?: typeof Go;
  fs: { writeSync(fd: number, bytes: Uint8Array): number };
  informerscopeConfig: { token: string; relay: string; audience: string; page: string };
}
