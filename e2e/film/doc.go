// Command film makes a film of a story: presenter mode, each sentence for as long as it takes to be read. Or it films the way of one change in a
// recording. Time is the page's own and moves with the frames, so the same command gives the same frames, on a busy machine too.
package main
