package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// ShouldResyncFunc says whether a resync is wanted now.
type ShouldResyncFunc func() bool

// Config is what a Controller is made of.
type Config struct {
	// Queue takes what the Reflector receives.
	Queue
	// ListerWatcher is the source.
	ListerWatcher
	// Process processes what Pop gives: Deltas.
	Process ProcessFunc
	// ProcessBatch is used instead if it is set, the Queue is a QueueWithBatch
	// and the Release has batches. Its error should be a TransactionError when some of the batch was processed.
	ProcessBatch ProcessBatchFunc
	// ObjectType is an example of the expected type.
	ObjectType runtime.Object
	// ObjectDescription describes it in logs.
	ObjectDescription string
	// FullResyncPeriod is how often ShouldResync is asked; zero means never.
	FullResyncPeriod time.Duration
	// MinWatchTimeout is the least TimeoutSeconds of a watch; below five minutes it is ignored.
	MinWatchTimeout time.Duration
	// ShouldResync says whether the queue should resync; nil means always.
	ShouldResync ShouldResyncFunc
	// WatchErrorHandler is told of errors of the Reflector. It goes before WatchErrorHandlerWithContext.
	WatchErrorHandler WatchErrorHandler
	// WatchErrorHandlerWithContext is told of errors of the Reflector.
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext
	// WatchListPageSize is the Limit of every LIST; see Reflector.
	WatchListPageSize int64

	// Release decides on WatchList and batches.
	Release Release
	// Observer is told of the Reflector's transitions. The queue has an Observer of its own.
	Observer Observer
	// Gates can hold the Reflector. The queue has Gates of its own.
	Gates Gates
	// Clock replaces the real clock for all of the Reflector's waits.
	Clock clock.WithTicker
	// Random replaces math/rand for the Reflector.
	Random func() float64

	// keyed, if set, takes the place of Process and ProcessBatch.
	keyed keyedProcessFunc
}

// Controller runs a Reflector into a Queue and processes what it pops.
type Controller interface {
	// RunWithContext runs until ctx is done. It must be called once.
	RunWithContext(ctx context.Context)
	// Run is RunWithContext with a channel that stops it.
	Run(stopCh <-chan struct{})
	// HasSynced is the queue's. It waits for the queue's lock, so a handler of a plain informer must not call it
	// in releases before 1.37, where the lock is held while it runs.
	HasSynced() bool
	// HasSyncedChecker is the queue's.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion is the Reflector's, "" before Run.
	LastSyncResourceVersion() string
}

type controller struct {
	config    Config
	lock      sync.RWMutex
	reflector *Reflector
}

// New returns a Controller.
func New(c *Config) Controller { return &controller{config: *c} }

// Run implements Controller.
func (c *controller) Run(stopCh <-chan struct{}) {
	c.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext implements Controller.
// Mirrors client-go tools/cache.(*controller).RunWithContext (v0.37.2).
func (c *controller) RunWithContext(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		<-ctx.Done()
		c.config.Queue.Close()
	})
	r := c.newReflector(klog.FromContext(ctx))
	c.lock.Lock()
	c.reflector = r
	c.lock.Unlock()
	wg.Go(func() { r.RunWithContext(ctx) })
	wait.UntilWithContext(ctx, c.processLoop, time.Second)
	// Not deferred: a panic of Process leaves at once, while the Reflector goes on
	// until ctx is done; whoever recovers from it could otherwise wait for ever.
	wg.Wait()
}

func (c *controller) newReflector(logger klog.Logger) *Reflector {
	options := ReflectorOptions{
		Logger:          &logger,
		ResyncPeriod:    c.config.FullResyncPeriod,
		MinWatchTimeout: c.config.MinWatchTimeout,
		TypeDescription: c.config.ObjectDescription,
		Release:         c.config.Release,
		Observer:        c.config.Observer,
		Gates:           c.config.Gates,
		Random:          c.config.Random,
	}
	if c.config.Clock != nil {
		options.Clock = c.config.Clock
	}
	r := NewReflectorWithOptions(c.config.ListerWatcher, c.config.ObjectType, c.config.Queue, options)
	if c.config.Clock != nil {
		r.outerClock = c.config.Clock
	}
	r.ShouldResync = c.config.ShouldResync
	r.WatchListPageSize = c.config.WatchListPageSize
	if h := c.config.WatchErrorHandler; h != nil {
		r.watchErrorHandler = func(_ context.Context, r *Reflector, err error) { h(r, err) }
	} else if h := c.config.WatchErrorHandlerWithContext; h != nil {
		r.watchErrorHandler = h
	}
	return r
}

// HasSynced implements Controller.
func (c *controller) HasSynced() bool { return c.config.Queue.HasSynced() }

// HasSyncedChecker implements Controller.
func (c *controller) HasSyncedChecker() DoneChecker { return c.config.Queue.HasSyncedChecker() }

// LastSyncResourceVersion implements Controller.
func (c *controller) LastSyncResourceVersion() string {
	if r := c.currentReflector(); r != nil {
		return r.LastSyncResourceVersion()
	}
	return ""
}

func (c *controller) currentReflector() *Reflector {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.reflector
}

// processLoop pops until ctx is done, or, in releases before 1.35, until the queue
// is closed and empty. Errors of processing are not acted on, as in client-go.
// Mirrors client-go tools/cache.(*controller).processLoop (v0.33.13 and v0.37.2).
func (c *controller) processLoop(ctx context.Context) {
	pop := c.popOnce()
	drains := c.config.Release.features().drains
	for drains || ctx.Err() == nil {
		if err := pop(); errors.Is(err, ErrFIFOClosed) {
			return
		}
	}
}

