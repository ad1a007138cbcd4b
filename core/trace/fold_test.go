package trace

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"informerscope/core/informer"
)

func selected(releases ...string) informer.Event {
	b, _ := json.Marshal(Selection{Source: "sim", Version: "v1", Resource: "pods", Releases: releases, Seed: 7})
	return informer.Event{Kind: KindSelected, Text: string(b)}
}

func TestFoldRealFIFO(t *testing.T) {
	q := func(op informer.Op, key string) informer.Event {
		return informer.Event{Kind: informer.KindQueued, Op: op, Key: key, RV: "5"}
	}
	events := script(selected("1.37"),
		informer.Event{Kind: informer.KindInformerStarted, Release: informer.Release137},
		informer.Event{Kind: informer.KindPopulated, N: 1},
		informer.Event{Kind: informer.KindQueued, Op: informer.OpReplacedAll, RV: "4", Items: []informer.Item{{Key: "x"}, {Key: "y"}}},
		q(informer.OpAdded, "a"), q(informer.OpUpdated, "a"), q(informer.OpDeleted, "b"),
		informer.Event{Kind: informer.KindPopped, N: 2, M: 2},
	)
	f := foldOf(events)
	equal(t, "queue", queueKeys(f, 0), []string{"Updated a", "Deleted b"})
	s := f.State()
	if s.Queue.Kind != "RealFIFO" || s.Queue.Depth != 2 || s.Queue.BatchSize != 2 || s.Queue.Batch[0].Count != 2 || s.Queue.Locked {
		t.Errorf("queue %+v", s.Queue)
	}
	equal(t, "mix", s.Queue.Mix, map[string]int{"Updated": 1, "Deleted": 1})
	f.Apply(&Event{Seq: 9, Event: informer.Event{Kind: informer.KindProcessed, N: 2, M: 0}})
	f.Apply(&Event{Seq: 10, Event: informer.Event{Kind: informer.KindQueueSynced}})
	s = f.State()
	if s.Queue.BatchSize != 0 || s.Queue.LastBatchSize != 2 || !s.Queue.Synced || s.Queue.InitialPopulation != 0 || s.Queue.MaxDepth != 4 {
		t.Errorf("queue after processing %+v", s.Queue)
	}
	// More than there are: a damaged log empties the queue and does nothing else.
	f.Apply(&Event{Seq: 11, Event: informer.Event{Kind: informer.KindPopped, N: 1 << 40, Flag: true}})
	if s = f.State(); s.Queue.Depth != 0 || s.Queue.BatchSize != 2 || !s.Queue.Locked {
		t.Errorf("queue after an impossible pop %+v", s.Queue)
	}
}

func TestFoldDeltaFIFO(t *testing.T) {
	q := func(op informer.Op, key string, tombstone bool) informer.Event {
		return informer.Event{Kind: informer.KindQueued, Op: op, Key: key, Flag: tombstone}
	}
	f := foldOf(script(selected("1.31"),
		informer.Event{Kind: informer.KindInformerStarted, Release: informer.Release131},
		q(informer.OpAdded, "a", false), q(informer.OpAdded, "b", false), q(informer.OpUpdated, "a", false),
		q(informer.OpDeleted, "b", false), q(informer.OpDeleted, "b", true),
		informer.Event{Kind: informer.KindMerged, Key: "b", M: 2, Flag: true},
	))
	equal(t, "queue", queueKeys(f, 0), []string{"a: Added Updated", "b: Added Deleted"})
	s := f.State()
	if s.Queue.Kind != "DeltaFIFO" || s.Queue.Depth != 2 || s.Queue.Merges != 1 || s.Queue.Items[1].Tombstone {
		t.Errorf("queue %+v", s.Queue)
	}
	equal(t, "mix", s.Queue.Mix, map[string]int{"Added": 2, "Updated": 1, "Deleted": 1})
	f.Apply(&Event{Seq: 9, Event: informer.Event{Kind: informer.KindPopped, Key: "a", N: 2, Flag: true}})
	equal(t, "queue", queueKeys(f, 0), []string{"b: Added Deleted"})
	if s = f.State(); s.Queue.BatchSize != 2 || !s.Queue.Locked || s.Queue.Batch[1].Op != "Updated" {
		t.Errorf("batch %+v", s.Queue)
	}
	equal(t, "mix after pop", s.Queue.Mix, map[string]int{"Added": 1, "Deleted": 1})
}

