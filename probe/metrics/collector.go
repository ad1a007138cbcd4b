// Package metrics gives Prometheus what client-go does not export of a controller's informers: rings, handlers, staleness, relists. It is a module of
// its own, so that only programs that use it get client_golang. Rules that alert, and a dashboard, lie beside it.
//
//	registry.MustRegister(metrics.NewCollector(p))
package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/informerscope/probe"
)

// NewCollector returns a Collector of everything that p knows of its informers. p counts from now on, with or without a viewer (probe.Probe.Measure). The
// number of series is bounded by the informers and, for each, 32 listeners. No label has a value of an object. It is safe for concurrent use.
func NewCollector(p *probe.Probe) prometheus.Collector {
	p.Measure()
	return &collector{p: p, now: time.Now}
}

type collector struct {
	p   *probe.Probe
	now func() time.Time
}

const prefix = "informerscope_probe_"

var (
	informerLabels = []string{"informer"}
	listenerLabels = []string{"informer", "listener", "handler"}

	synced   = prometheus.NewDesc(prefix+"informer_synced", "Whether the informer has synced.", informerLabels, nil)
	objects  = prometheus.NewDesc(prefix+"store_objects", "Objects in the informer's store.", informerLabels, nil)
	stale    = prometheus.NewDesc(prefix+"cache_staleness_seconds", "Time since the newest bytes of a list or watch of the resource.", informerLabels, nil)
	lists    = prometheus.NewDesc(prefix+"lists_total", "Lists of all objects, by why there was one.", []string{"informer", "cause"}, nil)
	failures = prometheus.NewDesc(prefix+"watch_failures_total", "Watches that failed or ended with an ERROR event, by cause.", []string{"informer", "cause"}, nil)
	count    = prometheus.NewDesc(prefix+"listeners", "Listeners of the informer, with or without series of their own.", informerLabels, nil)
	ring     = prometheus.NewDesc(prefix+"listener_ring_length", "Notifications that wait in the listener's ring.", listenerLabels, nil)
	capacity = prometheus.NewDesc(prefix+"listener_ring_capacity", "Size of the listener's ring, which grows and never shrinks.", listenerLabels, nil)
	handler  = prometheus.NewDesc(prefix+"handler_duration_seconds", "How long calls of the listener's handler took.", listenerLabels, nil)
	panics   = prometheus.NewDesc(prefix+"handler_panics_total", "Calls of the listener's handler that ended in a panic.", listenerLabels, nil)
	left     = prometheus.NewDesc(prefix+"listeners_left_out", "Listeners that have no series, because the informer has more than 32.", informerLabels, nil)
)

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{synced, objects, stale, lists, failures, count, ring, capacity, handler, panics, left} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. It takes an informer's lock only if it is free.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	names, bounds := map[string]int{}, probe.HandlerBuckets()
	for _, s := range c.p.Stats() {
		name := s.Informer
		if names[s.Informer]++; names[s.Informer] > 1 { // a second informer of the resource
			name += " " + strconv.Itoa(names[s.Informer])
		}
		value := 0.0
		if s.Synced {
			value = 1
		}
		gauge(synced, value, name)
		gauge(objects, float64(s.Objects), name)
		gauge(count, float64(len(s.Listeners)+s.LeftOutListeners), name)
		gauge(left, float64(s.LeftOutListeners), name)
		if !s.LastReceived.IsZero() {
			gauge(stale, max(0, c.now().Sub(s.LastReceived).Seconds()), name)
		}
		if s.Lists != nil { // it has sent a request
			for _, cause := range probe.ListCauses() {
				ch <- prometheus.MustNewConstMetric(lists, prometheus.CounterValue, float64(s.Lists[cause]), name, string(cause))
			}
			for _, cause := range probe.WatchFailureCauses() {
				ch <- prometheus.MustNewConstMetric(failures, prometheus.CounterValue, float64(s.WatchFailures[cause]), name, string(cause))
			}
		}
		for _, l := range s.Listeners {
			labels := []string{name, strconv.Itoa(int(l.ID)), l.Name}
			if l.Ring >= 0 {
				gauge(ring, float64(l.Ring), labels...)
				gauge(capacity, float64(l.Capacity), labels...)
			}
			if !l.Timed {
				continue
			}
			buckets := map[float64]uint64{}
			for i, n := range l.Buckets {
				buckets[bounds[i].Seconds()] = n
			}
			ch <- prometheus.MustNewConstHistogram(handler, l.Calls, l.TotalTime.Seconds(), buckets, labels...)
			ch <- prometheus.MustNewConstMetric(panics, prometheus.CounterValue, float64(l.Panics), labels...)
		}
	}
}
