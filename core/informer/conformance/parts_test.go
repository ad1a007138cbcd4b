package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgo "k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/informer"
)

// reflection is a Reflector of either library over a plain store.
type reflection struct {
	minTimeout, maxInternal time.Duration
	pageSize                int64
	clock                   *clocktesting.FakeClock
	play                    func(c *cluster)
}

// run says what the server was asked, and what the store holds in the end.
func (r reflection) run(era informer.Era, mine bool) string {
	rand.Seed(7)
	c := newCluster(framePause)
	for i := range 3 {
		c.put(fmt.Sprint("ns/o", i), "a")
	}
	lw := &listWatch{c, true}
	var run func(context.Context)
	var keys func() []string
	var rv func() string
	if mine {
		s := informer.NewStore(informer.MetaNamespaceKeyFunc)
		opts := informer.ReflectorOptions{MinWatchTimeout: r.minTimeout, Era: era, Name: "r"}
		if r.clock != nil {
			opts.Clock = r.clock
		}
		x := informer.NewReflectorWithOptions(lw, &object{}, s, opts)
		x.WatchListPageSize, x.MaxInternalErrorRetryDuration = r.pageSize, r.maxInternal
		run, keys, rv = x.RunWithContext, s.ListKeys, x.LastSyncResourceVersion
	} else {
		s := clientgo.NewStore(clientgo.MetaNamespaceKeyFunc)
		opts := clientgo.ReflectorOptions{MinWatchTimeout: r.minTimeout, Name: "r"}
		if r.clock != nil {
			opts.Clock = r.clock
		}
		x := clientgo.NewReflectorWithOptions(lw, &object{}, s, opts)
		x.WatchListPageSize, x.MaxInternalErrorRetryDuration = r.pageSize, r.maxInternal
		run, keys, rv = x.RunWithContext, s.ListKeys, x.LastSyncResourceVersion
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); run(ctx) }()
	synctest.Wait()
	r.play(c)
	synctest.Wait()
	k := keys()
	sort.Strings(k)
	c.note("keys %v rv %s", k, rv())
	cancel()
	<-done
	c.shutdown()
	return strings.Join(c.lines(), "\n")
}

func testMinWatchTimeout(t *testing.T, era informer.Era) {
	for _, tc := range []struct {
		min       time.Duration
		low, high int
	}{{time.Minute, 300, 600}, {20 * time.Minute, 1200, 2400}} {
		text := bubbles(t, func(mine bool) string {
			return reflection{minTimeout: tc.min, play: func(c *cluster) {
				for range 8 {
					c.bookmark(false)
					synctest.Wait()
					time.Sleep(2 * time.Second)
					c.end(nil)
					time.Sleep(time.Second)
				}
			}}.run(era, mine)
		})
		n := 0
		for _, l := range strings.Split(text, "\n") {
			if _, s, ok := strings.Cut(l, "timeout="); ok {
				var v int
				_, _ = fmt.Sscan(s, &v)
				if n++; v < tc.low || v >= tc.high {
					t.Errorf("with a minimum of %v, timeout %d", tc.min, v)
				}
			}
		}
		if n < 5 {
			t.Errorf("%d watches:\n%s", n, text)
		}
	}
}

func testPageSize(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		return reflection{pageSize: 2, play: func(c *cluster) { c.end(statusOf("expired")); time.Sleep(time.Minute) }}.run(era, mine)
	})
	wantText(t, text, `LIST rv="0" limit=2$`, `LIST rv="7" limit=2$`)
}

func testInternalRetry(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		return reflection{maxInternal: 3 * time.Second, play: func(c *cluster) {
			for range 5 {
				c.end(statusOf("internal"))
				time.Sleep(time.Second)
			}
			time.Sleep(time.Minute)
		}}.run(era, mine)
	})
	if n := strings.Count(text, `WATCH rv="7"`); n != 6 || strings.Count(text, "LIST") != 2 {
		t.Errorf("%d watches, %d lists:\n%s", n, strings.Count(text, "LIST"), text)
	}
}

