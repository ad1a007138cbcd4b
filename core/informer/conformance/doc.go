// Package conformance tests that core/informer behaves as client-go does. Release 1.37 is compared with v0.37.2, and each older release with the
// version of that release. The package contains only tests.
//
// Package play has the scripts and the code that plays them. TestItem plays the table: one or more scripts for each numbered behaviour.
// TestRandomSchedules generates clusters, operations and faults from seeds, and also checks invariants of our informer. It shrinks a script that fails
// to the shortest one that still fails. Release 1.37 is compared with client-go v0.37.2 in the same process. The programs of e2e/releases contain the
// older versions of client-go. Their answers are recorded in testdata, and `make releases` runs them again.
//
// The table generates docs/dev/conformance.md, and TestDocument checks that the page is up to date.
package conformance
