package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clientqueue "k8s.io/client-go/util/workqueue"

	"informerscope/core/client/workqueue"
	"informerscope/core/informer"
	"informerscope/core/informer/conformance/play"
	"informerscope/core/words/releases"
)

// lesson is how the lesson of a story is checked with client-go v0.37.2. Either rows of the table play one script to client-go and to core/informer. Or
// a test of its own puts both into the situation of the story.
type lesson struct {
	rows []string
	test func(t *testing.T)
}

// lessons are the lessons of the stories, by story id. TestLessons fails for a story without one.
var lessons = map[string]lesson{
	"410":       {rows: []string{"021_error_frame_410", "009_relist_refused_as_expired", "024_clean_close_rewatches_at_once"}},
	"ahead":     {rows: []string{"051_a_batch_ends", "053_one_transaction_then_the_callbacks"}},
	"atomic":    {rows: []string{"044_one_replacedall", "045_a_handler_meets_the_new_store"}},
	"bookmarks": {rows: []string{"024_a_bookmark_is_an_event", "081_the_reflector_may_lead_the_store"}},
	"burst":     {rows: []string{"038_every_delta_in_order", "040_deltas_by_key_at_the_first_place"}},
	"early":     {test: testEarly},
	"elsewhere": {test: testElsewhere},
	"endmark":   {rows: []string{"018_a_missing_mark_is_waited_for", "018_a_late_mark_is_enough"}},
	"forbidden": {rows: []string{"020_forbidden", "016_lists_after_forbidden", "029_ten_minutes_of_refused_lists"},
		test: testForbidden},
	"ghost":    {test: testGhost},
	"halfopen": {test: testHalfOpen},
	"indexing": {rows: []string{"050_the_lock_is_free_while_processing"}},
	"inline":   {test: testInline},
	"key":      {test: testKey},
	"lagging":  {rows: []string{"009_relist_refused_as_too_large", "014_stream_too_large"}},
	"late":     {rows: []string{"062_a_late_handler_gets_the_store", "060_registration_waits_for_its_handler"}},
	"leaked":   {test: testLeaked},
	"lister":   {test: testLister},
	"loop":     {test: testLoop},
	"mutate":   {test: testMutate},
	"ratelimited": {
		test: testRateLimited,
	},
	"oneget":   {test: testOneGet},
	"recreate": {rows: []string{"073_recreated_unseen_is_one_update"}},
	"relists":  {test: testRelists},
	"resync":   {rows: []string{"033_one_syncall_same_pointer_no_write", "034_one_sync_for_each_known_key"}},
	"retry":    {test: testRetry},
	"ring": {rows: []string{"064_a_backlog_beyond_the_ring_is_kept", "063_listeners_do_not_wait_for_each_other"},
		test: testRing},
	"same":        {rows: []string{"036_same_version_updates_reach_syncing_listeners"}},
	"shards":      {test: testShards},
	"stale":       {rows: []string{"081_the_reflector_may_lead_the_store"}},
	"storm":       {test: testStorm},
	"terminating": {test: testTerminating},
	"tombstone":   {rows: []string{"045_store_then_deletes_then_the_list_in_order", "042_tombstones_first_of_the_queued", "043_items_first_then_tombstones"}},
	"tour":        {rows: []string{"040_deltas_by_key_at_the_first_place"}, test: testTour},
	"transform": {rows: []string{"074_transform_comes_first_and_sees_deletions", "075_initial_objects_of_a_watchlist_are_transformed_twice",
		"076_a_failing_transform_fails_the_whole_list"}},
	"twice":     {test: testTwice},
	"types":     {test: testTypes},
	"unshared":  {test: testUnshared},
	"unstarted": {test: testUnstarted},
	"watchlist": {rows: []string{"001_first_request_is_a_watchlist", "012_the_end_mark_gives_the_version", "013_initial_events_collapse"}},
}