// testOuterClock: the wait before a relist goes by real time even if the
// options have a clock that stands still.
func testOuterClock(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		return reflection{clock: clocktesting.NewFakeClock(time.Now()), play: func(c *cluster) {
			c.end(statusOf("expired"))
			time.Sleep(time.Minute)
		}}.run(era, mine)
	})
	wantText(t, text, listAt7)
}

// testWrongKinds: events of another kind than the Reflector was made for, and
// Tables, are dropped.
func testWrongKinds(t *testing.T, era informer.Era) {
	pod := func(apiVersion, kind, name, rv string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name, "namespace": "ns", "resourceVersion": rv}}}
	}
	text := bubbles(t, func(mine bool) string {
		w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
		list := func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "PodList", "metadata": map[string]any{"resourceVersion": "5"}}}, nil
		}
		open := func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
			if o.SendInitialEvents != nil {
				return nil, statusOf("invalid")
			}
			return w, nil
		}
		var run func(context.Context)
		var keys func() []string
		var rv func() string
		expected := pod("v1", "Pod", "", "")
		if mine {
			s := informer.NewStore(informer.MetaNamespaceKeyFunc)
			r := informer.NewReflectorWithOptions(&informer.ListWatch{ListWithContextFunc: list, WatchFuncWithContext: open}, expected, s, informer.ReflectorOptions{Era: era})
			run, keys, rv = r.RunWithContext, s.ListKeys, r.LastSyncResourceVersion
		} else {
			s := clientgo.NewStore(clientgo.MetaNamespaceKeyFunc)
			r := clientgo.NewReflectorWithOptions(&clientgo.ListWatch{ListWithContextFunc: list, WatchFuncWithContext: open}, expected, s, clientgo.ReflectorOptions{})
			run, keys, rv = r.RunWithContext, s.ListKeys, r.LastSyncResourceVersion
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); run(ctx) }()
		var b strings.Builder
		for _, o := range []runtime.Object{pod("v1", "Node", "node", "6"), pod("meta.k8s.io/v1", "Table", "table", "7"), pod("meta.k8s.io/v1beta1", "Table", "table", "8"), &metav1.Status{}, pod("v1", "Pod", "pod", "9")} {
			w.Add(o)
			synctest.Wait()
			line(&b, "%T %s: keys %v rv %s", o, o.GetObjectKind().GroupVersionKind().Kind, keys(), rv())
		}
		cancel()
		<-done
		return b.String()
	})
	wantText(t, text, `Node: keys \[\] rv 5`, `Table: keys \[\] rv 5`, `Pod: keys \[ns/pod\] rv 9`)
}

func testReplaceAsSync(t *testing.T, _ informer.Era) {
	text := bubbles(t, func(mine bool) string {
		var p probe
		if mine {
			p.fifo = ourFIFO(informer.NewDeltaFIFO(informer.MetaNamespaceKeyFunc, nil), false)
		} else {
			p.fifo = theirFIFO(clientgo.NewDeltaFIFO(clientgo.MetaNamespaceKeyFunc, nil), false)
		}
		p.did("replace", p.replace([]any{thing("a", 1)}, "1"))
		p.drain()
		return p.b.String()
	})
	wantText(t, text, `Sync a@1`)
}

func testNoBookmark(t *testing.T, _ informer.Era) {
	text := bubbles(t, func(mine bool) string {
		var p probe
		if mine {
			p.fifo = ourFIFO(informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{AtomicEvents: true}), true)
		} else {
			p.fifo = theirFIFO(clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true}), true)
		}
		p.did("bookmark", p.bookmark("5"))
		p.drain()
		return p.b.String()
	})
	wantText(t, text, `bookmark: failed=false`)
	if strings.Contains(text, "popped") {
		t.Error(text)
	}
}

func panics(f func()) (p bool) {
	defer func() { p = recover() != nil }()
	f()
	return false
}