// popOnce chooses how to pop.
func (c *controller) popOnce() func() error {
	batch := c.config.Release.features().batch
	if q, ok := c.config.Queue.(keyedQueue); ok && c.config.keyed != nil {
		return func() error { return q.popKeyed(batch, c.config.keyed) }
	}
	process := PopProcessFunc(c.config.Process)
	if q, ok := c.config.Queue.(QueueWithBatch); ok && batch && c.config.ProcessBatch != nil {
		return func() error { return q.PopBatch(c.config.ProcessBatch, process) }
	}
	return func() error {
		_, err := c.config.Queue.Pop(process)
		return err
	}
}

// newQueue returns the queue of a release.
func newQueue(release Release, logger klog.Logger, objectType any, store KeyListerGetter, transform TransformFunc,
	id InformerNameAndResource, metrics InformerMetricsProvider, o Observer, g Gates) Queue {
	f := release.features()
	if !f.inOrder {
		return NewDeltaFIFOWithOptions(DeltaFIFOOptions{
			Logger:                &logger,
			Name:                  fmt.Sprintf("DeltaFIFO %T", objectType),
			KeyFunction:           MetaNamespaceKeyFunc,
			KnownObjects:          store,
			EmitDeltaTypeReplaced: true,
			Transformer:           transform,
			Observer:              o,
			Gates:                 g,
		})
	}
	options := RealFIFOOptions{
		Logger:                &logger,
		Name:                  fmt.Sprintf("RealFIFO %T", objectType),
		Transformer:           transform,
		AtomicEvents:          f.atomic,
		UnlockWhileProcessing: f.unlock,
		EmitDeltaTypeBookmark: f.atomic,
		Identifier:            id,
		MetricsProvider:       metrics,
		Observer:              o,
		Gates:                 g,
	}
	if !f.atomic {
		options.KnownObjects = store
	}
	return NewRealFIFOWithOptions(options)
}

// InformerOptions configures NewInformerWithOptions.
type InformerOptions struct {
	// Logger replaces klog.Background().
	Logger *klog.Logger
	// ListerWatcher is the source. Required.
	ListerWatcher ListerWatcher
	// ObjectType is an example of the expected type.
	ObjectType runtime.Object
	// Handler is called by the process loop itself: while it runs, nothing else is processed. Required.
	Handler ResourceEventHandler
	// ResyncPeriod is how often every stored object is offered to Handler again; zero means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the least TimeoutSeconds of a watch; below five minutes it is ignored.
	MinWatchTimeout time.Duration
	// Indexers make the Store an Indexer.
	Indexers Indexers
	// Transform is applied to every object before anything else sees it.
	Transform TransformFunc
	// Identifier is under what metrics are published, if it is reserved.
	Identifier InformerNameAndResource
	// InformerMetricsProvider makes the metrics; nil means that of SetInformerMetricsProvider.
	InformerMetricsProvider InformerMetricsProvider

	// Release is the release of client-go to behave like; default Release137.
	Release Release
	// Observer is told of every transition.
	Observer Observer
	// Gates can hold the Reflector and the process loop.
	Gates Gates
	// Clock replaces the real clock.
	Clock clock.WithTicker
}

// NewInformerWithOptions returns a Store and the Controller that fills it and
// calls the handler. The Store must only be read.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	indexers := options.Indexers
	if indexers == nil {
		indexers = Indexers{}
	}
	return newInformer(options, indexers)
}

func newInformer(options InformerOptions, indexers Indexers) (Indexer, Controller) {
	features := options.Release.features()
	storeOpts := []StoreOption{WithObserver(options.Observer), WithStoreMetrics(options.Identifier, options.InformerMetricsProvider)}
	if !features.atomic {
		storeOpts = append(storeOpts, withoutResourceVersion())
	}
	store := newCache(DeletionHandlingMetaNamespaceKeyFunc, indexers, storeOpts...)
	logger := klog.Background()
	if options.Logger != nil {
		logger = *options.Logger
	}
	p := &pipeline{store: store, sink: handlerSink{options.Handler}, guard: noLock{}}
	return store, New(&Config{
		Queue: newQueue(options.Release, logger, options.ObjectType, store, options.Transform, options.Identifier, options.InformerMetricsProvider,
			options.Observer, options.Gates),
		ListerWatcher:    options.ListerWatcher,
		ObjectType:       options.ObjectType,
		FullResyncPeriod: options.ResyncPeriod,
		MinWatchTimeout:  options.MinWatchTimeout,
		Release:          options.Release,
		Observer:         options.Observer,
		Gates:            options.Gates,
		Clock:            options.Clock,
		keyed:            p.process,
	})
}

// noLock is the guard of a pipeline that shares nothing.
type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

// NewInformer returns a Store and the Controller that fills it.
//
// Deprecated: use NewInformerWithOptions.
func NewInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler) (Store, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h, ResyncPeriod: resyncPeriod}, Indexers{})
}

// NewIndexerInformer returns an Indexer and the Controller that fills it.
//
// Deprecated: use NewInformerWithOptions.
func NewIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers) (Indexer, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h, ResyncPeriod: resyncPeriod}, indexers)
}

// NewTransformingInformer returns a Store and the Controller that fills it with transformed objects.
//
// Deprecated: use NewInformerWithOptions.
func NewTransformingInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, transformer TransformFunc) (Store,
	Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h, ResyncPeriod: resyncPeriod, Transform: transformer}, Indexers{})
}

// NewTransformingIndexerInformer returns an Indexer and the Controller that fills it with transformed objects.
//
// Deprecated: use NewInformerWithOptions.
func NewTransformingIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers,
	transformer TransformFunc) (Indexer, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h, ResyncPeriod: resyncPeriod, Transform: transformer}, indexers)
}
