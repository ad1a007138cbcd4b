// Package needles finds any of a few long byte strings in text that almost never has one. It looks at every tenth byte or so, however
// many strings there are, so that what is let through costs next to nothing to look at.
package needles
