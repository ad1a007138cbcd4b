// Package socket makes a net.Conn of a WebSocket as a browser has it. Such a WebSocket sends without waiting, calls back with what came,
// and gives a code and a reason when it was closed.
//
// The page's client speaks HTTP/2 on such a connection. The part that needs JavaScript is in wasm/. This part runs anywhere, so that tests
// put the page's very client on a WebSocket of their own.
package socket
