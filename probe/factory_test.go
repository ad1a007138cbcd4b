package probe

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// generated is a factory as client-go generates them, for one type.
type generated struct {
	lock      sync.Mutex
	informers map[reflect.Type]cache.SharedIndexInformer
	source    *source
}

func (f *generated) informer() cache.SharedIndexInformer {
	f.lock.Lock()
	defer f.lock.Unlock()
	t := reflect.TypeOf(&metav1.PartialObjectMetadata{})
	if f.informers[t] == nil {
		f.informers[t] = cache.NewSharedIndexInformer(f.source, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	}
	return f.informers[t]
}

// Handlers that somebody adds later are seen as the earlier ones are, although he has the informer from the factory and knows of no probe:
// kube-controller-manager's garbage collector does so.
func TestFactory(t *testing.T) {
	needsJoints(t, "a factory's map")
	f := &generated{informers: map[reflect.Type]cache.SharedIndexInformer{}, source: newSource(0)}
	var handled atomic.Int64
	h := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { handled.Add(1) }}
	if _, err := f.informer().AddEventHandler(h); err != nil {
		t.Fatal(err)
	}
	p := New(Options{})
	for range 2 { // the second time there is nothing new
		if seen, err := p.Factory(f); len(seen) != 1 || seen[0].Name != "partialobjectmetadatas" || err != nil {
			t.Fatal(seen, err)
		}
	}
	run(t, f.informer())
	if _, err := f.informer().AddEventHandlerWithResyncPeriod(h, 0); err != nil {
		t.Fatal(err)
	}
	r, _ := attach(t, p)
	for i := range 100 {
		f.source.set(i)
	}
	eventually(t, "all is recorded", func() bool { return r.count("Handled") == 200 })
	if q := r.count("Queued"); handled.Load() != 200 || q != 100 || len(p.informers()) != 1 {
		t.Fatalf("%d calls, %d entries of the queue, %d informers", handled.Load(), q, len(p.informers()))
	}
	if name := p.informers()[0].name; name != "partialobjectmetadatas" {
		t.Errorf("it is called %s", name)
	}
	noLayerOff(t, p)

	// A second probe sees the same informer, which the first has given the factory in its place.
	other := New(Options{})
	if seen, err := other.Factory(f); len(seen) != 1 || err != nil || other.informers()[0].inf != p.informers()[0].inf {
		t.Errorf("a second probe sees %v: %v", seen, err)
	}
}

// giving is an informer within another, as client-go's dynamic and metadata factories give them out.
type giving interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

type given struct{ inf cache.SharedIndexInformer }

func (g *given) Informer() cache.SharedIndexInformer { return g.inf }
func (g *given) Lister() cache.GenericLister {
	return cache.NewGenericLister(g.inf.GetIndexer(), schema.GroupResource{Group: "apps", Resource: "deployments"})
}

// Dynamic and metadata factories give out informers within others. e2e's TestAttach has a real one.
func TestFactoryOfOthers(t *testing.T) {
	needsJoints(t, "a factory's map")
	resource := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	bare := &given{cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})}
	f := &struct {
		lock      sync.Mutex
		informers map[schema.GroupVersionResource]giving
	}{informers: map[schema.GroupVersionResource]giving{resource: bare}}
	p := New(Options{})
	for range 2 {
		if seen, err := p.Factory(f); len(seen) != 1 || seen[0].Name != "deployments.apps" || err != nil || len(p.informers()) != 1 {
			t.Fatal(seen, err, len(p.informers()))
		}
	}
	l := p.informers()[0]
	if l.name != "deployments.apps" || l.inf != bare.inf {
		t.Errorf("%s is another informer", l.name)
	}
	if w, ok := f.informers[resource].Informer().(interface{ probeLane() *lane }); !ok || w.probeLane() != l {
		t.Error("the factory gives out the informer past the probe")
	}
	if _, err := f.informers[resource].Lister().Get("none"); err == nil {
		t.Error("the lister is not its own")
	}
	noLayerOff(t, p)
}

// What is no factory is said to be none, and its own lock is free afterwards.
func TestNoFactory(t *testing.T) {
	needsJoints(t, "a factory's map")
	for _, x := range []any{nil, 1, &struct{}{}, generated{}, &struct {
		lock      sync.Mutex
		informers []int
	}{}} {
		if seen, err := New(Options{}).Factory(x); seen != nil || err == nil {
			t.Errorf("%T: %v, %v", x, seen, err)
		}
	}
	odd := &struct {
		lock      sync.Mutex
		informers map[string]any
	}{informers: map[string]any{"a": 1, "b": (*generated)(nil)}}
	if seen, err := New(Options{}).Factory(odd); seen != nil || err != nil || !odd.lock.TryLock() {
		t.Errorf("%v, %v, or the lock is held", seen, err)
	}
}

// A handler of a generic type has the name without the types that it was made for, and one of functions that of the function they stand in.
func TestPlainNames(t *testing.T) {
	for name, want := range map[string]string{
		"internal.EventHandler[sigs.k8s.io/controller-runtime/pkg/client.Object,k8s.io/api.X[a.B,[]int]]": "internal.EventHandler",
		"a.F[...].func1": "a.F", "a.(*T).m": "a.(*T).m", "": "", "]": "]", "[": "", "k8s.io/a.New.func1+k8s.io/a.New.func2": "k8s.io/a.New", ".func1": ".func1",
		"main.main.(*controller).enqueue": "main.(*controller).enqueue", "k8s.io/a/b.New.(*T).on.func2": "k8s.io/a/b.(*T).on",
		"main.(*T).on-fm": "main.(*T).on", "main.(*T).on-fm+main.New.func2": "main.(*T).on",
	} {
		if got := plainName(name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
	if got := handlerName(&handlerOf[map[string][]int]{}); got != "probe.handlerOf" {
		t.Errorf("it is called %s", got)
	}
}

// TestDistinguish: two Watches of one kind in one controller have two names.
func TestDistinguish(t *testing.T) {
	l := &lane{}
	for _, want := range []string{"pod · Watches Node", "pod · Watches Node (2)", "pod · Watches Node (3)"} {
		name := l.distinguish("pod · Watches Node")
		if name != want {
			t.Errorf("it is called %s, not %s", name, want)
		}
		l.timers = append(l.timers, &timedHandler{name: name})
	}
	if name := l.distinguish("pod · For"); name != "pod · For" {
		t.Errorf("it is called %s", name)
	}
}

// TestListenersHaveAnOrder: which listener has which number depends on the handlers, not on the order of a map, so that a series goes on after a restart.
func TestListenersHaveAnOrder(t *testing.T) {
	needsJoints(t, "handlers from before the probe")
	for range 20 {
		inf := cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
		for _, h := range []cache.ResourceEventHandler{&slow{}, &handlerOf[int]{}, cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}}} {
			if _, err := inf.AddEventHandler(h); err != nil {
				t.Fatal(err)
			}
		}
		p := New(Options{})
		p.Informer(gvr("pods"), inf)
		var names []string
		for _, timer := range p.informers()[0].timers {
			names = append(names, timer.name)
		}
		if want := []string{"example.org/informerscope/probe.TestListenersHaveAnOrder", "probe.handlerOf", "probe.slow"}; !slices.Equal(names, want) {
			t.Fatal(names)
		}
	}
}

type handlerOf[T any] struct {
	cache.ResourceEventHandlerFuncs
	_ T
}
