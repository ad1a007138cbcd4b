package fold_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"informerscope/core/event"
	"informerscope/core/fold"
)

// TestACrowdIsCountedBySeconds: requests are counted over the last second, and the peak stays; without other clients there is no crowd.
func TestACrowdIsCountedBySeconds(t *testing.T) {
	f := fold.NewFold()
	say := func(at time.Duration, clients, requests int) *fold.Crowd {
		text := fmt.Sprintf(`{"clients":%d,"watching":3,"seats":10,"busy":2,"requests":%d,"refused":1}`, clients, requests)
		f.Apply(&event.Entry{Seq: f.Seq() + 1, At: at, Event: event.Crowd{Count: text}.Event()})
		return f.State().API.Crowd
	}
	if f.State().API.Crowd != nil {
		t.Error("a log that tells of none has a crowd")
	}
	for _, x := range []struct {
		at              time.Duration
		requests        int
		perSecond, peak int
	}{
		{0, 0, 0, 0}, {250 * time.Millisecond, 100, 100, 100}, {500 * time.Millisecond, 300, 300, 300}, {1250 * time.Millisecond, 350, 250, 300},
		{1500 * time.Millisecond, 350, 50, 300}, {9 * time.Second, 360, 10, 300},
	} {
		want := &fold.Crowd{Clients: 5, Watching: 3, Seats: 10, Busy: 2, Requests: x.requests, Refused: 1, PerSecond: x.perSecond, Peak: x.peak}
		if got := say(x.at, 5, x.requests); !reflect.DeepEqual(got, want) {
			t.Errorf("at %v: %+v, want %+v", x.at, got, want)
		}
	}
	// A log that begins in its middle has them too.
	restored := fold.NewFold()
	for _, e := range f.Baseline() {
		restored.Apply(&e)
	}
	a, _ := json.Marshal(f.State().API)
	if b, _ := json.Marshal(restored.State().API); string(a) != string(b) {
		t.Errorf("%s\nrestored %s", a, b)
	}
	f.Apply(&event.Entry{Seq: f.Seq() + 1, At: 10 * time.Second, Event: event.Crowd{Count: "{"}.Event()})
	if got := f.State().API.Crowd; got == nil || got.Requests != 360 {
		t.Errorf("after what cannot be read: %+v", got)
	}
	if got := say(11*time.Second, 7, 0); got == nil || got.Peak != 0 || got.Clients != 7 {
		t.Errorf("others in their place: %+v", got)
	}
	if got := say(12*time.Second, 0, 0); got != nil {
		t.Errorf("they went: %+v", got)
	}
}
