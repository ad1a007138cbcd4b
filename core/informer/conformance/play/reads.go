package play

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// burst is what happens to the cluster at one instant, while the informer processes something else.
type burst []op

// reading is an informer whose handler reads the store during each of its calls. It reads its own key and how many objects there are. It also reads the keys
// of the index values of the old object and of the new one, and the store's version.
type reading struct {
	objects int
	// slow makes the informer a shared one, whose handler reads this long after its call has begun. Without it the informer is a plain one, whose handler is
	// called between two steps of the process loop, so that what it reads is no chance.
	slow   time.Duration
	panics int // every n-th call panics
	// indexed notes the objects that the index function gets.
	indexed bool
	// mutates is what the handler makes of the label that is indexed, in place, when an object is added after the initial list.
	mutates string
	bursts  []burst
}

// trigger is the object that a script changes to make the informer busy. An index function takes long for it in a shared informer, the handler in a plain one.
const trigger = "ns/trigger"

// busy is how long the informer is busy with the trigger.
const busy = 10 * time.Millisecond

// readings is a reading that plays.
type readings struct {
	reading
	lib   *Library
	w     *world
	store func() Cache

	mu      sync.Mutex
	lines   []string
	calls   int
	waiting burst // comes while the informer is busy
}

// run returns a line for each call.
func (r reading) run(lib *Library) string {
	seedAll(9)
	x := &readings{reading: r, lib: lib, w: &world{c: newCluster(0), s: &Script{}, out: &Outcome{}, lib: lib}}
	w := x.w
	for i := range r.objects {
		w.c.put(fmt.Sprint("ns/o", i), "n1")
	}
	w.lw = &listWatch{w.c, true} // client-go takes the objects of a WatchList from a map, so their order is chance
	index := func(o any) ([]string, error) {
		if x.slow > 0 && o.(metav1.Object).GetName() == "trigger" {
			x.beBusy()
		}
		if m := o.(metav1.Object); r.indexed && m.GetName() != "trigger" {
			x.lines = append(x.lines, "indexed "+describe(m))
		}
		return appIndex(o)
	}
	o := Options{Silent: true, Source: sourceFor(lib.Release, w.lw), Indexers: map[string]IndexFunc{"app": index}}
	if r.slow > 0 {
		w.side = lib.Shared(o)
		_, _ = w.side.AddHandler(x, nil, nil)
		x.store = w.side.Store
	} else {
		c := lib.Plain(o, x)
		w.side = &plain{Controller: c}
		x.store = func() Cache { return c.Store }
	}
	w.start()
	w.sleep(time.Second)
	for _, b := range r.bursts {
		if lib.Release >= E137 {
			x.begin(b)
			w.c.put(trigger, "")
			w.sleep(time.Hour)
		} else {
			// The queue is locked while it processes, so what comes in the meantime cannot come before the call has ended. A DeltaFIFO merges, and 0.35
			// makes batches of what waits, by chance: there one change comes after the other.
			w.c.put(trigger, "")
			w.sleep(time.Hour)
			for _, op := range b {
				op.do(w)
				w.sleep(time.Hour)
			}
		}
	}
	w.stop()
	w.c.shutdown()
	time.Sleep(time.Hour)
	return strings.Join(x.lines, "\n")
}

func (x *readings) begin(b burst) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting = b
}

// beBusy lets the next burst come, and returns after it has.
func (x *readings) beBusy() {
	x.mu.Lock()
	b := x.waiting
	x.waiting = nil
	x.mu.Unlock()
	if b == nil {
		return
	}
	for _, op := range b {
		op.do(x.w)
	}
	time.Sleep(busy)
}

