package fold_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/informer"
	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// source is a small API server: it lists, watches, expires and refuses.
type source struct {
	mu      sync.Mutex
	rv      int
	objects map[string]*metav1.PartialObjectMetadata
	watches []*conn
	refuse  bool
}

// conn is one watch. Only the source closes its channel; a FakeWatcher also closes it in Stop, which races with the sender.
type conn struct {
	ch      chan watch.Event
	stopped atomic.Bool
}

func (c *conn) Stop()                          { c.stopped.Store(true) }
func (c *conn) ResultChan() <-chan watch.Event { return c.ch }

func (s *source) object(name string) *metav1.PartialObjectMetadata {
	s.rv++
	return &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("ns%d", len(name)+int(name[len(name)-1])%4), Name: name,
			Labels: map[string]string{"node": fmt.Sprint(s.rv % 5)}, ResourceVersion: fmt.Sprint(s.rv)}}
}

func (s *source) List(_ context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse {
		return nil, apierrors.NewInternalError(errors.New("no luck"))
	}
	l := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(s.rv)}}
	for _, k := range s.names() {
		l.Items = append(l.Items, *s.objects[k])
	}
	return l, nil
}

func (s *source) names() []string {
	var out []string
	for k := range s.objects {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (s *source) Watch(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse {
		return nil, apierrors.NewTooManyRequests("busy", 1)
	}
	initial := o.SendInitialEvents != nil && *o.SendInitialEvents
	if !initial && o.ResourceVersion != fmt.Sprint(s.rv) {
		return nil, apierrors.NewResourceExpired("it keeps no history")
	}
	w := &conn{ch: make(chan watch.Event, 4096)}
	if initial {
		for _, k := range s.names() {
			w.ch <- watch.Event{Type: watch.Added, Object: s.objects[k]}
		}
		w.ch <- watch.Event{Type: watch.Bookmark, Object: &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{
				ResourceVersion: fmt.Sprint(s.rv), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}}}
	}
	s.watches = append(s.watches, w)
	return w, nil
}

func (s *source) tell(t watch.EventType, o runtime.Object) {
	for _, w := range s.watches {
		if !w.stopped.Load() {
			w.ch <- watch.Event{Type: t, Object: o}
		}
	}
}

// act does one random thing, hidden from the watches when quietly.
func (s *source) act(rng *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprintf("p%d", rng.IntN(30))
	switch x := rng.IntN(100); {
	case x < 60:
		old := s.objects[name]
		o := s.object(name)
		s.objects[name] = o
		if old == nil {
			s.tell(watch.Added, o)
		} else {
			s.tell(watch.Modified, o)
		}
	case x < 80:
		if old := s.objects[name]; old != nil {
			o := old.DeepCopy()
			s.rv++
			o.ResourceVersion = fmt.Sprint(s.rv)
			delete(s.objects, name)
			s.tell(watch.Deleted, o)
		}
	case x < 86:
		s.tell(watch.Bookmark, &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{ResourceVersion: fmt.Sprint(s.rv)}})
	case x < 90: // changes that no watch sends: only a relist brings them
		delete(s.objects, name)
		s.objects["q"+name] = s.object("q" + name)
		s.tell(watch.Error, &apierrors.NewResourceExpired("too old").ErrStatus)
	case x < 93:
		for _, w := range s.watches {
			close(w.ch)
		}
		s.watches = nil
	case x < 96:
		s.refuse = !s.refuse
	}
}

func byNode(o any) ([]string, error) {
	return []string{o.(metav1.Object).GetLabels()["node"]}, nil
}

// slowHandler returns a handler whose calls take d, so that rings fill.
func slowHandler(d time.Duration) informer.ResourceEventHandler {
	wait := func() { time.Sleep(d) } // on synctest's clock
	return informer.ResourceEventHandlerFuncs{AddFunc: func(any) { wait() }, UpdateFunc: func(any, any) { wait() }, DeleteFunc: func(any) { wait() }}
}

// TestFoldEqualsSnapshot is the project's central invariant: after random operations on a real informer, the fold of its events equals what is inside it.
func TestFoldEqualsSnapshot(t *testing.T) {
	for _, release := range releases.All() {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/%d", release, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { runAgainstInformer(t, release, seed) })
			})
		}
	}
}

