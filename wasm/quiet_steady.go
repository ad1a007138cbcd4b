//go:build js && wasm && steady

package main

import _ "unsafe" // for go:linkname

// steady: this is built with the runtime of tools/wasmpage/determinism. That detects when nothing can run, and replays a story the same way every time, so
// that a link leads to exactly one moment.
const steady = true

// awaitQuiet returns when no other goroutine can run. One goroutine at a time may call it.
//
//go:linkname awaitQuiet runtime.awaitQuiet
func awaitQuiet()
