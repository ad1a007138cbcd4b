package probe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// source is a cluster of one resource.
type source struct {
	mu    sync.Mutex
	items map[string]*metav1.PartialObjectMetadata
	rv    int
	w     *watch.FakeWatcher
}

func newSource(objects int) *source {
	s := &source{items: map[string]*metav1.PartialObjectMetadata{}}
	for i := range objects {
		s.set(i)
	}
	return s
}

// set makes or changes an object.
func (s *source) set(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rv++
	name := fmt.Sprintf("o%05d", i)
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns" + strconv.Itoa(i%3), ResourceVersion: strconv.Itoa(s.rv),
		UID: types.UID("uid-" + name)}}
	_, existed := s.items[name]
	s.items[name] = o
	switch {
	case s.w == nil:
	case existed:
		s.w.Modify(o)
	default:
		s.w.Add(o)
	}
}

func (s *source) remove(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprintf("o%05d", i)
	o := s.items[name]
	if o == nil {
		return
	}
	delete(s.items, name)
	s.rv++
	o = o.DeepCopy()
	o.ResourceVersion = strconv.Itoa(s.rv)
	if s.w != nil {
		s.w.Delete(o)
	}
}

// expire ends the watch, so that there is a new list.
func (s *source) expire(change func()) {
	s.mu.Lock()
	w := s.w
	s.w = nil
	s.mu.Unlock()
	change()
	w.Error(&metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
	w.Stop()
}

func (s *source) List(metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(s.rv)}}
	for _, o := range s.items {
		l.Items = append(l.Items, *o)
	}
	s.w = watch.NewFakeWithChanSize(1<<17, false)
	return l, nil
}

func (s *source) Watch(o metav1.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.SendInitialEvents != nil || s.w == nil {
		return nil, fmt.Errorf("not now")
	}
	return s.w, nil
}

// IsWatchListSemanticsUnSupported is asked by newer client-go.
func (s *source) IsWatchListSemanticsUnSupported() bool { return true }

func (s *source) contents() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for _, o := range s.items {
		out[o.Namespace+"/"+o.Name] = o.ResourceVersion
	}
	return out
}

func run(t *testing.T, inf cache.SharedIndexInformer) (stop func()) {
	t.Helper()
	ch, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); inf.Run(ch) }()
	var once sync.Once
	stop = func() { once.Do(func() { close(ch); <-done }) }
	t.Cleanup(stop)
	eventually(t, "the informer syncs", inf.HasSynced)
	return stop
}

// eventually polls less and less often: a long recording is searched each time, and its reader waits meanwhile.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	pause := time.Millisecond
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("still not after a minute: %s", what)
		}
		pause = min(pause*3/2, 100*time.Millisecond)
	}
}

// recording is a trace as a test reads it.
type recording struct {
	mu    sync.Mutex
	lines []line
}

// attach reads a stream until the test ends it.
func attach(t *testing.T, p *Probe) (r *recording, end func()) {
	t.Helper()
	srv := httptest.NewServer(p.Handler())
	resp, err := http.Get(srv.URL + "/debug/informerscope/stream")
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	r = &recording{}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		in := bufio.NewReaderSize(resp.Body, 1<<16)
		for header := true; ; header = false {
			text, err := in.ReadBytes('\n')
			if err != nil {
				return // what stands before it is no whole line
			}
			if header {
				continue
			}
			var l line
			if err := json.Unmarshal(text, &l); err != nil {
				t.Error(err)
			}
			r.mu.Lock()
			r.lines = append(r.lines, l)
			r.mu.Unlock()
		}
	}()
	var once sync.Once
	end = func() { once.Do(func() { resp.Body.Close(); <-finished; srv.Close() }) }
	t.Cleanup(end)
	eventually(t, "the trace begins", func() bool { return len(r.all()) > 0 })
	return r, end
}

func (r *recording) all() []line {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]line(nil), r.lines...)
}

func (r *recording) count(kind string) (n int) {
	for _, l := range r.all() {
		if l.Kind == kind {
			n++
		}
	}
	return n
}

// has reports whether a line of a kind has these words. The newest lines are looked at first, in place: tests poll it while a stream is long.
func (r *recording) has(kind, words string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.lines) - 1; i >= 0; i-- {
		l := r.lines[i]
		if l.Kind == kind && strings.Contains(l.Text, words) {
			return true
		}
	}
	return false
}