func runAgainstInformer(t *testing.T, release releases.Release, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, uint64(release)))
	src := &source{rv: 10, objects: map[string]*metav1.PartialObjectMetadata{}}
	for i := range 12 {
		name := fmt.Sprintf("p%d", i)
		src.objects[name] = src.object(name)
	}
	// With a small ring of events: the fold must be right after evictions too.
	r := trace.NewRecorder(trace.RecorderOptions{MaxEvents: 4000, CheckpointEvery: 300})
	r.Emit(0, foldtest.SelectionEvent(release.String()))
	lw := &informer.ListWatch{ListWithContextFunc: src.List, WatchFuncWithContext: src.Watch}
	inf := informer.NewSharedIndexInformerWithOptions(lw, &metav1.PartialObjectMetadata{}, informer.SharedIndexInformerOptions{
		Release: release, ResyncPeriod: 40 * time.Second, Observer: r.Lane(0),
		Indexers: informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc},
	})
	// Errors are part of the test; keep them out of its output.
	if err := inf.SetWatchErrorHandler(func(*informer.Reflector, error) {}); err != nil {
		t.Fatal(err)
	}
	snap := inf.(informer.Snapshotter)
	var regs []informer.ResourceEventHandlerRegistration
	add := func(d, resync time.Duration) {
		reg, err := inf.AddEventHandlerWithResyncPeriod(slowHandler(d), resync)
		if err != nil {
			t.Fatal(err)
		}
		regs = append(regs, reg)
	}
	add(0, 0)
	add(50*time.Millisecond, 40*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { inf.RunWithContext(ctx); close(done) }()
	defer func() { cancel(); <-done }()

	follower := fold.NewFold()
	compare := func(step int) {
		t.Helper()
		var head uint64
		s := snap.SnapshotAt(func() { head, _ = r.Head() })
		if follower.Seq()+1 < r.First() {
			follower = r.FoldAt(head) // it fell behind by more than is kept
		}
		r.Read(follower.Seq()+1, head, func(e *event.Entry) bool { follower.Apply(e); return true })
		compareSnapshot(t, follower, s)
		if step%20 == 0 {
			foldtest.RequireEqual(t, "FoldAt and the follower", r.FoldAt(head), follower)
		}
		if t.Failed() {
			t.Fatalf("after step %d, event %d", step, head)
		}
	}
	for step := range 400 {
		switch x := rng.IntN(100); {
		case x < 70:
			for range 1 + rng.IntN(6) {
				src.act(rng)
			}
		case x < 74 && len(regs) < 8:
			add(time.Duration(rng.IntN(100))*time.Millisecond, time.Duration(rng.IntN(2))*time.Minute)
		case x < 78 && len(regs) > 1:
			i := rng.IntN(len(regs))
			if err := inf.RemoveEventHandler(regs[i]); err != nil {
				t.Fatal(err)
			}
			regs = append(regs[:i], regs[i+1:]...)
		case x < 79:
			// The second call is refused: the name is taken.
			err := inf.AddIndexers(informer.Indexers{"node": byNode})
			if err != nil && step < 1 {
				t.Fatal(err)
			}
		default:
			time.Sleep(time.Duration(rng.IntN(20000)) * time.Millisecond)
		}
		if rng.IntN(3) == 0 {
			synctest.Wait()
		}
		compare(step)
	}
	src.mu.Lock()
	src.refuse = false
	src.mu.Unlock()
	add(0, 40*time.Second) // chance may have removed every listener that wants resyncs
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	compare(1000)
	st := follower.State()
	if st.Indexer.Count == 0 || st.Indexer.Count != len(src.objects) || !st.Synced || !st.Running {
		t.Errorf("%d objects in the fold, %d at the source, synced %v", st.Indexer.Count, len(src.objects), st.Synced)
	}
	if st.Reflector.Relists == 0 || st.Reflector.Resyncs == 0 {
		t.Errorf("the test met no relist or no resync: %+v", st.Reflector)
	}
	cancel()
	<-done
	synctest.Wait()
	head, _ := r.Head()
	if f := r.FoldAt(head); f.State().Running || f.State().Reflector.Phase != "stopped" {
		t.Errorf("after the end: running %v, %s", f.State().Running, f.State().Reflector.Phase)
	}
}

