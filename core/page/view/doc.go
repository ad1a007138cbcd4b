// Package view lets a page follow a log. A View has a position in the log that plays, pauses, steps and jumps, and makes frames: each carries the changes
// since the last one. A View folds nothing but the log. A frame has the fold's State at the position, the past of the stage's rows, and the density of the
// log in time. docs/dev/protocol.md describes a frame.
package view
