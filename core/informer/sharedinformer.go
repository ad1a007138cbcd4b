package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/sharding"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// SharedInformer keeps a store (the cache) of a collection of objects and notifies any number of handlers of its changes.
//
// The store follows the server: every state in it was a state of the object. The states of one object come in the right order, though some may be
// skipped. There is no order between objects. Objects are identified by namespace and name only; if a deletion and a new creation were missed, they
// appear as an update with a new UID.
//
// A handler gets its notifications one after another, in the order of the changes, each after the store has changed. Handlers do not wait for each
// other. The notifications that a slow handler has not handled yet accumulate in memory.
type SharedInformer interface {
	// AddEventHandler adds a handler with the informer's resync period. A handler that is added while the informer runs first gets an OnAdd for every
	// stored object.
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithResyncPeriod adds a handler that gets every stored object again about every resyncPeriod; zero means never. An informer
	// created without a resync period does no resyncs.
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithOptions adds a handler.
	AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler removes a handler. It does nothing if the handler was already removed or belongs to another informer. It does not wait for a
	// running call of the handler (see ShutDownEventHandler); pending notifications are discarded.
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	// GetStore returns the store. Callers must only read it.
	GetStore() Store
	// GetController returns a Controller that only reports.
	GetController() Controller
	// Run is RunWithContext with a stop channel.
	Run(stopCh <-chan struct{})
	// RunWithContext runs until ctx is done. A second call returns at once.
	RunWithContext(ctx context.Context)
	// HasSynced reports whether the first complete list is in the store. The handlers may not have seen it yet: call HasSynced of their registrations.
	// Before 1.37 it waits while an item is processed, so a transform or an index function must not call it.
	HasSynced() bool
	// HasSyncedChecker allows waiting for HasSynced without polling.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion returns the resourceVersion that the Reflector has reached.
	LastSyncResourceVersion() string
	// SetWatchErrorHandler replaces the handler of the Reflector's errors. It returns an error once the informer was started.
	SetWatchErrorHandler(handler WatchErrorHandler) error
	// SetWatchErrorHandlerWithContext is SetWatchErrorHandler with a context.
	SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error
	// SetTransform sets a function that is applied to every object before it is queued. It returns an error once the informer was started.
	SetTransform(handler TransformFunc) error
	// SetShardSelector makes the informer see only the objects of selector, see NewShardedListWatch. It returns an error once the informer was started.
	SetShardSelector(selector sharding.Selector) error
	// IsStopped reports whether the informer has run and stopped. It cannot run again.
	IsStopped() bool
}

// SharedIndexInformer is a SharedInformer with indices.
type SharedIndexInformer interface {
	SharedInformer
	// AddIndexers adds indices. It works while the informer runs, but returns an error once it was stopped.
	AddIndexers(indexers Indexers) error
	// GetIndexer returns the store. Callers must only read it.
	GetIndexer() Indexer
}

// ResourceEventHandlerRegistration represents a handler that was added.
type ResourceEventHandlerRegistration interface {
	// HasSynced reports whether the informer has synced and the handler has returned from every OnAdd of the initial list. Before 1.37 it calls the
	// informer's HasSynced.
	HasSynced() bool
	// HasSyncedChecker allows waiting for HasSynced without polling.
	HasSyncedChecker() DoneChecker
}

// HandlerOptions configures a handler. All fields are optional.
type HandlerOptions struct {
	// Logger replaces klog.Background().
	Logger *klog.Logger
	// ResyncPeriod is the handler's resync period; nil means the informer's, zero means never.
	ResyncPeriod *time.Duration
	// Name is the handler's displayed name; default is derived from its type or functions.
	Name string
}

