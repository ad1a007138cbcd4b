package informer

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/words/releases"
)

// These tests run the same script against client-go and against this package, and compare what the server and the handlers see.

// subject is an informer of either library.
type subject interface {
	addHandler(h *calls, resync time.Duration) (remove func() error, synced func() bool, err error)
	setTransform(func(any) (any, error)) error
	setWatchErrorHandler(func(error)) error
	run(ctx context.Context)
	state() string
}

type ours struct{ inf SharedIndexInformer }

func (o ours) addHandler(h *calls, resync time.Duration) (func() error, func() bool, error) {
	reg, err := o.inf.AddEventHandlerWithResyncPeriod(h, resync)
	if err != nil {
		return nil, nil, err
	}
	return func() error { return ShutDownEventHandler(o.inf, reg) }, reg.HasSynced, nil
}
func (o ours) setTransform(f func(any) (any, error)) error { return o.inf.SetTransform(f) }
func (o ours) setWatchErrorHandler(f func(error)) error {
	return o.inf.SetWatchErrorHandler(func(_ *Reflector, err error) { f(err) })
}
func (o ours) run(ctx context.Context) { o.inf.RunWithContext(ctx) }
func (o ours) state() string {
	return describeState(o.inf.HasSynced(), o.inf.LastSyncResourceVersion(), o.inf.GetStore().LastStoreSyncResourceVersion(), o.inf.GetIndexer())
}

type theirs struct{ inf clientgo.SharedIndexInformer }

func (o theirs) addHandler(h *calls, resync time.Duration) (func() error, func() bool, error) {
	reg, err := o.inf.AddEventHandlerWithResyncPeriod(theirCalls{h}, resync)
	if err != nil {
		return nil, nil, err
	}
	return func() error { return clientgo.ShutDownEventHandler(o.inf, reg) }, reg.HasSynced, nil
}
func (o theirs) setTransform(f func(any) (any, error)) error { return o.inf.SetTransform(f) }
func (o theirs) setWatchErrorHandler(f func(error)) error {
	return o.inf.SetWatchErrorHandler(func(_ *clientgo.Reflector, err error) { f(err) })
}
func (o theirs) run(ctx context.Context) { o.inf.RunWithContext(ctx) }
func (o theirs) state() string {
	return describeState(o.inf.HasSynced(), o.inf.LastSyncResourceVersion(), o.inf.GetStore().LastStoreSyncResourceVersion(), o.inf.GetIndexer())
}

func describeState(synced bool, rv, storeRV string, indexer interface {
	List() []any
	ListIndexFuncValues(string) []string
	IndexKeys(string, string) ([]string, error)
}) string {
	var parts []string
	for _, o := range indexer.List() {
		parts = append(parts, name(o))
	}
	for _, v := range indexer.ListIndexFuncValues("app") {
		keys, err := indexer.IndexKeys("app", v)
		parts = append(parts, fmt.Sprint("app=", v, keys, err))
	}
	slices.Sort(parts)
	return fmt.Sprintf("synced=%v rv=%q storeRV=%q %v", synced, rv, storeRV, parts)
}

// theirCalls unwraps client-go's tombstones.
type theirCalls struct{ *calls }

func (c theirCalls) OnDelete(o any) {
	d, ok := o.(clientgo.DeletedFinalStateUnknown)
	if !ok {
		c.addDelete(o, "")
		return
	}
	if inner, ok := d.Obj.(clientgo.DeletedFinalStateUnknown); ok {
		d.Obj = inner.Obj
	}
	c.addDelete(d.Obj, d.Key)
}

// setRelease makes client-go behave like a release, as far as its feature gates allow. The scripts here avoid the other differences; releases_test.go
// and the tests against the releases cover them.
func setRelease(t *testing.T, release releases.Release) {
	f := release.Behaviour()
	// client-go checks the dependencies between UnlockWhileProcessing and the other gates only where it reads them.
	featurestesting.SetFeatureDuringTest(t, clientfeatures.UnlockWhileProcessingFIFO, f.Unlocks)
	featurestesting.SetFeatureDuringTest(t, clientfeatures.AtomicFIFO, f.Atomic)
	featurestesting.SetFeatureDuringTest(t, clientfeatures.InOrderInformersBatchProcess, f.PopsBatches)
	featurestesting.SetFeatureDuringTest(t, clientfeatures.InOrderInformers, f.KeepsOrder)
	featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, f.ListsByWatch)
	featurestesting.SetFeatureDuringTest(t, clientfeatures.InformerResourceVersion, f.ReportsVersion)
}

