// Package socket makes a net.Conn of a WebSocket as a browser has it: one that sends without waiting, tells what came by calling back, and
// says by a code and a reason why it was closed.
//
// The page's client speaks HTTP/2 on such a connection. What is about JavaScript stands in wasm/; what is here runs anywhere, so that tests
// put the very client of the page on a WebSocket of their own.
package socket
