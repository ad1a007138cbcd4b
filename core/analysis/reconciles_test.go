package analysis

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/event"
	"informerscope/core/fold/foldtest"
)

// reconcilesOf reads a log in which lane 0 has the work queue.
func reconcilesOf(log []event.Entry, key string) Reconciles {
	c := NewCauseFinder(key, 0)
	for e := range foldtest.Iterate(log) {
		c.See(e)
	}
	return c.Reconciles()
}

// say returns what a test compares of a reconcile.
func say(r Reconcile) string {
	var b strings.Builder
	for _, c := range r.Causes {
		fmt.Fprintf(&b, "%s %s %s %s li%d/%d %.0fms", c.Why, c.Op, c.Key, c.RV, c.Listener, c.Lane, c.WaitMillis)
		if c.Derived {
			b.WriteString(" derived")
		}
		if c.By != "" {
			fmt.Fprintf(&b, " by %s loop=%v", c.By, c.Loop)
		}
		b.WriteString("; ")
	}
	for _, x := range r.Reads {
		fmt.Fprintf(&b, "read %s%s %s behind %d own %s%s; ", x.Key, x.Index, x.RV, x.Behind, x.OwnKey, x.Own)
	}
	for _, x := range r.Writes {
		fmt.Fprintf(&b, "%s %s%s %s same=%v open=%v %d dup=%s; ", x.Verb, x.Resource, x.Key, x.RV, x.Same, x.Open, x.Code, x.Duplicate)
	}
	fmt.Fprintf(&b, "attempt %d merged %d older %d chain %d again %.0f retry %v err %q", r.Attempt, r.Merged, r.Older, r.Chain, r.AgainMillis, r.Retry, r.Error)
	return strings.Join(strings.Fields(b.String()), " ")
}

func added(key string, op event.Op, object, rv string) event.Event {
	return event.Work{Kind: event.KindWorkAdded, Key: key, Worker: 2, Lane: 1, Op: op, Object: object, RV: rv}.Event()
}

func work(k event.Kind, key string) event.Event {
	return event.Work{Kind: k, Key: key, Worker: 1}.Event()
}

func written(key, verb, sent, rv string, objects ...event.Item) event.Event {
	return event.ClusterWritten{Key: key, Verb: verb, Worker: 1, Sent: sent, RV: rv, Took: time.Millisecond, Objects: objects}.Event()
}

func sends(key, verb, rv string, objects ...event.Item) event.Event {
	return event.ClusterWrite{Key: key, Verb: verb, Worker: 1, RV: rv, Objects: objects}.Event()
}

func stored(key, rv string) event.Event {
	return event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: key, RV: rv}.Event()
}

func item(resource, key, rv, uid string) event.Item {
	it := event.Item{Key: key, RV: rv, Indexed: []event.IndexValues{{Index: "resource", Values: []string{resource}}}}
	if uid != "" {
		it.Indexed = append(it.Indexed, event.IndexValues{Index: "uid", Values: []string{uid}})
	}
	return it
}

