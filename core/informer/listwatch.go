package informer

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Lister lists objects.
type Lister interface {
	// List returns a list object; its Items and resourceVersion are used.
	//
	// Deprecated: implement ListerWithContext too.
	List(options metav1.ListOptions) (runtime.Object, error)
}

// ListerWithContext is a Lister that can be cancelled.
type ListerWithContext interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
}

// Watcher opens watches.
type Watcher interface {
	// Watch opens a watch from the version in options. If it returns an error, there is nothing to stop.
	//
	// Deprecated: implement WatcherWithContext too.
	Watch(options metav1.ListOptions) (watch.Interface, error)
}

// WatcherWithContext is a Watcher that can be cancelled.
type WatcherWithContext interface {
	WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// ListerWatcher is the source of a Reflector's objects. It should also implement ListerWatcherWithContext: a List that cannot be cancelled outlives the
// Reflector that called it.
type ListerWatcher interface {
	Lister
	Watcher
}

// ListerWatcherWithContext is a ListerWatcher that can be cancelled.
type ListerWatcherWithContext interface {
	ListerWithContext
	WatcherWithContext
}

// ToListerWithContext returns l if it takes a context, otherwise a wrapper that drops the context.
func ToListerWithContext(l Lister) ListerWithContext {
	if l, ok := l.(ListerWithContext); ok {
		return l
	}
	return listerWrapper{l}
}

// ToWatcherWithContext returns w if it takes a context, otherwise a wrapper that drops the context.
func ToWatcherWithContext(w Watcher) WatcherWithContext {
	if w, ok := w.(WatcherWithContext); ok {
		return w
	}
	return watcherWrapper{w}
}

// ToListerWatcherWithContext returns lw if it takes contexts, otherwise a wrapper around its two halves, each wrapped if necessary.
func ToListerWatcherWithContext(lw ListerWatcher) ListerWatcherWithContext {
	if lw, ok := lw.(ListerWatcherWithContext); ok {
		return lw
	}
	return listerWatcherWrapper{ToListerWithContext(lw), ToWatcherWithContext(lw)}
}

type listerWrapper struct{ parent Lister }

func (l listerWrapper) ListWithContext(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return l.parent.List(options)
}

type watcherWrapper struct{ parent Watcher }

func (w watcherWrapper) WatchWithContext(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return w.parent.Watch(options)
}

type listerWatcherWrapper struct {
	ListerWithContext
	WatcherWithContext
}

// unsupportedWatchList is implemented by a client that cannot do WatchList.
type unsupportedWatchList interface {
	IsWatchListSemanticsUnSupported() bool
}

// lacksWatchList reports whether client declares that it cannot do WatchList.
func lacksWatchList(client any) bool {
	c, ok := client.(unsupportedWatchList)
	return ok && c.IsWatchListSemanticsUnSupported()
}

// ListFunc returns a list object.
//
// Deprecated: use ListWithContextFunc.
type ListFunc func(options metav1.ListOptions) (runtime.Object, error)

// ListWithContextFunc returns a list object.
type ListWithContextFunc func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)

// WatchFunc opens a watch.
//
// Deprecated: use WatchFuncWithContext.
type WatchFunc func(options metav1.ListOptions) (watch.Interface, error)

// WatchFuncWithContext opens a watch.
type WatchFuncWithContext func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)

// ListWatch is a ListerWatcher made of functions: one of each pair must be set. The function that matches the call is preferred.
type ListWatch struct {
	// ListFunc lists without a context.
	//
	// Deprecated: set ListWithContextFunc.
	ListFunc ListFunc
	// WatchFunc watches without a context.
	//
	// Deprecated: set WatchFuncWithContext.
	WatchFunc WatchFunc
	// ListWithContextFunc lists.
	ListWithContextFunc ListWithContextFunc
	// WatchFuncWithContext watches.
	WatchFuncWithContext WatchFuncWithContext
	// DisableChunking is kept for compatibility; the Reflector does not read it, as client-go's does not.
	DisableChunking bool
}

var (
	_ ListerWatcher            = &ListWatch{}
	_ ListerWatcherWithContext = &ListWatch{}
)

// List implements Lister.
func (lw *ListWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	if lw.ListFunc != nil {
		return lw.ListFunc(options)
	}
	return lw.ListWithContextFunc(context.Background(), options)
}

// ListWithContext implements ListerWithContext.
func (lw *ListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if lw.ListWithContextFunc != nil {
		return lw.ListWithContextFunc(ctx, options)
	}
	return lw.ListFunc(options)
}

// Watch implements Watcher.
func (lw *ListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	if lw.WatchFunc != nil {
		return lw.WatchFunc(options)
	}
	return lw.WatchFuncWithContext(context.Background(), options)
}

// WatchWithContext implements WatcherWithContext.
func (lw *ListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if lw.WatchFuncWithContext != nil {
		return lw.WatchFuncWithContext(ctx, options)
	}
	return lw.WatchFunc(options)
}