func testIllegalOptions(t *testing.T, _ informer.Era) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		for i := range 16 {
			atomic, unlock, mark := i&1 != 0, i&2 != 0, i&4 != 0
			var behind store
			if i&8 != 0 {
				behind = store{}
			}
			p := panics(func() {
				if mine {
					o := informer.RealFIFOOptions{AtomicEvents: atomic, UnlockWhileProcessing: unlock, EmitDeltaTypeBookmark: mark}
					if behind != nil {
						o.KnownObjects = behind
					}
					informer.NewRealFIFOWithOptions(o)
					return
				}
				o := clientgo.RealFIFOOptions{AtomicEvents: atomic, UnlockWhileProcessing: unlock, EmitDeltaTypeBookmark: mark}
				if behind != nil {
					o.KnownObjects = behind
				}
				clientgo.NewRealFIFOWithOptions(o)
			})
			line(&b, "atomic=%v unlock=%v bookmark=%v known=%v: panics=%v", atomic, unlock, mark, behind != nil, p)
		}
		return b.String()
	})
	wantText(t, text, "panics=true", "panics=false")
}

// testUnlocked: an event can be queued while what was popped is processed,
// unless very many wait. Whether it can is told by whether Update returns
// meanwhile. A goroutine that waits for a mutex holds up a bubble's clock, so
// this one test goes by real time: it waits long for what must come, and
// shortly for what must not.
func testUnlocked(t *testing.T, era informer.Era) {
	for _, mine := range []bool{false, true} {
		for _, tc := range []struct {
			waiting int
			free    bool
		}{{0, true}, {1998, true}, {1999, true}, {2000, false}, {2001, false}} {
			q := newFIFO(era, mine, nil, nil)
			for i := range tc.waiting + 1 {
				_ = q.bookmark(fmt.Sprint(i)) // each is popped alone
			}
			returned := make(chan struct{})
			free := false
			_, _ = q.pop(func() error {
				go func() { defer close(returned); _ = q.update(thing("late", 1)) }()
				patience := 20 * time.Millisecond
				if tc.free {
					patience = 30 * time.Second
				}
				select {
				case <-returned:
					free = true
				case <-time.After(patience):
				}
				return nil
			})
			<-returned
			if free != tc.free {
				t.Errorf("ours=%v: with %d waiting the lock is free: %v", mine, tc.waiting, free)
			}
		}
	}
}

// testBatchTransaction: all of a batch is in the store before the first callback of it.
func testBatchTransaction(t *testing.T, era informer.Era) {
	peek(t, era, func(w *world) {
		w.c.pace = 0
		var ops []op
		for i := range 20 {
			ops = append(ops, put(fmt.Sprint("ns/n", i), "x"))
		}
		several(ops...).do(w)
	}, nil)
}

// testReplacedStore: when the first tombstone of a relist is told, the store is the new one already.
func testReplacedStore(t *testing.T, era informer.Era) {
	text := peek(t, era, func(w *world) {
		w.c.end(statusOf("expired"))
		w.c.remove("ns/o0")
		w.c.put("ns/o9", "x")
		w.c.compact()
		time.Sleep(time.Minute)
	}, func(kind string) bool { return kind == "tombstone" })
	wantText(t, text, `tombstone ns/o0.*store \[ns/o1 ns/o2 ns/o9\]`)
}