// TestLessons checks the lesson of each story with client-go v0.37.2 and with core/informer.
func TestLessons(t *testing.T) {
	files, err := filepath.Glob("../../../stories/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d stories: %v", len(files), err)
	}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(id, func(t *testing.T) {
			l, ok := lessons[id]
			if !ok {
				t.Fatalf("no test checks the lesson of the story %q: add it to lessons, with rows of the table or a test", id)
			}
			for _, row := range l.rows {
				if !strings.Contains(document(), "`"+row+"`") {
					t.Errorf("the table has no row %s", row)
				}
			}
			if l.test != nil {
				setRelease(t, releases.V137)
				l.test(t)
			} else if len(l.rows) == 0 {
				t.Error("neither rows nor a test")
			}
		})
	}
	for id := range lessons {
		if !slices.Contains(files, filepath.Join("..", "..", "..", "stories", id+".yaml")) {
			t.Errorf("there is no story %s", id)
		}
	}
}

// small is a cluster of one resource that answers and counts LISTs and WATCHes.
type small struct {
	mu             sync.Mutex
	rv             int
	objects        map[string]*object
	lists, watches int
	streams        []*watch.RaceFreeFakeWatcher
	// slow is how long a LIST takes. refuse, if set, is the error that every LIST returns. While it is away, no request is answered.
	slow   time.Duration
	refuse error
	away   bool
}

func newSmall(names ...string) *small {
	c := &small{objects: map[string]*object{}}
	for _, n := range names {
		c.put(n)
	}
	return c
}

// put creates or changes an object.
func (c *small) put(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rv++
	o := &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: uidOf(name), ResourceVersion: strconv.Itoa(c.rv),
		Labels: map[string]string{"app": "web"}}}
	_, known := c.objects[name]
	c.objects[name] = o
	for _, w := range c.streams {
		if known {
			w.Modify(o.DeepCopy())
		} else {
			w.Add(o.DeepCopy())
		}
	}
}

var errAway = errors.New("no route to host")

// IsWatchListSemanticsUnSupported makes the informer begin with a LIST.
func (c *small) IsWatchListSemanticsUnSupported() bool { return true }

func (c *small) List(metav1.ListOptions) (runtime.Object, error) {
	c.mu.Lock()
	c.lists++
	slow, refuse := c.slow, c.refuse
	if c.away {
		refuse = errAway
	}
	c.mu.Unlock()
	time.Sleep(slow)
	if refuse != nil {
		return nil, refuse
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(c.rv)}}
	for _, o := range c.objects {
		l.Items = append(l.Items, *o.DeepCopy())
	}
	return l, nil
}

func (c *small) Watch(metav1.ListOptions) (watch.Interface, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches++
	if c.away {
		return nil, errAway
	}
	w := watch.NewRaceFreeFake()
	c.streams = append(c.streams, w)
	return w, nil
}

func (c *small) countRequests() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d LISTs, %d WATCHes", c.lists, c.watches)
}

func (c *small) listCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists
}

// listener is a handler made of functions, each of which may be nil.
type listener struct {
	add    func(o any)
	update func(o any)
}

func (l listener) OnAdd(o any, _ bool) {
	if l.add != nil {
		l.add(o)
	}
}

func (l listener) OnUpdate(_, o any) {
	if l.update != nil {
		l.update(o)
	}
}

func (listener) OnDelete(any) {}

// newSharedInformer runs a shared informer of client-go, or ours, with the handlers until the end of the test.
func newSharedInformer(t *testing.T, mine bool, c *small, handlers ...listener) play.Informer {
	t.Helper()
	lib := theirs()
	if mine {
		lib = ours(play.E137)
	}
	return run(t, lib.Shared(play.Options{Source: c}), handlers...)
}

// run adds the handlers to an informer and runs it until the end of the test.
func run(t *testing.T, i play.Informer, handlers ...listener) play.Informer {
	t.Helper()
	for _, h := range handlers {
		if _, err := i.AddHandler(h, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		i.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return i
}

// runBoth calls run with client-go and with core/informer, each in a bubble. In both cases the lines passed to say must be want.
func runBoth(t *testing.T, want string, run func(t *testing.T, mine bool, say func(format string, args ...any))) {
	t.Helper()
	for _, mine := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var b strings.Builder
			run(t, mine, func(format string, args ...any) { line(&b, format, args...) })
			if got := strings.TrimSpace(b.String()); got != strings.TrimSpace(want) {
				t.Errorf("core %v:\n%s\nwant\n%s", mine, got, strings.TrimSpace(want))
			}
		})
	}
}

