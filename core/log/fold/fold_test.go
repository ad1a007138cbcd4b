package fold_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

func TestFoldRealFIFO(t *testing.T) {
	q := func(op event.Op, key string) event.Event {
		return event.Queued{Op: op, Key: key, RV: "5"}.Event()
	}
	events := foldtest.Script(foldtest.SelectionEvent("1.37"),
		event.InformerStarted{Release: "1.37"}.Event(),
		event.Populated{Count: 1}.Event(),
		event.Queued{Op: event.OpReplacedAll, RV: "4", Items: []event.Item{{Key: "x"}, {Key: "y"}}}.Event(),
		q(event.OpAdded, "a"), q(event.OpUpdated, "a"), q(event.OpDeleted, "b"),
		event.Popped{Deltas: 2, Length: 2}.Event(),
	)
	f := foldtest.FoldOf(events)
	foldtest.Equal(t, "queue", foldtest.QueueKeys(f, 0), []string{"Updated a", "Deleted b"})
	s := f.State()
	if s.Queue.Kind != "RealFIFO" || s.Queue.Depth != 2 || s.Queue.BatchSize != 2 || s.Queue.Batch[0].Count != 2 || s.Queue.Locked {
		t.Errorf("queue %+v", s.Queue)
	}
	foldtest.Equal(t, "mix", s.Queue.Mix, map[string]int{"Updated": 1, "Deleted": 1})
	f.Apply(&event.Entry{Seq: 9, Event: event.Processed{Deltas: 2, Population: 0}.Event()})
	f.Apply(&event.Entry{Seq: 10, Event: event.Event{Kind: event.KindQueueSynced}})
	s = f.State()
	if s.Queue.BatchSize != 0 || s.Queue.LastBatchSize != 2 || !s.Queue.Synced || s.Queue.InitialPopulation != 0 {
		t.Errorf("queue after processing %+v", s.Queue)
	}
	// More than there are: a damaged log empties the queue and does nothing else.
	f.Apply(&event.Entry{Seq: 11, Event: event.Popped{Deltas: 1 << 40, Locked: true}.Event()})
	if s = f.State(); s.Queue.Depth != 0 || s.Queue.BatchSize != 2 || !s.Queue.Locked {
		t.Errorf("queue after an impossible pop %+v", s.Queue)
	}
}

func TestFoldDeltaFIFO(t *testing.T) {
	q := func(op event.Op, key string, tombstone bool) event.Event {
		return event.Queued{Op: op, Key: key, Tombstone: tombstone}.Event()
	}
	f := foldtest.FoldOf(foldtest.Script(foldtest.SelectionEvent("1.31"),
		event.InformerStarted{Release: "1.31"}.Event(),
		q(event.OpAdded, "a", false), q(event.OpAdded, "b", false), q(event.OpUpdated, "a", false),
		q(event.OpDeleted, "b", false), q(event.OpDeleted, "b", true),
		event.Merged{Key: "b", Deltas: 2, KeptOlder: true}.Event(),
	))
	foldtest.Equal(t, "queue", foldtest.QueueKeys(f, 0), []string{"a: Added Updated", "b: Added Deleted"})
	s := f.State()
	if s.Queue.Kind != "DeltaFIFO" || s.Queue.Depth != 2 || s.Queue.Items[1].Tombstone {
		t.Errorf("queue %+v", s.Queue)
	}
	foldtest.Equal(t, "mix", s.Queue.Mix, map[string]int{"Added": 2, "Updated": 1, "Deleted": 1})
	f.Apply(&event.Entry{Seq: 9, Event: event.Popped{Key: "a", Deltas: 2, Locked: true}.Event()})
	foldtest.Equal(t, "queue", foldtest.QueueKeys(f, 0), []string{"b: Added Deleted"})
	if s = f.State(); s.Queue.BatchSize != 2 || !s.Queue.Locked || s.Queue.Batch[1].Op != "Updated" {
		t.Errorf("batch %+v", s.Queue)
	}
	foldtest.Equal(t, "mix after pop", s.Queue.Mix, map[string]int{"Added": 1, "Deleted": 1})
}

