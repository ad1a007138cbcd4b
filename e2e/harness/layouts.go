package harness

import "flag"

var everyLayout = flag.Bool("layouts.all", false, "look at the page in each layout, as make judges does, and not only in those that differ most")

// EveryLayout reports whether the tests look at the page in each layout.
func EveryLayout() bool { return *everyLayout }

// Layouts returns the first n layouts, which are those that differ most, or all of them if the tests look at each.
func Layouts[T any](n int, all []T) []T {
	if EveryLayout() {
		return all
	}
	return all[:n]
}