// peek plays steps to an informer whose handler looks into the store.
func peek(t *testing.T, era informer.Era, play func(*world), only func(kind string) bool) string {
	t.Helper()
	return bubbles(t, func(mine bool) string {
		rand.Seed(5)
		w := &world{c: newCluster(framePause), s: &script{}, out: &outcome{}, era: era}
		for i := range 3 {
			w.c.put(fmt.Sprint("ns/o", i), "a")
		}
		w.lw = &listWatch{w.c, true}
		var keys func() []string
		var log []string
		see := func(kind, key string) {
			if only == nil || only(kind) {
				k := keys()
				sort.Strings(k)
				log = append(log, fmt.Sprintf("%s %s: store %v", kind, key, k))
			}
		}
		add := func(o any, _ bool) { see("add", describe(o)) }
		update := func(_, o any) { see("update", describe(o)) }
		remove := func(o any) {
			if d, ok := ourTombstone(o).(informer.DeletedFinalStateUnknown); ok {
				see("tombstone", d.Key)
				return
			}
			see("delete", describe(o))
		}
		if mine {
			inf := informer.NewSharedIndexInformerWithOptions(w.lw, &object{}, informer.SharedIndexInformerOptions{Era: era})
			_, _ = inf.AddEventHandler(informer.ResourceEventHandlerDetailedFuncs{AddFunc: add, UpdateFunc: update, DeleteFunc: remove})
			keys, w.side = inf.GetStore().ListKeys, ours{inf}
		} else {
			inf := clientgo.NewSharedIndexInformerWithOptions(w.lw, &object{}, clientgo.SharedIndexInformerOptions{})
			_, _ = inf.AddEventHandler(clientgo.ResourceEventHandlerDetailedFuncs{AddFunc: add, UpdateFunc: update, DeleteFunc: remove})
			keys, w.side = inf.GetStore().ListKeys, theirs{inf}
		}
		w.start()
		synctest.Wait()
		play(w)
		synctest.Wait()
		w.stop()
		w.c.shutdown()
		return strings.Join(log, "\n")
	})
}

// testProcessErrors: what the process function returns changes nothing.
func testProcessErrors(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		rand.Seed(3)
		c := newCluster(framePause)
		c.put("ns/o0", "a")
		lw := &listWatch{c, true}
		var b strings.Builder
		failing := errors.New("process failed")
		var run func(context.Context)
		var synced func() bool
		if mine {
			say := func(o any, initial bool) error {
				for _, d := range o.(informer.Deltas) {
					line(&b, "%s initial=%v", deltaText(string(d.Type), d.Object), initial)
				}
				return failing
			}
			cfg := &informer.Config{ListerWatcher: lw, ObjectType: &object{}, Process: say, Era: era}
			cfg.ProcessBatch = func(ds []informer.Delta, initial bool) error { return say(informer.Deltas(ds), initial) }
			cfg.Queue = informer.NewRealFIFO(informer.MetaNamespaceKeyFunc, store{}, nil)
			if era == informer.Era131 {
				cfg.Queue = informer.NewDeltaFIFO(informer.MetaNamespaceKeyFunc, store{})
			}
			ctl := informer.New(cfg)
			run, synced = ctl.RunWithContext, ctl.HasSynced
		} else {
			say := func(o any, initial bool) error {
				for _, d := range o.(clientgo.Deltas) {
					line(&b, "%s initial=%v", deltaText(string(d.Type), d.Object), initial)
				}
				return failing
			}
			cfg := &clientgo.Config{ListerWatcher: lw, ObjectType: &object{}, Process: say}
			cfg.ProcessBatch = func(ds []clientgo.Delta, initial bool) error { return say(clientgo.Deltas(ds), initial) }
			cfg.Queue = clientgo.NewRealFIFO(clientgo.MetaNamespaceKeyFunc, store{}, nil)
			if era == informer.Era131 {
				cfg.Queue = clientgo.NewDeltaFIFO(clientgo.MetaNamespaceKeyFunc, store{})
			}
			ctl := clientgo.New(cfg)
			run, synced = ctl.RunWithContext, ctl.HasSynced
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); run(ctx) }()
		synctest.Wait()
		c.put("ns/o0", "b")
		time.Sleep(time.Second)
		c.put("ns/o1", "b")
		time.Sleep(time.Second)
		s := synced()
		cancel()
		<-done
		c.shutdown()
		line(&b, "synced=%v %s", s, strings.Join(c.lines(), "; "))
		return b.String()
	})
	wantText(t, text, `Updated o0@6 initial=false`, `Added o1@7`, `synced=true`)
}

