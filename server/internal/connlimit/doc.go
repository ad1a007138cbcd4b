// Package connlimit bounds those connections of an http.Server that have not shown a token. There is a fixed number of places for them. A new
// connection is always accepted; when all places are taken, the one that has been quiet for longest is evicted. So connections that are idle, send
// half a request, or leave answers unread keep no other out.
//
// A connection that becomes a WebSocket, or that a handler admits, leaves those places; its new owner bounds it.
package connlimit
