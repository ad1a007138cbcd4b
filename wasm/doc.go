//go:build js && wasm

// Package main is the page's worker: it carries calls from the page to a
// lab.Lab and frames from a view.View back, and gives the lab the browser's
// WebSocket as a net.Conn. It decides nothing of its own. What passes between
// the page and it is written down in docs/dev/protocol.md.
package main
