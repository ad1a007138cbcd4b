//go:build js && wasm && steady

package main

import _ "unsafe" // for go:linkname

// steady: this is built with the runtime that tools/wasmpage/determinism makes. It tells when nothing can run, and plays a story the same way
// every time, so that a link is exactly a moment.
const steady = true

// awaitQuiet returns when no other goroutine can run. One goroutine at a time may call it.
//
//go:linkname awaitQuiet runtime.awaitQuiet
func awaitQuiet()