// SharedIndexInformerOptions configures a SharedIndexInformer. All fields are optional.
type SharedIndexInformerOptions struct {
	// ResyncPeriod is how often resyncs are considered, and the default resync period of handlers. Zero means no resyncs.
	ResyncPeriod time.Duration
	// Indexers are the store's index functions. The informer takes ownership of the map.
	Indexers Indexers
	// ObjectDescription describes the expected type in logs.
	ObjectDescription string
	// ShardSelector makes the informer see only some of the objects, see NewShardedListWatch; nil is all.
	ShardSelector sharding.Selector

	// Release is the release of client-go whose behaviour the informer has; default releases.Standard.
	Release releases.Release
	// Observer receives every transition.
	Observer event.Observer
	// Gates can hold the informer at every Stage.
	Gates event.Gates
	// Clock replaces the real clock for backoff, resync, the age of watches and the pause after a handler's panic. Durations in the queue's and the
	// handlers' events are always real.
	Clock clock.WithTicker
	// Random replaces math/rand for the timeouts of watches and the jitter of backoffs. It returns numbers in [0, 1).
	Random func() float64
}

// NewSharedIndexInformer returns a SharedIndexInformer of the default release.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration,
	indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{ResyncPeriod: defaultEventHandlerResyncPeriod, Indexers: indexers})
}

// NewSharedIndexInformerWithOptions returns a SharedIndexInformer for the objects of lw. It ignores objects of another type than exampleObject; nil
// accepts every type.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	s := &sharedIndexInformer{
		SharedIndexInformerOptions: options,
		behaviour:                  options.Release.Behaviour(),
		processor:                  newSharedProcessor(options.Clock, options.Observer, options.Gates),
		listerWatcher:              lw,
		objectType:                 exampleObject,
		resyncCheckPeriod:          options.ResyncPeriod,
		synced:                     make(chan struct{}),
	}
	s.indexer = newCache(DeletionHandlingMetaNamespaceKeyFunc, options.Indexers, WithObserver(options.Observer), WithRelease(options.Release))
	return s
}

// sharedIndexInformer implements SharedIndexInformer: a Controller that processes deltas into an Indexer and passes notifications to a sharedProcessor.
type sharedIndexInformer struct {
	SharedIndexInformerOptions
	behaviour     releases.Behaviour
	indexer       *cache
	processor     *sharedProcessor
	listerWatcher ListerWatcher
	objectType    runtime.Object

	// syncedLock makes closing synced and reporting it one step.
	syncedLock sync.Mutex
	synced     chan struct{}
	// awaitingListeners are the listeners to notify when the informer has synced; used only with LocksHasSynced.
	awaitingListeners []*processorListener

	startedLock sync.Mutex
	started     bool
	stopped     bool
	controller  *controller
	queue       Queue
	// resyncCheckPeriod is how often the Reflector calls shouldResync.
	resyncCheckPeriod time.Duration
	watchErrorHandler WatchErrorHandlerWithContext
	transform         TransformFunc
	lastListener      int32

	// blockDeltas is held while deltas are processed. While it is held elsewhere, a handler can be added without missing a delta.
	blockDeltas sync.Mutex
	// pending are notifications that the processor does not have yet; blockDeltas guards it.
	pending []notification
}

var _ SharedIndexInformer = &sharedIndexInformer{}

func (s *sharedIndexInformer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) { handler(r, err) })
}

func (s *sharedIndexInformer) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	return s.beforeStart(func() { s.watchErrorHandler = handler })
}

func (s *sharedIndexInformer) SetTransform(handler TransformFunc) error {
	return s.beforeStart(func() { s.transform = handler })
}

func (s *sharedIndexInformer) SetShardSelector(selector sharding.Selector) error {
	return s.beforeStart(func() { s.ShardSelector = selector })
}

func (s *sharedIndexInformer) beforeStart(set func()) error {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	if s.started {
		return errors.New("informer has already started")
	}
	set()
	return nil
}