// read notes a call and what the store says during it.
func (x *readings) read(call, key string, old, o any) {
	if x.slow > 0 {
		time.Sleep(x.slow)
	}
	s := x.store()
	text := call + " | "
	if stored, exists, err := s.GetByKey(key); err != nil || !exists {
		text += "not there"
	} else {
		text += describe(stored)
	}
	text += fmt.Sprintf(", %d objects", len(s.List()))
	var values []string
	for _, o := range []any{old, o} {
		if m, ok := o.(metav1.Object); ok {
			own, _ := appIndex(m)
			values = append(values, own...)
		}
	}
	slices.Sort(values)
	for _, v := range slices.Compact(values) {
		found, err := s.ByIndex("app", v)
		var keys []string
		for _, o := range found {
			keys = append(keys, keyOf(o.(metav1.Object)))
		}
		slices.Sort(keys)
		if len(keys) > 6 {
			keys = append(keys[:6:6], fmt.Sprintf("%d more", len(keys)-6))
		}
		text += fmt.Sprintf(", %s: %v", v, keys)
		if err != nil {
			text += err.Error()
		}
	}
	if v, ok := s.(versioned); ok && x.lib.Release >= E137 {
		text += ", store at " + v.LastStoreSyncResourceVersion()
	}
	x.mu.Lock()
	x.lines = append(x.lines, text)
	x.calls++
	n := x.calls
	x.mu.Unlock()
	if x.slow == 0 && key == trigger {
		x.beBusy()
	}
	if x.panics > 0 && n%x.panics == 0 {
		panic("handler exploded")
	}
}

// OnAdd implements Handler, as OnUpdate and OnDelete do.
func (x *readings) OnAdd(o any, initial bool) {
	x.read(fmt.Sprintf("ADD %s initial=%v", describe(o), initial), keyOf(o.(metav1.Object)), nil, o)
	if m := o.(*object); x.mutates != "" && !initial && keyOf(m) != trigger {
		m.Labels["app"] = x.mutates
	}
}

func (x *readings) OnUpdate(old, o any) {
	x.read(fmt.Sprintf("UPD %s -> %s", describe(old), describe(o)), keyOf(o.(metav1.Object)), old, o)
}

func (x *readings) OnDelete(o any) {
	if d, ok := o.(Tombstone); ok {
		x.read("DEL tombstone of "+describe(d.Obj), d.Key, d.Obj, nil)
		return
	}
	x.read("DEL "+describe(o), keyOf(o.(metav1.Object)), o, nil)
}

// many returns a burst of n new objects.
func many(n int) (b burst) {
	for i := range n {
		b = append(b, put(fmt.Sprintf("ns/m%04d", i), "n1"))
	}
	return b
}

// backlog is the burst that tells 0.37 from 0.38: the first object changes three times, a second one between, and a third one comes and goes.
var backlog = burst{put("ns/o0", "n2"), put("ns/o1", "n1"), put("ns/o0", "n1"), put("ns/c", "n1"), del("ns/c")}

// readRow returns a row of item 84.
func readRow(name string, r reading, wantIn map[Release][]string) Row {
	return Row{Item: 84, Name: name, Releases: allReleases, run: r.run, wantIn: wantIn}
}

var readRows = []Row{
	readRow("a_burst_on_one_key", reading{objects: 2, bursts: []burst{backlog}}, map[Release][]string{
		E131: {`^ADD ns/c@\S+ initial=false \| ns/c@\S+, 4 objects`},
		E137: {`^UPD ns/o0@5\S+ -> ns/o0@8\S+ \| ns/o0@8\S+, 3 objects, n1: \[ns/o1\], n2: \[ns/o0\]`, `^ADD ns/c@11\S+ initial=false \| ns/c@11`},
		E138: {`^UPD ns/o0@5\S+ -> ns/o0@8\S+ \| ns/o0@10\S+, 3 objects, n1: \[ns/o0 ns/o1\], n2: \[\]`, `^ADD ns/c@11\S+ initial=false \| not there`},
	}),
	readRow("two_bursts", reading{objects: 2, bursts: []burst{backlog, backlog}}, nil),
	readRow("a_deletion_and_a_new_object_of_its_name", reading{objects: 2, bursts: []burst{{del("ns/o0"), put("ns/o0", "n2"), del("ns/o0")}, {put("ns/o0", "n1"),
		del("ns/o0"), put("ns/o0", "n2")}}}, nil),
	readRow("index_values_that_change_and_come_back", reading{objects: 2, bursts: []burst{
		{put("ns/o0", "n1+n2"), put("ns/o0", "n2+n1"), put("ns/o0", ""), put("ns/o0", "n1")},
		{put("ns/o0", "n2+n3"), put("ns/o1", "n2+n3"), put("ns/o0", "n2+n3")}}}, nil),
	readRow("a_bookmark_and_a_relist_in_a_burst", reading{objects: 3, bursts: []burst{
		{put("ns/o0", "n2"), put("ns/o0", "n3"), mark(), put("ns/o0", "n1"), end("expired"), del("ns/o1"), compact()}}}, nil),
	readRow("a_batch_of_999", reading{bursts: []burst{append(many(999), put("ns/m0000", "n2"))}}, nil),
	readRow("a_batch_of_1000", reading{bursts: []burst{append(many(1000), put("ns/m0000", "n2"))}}, nil),
	readRow("a_batch_of_1001", reading{bursts: []burst{append(many(1001), put("ns/m0000", "n2"), del("ns/m0000"))}}, nil),
	readRow("initial_lists_at_the_bound", reading{objects: 1001, bursts: []burst{backlog}}, nil),
	readRow("a_handler_that_panics", reading{objects: 2, panics: 3, bursts: []burst{backlog, backlog, backlog}}, nil),
	readRow("a_slow_handler", reading{objects: 2, slow: 3 * time.Millisecond, bursts: []burst{backlog, backlog}}, map[Release][]string{
		E131: {`^ADD ns/c@\S+ initial=false \| ns/c`}, E137: {`^UPD ns/o0@5\S+ -> ns/o0@8\S+ \| ns/o0@10`}}),
	readRow("a_slow_handler_that_panics", reading{objects: 2, slow: 3 * time.Millisecond, panics: 4, bursts: []burst{backlog, backlog}}, nil),
}

