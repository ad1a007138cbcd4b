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

// - This sentence has one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty words and more than that, by just one single word.

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