func (s *sharedIndexInformer) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext mirrors client-go tools/cache.(*sharedIndexInformer).RunWithContext (v0.37.2).
func (s *sharedIndexInformer) RunWithContext(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	logger := klog.FromContext(ctx)
	if !s.start(logger) {
		logger.Info("Warning: the sharedIndexInformer has started, run more than once is not allowed")
		return
	}
	if s.Observer != nil {
		defer send(s.Observer, event.Event{Kind: event.KindInformerStopped})
	}
	// The processor stops only after the controller, so that the process loop never sends to a listener that has ended.
	processorCtx, stopProcessor := context.WithCancelCause(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stopProcessor(errors.New("informer is stopping"))
	wg.Go(func() { s.processor.run(processorCtx) })
	if !s.behaviour.LocksHasSynced {
		wg.Go(func() {
			select {
			case <-ctx.Done():
			case <-s.controller.HasSyncedChecker().Done():
				s.markSynced()
			}
		})
	}
	defer func() {
		s.startedLock.Lock()
		defer s.startedLock.Unlock()
		s.stopped = true // from here on no handler can be added
	}()
	s.controller.RunWithContext(ctx)
}

// start builds the controller, and reports whether this is the first start.
func (s *sharedIndexInformer) start(logger klog.Logger) bool {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	if s.started {
		return false
	}
	s.queue = newQueue(s.Release, logger, s.objectType, s.indexer, s.transform, s.Observer, s.Gates)
	if s.behaviour.LocksHasSynced {
		switch q := s.queue.(type) {
		case *RealFIFO:
			q.onSynced = s.markSynced
		case *DeltaFIFO:
			q.onSynced = s.markSynced
		}
	}
	p := &pipeline{store: s.indexer, sink: s, guard: &s.blockDeltas}
	s.controller = &controller{config: Config{
		Queue:                        s.queue,
		ListerWatcher:                NewShardedListWatch(s.listerWatcher, s.ShardSelector),
		ObjectType:                   s.objectType,
		ObjectDescription:            s.ObjectDescription,
		FullResyncPeriod:             s.resyncCheckPeriod,
		ShouldResync:                 s.processor.shouldResync,
		WatchErrorHandlerWithContext: s.watchErrorHandler,
		Release:                      s.Release,
		Observer:                     s.Observer,
		Gates:                        s.Gates,
		Clock:                        s.Clock,
		Random:                       s.Random,
		keyedProcess:                 p.process,
	}}
	s.started = true
	if s.Observer != nil {
		send(s.Observer, event.InformerStarted{Type: s.description(), Release: s.Release.String()}.Event())
	}
	return true
}

// description returns a description of the informer's objects.
func (s *sharedIndexInformer) description() string {
	if s.ObjectDescription != "" {
		return s.ObjectDescription
	}
	if s.objectType == nil {
		return defaultExpectedTypeName
	}
	return fmt.Sprintf("%T", s.objectType)
}

// markSynced makes the informer's HasSynced true. With LocksHasSynced the queue calls it, under its lock; then registrations with nothing outstanding
// become synced at the same time.
func (s *sharedIndexInformer) markSynced() {
	s.syncedLock.Lock()
	defer s.syncedLock.Unlock()
	// Before the channel is closed: the registrations wait for it, and their events must come later.
	if s.Observer != nil {
		send(s.Observer, event.Event{Kind: event.KindInformerSynced})
	}
	close(s.synced)
	for _, l := range s.awaitingListeners {
		l.tracker.upstreamHasSynced()
	}
	s.awaitingListeners = nil
}

// notifySynced notifies l's tracker when the informer has synced. If l gets an initial list, that must have been counted before.
func (s *sharedIndexInformer) notifySynced(l *processorListener) {
	s.syncedLock.Lock()
	defer s.syncedLock.Unlock()
	if IsDone(informerDone{s}) {
		l.tracker.upstreamHasSynced()
		return
	}
	s.awaitingListeners = append(s.awaitingListeners, l)
}

// HasStarted reports whether RunWithContext was called.
func (s *sharedIndexInformer) HasStarted() bool {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	return s.started
}

func (s *sharedIndexInformer) IsStopped() bool {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	return s.stopped
}

// HasSynced mirrors client-go tools/cache.(*sharedIndexInformer).HasSynced (v0.35.10 and v0.37.2): before 0.36 it waits for the queue's lock.
func (s *sharedIndexInformer) HasSynced() bool {
	if !s.behaviour.LocksHasSynced {
		return IsDone(informerDone{s})
	}
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	return s.queue != nil && s.queue.HasSynced()
}

func (s *sharedIndexInformer) HasSyncedChecker() DoneChecker { return informerDone{s} }

// informerDone is the DoneChecker of a sharedIndexInformer.
type informerDone struct{ s *sharedIndexInformer }

func (d informerDone) Name() string          { return fmt.Sprintf("SharedIndexInformer %T", d.s.objectType) }
func (d informerDone) Done() <-chan struct{} { return d.s.synced }

func (s *sharedIndexInformer) LastSyncResourceVersion() string {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	if s.controller == nil {
		return ""
	}
	return s.controller.LastSyncResourceVersion()
}

func (s *sharedIndexInformer) GetStore() Store { return s.indexer }

func (s *sharedIndexInformer) GetIndexer() Indexer { return s.indexer }

func (s *sharedIndexInformer) AddIndexers(indexers Indexers) error {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	if s.stopped {
		return errors.New("indexer was not added because it has stopped already")
	}
	return s.indexer.AddIndexers(indexers)
}

func (s *sharedIndexInformer) GetController() Controller { return dummyController{s} }

// dummyController reports on an informer and does not run it.
type dummyController struct{ s *sharedIndexInformer }

func (dummyController) RunWithContext(context.Context)  {}
func (dummyController) Run(<-chan struct{})             {}
func (d dummyController) HasSynced() bool               { return d.s.HasSynced() }
func (d dummyController) HasSyncedChecker() DoneChecker { return d.s.HasSyncedChecker() }

// LastSyncResourceVersion is empty in releases whose gate InformerResourceVersion is off.
func (d dummyController) LastSyncResourceVersion() string {
	if !d.s.behaviour.ReportsVersion {
		return ""
	}
	return d.s.LastSyncResourceVersion()
}

// minimumResyncPeriod is the least resync period of a handler.
const minimumResyncPeriod = time.Second

// determineResyncPeriod returns the resync period for a handler that requests desired, from an informer that checks every check.
func determineResyncPeriod(logger klog.Logger, desired, check time.Duration) time.Duration {
	switch {
	case desired == 0:
		return 0
	case check == 0:
		logger.Info("Warning: the handler's resync period has no effect because this shared informer does no resyncs", "desired", desired)
		return 0
	case desired < check:
		logger.Info("Warning: the handler's resync period is raised to the informer's check period", "desired", desired, "resyncCheckPeriod", check)
		return check
	}
	return desired
}

func (s *sharedIndexInformer) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

func (s *sharedIndexInformer) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration,
	error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

// AddEventHandlerWithOptions mirrors client-go
// tools/cache.(*sharedIndexInformer).AddEventHandlerWithOptions (v0.37.2).
func (s *sharedIndexInformer) AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	if s.stopped {
		return nil, fmt.Errorf("handler %v was not added to shared informer because it has stopped already", handler)
	}
	logger := klog.Background()
	if options.Logger != nil {
		logger = *options.Logger
	}
	period := s.adjustResyncPeriodLocked(logger, ptr.Deref(options.ResyncPeriod, s.ResyncPeriod))
	s.lastListener++
	var informerSynced func() bool
	if s.behaviour.LocksHasSynced {
		informerSynced = s.HasSynced
	}
	l := newProcessorListener(handler, s.processor.observer, listenerOptions{
		logger:                logger,
		clock:                 s.processor.clock,
		id:                    s.lastListener,
		name:                  options.Name,
		requestedResyncPeriod: period,
		resyncPeriod:          determineResyncPeriod(logger, period, s.resyncCheckPeriod),
		upstream:              s.HasSyncedChecker(),
		informerSynced:        informerSynced,
		pauseAtOnce:           s.behaviour.PausesAtOnce,
		gates:                 s.Gates,
	})
	if !s.started {
		s.processor.addListener(l)
		if s.behaviour.LocksHasSynced {
			s.notifySynced(l)
		}
		return l, nil
	}
	// While blockDeltas is held, the store does not change and nothing is distributed, so the replay neither misses nor repeats anything.
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	running := s.processor.addListener(l)
	for _, item := range s.indexer.snapshot() {
		add := notification{op: event.OpAdded, isInInitialList: true, key: item.key, rv: rvOf(item.obj), obj: item.obj}
		if s.Observer != nil {
			send(s.Observer, event.Distributed{Op: event.OpAdded, Key: item.key, RV: add.rv, InitialList: true, Listeners: 1, Listener: l.id, Obj: item.obj}.Event())
		}
		// All of the initial list is counted before HasSynced can be called.
		l.accept(&add, l.observer.Now())
	}
	switch {
	case s.behaviour.LocksHasSynced:
		s.notifySynced(l)
	case running:
		s.processor.wg.Go(l.watchSynced)
	}
	return l, nil
}

