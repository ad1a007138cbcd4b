// Command benchdraw measures ways to draw a station: the page's own (nodes are built once, setters touch what changed), and two libraries
// of templates, lit-html and uhtml. All three draw the Queue's panel, and it compares that the same words are at the same places. They draw
// the moments of an experiment with 10,000 objects and 1,000 events a second, one an animation frame, in turn and in several rounds, under
// the page's own Content-Security-Policy. Of each moment the least time of any round counts, because whatever else the machine does can
// only make it more.
//
//	go run ./benchdraw [-seconds 10] [-rounds 5]
//
// It is why the page draws as it does: docs/decisions/0011-page-without-a-framework.md. Run it again when that is in question. Nothing of it is
// shipped.
package main
