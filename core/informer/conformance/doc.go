// Package conformance holds the proof that core/informer behaves as client-go
// v0.37.2 does. It has no code of its own, only tests.
//
// One scripted API server, which keeps a small cluster with a history, plays
// the same script to client-go's informer and to ours, each in a synctest
// bubble of its own, so that time is exact. Both draw their random numbers
// from the same seed, so that jitter and watch timeouts are exact too. What
// the server is asked and when, what every handler is told and when, and what
// the store, its indices and the lamps show at every quiet moment must then be
// equal, down to which copy of an object it is.
//
// What client-go leaves to the order of a Go map is compared with that order
// taken out, and nothing else is: see canonical.
//
// TestItem is the table: a script or more for each numbered behaviour.
// TestRandomSchedules makes up clusters, operations and faults from seeds,
// checks invariants of our informer in the same runs, and shrinks what fails
// to a script that is as short as it gets. docs/conformance.md is written from
// the table, and a test sees to it that it stays so.
package conformance