// RandomReads plays a random reading and returns its lines.
func RandomReads(seed int64, lib *Library) []string {
	d := dice{rand.New(rand.NewPCG(uint64(seed), 84))}
	r := reading{objects: d.IntN(4)}
	if d.chance(3) {
		r.slow = d.duration(20 * time.Millisecond)
	}
	if d.chance(4) {
		r.panics = 2 + d.IntN(6)
	}
	for range 1 + d.IntN(3) {
		var b burst
		for range 1 + d.IntN(25) {
			key := fmt.Sprint("ns/o", d.IntN(5))
			switch {
			case d.chance(4):
				b = append(b, del(key))
			case d.chance(20):
				b = append(b, mark())
			case d.chance(40):
				b = append(b, end(""))
			default:
				b = append(b, put(key, d.pick("n1", "n2", "n1+n2", "n2+n3", "")))
			}
		}
		r.bursts = append(r.bursts, b)
	}
	text := r.run(lib)
	synctest.Wait()
	return strings.Split(text, "\n")
}

// indexRows are of item 85: what index functions and indices get of a batch.
var indexRows = []Row{
	{Item: 85, Name: "index_functions_see_the_last_write", Releases: allReleases, run: reading{objects: 1, indexed: true, bursts: []burst{
		{put("ns/o0", "n2"), put("ns/o0", "n3"), put("ns/o0", "n1"), put("ns/c", "n1"), del("ns/c")}}}.run, wantIn: map[Release][]string{
		E131: {`^indexed ns/o0@8`}, E138: {`^indexed ns/o0@9`}},
		check: func(t testing.TB, release Release, o *Outcome) {
			if between := strings.Contains(o.text(), "indexed ns/o0@7"); between != (release < E138) {
				t.Errorf("the state that was overwritten was indexed: %v", between)
			}
		}},
	{Item: 85, Name: "several_values_that_a_handler_changed_in_place", Releases: allReleases, run: reading{objects: 1, mutates: "n2+n3", bursts: []burst{
		{put("ns/o1", "n1")}, {put("ns/o1", "n2+n3")}, {put("ns/o1", "n3")}}}.run, wantIn: map[Release][]string{
		E131: {`^UPD ns/o1@\d+\S+ -> ns/o1@\d+\S+ \| .* n2: \[ns/o1\], n3: \[ns/o1\]`}, E138: {`^UPD ns/o1@\d+\S+ -> ns/o1@\d+\S+ \| .* n2: \[\], n3: \[\]`}}},
	{Item: 85, Name: "one_value_that_a_handler_changed_in_place", Releases: allReleases, run: reading{objects: 1, mutates: "n2", bursts: []burst{
		{put("ns/o1", "n1")}, {put("ns/o1", "n2")}, {put("ns/o1", "n1")}}}.run},
}

// keylessStore is a store behind a queue, with an object that has no key.
type keylessStore struct{}

func (keylessStore) ListKeys() []string                 { return []string{"ns/a"} }
func (keylessStore) GetByKey(string) (any, bool, error) { return keyless{}, true, nil }

// resyncError returns the text of the error of a resync that finds an object without a key.
func resyncError(lib *Library) string {
	return fmt.Sprintf("Resync: %v", lib.Queue(QueueOptions{Each: true, Behind: keylessStore{}}).Resync())
}
