package informer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"informerscope/core/words/event"
)

// stream is an open watch.
type stream struct {
	watch.Interface
	req      uint32
	openTime time.Time
	// events is the number of events so far.
	events int
}

// openWatch sends a WATCH or a WatchList.
func (r *Reflector) openWatch(ctx context.Context, verb event.Verb, options metav1.ListOptions) (*stream, error) {
	s := &stream{}
	if r.observer == nil {
		w, err := r.listerWatcher.WatchWithContext(ctx, options)
		s.Interface = w
		return s, err
	}
	s.req = r.requests.Add(1)
	s.openTime = r.clock.Now()
	phase := PhaseWatching
	if verb == event.VerbWatchList {
		phase = PhaseWatchListing
	}
	r.setPhase(phase, event.RequestSent{Req: s.req, Verb: verb, Options: options.DeepCopy()}.Event())
	w, err := r.listerWatcher.WatchWithContext(ctx, options)
	s.Interface = w
	send(r.observer, event.RequestAnswered{Req: s.req, Err: err}.Event())
	return s, err
}

// reportClosed reports the end of s.
func (r *Reflector) reportClosed(s *stream, text string, err error) {
	if r.observer != nil {
		send(r.observer, event.WatchClosed{Req: s.req, Events: s.events, Open: r.since(s.openTime), Why: text, Err: err}.Event())
	}
}

// watchList gets all objects by a WATCH with SendInitialEvents and replaces the store's contents with them. It returns the stream, which stays open for
// later events. It returns nil without an error if ctx is done, and an error if the caller should try LIST.
// Mirrors client-go tools/cache.(*Reflector).watchList (v0.37.2).
func (r *Reflector) watchList(ctx context.Context) (*stream, error) {
	logger := klog.FromContext(ctx)
	var storeOpts []StoreOption
	if t, ok := r.store.(TransformingStore); ok && t.Transformer() != nil {
		storeOpts = append(storeOpts, WithTransformer(t.Transformer()))
	}
	mayRetry := func(err error) bool {
		if isWatchErrorRetriable(err) {
			logger.V(2).Info("WatchList failed, backing off", "reflector", r.name, "type", r.typeDescription, "err", err)
			// client-go ignores ctx during this wait.
			d := r.nextDelay()
			r.setPhase(PhaseBackoff, event.Backoff{Wait: d, Then: thenWatchListAgain, Err: err}.Event())
			<-r.clock.After(d)
			if r.observer != nil {
				send(r.observer, event.Event{Kind: event.KindBackoffEnded})
			}
			return true
		}
		if isExpiredError(err) || isTooLargeResourceVersionError(err) {
			r.setUnavailable(true)
			return true
		}
		return false
	}

	for ctx.Err() == nil {
		sendInitialEvents := true
		start := r.clock.Now()
		s, err := r.openWatch(ctx, event.VerbWatchList, metav1.ListOptions{
			ResourceVersion:      r.rewatchResourceVersion(),
			AllowWatchBookmarks:  true,
			SendInitialEvents:    &sendInitialEvents,
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			TimeoutSeconds:       r.watchTimeout(),
		})
		if err != nil {
			if mayRetry(err) {
				continue
			}
			return nil, err
		}
		temporary := newCache(DeletionHandlingMetaNamespaceKeyFunc, Indexers{}, storeOpts...)
		resourceVersion := ""
		complete, err := r.consume(ctx, start, s, temporary, temporary, func(rv string, pastInitial bool) {
			if pastInitial {
				resourceVersion = rv
			}
		}, nil)
		switch {
		case errors.Is(err, errStopRequested):
			return nil, nil
		case err != nil && mayRetry(err):
			continue
		case err != nil:
			return nil, err
		case !complete:
			continue
		}
		r.setUnavailable(false)
		r.hold(ctx)
		if err := r.store.Replace(temporary.List(), resourceVersion); err != nil {
			// client-go leaves the stream open here, though it is never read.
			s.Stop()
			r.reportClosed(s, "its objects could not be stored", err)
			return nil, fmt.Errorf("unable to sync watch-list result: %w", err)
		}
		r.setLastSyncResourceVersion(resourceVersion)
		return s, nil
	}
	return nil, nil
}