// sleepAndSettle sleeps for d and waits until every other goroutine of the bubble is idle.
func sleepAndSettle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// queue is a rate-limited work queue of client-go, or ours. Its first backoff is 5 ms and doubles.
func queue(t *testing.T, mine bool) workqueue.TypedRateLimitingInterface[string] {
	var q workqueue.TypedRateLimitingInterface[string]
	if mine {
		q = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second))
	} else {
		q = clientqueue.NewTypedRateLimitingQueue(clientqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second))
	}
	t.Cleanup(q.ShutDown)
	return q
}

func keyOf(o any) string { return o.(metav1.Object).GetNamespace() + "/" + o.(metav1.Object).GetName() }

// ringOf returns the number of notifications in the ring of an informer's first listener, and the capacity of the ring. No API of client-go returns
// them. So ringOf reads them from the registration, which is the listener, while every goroutine of the bubble is idle.
func ringOf(i play.Informer, r play.Registration) (pending, room int) {
	synctest.Wait()
	if mine, ok := i.(*ourInformer); ok {
		l := mine.SharedIndexInformer.(informer.Snapshotter).Snapshot().Listeners[0]
		return l.Pending, l.Capacity
	}
	ring := reflect.ValueOf(r).Elem().FieldByName("pendingNotifications")
	return int(ring.FieldByName("readable").Int()), int(ring.FieldByName("n").Int())
}

// testRing checks that the ring of a blocked handler fills, doubles and never shrinks, while the store and the other handler continue.
func testRing(t *testing.T) {
	runBoth(t, `
it keeps up: 0 wait in a ring of 1024
its handler is held: 1024 wait in a ring of 1024
one more change: 1025 wait in a ring of 2048; the store and the other handler have version 1028
it is let go: 1028 calls, 0 wait in a ring of 2048`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		i := lib.Shared(play.Options{Source: c})
		gate := make(chan struct{})
		calls, heard := 0, ""
		slow, err := i.AddHandler(listener{add: func(any) { calls++ }, update: func(any) {
			<-gate
			calls++
		}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		run(t, i, listener{update: func(o any) { heard = o.(metav1.Object).GetResourceVersion() }})
		synctest.Wait()
		ring := func() string {
			pending, room := ringOf(i, slow)
			return fmt.Sprintf("%d wait in a ring of %d", pending, room)
		}
		change := func(n int) {
			for range n {
				c.put("a")
				synctest.Wait()
			}
		}
		say("it keeps up: %s", ring())
		// One is in the handler, and one waits at the handler's channel, before the ring.
		change(1 + 1 + 1024)
		say("its handler is held: %s", ring())
		change(1)
		stored := i.View().Objects[0].(metav1.Object).GetResourceVersion()
		if stored != heard {
			t.Errorf("the store has version %s, the other handler %s", stored, heard)
		}
		say("one more change: %s; the store and the other handler have version %s", ring(), heard)
		close(gate)
		synctest.Wait()
		say("it is let go: %d calls, %s", calls, ring())
	})
}

// testEarly checks that a worker that starts before HasSynced finds no objects.
func testEarly(t *testing.T) {
	runBoth(t, "after 1s: synced false, 0 of 3 objects\nafter 6s: synced true, 3 of 3 objects", func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a", "b", "c")
		c.slow = 5 * time.Second
		i := newSharedInformer(t, mine, c)
		sleepAndSettle(time.Second)
		say("after 1s: synced %v, %d of %d objects", i.HasSynced(), len(i.Keys()), len(c.objects))
		sleepAndSettle(5 * time.Second)
		say("after 6s: synced %v, %d of %d objects", i.HasSynced(), len(i.Keys()), len(c.objects))
	})
}

