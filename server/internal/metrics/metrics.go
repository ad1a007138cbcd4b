package metrics

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Set is the metrics of one server. The zero value is ready; it is safe for concurrent use.
type Set struct {
	Viewers      atomic.Int64 // WebSocket connections now
	ViewersTotal atomic.Int64 // WebSocket connections since the start
	Streams      atomic.Int64 // requests in progress on those connections
	StreamsTotal atomic.Int64 // requests since the start
	Bytes        atomic.Int64 // bytes of bodies sent to viewers
	Redactions   atomic.Int64 // annotation values replaced
	Stalls       atomic.Int64 // viewers and streams cut off because they took nothing

	once     sync.Once
	registry *prometheus.Registry
	handler  http.Handler
	refusals *prometheus.CounterVec
	errors   *prometheus.CounterVec
	upstream *prometheus.HistogramVec
	plugins  prometheus.Histogram
}

// namespace begins the name of every metric of the relay.
const namespace = "informerscope"

// setUp initializes the Set once.
func (s *Set) setUp() {
	s.once.Do(func() {
		s.registry = prometheus.NewRegistry()
		s.handler = promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
		gauge := func(name, help string, value *atomic.Int64) prometheus.Collector {
			return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, func() float64 { return float64(value.Load()) })
		}
		counter := func(name, help string, value *atomic.Int64) prometheus.Collector {
			return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, func() float64 { return float64(value.Load()) })
		}
		s.refusals = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "refusals_total",
			Help: "Requests turned away, by the guard's rule."}, []string{"rule"})
		s.errors = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "upstream_errors_total",
			Help: "Requests an API server gave no answer to, by cause."}, []string{"cause"})
		s.upstream = prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: "upstream_request_duration_seconds",
			Help:    "Time until an API server's answer began, by verb and status code.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}}, []string{"verb", "code"})
		s.plugins = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: "exec_plugin_wait_seconds",
			Help:    "Time that requests waited for what a credential plugin supplies, be it kept from before or not.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}})
		s.registry.MustRegister(
			gauge("viewers", "WebSocket connections open now.", &s.Viewers),
			counter("viewers_total", "WebSocket connections accepted.", &s.ViewersTotal),
			gauge("streams", "Requests of viewers in progress, watches included.", &s.Streams),
			counter("streams_total", "Requests of viewers.", &s.StreamsTotal),
			counter("sent_bytes_total", "Bytes of response bodies sent to viewers.", &s.Bytes),
			counter("redactions_total", "Annotation values replaced on their way out.", &s.Redactions),
			counter("stalls_total", "Answers and viewers cut off because nothing of them was taken for too long.", &s.Stalls),
			s.refusals, s.errors, s.upstream, s.plugins,
			collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		)
	})
}

// CountRefusal counts a request that the guard's rule refused.
func (s *Set) CountRefusal(rule string) {
	s.setUp()
	s.refusals.WithLabelValues(rule).Inc()
}

// CountUpstreamError counts a failure to get an answer from an API server, by cause.
func (s *Set) CountUpstreamError(cause string) {
	s.setUp()
	s.errors.WithLabelValues(cause).Inc()
}

// ObserveAnswer records how long an API server's answer took to begin. verb is list, watch, get or discovery.
func (s *Set) ObserveAnswer(verb string, code int, took time.Duration) {
	s.setUp()
	label := strconv.Itoa(code)
	if http.StatusText(code) == "" { // the server that answers may choose any code
		label = "other"
	}
	s.upstream.WithLabelValues(verb, label).Observe(took.Seconds())
}

// ObservePluginWait records how long a request waited for its credentials.
func (s *Set) ObservePluginWait(took time.Duration) {
	s.setUp()
	s.plugins.Observe(took.Seconds())
}

// SetBuild sets the version and the commit of this program. Call it once.
func (s *Set) SetBuild(version, commit string) {
	s.setUp()
	s.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info",
		Help:        "Always 1; its labels say what the program was built from.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "goversion": runtime.Version()}}, func() float64 { return 1 }))
}

// Registry is where other parts of the server register metrics of their own. Their names begin with "informerscope_", and their labels come from
// fixed sets.
func (s *Set) Registry() prometheus.Registerer {
	s.setUp()
	return s.registry
}

// SetPluginCount sets the function that counts the running credential plugins. Call it once.
func (s *Set) SetPluginCount(count func() int) {
	s.setUp()
	s.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: "exec_plugins_running",
		Help: "Credential plugins that are waited for now."}, func() float64 { return float64(count()) }))
}

// ServeHTTP writes all metrics.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.setUp()
	w.Header().Set("Cache-Control", "no-store")
	s.handler.ServeHTTP(w, r)
}