func TestFoldReflector(t *testing.T) {
	bad := &LoggedError{Message: "too old resource version", Code: 410, Reason: "Expired"}
	timeout := int64(321)
	send := true
	f := NewFold()
	seq := uint64(0)
	step := func(e informer.Event) Reflector {
		seq++
		f.Apply(&Event{Seq: seq, At: time.Duration(seq) * time.Second, Event: e})
		return f.State().Reflector
	}
	phase := func(want string, e informer.Event) Reflector {
		t.Helper()
		r := step(e)
		if r.Phase != want {
			t.Errorf("after %s: phase %s, want %s", KindName(e.Kind), r.Phase, want)
		}
		return r
	}
	phase("idle", selected("1.37"))
	phase("idle", informer.Event{Kind: informer.KindReflectorStarted})
	phase("idle", informer.Event{Kind: informer.KindListWatchStarted, Text: "first list"})
	r := phase("watch-listing", informer.Event{Kind: informer.KindRequestSent, Req: 1, Verb: informer.VerbWatchList,
		Options: &metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: &send, TimeoutSeconds: &timeout, ResourceVersionMatch: "NotOlderThan"}})
	const want = "/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=321" +
		"&watch=true"
	if r.LastRequest != want {
		t.Errorf("request %s, want %s", r.LastRequest, want)
	}
	url := "/api/v1/pods?allowWatchBookmarks=true&watch=true"
	step(informer.Event{Kind: KindWireRequest, Req: 7, Text: "/api/v1/nodes?watch=true"})
	if r = step(informer.Event{Kind: KindWireRequest, Req: 8, Text: url}); r.LastRequest != url || r.TimeoutSeconds != 321 {
		t.Errorf("request on the wire %+v", r)
	}
	r = step(informer.Event{Kind: informer.KindWatchEvent, Req: 1, Op: informer.OpAdded, Key: "a", RV: "3", N: 1})
	if r.TempStore != 1 || r.Events != 1 {
		t.Errorf("temporary store %+v", r)
	}
	r = phase("watching", informer.Event{Kind: informer.KindWatchEvent, Req: 1, Op: informer.OpBookmark, Flag: true, RV: "5"})
	if r.TempStore != 0 || r.Bookmarks != 1 || r.Events != 1 {
		t.Errorf("end mark %+v", r)
	}
	r = phase("watching", informer.Event{Kind: informer.KindWatchClosed, Req: 1, Err: bad})
	if r.LastError != bad.Message || r.TimeoutSeconds != 0 {
		t.Errorf("closed %+v", r)
	}
	for i := range 20 {
		r = phase("backoff", informer.Event{Kind: informer.KindBackoff, Dur: time.Duration(i+1) * 100 * time.Millisecond, Err: bad})
		phase("backoff", informer.Event{Kind: informer.KindBackoffEnded})
	}
	if len(r.Backoffs) != 16 || r.Backoffs[15] != 2000 || r.Backoffs[0] != 500 || r.BackoffMillis != 2000 || r.BackoffCause != bad.Message {
		t.Errorf("backoffs %+v", r)
	}
	// Retrying a refused first list is not a relist; a round after a completed list is.
	r = step(informer.Event{Kind: informer.KindListWatchStarted, Text: bad.Message})
	if r.Relists != 0 || r.Why != bad.Message {
		t.Errorf("the first list again %+v", r)
	}
	step(informer.Event{Kind: informer.KindReflectorRV, RV: "5"})
	r = step(informer.Event{Kind: informer.KindListWatchStarted, Text: bad.Message})
	if r.Relists != 1 || r.Why != bad.Message {
		t.Errorf("relist %+v", r)
	}
	phase("listing", informer.Event{Kind: informer.KindRequestSent, Req: 2, Verb: informer.VerbList, Options: &metav1.ListOptions{}})
	phase("listing", informer.Event{Kind: informer.KindRequestAnswered, Req: 2, Err: errors.New("refused")})
	phase("listing", informer.Event{Kind: informer.KindRequestSent, Req: 3, Verb: informer.VerbList})
	if r = step(informer.Event{Kind: informer.KindRequestAnswered, Req: 3, N: 2, RV: "12"}); len(r.Backoffs) != 0 {
		t.Errorf("backoffs after a list %v", r.Backoffs)
	}
	if got := f.State().API.ResourceVersion; got != "12" {
		t.Errorf("API resourceVersion %s", got)
	}
	r = phase("stopped", informer.Event{Kind: informer.KindReflectorStopped})
	if r.Lists != 2 || r.Watches != 1 {
		t.Errorf("counts %+v", r)
	}
}

