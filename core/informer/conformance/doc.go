// Package conformance proves that core/informer behaves as client-go does: 1.37 as v0.37.2, and each older release as the one that it is
// named after. It has no code of its own, only tests.
//
// The scripts, and what plays them, are in the package play. TestItem plays the table: a script or more for each numbered behaviour.
// TestRandomSchedules makes up clusters, operations and faults from seeds and checks invariants of our informer in the same runs. It
// shrinks what fails to the shortest script that still fails. 1.37 is compared with client-go v0.37.2 as it runs. e2e/releases compiles the
// older releases and plays to them. Their answers are in testdata, and `make releases` asks them again.
//
// docs/conformance.md is written from the table, and a test keeps it so.
package conformance
