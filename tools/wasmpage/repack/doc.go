// Package repack rewrites a program that Go has built for WebAssembly so that it is less to download and does the same. The linker writes
// memory as a hundred thousand segments, to save short runs of zeros, which a compressor makes nothing of anyway: All joins them. It drops
// the tables that say which line of which file an instruction comes from. Only the stack that is printed after a panic needs them. It still
// names its functions, and has "?:0" instead of a file and a line.
//
// In brotli (quality 11) the program takes 2.18 MB repacked, and 2.50 MB as it is linked with -s and -w: no flag of the linker does what this does. It
// costs the lines in a stack, and the file grows from 15.7 MB to 16.6 MB.
package repack
