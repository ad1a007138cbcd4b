// Package toolchain is the go command that builds the page: which one it is, in which environment it builds, and how it is told to
// build from other sources than its own.
package toolchain
