// Package event has the events of the log: what happens inside an informer, in a work queue and in their surroundings. members.go says what the events of each
// kind carry, kinds.go their names and subjects. A Chunk keeps many events in little memory.
package event
