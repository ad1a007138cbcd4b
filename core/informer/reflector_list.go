package informer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"informerscope/core/words/event"
)

// ListAndWatch is ListAndWatchWithContext with a stop channel.
func (r *Reflector) ListAndWatch(stopCh <-chan struct{}) error {
	return r.ListAndWatchWithContext(wait.ContextForChannel(stopCh))
}

// ListAndWatchWithContext gets all objects, by WatchList or by LIST, and then watches from there until it must list again. It returns an error if it
// could not open a watch.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) (err error) {
	logger := klog.FromContext(ctx)
	logger.V(3).Info("Listing and watching", "type", r.typeDescription, "reflector", r.name)
	if r.observer != nil {
		rv := r.relistResourceVersion()
		if r.useWatchList {
			rv = r.rewatchResourceVersion()
		}
		send(r.observer, event.ListWatchStarted{RV: rv, Why: r.why, First: r.LastSyncResourceVersion() == ""}.Event())
	}
	r.why, r.cause = whyEnded, nil
	defer func() {
		if err != nil {
			r.why, r.cause = err.Error(), err
		}
	}()

	var s *stream
	fallback := !r.useWatchList
	if r.useWatchList {
		s, err = r.watchList(ctx)
		switch {
		case err != nil:
			logger.V(4).Info("No data by WatchList, falling back to LIST; expected if the server does not support it", "err", err)
			fallback = true
		case s == nil:
			return nil // stopped
		}
	}
	if fallback {
		if err := r.list(ctx); err != nil {
			return err
		}
	}
	logger.V(2).Info("Caches populated", "type", r.typeDescription, "reflector", r.name)
	return r.watchWithResync(ctx, s)
}

// listCall is one LIST with all its pages. It runs in a goroutine that is abandoned if ctx is done first, because a ListerWatcher may ignore ctx.
type listCall struct {
	r    *Reflector
	lock sync.Mutex
	// abandoned is set once nothing may be reported any more.
	abandoned bool
	// open is the number of the request that is not answered yet, otherwise 0.
	open uint32
}

// fetch requests one page.
func (c *listCall) fetch(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	r := c.r
	if r.observer == nil {
		return r.listerWatcher.ListWithContext(ctx, options)
	}
	c.reportSent(options)
	obj, err := r.listerWatcher.ListWithContext(ctx, options)
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.abandoned {
		return obj, err
	}
	e := event.RequestAnswered{Req: c.open, Err: err}
	c.open = 0
	if err == nil {
		if m, err := meta.ListAccessor(obj); err == nil {
			e.Items, e.RV, e.Continue = meta.LenList(obj), m.GetResourceVersion(), m.GetContinue()
		}
	}
	send(r.observer, e.Event())
	return obj, err
}

func (c *listCall) reportSent(options metav1.ListOptions) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.abandoned {
		return
	}
	c.open = c.r.requests.Add(1)
	c.r.setPhase(PhaseListing, event.RequestSent{Req: c.open, Verb: event.VerbList, Options: options.DeepCopy()}.Event())
}

// setUnavailable is Reflector.setUnavailable, unless the call was abandoned.
func (c *listCall) setUnavailable() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.abandoned {
		c.r.setUnavailable(true)
	}
}

func (c *listCall) abandon(cause error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.abandoned = true
	if c.open != 0 && c.r.observer != nil {
		send(c.r.observer, event.RequestAnswered{Req: c.open, Err: cause}.Event())
	}
}

