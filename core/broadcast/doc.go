// Package broadcast carries a log from a speaker's page to those of an audience, in pieces that any HTTP cache can keep: numbered segments
// that never change. Some begin with a checkpoint, so that a late follower starts there.
//
// A Cutter follows a trace.Recorder and cuts what is new in it, with the speaker's positions, into segments. A Follower applies segments to
// a Recorder of its own, which then holds the same events under the same seqs. The promise: the fold of what a Follower applied, from any
// checkpoint on, is the fold of the speaker's log at the end of every segment. Check is for a server between them: it reads a segment,
// changes its texts, takes out what may not leave, and packs the rest.
//
// docs/broadcast.md describes the format, and how an audience gets it.
package broadcast
