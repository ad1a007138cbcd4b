package metrics

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// Set is one server's numbers. The zero value is ready; all of it is safe for concurrent use.
type Set struct {
	Viewers      atomic.Int64 // WebSocket connections now
	ViewersTotal atomic.Int64 // WebSocket connections since the start
	Streams      atomic.Int64 // requests in progress on those connections
	StreamsTotal atomic.Int64 // requests since the start
	Bytes        atomic.Int64 // bytes of bodies sent to viewers
	Redactions   atomic.Int64 // annotation values replaced

	mu       sync.Mutex
	refusals map[string]int64
	errors   map[string]int64
}

// Refused counts a request that the guard's rule turned away.
func (s *Set) Refused(rule string) { s.count(&s.refusals, rule) }

// UpstreamError counts a failure to get an answer from an API server, by cause.
func (s *Set) UpstreamError(cause string) { s.count(&s.errors, cause) }

func (s *Set) count(family *map[string]int64, label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *family == nil {
		*family = map[string]int64{}
	}
	(*family)[label]++
}

// ServeHTTP writes all numbers.
func (s *Set) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	single := func(name, kind, help string, value int64) {
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", name, help, name, kind, name, value)
	}
	single("informerscope_viewers", "gauge", "WebSocket connections open now.", s.Viewers.Load())
	single("informerscope_viewers_total", "counter", "WebSocket connections accepted.", s.ViewersTotal.Load())
	single("informerscope_streams", "gauge", "Requests of viewers in progress, watches included.", s.Streams.Load())
	single("informerscope_streams_total", "counter", "Requests of viewers.", s.StreamsTotal.Load())
	single("informerscope_sent_bytes_total", "counter", "Bytes of response bodies sent to viewers.", s.Bytes.Load())
	single("informerscope_redactions_total", "counter", "Annotation values replaced on their way out.", s.Redactions.Load())
	s.mu.Lock()
	family(&out, "informerscope_refusals_total", "Requests turned away, by the guard's rule.", "rule", s.refusals)
	family(&out, "informerscope_upstream_errors_total", "Requests an API server gave no answer to, by cause.", "cause", s.errors)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(out.Bytes())
}

func family(out *bytes.Buffer, name, help, label string, values map[string]int64) {
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s counter\n", name, help, name)
	labels := make([]string, 0, len(values))
	for value := range values {
		labels = append(labels, value)
	}
	slices.Sort(labels)
	for _, value := range labels {
		fmt.Fprintf(out, "%s{%s=%q} %d\n", name, label, value, values[value])
	}
}
