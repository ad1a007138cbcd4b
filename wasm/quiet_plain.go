//go:build js && wasm && !steady

package main

// steady: Go's own runtime does not tell when nothing can run, and leaves to chance what is played on virtual time.
const steady = false

func awaitQuiet() {}
