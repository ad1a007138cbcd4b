package view_test

import (
	"net/http"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// TestTheLastReconcileIsAFact: what woke the run that began last, what it read and what it wrote, also where its own write woke it; and how long it has run
// at the moment shown.
func TestTheLastReconcileIsAFact(t *testing.T) {
	x := newTale(t, "1.37")
	object := func(key, rv, uid string) event.Item {
		values := []event.IndexValues{{Index: "resource", Values: []string{"pods"}}, {Index: "uid", Values: []string{uid}}}
		return event.Item{Key: key, RV: rv, Indexed: values}
	}
	added := func(op event.Op, rv string) event.Event {
		return event.Work{Kind: event.KindWorkAdded, Key: "a/web", Worker: 2, Lane: 1, Op: op, Object: "a/web", RV: rv}.Event()
	}
	taken := event.Work{Kind: event.KindWorkTaken, Key: "a/web", Worker: 1}.Event()
	create := func(name, rv string) []event.Event {
		return []event.Event{
			event.ListerList{Worker: 1, Lane: 1}.Event(),
			event.ClusterWrite{Key: "a/web", Verb: http.MethodPost, Worker: 1, Lane: 1, Objects: []event.Item{object("", "", "")}}.Event(),
			event.ClusterWritten{Key: "a/web", Verb: http.MethodPost, Worker: 1, Lane: 1, RV: rv, Objects: []event.Item{object(name, rv, "u"+rv)}}.Event(),
		}
	}
	if got := x.v.State().Facts.LastRun; got != nil {
		t.Errorf("before any: %+v", got)
	}
	x.emit(added(event.OpAdded, "5"), taken)
	x.pass(3 * time.Second)
	r := x.v.State().Facts.LastRun
	if r == nil || r.Key != "a/web" || !r.Running || r.TookMillis != 3000 || len(r.Causes) != 1 || r.Causes[0].Loop || r.Causes[0].Op != "Added" {
		t.Fatalf("three seconds after a worker took the key: %+v", r)
	}
	x.emit(create("a/web-1", "9")...)
	x.emit(event.Work{Kind: event.KindWorkDone, Key: "a/web", Worker: 1}.Event(), added(event.OpUpdated, "5"), taken)
	x.emit(create("a/web-2", "12")...)
	r = x.v.State().Facts.LastRun
	if r == nil || len(r.Reads) != 1 || r.Reads[0].Own != "9" || r.Reads[0].OwnKey != "a/web-1" || len(r.Writes) != 1 || r.Writes[0].Duplicate != "a/web-1" {
		t.Errorf("a second pod, made on an old list: %+v", r)
	}
	x.emit(event.ClusterWrite{Key: "a/web", Verb: http.MethodPut, Worker: 1, RV: "5", Lane: 0, Objects: []event.Item{object("a/web", "5", "")}}.Event(),
		event.ClusterWritten{Key: "a/web", Verb: http.MethodPut, Worker: 1, Sent: "5", RV: "13", Objects: []event.Item{object("a/web", "13", "u")}}.Event(),
		event.Work{Kind: event.KindWorkDone, Key: "a/web", Worker: 1}.Event(), added(event.OpUpdated, "13"), taken)
	if r = x.v.State().Facts.LastRun; r == nil || len(r.Causes) != 1 || !r.Causes[0].Loop {
		t.Errorf("its own write woke it: %+v", r)
	}
}
