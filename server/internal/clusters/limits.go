package clusters

import (
	"net/http"
	"time"
)

const (
	// StreamWindow is how many bytes of one answer an API server may send ahead of a viewer: HTTP/2's window of one stream, which is 4 MiB in
	// net/http. A watch whose viewer stops reading holds as much memory. It also limits a list to one window a round trip: 5 MB/s at 50 ms. The
	// window of the connection stays at its maximum, because the streams of many viewers share it: a viewer that reads nothing must not stop the
	// others.
	StreamWindow = 256 << 10
	// maxResponseHeaders bounds the headers of an answer, in bytes.
	maxResponseHeaders = 64 << 10
	// HeaderPatience is how long an API server may take until it begins to answer: twice the time after which it gives up a request itself
	// (kube-apiserver --request-timeout, one minute). A watch begins at once.
	HeaderPatience = 2 * time.Minute
)

// limit bounds how much of an answer a transport buffers, and how long it waits for one. Call it before the transport's first connection, because
// open ones keep their limits.
func (l *Loader) limit(transport *http.Transport) {
	if transport.HTTP2 == nil {
		transport.HTTP2 = new(http.HTTP2Config)
	}
	transport.HTTP2.MaxReceiveBufferPerStream = StreamWindow
	transport.MaxResponseHeaderBytes = maxResponseHeaders
	transport.ResponseHeaderTimeout = l.patience
}

// WaitForHeaders changes how long an API server may take until it begins to answer; the default is HeaderPatience. Call it before anything else.
func (l *Loader) WaitForHeaders(patience time.Duration) { l.patience = patience }