func testLampWhileProcessing(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		var early bool
		if mine {
			early = lampOurs(era)
		} else {
			early = lampTheirs(era)
		}
		line(&b, "while the last initial delta is processed the lamp is on: %v", early)
		return b.String()
	})
	wantText(t, text, fmt.Sprint("on: ", era == informer.Era131))
}

// The Done channel can be asked while the queue's lock is held; HasSynced could not.
func lampOurs(era informer.Era) (on bool) {
	var q informer.Queue
	switch era {
	case informer.Era131:
		q = informer.NewDeltaFIFO(informer.MetaNamespaceKeyFunc, store{})
	case informer.Era137:
		q = informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true})
	default:
		q = informer.NewRealFIFO(informer.MetaNamespaceKeyFunc, store{}, nil)
	}
	_ = q.Replace([]any{thing("a", 1)}, "1")
	_, _ = q.Pop(func(any, bool) error { on = informer.IsDone(q.HasSyncedChecker()); return nil })
	return on
}

func lampTheirs(era informer.Era) (on bool) {
	var q clientgo.Queue
	switch era {
	case informer.Era131:
		q = clientgo.NewDeltaFIFO(clientgo.MetaNamespaceKeyFunc, store{})
	case informer.Era137:
		q = clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true})
	default:
		q = clientgo.NewRealFIFO(clientgo.MetaNamespaceKeyFunc, store{}, nil)
	}
	_ = q.Replace([]any{thing("a", 1)}, "1")
	_, _ = q.Pop(func(any, bool) error { on = clientgo.IsDone(q.HasSyncedChecker()); return nil })
	return on
}

type foreign struct{}

func (foreign) HasSynced() bool                        { return false }
func (foreign) HasSyncedChecker() informer.DoneChecker { return nil }

type foreignToThem struct{ foreign }

func (foreignToThem) HasSyncedChecker() clientgo.DoneChecker { return nil }

func testForeignRegistration(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		c := newCluster(framePause)
		lw := &listWatch{c, true}
		if mine {
			one := informer.NewSharedIndexInformerWithOptions(lw, &object{}, informer.SharedIndexInformerOptions{Era: era})
			two := informer.NewSharedIndexInformerWithOptions(lw, &object{}, informer.SharedIndexInformerOptions{Era: era})
			reg, _ := two.AddEventHandler(informer.ResourceEventHandlerFuncs{})
			line(&b, "another informer's: %v", one.RemoveEventHandler(reg))
			line(&b, "nothing: failed=%v", one.RemoveEventHandler(nil) != nil)
			line(&b, "another type's: failed=%v", one.RemoveEventHandler(foreign{}) != nil)
		} else {
			one := clientgo.NewSharedIndexInformer(lw, &object{}, 0, clientgo.Indexers{})
			two := clientgo.NewSharedIndexInformer(lw, &object{}, 0, clientgo.Indexers{})
			reg, _ := two.AddEventHandler(clientgo.ResourceEventHandlerFuncs{})
			line(&b, "another informer's: %v", one.RemoveEventHandler(reg))
			line(&b, "nothing: failed=%v", one.RemoveEventHandler(nil) != nil)
			line(&b, "another type's: failed=%v", one.RemoveEventHandler(foreignToThem{}) != nil)
		}
		return b.String()
	})
	wantText(t, text, "another informer's: <nil>", "nothing: failed=true", "another type's: failed=true")
}