// watch watches until it must list again: first the stream s, if there is one, then new streams from the version that was reached.
// Mirrors client-go tools/cache.(*Reflector).watch (v0.37.2).
func (r *Reflector) watch(ctx context.Context, s *stream, resyncErr <-chan error) error {
	logger := klog.FromContext(ctx)
	retry := NewRetryWithDeadline(r.MaxInternalErrorRetryDuration, time.Minute, apierrors.IsInternalError, r.clock)
	updater, _ := r.store.(ResourceVersionUpdater)
	for {
		if ctx.Err() != nil {
			if s != nil {
				s.Stop()
				r.reportClosed(s, "stopped", nil)
			}
			return nil
		}
		// Take the time before the request: a proxy may delay the headers until the first event.
		start := r.clock.Now()
		// A WATCH without a version begins with Added events in no particular order, so their versions do not tell what has been seen. Before 0.36 they
		// advanced the version nevertheless.
		ordered := true
		if s == nil {
			from := r.LastSyncResourceVersion()
			ordered = r.behaviour.CountsAdded || from != "" && from != "0"
			var err error
			s, err = r.openWatch(ctx, event.VerbWatch, metav1.ListOptions{
				ResourceVersion:     from,
				TimeoutSeconds:      r.watchTimeout(),
				AllowWatchBookmarks: true,
			})
			if err != nil {
				s = nil
				if !isWatchErrorRetriable(err) {
					return err
				}
				logger.V(4).Info("Watch failed, backing off", "reflector", r.name, "type", r.typeDescription, "err", err)
				if !r.backOff(ctx, r.clock, r.nextDelay(), thenWatchAgain, err) {
					return nil
				}
				continue
			}
		}
		_, err := r.consume(ctx, start, s, r.store, nil, func(rv string, pastInitial bool) {
			if !ordered && !pastInitial {
				return
			}
			r.setLastSyncResourceVersion(rv)
			if updater != nil {
				updater.UpdateResourceVersion(rv)
			}
		}, resyncErr)
		s = nil
		retry.After(err)
		switch {
		case err == nil:
			continue
		case errors.Is(err, errStopRequested):
			return nil
		case isExpiredError(err):
			// A LIST from the last known version returns something at least as fresh, so the version is kept for it.
			logger.V(4).Info("Watch closed", "reflector", r.name, "type", r.typeDescription, "err", err)
		case apierrors.IsTooManyRequests(err):
			logger.V(2).Info("Watch returned 429, backing off", "reflector", r.name, "type", r.typeDescription)
			if !r.backOff(ctx, r.clock, r.nextDelay(), thenWatchAgain, err) {
				return nil
			}
			continue
		case apierrors.IsInternalError(err) && retry.ShouldRetry():
			logger.V(2).Info("Retrying watch after internal error", "reflector", r.name, "type", r.typeDescription, "err", err)
			continue
		default:
			logger.Info("Warning: watch ended with error", "reflector", r.name, "type", r.typeDescription, "err", err)
		}
		r.why, r.cause = err.Error(), err
		return nil
	}
}

// consume stores the events of s until it ends. With a temporary store it also ends at the end mark of the initial events; then it returns true and
// leaves s open. It calls advance with every event's resourceVersion, and whether an event other than Added has come.
// Mirrors client-go tools/cache.handleAnyWatch (v0.37.2).
func (r *Reflector) consume(ctx context.Context, start time.Time, s *stream, store ReflectorStore, temporary *cache,
	advance func(rv string, pastInitial bool), resyncErr <-chan error) (complete bool, err error) {
	logger := klog.FromContext(ctx)
	text := ""
	keepOpen := false
	defer func() {
		if keepOpen {
			return
		}
		s.Stop()
		if errors.Is(err, errStopRequested) {
			r.reportClosed(s, text, nil)
		} else {
			r.reportClosed(s, text, err)
		}
	}()
	var mark markTicker
	if temporary != nil {
		mark = newMarkTicker(logger, r.name, r.clock, start)
		defer mark.stop()
	}
	c := r.newConsumer(s, store, temporary, advance)
	for {
		select {
		case <-ctx.Done():
			text = "stopped"
			return false, errStopRequested
		case err := <-resyncErr:
			text = "resync failed"
			return false, err
		case <-mark.c:
			mark.warn()
		case received, ok := <-s.ResultChan():
			if !ok {
				text = "closed by the server"
				if c.events == 0 && r.since(start) < time.Second {
					return false, &VeryShortWatchError{Name: r.name}
				}
				logger.V(4).Info("Watch close", "reflector", r.name, "type", r.typeDescription, "totalItems", c.events)
				return false, nil
			}
			if received.Type == watch.Error {
				text = "error event"
				return false, apierrors.FromObject(received.Object)
			}
			if !c.take(ctx, received) {
				continue
			}
			if temporary != nil && c.complete {
				keepOpen = true
				logger.V(4).Info("End of the initial events", "reflector", r.name, "totalItems", c.events)
				return true, nil
			}
			mark.recordEvent()
		}
	}
}

