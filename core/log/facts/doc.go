// Package facts has the types of what is true of a moment beside the plain State of a fold. core/page/view computes Facts,
// core/ask/compare a Comparison, from the log alone; a Fold computes a Factory.
package facts
