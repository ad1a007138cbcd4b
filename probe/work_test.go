//go:build go1.25

//go:debug asynctimerchan=0
package probe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"reflect"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// work is what a recording says of a work queue.
type work struct {
	Queue      []string
	Processing map[string]int32
	Dirty      map[string]bool
	Waiting    map[string]int64 // when it is due, in ns
	Reconciles int
	Failures   int
	Down       bool
	Paused     bool
	kinds      map[string]int
}

func newWork() *work {
	return &work{Queue: []string{}, Processing: map[string]int32{}, Dirty: map[string]bool{}, Waiting: map[string]int64{}, kinds: map[string]int{}}
}

// apply folds a line, and says what it contradicts.
func (w *work) apply(l *line) error {
	w.kinds[l.Kind]++
	i := -1
	for j, k := range w.Queue {
		if k == l.Key {
			i = j
		}
	}
	_, works := w.Processing[l.Key]
	n := l.N
	switch l.Kind {
	case "WorkAdded":
		if i >= 0 || works {
			return fmt.Errorf("added, and it was there")
		}
		w.Queue = append(w.Queue, l.Key)
		n = len(w.Queue)
	case "WorkDeduplicated":
		if i < 0 && !w.Dirty[l.Key] {
			return fmt.Errorf("deduplicated, and it was not there")
		}
	case "WorkMarkedDirty":
		if !works || w.Dirty[l.Key] {
			return fmt.Errorf("marked dirty, and it was not in work, or dirty")
		}
		w.Dirty[l.Key] = true
	case "WorkTaken":
		if i != 0 {
			return fmt.Errorf("taken from place %d", i)
		}
		w.Queue = w.Queue[1:]
		for _, other := range w.Processing {
			if other == l.Listener {
				return fmt.Errorf("worker %d has two keys", other)
			}
		}
		w.Processing[l.Key] = l.Listener
		n = len(w.Queue)
	case "Reconciled":
		w.Reconciles++
		if l.Err != nil {
			w.Failures++
		}
	case "WorkDone":
		if !works || w.Processing[l.Key] != l.Listener || w.Dirty[l.Key] != l.Flag {
			return fmt.Errorf("done by %d", l.Listener)
		}
		delete(w.Processing, l.Key)
		if delete(w.Dirty, l.Key); l.Flag {
			w.Queue = append(w.Queue, l.Key)
		}
		n = len(w.Queue)
	case "WorkWaiting":
		w.Waiting[l.Key] = l.At + l.Dur
		n = len(w.Waiting)
	case "WorkWaitingSooner":
		if l.At+l.Dur >= w.Waiting[l.Key] {
			return fmt.Errorf("it is not sooner")
		}
		w.Waiting[l.Key] = l.At + l.Dur
	case "WorkWaitingUnchanged":
		if _, ok := w.Waiting[l.Key]; !ok {
			return fmt.Errorf("it does not wait")
		}
	case "WorkDue":
		if due, ok := w.Waiting[l.Key]; !ok || due > l.At {
			return fmt.Errorf("it waits until %d", due)
		}
		delete(w.Waiting, l.Key)
		n = len(w.Waiting)
	case "WorkShuttingDown":
		w.Down = true
	case "WorkPaused", "WorkResumed":
		if w.Paused = l.Kind == "WorkPaused"; l.Key != "" {
			return fmt.Errorf("%s has the key %q", l.Kind, l.Key)
		}
	case "Restored":
		var s struct{ Workqueue *workJSON }
		if err := json.Unmarshal([]byte(l.Text), &s); err != nil {
			return err
		}
		kinds := w.kinds
		if *w = *newWork(); s.Workqueue != nil {
			s.Workqueue.into(w)
		}
		w.kinds = kinds
	}
	if n != l.N {
		return fmt.Errorf("the length is %d", n)
	}
	return nil
}

// workJSON is the work queue in a Restored.
type workJSON struct {
	Queue, Dirty []string
	Processing   []struct {
		ID  int32
		Key string
	}
	Waiting []struct {
		Key       string
		DueMillis float64
	}
	Reconciles, Failures int
	ShuttingDown, Paused bool
}