// consumer stores the events of one stream.
type consumer struct {
	*Reflector
	stream    *stream
	store     ReflectorStore
	temporary *cache
	bookmarks ReflectorBookmarkStore // the store if it takes bookmarks, otherwise nil
	keyed     keySharer              // the store if it accepts the key that was reported to the Observer, otherwise nil
	advance   func(rv string, pastInitial bool)

	events      int
	pastInitial bool // an event other than Added has come
	complete    bool // the end mark of the initial events has come
}

func (r *Reflector) newConsumer(s *stream, store ReflectorStore, temporary *cache, advance func(string, bool)) *consumer {
	c := &consumer{Reflector: r, stream: s, store: store, temporary: temporary, advance: advance}
	if !r.behaviour.KeepsBookmarks {
		c.bookmarks, _ = store.(ReflectorBookmarkStore)
	}
	if r.observer != nil {
		if k, ok := store.(keySharer); ok && k.sharesKeys() {
			c.keyed = k
		}
	}
	return c
}

// take stores an event, and reports whether it was accepted.
func (c *consumer) take(ctx context.Context, received watch.Event) bool {
	m, reason := c.accept(ctx, received, c.temporary != nil)
	if reason != "" {
		if c.observer != nil {
			send(c.observer, event.EventDropped{Req: c.stream.req, Op: opOfWatch(received.Type), Why: reason}.Event())
		}
		return false
	}
	rv := m.GetResourceVersion()
	endMark := received.Type == watch.Bookmark && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
	if c.stream.events++; c.stream.events%yieldEvery == 0 {
		yield(c.gates)
	}
	if c.observer != nil {
		c.observeWatchEvent(c.stream, c.temporary, received, m, endMark)
	}
	c.hold(ctx)
	var err error
	switch received.Type {
	case watch.Added, watch.Modified, watch.Deleted:
		c.pastInitial = c.pastInitial || received.Type != watch.Added
		err = c.put(c.store, c.keyed, received)
	case watch.Bookmark:
		c.pastInitial = true
		c.complete = c.complete || endMark
		if c.bookmarks != nil {
			err = c.bookmarks.Bookmark(rv)
		}
	default:
		utilruntime.HandleErrorWithContext(ctx, nil, "Unknown watch event", "reflector", c.name, "event", received)
	}
	if err != nil {
		// The store has lost the event; the version advances nevertheless.
		utilruntime.HandleErrorWithContext(ctx, err, "Unable to store watch event", "reflector", c.name, "eventType", received.Type)
	}
	c.advance(rv, c.pastInitial)
	c.events++
	return true
}

// put stores an event's object. keyed is the store if it accepts the key that was reported to the Observer, otherwise nil.
func (r *Reflector) put(store ReflectorStore, keyed keySharer, received watch.Event) error {
	switch op := opOfWatch(received.Type); {
	case keyed != nil:
		return keyed.addKeyed(op, received.Object, r.watchEvent.Key())
	case op == event.OpAdded:
		return store.Add(received.Object)
	case op == event.OpUpdated:
		return store.Update(received.Object)
	default:
		return store.Delete(received.Object)
	}
}

