package play

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clocktesting "k8s.io/utils/clock/testing"
)

// background runs f until the returned function is called. That function returns after f has returned.
func background(f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	return func() {
		cancel()
		<-done
	}
}

// reflection is a Reflector of either library over a plain store.
type reflection struct {
	ReflectorOptions
	clock bool
	play  func(c *cluster)
}

// run returns the requests, then the final keys and version of the store.
func (r reflection) run(lib *Library) string {
	seedAll(7)
	c := newCluster(framePause)
	for i := range 3 {
		c.put(fmt.Sprint("ns/o", i), "a")
	}
	if r.clock {
		r.Clock = clocktesting.NewFakeClock(time.Now())
	}
	x := lib.Reflector(sourceFor(lib.Release, &listWatch{c, true}), &object{}, r.ReflectorOptions)
	stop := background(x.Run)
	synctest.Wait()
	r.play(c)
	synctest.Wait()
	k := x.Keys()
	sort.Strings(k)
	c.note("keys %v rv %s", k, x.Version())
	stop()
	c.shutdown()
	return strings.Join(c.lines(), "\n")
}

// minWatchTimeout is a row that checks the timeoutSeconds of watches with MinWatchTimeout set: they must be in [low, high).
func minWatchTimeout(name string, least time.Duration, low, high int) Row {
	return Row{Item: 3, Name: name, Releases: allReleases,
		run: reflection{ReflectorOptions: ReflectorOptions{MinWatchTimeout: least}, play: func(c *cluster) {
			for range 8 {
				c.bookmark(false)
				synctest.Wait()
				time.Sleep(2 * time.Second)
				c.end(nil)
				time.Sleep(time.Second)
			}
		}}.run,
		check: func(t testing.TB, _ Release, o *Outcome) {
			n := 0
			for _, l := range o.said {
				if _, s, ok := strings.Cut(l, "timeout="); ok {
					var v int
					_, _ = fmt.Sscan(s, &v)
					if n++; v < low || v >= high {
						t.Errorf("with a minimum of %v, timeout %d", least, v)
					}
				}
			}
			if n < 5 {
				t.Errorf("%d watches", n)
			}
		}}
}

var pageSize = reflection{ReflectorOptions: ReflectorOptions{PageSize: 2}, play: func(c *cluster) {
	c.end(statusOf("expired"))
	time.Sleep(time.Minute)
}}

var internalRetry = reflection{ReflectorOptions: ReflectorOptions{MaxInternalErrorRetry: 3 * time.Second}, play: func(c *cluster) {
	for range 5 {
		c.end(statusOf("internal"))
		time.Sleep(time.Second)
	}
	time.Sleep(time.Minute)
}}

// outerClock checks that the wait before a relist uses real time even if the options have a clock that stands still.
var outerClock = reflection{clock: true, play: func(c *cluster) {
	c.end(statusOf("expired"))
	time.Sleep(time.Minute)
}}

// fixed is a source that returns the same list for every LIST, and one watch.
type fixed struct {
	list    runtime.Object
	frames  chan watch.Event
	mu      sync.Mutex
	asked   []string
	refuses bool // whether it refuses a WatchList
}

func (f *fixed) ResultChan() <-chan watch.Event { return f.frames }
func (f *fixed) Stop()                          {}
func (f *fixed) note(verb string, o metav1.ListOptions) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, describeOptions(verb, o))
}
func (f *fixed) List(o metav1.ListOptions) (runtime.Object, error) {
	f.note("LIST", o)
	return f.list, nil
}
func (f *fixed) Watch(o metav1.ListOptions) (watch.Interface, error) {
	f.note("WATCH", o)
	if o.SendInitialEvents != nil && f.refuses {
		return nil, statusOf("invalid")
	}
	return f, nil
}

func newUnstructured(apiVersion, kind, name, rv string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": "ns", "resourceVersion": rv}}}
}

