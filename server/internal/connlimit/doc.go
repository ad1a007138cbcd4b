// Package connlimit bounds the connections of an http.Server of which nothing is known: those that have not shown a token. There is a fixed
// number of places for them. Who comes when all are taken is let in, and the connection that has been quiet for longest makes room, so
// that nobody keeps others out by holding connections: not idle ones, nor half-sent requests, nor answers that are not read.
//
// A connection that becomes a WebSocket, or that a handler admits, leaves those places; its new owner bounds it.
package connlimit
