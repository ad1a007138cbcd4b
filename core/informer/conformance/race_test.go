//go:build race

package conformance

// raceEnabled: the race detector is on, and everything takes many times as long.
const raceEnabled = true