// adjustResyncPeriodLocked raises a handler's resync period to the least possible or, before the start, lowers the informer's check period to it.
func (s *sharedIndexInformer) adjustResyncPeriodLocked(logger klog.Logger, period time.Duration) time.Duration {
	if period <= 0 {
		return period
	}
	if period < minimumResyncPeriod {
		logger.Info("Warning: the resync period is too small, it is raised to the least allowed", "resyncPeriod", period, "minimumResyncPeriod", minimumResyncPeriod)
		period = minimumResyncPeriod
	}
	if period >= s.resyncCheckPeriod {
		return period
	}
	if s.started {
		logger.Info("Warning: the resync period is raised to the check period of the running informer", "resyncPeriod", period, "resyncCheckPeriod",
			s.resyncCheckPeriod)
		return s.resyncCheckPeriod
	}
	s.resyncCheckPeriod = period
	s.processor.resyncCheckPeriodChanged(logger, period)
	return period
}

// RemoveEventHandler implements SharedInformer.
func (s *sharedIndexInformer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	// No goroutine may send to the listener while it is stopped.
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	return s.processor.removeListener(handle)
}

// ShutDownEventHandler removes a handler and waits until it will not be called any more. The handler must not call it, because it would wait for
// itself.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	if err := informer.RemoveEventHandler(handle); err != nil {
		return err
	}
	h, ok := handle.(interface{ ShutdownChan() <-chan struct{} })
	if !ok {
		return errors.New("handle does not support ShutdownChan()")
	}
	<-h.ShutdownChan()
	return nil
}

