// Package controllerruntime is a probe's part for controllers of controller-runtime that keep their priority queue. It is a module of its own, so
// that only programs that use it get controller-runtime with the probe.
//
//	ctrl.NewControllerManagedBy(mgr).WithOptions(controller.Options{NewQueue: controllerruntime.NewQueue(p, controllerruntime.QueueOptions{})})
//
// Informers are seen with cache.Options{NewInformer: p.NewInformer}, for which package probe is enough.
package controllerruntime

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/probe"
)

// QueueOptions configure a queue. The zero value is usable.
type QueueOptions struct {
	probe.QueueOptions
	// UsePriorityQueue is what you set in controller.Options, or for all controllers in the manager's options; nil: this release's default. controller-runtime
	// does not pass it on to a function that makes queues.
	UsePriorityQueue *bool
	// Log is the priority queue's logger, where this release has one.
	Log logr.Logger
}

// NewQueue returns a function for controller.Options.NewQueue. It makes the queue that this release of controller-runtime makes by default, since 0.23 a
// priority queue, and observes it.
func NewQueue(p *probe.Probe, o QueueOptions) func(
	name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	if o.UsePriorityQueue == nil && hasPriorityDefault(release()) || o.UsePriorityQueue != nil && *o.UsePriorityQueue {
		return NewPriorityQueue[reconcile.Request](p, o)
	}
	return probe.NewQueue[reconcile.Request](p, o.QueueOptions)
}

// release returns the version of controller-runtime that this program was built with.
func release() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, d := range b.Deps {
			if d.Path == "sigs.k8s.io/controller-runtime" {
				if d.Replace != nil && d.Replace.Version != "" {
					return d.Replace.Version
				}
				return d.Version
			}
		}
	}
	return ""
}

func hasPriorityDefault(release string) bool {
	var minor int
	_, err := fmt.Sscanf(release, "v0.%d.", &minor)
	return err != nil || minor >= 23
}

// NewPriorityQueue returns a function that makes controller-runtime's priority queues. They are observed from outside: the keys that enter and leave, not
// their order inside.
func NewPriorityQueue[T comparable](p *probe.Probe, o QueueOptions) func(
	name string, limiter workqueue.TypedRateLimiter[T],
) workqueue.TypedRateLimitingInterface[T] {
	return func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
		if limiter == nil { // controller-runtime's own default
			limiter = workqueue.NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second)
		}
		w := probe.WatchQueue[T](p, name, o.QueueOptions)
		return &queue[T]{priorityqueue.New(name, func(opts *priorityqueue.Opts[T]) {
			opts.RateLimiter = w.Limiter(limiter)
			if o.MetricsProvider != nil {
				opts.MetricProvider = o.MetricsProvider
			}
			setLog(opts, o.Log.WithValues("controller", name))
		}), w}
	}
}

// setLog sets the logger in options of a priority queue, which releases before 0.21 lack.
func setLog(opts interface{}, log logr.Logger) {
	if f := reflect.ValueOf(opts).Elem().FieldByName("Log"); f.IsValid() && f.Type() == reflect.TypeOf(log) && f.CanSet() {
		f.Set(reflect.ValueOf(log))
	}
}

// queue logs the calls of a priority queue.
type queue[T comparable] struct {
	priorityqueue.PriorityQueue[T]
	w *probe.QueueWatch[T]
}

func (q *queue[T]) Add(item T) {
	q.w.Added(item, 0)
	q.PriorityQueue.Add(item)
}

func (q *queue[T]) AddAfter(item T, after time.Duration) {
	q.w.Added(item, after)
	q.PriorityQueue.AddAfter(item, after)
}

func (q *queue[T]) AddWithOpts(o priorityqueue.AddOpts, items ...T) {
	if !o.RateLimited { // the limiter logs rate-limited keys
		for _, item := range items {
			q.w.Added(item, o.After)
		}
	}
	q.PriorityQueue.AddWithOpts(o, items...)
}

func (q *queue[T]) Get() (item T, shutdown bool) {
	item, _, shutdown = q.GetWithPriority()
	return item, shutdown
}

func (q *queue[T]) GetWithPriority() (item T, priority int, shutdown bool) {
	if item, priority, shutdown = q.PriorityQueue.GetWithPriority(); !shutdown {
		q.w.Taken(item, priority)
	}
	return item, priority, shutdown
}

func (q *queue[T]) Done(item T) {
	q.w.Done(item)
	q.PriorityQueue.Done(item)
}

func (q *queue[T]) ShutDown() {
	q.w.ShuttingDown(false)
	q.PriorityQueue.ShutDown()
}

func (q *queue[T]) ShutDownWithDrain() {
	q.w.ShuttingDown(true)
	q.PriorityQueue.ShutDownWithDrain()
}
