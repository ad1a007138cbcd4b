// Package proc runs the programs that the end-to-end tests need, so that none outlives the tests. Each leads a process group that is killed
// as a whole, and on Linux the kernel kills it when the test program dies.
package proc