func testKeys(t *testing.T, _ informer.Era) {
	type keyed interface{ String() string }
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		scoped, wide := thing("a", 1), &object{ObjectMeta: metav1.ObjectMeta{Name: "wide"}}
		say := func(what string, v any, err error) { line(&b, "%s: %v failed=%v", what, v, err != nil) }
		objs := []any{scoped, wide, 7, nil}
		strs := []string{"ns/a", "wide", "a/b/c", "", "/", "ns/"}
		if mine {
			objs = append(objs, informer.ExplicitKey("explicit"), informer.DeletedFinalStateUnknown{Key: "ns/tomb", Obj: scoped})
			for _, o := range objs {
				k, err := informer.MetaNamespaceKeyFunc(o)
				say("key", k, err)
				k, err = informer.DeletionHandlingMetaNamespaceKeyFunc(o)
				say("deletion handling key", k, err)
				n, err := informer.ObjectToName(o)
				say("name", keyed(n).String(), err)
				n, err = informer.DeletionHandlingObjectToName(o)
				say("deletion handling name", keyed(n).String(), err)
			}
			for _, s := range strs {
				ns, n, err := informer.SplitMetaNamespaceKey(s)
				say("split", []string{ns, n}, err)
				o, err := informer.ParseObjectName(s)
				say("parse", o, err)
			}
		} else {
			objs = append(objs, clientgo.ExplicitKey("explicit"), clientgo.DeletedFinalStateUnknown{Key: "ns/tomb", Obj: scoped})
			for _, o := range objs {
				k, err := clientgo.MetaNamespaceKeyFunc(o)
				say("key", k, err)
				k, err = clientgo.DeletionHandlingMetaNamespaceKeyFunc(o)
				say("deletion handling key", k, err)
				n, err := clientgo.ObjectToName(o)
				say("name", keyed(n).String(), err)
				n, err = clientgo.DeletionHandlingObjectToName(o)
				say("deletion handling name", keyed(n).String(), err)
			}
			for _, s := range strs {
				ns, n, err := clientgo.SplitMetaNamespaceKey(s)
				say("split", []string{ns, n}, err)
				o, err := clientgo.ParseObjectName(s)
				say("parse", o, err)
			}
		}
		return b.String()
	})
	wantText(t, text, "key: ns/a", "key: wide", "key: explicit", "deletion handling key: ns/tomb", "failed=true")
}

// cache is an Indexer of either library.
type cache interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	List() []any
	ListKeys() []string
	GetByKey(string) (any, bool, error)
	Replace([]any, string) error
	Bookmark(string)
	LastStoreSyncResourceVersion() string
	ListIndexFuncValues(string) []string
	IndexKeys(string, string) ([]string, error)
	ByIndex(string, string) ([]any, error)
	Index(string, any) ([]any, error)
}

func newCache(mine bool, index func(any) ([]string, error)) cache {
	if mine {
		return informer.NewIndexer(informer.DeletionHandlingMetaNamespaceKeyFunc, informer.Indexers{"app": index})
	}
	return clientgo.NewIndexer(clientgo.DeletionHandlingMetaNamespaceKeyFunc, clientgo.Indexers{"app": index})
}

func tombstone(mine bool, key string, o any) any {
	if mine {
		return informer.DeletedFinalStateUnknown{Key: key, Obj: o}
	}
	return clientgo.DeletedFinalStateUnknown{Key: key, Obj: o}
}

// cacheText shows a store. A store that was made by itself has no era: ours
// always has its version, client-go's follows the AtomicFIFO gate.
func cacheText(c cache, era informer.Era) string {
	keys := c.ListKeys()
	sort.Strings(keys)
	rv := ""
	if era == informer.Era137 {
		rv = c.LastStoreSyncResourceVersion()
	}
	return fmt.Sprintf("rv=%q keys=%v indices=%v", rv, keys, indicesOf([]string{"app"}, c.ListIndexFuncValues, c.IndexKeys))
}

func testIndexError(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		c := newCache(mine, func(o any) ([]string, error) {
			if o.(*object).Name == "bad" {
				return nil, errors.New("no index")
			}
			return []string{"v"}, nil
		})
		var b strings.Builder
		line(&b, "good panics=%v", panics(func() { _ = c.Add(thing("good", 1)) }))
		line(&b, "bad panics=%v", panics(func() { _ = c.Add(thing("bad", 2)) }))
		_, err := c.ByIndex("none", "v")
		line(&b, "no such index: failed=%v", err != nil)
		_, err = c.Index("app", thing("bad", 2))
		line(&b, "index of a bad object: failed=%v", err != nil)
		line(&b, "%s", cacheText(c, era))
		return b.String()
	})
	wantText(t, text, "good panics=false", "bad panics=true", "failed=true")
}

