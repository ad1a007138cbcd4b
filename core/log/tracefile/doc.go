// Package tracefile carries a log out of the program and back in: as a trace file (docs/dev/trace.md), as single lines for a broadcast or a probe, and to
// Perfetto.
// What comes from a file or another process is bounded before it is decoded.
package tracefile
