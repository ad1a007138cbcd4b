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

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// ShouldResyncFunc reports whether a resync is wanted now.
type ShouldResyncFunc func() bool

// Config configures a Controller.
type Config struct {
	// Queue receives the Reflector's changes.
	Queue
	// ListerWatcher is the source of the objects.
	ListerWatcher
	// Process processes the Deltas that Pop returns.
	Process ProcessFunc
	// ProcessBatch replaces Process if it is set, the Queue is a QueueWithBatch and the Release has batches. Its error should be a TransactionError if
	// some of the batch was processed.
	ProcessBatch ProcessBatchFunc
	// ObjectType is an example of the expected type.
	ObjectType runtime.Object
	// ObjectDescription describes the type in logs.
	ObjectDescription string
	// FullResyncPeriod is how often ShouldResync is called; zero means never.
	FullResyncPeriod time.Duration
	// MinWatchTimeout is the least TimeoutSeconds of a watch; values below five minutes are ignored.
	MinWatchTimeout time.Duration
	// ShouldResync reports whether the queue should resync; nil means always.
	ShouldResync ShouldResyncFunc
	// WatchErrorHandler receives the Reflector's errors. If it is set, WatchErrorHandlerWithContext is not used.
	WatchErrorHandler WatchErrorHandler
	// WatchErrorHandlerWithContext receives the Reflector's errors.
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext
	// WatchListPageSize is the Limit of every LIST; see Reflector.
	WatchListPageSize int64

	// Release decides whether WatchList and batches are used.
	Release releases.Release
	// Observer receives the Reflector's transitions. The queue has its own Observer.
	Observer event.Observer
	// Gates can hold the Reflector. The queue has its own Gates.
	Gates event.Gates
	// Clock replaces the real clock for all of the Reflector's waits.
	Clock clock.WithTicker
	// Random replaces math/rand for the Reflector.
	Random func() float64

	// keyedProcess, if set, replaces Process and ProcessBatch.
	keyedProcess keyedProcessFunc
}

// Controller runs a Reflector that fills a Queue, and processes what it pops.
type Controller interface {
	// RunWithContext runs until ctx is done. Call it only once.
	RunWithContext(ctx context.Context)
	// Run is RunWithContext with a stop channel.
	Run(stopCh <-chan struct{})
	// HasSynced is the queue's HasSynced. It waits for the queue's lock. Before 1.37 that lock is held while a plain informer's handler runs, so the
	// handler must not call HasSynced.
	HasSynced() bool
	// HasSyncedChecker is the queue's HasSyncedChecker.
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
	// Not deferred: a panic of Process returns at once, while the Reflector continues until ctx is done. Code that recovers from the panic could
	// otherwise wait for ever.
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

// processLoop pops until ctx is done or, in releases before 1.35, until the queue is closed and empty. As in client-go, errors of processing have no
// effect.
// Mirrors client-go tools/cache.(*controller).processLoop (v0.33.13 and v0.37.2).
func (c *controller) processLoop(ctx context.Context) {
	pop := c.popOnce()
	drains := c.config.Release.Behaviour().Drains
	for drains || ctx.Err() == nil {
		if err := pop(); errors.Is(err, ErrFIFOClosed) {
			return
		}
	}
}

// popOnce returns the function that pops once, with or without batches.
func (c *controller) popOnce() func() error {
	batch := c.config.Release.Behaviour().PopsBatches
	if q, ok := c.config.Queue.(keyedQueue); ok && c.config.keyedProcess != nil {
		return func() error { return q.popKeyed(batch, c.config.keyedProcess) }
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

// newQueue returns the queue that the release uses.
func newQueue(release releases.Release, logger klog.Logger, objectType any, store KeyListerGetter, transform TransformFunc, o event.Observer,
	g event.Gates) Queue {
	f := release.Behaviour()
	if !f.KeepsOrder {
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
		AtomicEvents:          f.Atomic,
		UnlockWhileProcessing: f.Unlocks,
		EmitDeltaTypeBookmark: f.Atomic,
		Release:               release,
		Observer:              o,
		Gates:                 g,
	}
	if !f.Atomic {
		options.KnownObjects = store
	}
	return NewRealFIFOWithOptions(options)
}

// InformerOptions configures NewInformerWithOptions.
type InformerOptions struct {
	// Logger replaces klog.Background().
	Logger *klog.Logger
	// ListerWatcher is the source of the objects. Required.
	ListerWatcher ListerWatcher
	// ObjectType is an example of the expected type.
	ObjectType runtime.Object
	// Handler is called by the process loop: while it runs, nothing else is processed. Required.
	Handler ResourceEventHandler
	// ResyncPeriod is how often every stored object is passed to Handler again; zero means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the least TimeoutSeconds of a watch; values below five minutes are ignored.
	MinWatchTimeout time.Duration
	// Indexers are the Store's index functions.
	Indexers Indexers
	// Transform is applied to every object before it is stored.
	Transform TransformFunc

	// Release is the release of client-go whose behaviour the informer has; default releases.Standard.
	Release releases.Release
	// Observer receives every transition.
	Observer event.Observer
	// Gates can hold the Reflector and the process loop.
	Gates event.Gates
	// Clock replaces the real clock.
	Clock clock.WithTicker
}

// NewInformerWithOptions returns a Store, and the Controller that fills it and calls the handler. Callers must only read the Store.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	indexers := options.Indexers
	if indexers == nil {
		indexers = Indexers{}
	}
	return newInformer(options, indexers)
}

func newInformer(options InformerOptions, indexers Indexers) (Indexer, Controller) {
	store := newCache(DeletionHandlingMetaNamespaceKeyFunc, indexers, WithObserver(options.Observer), WithRelease(options.Release))
	logger := klog.Background()
	if options.Logger != nil {
		logger = *options.Logger
	}
	p := &pipeline{store: store, sink: handlerSink{options.Handler}, guard: noLock{}}
	return store, New(&Config{
		Queue:            newQueue(options.Release, logger, options.ObjectType, store, options.Transform, options.Observer, options.Gates),
		ListerWatcher:    options.ListerWatcher,
		ObjectType:       options.ObjectType,
		FullResyncPeriod: options.ResyncPeriod,
		MinWatchTimeout:  options.MinWatchTimeout,
		Release:          options.Release,
		Observer:         options.Observer,
		Gates:            options.Gates,
		Clock:            options.Clock,
		keyedProcess:     p.process,
	})
}

// noLock is the guard of a pipeline whose store has no other users.
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
