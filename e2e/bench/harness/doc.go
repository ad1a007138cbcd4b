// Package harness is what both WebAssembly programs of the benchmark share. It offers globalThis.bench(what) to the page, runs one informer
// on the feed, and measures from the start of the informer to its handler's last call. Only the informer differs between the programs.
package harness