func TestReconciles(t *testing.T) {
	const taken, done = event.KindWorkTaken, event.KindWorkDone
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "a", errors.New("stale"))
	for _, c := range []struct {
		name string
		log  []event.Event
		want []string // newest first
	}{
		{"several events are merged, each with its wait", []event.Event{
			added("a", event.OpAdded, "a", "5"),
			event.Work{Kind: event.KindWorkDeduplicated, Key: "a", Worker: 3, Lane: 2, Op: event.OpUpdated, Object: "cm", RV: "7"}.Event(),
			added("b", event.OpAdded, "b", "6"), work(taken, "a"),
			event.ListerRead{Key: "a", RV: "5", Latest: "7", Behind: 2, Worker: 1, Lane: 1}.Event(),
			event.ListerRead{Key: "a", RV: "5", Worker: 2}.Event(), // another worker's
			event.Reconciled{Key: "a", Worker: 1, Err: conflict}.Event(), work(done, "a"),
		}, []string{"event Added a 5 li2/0 30ms; event Updated cm 7 li3/1 20ms; read a 5 behind 2 own ; attempt 1 merged 2 older 0 chain 0 again 0 retry false err " +
			fmt.Sprintf("%q", conflict.Error())}},

		{"the watch event comes after the answer", []event.Event{
			added("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodPut, "5"), written("a", http.MethodPut, "5", "9"),
			work(done, "a"), stored("a", "9"), added("a", event.OpUpdated, "a", "9"), work(taken, "a"), work(done, "a"),
		}, []string{"event Updated a 9 li2/0 10ms by a loop=true; attempt 1 merged 1 older 0 chain 1 again 0 retry false err \"\"",
			"event Added a 5 li2/0 10ms; PUT a 9 same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\""}},

		{"the watch event comes before the answer", []event.Event{
			added("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodPut, "5"), stored("a", "9"),
			event.Work{Kind: event.KindWorkMarkedDirty, Key: "a", Worker: 2, Lane: 1, Op: event.OpUpdated, Object: "a", RV: "9"}.Event(),
			written("a", http.MethodPut, "5", "9"), event.ListerList{Worker: 1, Lane: 1, Objects: 3}.Event(),
			work(done, "a"), work(taken, "a"),
		}, []string{"event Updated a 9 li2/0 40ms by a loop=true; attempt 1 merged 1 older 0 chain 1 again 0 retry false err \"\"",
			"event Added a 5 li2/0 10ms; read behind 0 own ; PUT a 9 same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\""}},

		{"a write that changes nothing, and a resync, are no loop", []event.Event{
			stored("a", "9"), added("a", event.OpUpdated, "a", "9"), work(taken, "a"), sends("a", http.MethodPatch, ""), written("a", http.MethodPatch, "", "9"),
			work(done, "a"), added("a", event.OpSync, "a", "9"), work(taken, "a"),
		}, []string{"event Sync a 9 li2/0 10ms; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\"",
			"event Updated a 9 li2/0 10ms; PATCH a 9 same=true open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\""}},

		{"a delete is joined by its UID, and one of an object with the same name is not", []event.Event{
			added("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodDelete, "", item("configmaps", "cm", "", "")),
			written("a", http.MethodDelete, "", "", item("configmaps", "cm", "", "u1")), work(done, "a"),
			event.Work{Kind: event.KindWorkAdded, Key: "a", Worker: 2, Lane: 1, Op: event.OpDeleted, Object: "cm", RV: "11", UID: "u1"}.Event(),
			event.Work{Kind: event.KindWorkDeduplicated, Key: "a", Worker: 2, Lane: 1, Op: event.OpDeleted, Object: "cm", RV: "15", UID: "u2"}.Event(),
			work(taken, "a"),
		}, []string{"event Deleted cm 11 li2/0 20ms by a loop=true; event Deleted cm 15 li2/0 10ms; attempt 1 merged 2 older 0 chain 1 again 0 retry false err \"\"",
			"event Added a 5 li2/0 10ms; DELETE configmapscm same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\""}},

		{"a write of another key's reconcile is no loop", []event.Event{
			work(taken, "b"), sends("b", http.MethodPut, "", item("pods", "a", "", "")), written("b", http.MethodPut, "", "9", item("pods", "a", "9", "")),
			added("a", event.OpUpdated, "a", "9"), work(done, "b"), work(taken, "a"),
		}, []string{"event Updated a 9 li2/0 20ms by b loop=false; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\""}},

		{"a read that is older than an own write, and the duplicate that it caused", []event.Event{
			added("a", event.OpAdded, "a", "5"), work(taken, "a"),
			event.ClusterWrite{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, Objects: []event.Item{item("pods", "", "", "")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, RV: "9", Objects: []event.Item{item("pods", "x/c-1", "9", "u")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPut, Worker: 1, Lane: 1, RV: "10"}.Event(), work(done, "a"),
			event.Work{Kind: event.KindWorkAdded, Key: "a", Flag: true}.Event(), work(taken, "a"),
			event.ListerRead{Key: "a", RV: "5", Worker: 1, Lane: 1}.Event(),
			event.ListerList{Worker: 1, Lane: 2, Index: "namespace=x"}.Event(), event.ListerList{Worker: 1, Lane: 2, Index: "namespace=y"}.Event(),
			event.ClusterWrite{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, Objects: []event.Item{item("pods", "", "", "")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, RV: "12", Objects: []event.Item{item("pods", "x/c-2", "12", "v")}}.Event(),
		}, []string{"again li0/-1 10ms; read a 5 behind 0 own 10; read namespace=x behind 0 own x/c-19; read namespace=y behind 0 own ; " +
			"POST podsx/c-2 12 same=false open=false 0 dup=x/c-1; attempt 1 merged 1 older 2 chain 0 again 0 retry false err \"\"",
			"event Added a 5 li2/0 10ms; POST podsx/c-1 9 same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0 retry false err \"\""}},

		{"a failure comes back through the rate limiter", []event.Event{
			added("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodPut, "5"),
			event.ClusterWritten{Key: "a", Verb: http.MethodPut, Worker: 1, Err: conflict}.Event(),
			event.Work{Kind: event.KindWorkRateLimited, Key: "a", N: 1, Dur: 20 * time.Millisecond}.Event(),
			event.Work{Kind: event.KindWorkWaiting, Key: "a", Dur: 20 * time.Millisecond, Flag: true}.Event(), work(done, "a"),
			work(event.KindWorkDue, "a"), event.Work{Kind: event.KindWorkAdded, Key: "a"}.Event(), work(taken, "a"),
		}, []string{"retry li0/-1 40ms; attempt 2 merged 1 older 0 chain 0 again 0 retry false err \"\"",
			"event Added a 5 li2/0 10ms; PUT a same=false open=false 409 dup=; attempt 1 merged 1 older 0 chain 0 again 20 retry true err \"\""}},

		{"an entry without a name is that of the only open call", []event.Event{
			event.Handling{Listener: 1, Op: event.OpUpdated, Key: "a", RV: "7"}.Event(), event.Handling{Listener: 2, Op: event.OpAdded, Key: "b", RV: "4"}.Event(),
			work(event.KindWorkAdded, "a"), event.Handled{Listener: 1, Key: "a"}.Event(), work(event.KindWorkDeduplicated, "a"), work(taken, "a"),
		}, []string{"event Updated a 7 li1/0 30ms derived; li0/-1 10ms; attempt 1 merged 2 older 0 chain 0 again 0 retry false err \"\""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := foldtest.Script(c.log...)
			got := reconcilesOf(log, "a")
			var said []string
			for _, r := range got.Newest {
				said = append(said, say(r))
			}
			if strings.Join(said, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestReconcilesAMinute: a chain of a key that wakes itself is counted for a minute, and what is kept stays small.
func TestReconcilesAMinute(t *testing.T) {
	var es []event.Event
	const rounds = 3000 // 5 events each, 10 ms apart: 1,200 rounds a minute
	for i := range rounds {
		rv := func(i int) string { return fmt.Sprint(100 + i) }
		es = append(es, added("a", event.OpUpdated, "a", rv(i)), work(event.KindWorkTaken, "a"), sends("a", http.MethodPut, rv(i)),
			written("a", http.MethodPut, rv(i), rv(i+1)), work(event.KindWorkDone, "a"))
	}
	got := reconcilesOf(foldtest.Script(es...), "a")
	if got.Woken != 1200 || got.Runs != 1200 || len(got.Newest) != maxReconciles || got.Newest[0].Chain != rounds-1 {
		t.Errorf("%d runs, %d woken, %d kept, a chain of %d", got.Runs, got.Woken, len(got.Newest), got.Newest[0].Chain)
	}
}