// store folds a recording's store, as docs/dev/trace.md says, up to a Note of these words.
func (r *recording) store(note string) (items map[string]string, found bool) {
	items = map[string]string{}
	for _, l := range r.all() {
		switch l.Kind {
		case "StoreAdded", "StoreUpdated":
			_, existed := items[l.Key]
			if existed != (l.Kind == "StoreUpdated") {
				items["wrong kind for "+l.Key] = l.Kind
			}
			items[l.Key] = l.RV
		case "StoreDeleted":
			delete(items, l.Key)
		case "Restored", "StoreReplaced":
			items = map[string]string{}
			for _, item := range l.Items {
				items[item.Key] = item.RV
			}
		case "Note":
			if l.Text == note {
				return items, true
			}
		}
	}
	return items, false
}

func requireEqual(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Fatalf("%s: %s is at %q in the recording and at %q in the store (%d and %d objects)", what, k, got[k], v, len(got), len(want))
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Fatalf("%s: %s is in the recording only", what, k)
		}
	}
}

func storeOf(inf cache.SharedIndexInformer) map[string]string {
	out := map[string]string{}
	for _, o := range inf.GetStore().List() {
		k, rv := ident(o)
		out[k] = rv
	}
	return out
}

// newInformer is an ordinary informer with a handler, seen by a probe.
func newInformer(t *testing.T, s *source, handled *atomic.Int64) (*Probe, cache.SharedIndexInformer) {
	t.Helper()
	inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	count := func(any) { handled.Add(1) }
	h := cache.ResourceEventHandlerFuncs{AddFunc: count, DeleteFunc: count, UpdateFunc: func(_, o any) { count(o) }}
	add := func(to cache.SharedIndexInformer) {
		if _, err := to.AddEventHandler(h); err != nil {
			t.Fatal(err)
		}
	}
	if joints.Available {
		add(inf)
	}
	p := New(Options{})
	seen := mustInform(t, p, "things", inf)
	if !joints.Available { // an earlier handler is not seen
		add(seen)
	}
	return p, seen
}

// needsJoints leaves a test out in a program with the tag informerscope_public.
func needsJoints(t *testing.T, what string) {
	t.Helper()
	if !joints.Available {
		t.Skip("needs joints: " + what)
	}
}

// mustInform is Informer without an error.
func mustInform(t *testing.T, p *Probe, name string, inf cache.SharedIndexInformer) cache.SharedIndexInformer {
	t.Helper()
	inf, err := p.Informer(gvr(name), inf)
	if err != nil {
		t.Fatal(err)
	}
	return inf
}

func noLayerOff(t *testing.T, p *Probe) {
	t.Helper()
	for _, l := range p.informers() {
		for layer, why := range offBeyondTag(l) {
			t.Errorf("%s: %s is off: %s", l.name, layer, why)
		}
	}
}

// offBeyondTag returns the layers that are off, but for those that the tag informerscope_public leaves out.
func offBeyondTag(l *lane) map[string]string {
	layers := l.offLayers()
	maps.DeleteFunc(layers, func(_, why string) bool { return why == joints.LeftOut })
	return layers
}

// requireStore requires that a recording has this content of the store now; without joints, soon.
func requireStore(t *testing.T, p *Probe, r *recording, name string, want map[string]string) {
	t.Helper()
	var got map[string]string
	n := 0
	eventually(t, name+" is recorded", func() bool {
		n++
		note := fmt.Sprintf("%s, %d", name, n)
		p.Note(note)
		eventually(t, note+" is recorded", func() bool { return r.has("Note", note) })
		got, _ = r.store(note)
		return joints.Available || maps.Equal(got, want)
	})
	requireEqual(t, name, got, want)
}

// What the recording says of the store is the store, at moments between changes of every kind: added, changed, deleted, listed again, all gone.
func TestRecordingIsTheStore(t *testing.T) {
	s := newSource(500)
	var handled atomic.Int64
	p, inf := newInformer(t, s, &handled)
	run(t, inf)
	r, end := attach(t, p)
	moment := 0
	check := func() {
		t.Helper()
		want := s.contents()
		eventually(t, "the store has what the cluster has", func() bool { return maps.Equal(storeOf(inf), want) })
		for _, l := range p.informers() {
			l.barrier()
		}
		moment++
		requireStore(t, p, r, "moment "+strconv.Itoa(moment), want)
	}
	check()
	for i := range 300 {
		s.set(i * 3)
	}
	check()
	for i := range 200 {
		s.remove(i * 2)
	}
	check()
	for i := range 200 { // gone and back
		s.set(i * 2)
		s.remove(i * 2)
		s.set(i * 2)
	}
	check()
	s.expire(func() {
		for i := range 100 {
			s.remove(i)
			s.set(1000 + i)
		}
	})
	check()
	s.expire(func() {
		for i := range 2000 {
			s.remove(i)
		}
	})
	check()
	s.set(7)
	check()
	end()
	noLayerOff(t, p)
	if joints.Available && (r.count("Queued") == 0 || r.count("Popped") == 0) {
		t.Fatal("nothing was seen in the queue")
	}
}