func testStoreVersion(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		c := newCache(mine, appIndex)
		var b strings.Builder
		say := func(what string, err error) { line(&b, "%s: failed=%v %s", what, err != nil, cacheText(c, era)) }
		say("add", c.Add(thing("a", 3)))
		say("update to an older one", c.Update(thing("a", 2)))
		say("replace", c.Replace([]any{thing("a", 4), thing("b", 5)}, "9"))
		c.Bookmark("11")
		say("bookmark", nil)
		say("delete", c.Delete(thing("a", 12)))
		say("delete a tombstone", c.Delete(tombstone(mine, "ns/b", thing("b", 13))))
		say("delete what is not there", c.Delete(thing("z", 14)))
		say("add without metadata", c.Add(7))
		say("replace without metadata", c.Replace([]any{7}, "15"))
		return b.String()
	})
	if era == informer.Era137 {
		wantText(t, text, `^add: .*rv="3"`, `older one: .*rv="2"`, `^bookmark: .*rv="11"`, `^delete: .*rv="12"`, `tombstone: .*rv="12"`)
	}
}

func testTransaction(t *testing.T, era informer.Era) {
	text := bubbles(t, func(mine bool) string {
		c := newCache(mine, appIndex)
		_ = c.Add(thing("old", 1))
		var b strings.Builder
		what := []struct {
			kind string
			o    any
		}{{"Add", thing("a", 2)}, {"Add", 7}, {"Update", thing("a", 3)}, {"Delete", thing("old", 4)}, {"Delete", thing("never", 5)}, {"Add", thing("b", 6)}}
		if mine {
			var txns []informer.Transaction
			for _, w := range what {
				txns = append(txns, informer.Transaction{Type: informer.TransactionType(w.kind), Object: w.o})
			}
			err := c.(informer.TransactionStore).Transaction(txns...)
			line(&b, "done %v of %d, %d errors", err.SuccessfulIndices, err.TotalTransactions, len(err.Errors))
			line(&b, "%v", c.(informer.TransactionStore).Transaction(txns[0]) == nil)
		} else {
			var txns []clientgo.Transaction
			for _, w := range what {
				txns = append(txns, clientgo.Transaction{Type: clientgo.TransactionType(w.kind), Object: w.o})
			}
			err := c.(clientgo.TransactionStore).Transaction(txns...)
			line(&b, "done %v of %d, %d errors", err.SuccessfulIndices, err.TotalTransactions, len(err.Errors))
			line(&b, "%v", c.(clientgo.TransactionStore).Transaction(txns[0]) == nil)
		}
		line(&b, "%s", cacheText(c, era))
		return b.String()
	})
	wantText(t, text, `done \[0 2 3 4 5\] of 6, 1 errors`, `keys=\[ns/a ns/b\]`)
}

// TestRandomStores does the same random things to both libraries' Indexers.
func TestRandomStores(t *testing.T) {
	n := int64(300)
	if raceEnabled {
		n = 40
	}
	for _, era := range []informer.Era{informer.Era135, informer.Era137} { // without and with a version of its own
		t.Run(era.String(), func(t *testing.T) {
			setEra(t, era)
			for seed := range n {
				var texts [2][]string
				for i, mine := range []bool{false, true} {
					rng := rand.New(rand.NewSource(seed))
					c := newCache(mine, appIndex)
					rv := 0
					some := func() *object {
						rv++
						o := thing(fmt.Sprint("o", rng.Intn(80)), rv)
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
							err = c.Delete(tombstone(mine, "ns/"+o.Name, o))
						case 10:
							c.Bookmark(fmt.Sprint(rv))
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
							text += cacheText(c, era)
						}
						texts[i] = append(texts[i], text)
					}
				}
				if d := firstDifference(fmt.Sprint("seed ", seed), texts[1], texts[0]); d != "" {
					t.Fatal(d)
				}
			}
		})
	}
}
