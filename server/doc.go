// The informerscope server serves the page, and relays the page's read-only requests to the clusters of a kubeconfig over a WebSocket. It is one
// binary without state, by default for one person's own machine. It listens on the loopback interface, prints an address with a token, and contacts
// no cluster before the user chooses one.
//
// The parts: internal/site serves files, internal/guard decides what is refused, internal/relay forwards requests, internal/clusters reads the
// kubeconfig, internal/redact removes secrets, internal/wsconn makes a WebSocket into a net.Conn, internal/metrics counts.
package main
