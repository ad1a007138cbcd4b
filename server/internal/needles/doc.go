// Package needles finds any of a few long byte strings in text that rarely contains one. It examines about every tenth byte, however many strings
// there are, so that text without one costs little time.
package needles
