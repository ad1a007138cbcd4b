// Package facts has the types of what is true of a moment beside the plain State of a fold. core/page/view computes Facts
// from the log alone; a Fold computes a Factory and a Fork.
package facts