// testForbidden checks that HasSynced stays false while every LIST is refused, and that the LISTs continue. Only a timeout ends the wait.
func testForbidden(t *testing.T) {
	runBoth(t, "after ten minutes: synced false, more than ten LISTs true\nthe wait ended true, with its limit",
		func(t *testing.T, mine bool, say func(string, ...any)) {
			c := newSmall("a")
			c.refuse = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
			i := newSharedInformer(t, mine, c)
			sleepAndSettle(10 * time.Minute)
			say("after ten minutes: synced %v, more than ten LISTs %v", i.HasSynced(), c.listCount() > 10)
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			for !i.HasSynced() && ctx.Err() == nil {
				sleepAndSettle(100 * time.Millisecond)
			}
			say("the wait ended %v, with its limit", errors.Is(ctx.Err(), context.DeadlineExceeded))
		})
}

// testInline checks that a handler that does the work itself works once for every version, while a worker with a queue works on the last version.
func testInline(t *testing.T) {
	runBoth(t, "the handler worked 101 times, for 1m41s\nthe worker worked 2 times, for 2s, the last time on version 101",
		func(t *testing.T, mine bool, say func(string, ...any)) {
			c := newSmall("a")
			inline := 0
			var took time.Duration
			work := func(any) {
				began := time.Now()
				time.Sleep(time.Second)
				inline, took = inline+1, took+time.Since(began)
			}
			q := queue(t, mine)
			enqueue := func(o any) { q.Add(keyOf(o)) }
			i := newSharedInformer(t, mine, c, listener{work, work}, listener{enqueue, enqueue})
			worked, last := 0, ""
			go func() {
				for {
					key, shutdown := q.Get()
					if shutdown {
						return
					}
					for _, o := range i.View().Objects {
						if keyOf(o) == key {
							last = o.(metav1.Object).GetResourceVersion()
						}
					}
					worked++
					time.Sleep(time.Second)
					q.Done(key)
				}
			}()
			synctest.Wait()
			for range 100 {
				c.put("a")
				synctest.Wait()
			}
			sleepAndSettle(10 * time.Minute)
			say("the handler worked %d times, for %v", inline, took)
			say("the worker worked %d times, for %v, the last time on version %s", worked, time.Duration(worked)*time.Second, last)
			q.ShutDown()
			synctest.Wait()
		})
}

// testKey checks that a hundred updates of one object make one key, and one more while a worker has the key.
func testKey(t *testing.T) {
	runBoth(t, `
OnUpdate was called 100 times, 1 key waits
a worker has it: 0 keys wait
a hundred more: 200 calls, 0 keys wait
it is done: 1 key waits
it is done again: 0 keys wait`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		q := queue(t, mine)
		calls := 0
		newSharedInformer(t, mine, c, listener{update: func(o any) {
			calls++
			q.Add(keyOf(o))
		}})
		synctest.Wait()
		burst := func() {
			for range 100 {
				c.put("a")
				synctest.Wait()
			}
		}
		burst()
		say("OnUpdate was called %d times, %d key waits", calls, q.Len())
		key, _ := q.Get()
		say("a worker has it: %d keys wait", q.Len())
		burst()
		say("a hundred more: %d calls, %d keys wait", calls, q.Len())
		q.Done(key)
		say("it is done: %d key waits", q.Len())
		key, _ = q.Get()
		q.Done(key)
		say("it is done again: %d keys wait", q.Len())
	})
}

// testRetry checks that the backoff delays a failing key longer each time, and that a plain Add bypasses it. The backoff still adds the key later.
func testRetry(t *testing.T) {
	runBoth(t, `
it failed 10 times: 2.56s until the next try
0 keys wait; a fresh Add: 1 key waits at once
and when the backoff is over: 1 key waits again`, func(t *testing.T, mine bool, say func(string, ...any)) {
		q := queue(t, mine)
		q.Add("ns/a")
		var waited time.Duration
		for range 10 {
			key, _ := q.Get()
			q.AddRateLimited(key)
			q.Done(key)
			began := time.Now()
			for synctest.Wait(); q.Len() == 0; {
				sleepAndSettle(time.Millisecond)
			}
			waited = time.Since(began)
		}
		say("it failed %d times: %v until the next try", q.NumRequeues("ns/a"), waited.Round(10*time.Millisecond))
		key, _ := q.Get()
		q.AddRateLimited(key)
		q.Done(key)
		synctest.Wait()
		before := q.Len()
		q.Add("ns/a")
		say("%d keys wait; a fresh Add: %d key waits at once", before, q.Len())
		key, _ = q.Get()
		q.Done(key)
		sleepAndSettle(10 * time.Second)
		say("and when the backoff is over: %d key waits again", q.Len())
	})
}