// accept returns the metadata of an event's object, or why the event must be ignored.
func (r *Reflector) accept(ctx context.Context, received watch.Event, initial bool) (metav1.Object, string) {
	if r.expectedType != nil {
		if actual := reflect.TypeOf(received.Object); actual != r.expectedType {
			utilruntime.HandleErrorWithContext(ctx, nil, "Unexpected watch event object type", "reflector", r.name, "expectedType", r.expectedType, "actualType", actual)
			return nil, fmt.Sprintf("unexpected type %v, expected %v", actual, r.expectedType)
		}
	}
	if r.expectedGVK != nil {
		if actual := received.Object.GetObjectKind().GroupVersionKind(); actual != *r.expectedGVK {
			utilruntime.HandleErrorWithContext(ctx, nil, "Unexpected watch event object gvk", "reflector", r.name, "expectedGVK", *r.expectedGVK, "actualGVK", actual)
			return nil, fmt.Sprintf("unexpected kind %v, expected %v", actual, *r.expectedGVK)
		}
	}
	refusesTables := initial || !r.behaviour.ReadsTables
	if u, ok := received.Object.(*unstructured.Unstructured); ok && refusesTables && u.GetKind() == "Table" && tableGVKs[u.GroupVersionKind()] {
		utilruntime.HandleErrorWithContext(ctx, nil, "Unsupported watch event object gvk", "reflector", r.name, "actualGVK", u.GroupVersionKind())
		return nil, "a Table holds rows, not objects"
	}
	m, err := meta.Accessor(received.Object)
	if err != nil {
		utilruntime.HandleErrorWithContext(ctx, err, "Unable to understand watch event", "reflector", r.name, "event", received)
		return nil, "no metadata: " + err.Error()
	}
	return m, ""
}

// observeWatchEvent emits KindWatchEvent. With a temporary store, the event contains how many objects that will have.
func (r *Reflector) observeWatchEvent(s *stream, temporary *cache, received watch.Event, m metav1.Object, endMark bool) {
	e := event.WatchEvent{Req: s.req, Op: opOfWatch(received.Type), RV: m.GetResourceVersion(), EndMark: endMark}
	if received.Type != watch.Bookmark {
		e.Key, e.Obj = MetaObjectToName(m).String(), received.Object
	}
	if temporary != nil {
		_, known, _ := temporary.GetByKey(e.Key)
		e.TempStore = temporary.len()
		switch {
		case received.Type == watch.Deleted && known:
			e.TempStore--
		case (received.Type == watch.Added || received.Type == watch.Modified) && !known:
			e.TempStore++
		}
		if endMark {
			r.setPhase(PhaseWatching, e.Event())
			return
		}
	}
	r.watchEvent.SetWatchEvent(e)
	r.observer.Observe(&r.watchEvent)
}

// markInterval is how often a WatchList warns that its end mark is missing.
const markInterval = 10 * time.Second

// markTicker warns while the end mark of a WatchList is missing. The zero value never ticks.
type markTicker struct {
	c      <-chan time.Time
	ticker clock.Ticker
	clock  clock.Clock
	logger klog.Logger
	name   string
	start  time.Time
	last   time.Time
}

func newMarkTicker(logger klog.Logger, name string, c clock.Clock, start time.Time) markTicker {
	withTicker, ok := c.(clock.WithTicker)
	if !ok {
		logger.Info("Warning: the clock has no tickers, a missing end of the initial events will not be reported", "reflector", name)
		return markTicker{}
	}
	t := withTicker.NewTicker(markInterval)
	return markTicker{c: t.C(), ticker: t, clock: c, logger: logger, name: name, start: start}
}

func (t *markTicker) recordEvent() {
	if t.ticker != nil {
		t.last = t.clock.Now()
	}
}

func (t *markTicker) warn() {
	switch {
	case t.last.IsZero():
		t.logger.Info("Warning: still waiting for the bookmark that ends the initial events, and no event has come", "reflector", t.name, "for",
			t.clock.Since(t.start))
	case t.clock.Since(t.last) >= markInterval:
		t.logger.Info("Warning: still waiting for the bookmark that ends the initial events", "reflector", t.name, "sinceLastEvent", t.clock.Since(t.last))
	}
}

func (t *markTicker) stop() {
	if t.ticker != nil {
		t.ticker.Stop()
	}
}
