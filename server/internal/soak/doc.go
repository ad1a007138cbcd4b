// Package soak plays the whole system in one process, on virtual time, with faults from a seed.
//
// A simulated cluster is behind an API server with TLS, HTTP/2, bearer tokens and rules. In front of it is the relay with its guard, its kubeconfig
// and client-go's transport. Several pages watch through the relay, each with the client that the page has: core/wire/socket on a WebSocket, core/lab with
// a live source, informers of every release. Only the wires between them, and their faults, are simulated.
//
// A seed makes a Script: writes to the cluster, faults, and what people at the pages do. After the last op everything is healed. Then the invariants
// of every informer of every page are checked. Its store equals the cluster, and the fold of the log equals the informer. Every handler got the last
// state of every object, and only states that existed, in their order. When all is closed no goroutine is left.
//
// The scheduler orders what happens within one instant of virtual time, so a seed fixes a script but not the order of goroutines. A failure prints its seed,
// its script and the shortest script that still fails. To play a seed again, twenty times or -soak.times=n:
//
//	go test ./server/internal/soak -run TestSoak -v -soak.seed=4711
//
// JavaScript, the painted page, TCP and credential plugins are left out. A relay that is paused has frozen networks, but its timers run.
package soak