// Somebody who attaches while the store changes gets a baseline and changes that fit together.
func TestAttachUnderWrites(t *testing.T) {
	for _, n := range []int{3_000, 100_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { attachUnderWrites(t, n) })
	}
}

func attachUnderWrites(t *testing.T, n int) {
	s := newSource(n)
	var handled atomic.Int64
	p, inf := newInformer(t, s, &handled)
	run(t, inf)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			s.set(i * 7 % (n + 1000))
			if i%5 == 0 {
				s.remove(i * 11 % (n + 1000))
			}
			if i%10 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	var all []*recording
	for range 3 {
		r, _ := attach(t, p)
		all = append(all, r)
	}
	close(stop)
	<-stopped
	want := s.contents()
	eventually(t, "the store has what the cluster has", func() bool { return maps.Equal(storeOf(inf), want) })
	for i, r := range all {
		requireStore(t, p, r, fmt.Sprint("the end for viewer ", i), want)
	}
	noLayerOff(t, p)
}

// What a handler does is told exactly, of those from the beginning, and those that come late by whichever method.
func TestHandlers(t *testing.T) {
	s := newSource(0)
	var handled, late atomic.Int64
	p, inf := newInformer(t, s, &handled)
	run(t, inf)
	h := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { late.Add(1) }}
	if _, err := inf.AddEventHandler(h); err != nil {
		t.Fatal(err)
	}
	if _, err := inf.AddEventHandlerWithResyncPeriod(h, 0); err != nil {
		t.Fatal(err)
	}
	r, _ := attach(t, p)
	for i := range 1000 {
		s.set(i)
	}
	eventually(t, "all is handled", func() bool { return handled.Load() == 1000 && late.Load() == 2000 })
	eventually(t, "all is recorded", func() bool { return r.count("Handled") == 3000 })
	counts := map[int32]int{}
	for _, l := range r.all() {
		if l.Kind == "Handled" {
			counts[l.Listener]++
			if l.Dur <= 0 {
				t.Fatal("a call took no time")
			}
		}
	}
	if len(counts) != 3 || counts[1] != 1000 || counts[2] != 1000 || counts[3] != 1000 {
		t.Fatal(counts)
	}
	if q := r.count("Queued"); q != 1000 && joints.Available {
		t.Fatalf("%d entries of the queue in the recording, want 1000", q)
	}
	noLayerOff(t, p)
}

// A ring that grows is seen with its listener's name.
func TestRing(t *testing.T) {
	needsJoints(t, "rings")
	s := newSource(0)
	var handled atomic.Int64
	p, inf := newInformer(t, s, &handled)
	gate := make(chan struct{})
	if _, err := inf.AddEventHandler(&slow{gate}); err != nil {
		t.Fatal(err)
	}
	run(t, inf)
	r, _ := attach(t, p)
	for i := range 1500 {
		s.set(i)
	}
	eventually(t, "the ring has grown in the recording", func() bool {
		for _, l := range r.all() {
			if l.Kind != "Sampled" {
				continue
			}
			var x sampledLine
			if err := json.Unmarshal([]byte(l.Text), &x); err != nil {
				t.Fatal(err)
			}
			for _, li := range x.Listeners {
				if li.ID == 2 && li.Capacity == 2048 && li.Ring > 1024 {
					return true
				}
			}
		}
		return false
	})
	close(gate)
	// It is named where it is first reported: in the baseline, or behind it if the baseline could not have the listeners' lock.
	eventually(t, "the slow handler has a name", func() bool { return r.has("Restored", "probe.slow") || r.has("ListenerAdded", "probe.slow") })
}

type slow struct{ gate chan struct{} }

func (s *slow) OnAdd(any, bool)   { <-s.gate }
func (s *slow) OnUpdate(_, _ any) {}
func (s *slow) OnDelete(any)      {}
