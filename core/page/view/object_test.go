package view_test

import (
	"slices"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// asking is an object that asks its view for a frame while its bytes are read.
type asking struct {
	v    *view.View
	late bool
}

func (a *asking) Raw() []byte {
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.v.Frame()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		a.late = true
	}
	return []byte("{}")
}

// TestFramesDoNotWaitForTheInspector: the inspector reads the log, and objects, without the view's lock.
func TestFramesDoNotWaitForTheInspector(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	obj := &asking{v: v}
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: "shop/a", RV: "5", Obj: obj}.Event())
	v.Frame()
	o, err := v.Object(0, "shop/a")
	if err != nil || string(o.JSON) != "{}" {
		t.Fatalf("%+v, %v", o, err)
	}
	if obj.late {
		t.Error("a frame waited until the inspector had what it asked for")
	}
	v.Pause()
	rec.Reset()
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: "shop/a", RV: "6", Obj: obj}.Event())
	if o, err := v.Object(0, "shop/a"); err == nil {
		t.Errorf("of a view that stands in another log the inspector got %+v", o)
	}
}

// TestAnObjectWithoutItsBody: another program's informer may not have reported bodies. The inspector shows why, and what is known. A version without a body
// is not shown with another version's.
func TestAnObjectWithoutItsBody(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	rec.Emit(0, event.Restored{State: `{"fidelity":{"indexer.objects":{"how":"unseen","why":"nobody asked for them"}}}`,
		Items: []event.Item{{Key: "shop/a", RV: "4"}}}.Event())
	look := func(key string) *view.Object {
		t.Helper()
		v.Frame()
		o, err := v.Object(0, key)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := look("shop/a"); o.RV != "4" || o.JSON != nil || o.Unseen != "nobody asked for them" || o.Deleted {
		t.Errorf("of the baseline: %+v", o)
	}
	body := func(s string) any { return &bodied{s} }
	rec.Emit(0, event.Stored{Kind: event.KindStoreUpdated, Key: "shop/a", RV: "5", Obj: body(`{"v":5}`)}.Event())
	if o := look("shop/a"); o.RV != "5" || string(o.JSON) != `{"v":5}` || o.Unseen != "" || o.OldJSON != nil {
		t.Errorf("after a change that brought its body: %+v", o)
	}
	rec.Emit(0, event.Stored{Kind: event.KindStoreUpdated, Key: "shop/a", RV: "6", Obj: body(`{"v":6}`)}.Event())
	if o := look("shop/a"); string(o.JSON) != `{"v":6}` || string(o.OldJSON) != `{"v":5}` || o.OldRV != "5" {
		t.Errorf("two versions: %+v", o)
	}
	rec.Emit(0, event.Stored{Kind: event.KindStoreUpdated, Key: "shop/a", RV: "7"}.Event())
	if o := look("shop/a"); o.RV != "7" || o.JSON != nil || o.Unseen == "" || string(o.OldJSON) != `{"v":6}` || o.OldRV != "6" {
		t.Errorf("a version without its body: %+v", o)
	}
	rec.Emit(0, event.Stored{Kind: event.KindStoreUpdated, Key: "shop/a", RV: "8", Obj: body(`{"v":8}`)}.Event())
	if o := look("shop/a"); string(o.JSON) != `{"v":8}` || o.OldJSON != nil || o.OldRV != "7" {
		t.Errorf("after a version without its body: %+v", o)
	}
	rec.Emit(0, event.StoreDeleted{Key: "shop/a"}.Event())
	if o := look("shop/a"); !o.Deleted || string(o.JSON) != `{"v":8}` || o.RV != "8" {
		t.Errorf("deleted: %+v", o)
	}
	if _, err := v.Object(0, "shop/b"); err == nil {
		t.Error("of an object that nobody knows there was something to say")
	}
}

type bodied struct{ json string }

func (o *bodied) Raw() []byte { return []byte(o.json) }

// TestObjectNamesTheStationsAhead: the inspector shows how far the newest change has come, and what lies ahead of it.
func TestObjectNamesTheStationsAhead(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	rec.Emit(0, event.ListenerAdded{Listener: 1, Name: "printer", Capacity: 1024}.Event())
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: "a/a", RV: "5"}.Event())
	ahead := func(want ...string) {
		t.Helper()
		if o, err := v.Object(0, "a/a"); err != nil || !slices.Equal(o.Todo, want) {
			t.Errorf("ahead of %+v lie %q, want %q; %v", o.Journey, o.Todo, want, err)
		}
	}
	v.Frame()
	ahead("listener")
	rec.Emit(0, event.Writes{Workers: 1}.Event())
	v.Frame()
	ahead("listener", "controller")
	rec.Emit(0, event.WireFrame{Op: event.OpUpdated, Key: "a/a", RV: "7", Bytes: 9}.Event())
	v.Frame()
	ahead("queue", "indexer", "listener", "controller")
	rec.Emit(0, event.Queued{Op: event.OpUpdated, Key: "a/a", RV: "7", Length: 1}.Event())
	v.Frame()
	ahead("indexer", "listener", "controller")
}
