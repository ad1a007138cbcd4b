// Package broadcast carries a log from the page of a speaker to those of an audience, in pieces that any HTTP cache can
// keep: a sequence of numbered segments that never change, some of which begin with a checkpoint, so that whoever comes
// late starts there.
//
// A Cutter follows a trace.Recorder and cuts what is new in it, with the speaker's positions, into segments. A Follower
// applies segments to a Recorder of its own, which then holds the same events under the same seqs. The promise: the fold
// of what a Follower applied, from any checkpoint on, is the fold of the speaker's log at the end of every segment. Check is
// for who stands between: it reads a segment, changes its texts, takes out what may not leave, and packs what is left.
//
// docs/broadcast.md describes the format and what stands around it.
package broadcast