// world is one informer with its server while a script runs.
type world struct {
	t            *testing.T
	srv          *server
	subject      subject
	calls        *calls
	steps        []step
	synced       func() bool
	remove       func() error
	seenCalls    int // lines of calls that belong to earlier steps
	seenRequests int // requests that belong to earlier steps
}

// step is what happened in one step of a script.
type step struct {
	what     string
	calls    []string
	requests []string
	state    string
	// anyOrder is set if client-go processes keys in random order.
	anyOrder bool
}

// mark ends a step: everything that has happened since the last one belongs to it.
func (w *world) mark(anyOrder bool, format string, args ...any) {
	synctest.Wait()
	all, asked := w.calls.lines(), w.srv.requests()
	s := step{what: fmt.Sprintf(format, args...), calls: all[w.seenCalls:], requests: asked[w.seenRequests:], anyOrder: anyOrder,
		state: fmt.Sprint(w.subject.state(), " handler synced=", w.synced())}
	w.seenCalls, w.seenRequests = len(all), len(asked)
	w.steps = append(w.steps, s)
}

// byKey sorts lines by the object that they are about, and keeps the order for each object.
func byKey(lines []string) []string {
	key := func(line string) string {
		words := strings.Fields(line)
		k, _, _ := strings.Cut(words[1], "@")
		return strings.TrimPrefix(k, "ns/")
	}
	out := slices.Clone(lines)
	slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	return out
}

type script struct {
	name            string
	lists, watches  []reply
	resync, handler time.Duration
	transform       func(any) (any, error)
	// only limits the script to some releases; nil means all.
	only []releases.Release
	play func(w *world)
}

func (s *script) run(t *testing.T, release releases.Release, build func(*server) subject) []step {
	srv := newServer(slices.Clone(s.lists), slices.Clone(s.watches))
	w := &world{t: t, srv: srv, subject: build(srv), calls: &calls{}}
	if s.transform != nil {
		if err := w.subject.setTransform(s.transform); err != nil {
			t.Fatal(err)
		}
	}
	// Calls of the WatchErrorHandler are logged among the requests.
	if err := w.subject.setWatchErrorHandler(func(err error) {
		srv.lock.Lock()
		defer srv.lock.Unlock()
		srv.log = append(srv.log, "WatchErrorHandler: "+err.Error())
	}); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.remove, w.synced, err = w.subject.addHandler(w.calls, s.handler); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.subject.run(ctx)
	}()
	w.mark(true, "start")
	s.play(w)
	cancel()
	<-done
	if n := srv.openStreams(); n != 0 {
		t.Errorf("%d streams were left open", n)
	}
	return w.steps
}

func (s *script) compare(t *testing.T, release releases.Release) {
	if s.only != nil && !slices.Contains(s.only, release) {
		t.Skip("not a script for this release")
	}
	setRelease(t, release)
	var want, got []step
	synctest.Test(t, func(t *testing.T) {
		want = s.run(t, release, func(srv *server) subject {
			lw := &clientgo.ListWatch{ListWithContextFunc: srv.listWithContext, WatchFuncWithContext: srv.watchWithContext}
			return theirs{clientgo.NewSharedIndexInformerWithOptions(lw, &object{}, clientgo.SharedIndexInformerOptions{
				ResyncPeriod: s.resync, Indexers: clientgo.Indexers{"app": appIndex}})}
		})
	})
	synctest.Test(t, func(t *testing.T) {
		got = s.run(t, release, func(srv *server) subject {
			return ours{NewSharedIndexInformerWithOptions(srv.lw(), &object{}, SharedIndexInformerOptions{
				ResyncPeriod: s.resync, Indexers: Indexers{"app": appIndex}, Release: release})}
		})
	})
	if len(got) != len(want) {
		t.Fatalf("%d steps, client-go %d", len(got), len(want))
	}
	lines := 0
	for i := range want {
		g, w := got[i], want[i]
		if w.anyOrder {
			g.calls, w.calls = byKey(g.calls), byKey(w.calls)
		}
		equal(t, fmt.Sprintf("step %d (%s), calls", i, w.what), g.calls, w.calls)
		equal(t, fmt.Sprintf("step %d (%s), requests", i, w.what), g.requests, w.requests)
		if g.state != w.state {
			t.Errorf("step %d (%s):\n got %s\nwant %s", i, w.what, g.state, w.state)
		}
		lines += len(w.calls) + len(w.requests)
		if t.Failed() {
			t.FailNow()
		}
	}
	if lines == 0 {
		t.Error("the script caused no call and no request")
	}
}

