package clusters

import (
	"net/http"
	"time"
)

const (
	// StreamWindow is how many bytes of one answer an API server may send before a viewer has taken them: HTTP/2's window of one stream, which
	// net/http makes 4 MiB. It is what a watch that nobody reads holds in memory, and what a list may bring in one round trip: 5 MB/s over
	// 50 ms. The window of the connection stays as large as it can be, for the streams of many viewers share it, and one who reads nothing must
	// not stop the others.
	StreamWindow = 256 << 10
	// maxResponseHeaders bounds the headers of an answer, in bytes.
	maxResponseHeaders = 64 << 10
	// HeaderPatience is how long an API server may take until it begins to answer: twice the time after which it gives a request up itself
	// (kube-apiserver --request-timeout, one minute). A watch begins at once.
	HeaderPatience = 2 * time.Minute
)

// limit bounds what a transport keeps of answers, and how long it waits for one. Only new connections heed it, so it comes before the first.
func (l *Loader) limit(transport *http.Transport) {
	if transport.HTTP2 == nil {
		transport.HTTP2 = new(http.HTTP2Config)
	}
	transport.HTTP2.MaxReceiveBufferPerStream = StreamWindow
	transport.MaxResponseHeaderBytes = maxResponseHeaders
	transport.ResponseHeaderTimeout = l.patience
}

// WaitForHeaders changes how long an API server may take until it begins to answer, which is HeaderPatience. Call it before anything else.
func (l *Loader) WaitForHeaders(patience time.Duration) { l.patience = patience }