func TestFoldReflector(t *testing.T) {
	bad := &event.LoggedError{Message: "too old resource version", Code: 410, Reason: "Expired"}
	timeout := int64(321)
	send := true
	f := fold.NewFold()
	seq := uint64(0)
	step := func(e event.Event) fold.Reflector {
		seq++
		f.Apply(&event.Entry{Seq: seq, At: time.Duration(seq) * time.Second, Event: e})
		return f.State().Reflector
	}
	phase := func(want string, e event.Event) fold.Reflector {
		t.Helper()
		r := step(e)
		if r.Phase != want {
			t.Errorf("after %s: phase %s, want %s", event.KindName(e.Kind), r.Phase, want)
		}
		return r
	}
	phase("idle", foldtest.SelectionEvent("1.37"))
	phase("idle", event.Event{Kind: event.KindReflectorStarted})
	phase("idle", event.ListWatchStarted{Why: "first list"}.Event())
	r := phase("watch-listing", event.RequestSent{Req: 1, Verb: event.VerbWatchList,
		Options: &metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: &send, TimeoutSeconds: &timeout, ResourceVersionMatch: "NotOlderThan"}}.Event())
	const want = "/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=321" +
		"&watch=true"
	if r.LastRequest != want {
		t.Errorf("request %s, want %s", r.LastRequest, want)
	}
	url := "/api/v1/pods?allowWatchBookmarks=true&watch=true"
	step(event.WireRequest{Req: 7, URL: "/api/v1/nodes?watch=true"}.Event())
	if r = step(event.WireRequest{Req: 8, URL: url}.Event()); r.LastRequest != url || r.TimeoutSeconds != 321 {
		t.Errorf("request on the wire %+v", r)
	}
	r = step(event.WatchEvent{Req: 1, Op: event.OpAdded, Key: "a", RV: "3", TempStore: 1}.Event())
	if r.TempStore != 1 || r.Events != 1 {
		t.Errorf("temporary store %+v", r)
	}
	r = phase("watching", event.WatchEvent{Req: 1, Op: event.OpBookmark, EndMark: true, RV: "5"}.Event())
	if r.TempStore != 0 || r.Bookmarks != 1 || r.Events != 1 {
		t.Errorf("end mark %+v", r)
	}
	r = phase("watching", event.WatchClosed{Req: 1, Err: bad}.Event())
	if r.LastError != bad.Message || r.TimeoutSeconds != 0 {
		t.Errorf("closed %+v", r)
	}
	for i := range 20 {
		r = phase("backoff", event.Backoff{Wait: time.Duration(i+1) * 100 * time.Millisecond, Err: bad}.Event())
		phase("backoff", event.Event{Kind: event.KindBackoffEnded})
	}
	if len(r.Backoffs) != 16 || r.Backoffs[15] != 2000 || r.Backoffs[0] != 500 || r.BackoffMillis != 2000 || r.BackoffCause != bad.Message {
		t.Errorf("backoffs %+v", r)
	}
	// Retrying a refused first list is not a relist; a round after a completed list is.
	r = step(event.ListWatchStarted{Why: bad.Message}.Event())
	if r.Relists != 0 || r.Why != bad.Message {
		t.Errorf("the first list again %+v", r)
	}
	step(event.ReflectorRV{RV: "5"}.Event())
	r = step(event.ListWatchStarted{Why: bad.Message}.Event())
	if r.Relists != 1 || r.Why != bad.Message {
		t.Errorf("relist %+v", r)
	}
	phase("listing", event.RequestSent{Req: 2, Verb: event.VerbList, Options: &metav1.ListOptions{}}.Event())
	phase("listing", event.RequestAnswered{Req: 2, Err: errors.New("refused")}.Event())
	phase("listing", event.RequestSent{Req: 3, Verb: event.VerbList}.Event())
	// The client waits inside the request, of which the Reflector does not know.
	phase("backoff", event.Backoff{Wait: time.Second, Then: event.ThenSendAgain, Err: bad}.Event())
	phase("listing", event.Event{Kind: event.KindBackoffEnded})
	if r = step(event.RequestAnswered{Req: 3, Items: 2, RV: "12"}.Event()); len(r.Backoffs) != 0 {
		t.Errorf("backoffs after a list %v", r.Backoffs)
	}
	if got := f.State().API.ResourceVersion; got != "12" {
		t.Errorf("API resourceVersion %s", got)
	}
	r = phase("stopped", event.Event{Kind: event.KindReflectorStopped})
	if r.Lists != 2 || r.Watches != 1 {
		t.Errorf("counts %+v", r)
	}
}

