// Package broadcast carries a log from a speaker's page to those of an audience, in pieces that any HTTP cache can keep: numbered segments
// that never change. Some begin with a checkpoint, at which a late follower starts.
//
// A Cutter follows a trace.Recorder and cuts its new events, with the speaker's positions, into segments. A Follower applies segments to a
// Recorder of its own, which then has the same events under the same seqs. The promise: from any checkpoint on, at the end of every
// segment, the Follower's fold equals that of the speaker's log. Check is for a server between them: it reads a segment, changes its
// texts, removes the objects' parts that may not leave, and packs the rest.
//
// docs/dev/broadcast.md describes the format, and how an audience gets it.
package broadcast