// wrongKinds plays events of a kind other than the expected one, and Tables.
func wrongKinds(expected *unstructured.Unstructured) func(*Library) string {
	return func(lib *Library) string {
		f := &fixed{frames: make(chan watch.Event, 10), refuses: true,
			list: &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "PodList", "metadata": map[string]any{"resourceVersion": "5"}}}}
		r := lib.Reflector(f, expected, ReflectorOptions{})
		stop := background(r.Run)
		var b strings.Builder
		for _, o := range []runtime.Object{newUnstructured("v1", "Node", "node", "6"), newUnstructured("meta.k8s.io/v1", "Table", "table", "7"),
			newUnstructured("meta.k8s.io/v1beta1", "Table", "oldtable", "8"), &metav1.Status{}, newUnstructured("v1", "Pod", "pod", "9")} {
			f.frames <- watch.Event{Type: watch.Added, Object: o}
			synctest.Wait()
			keys := r.Keys()
			sort.Strings(keys)
			line(&b, "%T %s: keys %v rv %s", o, o.GetObjectKind().GroupVersionKind().Kind, keys, r.Version())
		}
		stop()
		return b.String()
	}
}

// tableFrames plays Tables in a WatchList.
func tableFrames(lib *Library) string {
	f := &fixed{frames: make(chan watch.Event, 10)}
	seedAll(25)
	r := lib.Reflector(f, &unstructured.Unstructured{}, ReflectorOptions{})
	stop := background(r.Run)
	for _, o := range []*unstructured.Unstructured{newUnstructured("meta.k8s.io/v1", "Table", "table", "7"), newUnstructured("v1", "Pod", "pod", "8")} {
		f.frames <- watch.Event{Type: watch.Added, Object: o}
	}
	end := newUnstructured("v1", "Pod", "", "9")
	end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	f.frames <- watch.Event{Type: watch.Bookmark, Object: end}
	time.Sleep(time.Second)
	var b strings.Builder
	keys := r.Keys()
	sort.Strings(keys)
	line(&b, "keys %v rv %s", keys, r.Version())
	stop()
	line(&b, "%s", strings.Join(f.asked, "\n"))
	return b.String()
}

// tableList answers LISTs with a Table.
func tableList(apiVersion string) func(lib *Library) string {
	return func(lib *Library) string {
		seedAll(26)
		f := &fixed{frames: make(chan watch.Event, 10), refuses: true,
			list: &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": apiVersion, "kind": "Table", "metadata": map[string]any{"resourceVersion": "5"}},
				Items: []unstructured.Unstructured{*newUnstructured("v1", "Pod", "row", "4")}}}
		r := lib.Reflector(f, &unstructured.Unstructured{}, ReflectorOptions{})
		stop := background(r.Run)
		time.Sleep(time.Second)
		var b strings.Builder
		line(&b, "keys %v rv %s", r.Keys(), r.Version())
		stop()
		line(&b, "%s", strings.Join(f.asked, "\n"))
		return b.String()
	}
}

func replaceAsSync(lib *Library) string {
	p := probe{Queue: lib.Queue(QueueOptions{Sync: true})}
	p.report("replace", p.Replace([]any{newThing("a", 1)}, "1"))
	p.drain()
	return p.b.String()
}

func panics(f func()) (p bool) {
	defer func() { p = recover() != nil }()
	f()
	return false
}

// checkBatchTransaction checks that a whole batch is in the store before its first callback.
func checkBatchTransaction(lib *Library) string {
	return peek(lib, func(w *world) {
		w.c.pace = 0
		var ops []op
		for i := range 20 {
			ops = append(ops, put(fmt.Sprint("ns/n", i), "x"))
		}
		combine(ops...).do(w)
	}, nil)
}

// checkReplacedStore checks that the store has its new contents when the first tombstone of a relist is delivered.
func checkReplacedStore(lib *Library) string {
	return peek(lib, func(w *world) {
		w.c.end(statusOf("expired"))
		w.c.remove("ns/o0")
		w.c.put("ns/o9", "x")
		w.c.compact()
		time.Sleep(time.Minute)
	}, func(kind string) bool { return kind == "tombstone" })
}

// peeking is a handler that calls see for every notification.
type peeking struct{ see func(kind, key string) }