// TestFoldCountsObjectsThatCameInThePlaceOfOthers: by an update and by a list, but not after a delete.
func TestFoldCountsObjectsThatCameInThePlaceOfOthers(t *testing.T) {
	uid := func(u string) *metav1.ObjectMeta { return &metav1.ObjectMeta{UID: types.UID(u)} }
	for i, want := range []int{0, 0, 1, 1, 1, 1, 2} {
		events := []event.Event{
			event.Stored{Kind: event.KindStoreAdded, Key: "a", Obj: uid("1")}.Event(),
			event.Stored{Kind: event.KindStoreUpdated, Key: "a", Obj: uid("1")}.Event(),
			event.Stored{Kind: event.KindStoreUpdated, Key: "a", Obj: uid("2")}.Event(),
			event.StoreDeleted{Key: "a"}.Event(),
			event.Stored{Kind: event.KindStoreAdded, Key: "a", Obj: uid("3")}.Event(),
			event.StoreReplaced{Items: []event.Item{{Key: "a", Obj: uid("3")}, {Key: "b", Obj: uid("4")}}}.Event(),
			event.StoreReplaced{Items: []event.Item{{Key: "a", Obj: uid("3")}, {Key: "b", Obj: uid("5")}}}.Event(),
		}
		if got := foldtest.FoldOf(foldtest.Script(events[:i+1]...)).State().Indexer.Reborn; got != want {
			t.Errorf("after %d events %d came in the place of others, want %d", i+1, got, want)
		}
	}
}

func TestFoldStoreAndIndices(t *testing.T) {
	ix := func(ns, node string) []event.IndexValues {
		return []event.IndexValues{{Index: "namespace", Values: []string{ns}}, {Index: "node", Values: []string{node}}}
	}
	f := foldtest.FoldOf(foldtest.Script(
		event.StoreReplaced{StoreRV: "5", Items: []event.Item{
			{Key: "a", RV: "1", Indexed: ix("x", "n1")}, {Key: "b", RV: "2", Indexed: ix("x", "n1")}}}.Event(),
		event.Stored{Kind: event.KindStoreAdded, Key: "c", RV: "6", StoreRV: "6", Indexed: ix("y", "n2")}.Event(),
		event.Stored{Kind: event.KindStoreUpdated, Key: "a", RV: "7", StoreRV: "7", Indexed: ix("x", "n2")}.Event(),
		event.StoreDeleted{Key: "b", RV: "8", StoreRV: "8"}.Event(),
		event.StoreDeleted{Key: "b", RV: "8", StoreRV: "8"}.Event(),
		event.StoreBookmark{StoreRV: "9"}.Event(),
	))
	s := f.State().Indexer
	if s.Count != 2 || s.ResourceVersion != "9" || s.Replaces != 1 {
		t.Errorf("indexer %+v", s)
	}
	foldtest.Equal(t, "indices", s.Indices, map[string]map[string]int{"namespace": {"x": 1, "y": 1}, "node": {"n2": 2}})
	if c, ok := f.Objects(0).Get("a"); !ok || c.RV != "7" || c.Op != event.OpUpdated || c.Seq != 3 {
		t.Errorf("cell %+v, %v", c, ok)
	}
	f.Apply(&event.Entry{Seq: 7, Event: event.IndexersAdded{Names: "zone", Items: []event.Item{
		{Key: "a", Indexed: append(ix("x", "n2"), event.IndexValues{Index: "zone", Values: []string{"z", "z"}})},
		{Key: "c", Indexed: ix("y", "n2")}, {Key: "gone", Indexed: ix("y", "n2")}}}.Event()})
	foldtest.Equal(t, "indices", f.State().Indexer.Indices, map[string]map[string]int{
		"namespace": {"x": 1, "y": 1}, "node": {"n2": 2}, "zone": {"z": 1}})
	f.Apply(&event.Entry{Seq: 8, Event: event.Event{Kind: event.KindStoreReplaced}})
	foldtest.Equal(t, "empty indices", f.State().Indexer.Indices, map[string]map[string]int{"namespace": {}, "node": {}, "zone": {}})
}