// testLister checks that a thousand reads of the store send no request. While the API server cannot be reached they return the old objects, without an error.
func testLister(t *testing.T) {
	runBoth(t, `
before: 1 LISTs, 1 WATCHes
after 1000 reads of 2 objects: 1 LISTs, 1 WATCHes
the API server is away and its object has version 3: an hour of reads gives version 1, synced true
it is back: version 3`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a", "b")
		i := newSharedInformer(t, mine, c)
		sleepAndSettle(time.Second)
		say("before: %s", c.countRequests())
		seen := 0
		for range 1000 {
			seen = len(i.View().Objects)
		}
		sleepAndSettle(time.Second)
		say("after 1000 reads of %d objects: %s", seen, c.countRequests())
		version := func() (rv string) {
			for _, o := range i.View().Objects {
				if keyOf(o) == "ns/a" {
					rv = o.(metav1.Object).GetResourceVersion()
				}
			}
			return rv
		}
		c.mu.Lock()
		c.away = true
		for _, w := range c.streams {
			w.Stop()
		}
		c.streams = nil
		c.mu.Unlock()
		c.put("a")
		old := version()
		for range 60 {
			sleepAndSettle(time.Minute)
			if version() != old {
				t.Error("the version has changed")
			}
		}
		say("the API server is away and its object has version %s: an hour of reads gives version %s, synced %v", c.objects["a"].ResourceVersion, old,
			i.HasSynced())
		c.mu.Lock()
		c.away = false
		c.mu.Unlock()
		sleepAndSettle(2 * time.Minute)
		say("it is back: version %s", version())
	})
}

// testTour follows one change through the store, the handler and the queue, to a worker that reads the store.
func testTour(t *testing.T) {
	runBoth(t, "added ns/a@1\nthe key ns/a, the store has ns/a@1\nupdated ns/a@2\nthe key ns/a, the store has ns/a@2",
		func(t *testing.T, mine bool, say func(string, ...any)) {
			c := newSmall("a")
			q := queue(t, mine)
			name := func(o any) string { return keyOf(o) + "@" + o.(metav1.Object).GetResourceVersion() }
			i := newSharedInformer(t, mine, c, listener{
				add: func(o any) {
					say("added %s", name(o))
					q.Add(keyOf(o))
				},
				update: func(o any) {
					say("updated %s", name(o))
					q.Add(keyOf(o))
				},
			})
			for range 2 {
				key, _ := q.Get()
				synctest.Wait()
				for _, o := range i.View().Objects {
					say("the key %s, the store has %s", key, name(o))
				}
				q.Done(key)
				if c.rv == 1 {
					c.put("a")
				}
			}
		})
}

// testTypes checks that two informers are independent: the handler gets a Pod before the other informer has the Pod's Node.
func testTypes(t *testing.T) {
	runBoth(t, "a Pod came: Nodes synced false, 0 of 1 known\nlater: Nodes synced true, 1 of 1 known", func(t *testing.T, mine bool, say func(string, ...any)) {
		pods, nodes := newSmall("pod"), newSmall("node")
		nodes.slow = 5 * time.Second
		n := newSharedInformer(t, mine, nodes)
		newSharedInformer(t, mine, pods, listener{add: func(any) {
			say("a Pod came: Nodes synced %v, %d of 1 known", n.HasSynced(), len(n.Keys()))
		}})
		sleepAndSettle(10 * time.Second)
		say("later: Nodes synced %v, %d of 1 known", n.HasSynced(), len(n.Keys()))
	})
}

// testUnshared checks that two informers of one resource send two LISTs and keep two objects. One informer with two handlers sends one LIST and keeps
// one object.
func testUnshared(t *testing.T) {
	runBoth(t, "two informers: 2 LISTs, 2 WATCHes, the same object in memory false\none informer: 1 LISTs, 1 WATCHes, 2 handlers told",
		func(t *testing.T, mine bool, say func(string, ...any)) {
			c := newSmall("a")
			one, two := newSharedInformer(t, mine, c), newSharedInformer(t, mine, c)
			sleepAndSettle(time.Second)
			say("two informers: %s, the same object in memory %v", c.countRequests(), one.View().Objects[0] == two.View().Objects[0])
			c = newSmall("a")
			told := 0
			var mu sync.Mutex
			tell := listener{add: func(any) {
				mu.Lock()
				told++
				mu.Unlock()
			}}
			newSharedInformer(t, mine, c, tell, tell)
			sleepAndSettle(time.Second)
			say("one informer: %s, %d handlers told", c.countRequests(), told)
		})
}

