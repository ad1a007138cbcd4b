package fold_test

import (
	"reflect"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// TestSampled: samples of another program's informer are in the State, and in that of a log which begins later.
func TestSampled(t *testing.T) {
	f := fold.NewFold()
	seq := uint64(0)
	apply := func(e event.Event) {
		seq++
		f.Apply(&event.Entry{Seq: seq, At: time.Duration(seq) * time.Second, Event: e})
	}
	apply(event.Selected{Selection: `{"source":"live","resource":"pods","version":"v1","eras":["1.33"]}`}.Event())
	apply(event.Restored{State: `{"era":"1.33","queue":{"kind":"RealFIFO","depth":3},"listeners":[{"id":1,"name":"slow","capacity":1024}],
		"fidelity":{"queue":{"how":"sampled","why":"20 times a second"},"listeners.waiting":{"how":"unseen"}}}`}.Event())
	if s := f.State(); s.Queue.Depth != 3 || s.Fidelity["queue"].How != "sampled" {
		t.Fatalf("restored: %+v %+v", s.Queue, s.Fidelity)
	}
	apply(event.Sampled{Sample: `{"resourceVersion":"77","queue":{"depth":9},"listeners":[{"id":1,"ring":1500,"capacity":2048},{"id":9,"ring":1}]}`}.Event())
	check := func(what string, f *fold.Fold) {
		t.Helper()
		s := f.State()
		if s.Queue.Depth != 9 || s.Reflector.ResourceVersion != "77" || f.QueueLen(0) != 9 {
			t.Errorf("%s: %+v %+v", what, s.Queue, s.Reflector)
		}
		if li := s.Listeners[0]; li.Ring != 1500 || li.Pending != 1500 || li.Capacity != 2048 || !reflect.DeepEqual(li.Capacities, []int{1024}) {
			t.Errorf("%s: %+v", what, li)
		}
	}
	check("sampled", f)
	for _, text := range []string{``, `null`, `[]`, `{"queue":{"depth":-1}`, `{"listeners":[{"id":1,"ring":"x"}]}`} {
		apply(event.Sampled{Sample: text}.Event()) // changes nothing
	}
	check("after what is none", f)
	later := fold.NewFold()
	for _, e := range f.Baseline() {
		later.Apply(&e)
	}
	check("begun later", later)
}

// TestRestoredTimes: the times in the state of another program's informer move with their event when its stream continues another log.
func TestRestoredTimes(t *testing.T) {
	f := fold.NewFold()
	f.Apply(&event.Entry{Seq: 1, At: time.Minute, Event: event.Selected{Selection: `{"source":"live","resource":"pods","version":"v1","eras":["1.33"]}`}.Event()})
	f.Apply(&event.Entry{Seq: 2, At: time.Minute, Event: event.Restored{State: `{"era":"1.33","atMillis":500,
		"api":{"requests":[{"id":1,"open":true,"sentMillis":-1500}]},
		"reflector":{"phase":"watching","requestMillis":-1500},"listeners":[{"id":1,"handling":{"key":"a"},"handlingSince":400}],
		"workqueue":{"workers":[{"id":1,"key":"a","sinceMillis":420}],"processing":[{"id":1,"key":"a","sinceMillis":420}],
		"waiting":[{"key":"b","setMillis":100,"dueMillis":900}]}}`}.Event()})
	s := f.State()
	for _, x := range []struct {
		what      string
		got, want float64
	}{{"request", s.API.Requests[0].SentMillis, 58000}, {"Reflector", s.Reflector.RequestMillis, 58000}, {"handler", s.Listeners[0].HandlingSince, 59900},
		{"worker", s.Workqueue.Workers[0].SinceMillis, 59920}, {"processing", s.Workqueue.Processing[0].SinceMillis, 59920},
		{"set", s.Workqueue.Waiting[0].SetMillis, 59600}, {"due", s.Workqueue.Waiting[0].DueMillis, 60400}} {
		if x.got != x.want {
			t.Errorf("%s: %v, not %v", x.what, x.got, x.want)
		}
	}
}

// TestReadsAreSeen: the first read that a probe sees says that it sees reads from there on. The recording does not begin again, so an open run goes on.
func TestReadsAreSeen(t *testing.T) {
	f := fold.NewFold()
	seq := uint64(0)
	apply := func(e event.Event) {
		seq++
		f.Apply(&event.Entry{Seq: seq, Event: e})
	}
	apply(event.Selected{Selection: `{"source":"live","resource":"pods","version":"v1","eras":["1.33"]}`}.Event())
	apply(event.Restored{State: `{"era":"1.33","workqueue":{},"fidelity":{"workqueue.lastRead":{"how":"unseen","why":"no read was seen"}}}`}.Event())
	apply(event.Work{Kind: event.KindWorkAdded, Key: "a", Op: event.OpAdded, Object: "a", RV: "5"}.Event())
	apply(event.Work{Kind: event.KindWorkTaken, Key: "a", Worker: 1}.Event())
	before := f.Clone()
	apply(event.ListerRead{Key: "a", RV: "5", Worker: 1}.Event())
	if how := f.Fidelity(0, "workqueue.lastRead").How; how != "derived" {
		t.Errorf("reads are %s", how)
	}
	if how := before.Fidelity(0, "workqueue.lastRead").How; how != "unseen" {
		t.Errorf("before, reads were %s", how)
	}
	if r := f.Lens().Last(0); r == nil || !r.Running || len(r.Reads) != 1 {
		t.Errorf("the open run is %+v", r)
	}
}
