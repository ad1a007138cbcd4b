// Package view is how a page follows a log: a position in it that plays, pauses, steps and jumps, and the frames that carry what changed
// since the last one. A View folds nothing but the log. It sends what the fold says at its position, what passed on the way there (for the
// eye), and how dense the log is in time. docs/protocol.md describes a frame.
package view
