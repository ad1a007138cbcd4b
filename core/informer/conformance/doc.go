// Package conformance holds the proof that core/informer behaves as client-go
// does: era 1.37 as v0.37.2, and each older era as the release it is named
// after. It has no code of its own, only tests.
//
// The scripts, and what plays them, are in the package play. TestItem plays
// the table: a script or more for each numbered behaviour. TestRandomSchedules
// makes up clusters, operations and faults from seeds, checks invariants of our
// informer in the same runs, and shrinks what fails to a script that is as
// short as it gets. Era 1.37 is compared with client-go v0.37.2 as it runs. The
// older releases are compiled and played to by e2e/releases; what they answered
// is in testdata, and `make releases` has them answer anew.
//
// docs/conformance.md is written from the table, and a test sees to it that it
// stays so.
package conformance