func TestFoldListener(t *testing.T) {
	f := foldtest.FoldOf(foldtest.Script(
		event.ListenerAdded{Listener: 1, Name: "printer", Capacity: 2, Resync: time.Minute}.Event(),
		event.Accepted{Listener: 1, Capacity: 2}.Event(),                                   // waits at nextCh
		event.Accepted{Listener: 1, Ring: 1, Capacity: 2, InRing: true}.Event(),            // into the ring
		event.Accepted{Listener: 1, Ring: 3, Capacity: 4, InRing: true}.Event(),            // it grew
		event.Delivered{Listener: 1, Ring: 2, Waiting: true}.Event(),                       // the next waits
		event.Handling{Listener: 1, Op: event.OpAdded, Key: "a"}.Event(),                   //
		event.ListenerSyncing{Listener: 1, Syncing: false}.Event(),                         //
		event.HandlerSpeed{Listener: 1, Extra: time.Second}.Event(),                        //
		event.Accepted{Listener: 99, Ring: 5}.Event(),                                      // no such listener
		event.ListenerAdded{Listener: 2, Name: "second", Capacity: 2, Resync: 0}.Event(),   //
		event.ListenerRemoved{Listener: 2}.Event(),                                         //
		event.ListenerStopped{Listener: 2, Discarded: 3}.Event(),                           //
		event.ListenerAdded{Listener: 3, Name: "third", Capacity: 1024, Resync: 0}.Event(), //
	))
	s := f.State().Listeners
	if len(s) != 3 {
		t.Fatalf("%d listeners", len(s))
	}
	l := s[0]
	if l.Ring != 2 || l.Pending != 3 || l.Capacity != 4 || len(l.Capacities) != 1 || l.Distributed != 3 || l.Delivered != 1 ||
		l.Handling == nil || l.Handling.Key != "a" || l.Syncing || l.PaceMillis != 1000 || l.ResyncMillis != 60000 {
		t.Errorf("listener %+v", l)
	}
	if !s[1].Removed || s[1].Discarded != 3 || !s[2].Syncing {
		t.Errorf("listeners %+v", s)
	}
	f.Apply(&event.Entry{Seq: 20, Event: event.Handled{Listener: 1, Took: 4 * time.Microsecond}.Event()})
	f.Apply(&event.Entry{Seq: 21, Event: event.Handled{Listener: 1, Took: 8 * time.Microsecond, Err: errors.New("boom")}.Event()})
	l = f.State().Listeners[0]
	if l.Handled != 2 || l.Handling != nil || l.MeanMicros != 6 || l.Panics != 1 || l.LastPanic != "boom" {
		t.Errorf("listener %+v", l)
	}
	for i := int32(10); i < 30; i++ {
		f.Apply(&event.Entry{Seq: 22, Event: event.ListenerAdded{Listener: i}.Event()})
		f.Apply(&event.Entry{Seq: 22, Event: event.ListenerRemoved{Listener: i}.Event()})
	}
	if n := len(f.State().Listeners); n != 2+4 {
		t.Errorf("%d listeners after many came and went", n)
	}
}