const backoffOver = 61 * time.Second // longer than any backoff

func initial(rv string, objs ...*object) reply {
	var events []watch.Event
	for _, o := range objs {
		events = append(events, addedEvent(o))
	}
	return reply{events: append(events, endMark(rv))}
}

var withWatchList = []releases.Release{releases.V135, releases.V137}
var withList = []releases.Release{releases.V131, releases.V133}

var scripts = []script{
	{
		name:  "list, events, bookmark, clean close",
		lists: []reply{{list: list("5", objWithApp("a", "1", "x"), objWithApp("b", "2", "y"))}}, only: withList,
		play: func(w *world) {
			w.srv.send(modifiedEvent(objWithApp("a", "6", "y")))
			w.mark(false, "modified")
			w.srv.send(deletedEvent(obj("b", "7")))
			w.mark(false, "deleted")
			w.srv.send(deletedEvent(obj("never", "8")))
			w.mark(false, "deleted what never existed")
			w.srv.send(bookmark("9"))
			w.mark(false, "bookmark")
			w.srv.end()
			w.mark(false, "closed")
		},
	},
	{
		name:    "watch-list, events, bookmark, clean close",
		watches: []reply{initial("5", objWithApp("a", "1", "x"), objWithApp("b", "2", "y")), {}}, only: withWatchList,
		play: func(w *world) {
			w.srv.send(modifiedEvent(objWithApp("a", "6", "y")), deletedEvent(obj("b", "7")), deletedEvent(obj("never", "8")))
			w.mark(false, "events")
			w.srv.send(bookmark("9"))
			w.mark(false, "bookmark")
			w.srv.end()
			w.mark(false, "closed")
		},
	},
	{
		name:  "empty list",
		lists: []reply{{list: list("5")}}, watches: []reply{{err: errInvalid()}, {}},
		play: func(w *world) {
			time.Sleep(backoffOver)
			w.mark(true, "backoff")
			time.Sleep(backoffOver)
			w.mark(true, "backoff")
		},
	},
	{
		name: "pages, and a duplicate key",
		lists: []reply{{list: page("5", "two", obj("a", "1"), obj("b", "2"))}, {list: page("5", "", obj("c", "3"), obj("a", "4"))},
			{list: page("9", "three", obj("a", "4"))}, {list: page("9", "", obj("d", "8"))}},
		watches: []reply{{}, {}},
		only:    withList,
		play: func(w *world) {
			w.srv.send(errorEvent(errExpired()))
			time.Sleep(backoffOver)
			w.mark(true, "relist in pages")
		},
	},
	{
		name:    "fallback to a list with a duplicate key",
		lists:   []reply{{list: list("5", obj("a", "1"), obj("b", "2"), obj("a", "3"))}},
		watches: []reply{{err: errInvalid()}, {}},
		only:    withWatchList,
		play:    func(w *world) { w.srv.send(addedEvent(obj("c", "6"))); w.mark(false, "added") },
	},
	{
		name:    "expired, expired again, from the latest",
		lists:   []reply{{list: list("5", obj("a", "1"), obj("b", "2"))}, {err: errExpired()}, {list: list("9", obj("b", "2"), obj("c", "8"))}},
		watches: []reply{{events: []watch.Event{errorEvent(errExpired())}}, {}},
		only:    withList,
		play: func(w *world) {
			time.Sleep(backoffOver)
			w.mark(true, "relist")
			w.srv.send(errorEvent(errInternal()))
			time.Sleep(backoffOver)
			w.mark(true, "relist without a change")
		},
	},
	{
		name: "watch-list expired, expired again, from the latest",
		watches: []reply{initial("5", obj("a", "1"), obj("b", "2")), {err: errExpired()}, initial("9", obj("b", "2"), obj("c", "8")), {err: errTooLarge()},
			{err: errForbidden()}, {err: errForbidden()}, {}},
		lists: []reply{{list: list("12", obj("b", "2"))}},
		only:  withWatchList,
		play: func(w *world) {
			w.srv.send(errorEvent(errExpired()))
			time.Sleep(backoffOver)
			w.mark(true, "relist")
			w.srv.send(errorEvent(errExpired()))
			time.Sleep(backoffOver)
			w.mark(true, "too large, forbidden, list, forbidden")
		},
	},
	{
		name:    "refused and 429, at every place",
		lists:   []reply{{err: errRefused()}, {err: err429()}, {list: list("5", obj("a", "1"))}},
		watches: []reply{{err: errRefused()}, {err: err429()}, {events: []watch.Event{errorEvent(err429())}}, {}},
		only:    withList,
		play: func(w *world) {
			for range 8 {
				time.Sleep(backoffOver)
			}
			w.mark(true, "settled")
		},
	},
	{
		name: "watch-list refused and 429, at every place",
		watches: []reply{{err: errRefused()}, {err: err429()}, {events: []watch.Event{addedEvent(obj("x", "1")), errorEvent(err429())}},
			{events: []watch.Event{addedEvent(obj("x", "1"))}, close: true}, initial("5", obj("a", "1")), {err: errRefused()}, {}},
		only: withWatchList,
		play: func(w *world) {
			for range 8 {
				time.Sleep(backoffOver)
			}
			w.mark(true, "settled")
			w.srv.end()
			time.Sleep(backoffOver)
			w.mark(true, "closed, refused")
		},
	},
	{
		name:    "list from nowhere withholds the version",
		lists:   []reply{{list: list("")}},
		watches: []reply{{err: errInvalid()}, {events: []watch.Event{addedEvent(obj("a", "7"))}}, {}},
		only:    []releases.Release{releases.V137}, // earlier releases: TestVersionFromNowhere
		play: func(w *world) {
			w.mark(false, "added from nowhere")
			w.srv.send(modifiedEvent(obj("a", "8")))
			w.mark(false, "modified")
		},
	},
	{
		name:    "resync, with a handler that wants it and one that comes later",
		lists:   []reply{{list: list("5", obj("a", "1"), obj("b", "2"))}},
		watches: []reply{{}},
		resync:  10 * time.Second, handler: 20 * time.Second, only: withList,
		play: func(w *world) {
			for range 5 {
				time.Sleep(10*time.Second + time.Millisecond)
				w.mark(true, "ten seconds")
			}
			late := &calls{}
			remove, synced, err := w.subject.addHandler(late, 500*time.Millisecond)
			if err != nil {
				w.t.Fatal(err)
			}
			time.Sleep(25 * time.Second)
			for _, line := range byKey(late.lines()) {
				w.calls.add("%s", line)
			}
			w.mark(true, "the late handler, synced %v", synced())
			if err := remove(); err != nil {
				w.t.Fatal(err)
			}
			n := len(late.lines())
			w.srv.send(addedEvent(obj("c", "6")))
			time.Sleep(30 * time.Second)
			w.mark(true, "removed, called after that: %v", len(late.lines()) != n)
		},
	},
	{
		name:    "resync of a watch-list",
		watches: []reply{initial("5", obj("a", "1"), obj("b", "2")), {}},
		resync:  10 * time.Second, handler: 10 * time.Second, only: withWatchList,
		play: func(w *world) {
			for range 3 {
				time.Sleep(10*time.Second + time.Millisecond)
				w.mark(true, "ten seconds")
			}
		},
	},
	{
		name:    "transform, failing for some",
		lists:   []reply{{list: list("5", obj("a", "1"), obj("b", "2"))}},
		watches: []reply{{err: errInvalid()}, {}},
		transform: func(o any) (any, error) {
			m := o.(*object).DeepCopy()
			if strings.HasPrefix(m.Name, "bad") {
				return nil, fmt.Errorf("cannot transform %s", m.Name)
			}
			m.Labels = map[string]string{"app": "transformed"}
			return m, nil
		},
		play: func(w *world) {
			time.Sleep(backoffOver)
			w.mark(true, "settled")
			w.srv.send(addedEvent(obj("bad", "6")))
			w.mark(false, "an event that cannot be transformed")
			w.srv.send(addedEvent(obj("c", "7")))
			w.mark(false, "added")
			w.srv.lock.Lock()
			w.srv.lists = []reply{{list: list("9", obj("a", "1"), obj("bad2", "8"))}, {list: list("10", obj("a", "1"))}}
			w.srv.watches = []reply{{err: errInvalid()}, {err: errInvalid()}, {}}
			w.srv.lock.Unlock()
			w.srv.send(errorEvent(errExpired()))
			for range 3 {
				time.Sleep(backoffOver)
			}
			w.mark(true, "a list that cannot be transformed, and one that can")
		},
	},
	{
		name:    "things that are not objects",
		lists:   []reply{{list: list("5", obj("a", "1"))}},
		watches: []reply{{err: errInvalid()}, {}},
		play: func(w *world) {
			time.Sleep(backoffOver)
			w.mark(true, "settled")
			w.srv.send(watch.Event{Type: watch.Added, Object: list("77")}, watch.Event{Type: "ODD", Object: obj("odd", "8")})
			w.mark(false, "odd events")
			w.srv.end()
			w.mark(false, "closed")
		},
	},
}

