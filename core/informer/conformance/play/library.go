package play

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clocktesting "k8s.io/utils/clock/testing"
)

// Release is a release of client-go, named after the Kubernetes minor version that it was released with. Releases compare as strings.
type Release string

// The releases.
const (
	E131 Release = "1.31"
	E133 Release = "1.33"
	E135 Release = "1.35"
	E137 Release = "1.37"
	E138 Release = "1.38"
)

// Releases lists all releases, the oldest first.
var Releases = []Release{E131, E133, E135, E137, E138}

// Library is what a script is played to: one release of client-go, or core/informer with the release of that name. A field is nil if the release has no
// such API.
type Library struct {
	Release Release
	// Mine is set for core/informer, whose invariants are checked too.
	Mine bool

	Shared func(Options) Informer
	// Plain makes what NewInformerWithOptions returns: its process loop calls the handler directly.
	Plain func(Options, Handler) Controller
	// Custom makes a controller whose process function passes each delta to say and then returns failure.
	Custom    func(source Source, say func(kind string, o any, initial bool), failure error) Controller
	Reflector func(source Source, expected any, o ReflectorOptions) Reflector
	Queue     func(QueueOptions) *Queue
	Cache     func(index IndexFunc) Cache
	// Watch opens a watch on pods over a transport, as a client of the release does; with initial it is a WatchList.
	Watch func(rt http.RoundTripper, initial bool) (watch.Interface, error)
	// Transaction applies operations to a Cache in one transaction and describes the result.
	Transaction func(c Cache, kinds []string, objects []any) string
	Tombstone   func(key string, o any) any
	ExplicitKey func(string) any
	Keys        Keys
	// ForeignRegistration returns a registration that no informer returned.
	ForeignRegistration func() Registration
	// SyncedWithoutLock reports whether the library has HasSyncedChecker, so that HasSynced takes no lock.
	SyncedWithoutLock bool
}

// IndexFunc is an index function of either library.
type IndexFunc = func(any) ([]string, error)

// TransformFunc is a transform of either library.
type TransformFunc = func(any) (any, error)

// Source is a ListerWatcher of every library. A Source may also implement SourceWithContext.
type Source interface {
	List(metav1.ListOptions) (runtime.Object, error)
	Watch(metav1.ListOptions) (watch.Interface, error)
}

// SourceWithContext is a Source whose methods take contexts, which client-go uses since 0.33.
type SourceWithContext interface {
	ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error)
	WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// Handler is a ResourceEventHandler of every library. OnDelete receives a Tombstone in place of a library's DeletedFinalStateUnknown.
type Handler interface {
	OnAdd(o any, initial bool)
	OnUpdate(old, o any)
	OnDelete(o any)
}

// Tombstone stands for a library's DeletedFinalStateUnknown.
type Tombstone struct {
	Key string
	Obj any
}

// ReplacedAll, SyncAll and Bookmark stand for the objects of the library's deltas of these types.
type (
	ReplacedAll struct {
		ResourceVersion string
		Objects         []any
	}
	SyncAll  struct{}
	Bookmark struct{ ResourceVersion string }
)

// Options are the options of an informer.
type Options struct {
	Source Source
	// Bare wraps the source in a ListWatch of functions.
	Bare      bool
	Resync    time.Duration
	Indexers  map[string]IndexFunc
	Transform TransformFunc // for a plain informer only
	Silent    bool          // ours runs without an Observer
	// Half makes the informer see only the objects of halfShard, by SetShardSelector, which came with 0.38.
	Half bool
}

// Registration is a ResourceEventHandlerRegistration of either library.
type Registration interface{ HasSynced() bool }

// Informer is a SharedIndexInformer of either library.
type Informer interface {
	AddHandler(h Handler, filter func(any) bool, resync *time.Duration) (Registration, error)
	// Remove removes a handler. With wait it uses ShutDownEventHandler.
	Remove(r Registration, wait bool) error
	SetTransform(TransformFunc) error
	SetWatchErrorHandler(func(error)) error
	AddIndexers(map[string]IndexFunc) error
	Run(context.Context)
	Stopped() bool
	HasSynced() bool
	Keys() []string
	Store() Cache
	View() View
}

// Witness is an Informer that checks itself after every step of a script: it returns the differences that it found between its event log and its state.
type Witness interface {
	Compare(step string) (broken []string, events int)
}

// Controller is a plain informer of either library.
type Controller struct {
	Run         func(context.Context)
	HasSynced   func() bool
	Store       Cache
	AddIndexers func(map[string]IndexFunc) error
	View        func() View
}

// ReflectorOptions are the options of a Reflector.
type ReflectorOptions struct {
	MinWatchTimeout, MaxInternalErrorRetry time.Duration
	PageSize                               int64
	Clock                                  *clocktesting.FakeClock
}

// Reflector is a Reflector of either library over a plain store.
type Reflector struct {
	Run     func(context.Context)
	Keys    func() []string
	Version func() string
}

// QueueOptions are the options of a queue. All others are those that an informer of the release uses.
type QueueOptions struct {
	Behind    KeyLister
	Transform TransformFunc
	// Sync makes the DeltaFIFO that NewDeltaFIFO returns, and Each the RealFIFO that NewRealFIFO returns, which came with 0.33.
	Sync, Each bool
}

