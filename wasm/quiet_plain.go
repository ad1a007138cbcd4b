//go:build js && wasm && !steady

package main

// canAwaitQuiet: Go's own runtime does not tell.
const canAwaitQuiet = false

func awaitQuiet() {}
