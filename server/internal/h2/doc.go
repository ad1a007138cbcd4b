// Package h2 serves HTTP/2 (RFC 9113) with prior knowledge on one connection, for handlers whose answers are
// streams that may be long: watches. It does in the handler's own goroutine what net/http's server hands to two others: frames are put
// together where they are made, and whoever flushes first writes what all have ready, in one write to the connection. For a watch's event
// that is one wake-up in place of three, which is most of what a viewer cost.
//
// What it reads is parsed by golang.org/x/net/http2's Framer and hpack, as in net/http. It sends no trailers, reads none
// and pushes nothing.
package h2
