//go:build js && wasm && steady

package main

import _ "unsafe" // for go:linkname

// canAwaitQuiet: this is built with the runtime that wasm/slim makes.
const canAwaitQuiet = true

// awaitQuiet returns when no other goroutine can run. One goroutine at a time may call it.
//
//go:linkname awaitQuiet runtime.awaitQuiet
func awaitQuiet()