// The process loop calls the following methods with blockDeltas held.

func (s *sharedIndexInformer) onAdd(key string, obj any, isInInitialList bool) {
	s.collect(notification{op: event.OpAdded, key: key, obj: obj, isInInitialList: isInInitialList})
}

// onUpdate treats an update that did not change the resourceVersion as a resync: only listeners that are syncing get it.
func (s *sharedIndexInformer) onUpdate(key string, old, obj any) {
	n := notification{op: event.OpUpdated, key: key, old: old, obj: obj}
	if m, err := meta.Accessor(obj); err == nil {
		n.rv = m.GetResourceVersion()
		if om, err := meta.Accessor(old); err == nil {
			n.sync = n.rv == om.GetResourceVersion()
		}
	}
	s.collect(n)
}

func (s *sharedIndexInformer) onDelete(key string, obj any) {
	s.collect(notification{op: event.OpDeleted, key: key, obj: obj})
}

// maxPending is at most how many notifications of one batch or list go to the listeners together.
const maxPending = 256

func (s *sharedIndexInformer) collect(n notification) {
	s.pending = append(s.pending, n)
	if len(s.pending) == maxPending {
		s.flush()
	}
}

func (s *sharedIndexInformer) flush() {
	if len(s.pending) == 0 {
		return
	}
	// Take them out first: if an Observer panics, they must not be distributed again.
	ns := s.pending
	s.pending = nil
	s.processor.distribute(ns)
	clear(ns)
	s.pending = ns[:0]
}
