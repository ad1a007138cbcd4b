package informer

import (
	"strconv"
	"sync/atomic"
	"time"
)

// GaugeMetric is a value that goes up and down.
type GaugeMetric interface {
	Set(float64)
}

// CounterMetric counts.
type CounterMetric interface {
	Inc()
}

// SummaryMetric collects observations.
type SummaryMetric interface {
	Observe(float64)
}

// HistogramMetric collects observations in buckets.
type HistogramMetric interface {
	Observe(float64)
}

// InformerMetricsProvider makes the metrics of an informer. It is asked once
// for each metric of an informer whose identity is reserved. A metric may
// outlive the reservation of id: it should look at id.Reserved before every
// change. Metrics must be safe for concurrent use.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric returns the gauge of how many deltas a RealFIFO holds.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric returns the histogram of how many seconds it
	// took to process what was popped: store and handing over, not the handlers.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric returns the gauge of the store's
	// resourceVersion: its last 15 digits, which a float64 holds exactly.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// MetricsProvider makes the metrics of Reflectors.
type MetricsProvider interface {
	NewListsMetric(name string) CounterMetric
	NewListDurationMetric(name string) SummaryMetric
	NewItemsInListMetric(name string) SummaryMetric

	NewWatchesMetric(name string) CounterMetric
	NewShortWatchesMetric(name string) CounterMetric
	NewWatchDurationMetric(name string) SummaryMetric
	NewItemsInWatchMetric(name string) SummaryMetric

	NewLastResourceVersionMetric(name string) GaugeMetric
}

// The providers for those who do not name their own. The first to be set stays.
var (
	globalInformerMetrics atomic.Pointer[InformerMetricsProvider]
	reflectorMetrics      atomic.Pointer[MetricsProvider]
)

// SetInformerMetricsProvider sets the provider for informers without one of
// their own. Only the first call counts; it should come before the first
// informer is made.
func SetInformerMetricsProvider(metricsProvider InformerMetricsProvider) {
	globalInformerMetrics.CompareAndSwap(nil, &metricsProvider)
}

// SetReflectorMetricsProvider keeps the provider of the first call. As in
// client-go v0.37.2, no Reflector asks it for any metric: the function is for
// programs that set a provider to go on compiling.
func SetReflectorMetricsProvider(metricsProvider MetricsProvider) {
	reflectorMetrics.CompareAndSwap(nil, &metricsProvider)
}

// informerMetricsFor returns the provider that publishes for id, nil if none does.
func informerMetricsFor(id InformerNameAndResource, own InformerMetricsProvider) InformerMetricsProvider {
	if !id.Reserved() {
		return nil
	}
	if own == nil {
		if global := globalInformerMetrics.Load(); global != nil {
			return *global
		}
	}
	return own
}

// fifoMetrics are a RealFIFO's metrics, nil where nobody looks.
type fifoMetrics struct {
	queued  GaugeMetric
	latency HistogramMetric
}

func newFIFOMetrics(id InformerNameAndResource, own InformerMetricsProvider) *fifoMetrics {
	p := informerMetricsFor(id, own)
	if p == nil {
		return nil
	}
	return &fifoMetrics{queued: p.NewQueuedItemMetric(id), latency: p.NewProcessingLatencyMetric(id)}
}

// timed is process with its latency observed; one that panics is not.
func (m *fifoMetrics) timed(process keyedProcessFunc) keyedProcessFunc {
	return func(items []queued, single, isInInitialList bool) error {
		start := time.Now()
		err := process(items, single, isInInitialList)
		m.latency.Observe(time.Since(start).Seconds())
		return err
	}
}

func newStoreMetric(id InformerNameAndResource, own InformerMetricsProvider) GaugeMetric {
	p := informerMetricsFor(id, own)
	if p == nil {
		return nil
	}
	return p.NewStoreResourceVersionMetric(id)
}

// metricDigits is how many digits of a resourceVersion a metric keeps: the
// most that always fit a float64 exactly.
const metricDigits = 15

// setRVMetric publishes rv, if it is a number; none counts as 0.
func setRVMetric(m GaugeMetric, rv string) {
	if len(rv) > metricDigits {
		rv = rv[len(rv)-metricDigits:]
	}
	n, err := strconv.ParseInt(rv, 10, 64)
	if err == nil || rv == "" {
		m.Set(float64(n))
	}
}

// WithStoreMetrics makes a Store or an Indexer publish its resourceVersion
// under identifier; nil metrics means the provider of SetInformerMetricsProvider.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(c *cache) { c.rvMetric = newStoreMetric(identifier, metrics) }
}

// ThreadSafeStoreOption configures NewThreadSafeStore.
type ThreadSafeStoreOption = func(*threadSafeMap)

// WithThreadSafeStoreMetrics is WithStoreMetrics for a ThreadSafeStore.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(c *threadSafeMap) { c.rvMetric = newStoreMetric(identifier, metricsProvider) }
}