func compareSnapshot(t *testing.T, f *fold.Fold, s informer.Snapshot) {
	t.Helper()
	st := f.WholeState(0)
	foldtest.Equal(t, "synced", st.Synced, s.Synced)
	foldtest.Equal(t, "phase", st.Reflector.Phase, s.Reflector.Phase)
	foldtest.Equal(t, "reflector RV", st.Reflector.ResourceVersion, s.Reflector.ResourceVersion)
	foldtest.Equal(t, "unavailable", st.Reflector.Unavailable, s.Reflector.Unavailable)

	if s.Queue.Kind != "" {
		foldtest.Equal(t, "queue kind", st.Queue.Kind, s.Queue.Kind)
	}
	foldtest.Equal(t, "queue synced", st.Queue.Synced, s.Queue.Synced)
	foldtest.Equal(t, "queue closed", st.Queue.Closed, s.Queue.Closed)
	foldtest.Equal(t, "initial population", st.Queue.InitialPopulation, s.Queue.InitialPopulation)
	flat := func(d informer.DeltaSnapshot) string {
		return fmt.Sprintf("%s %s %s %v %d", d.Op, d.Key, d.RV, d.Tombstone, len(d.Objects))
	}
	item := func(d fold.QueueItem) string {
		return fmt.Sprintf("%s %s %s %v %d", d.Op, d.Key, d.RV, d.Tombstone, d.Count)
	}
	want, got := []string{}, []string{}
	for _, d := range s.Queue.Items {
		want = append(want, flat(d))
	}
	for _, k := range s.Queue.Keys {
		want = append(want, k)
		for _, d := range s.Queue.Deltas[k] {
			want = append(want, flat(d))
		}
	}
	f.RangeQueue(0, func(queued fold.QueueItem) bool {
		if queued.Deltas == nil {
			got = append(got, item(queued))
			return true
		}
		got = append(got, queued.Key)
		for _, d := range queued.Deltas {
			got = append(got, item(d))
		}
		return true
	})
	foldtest.Equal(t, "queue", got, want)

	foldtest.Equal(t, "store RV", st.Indexer.ResourceVersion, s.Store.ResourceVersion)
	if st.Indexer.Count != len(s.Store.Objects) {
		t.Errorf("%d objects, want %d", st.Indexer.Count, len(s.Store.Objects))
	}
	for k, o := range s.Store.Objects {
		c, ok := f.Objects(0).Get(k)
		if !ok || c.Obj != o || c.RV != o.(metav1.Object).GetResourceVersion() {
			t.Errorf("object %s: %+v, %v; want %v", k, c, ok, o)
		}
	}
	wantIndex, gotIndex := map[string]map[string][]string{}, map[string]map[string][]string{}
	for name, values := range s.Store.Indices {
		wantIndex[name] = map[string][]string{}
		for v, keys := range values {
			wantIndex[name][v] = foldtest.Sort(keys.UnsortedList())
		}
	}
	for _, name := range f.IndexNames(0) {
		gotIndex[name] = map[string][]string{}
		x := f.Index(0, name)
		x.Range(func(v string, _ int) bool {
			var keys []string
			x.Keys(v, func(k string) bool { keys = append(keys, k); return true })
			gotIndex[name][v] = foldtest.Sort(keys)
			return true
		})
	}
	foldtest.Equal(t, "indices", gotIndex, wantIndex)

	var there []fold.Listener
	for _, l := range st.Listeners {
		if !l.Removed {
			there = append(there, l)
		}
	}
	if len(there) != len(s.Listeners) {
		t.Fatalf("%d listeners, want %d", len(there), len(s.Listeners))
	}
	sort.Slice(s.Listeners, func(i, j int) bool { return s.Listeners[i].ID < s.Listeners[j].ID })
	for i, l := range there {
		w := s.Listeners[i]
		g := informer.ListenerSnapshot{ID: l.ID, Name: l.Name, Pending: l.Ring, Capacity: l.Capacity, Waiting: l.Waiting, Delivered: l.Delivered,
			Handled: l.Handled, Handling: l.Handling != nil, Synced: l.Synced, Syncing: l.Syncing}
		foldtest.Equal(t, "listener", g, w)
	}
}