// KeyLister is the store behind a queue.
type KeyLister interface {
	ListKeys() []string
	GetByKey(key string) (any, bool, error)
}

// Queue is a queue of either library.
type Queue struct {
	Add, Update, Delete func(any) error
	Replace             func([]any, string) error
	Resync              func() error
	Bookmark            func(string) error
	HasSynced           func() bool
	Done                func() bool
	Close               func()
	IsClosed            func() bool
	// Pop pops once as the release's process loop does. While the queue processes, say receives the kind of pop, each delta, and whether it is initial.
	Pop func(say func(how string, kinds []string, objects []any, initial bool) error) error
	// Closed is the library's ErrFIFOClosed.
	Closed error
}

// Cache is an Indexer of either library.
type Cache interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	List() []any
	ListKeys() []string
	GetByKey(string) (any, bool, error)
	Replace([]any, string) error
	ListIndexFuncValues(string) []string
	IndexKeys(string, string) ([]string, error)
	ByIndex(string, string) ([]any, error)
	Index(string, any) ([]any, error)
}

// versioned is a Cache that has a version, as every Cache has since 0.36.
type versioned interface {
	Bookmark(string)
	LastStoreSyncResourceVersion() string
}

// Keys are the key functions of a library.
type Keys struct {
	Key, DeletionKey         func(any) (string, error)
	ObjectName, DeletionName func(any) (string, error)
	Split                    func(string) (string, string, error)
	Parse                    func(string) (string, error)
}

// View is the observable state of an informer.
type View struct {
	// Synced is HasSynced. Done is the HasSyncedChecker, or HasSynced where there is none.
	Synced, Done, ControllerSynced bool
	Version, ControllerVersion     string
	// StoreVersion is empty in releases that have none.
	StoreVersion string
	Objects      []any
	Keys         []string
	Indices      map[string]map[string][]string
}

// String formats the view as one line.
func (v View) String() string {
	var objs []string
	for _, o := range v.Objects {
		objs = append(objs, describe(o))
	}
	slices.Sort(objs)
	slices.Sort(v.Keys)
	return fmt.Sprintf("synced=%v/%v/%v rv=%s/%s store=%s %v keys=%v indices=%v",
		v.Synced, v.Done, v.ControllerSynced, v.Version, v.ControllerVersion, v.StoreVersion, objs, v.Keys, v.Indices)
}

// Indices reads all indices of an Indexer, with the keys of each value sorted.
func Indices(names []string, values func(string) []string, keys func(string, string) ([]string, error)) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for _, name := range names {
		out[name] = map[string][]string{}
		for _, v := range values(name) {
			ks, err := keys(name, v)
			if err != nil {
				ks = []string{err.Error()}
			}
			slices.Sort(ks)
			out[name][v] = ks
		}
	}
	return out
}

// describe formats a copy of an object: key, version, and the answer that it left the server with.
func describe(o any) string {
	m, ok := o.(metav1.Object)
	if !ok {
		return fmt.Sprintf("%T", o)
	}
	s := fmt.Sprintf("%s@%s(%s)", keyOf(m), m.GetResourceVersion(), m.GetAnnotations()[via])
	if n := m.GetLabels()["transformed"]; n != "" {
		s += "t" + n
	}
	return s
}

func keyOf(m metav1.Object) string {
	if m.GetNamespace() == "" {
		return m.GetName()
	}
	return m.GetNamespace() + "/" + m.GetName()
}

func appIndex(o any) ([]string, error) {
	m := o.(metav1.Object)
	app := m.GetLabels()["app"]
	switch {
	case app == "":
		return nil, nil
	case strings.Contains(app, "+"): // an object may have several values
		return strings.Split(app, "+"), nil
	}
	return []string{app}, nil
}

// listWatch is the scripted server as a ListerWatcher. optOut makes it report that it does not support WatchList.
type listWatch struct {
	*cluster
	optOut bool
}

func (l *listWatch) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	return l.cluster.List(ctx, o)
}
func (l *listWatch) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	return l.cluster.Watch(ctx, o)
}
func (l *listWatch) List(o metav1.ListOptions) (runtime.Object, error) {
	return l.cluster.List(context.Background(), o)
}
func (l *listWatch) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return l.cluster.Watch(context.Background(), o)
}
func (l *listWatch) IsWatchListSemanticsUnSupported() bool { return l.optOut }

// contextless is a source for releases before 0.33, which cannot cancel a request.
type contextless struct{ l *listWatch }

func (s contextless) List(o metav1.ListOptions) (runtime.Object, error)   { return s.l.List(o) }
func (s contextless) Watch(o metav1.ListOptions) (watch.Interface, error) { return s.l.Watch(o) }
func (s contextless) IsWatchListSemanticsUnSupported() bool               { return s.l.optOut }

// sourceFor returns the ListerWatcher for a release.
func sourceFor(release Release, l *listWatch) Source {
	if release < E133 {
		return contextless{l}
	}
	return l
}
