package fold_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// TestACrowdIsCountedBySeconds: requests are counted over the last second, and the peak stays. The bins of the last 128 seconds add up to the requests, and so
// do those of the crowd without jitter. Without other clients there is no crowd.
func TestACrowdIsCountedBySeconds(t *testing.T) {
	f := fold.NewFold()
	say := func(at time.Duration, clients, requests, unjittered int) *fold.Crowd {
		text := fmt.Sprintf(`{"clients":%d,"watching":1,"waiting":1,"listing":2,"retrying":1,"seats":10,"busy":2,"requests":%d,"refused":1,`+
			`"unjittered":{"watching":4,"requests":%d}}`, clients, requests, unjittered)
		f.Apply(&event.Entry{Seq: f.Seq() + 1, At: at, Event: event.Crowd{Count: text}.Event()})
		return f.State().API.Crowd
	}
	if f.State().API.Crowd != nil {
		t.Error("a log that tells of none has a crowd")
	}
	for _, x := range []struct {
		at                   time.Duration
		requests, unjittered int
		perSecond, peak      int
		from                 float64
		lists, without       []int
	}{
		{0, 0, 0, 0, 0, 0, []int{}, []int{}},
		{250 * time.Millisecond, 100, 0, 100, 100, 0, []int{100}, []int{0}},
		{500 * time.Millisecond, 300, 500, 300, 300, 0, []int{100, 200}, []int{0, 500}},
		{1250 * time.Millisecond, 350, 500, 250, 300, 0, []int{100, 200, 0, 0, 50}, []int{0, 500, 0, 0, 0}},
		{1500 * time.Millisecond, 350, 990, 50, 300, 0, []int{100, 200, 0, 0, 50, 0}, []int{0, 500, 0, 0, 0, 490}},
		{128 * time.Second, 360, 990, 10, 300, 0, append([]int{100, 200, 0, 0, 50}, append(make([]int, 506), 10)...),
			append([]int{0, 500, 0, 0, 0, 490}, make([]int, 506)...)},
		{128500 * time.Millisecond, 360, 990, 10, 300, 1000, append([]int{50}, append(make([]int, 506), 10)...), append([]int{0, 490}, make([]int, 506)...)},
		{129500 * time.Millisecond, 360, 990, 0, 300, 127750, []int{10}, []int{0}},
	} {
		want := &fold.Crowd{Clients: 5, Watching: 1, Waiting: 1, Listing: 2, Retrying: 1, Seats: 10, Busy: 2, Requests: x.requests, Refused: 1,
			Unjittered: fold.UnjitteredCount{Watching: 4, Requests: x.unjittered}, PerSecond: x.perSecond, Peak: x.peak,
			Lists: fold.CrowdLists{FromMillis: x.from, StepMillis: 250, Requests: x.lists, Unjittered: x.without}}
		if got := say(x.at, 5, x.requests, x.unjittered); !reflect.DeepEqual(got, want) {
			t.Errorf("at %v: %+v, want %+v", x.at, got, want)
		}
		// A log that begins here has them too.
		restored := fold.NewFold()
		for _, e := range f.Baseline() {
			restored.Apply(&e)
		}
		a, _ := json.Marshal(f.State().API)
		if b, _ := json.Marshal(restored.State().API); string(a) != string(b) {
			t.Errorf("%s\nrestored %s", a, b)
		}
	}
	f.Apply(&event.Entry{Seq: f.Seq() + 1, At: 130 * time.Second, Event: event.Crowd{Count: "{"}.Event()})
	if got := f.State().API.Crowd; got == nil || got.Requests != 360 {
		t.Errorf("after what cannot be read: %+v", got)
	}
	if got := say(131*time.Second, 7, 0, 0); got == nil || got.Peak != 0 || got.Clients != 7 || len(got.Lists.Requests) != 0 {
		t.Errorf("others in their place: %+v", got)
	}
	if got := say(132*time.Second, 0, 0, 0); got != nil {
		t.Errorf("they went: %+v", got)
	}
}

// TestACrowdIsRestoredFromAnything: a State from elsewhere may have any lists.
func TestACrowdIsRestoredFromAnything(t *testing.T) {
	for _, lists := range []string{
		`{}`, `{"fromMillis":-1e300,"requests":[1],"unjittered":[1]}`, `{"fromMillis":1e300,"requests":[1,2],"unjittered":[1,2]}`,
		`{"fromMillis":-500,"requests":[1,2,3,4],"unjittered":[1]}`, `{"requests":null,"unjittered":[1]}`,
	} {
		f := fold.NewFold()
		text := `{"api":{"crowd":{"clients":3,"lists":` + lists + `}}}`
		f.Apply(&event.Entry{Seq: 1, At: time.Minute, Event: event.Restored{State: text}.Event()})
		if c := f.State().API.Crowd; c == nil || c.Clients != 3 || len(c.Lists.Requests) != len(c.Lists.Unjittered) {
			t.Errorf("%s: %+v", lists, c)
		}
	}
}
