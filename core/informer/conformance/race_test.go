//go:build race

package conformance

// raceEnabled reports whether the race detector is on, which makes the tests many times slower.
const raceEnabled = true