func (s *workJSON) into(w *work) {
	w.Queue, w.Reconciles, w.Failures, w.Down, w.Paused = s.Queue, s.Reconciles, s.Failures, s.ShuttingDown, s.Paused
	for _, x := range s.Processing {
		w.Processing[x.Key] = x.ID
	}
	for _, k := range s.Dirty {
		w.Dirty[k] = true
	}
	for _, x := range s.Waiting {
		w.Waiting[x.Key] = int64(x.DueMillis*1e6 + 0.5)
	}
}

// shown is what can be compared: times of the two begin at different moments.
func (w *work) comparableText() string {
	var waiting []string
	for k := range w.Waiting {
		waiting = append(waiting, k)
	}
	sort.Strings(waiting)
	text, _ := json.Marshal([]any{w.Queue, w.Processing, w.Dirty, waiting, w.Reconciles, w.Failures, w.Down, w.Paused})
	return string(text)
}

// reading is a viewer whose text is folded as it comes.
type reading struct {
	t     *testing.T
	v     *viewer
	text  strings.Builder
	read  int
	work  *work
	texts []string
}

func newReading(t *testing.T, p *Probe) *reading {
	t.Helper()
	if !p.attach() {
		t.Fatal("refused")
	}
	r := &reading{t: t, work: newWork()}
	r.v = newViewer(p, &r.text, p.informers())
	if err := r.v.begin(nil); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reading) drain() {
	r.t.Helper()
	if err := r.v.drain(); err != nil {
		r.t.Fatal(err)
	}
	text := r.text.String()[r.read:]
	r.read += len(text)
	for _, s := range strings.Split(strings.TrimSpace(text), "\n") {
		if s == "" {
			continue
		}
		var l line
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			r.t.Fatal(err)
		}
		if l.Kind == "Note" && strings.Contains(l.Text, "a gap") {
			r.t.Fatal("a gap")
		}
		r.texts = append(r.texts, s)
		if err := r.work.apply(&l); err != nil {
			r.t.Fatalf("%s: %v; before it:\n%s", s, err, strings.Join(r.texts[max(0, len(r.texts)-12):], "\n"))
		}
	}
}

// What a recording says of a work queue is what is in it, at every moment and for who comes late, whatever is done to it by many at once.
func TestWorkQueue(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) { playWork(t, seed, kinds) })
	}
	for k, name := range workKinds {
		if kinds[name] == 0 && k < evListerRead { // TestReconcile has what reconciles read and write
			t.Errorf("%s did not come: the test tests less than it should", name)
		}
	}
}

func playWork(t *testing.T, seed uint64, kinds map[string]int) {
	p := New(Options{})
	p.Informer(gvr("pods"), cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](5*time.Millisecond, time.Second)
	q := NewQueue[types.NamespacedName](p, QueueOptions{})("pod", limiter)
	key := func(i int) types.NamespacedName { return types.NamespacedName{Namespace: "ns", Name: fmt.Sprint(i)} }
	q.Add(key(1)) // before anybody looks
	q.AddAfter(key(2), time.Second)
	watch := p.queues[0].(*QueueWatch[types.NamespacedName])
	first := newReading(t, p)
	defer p.detach()
	var all sync.WaitGroup
	for w := range 3 {
		random := rand.New(rand.NewPCG(seed, uint64(w)))
		all.Add(2)
		go func() {
			defer all.Done()
			for {
				item, down := q.Get()
				if down {
					return
				}
				time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
				if random.IntN(3) == 0 {
					q.AddRateLimited(item)
				} else {
					q.Forget(item)
				}
				q.Done(item)
			}
		}()
		more := rand.New(rand.NewPCG(seed, uint64(100+w)))
		go func() {
			defer all.Done()
			for range 200 {
				k := key(more.IntN(8))
				switch more.IntN(4) {
				case 0:
					q.AddAfter(k, time.Duration(more.IntN(40)-3)*time.Millisecond)
				case 1:
					time.Sleep(time.Duration(more.IntN(12)) * time.Millisecond)
				default:
					q.Add(k)
				}
			}
		}()
	}
	pause := func(paused bool) { // client-go's queue, if its release can pause
		p, can := q.(pausable)
		switch {
		case !can:
			watch.setPaused(paused)
		case paused:
			p.Pause()
		default:
			p.Resume()
		}
	}
	for i := range 20 {
		time.Sleep(7 * time.Millisecond)
		pause(i%3 == 0)
		first.drain()
	}
	pause(true)
	late := newReading(t, p)
	defer p.detach()
	for i := range 20 {
		time.Sleep(9 * time.Millisecond)
		pause(i%3 == 1)
		synctest.Wait()
		first.drain()
		late.drain()
		w := newWork()
		text, _ := json.Marshal(p.queues[0].content(time.Now()).state)
		var got workJSON
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		got.into(w)
		if a, b := first.work.comparableText(), w.comparableText(); a != b || q.Len() != len(w.Queue) {
			t.Fatalf("the recording has\n%s\nand the queue\n%s", a, b)
		}
		if a, b := late.work.comparableText(), w.comparableText(); a != b {
			t.Fatalf("the late recording has\n%s\nand the queue\n%s", a, b)
		}
	}
	pause(false)
	if seed%2 == 0 {
		q.ShutDownWithDrain()
	}
	q.ShutDown()
	all.Wait()
	first.drain()
	if q.Len() != 0 || len(first.work.Processing) != 0 || !first.work.Down {
		t.Errorf("at the end: %d keys, %s", q.Len(), first.work.comparableText())
	}
	for k, n := range first.work.kinds {
		kinds[k] += n
	}
}