func (p peeking) OnAdd(o any, _ bool) { p.see("add", describe(o)) }
func (p peeking) OnUpdate(_, o any)   { p.see("update", describe(o)) }
func (p peeking) OnDelete(o any) {
	if d, ok := o.(Tombstone); ok {
		p.see("tombstone", d.Key)
		return
	}
	p.see("delete", describe(o))
}

// peek plays steps to an informer and records the keys of the store at each handler call.
func peek(lib *Library, play func(*world), only func(kind string) bool) string {
	seedAll(5)
	w := &world{c: newCluster(framePause), s: &Script{}, out: &Outcome{}, lib: lib}
	for i := range 3 {
		w.c.put(fmt.Sprint("ns/o", i), "a")
	}
	w.lw = &listWatch{w.c, true}
	w.side = lib.Shared(Options{Source: sourceFor(lib.Release, w.lw)})
	var mu sync.Mutex
	var log []string
	_, _ = w.side.AddHandler(peeking{func(kind, key string) {
		if only == nil || only(kind) {
			k := w.side.Keys()
			sort.Strings(k)
			mu.Lock()
			defer mu.Unlock()
			log = append(log, fmt.Sprintf("%s %s: store %v", kind, key, k))
		}
	}}, nil, nil)
	w.start()
	synctest.Wait()
	play(w)
	synctest.Wait()
	w.stop()
	w.c.shutdown()
	return strings.Join(log, "\n")
}

// processErrors checks that an error of the process function has no effect.
func processErrors(lib *Library) string {
	seedAll(3)
	c := newCluster(framePause)
	c.put("ns/o0", "a")
	var b strings.Builder
	ctl := lib.Custom(sourceFor(lib.Release, &listWatch{c, true}), func(kind string, o any, initial bool) {
		line(&b, "%s initial=%v", deltaText(kind, o), initial)
	}, errors.New("process failed"))
	stop := background(ctl.Run)
	synctest.Wait()
	c.put("ns/o0", "b")
	time.Sleep(time.Second)
	c.put("ns/o1", "b")
	time.Sleep(time.Second)
	s := ctl.HasSynced()
	stop()
	c.shutdown()
	line(&b, "synced=%v %s", s, strings.Join(c.lines(), "; "))
	return b.String()
}

// callHasSynced calls hasSynced in another goroutine and returns its result, or "no answer" if it does not return in time, because a lock is held. A
// goroutine that waits for a mutex stops the clock of a bubble, so callHasSynced uses real time. If the release needs no lock for HasSynced, it
// waits long.
func callHasSynced(lib *Library, hasSynced func() bool) string {
	patience := 40 * time.Millisecond
	if lib.SyncedWithoutLock {
		patience = 30 * time.Second
	}
	answer := make(chan bool, 1)
	go func() { answer <- hasSynced() }()
	select {
	case on := <-answer:
		return fmt.Sprint(on)
	case <-time.After(patience):
		return "no answer"
	}
}

// waitUntil polls condition until it returns true, for at most 30 seconds of real time.
func waitUntil(condition func() bool) bool {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if condition() {
			return true
		}
	}
	return false
}

// hasSyncedOfQueue calls HasSynced while the queue processes the last initial delta.
func hasSyncedOfQueue(lib *Library) string {
	var b strings.Builder
	q := lib.Queue(QueueOptions{Behind: store{}})
	_ = q.Replace([]any{newThing("a", 1)}, "1")
	_ = q.Pop(func(string, []string, []any, bool) error {
		line(&b, "while the last initial delta is processed: %s", callHasSynced(lib, q.HasSynced))
		return nil
	})
	line(&b, "after it: %v", q.HasSynced())
	return b.String()
}

// hasSyncedOfPlain calls HasSynced while the handler of a plain informer processes an initial object.
func hasSyncedOfPlain(lib *Library) string {
	c := newCluster(framePause)
	c.put("ns/o0", "a")
	c.put("ns/o1", "a")
	var b strings.Builder
	var ctl Controller
	seen := make(chan struct{}, 10)
	ctl = lib.Plain(Options{Source: sourceFor(lib.Release, &listWatch{c, true})}, peeking{func(kind, key string) {
		line(&b, "while %s %s is told: %s", kind, key, callHasSynced(lib, ctl.HasSynced))
		seen <- struct{}{}
	}})
	stop := background(ctl.Run)
	<-seen
	<-seen
	line(&b, "after it: %v", waitUntil(ctl.HasSynced))
	stop()
	c.shutdown()
	return b.String()
}

