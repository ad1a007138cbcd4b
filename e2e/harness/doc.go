// Package harness has what the folders of end-to-end tests share: it builds and
// starts the server, opens pages, waits for a state, and compares what is drawn
// with what is so.
package harness