func TestFoldWorkqueue(t *testing.T) {
	w := func(k event.Kind, key string) event.Event {
		return event.Work{Kind: k, Key: key, Worker: 1}.Event()
	}
	events := foldtest.Script(
		w(event.KindWorkAdded, "a"), w(event.KindWorkAdded, "b"), w(event.KindWorkDeduplicated, "a"), w(event.KindWorkTaken, "a"),
		w(event.KindWorkMarkedDirty, "a"),
		event.Work{Kind: event.KindWorkRateLimited, Key: "c", N: 2, Dur: time.Second}.Event(),
		event.Work{Kind: event.KindWorkWaiting, Key: "c", Dur: time.Second, N: 1}.Event(),
		event.Work{Kind: event.KindWorkWaiting, Key: "d", Dur: time.Minute, N: 2}.Event(),
		event.Work{Kind: event.KindWorkWaitingSooner, Key: "d", Dur: time.Millisecond}.Event(),
		event.ListerRead{Key: "a", RV: "4", Latest: "6", Behind: 2}.Event(),
		event.Writes{On: true}.Event(),
		event.ClusterWrite{Key: "a", Verb: "PATCH", RV: "7", Worker: 1}.Event(),
	)
	f := foldtest.FoldOf(events)
	s := f.State().Workqueue
	foldtest.Equal(t, "queue", s.Queue, []string{"b"})
	if s.Depth != 1 || s.DirtyCount != 2 || s.ReAdded != 1 || s.WaitingCount != 2 || s.Waiting[0].Key != "d" || s.Waiting[1].Failures != 2 ||
		s.Waiting[1].DueMillis != 1070 || s.Retries != 1 || len(s.Workers) != 1 || s.Workers[0].Key != "a" || s.LastRead.Behind != 2 || !s.Writing {
		t.Errorf("workqueue %+v", s)
	}
	foldtest.Equal(t, "write under way", s.LastWrite, &fold.Write{Key: "a", Verb: "PATCH", Worker: 1, RV: "7", Open: true, AtMillis: s.LastWrite.AtMillis})
	for i, e := range []event.Event{
		event.ClusterWritten{Key: "a", Verb: "PATCH", Sent: "7", Worker: 2, RV: "9", Took: time.Millisecond}.Event(),
		event.ClusterWritten{Key: "a", Verb: "PATCH", Sent: "7", Worker: 1, Err: errors.New("connection refused")}.Event(),
		event.ClusterWritten{Key: "a", Verb: "PATCH", Sent: "7", Worker: 1, Took: time.Millisecond,
			Err: apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "a", errors.New("modified"))}.Event(),
		{Kind: event.KindWrites},
		event.Reconciled{Key: "a", Worker: 1, Err: errors.New("conflict")}.Event(),
		event.Work{Kind: event.KindWorkDone, Key: "a", Worker: 1, Flag: true}.Event(),
		event.Work{Kind: event.KindWorkForgotten, Key: "c", N: 2}.Event(),
		event.Work{Kind: event.KindWorkDue, Key: "d"}.Event(),
		event.Work{Kind: event.KindWorkAdded, Key: "d"}.Event(),
		{Kind: event.KindWorkPaused},
		{Kind: event.KindWorkShuttingDown},
	} {
		f.Apply(&event.Entry{Seq: uint64(20 + i), At: time.Second, Event: e})
	}
	s = f.State().Workqueue
	foldtest.Equal(t, "queue", s.Queue, []string{"b", "a", "d"})
	if s.ReAdded != 0 || s.Workers[0].Key != "" || s.Failures != 1 || s.Retries != 0 || s.WaitingCount != 1 || !s.ShuttingDown || !s.Paused ||
		len(s.Processing) != 0 || s.Writes != 1 || s.Conflicts != 1 || s.WriteFails != 1 || s.Writing {
		t.Errorf("workqueue %+v", s)
	}
	if x := s.LastWrite; x.Open || x.Code != 409 || x.Error == "" || x.RV != "7" || x.NewRV != "" || x.AtMillis != 1000 {
		t.Errorf("last write %+v", x)
	}
	g := fold.NewFold()
	for _, e := range f.Baseline() {
		g.Apply(&e)
	}
	foldtest.Equal(t, "restored", g.State().Workqueue.LastWrite, s.LastWrite)
	if r := g.State().Workqueue; r.Writes != 1 || r.Conflicts != 1 || r.WriteFails != 1 || !r.Paused {
		t.Errorf("restored %+v", r)
	}
	if g.Apply(&event.Entry{Seq: g.Seq() + 1, At: time.Second, Event: event.Event{Kind: event.KindWorkResumed}}); g.State().Workqueue.Paused {
		t.Error("the queue is resumed, and said to be paused")
	}
}

