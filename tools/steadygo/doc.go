// Command steadygo runs the go command, natively, so that what it builds has a scheduler without chance, as the page has it: for a
// test that plays a story twice. The runtime's sources are prepared in a directory.
//
//	go run ./tools/steadygo DIR COMMAND ARG...
package main