// TestFoldCountsObjectsThatCameInThePlaceOfOthers: by an update and by a list, but not after a delete.
func TestFoldCountsObjectsThatCameInThePlaceOfOthers(t *testing.T) {
	uid := func(u string) *metav1.ObjectMeta { return &metav1.ObjectMeta{UID: types.UID(u)} }
	for i, want := range []int{0, 0, 1, 1, 1, 1, 2} {
		events := []informer.Event{
			{Kind: informer.KindStoreAdded, Key: "a", Obj: uid("1")},
			{Kind: informer.KindStoreUpdated, Key: "a", Obj: uid("1")},
			{Kind: informer.KindStoreUpdated, Key: "a", Obj: uid("2")},
			{Kind: informer.KindStoreDeleted, Key: "a"},
			{Kind: informer.KindStoreAdded, Key: "a", Obj: uid("3")},
			{Kind: informer.KindStoreReplaced, Items: []informer.Item{{Key: "a", Obj: uid("3")}, {Key: "b", Obj: uid("4")}}},
			{Kind: informer.KindStoreReplaced, Items: []informer.Item{{Key: "a", Obj: uid("3")}, {Key: "b", Obj: uid("5")}}},
		}
		if got := foldOf(script(events[:i+1]...)).State().Indexer.Reborn; got != want {
			t.Errorf("after %d events %d came in the place of others, want %d", i+1, got, want)
		}
	}
}

func TestFoldStoreAndIndices(t *testing.T) {
	ix := func(ns, node string) []informer.IndexValues {
		return []informer.IndexValues{{Index: "namespace", Values: []string{ns}}, {Index: "node", Values: []string{node}}}
	}
	f := foldOf(script(
		informer.Event{Kind: informer.KindStoreReplaced, StoreRV: "5", Items: []informer.Item{
			{Key: "a", RV: "1", Indexed: ix("x", "n1")}, {Key: "b", RV: "2", Indexed: ix("x", "n1")}}},
		informer.Event{Kind: informer.KindStoreAdded, Key: "c", RV: "6", StoreRV: "6", Indexed: ix("y", "n2")},
		informer.Event{Kind: informer.KindStoreUpdated, Key: "a", RV: "7", StoreRV: "7", Indexed: ix("x", "n2")},
		informer.Event{Kind: informer.KindStoreDeleted, Key: "b", RV: "8", StoreRV: "8"},
		informer.Event{Kind: informer.KindStoreDeleted, Key: "b", RV: "8", StoreRV: "8"},
		informer.Event{Kind: informer.KindStoreBookmark, StoreRV: "9"},
	))
	s := f.State().Indexer
	if s.Count != 2 || s.ResourceVersion != "9" || s.Replaces != 1 {
		t.Errorf("indexer %+v", s)
	}
	equal(t, "indices", s.Indices, map[string]map[string]int{"namespace": {"x": 1, "y": 1}, "node": {"n2": 2}})
	if c, ok := f.Objects(0).Get("a"); !ok || c.RV != "7" || c.Op != informer.OpUpdated || c.Seq != 3 {
		t.Errorf("cell %+v, %v", c, ok)
	}
	f.Apply(&Event{Seq: 7, Event: informer.Event{Kind: informer.KindIndexersAdded, Text: "zone", Items: []informer.Item{
		{Key: "a", Indexed: append(ix("x", "n2"), informer.IndexValues{Index: "zone", Values: []string{"z", "z"}})},
		{Key: "c", Indexed: ix("y", "n2")}, {Key: "gone", Indexed: ix("y", "n2")}}}})
	equal(t, "indices", f.State().Indexer.Indices, map[string]map[string]int{
		"namespace": {"x": 1, "y": 1}, "node": {"n2": 2}, "zone": {"z": 1}})
	f.Apply(&Event{Seq: 8, Event: informer.Event{Kind: informer.KindStoreReplaced}})
	equal(t, "empty indices", f.State().Indexer.Indices, map[string]map[string]int{"namespace": {}, "node": {}, "zone": {}})
}