// hasSyncedOfShared calls HasSynced while each initial object is indexed.
func hasSyncedOfShared(lib *Library) string {
	c := newCluster(framePause)
	c.put("ns/o0", "a")
	c.put("ns/o1", "a")
	var b strings.Builder
	var inf Informer
	seen := make(chan struct{}, 10)
	inf = lib.Shared(Options{Silent: true, Source: sourceFor(lib.Release, &listWatch{c, true}), Indexers: map[string]IndexFunc{"app": func(any) ([]string, error) {
		// If the whole list is one replacement, the order of indexing is that of a map.
		if n := len(seen); n < 2 {
			line(&b, "while object %d is indexed: %s", n, callHasSynced(lib, inf.HasSynced))
			seen <- struct{}{}
		}
		return []string{"v"}, nil
	}}})
	stop := background(inf.Run)
	line(&b, "after it: %v", waitUntil(inf.HasSynced))
	stop()
	c.shutdown()
	return b.String()
}

// stopMidway runs an informer that is stopped while it processes the n-th initial object, and returns what became of the others.
func stopMidway(plain, list bool, n int) func(*Library) string {
	return func(lib *Library) string {
		seedAll(54)
		c := newCluster(framePause)
		for i := range 6 {
			c.put(fmt.Sprint("ns/o", i), "a")
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var mu sync.Mutex
		var calls, processed []string
		note := func(to *[]string, what string) {
			mu.Lock()
			defer mu.Unlock()
			*to = append(*to, what)
			if plain == (to == &calls) && len(*to) == n {
				if list { // otherwise the Reflector may be stopped before its WATCH, by chance
					c.waitForRequest(2)
				}
				c.mu.Lock()
				c.stopping = true
				c.mu.Unlock()
				cancel()
			}
		}
		handler := peeking{func(kind, key string) { note(&calls, kind+" "+key) }}
		o := Options{Silent: true, Source: sourceFor(lib.Release, &listWatch{c, list})}
		var run func(context.Context)
		var synced func() bool
		var view func() View
		if plain {
			x := lib.Plain(o, handler)
			run, synced, view = x.Run, x.HasSynced, x.View
		} else {
			o.Indexers = map[string]IndexFunc{"app": func(o any) ([]string, error) {
				note(&processed, o.(metav1.Object).GetName())
				return []string{"v"}, nil
			}}
			x := lib.Shared(o)
			_, _ = x.AddHandler(handler, nil, nil)
			run, synced, view = x.Run, x.HasSynced, x.View
		}
		run(ctx)
		synctest.Wait()
		var b strings.Builder
		v := view()
		// A goroutine that waits both for the queue and for the end sees either of the two, by chance.
		on := "by chance"
		if !lib.SyncedWithoutLock || plain {
			on = fmt.Sprint(synced())
		}
		line(&b, "HasSynced %s, %d in the store at version %s", on, len(v.Keys), v.Version)
		if plain { // the number of calls is certain, their order is that of the store
			line(&b, "%d calls", len(calls))
		}
		line(&b, "%s", strings.Join(c.lines(), "\n"))
		c.shutdown()
		time.Sleep(time.Hour)
		return b.String()
	}
}

// closedChannel runs an informer whose context is already done.
func closedChannel(lib *Library) string {
	var b strings.Builder
	for _, plain := range []bool{false, true} {
		for _, list := range []bool{true, false} {
			seedAll(71)
			c := newCluster(framePause)
			c.put("ns/o0", "a")
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			handler := peeking{func(kind, key string) {}}
			o := Options{Silent: true, Source: sourceFor(lib.Release, &listWatch{c, list})}
			var view func() View
			if plain {
				x := lib.Plain(o, handler)
				x.Run(ctx)
				view = x.View
			} else {
				x := lib.Shared(o)
				_, _ = x.AddHandler(handler, nil, nil)
				x.Run(ctx)
				view = x.View
			}
			synctest.Wait()
			v := view()
			line(&b, "plain=%v list=%v: %v; synced %v, %d in the store, version %q", plain, list, c.lines(), v.Synced, len(v.Keys), v.Version)
			c.shutdown()
		}
	}
	time.Sleep(time.Hour)
	return b.String()
}

// handlerPanics runs a plain informer whose handler panics, with utilruntime.ReallyCrash set, as in a program that does not catch panics. It returns
// how Run ended.
func handlerPanics(during string) func(*Library) string {
	return func(lib *Library) string {
		seedAll(70)
		setReallyCrash(true)
		defer setReallyCrash(false)
		c := newCluster(framePause)
		c.put("ns/o0", "a")
		var b strings.Builder
		ctl := lib.Plain(Options{Source: sourceFor(lib.Release, &listWatch{c, true})}, peeking{func(kind, key string) {
			line(&b, "%v %s %s", time.Since(c.start), kind, key)
			if kind == during {
				panic("handler exploded")
			}
		}})
		ctx, cancel := context.WithCancel(context.Background())
		over := make(chan string, 1)
		go func() {
			defer func() { over <- fmt.Sprintf("%v the panic left Run: %v", time.Since(c.start), recover()) }()
			ctl.Run(ctx)
			over <- fmt.Sprintf("%v Run returned", time.Since(c.start))
		}()
		time.Sleep(time.Second)
		c.put("ns/o0", "b")
		time.Sleep(time.Second)
		c.remove("ns/o0")
		time.Sleep(time.Hour)
		select {
		case how := <-over:
			line(&b, "%s", how)
		default:
			line(&b, "after an hour Run has not returned")
		}
		line(&b, "%s", strings.Join(c.lines(), "\n"))
		cancel()
		c.shutdown()
		time.Sleep(time.Hour)
		return b.String()
	}
}

func foreignRegistration(lib *Library) string {
	var b strings.Builder
	source := sourceFor(lib.Release, &listWatch{newCluster(framePause), true})
	first, second := lib.Shared(Options{Source: source}), lib.Shared(Options{Source: source})
	reg, _ := second.AddHandler(peeking{func(string, string) {}}, nil, nil)
	line(&b, "another informer's: %v", first.Remove(reg, false))
	line(&b, "nothing: failed=%v", first.Remove(nil, false) != nil)
	line(&b, "another type's: failed=%v", first.Remove(lib.ForeignRegistration(), false) != nil)
	return b.String()
}

func keysText(lib *Library) string {
	var b strings.Builder
	scoped, wide := newThing("a", 1), &object{ObjectMeta: metav1.ObjectMeta{Name: "wide"}}
	say := func(what string, v any, err error) { line(&b, "%s: %v failed=%v", what, v, err != nil) }
	k := lib.Keys
	for _, o := range []any{scoped, wide, 7, nil, lib.ExplicitKey("explicit"), lib.Tombstone("ns/tomb", scoped)} {
		s, err := k.Key(o)
		say("key", s, err)
		s, err = k.DeletionKey(o)
		say("deletion handling key", s, err)
		s, err = k.ObjectName(o)
		say("name", s, err)
		s, err = k.DeletionName(o)
		say("deletion handling name", s, err)
	}
	for _, s := range []string{"ns/a", "wide", "a/b/c", "", "/", "ns/"} {
		ns, n, err := k.Split(s)
		say("split", []string{ns, n}, err)
		o, err := k.Parse(s)
		say("parse", o, err)
	}
	return b.String()
}

// cacheText formats a store. A store that no informer made has no release: ours always has a version, and client-go's depends on the AtomicFIFO gate.
func cacheText(c Cache, release Release) string {
	keys := c.ListKeys()
	sort.Strings(keys)
	rv := ""
	if v, ok := c.(versioned); ok && release >= E137 {
		rv = v.LastStoreSyncResourceVersion()
	}
	return fmt.Sprintf("rv=%q keys=%v indices=%v", rv, keys, Indices([]string{"app"}, c.ListIndexFuncValues, c.IndexKeys))
}

func bookmarkOf(c Cache, rv string) {
	if v, ok := c.(versioned); ok {
		v.Bookmark(rv)
	}
}

func indexError(lib *Library) string {
	c := lib.Cache(func(o any) ([]string, error) {
		if o.(*object).Name == "bad" {
			return nil, errors.New("no index")
		}
		return []string{"v"}, nil
	})
	var b strings.Builder
	line(&b, "good panics=%v", panics(func() { _ = c.Add(newThing("good", 1)) }))
	line(&b, "bad panics=%v", panics(func() { _ = c.Add(newThing("bad", 2)) }))
	_, err := c.ByIndex("none", "v")
	line(&b, "no such index: failed=%v", err != nil)
	_, err = c.Index("app", newThing("bad", 2))
	line(&b, "index of a bad object: failed=%v", err != nil)
	line(&b, "%s", cacheText(c, lib.Release))
	return b.String()
}

func storeVersion(lib *Library) string {
	c := lib.Cache(appIndex)
	var b strings.Builder
	say := func(what string, err error) {
		line(&b, "%s: failed=%v %s", what, err != nil, cacheText(c, lib.Release))
	}
	say("add", c.Add(newThing("a", 3)))
	say("update to an older one", c.Update(newThing("a", 2)))
	say("replace", c.Replace([]any{newThing("a", 4), newThing("b", 5)}, "9"))
	bookmarkOf(c, "11")
	say("bookmark", nil)
	say("delete", c.Delete(newThing("a", 12)))
	say("delete a tombstone", c.Delete(lib.Tombstone("ns/b", newThing("b", 13))))
	say("delete what is not there", c.Delete(newThing("z", 14)))
	say("add without metadata", c.Add(7))
	say("replace without metadata", c.Replace([]any{7}, "15"))
	return b.String()
}

func transaction(lib *Library) string {
	c := lib.Cache(appIndex)
	_ = c.Add(newThing("old", 1))
	var b strings.Builder
	line(&b, "%s", lib.Transaction(c, []string{"Add", "Add", "Update", "Delete", "Delete", "Add"},
		[]any{newThing("a", 2), 7, newThing("a", 3), newThing("old", 4), newThing("never", 5), newThing("b", 6)}))
	line(&b, "%s", lib.Transaction(c, []string{"Add"}, []any{newThing("a", 2)}))
	line(&b, "%s", cacheText(c, lib.Release))
	return b.String()
}

// RandomStore performs the random operations of a seed on the library's Indexer and returns what it observed.
func RandomStore(seed int64, lib *Library) []string {
	rng := rand.New(rand.NewSource(seed))
	c := lib.Cache(appIndex)
	rv := 0
	var lines []string
	some := func() *object {
		rv++
		o := newThing(fmt.Sprint("o", rng.Intn(80)), rv)
		o.Labels = map[string]string{"app": []string{"a", "b", "a+b", "", "c"}[rng.Intn(5)]}
		return o
	}
	for range 150 {
		var err error
		o := some()
		switch rng.Intn(12) {
		case 0, 1, 2:
			err = c.Add(o)
		case 3, 4, 5:
			err = c.Update(o)
		case 6, 7, 8:
			err = c.Delete(o)
		case 9:
			err = c.Delete(lib.Tombstone("ns/"+o.Name, o))
		case 10:
			bookmarkOf(c, fmt.Sprint(rv))
		case 11:
			if rng.Intn(5) == 0 {
				var objs []any
				for range rng.Intn(100) {
					objs = append(objs, some())
				}
				err = c.Replace(objs, fmt.Sprint(rv))
			}
		}
		got, ok, _ := c.GetByKey("ns/" + o.Name)
		same := ok && got == any(o)
		by, _ := c.Index("app", o)
		names := []string{}
		for _, x := range by {
			names = append(names, describe(x))
		}
		slices.Sort(names)
		text := fmt.Sprintf("%v %v %v %v", err, ok, same, names)
		if rng.Intn(10) == 0 {
			text += cacheText(c, lib.Release)
		}
		lines = append(lines, text)
	}
	return lines
}
