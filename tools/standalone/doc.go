// Command standalone makes one HTML file of the page in web/. Styles and the ES modules (bundled by esbuild) are inline, and the worker and
// the WebAssembly program are data. A Content-Security-Policy with the hashes of what may run allows nothing else and no connection at all.
// The file opens from disk, with no server and no network, and runs the simulated cluster and recordings. The command is a module of its
// own, so that the bundler is a dependency of nothing that is served.
package main
