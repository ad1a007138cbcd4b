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

// CounterMetric is a value that only goes up.
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

// InformerMetricsProvider creates the metrics of an informer. It is called once for each metric of an informer whose identity is reserved. A metric may
// outlive the reservation of id, so it should check id.Reserved before every change. Metrics must be safe for concurrent use.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric returns the gauge for the number of deltas in a RealFIFO.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric returns the histogram for the seconds it took to process what was popped: storing it and notifying the listeners,
	// without the handlers.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric returns the gauge for the store's resourceVersion: its last 15 digits, which a float64 holds exactly.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// MetricsProvider creates the metrics of Reflectors.
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

// The providers for informers and Reflectors without their own. The first that is set stays.
var (
	globalInformerMetrics atomic.Pointer[InformerMetricsProvider]
	reflectorMetrics      atomic.Pointer[MetricsProvider]
)

// SetInformerMetricsProvider sets the provider for informers without their own. Only the first call has an effect; call it before the first informer is
// created.
func SetInformerMetricsProvider(metricsProvider InformerMetricsProvider) {
	globalInformerMetrics.CompareAndSwap(nil, &metricsProvider)
}

// SetReflectorMetricsProvider stores the provider of the first call. As in client-go v0.37.2, no Reflector uses it: the function exists so that
// programs that set a provider still compile.
func SetReflectorMetricsProvider(metricsProvider MetricsProvider) {
	reflectorMetrics.CompareAndSwap(nil, &metricsProvider)
}

// informerMetricsFor returns the provider that publishes for id, or nil if none does.
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

// fifoMetrics are a RealFIFO's metrics; nil if there is no provider.
type fifoMetrics struct {
	length  GaugeMetric
	latency HistogramMetric
}

func newFIFOMetrics(id InformerNameAndResource, own InformerMetricsProvider) *fifoMetrics {
	p := informerMetricsFor(id, own)
	if p == nil {
		return nil
	}
	return &fifoMetrics{length: p.NewQueuedItemMetric(id), latency: p.NewProcessingLatencyMetric(id)}
}

// observeLatency wraps process to observe its latency, unless it panics.
func (m *fifoMetrics) observeLatency(process keyedProcessFunc) keyedProcessFunc {
	return func(items []queueItem, single, isInInitialList bool) error {
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

// metricDigits is how many digits of a resourceVersion a metric keeps: the most that always fit a float64 exactly.
const metricDigits = 15

// setRVMetric publishes rv if it is a number; "" counts as 0.
func setRVMetric(m GaugeMetric, rv string) {
	if len(rv) > metricDigits {
		rv = rv[len(rv)-metricDigits:]
	}
	n, err := strconv.ParseInt(rv, 10, 64)
	if err == nil || rv == "" {
		m.Set(float64(n))
	}
}

// WithStoreMetrics makes a Store or an Indexer publish its resourceVersion under identifier; nil metrics means the provider of
// SetInformerMetricsProvider.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(c *cache) { c.rvMetric = newStoreMetric(identifier, metrics) }
}

// ThreadSafeStoreOption configures NewThreadSafeStore.
type ThreadSafeStoreOption = func(*threadSafeMap)

// WithThreadSafeStoreMetrics is WithStoreMetrics for a ThreadSafeStore.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(c *threadSafeMap) { c.rvMetric = newStoreMetric(identifier, metricsProvider) }
}