// TestRequestsHaveTheirVerb: the parameters of a request tell what it is.
func TestRequestsHaveTheirVerb(t *testing.T) {
	for _, c := range []struct {
		query, verb string
		continues   bool
	}{
		{"", "LIST", false},
		{"?limit=500&resourceVersion=0", "LIST", false},
		{"?continue=abc&limit=500", "LIST", true},
		{"?allowWatchBookmarks=true&watch=true", "WATCH", false},
		{"?watch=1&labelSelector=continue%3Da", "WATCH", false},
		{"?watch=false", "LIST", false},
		{"?allowWatchBookmarks=true&sendInitialEvents=true&watch=true", "WatchList", false},
		{"?sendInitialEvents=false&watch=true", "WATCH", false},
	} {
		f := foldtest.FoldOf(foldtest.Script(foldtest.SelectionEvent("1.37"), event.WireRequest{Req: 1, URL: "/api/v1/pods" + c.query}.Event()))
		for range 2 {
			if r := f.State().API.Requests[0]; r.Verb != c.verb || r.Continues != c.continues {
				t.Errorf("%q is %+v", c.query, r)
			}
			f.Apply(&event.Entry{Seq: f.Seq() + 1, Event: event.WireDone{Req: 1}.Event()})
		}
	}
}

// TestObjectsAndWritesAreCountedBetweenTwoReports: frames that are newer than the cluster's last report of its counters correct the number of objects, and that
// of the writes.
func TestObjectsAndWritesAreCountedBetweenTwoReports(t *testing.T) {
	frame := func(req uint32, op event.Op, rv string) event.Event {
		return event.WireFrame{Req: req, Op: op, Key: "shop/a", RV: rv, Bytes: 30}.Event()
	}
	report := event.Cluster{RV: "100", Oldest: "50", Objects: 10, Writes: 1000}.Event()
	for _, c := range []struct {
		name   string
		query  string
		events []event.Event
		want   int
		writes int
	}{
		{"none has come", "", []event.Event{frame(1, event.OpAdded, "101")}, -1, 0},
		{"a frame that the report knows", "", []event.Event{report, frame(1, event.OpAdded, "99")}, 10, 1000},
		{"two are added", "", []event.Event{report, frame(1, event.OpAdded, "101"), frame(1, event.OpAdded, "102")}, 12, 1002},
		{"the frames of a second watch", "", []event.Event{report, frame(1, event.OpAdded, "101"), frame(2, event.OpAdded, "101")}, 11, 1001},
		{"one is deleted", "", []event.Event{report, frame(1, event.OpUpdated, "101"), frame(1, event.OpDeleted, "102")}, 9, 1002},
		{"the next report counts", "", []event.Event{report, frame(1, event.OpAdded, "101"),
			event.Cluster{RV: "103", Oldest: "50", Objects: 15, Writes: 1003}.Event()}, 15, 1003},
		{"a bookmark", "", []event.Event{report, frame(1, event.OpBookmark, "101")}, 10, 1000},
		{"a selector leaves objects out", "&labelSelector=a%3Db", []event.Event{report, frame(1, event.OpDeleted, "101")}, 10, 1001},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := foldtest.FoldOf(foldtest.Script(append([]event.Event{foldtest.SelectionEvent("1.37"),
				event.WireRequest{Req: 1, URL: "/api/v1/pods?watch=true" + c.query}.Event(),
				event.WireRequest{Req: 2, URL: "/api/v1/pods?watch=true" + c.query}.Event()}, c.events...)...))
			if got := f.State().API; got.Objects != c.want || got.Writes != c.writes {
				t.Errorf("%d objects and %d writes, want %d and %d", got.Objects, got.Writes, c.want, c.writes)
			}
		})
	}
}

