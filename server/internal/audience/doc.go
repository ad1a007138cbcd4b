// Package audience stores what a speaker broadcasts and serves it, over plain HTTP, to everyone with the audience's link.
//
// A [Hall] takes segments from one speaker at a time, through Begin, Segment and End. It checks each of them, whatever page sent it. It decodes the
// segment, removes credentials and, unless objects are allowed, their bodies, and compresses the rest itself. A stored segment never changes, so any
// cache may be in front. As an http.Handler it serves GET and HEAD of the newest numbers and of segments, to requests with the audience's token. A
// request for the next segment waits for it.
//
// Nothing here reaches the relay or a cluster.
package audience