// judgedReleases are those that client-go v0.37.2 can behave like, by its gates.
var judgedReleases = []releases.Release{releases.V131, releases.V133, releases.V135, releases.V137}

func TestSameAsClientGo(t *testing.T) {
	for i := range scripts {
		s := &scripts[i]
		t.Run(s.name, func(t *testing.T) {
			for _, release := range judgedReleases {
				t.Run(release.String(), func(t *testing.T) { s.compare(t, release) })
			}
		})
	}
}

// TestSameAsClientGoAtRandom plays many random scripts: events, errors, relists with missing, changed and recreated objects, bookmarks, closed watches.
func TestSameAsClientGoAtRandom(t *testing.T) {
	for seed := range int64(25) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			for _, release := range judgedReleases {
				t.Run(release.String(), func(t *testing.T) {
					s := &script{name: "random", lists: []reply{{list: list("1")}}, watches: []reply{{}},
						play: func(w *world) { playAtRandom(w, release, rand.New(rand.NewSource(seed))) }}
					if release.Behaviour().ListsByWatch {
						s.watches = []reply{initial("1"), {}}
					}
					s.compare(t, release)
				})
			}
		})
	}
}

func playAtRandom(w *world, release releases.Release, rng *rand.Rand) {
	cluster := map[string]*object{}
	rv := 10
	fresh := func(name string) *object {
		rv++
		o := objWithApp(name, fmt.Sprint(rv), fmt.Sprint("app", rng.Intn(3)))
		cluster[name] = o
		return o
	}
	change := func() watch.Event {
		name := fmt.Sprint("o", rng.Intn(8))
		_, exists := cluster[name]
		switch {
		case !exists:
			return addedEvent(fresh(name))
		case rng.Intn(3) == 0:
			o := cluster[name].DeepCopy()
			rv++
			o.ResourceVersion = fmt.Sprint(rv)
			delete(cluster, name)
			return deletedEvent(o)
		}
		return modifiedEvent(fresh(name))
	}
	contents := func() []*object {
		var names []string
		for n := range cluster {
			names = append(names, n)
		}
		slices.Sort(names)
		var objs []*object
		for _, n := range names {
			objs = append(objs, cluster[n])
		}
		return objs
	}
	for range 40 {
		switch n := rng.Intn(10); {
		case n < 6:
			burst := 1
			if release.Behaviour().KeepsOrder { // what a DeltaFIFO merges depends on timing
				burst += rng.Intn(12)
			}
			for range burst {
				w.srv.send(change())
			}
			w.mark(false, "events")
		case n == 6:
			rv++
			w.srv.send(bookmark(fmt.Sprint(rv)))
			w.mark(false, "bookmark")
		case n == 7:
			w.srv.send(bookmark(fmt.Sprint(rv)))
			synctest.Wait()
			w.srv.end()
			w.mark(false, "clean close")
		default:
			for range rng.Intn(6) { // changes that the watch missed
				change()
			}
			rv++
			version := fmt.Sprint(rv)
			refuse := rng.Intn(3) == 0
			w.srv.lock.Lock()
			if release.Behaviour().ListsByWatch {
				w.srv.watches = []reply{initial(version, contents()...), {}}
				if refuse {
					w.srv.watches = append([]reply{{err: errExpired()}}, w.srv.watches...)
				}
			} else {
				w.srv.lists = []reply{{list: list(version, contents()...)}}
				if refuse {
					w.srv.lists = append([]reply{{err: errExpired()}}, w.srv.lists...)
				}
			}
			w.srv.lock.Unlock()
			w.srv.send(errorEvent([]func() *apierrors.StatusError{errExpired, errInternal}[rng.Intn(2)]()))
			time.Sleep(backoffOver)
			w.mark(true, "relist at %s", version)
		}
	}
}