func TestFoldWorld(t *testing.T) {
	f := foldtest.FoldOf(foldtest.Script(foldtest.SelectionEvent("1.37"),
		event.WireRequest{Req: 1, URL: "/a"}.Event(), event.WireResponse{Req: 1, Status: 200}.Event(),
		event.WireBytes{Req: 1, Bytes: 300}.Event(), event.WireFrame{Req: 1, Op: event.OpAdded, Key: "k", RV: "99", Bytes: 30}.Event(),
		event.WireRequest{Req: 2, URL: "/b"}.Event(), event.WireResponse{Req: 2, Err: errors.New("refused")}.Event(),
		event.WireBytes{Req: 77, Bytes: 5}.Event(),
		event.Cluster{RV: "100", Oldest: "50", Objects: 10, Writes: 1000}.Event(), event.Cluster{RV: "101", Oldest: "50", Objects: 11, Writes: 1050}.Event(),
		event.Fault{Name: "cut", Struck: 1}.Event(), event.Fault{Name: "refuse", On: true}.Event(),
		event.Fault{Name: "refuse", Struck: 1, On: true}.Event(),
		event.Hold{Stage: int(event.StageDeliver), Held: true}.Event(), event.Hold{Stage: int(event.StagePop), Held: true}.Event(),
		event.GateWaiting{Stage: int(event.StageDeliver), Listener: 3, Waiting: true}.Event(),
		event.Released{Stage: int(event.StageDeliver)}.Event(),
		event.Hold{Stage: int(event.StagePop)}.Event(), event.GateWaiting{Stage: 77, Waiting: true}.Event(),
		event.Trouble{Explanation: "relay gone", Cause: "relay-gone", Offers: []event.IndexValues{{Index: "namespace", Values: []string{"team-a"}}}}.Event(),
	))
	s := f.State()
	if len(s.API.Requests) != 2 || s.API.Requests[0].Bytes != 300 || s.API.Requests[0].Frames != 1 || !s.API.Requests[0].Open ||
		s.API.Requests[1].Error != "refused" || s.API.Requests[1].Open {
		t.Errorf("requests %+v", s.API.Requests)
	}
	if s.API.ResourceVersion != "101" || s.API.Oldest != "50" || s.API.Objects != 11 || s.API.Writes != 1050 || s.Reflector.Bytes != 305 {
		t.Errorf("API %+v", s.API)
	}
	if s.API.WritesPerSecond != 200 { // 50 writes in a log that is younger than one bin
		t.Errorf("rate %v", s.API.WritesPerSecond)
	}
	foldtest.Equal(t, "faults", s.Faults, []fold.Fault{{Name: "cut", Struck: 1, AtMillis: 110}, {Name: "refuse", On: true, Struck: 1, AtMillis: 130}})
	foldtest.Equal(t, "holds", s.Holds, []fold.Hold{{Stage: "deliver", Waiting: true, SinceMillis: 140, Releases: 1}})
	if s.Source.Trouble != "relay gone" || s.Source.Cause != "relay-gone" || s.Source.Offer == nil || s.Source.Offer.Namespace != "team-a" ||
		s.Source.Kind != "sim" || s.Source.Seed != 7 {
		t.Errorf("source %+v", s.Source)
	}
	f.Apply(&event.Entry{Seq: 50, At: time.Hour, Event: event.Event{Kind: event.KindNote}})
	if r := f.State().API.WritesPerSecond; r != 0 {
		t.Errorf("rate an hour later %v", r)
	}
}

func TestFoldTwoLanes(t *testing.T) {
	events := foldtest.Script(foldtest.SelectionEvent("1.31", "1.37"),
		event.Queued{Op: event.OpAdded, Key: "a"}.Event(),
		event.Queued{Op: event.OpAdded, Key: "b"}.Event(),
		event.Queued{Op: event.OpAdded, Key: "c"}.Event(),
	)
	events[2].Lane, events[3].Lane = 1, 9
	f := foldtest.FoldOf(events)
	s := f.State()
	if f.Lanes() != 2 || len(s.Lanes) != 2 || s.Release != "1.31" || s.Queue.Kind != "DeltaFIFO" || s.Lanes[1].Queue.Kind != "RealFIFO" ||
		s.Lanes[0].Queue.Depth != 1 || s.Lanes[1].Queue.Items[0].Key != "b" {
		t.Errorf("state %s", foldtest.ObjString(s))
	}
	f.Apply(&event.Entry{Seq: 5, Event: foldtest.SelectionEvent("1.37")})
	if s = f.State(); s.Lanes != nil || s.Queue.Depth != 0 || f.QueueKind(0) != "RealFIFO" || f.Objects(1).Len() != 0 || f.QueueLen(1) != 0 {
		t.Errorf("after a new selection %s", foldtest.ObjString(s))
	}
}

