//go:build js && wasm && !steady

package main

// steady: Go's own runtime cannot detect that nothing can run, and leaves the order of events on virtual time to chance.
const steady = false

func awaitQuiet() {}
