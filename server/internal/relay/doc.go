// Package relay carries a viewer's LIST and WATCH requests to the API servers of a kubeconfig. A viewer's WebSocket, once it has passed the
// guard's door, becomes a net.Conn on which standard net/http serves HTTP/2 with prior knowledge. Every request is a stream of its own,
// flow-controlled and cancellable, and nothing is invented on top. Each request passes the guard's rules and is written again for the API
// server, with the kubeconfig's credentials. Each answer's body leaves through one place, where it is redacted. A viewer who reads slowly
// slows its own upstream down, and is cut off if it stops reading for good. Nothing is ever skipped.
package relay
