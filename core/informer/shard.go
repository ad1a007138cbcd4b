package informer

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/sharding"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
)

// NewShardedListWatch returns a ListerWatcher that asks lw only for the objects of selector, or lw itself if selector is nil or empty. The selector goes with
// every LIST and WATCH. A list that has no shardInfo is of a server that does not know selectors, and is filtered here. A list of another selector is an
// error. Watch events are always filtered, as their server does not say what it did.
// Mirrors client-go tools/cache.NewShardedListWatch (v0.38.0-beta.0).
func NewShardedListWatch(lw ListerWatcher, selector sharding.Selector) ListerWatcher {
	if selector == nil || selector.Empty() {
		return lw
	}
	return &shardedListWatch{ListerWatcherWithContext: ToListerWatcherWithContext(lw), source: lw, selector: selector}
}

// shardedListWatch is a ListerWatcher of one shard.
type shardedListWatch struct {
	ListerWatcherWithContext
	source   ListerWatcher
	selector sharding.Selector
	logs     sync.Once // the first time that the server has not filtered
}

var (
	_ ListerWatcher            = &shardedListWatch{}
	_ ListerWatcherWithContext = &shardedListWatch{}
	_ unsupportedWatchList     = &shardedListWatch{}
)

// IsWatchListSemanticsUnSupported reports whether the source declares that it cannot do WatchList.
func (s *shardedListWatch) IsWatchListSemanticsUnSupported() bool { return lacksWatchList(s.source) }

// narrow adds the selector to options.
func (s *shardedListWatch) narrow(options *metav1.ListOptions) error {
	own := s.selector.String()
	if options.ShardSelector != "" && options.ShardSelector != own {
		return fmt.Errorf("conflicting shard selector %q, expected %q", options.ShardSelector, own)
	}
	options.ShardSelector = own
	return nil
}

func (s *shardedListWatch) logFallback(ctx context.Context) {
	s.logs.Do(func() {
		klog.FromContext(ctx).V(2).Info("The server did not apply the shard selector, so the client filters", "selector", s.selector)
	})
}

// List implements Lister.
func (s *shardedListWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), options)
}

// ListWithContext implements ListerWithContext.
func (s *shardedListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if err := s.narrow(&options); err != nil {
		return nil, err
	}
	list, err := s.ListerWatcherWithContext.ListWithContext(ctx, options)
	if err != nil {
		return nil, err
	}
	listMeta, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	sharded, ok := listMeta.(metav1.ShardedListInterface)
	if !ok {
		return nil, fmt.Errorf("object %T does not implement metav1.ShardedListInterface", list)
	}
	if info := sharded.GetShardInfo(); info != nil {
		if info.Selector != options.ShardSelector {
			return nil, fmt.Errorf("server applied shard selector %q, expected %q", info.Selector, options.ShardSelector)
		}
		return list, nil
	}
	s.logFallback(ctx)
	objects, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	var own []runtime.Object
	for _, o := range objects {
		matches, err := s.selector.Matches(o)
		if err != nil {
			return nil, err
		}
		if matches {
			own = append(own, o)
		}
	}
	listMeta.SetRemainingItemCount(nil) // it counts objects of other shards
	if err := meta.SetList(list, own); err != nil {
		return nil, err
	}
	return list, nil
}

// Watch implements Watcher.
func (s *shardedListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), options)
}

// WatchWithContext implements WatcherWithContext.
func (s *shardedListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if err := s.narrow(&options); err != nil {
		return nil, err
	}
	w, err := s.ListerWatcherWithContext.WatchWithContext(ctx, options)
	if err != nil {
		return nil, err
	}
	shard := &shardWatch{Interface: w, result: make(chan watch.Event), done: make(chan struct{})}
	go shard.filter(func(e watch.Event) bool {
		if e.Type == watch.Bookmark || e.Type == watch.Error {
			return true
		}
		matches, err := s.selector.Matches(e.Object)
		if err != nil {
			utilruntime.HandleErrorWithContext(ctx, err, "Unable to match watch event against shard selector")
			return false
		}
		if !matches {
			s.logFallback(ctx)
		}
		return matches
	})
	return shard, nil
}

// shardWatch passes on some events of a watch. Its goroutine ends with the watch, or when the reader stops it; that of apimachinery's watch.Filter stays if it
// has an event then.
type shardWatch struct {
	watch.Interface
	result chan watch.Event
	done   chan struct{}
	once   sync.Once
}

// ResultChan implements watch.Interface.
func (w *shardWatch) ResultChan() <-chan watch.Event { return w.result }

// Stop implements watch.Interface.
func (w *shardWatch) Stop() {
	w.once.Do(func() {
		close(w.done)
		w.Interface.Stop()
	})
}

func (w *shardWatch) filter(keeps func(watch.Event) bool) {
	defer close(w.result)
	for {
		var e watch.Event
		var open bool
		select {
		case e, open = <-w.Interface.ResultChan():
		case <-w.done:
		}
		if !open {
			return
		}
		if !keeps(e) {
			continue
		}
		select {
		case w.result <- e:
		case <-w.done:
			return
		}
	}
}