// A queue that is seen does what client-go's own does, at the same moments.
func TestWorkQueueIsClientGos(t *testing.T) {
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			newLimiter := workqueue.DefaultTypedControllerRateLimiter[string]
			a := NewQueue[string](New(Options{}), QueueOptions{})("x", newLimiter())
			b := workqueue.NewTypedRateLimitingQueue(newLimiter())
			defer a.ShutDown()
			defer b.ShutDown()
			random := rand.New(rand.NewPCG(seed, 5))
			var old []string
			for i := range 400 {
				key := fmt.Sprint(random.IntN(9))
				d := time.Duration(random.IntN(8)-1) * 10 * time.Millisecond
				what := random.IntN(8)
				var taken [2]string
				for j, q := range []workqueue.TypedRateLimitingInterface[string]{a, b} {
					switch {
					case what < 2:
						q.Add(key)
					case what == 2:
						q.AddAfter(key, d)
					case what == 3:
						q.AddRateLimited(key)
					case what == 4:
						q.Forget(key)
					case what == 5 && b.Len() > 0:
						taken[j], _ = q.Get()
					case what == 6 && len(old) > 0:
						q.Done(old[0])
					}
				}
				switch {
				case taken[0] != taken[1]:
					t.Fatalf("step %d: %q was taken, of client-go's %q", i, taken[0], taken[1])
				case taken[0] != "":
					old = append(old, taken[0])
				case what == 6 && len(old) > 0:
					old = old[1:]
				case what == 7:
					time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
				}
				synctest.Wait()
				if a.Len() != b.Len() || a.NumRequeues(key) != b.NumRequeues(key) || a.ShuttingDown() != b.ShuttingDown() {
					t.Fatalf("step %d: %d keys, of client-go's %d", i, a.Len(), b.Len())
				}
			}
			for _, key := range old { // what is drained has to be done
				a.Done(key)
				b.Done(key)
			}
		})
	}
}

// Keys are told as a controller would write them, and of what is no name nothing is told.
func TestKeyOf(t *testing.T) {
	type odd struct{ Password string }
	for _, x := range []struct{ got, want string }{
		{keyOf("a/b"), "a/b"},
		{keyOf(types.NamespacedName{Namespace: "a", Name: "b"}), "a/b"},
		{keyOf(types.NamespacedName{Name: "b"}), "b"},
		{keyOf(cache.ObjectName{Namespace: "a", Name: "b"}), "a/b"},
		{keyOf(struct{ Kind, Namespace, Name string }{"K", "a", "b"}), "a/b"},
	} {
		if x.got != x.want {
			t.Errorf("%q, not %q", x.got, x.want)
		}
	}
	if s := keyOf(odd{"canary"}); strings.Contains(s, "canary") || !strings.HasPrefix(s, "probe.odd ") || s == keyOf(odd{"another"}) {
		t.Error(s)
	}
	if s := keyOf(strings.Repeat("界", 300)); len(s) > maxKey+3 {
		t.Errorf("%d bytes", len(s))
	}
}

