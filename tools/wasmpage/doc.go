// Command wasmpage builds the page's program, informerscope.wasm.gz, and puts the wasm_exec.js of the same toolchain beside it.
//
// Two packages change the sources from which it is built: size leaves out of the program what a page never does, and determinism takes
// chance out of the scheduler. Both change copies of the sources of the toolchain and of the modules that build (package toolchain), so
// this repository keeps none of them.
//
// Where those sources are not as expected, the page is built without one or both of these changes. Then wasmpage says in one line on
// standard error what is lost: the page is larger to download, or it shares moments as files and not as links. Everything else works as
// ever. With -strict that is an error.
//
// Usage, in the module's root:
//
//	go run ./tools/wasmpage [-strict | -plain] [-goroot DIR] [-work DIR] -o DIR
package main
