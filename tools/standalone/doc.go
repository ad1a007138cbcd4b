// Command standalone makes one HTML file of the page in web/: styles and the ES modules (bundled by esbuild) stand
// inline, the worker and the WebAssembly program ride along as data, and a Content-Security-Policy with the hashes of
// what may run allows nothing else and no connection at all. The file opens from disk, with no server and no network,
// and runs the simulated cluster and recordings. It is a module of its own, so that the bundler is a dependency of
// nothing that is served.
package main
