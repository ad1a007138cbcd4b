// Package testdata has comments for the rules.
package testdata

// <!-- finds Plain.Terms -->

// - Two eras run side by side.
func one() {}

/*
- Two eras run in a block.
*/
func two() {
	three() // - A pin is on the queue.
}

// <!-- finds Plain.Length -->

// - w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 w26 w27 w28 w29 w30 w31 w32 w33.

// <!-- finds Vale.Repetition -->

// - The the store.

// <!-- finds nothing -->

// Code is [Eras], lab.Lab is too, and what is indented:
//
//	two eras
func three() {
	_ = "// - Two eras run in a string."
}

// - These comments have no full stop, and Vale joins them
type fields struct {
	a int // - one two three four five six seven eight
	b int // - one two three four five six seven eight
	c int // - one two three four five six seven eight
	d int // - one two three four five six seven eight
	e int // - one two three four five six seven eight
}