// list gets all objects by LIST and replaces the store's contents with them.
// Mirrors client-go tools/cache.(*Reflector).list (v0.37.2).
func (r *Reflector) list(ctx context.Context) error {
	resourceVersion := r.relistResourceVersion()
	pageSize := int64(defaultPageSize)
	switch {
	case r.WatchListPageSize != 0:
		pageSize = r.WatchListPageSize
	case r.paginatedResult:
	case resourceVersion != "" && resourceVersion != "0":
		// The watch cache serves a known version only to lists without a limit.
		pageSize = 0
	}

	type outcome struct {
		list  pagedList
		err   error
		panic any
	}
	call := &listCall{r: r}
	results := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			out.panic = recover()
			results <- out
		}()
		p := &pager{pageSize: pageSize, fetch: func(o metav1.ListOptions) (runtime.Object, error) { return call.fetch(ctx, o) }}
		out.list, out.err = p.list(metav1.ListOptions{ResourceVersion: resourceVersion})
		if isExpiredError(out.err) || isTooLargeResourceVersionError(out.err) {
			// This version is unavailable. List the latest at once.
			call.setUnavailable()
			out.list, out.err = p.list(metav1.ListOptions{ResourceVersion: r.relistResourceVersion()})
		}
		if out.err == nil {
			out.err = r.checkNotTable(out.list.whole)
		}
	}()
	var out outcome
	select {
	case <-ctx.Done():
		call.abandon(ctx.Err())
		return nil
	case out = <-results:
	}
	if out.panic != nil {
		panic(out.panic) // in the goroutine that HandleCrash guards
	}
	if out.err != nil {
		return fmt.Errorf("failed to list %v: %w", r.typeDescription, out.err)
	}
	// The watch cache can serve "0", and never uses pages. Pages mean that there is no watch cache, so later lists should be paged, too.
	if resourceVersion == "0" && out.list.paginated {
		r.paginatedResult = true
	}
	r.setUnavailable(false)

	items, resourceVersion, err := out.list.contents()
	if err != nil {
		return err
	}
	r.hold(ctx)
	if err := r.store.Replace(items, resourceVersion); err != nil {
		return fmt.Errorf("unable to sync list result: %v", err)
	}
	r.setLastSyncResourceVersion(resourceVersion)
	return nil
}

// contents returns the objects and the resourceVersion of a list.
func (l *pagedList) contents() ([]interface{}, string, error) {
	objects, resourceVersion := l.items, l.resourceVersion
	if l.whole != nil {
		m, err := meta.ListAccessor(l.whole)
		if err != nil {
			return nil, "", fmt.Errorf("unable to understand list result %#v: %v", l.whole, err)
		}
		resourceVersion = m.GetResourceVersion()
		if objects, err = meta.ExtractListWithAlloc(l.whole); err != nil {
			return nil, "", fmt.Errorf("unable to understand list result %#v (%v)", l.whole, err)
		}
	}
	items := make([]interface{}, len(objects))
	for i, obj := range objects {
		items[i] = obj
	}
	return items, resourceVersion, nil
}

func (r *Reflector) checkNotTable(list runtime.Object) error {
	u, ok := list.(*unstructured.UnstructuredList)
	if ok && !r.behaviour.ReadsTables && tableGVKs[u.GroupVersionKind()] {
		return fmt.Errorf("unsupported list gvk: %v, type: %v", u.GroupVersionKind(), r.typeDescription)
	}
	return nil
}

// watchWithResync watches, while the resync timer runs. The timer restarts with every list.
func (r *Reflector) watchWithResync(ctx context.Context, s *stream) error {
	resyncErr := make(chan error, 1)
	resyncCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.behaviour.RelistsDuringResync {
		r.resyncs.Go(func() { r.resync(resyncCtx, resyncErr) })
		return r.watch(ctx, s, resyncErr)
	}
	var wg sync.WaitGroup
	defer func() {
		cancel()
		wg.Wait()
	}()
	wg.Go(func() { r.resync(resyncCtx, resyncErr) })
	return r.watch(ctx, s, resyncErr)
}

// resync calls the store's Resync every resyncPeriod.
func (r *Reflector) resync(ctx context.Context, resyncErr chan<- error) {
	if r.resyncPeriod == 0 {
		return
	}
	for {
		t := r.clock.NewTimer(r.resyncPeriod)
		select {
		case <-t.C():
		case <-ctx.Done():
			t.Stop()
			return
		}
		if r.ShouldResync != nil && !r.ShouldResync() {
			continue
		}
		klog.FromContext(ctx).V(4).Info("Forcing resync", "reflector", r.name)
		if r.observer != nil {
			send(r.observer, event.Event{Kind: event.KindResyncDue})
		}
		if err := r.store.Resync(); err != nil {
			resyncErr <- err
			return
		}
	}
}

// since returns the time since start, by the Reflector's clock.
func (r *Reflector) since(start time.Time) time.Duration { return r.clock.Since(start) }
