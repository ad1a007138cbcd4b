// Package audience keeps what a speaker broadcasts and serves it, over plain HTTP, to everyone with the audience's link.
//
// A [Hall] takes segments from one speaker at a time, through Begin, Segment and End. It checks each of them, whatever page sent it: it
// reads all of it, takes out credentials and, unless objects are allowed, their bodies, and packs the rest itself. What it keeps never
// changes, so that any cache may stand in front. As an http.Handler it serves GET and HEAD of the newest numbers and of segments, to
// requests that hold the audience's token. A request for the next segment waits for it.
//
// Nothing here reaches the relay or a cluster.
package audience