// A queue stands behind the informer that it is named after, or given for; a second one is not mixed into the first.
func TestQueueOf(t *testing.T) {
	p := New(Options{})
	early := NewQueue[string](p, QueueOptions{})("deployment", nil) // controller-runtime makes it before the informer
	defer early.ShutDown()
	for _, name := range []string{"pods", "deployments.apps", "leases.coordination.k8s.io"} {
		p.Informer(gvr(name), cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	}
	for _, x := range [][2]string{{"pods", ""}, {"sweeper", "leases.coordination.k8s.io"}, {"pod", ""}, {"unknown", ""}} {
		q := NewQueue[string](p, QueueOptions{Informer: gvr(x[1])})(x[0], nil)
		defer q.ShutDown()
	}
	got := map[string]string{}
	for _, l := range p.informers() {
		got[l.name], _ = l.workqueue().names()
	}
	if want := map[string]string{"pods": "pods", "deployments.apps": "deployment", "leases.coordination.k8s.io": "sweeper"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	out := httptest.NewRecorder()
	p.list(out)
	var list struct {
		Informers []struct{ Name, Queue string }
		Queues    []string
	}
	if err := json.Unmarshal(out.Body.Bytes(), &list); err != nil || len(list.Informers) != 3 || list.Informers[1].Queue != "deployment" ||
		!reflect.DeepEqual(list.Queues, []string{"pod", "unknown"}) {
		t.Errorf("%v %+v", err, list)
	}
}

// A work queue that is made while somebody is attached comes into the recording with a new baseline.
func TestQueueComesLate(t *testing.T) {
	p := New(Options{})
	p.Informer(gvr("pods"), cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	r := newReading(t, p)
	defer p.detach()
	q := NewQueue[string](p, QueueOptions{})("whatever", nil) // the only informer
	defer q.ShutDown()
	q.Add("a/b")
	r.drain()
	q.Add("a/c")
	r.drain()
	if got := r.work.Queue; !reflect.DeepEqual(got, []string{"a/b", "a/c"}) {
		t.Errorf("%v", got)
	}
	if n := r.work.kinds["Restored"]; n != 2 {
		t.Errorf("%d baselines", n)
	}
}

// TestUnseenReads: a lister that was made before the probe got the informer is not seen, so the recording claims nothing about reads until one is seen.
func TestUnseenReads(t *testing.T) {
	p := New(Options{})
	bare := cache.NewSharedIndexInformer(newSource(3), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	early := cache.NewGenericLister(bare.GetIndexer(), schema.GroupResource{Resource: "pods"})
	inf := mustInform(t, p, "pods", bare)
	q := NewQueue[string](p, QueueOptions{})("pods", nil)
	defer q.ShutDown()
	run(t, inf)
	r := newReading(t, p)
	defer p.detach()
	read := func(l cache.GenericLister) {
		t.Helper()
		if _, err := l.ByNamespace("ns1").Get("o00001"); err != nil {
			t.Fatal(err)
		}
		r.drain()
	}
	known := func(r *reading) fidelity {
		t.Helper()
		text := r.text.String()
		from := strings.LastIndex(text, `"k":"Restored"`)
		var x line
		if err := json.Unmarshal([]byte("{"+text[from:][:strings.IndexByte(text[from:], '\n')]), &x); err != nil {
			t.Fatal(err)
		}
		var state struct{ Fidelity map[string]fidelity }
		if err := json.Unmarshal([]byte(x.Text), &state); err != nil {
			t.Fatal(err)
		}
		return state.Fidelity["workqueue.lastRead"]
	}
	read(early)
	if got := known(r); got.How != "unseen" || got.Why == "" {
		t.Errorf("an early lister: %+v", got)
	}
	read(cache.NewGenericLister(inf.GetIndexer(), schema.GroupResource{Resource: "pods"}))
	if n := strings.Count(r.text.String(), `"k":"Restored"`); n != 1 {
		t.Errorf("the recording begins %d times, and loses what is open", n)
	}
	second := newReading(t, p)
	defer p.detach()
	if got := known(second); got.How != "derived" || got.Why == "" {
		t.Errorf("a later lister: %+v", got)
	}
	if _, ok, _ := inf.GetStore().GetByKey("ns1/o00001"); !ok {
		t.Error("the store is empty")
	}
	r.drain()
	if n := strings.Count(r.text.String(), `"k":"ListerRead"`); n != 2 {
		t.Errorf("%d reads of the store are seen", n)
	}
}

// A lister of what Informer returned tells what it read, and whether a newer version waits in the queue.
func TestListerRead(t *testing.T) {
	s := newSource(3)
	p := New(Options{})
	inf := mustInform(t, p, "pods", cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	q := NewQueue[string](p, QueueOptions{})("pods", nil)
	defer q.ShutDown()
	run(t, inf)
	r := newReading(t, p)
	defer p.detach()
	if _, ok, err := inf.GetIndexer().GetByKey("ns1/o00001"); err != nil || !ok {
		t.Fatal("not there")
	}
	// A change that stands in the queue while the store is held back: no goroutine can be in the store's index function and out of it.
	l := p.informers()[0]
	l.unread.addQueued("ns1/o00001", "77", opUpdated)
	_, _, _ = inf.GetIndexer().GetByKey("ns1/o00001")
	l.unread.removeStored("ns1/o00001", "77", false)
	_, _, _ = inf.GetIndexer().Get(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns1", Name: "o00001"}})
	r.drain()
	var got []string
	for _, text := range r.texts {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.Kind == "ListerRead" {
			got = append(got, fmt.Sprint(l.Key, " ", l.RV, " of ", l.StoreRV, ", ", l.N))
		}
	}
	if want := []string{"ns1/o00001 2 of 2, 0", "ns1/o00001 2 of 77, 1", "ns1/o00001 2 of 2, 0"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// pausingQueue is a queue that can pause, as client-go's can since 0.38.
type pausingQueue struct {
	workqueue.TypedInterface[string]
	did []string
}

func (q *pausingQueue) Pause()  { q.did = append(q.did, "pause") }
func (q *pausingQueue) Resume() { q.did = append(q.did, "resume") }

// TestWrappedQueueKeepsPausing checks that what wraps a queue can pause if, and only if, the queue can. Package workqueue finds that by a type assertion.
func TestWrappedQueueKeepsPausing(t *testing.T) {
	plain := workqueue.NewTyped[string]()
	defer plain.ShutDown()
	watch := watchQueue[string](New(Options{}), "q", QueueOptions{})
	wrap := func(q workqueue.TypedInterface[string]) any {
		inner := &watchedQueue[string]{q, watch}
		return keepPausing[workqueue.TypedInterface[string]](inner, q, func(p pausable) workqueue.TypedInterface[string] {
			return &pausableQueue[string]{watchedQueue: inner, pausable: p}
		})
	}
	if _, can := any(plain).(pausable); !can {
		if _, can := wrap(plain).(pausable); can {
			t.Error("a queue that cannot pause is said to")
		}
	}
	pausing := &pausingQueue{TypedInterface: plain}
	p, can := wrap(pausing).(pausable)
	if !can {
		t.Fatal("a queue that can pause is not found to")
	}
	p.Pause()
	if !watch.isPaused {
		t.Error("the probe does not know that the queue is paused")
	}
	p.Resume()
	if len(pausing.did) != 2 || pausing.did[0] != "pause" || pausing.did[1] != "resume" || watch.isPaused {
		t.Errorf("the queue did %v", pausing.did)
	}
	// The queue that NewQueue returns can pause if client-go's own can.
	q := NewQueue[string](New(Options{}), QueueOptions{})("q", nil)
	defer q.ShutDown()
	_, own := any(plain).(pausable)
	if _, can := q.(pausable); can != own {
		t.Errorf("client-go's queue can pause: %v; the watched one: %v", own, can)
	}
}