func TestFoldListener(t *testing.T) {
	f := foldOf(script(
		informer.Event{Kind: informer.KindListenerAdded, Listener: 1, Text: "printer", M: 2, Dur: time.Minute},
		informer.Event{Kind: informer.KindAccepted, Listener: 1, M: 2},                                // waits at nextCh
		informer.Event{Kind: informer.KindAccepted, Listener: 1, N: 1, M: 2, Flag: true},              // into the ring
		informer.Event{Kind: informer.KindAccepted, Listener: 1, N: 3, M: 4, Flag: true},              // it grew
		informer.Event{Kind: informer.KindDelivered, Listener: 1, N: 2, Flag: true},                   // the next waits
		informer.Event{Kind: informer.KindHandling, Listener: 1, Op: informer.OpAdded, Key: "a"},      //
		informer.Event{Kind: informer.KindListenerSyncing, Listener: 1, Flag: false},                  //
		informer.Event{Kind: KindHandlerSpeed, Listener: 1, Dur: time.Second},                         //
		informer.Event{Kind: informer.KindAccepted, Listener: 99, N: 5},                               // no such listener
		informer.Event{Kind: informer.KindListenerAdded, Listener: 2, Text: "second", M: 2, Dur: 0},   //
		informer.Event{Kind: informer.KindListenerRemoved, Listener: 2},                               //
		informer.Event{Kind: informer.KindListenerStopped, Listener: 2, N: 3},                         //
		informer.Event{Kind: informer.KindListenerAdded, Listener: 3, Text: "third", M: 1024, Dur: 0}, //
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
	f.Apply(&Event{Seq: 20, Event: informer.Event{Kind: informer.KindHandled, Listener: 1, Dur: 4 * time.Microsecond}})
	f.Apply(&Event{Seq: 21, Event: informer.Event{Kind: informer.KindHandled, Listener: 1, Dur: 8 * time.Microsecond, Err: errors.New("boom")}})
	l = f.State().Listeners[0]
	if l.Handled != 2 || l.Handling != nil || l.MeanMicros != 6 || l.Panics != 1 || l.LastPanic != "boom" {
		t.Errorf("listener %+v", l)
	}
	for i := int32(10); i < 30; i++ {
		f.Apply(&Event{Seq: 22, Event: informer.Event{Kind: informer.KindListenerAdded, Listener: i}})
		f.Apply(&Event{Seq: 22, Event: informer.Event{Kind: informer.KindListenerRemoved, Listener: i}})
	}
	if n := len(f.State().Listeners); n != 2+keptRemoved {
		t.Errorf("%d listeners after many came and went", n)
	}
}

func TestFoldWorkqueue(t *testing.T) {
	w := func(k informer.Kind, key string) informer.Event {
		return informer.Event{Kind: k, Key: key, Listener: 1}
	}
	events := script(
		w(KindWorkAdded, "a"), w(KindWorkAdded, "b"), w(KindWorkDeduplicated, "a"), w(KindWorkTaken, "a"),
		w(KindWorkMarkedDirty, "a"),
		informer.Event{Kind: KindWorkRateLimited, Key: "c", N: 2, Dur: time.Second},
		informer.Event{Kind: KindWorkWaiting, Key: "c", Dur: time.Second, N: 1},
		informer.Event{Kind: KindWorkWaiting, Key: "d", Dur: time.Minute, N: 2},
		informer.Event{Kind: KindWorkWaitingSooner, Key: "d", Dur: time.Millisecond},
		informer.Event{Kind: KindListerRead, Key: "a", RV: "4", StoreRV: "6", N: 2},
		informer.Event{Kind: KindWrites, Flag: true},
		informer.Event{Kind: KindClusterWrite, Key: "a", Text: "PATCH", RV: "7", Listener: 1},
	)
	f := foldOf(events)
	s := f.State().Workqueue
	equal(t, "queue", s.Queue, []string{"b"})
	if s.Depth != 1 || s.DirtyCount != 2 || s.ReAdded != 1 || s.WaitingCount != 2 || s.Waiting[0].Key != "d" || s.Waiting[1].Failures != 2 ||
		s.Waiting[1].DueMillis != 1070 || s.Retries != 1 || len(s.Workers) != 1 || s.Workers[0].Key != "a" || s.LastRead.Behind != 2 || !s.Writing {
		t.Errorf("workqueue %+v", s)
	}
	equal(t, "write under way", s.LastWrite, &Write{Key: "a", Verb: "PATCH", Worker: 1, RV: "7", Open: true, AtMillis: s.LastWrite.AtMillis})
	for i, e := range []informer.Event{
		{Kind: KindClusterWritten, Key: "a", Text: "PATCH", StoreRV: "7", Listener: 2, RV: "9", Dur: time.Millisecond},
		{Kind: KindClusterWritten, Key: "a", Text: "PATCH", StoreRV: "7", Listener: 1, Err: errors.New("connection refused")},
		{Kind: KindClusterWritten, Key: "a", Text: "PATCH", StoreRV: "7", Listener: 1, Dur: time.Millisecond,
			Err: apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "a", errors.New("modified"))},
		{Kind: KindWrites},
		{Kind: KindReconciled, Key: "a", Listener: 1, Err: errors.New("conflict")},
		{Kind: KindWorkDone, Key: "a", Listener: 1, Flag: true},
		{Kind: KindWorkForgotten, Key: "c", N: 2},
		{Kind: KindWorkDue, Key: "d"},
		{Kind: KindWorkAdded, Key: "d"},
		{Kind: KindWorkShuttingDown},
	} {
		f.Apply(&Event{Seq: uint64(20 + i), At: time.Second, Event: e})
	}
	s = f.State().Workqueue
	equal(t, "queue", s.Queue, []string{"b", "a", "d"})
	if s.ReAdded != 0 || s.Workers[0].Key != "" || s.Failures != 1 || s.Retries != 0 || s.WaitingCount != 1 || !s.ShuttingDown || len(s.Processing) != 0 ||
		s.Writes != 1 || s.Conflicts != 1 || s.WriteFails != 1 || s.Writing {
		t.Errorf("workqueue %+v", s)
	}
	if x := s.LastWrite; x.Open || x.Code != 409 || x.Error == "" || x.RV != "7" || x.NewRV != "" || x.AtMillis != 1000 || x.TookMicros != 1000 {
		t.Errorf("last write %+v", x)
	}
	g := NewFold()
	for _, e := range f.Baseline() {
		g.Apply(&e)
	}
	equal(t, "restored", g.State().Workqueue.LastWrite, s.LastWrite)
	if r := g.State().Workqueue; r.Writes != 1 || r.Conflicts != 1 || r.WriteFails != 1 {
		t.Errorf("restored %+v", r)
	}
}

func TestFoldWorld(t *testing.T) {
	f := foldOf(script(selected("1.37"),
		informer.Event{Kind: KindWireRequest, Req: 1, Text: "/a"}, informer.Event{Kind: KindWireResponse, Req: 1, N: 200},
		informer.Event{Kind: KindWireBytes, Req: 1, N: 300}, informer.Event{Kind: KindWireFrame, Req: 1, Op: informer.OpAdded, Key: "k", RV: "99", N: 30},
		informer.Event{Kind: KindWireRequest, Req: 2, Text: "/b"}, informer.Event{Kind: KindWireResponse, Req: 2, Err: errors.New("refused")},
		informer.Event{Kind: KindWireBytes, Req: 77, N: 5},
		informer.Event{Kind: KindCluster, RV: "100", StoreRV: "50", N: 10, M: 1000}, informer.Event{Kind: KindCluster, RV: "101", StoreRV: "50", N: 11, M: 1050},
		informer.Event{Kind: KindFault, Text: "cut", N: 1}, informer.Event{Kind: KindFault, Text: "refuse", Flag: true},
		informer.Event{Kind: KindFault, Text: "refuse", N: 1, Flag: true},
		informer.Event{Kind: KindHold, N: int(informer.StageDeliver), Flag: true}, informer.Event{Kind: KindHold, N: int(informer.StagePop), Flag: true},
		informer.Event{Kind: KindGateWaiting, N: int(informer.StageDeliver), Listener: 3, Flag: true},
		informer.Event{Kind: KindReleased, N: int(informer.StageDeliver)},
		informer.Event{Kind: KindHold, N: int(informer.StagePop)}, informer.Event{Kind: KindGateWaiting, N: 77, Flag: true},
		informer.Event{Kind: KindTrouble, Text: "relay gone", Key: "relay-gone", Indexed: []informer.IndexValues{{Index: "namespace", Values: []string{"team-a"}}}},
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
	equal(t, "faults", s.Faults, []Fault{{Name: "cut", Struck: 1, AtMillis: 110}, {Name: "refuse", On: true, Struck: 1, AtMillis: 130}})
	equal(t, "holds", s.Holds, []Hold{{Stage: "deliver", Waiting: true, SinceMillis: 140, Releases: 1}})
	if s.Source.Trouble != "relay gone" || s.Source.Cause != "relay-gone" || s.Source.Offer == nil || s.Source.Offer.Namespace != "team-a" ||
		s.Source.Kind != "sim" || s.Source.Seed != 7 {
		t.Errorf("source %+v", s.Source)
	}
	f.Apply(&Event{Seq: 50, At: time.Hour, Event: informer.Event{Kind: KindNote}})
	if r := f.State().API.WritesPerSecond; r != 0 {
		t.Errorf("rate an hour later %v", r)
	}
	if !laterRV("100", "99") || laterRV("99", "100") || laterRV("", "") || !laterRV("1", "") || laterRV("x9", "1") {
		t.Error("laterRV")
	}
}

func TestFoldTwoLanes(t *testing.T) {
	events := script(selected("1.31", "1.37"),
		informer.Event{Kind: informer.KindQueued, Op: informer.OpAdded, Key: "a"},
		informer.Event{Kind: informer.KindQueued, Op: informer.OpAdded, Key: "b"},
		informer.Event{Kind: informer.KindQueued, Op: informer.OpAdded, Key: "c"},
	)
	events[2].Lane, events[3].Lane = 1, 9
	f := foldOf(events)
	s := f.State()
	if f.Lanes() != 2 || len(s.Lanes) != 2 || s.Release != "1.31" || s.Queue.Kind != "DeltaFIFO" || s.Lanes[1].Queue.Kind != "RealFIFO" ||
		s.Lanes[0].Queue.Depth != 1 || s.Lanes[1].Queue.Items[0].Key != "b" {
		t.Errorf("state %s", objString(s))
	}
	f.Apply(&Event{Seq: 5, Event: selected("1.37")})
	if s = f.State(); s.Lanes != nil || s.Queue.Depth != 0 || f.QueueKind(0) != "RealFIFO" || f.Objects(1).Len() != 0 || f.QueueLen(1) != 0 {
		t.Errorf("after a new selection %s", objString(s))
	}
}

// TestStateHasNoNulls: the page iterates over every list without asking.
func TestStateHasNoNulls(t *testing.T) {
	f := foldOf(script(informer.Event{Kind: KindWorkAdded, Key: "a"}, informer.Event{Kind: informer.KindListenerAdded, Listener: 1}))
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
