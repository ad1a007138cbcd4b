// Package layout finds the directories of the checkout that the end-to-end
// tests and the benchmark work in, from wherever inside it they are started.
package layout
