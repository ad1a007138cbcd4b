package view_test

import (
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/informer"
	"informerscope/core/trace"
	"informerscope/core/view"
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

// Frames do not wait for the inspector: it reads the log, and objects, without the view's lock.
func TestFramesDoNotWaitForTheInspector(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	obj := &asking{v: v}
	rec.Emit(0, informer.Event{Kind: informer.KindStoreAdded, Key: "shop/a", RV: "5", Obj: obj})
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
	rec.Emit(0, informer.Event{Kind: informer.KindStoreAdded, Key: "shop/a", RV: "6", Obj: obj})
	if o, err := v.Object(0, "shop/a"); err == nil {
		t.Errorf("of a view that stands in another log the inspector got %+v", o)
	}
}
