// Package faults makes errors in the client's own stack: in its connections
// (Faults.Dialer, a net.Conn that can be cut), in its requests and in the
// watch bodies that it reads (Faults.Transport, an http.RoundTripper). They
// touch nobody else, work on a live cluster just as on a simulated one, and
// are real errors to the code above: a refused connection is ECONNREFUSED, a
// cut one ECONNRESET, an answer a metav1.Status, the end of a watch a whole
// ERROR frame between two others.
package faults