// testMutate checks that a handler that changes an object changes the store: other handlers read the change, and the API server has no part in it.
func testMutate(t *testing.T) {
	runBoth(t, `
before: the store says app=web
after: the store says app=mine, the API server says app=web
another handler reads app=mine`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		var given []any
		write := func(o any) { o.(metav1.Object).GetLabels()["app"] = "mine" }
		i := newSharedInformer(t, mine, c, listener{add: func(o any) { given = append(given, o) }})
		sleepAndSettle(time.Second)
		label := func(o any) string { return o.(metav1.Object).GetLabels()["app"] }
		say("before: the store says app=%s", label(i.View().Objects[0]))
		write(given[0])
		say("after: the store says app=%s, the API server says app=%s", label(i.View().Objects[0]), c.objects["a"].Labels["app"])
		if _, err := i.AddHandler(listener{add: func(o any) { say("another handler reads app=%s", label(o)) }}, nil, nil); err != nil {
			t.Error(err)
		}
		sleepAndSettle(time.Second)
	})
}

// asMutator is the environment variable of the process that TestTheMutationDetectorPanics starts.
const asMutator = "INFORMERSCOPE_MUTATOR"

// TestTheMutationDetectorPanics checks the advice of the story about a handler that writes. With KUBE_CACHE_MUTATION_DETECTOR set, client-go panics
// when a program changes an object of a store. Without it, the change has no visible effect.
func TestTheMutationDetectorPanics(t *testing.T) {
	if os.Getenv(asMutator) != "" {
		c := newSmall("a")
		given := make(chan any, 1)
		newSharedInformer(t, false, c, listener{add: func(o any) { given <- o }})
		(<-given).(metav1.Object).GetLabels()["app"] = "mine"
		if os.Getenv(asMutator) == "watched" {
			<-t.Context().Done() // until the panic
		}
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		detector, kind string
		panics         bool
	}{{"true", "watched", true}, {"false", "alone", false}} {
		run := exec.CommandContext(t.Context(), program, "-test.run=^TestTheMutationDetectorPanics$", "-test.timeout=2m")
		run.Env = append(os.Environ(), "KUBE_CACHE_MUTATION_DETECTOR="+x.detector, asMutator+"="+x.kind)
		said, err := run.CombinedOutput()
		if panicked := err != nil && strings.Contains(string(said), "panic: cache ") && strings.Contains(string(said), " modified"); panicked != x.panics {
			t.Errorf("with KUBE_CACHE_MUTATION_DETECTOR=%s: panics %v, want %v: %v\n%.2000s", x.detector, panicked, x.panics, err, said)
		}
	}
}

// testStorm expires all watches of an API server at once. Every informer lists again within two seconds, and only jitter spreads the LISTs.
func testStorm(t *testing.T) {
	runBoth(t, `
200 informers: 200 LISTs, 200 WATCHes
410 for all: none at once true, 200 more LISTs in two seconds
a half of them within a tenth of a second: false`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		for range 200 {
			newSharedInformer(t, mine, c)
		}
		sleepAndSettle(time.Second)
		say("200 informers: %s", c.countRequests())
		expired := apierrors.NewResourceExpired("too old resource version").Status()
		for _, w := range c.streams {
			w.Error(&expired)
		}
		sleepAndSettle(700 * time.Millisecond)
		none := c.listCount() == 200
		most := 0
		for range 14 {
			before := c.listCount()
			sleepAndSettle(100 * time.Millisecond)
			most = max(most, c.listCount()-before)
		}
		say("410 for all: none at once %v, %d more LISTs in two seconds", none, c.listCount()-200)
		say("a half of them within a tenth of a second: %v", most >= 100)
	})
}
