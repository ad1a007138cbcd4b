// Package repack rewrites a program that Go has built for WebAssembly so that it is less to download and does the same. The linker writes memory as a
// hundred thousand segments, so as not to write short runs of zeros, which a compressor would have made nothing of: All joins them. It drops the
// tables that say which line of which file an instruction comes from, which nothing but a stack that is printed after a panic
// needs: such a stack names its functions all the same, and has "?:0" in place of a file and a line.
package repack