// TestStateHasNoNulls: the page iterates over every list without asking.
func TestStateHasNoNulls(t *testing.T) {
	f := foldtest.FoldOf(foldtest.Script(event.Work{Kind: event.KindWorkAdded, Key: "a"}.Event(), event.ListenerAdded{Listener: 1}.Event()))
	b, err := json.Marshal(f.State())
	if err != nil {
		t.Fatal(err)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case map[string]any:
			for k, y := range x {
				walk(path+"."+k, y)
			}
		case []any:
			for _, y := range x {
				walk(path+"[]", y)
			}
		case nil:
			if path != ".workqueue.lastRead" && path != ".listeners[].handling" {
				t.Errorf("%s is null", path)
			}
		}
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	walk("", v)
}

// TestFoldDrops: what each predicate of a handler threw away is counted by the kind of change, in this fold, in a clone, and in a log that begins later. A log
// with more predicates than are kept counts their drops too.
func TestFoldDrops(t *testing.T) {
	dropped := func(predicate string, op event.Op, key string) event.Event {
		return event.PredicateDropped{Listener: 1, Op: op, Key: key, RV: "7", Predicate: predicate}.Event()
	}
	f := foldtest.FoldOf(foldtest.Script(event.ListenerAdded{Listener: 1, Name: "pod · For"}.Event(),
		dropped("generation", event.OpUpdated, "ns/a"), dropped("generation", event.OpSync, "ns/b"), dropped("label", event.OpAdded, "ns/c"),
		dropped("generation", event.OpUpdated, "ns/d"), dropped("label", event.OpDeleted, "ns/c"),
		event.PredicateDropped{Listener: 2, Op: event.OpAdded, Predicate: "of no listener"}.Event()))
	clone := f.Clone()
	want := f.State().Listeners[0].Drops
	foldtest.Equal(t, "drops", want, []fold.Drop{
		{Predicate: "generation", Updated: 2, Synced: 1, Last: fold.QueueItem{Seq: want[0].Last.Seq, Op: "Updated", Key: "ns/d", RV: "7"}},
		{Predicate: "label", Added: 1, Deleted: 1, Last: fold.QueueItem{Seq: want[1].Last.Seq, Op: "Deleted", Key: "ns/c", RV: "7"}},
	})
	later := fold.NewFold()
	for _, e := range f.Baseline() {
		later.Apply(&e)
	}
	foldtest.Equal(t, "begun later", later.State().Listeners[0].Drops, want)
	for i := range 100 {
		f.Apply(&event.Entry{Seq: 100, Event: dropped(strconv.Itoa(i), event.OpAdded, "ns/e")})
	}
	all := f.State().Listeners[0].Drops
	n := 0
	for _, d := range all {
		n += d.Added
	}
	if len(all) != 16 || n != 101 || all[15].Predicate != "…" || all[15].Added != 87 {
		t.Errorf("%d predicates with %d drops are kept: %+v", len(all), n, all[len(all)-1])
	}
	foldtest.Equal(t, "the clone", clone.State().Listeners[0].Drops, want)
}

// TestNewerRelease checks that an informer of a release that is not known keeps the release's name, and is folded as the newest that is known.
func TestNewerRelease(t *testing.T) {
	f := foldtest.FoldOf(foldtest.Script(foldtest.SelectionEvent("1.99"), event.InformerStarted{Release: "1.99"}.Event()))
	if s := f.State(); s.Release != "1.99" || s.Queue.Kind != "RealFIFO" {
		t.Errorf("release %s, queue %s", s.Release, s.Queue.Kind)
	}
	again := fold.NewFold()
	for _, e := range f.Baseline() {
		again.Apply(&e)
	}
	if s := again.State(); s.Release != "1.99" {
		t.Errorf("after a restart of the log it is %s", s.Release)
	}
}
