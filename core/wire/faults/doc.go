// Package faults makes errors in the client's own stack. They happen in its connections (Faults.Dialer, a net.Conn that can be cut), in its
// requests, and in the watch bodies that it reads (Faults.Transport, an http.RoundTripper). They touch no other client, and work on a live
// cluster as on a simulated one. The code above sees real errors: ECONNREFUSED, ECONNRESET, a metav1.Status as an answer, or an ERROR frame
// that ends a watch.
package faults
