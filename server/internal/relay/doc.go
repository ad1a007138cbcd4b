// Package relay forwards a viewer's LIST and WATCH requests to the API servers of a kubeconfig. A viewer's WebSocket that guard.Door admits becomes a
// net.Conn on which standard net/http serves HTTP/2 with prior knowledge. Each request is an ordinary HTTP/2 stream: flow-controlled and cancellable.
// The relay checks it against guard.Rules and makes a new request for the API server, with the kubeconfig's credentials. The bodies of answers all
// leave through Relay.send, which redacts them. A viewer that reads slowly slows its own upstream, and is cut off if it stops reading. No data is
// ever skipped.
package relay
