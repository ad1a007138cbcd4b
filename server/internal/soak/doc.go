// Package soak plays the whole system in one process, on virtual time, with faults from a seed.
//
// A simulated cluster stands behind an API server with TLS, HTTP/2, bearer tokens and rules. The relay stands before it with its guard, its
// kubeconfig and client-go's transport. Several pages look through the relay, each with the client that the page has: core/socket on a
// WebSocket, core/lab with a live source, informers of every release. Only the wires between them are made here, and what breaks on them.
//
// A seed makes a Script: writes to the cluster, faults, and what people at the pages do. After the last one everything is healed. Then
// every informer of every page is checked for what must hold whatever happened. Its store is the cluster, and the log folded is what is
// inside. Every handler got the last state of every object, got nothing that never was, and nothing went backwards. When all is closed no
// goroutine is left.
//
// What happens within one instant of virtual time is up to the scheduler, so that a seed is a script and not an order of goroutines.
package soak
