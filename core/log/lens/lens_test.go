package lens_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/log/fold/foldtest"
	"informerscope/core/log/lens"
	"informerscope/core/words/event"
)

// lensOf reads a log in which lane 0 has the work queue, for one key; for none it is the one that a fold has.
func lensOf(log []event.Entry, key string) *lens.Lens {
	l := &lens.Lens{Derive: true, Key: key}
	for e := range foldtest.Iterate(log) {
		l.See(e)
	}
	return l
}

// say returns what a test compares of a run.
func say(r *lens.Run) string {
	var b strings.Builder
	for _, c := range r.Causes {
		fmt.Fprintf(&b, "%s %s %s %s li%d/%d %v", c.Why, c.Op, c.Key, c.RV, c.Listener, c.Lane, r.At-c.At)
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
	fmt.Fprintf(&b, "attempt %d merged %d older %d chain %d again %v retry %v err %q", r.Attempt, r.Merged, r.Older, r.Chain, r.Again, r.Retry, r.Error)
	return strings.Join(strings.Fields(b.String()), " ")
}

func workAdded(key string, op event.Op, object, rv string) event.Event {
	return event.Work{Kind: event.KindWorkAdded, Key: key, Worker: 2, Lane: 1, Op: op, Object: object, RV: rv}.Event()
}

func work(k event.Kind, key string) event.Event {
	return event.Work{Kind: k, Key: key, Worker: 1}.Event()
}

func clusterWritten(key, verb, sent, rv string, objects ...event.Item) event.Event {
	return event.ClusterWritten{Key: key, Verb: verb, Worker: 1, Sent: sent, RV: rv, Took: time.Millisecond, Objects: objects}.Event()
}

func sends(key, verb, rv string, objects ...event.Item) event.Event {
	return event.ClusterWrite{Key: key, Verb: verb, Worker: 1, RV: rv, Objects: objects}.Event()
}

func storeUpdated(key, rv string) event.Event {
	return event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: key, RV: rv}.Event()
}

func item(resource, key, rv, uid string) event.Item {
	made := event.Item{Key: key, RV: rv, Indexed: []event.IndexValues{{Index: "resource", Values: []string{resource}}}}
	if uid != "" {
		made.Indexed = append(made.Indexed, event.IndexValues{Index: "uid", Values: []string{uid}})
	}
	return made
}

func TestRuns(t *testing.T) {
	const taken, done = event.KindWorkTaken, event.KindWorkDone
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "a", errors.New("stale"))
	for _, c := range []struct {
		name string
		log  []event.Event
		want []string // newest first
	}{
		{"several events are merged, each with its wait", []event.Event{
			workAdded("a", event.OpAdded, "a", "5"),
			event.Work{Kind: event.KindWorkDeduplicated, Key: "a", Worker: 3, Lane: 2, Op: event.OpUpdated, Object: "cm", RV: "7"}.Event(),
			workAdded("b", event.OpAdded, "b", "6"), work(taken, "a"),
			event.ListerRead{Key: "a", RV: "5", Latest: "7", Behind: 2, Worker: 1, Lane: 1}.Event(),
			event.ListerRead{Key: "a", RV: "5", Worker: 2}.Event(), // another worker's
			event.Reconciled{Key: "a", Worker: 1, Err: conflict}.Event(), work(done, "a"),
		}, []string{"event Added a 5 li2/0 30ms; event Updated cm 7 li3/1 20ms; read a 5 behind 2 own ; attempt 1 merged 2 older 0 chain 0 again 0s " +
			"retry false err " + fmt.Sprintf("%q", conflict.Error())}},

		{"the watch event comes after the answer", []event.Event{
			workAdded("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodPut, "5"), clusterWritten("a", http.MethodPut, "5", "9"),
			work(done, "a"), storeUpdated("a", "9"), workAdded("a", event.OpUpdated, "a", "9"), work(taken, "a"), work(done, "a"),
		}, []string{"event Updated a 9 li2/0 10ms by a loop=true; attempt 1 merged 1 older 0 chain 1 again 0s retry false err \"\"",
			"event Added a 5 li2/0 10ms; PUT a 9 same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\""}},

		{"the watch event comes before the answer", []event.Event{
			workAdded("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodPut, "5"), storeUpdated("a", "9"),
			event.Work{Kind: event.KindWorkMarkedDirty, Key: "a", Worker: 2, Lane: 1, Op: event.OpUpdated, Object: "a", RV: "9"}.Event(),
			clusterWritten("a", http.MethodPut, "5", "9"), event.ListerList{Worker: 1, Lane: 1, Objects: 3}.Event(),
			work(done, "a"), work(taken, "a"),
		}, []string{"event Updated a 9 li2/0 40ms by a loop=true; attempt 1 merged 1 older 0 chain 1 again 0s retry false err \"\"",
			"event Added a 5 li2/0 10ms; read behind 0 own ; PUT a 9 same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\""}},

		{"a write that changes nothing, and a resync, are no loop", []event.Event{
			storeUpdated("a", "9"), workAdded("a", event.OpUpdated, "a", "9"), work(taken, "a"), sends("a", http.MethodPatch, ""),
			clusterWritten("a", http.MethodPatch, "", "9"),
			work(done, "a"), workAdded("a", event.OpSync, "a", "9"), work(taken, "a"),
		}, []string{"event Sync a 9 li2/0 10ms; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\"",
			"event Updated a 9 li2/0 10ms; PATCH a 9 same=true open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\""}},

		{"a delete is joined by its UID, and one of an object with the same name is not: with that cause too, the run is no part of a chain",
			[]event.Event{
				workAdded("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodDelete, "", item("configmaps", "cm", "", "")),
				clusterWritten("a", http.MethodDelete, "", "", item("configmaps", "cm", "", "u1")), work(done, "a"),
				event.Work{Kind: event.KindWorkAdded, Key: "a", Worker: 2, Lane: 1, Op: event.OpDeleted, Object: "cm", RV: "11", UID: "u1"}.Event(),
				event.Work{Kind: event.KindWorkDeduplicated, Key: "a", Worker: 2, Lane: 1, Op: event.OpDeleted, Object: "cm", RV: "15", UID: "u2"}.Event(),
				work(taken, "a"),
			}, []string{"event Deleted cm 11 li2/0 20ms by a loop=true; event Deleted cm 15 li2/0 10ms; attempt 1 merged 2 older 0 " +
				"chain 0 again 0s retry false err \"\"",
				"event Added a 5 li2/0 10ms; DELETE configmapscm same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\""}},

		{"a write of another key's reconcile is no loop", []event.Event{
			work(taken, "b"), sends("b", http.MethodPut, "", item("pods", "a", "", "")), clusterWritten("b", http.MethodPut, "", "9", item("pods", "a", "9", "")),
			workAdded("a", event.OpUpdated, "a", "9"), work(done, "b"), work(taken, "a"),
		}, []string{"event Updated a 9 li2/0 20ms by b loop=false; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\""}},

		{"a read that is older than an own write, and the duplicate that it caused", []event.Event{
			workAdded("a", event.OpAdded, "a", "5"), work(taken, "a"),
			event.ClusterWrite{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, Objects: []event.Item{item("pods", "", "", "")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, RV: "9", Objects: []event.Item{item("pods", "x/c-1", "9", "u")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPut, Worker: 1, Lane: 1, RV: "10"}.Event(), work(done, "a"),
			event.Work{Kind: event.KindWorkAdded, Key: "a", Flag: true}.Event(), work(taken, "a"),
			event.ListerRead{Key: "a", RV: "5", Worker: 1, Lane: 1}.Event(),
			event.ListerList{Worker: 1, Lane: 2, Index: "namespace=x"}.Event(), event.ListerList{Worker: 1, Lane: 2, Index: "namespace=y"}.Event(),
			event.ClusterWrite{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, Objects: []event.Item{item("pods", "", "", "")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: 2, RV: "12", Objects: []event.Item{item("pods", "x/c-2", "12", "v")}}.Event(),
		}, []string{"again li0/-1 10ms; read a 5 behind 0 own 10; read namespace=x behind 0 own x/c-19; read namespace=y behind 0 own ; " +
			"POST podsx/c-2 12 same=false open=false 0 dup=x/c-1; attempt 1 merged 1 older 2 chain 0 again 0s retry false err \"\"",
			"event Added a 5 li2/0 10ms; POST podsx/c-1 9 same=false open=false 0 dup=; attempt 1 merged 1 older 0 chain 0 again 0s retry false err \"\""}},

		{"a failure comes back through the rate limiter", []event.Event{
			workAdded("a", event.OpAdded, "a", "5"), work(taken, "a"), sends("a", http.MethodPut, "5"),
			event.ClusterWritten{Key: "a", Verb: http.MethodPut, Worker: 1, Err: conflict}.Event(),
			event.Work{Kind: event.KindWorkRateLimited, Key: "a", N: 1, Dur: 20 * time.Millisecond}.Event(),
			event.Work{Kind: event.KindWorkWaiting, Key: "a", Dur: 20 * time.Millisecond, Flag: true}.Event(), work(done, "a"),
			work(event.KindWorkDue, "a"), event.Work{Kind: event.KindWorkAdded, Key: "a"}.Event(), work(taken, "a"),
		}, []string{"retry li0/-1 40ms; attempt 2 merged 1 older 0 chain 0 again 0s retry false err \"\"",
			"event Added a 5 li2/0 10ms; PUT a same=false open=false 409 dup=; attempt 1 merged 1 older 0 chain 0 again 20ms retry true err \"\""}},

		{"an entry without a name is that of the only open call", []event.Event{
			event.Handling{Listener: 1, Op: event.OpUpdated, Key: "a", RV: "7"}.Event(), event.Handling{Listener: 2, Op: event.OpAdded, Key: "b", RV: "4"}.Event(),
			work(event.KindWorkAdded, "a"), event.Handled{Listener: 1, Key: "a"}.Event(), work(event.KindWorkDeduplicated, "a"), work(taken, "a"),
		}, []string{"event Updated a 7 li1/0 30ms derived; li0/-1 10ms; attempt 1 merged 2 older 0 chain 0 again 0s retry false err \"\""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := foldtest.Script(c.log...)
			runs, _, _ := lensOf(log, "a").Runs()
			var said []string
			for _, r := range runs {
				said = append(said, say(r))
			}
			if strings.Join(said, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestAMinute: a chain of a key that wakes itself is counted for a minute, and what is kept stays small.
func TestAMinute(t *testing.T) {
	var es []event.Event
	const rounds = 3000 // 5 events each, 10 ms apart: 1,200 rounds a minute
	for i := range rounds {
		rv := func(i int) string { return fmt.Sprint(100 + i) }
		es = append(es, workAdded("a", event.OpUpdated, "a", rv(i)), work(event.KindWorkTaken, "a"), sends("a", http.MethodPut, rv(i)),
			clusterWritten("a", http.MethodPut, rv(i), rv(i+1)), work(event.KindWorkDone, "a"))
	}
	newest, aMinute, woken := lensOf(foldtest.Script(es...), "a").Runs()
	if woken != 1200 || aMinute != 1200 || len(newest) != 8 || newest[0].Chain != rounds-1 {
		t.Errorf("%d runs, %d woken, %d kept, a chain of %d", aMinute, woken, len(newest), newest[0].Chain)
	}
}

// reconcile is one run of a key: a read and a write of each version.
func reconcile(key string, worker int32, rvs ...string) []event.Event {
	es := []event.Event{workAdded(key, event.OpUpdated, key, "5"), event.Work{Kind: event.KindWorkTaken, Key: key, Worker: worker}.Event()}
	for _, rv := range rvs {
		es = append(es, event.ListerRead{Key: "cm-" + rv, RV: rv, Worker: worker, Lane: 1}.Event(), sends(key, http.MethodPut, "", item("pods", key, "", "")),
			clusterWritten(key, http.MethodPut, "", rv, item("pods", key, rv, "")))
	}
	return es
}

// TestDetails: without a key a Lens keeps what runs read and wrote as long as they go on, and of the one that began last.
func TestDetails(t *testing.T) {
	done := func(key string) event.Event { return work(event.KindWorkDone, key) }
	l := &lens.Lens{}
	var seq uint64
	see := func(es ...event.Event) {
		for _, e := range es {
			seq++
			l.See(&event.Entry{Event: e, Seq: seq, At: time.Duration(seq) * time.Millisecond})
		}
	}
	check := func(key string, causes, reads, writes int) {
		t.Helper()
		if r := l.Run(0, key); r == nil || len(r.Causes) != causes || len(r.Reads) != reads || len(r.Writes) != writes || r.Running && reads != r.ReadCount {
			t.Errorf("the run of %s is %+v", key, r)
		}
	}
	see(reconcile("a", 1, "11", "12")...)
	see(reconcile("b", 2, "13")...)
	check("a", 1, 2, 2)
	if r := l.Last(0); r == nil || r.Key != "b" || r.Reads[0].Key != "cm-13" || r.Writes[0].RV != "13" {
		t.Errorf("the last run is %+v", r)
	}
	see(done("a"))
	check("a", 0, 0, 0)
	if r := l.Run(0, "a"); r.ReadCount != 2 || r.WriteCount != 2 {
		t.Errorf("%d reads and %d writes are counted", r.ReadCount, r.WriteCount)
	}
	see(done("b"))
	check("b", 1, 1, 1)
	see(reconcile("c", 1)...)
	check("b", 0, 0, 0)

	before := l.Clone()
	see(event.ListerRead{Key: "x", RV: "20", Worker: 1, Lane: 1}.Event(), sends("c", http.MethodPut, "20"))
	check("c", 1, 1, 1)
	if r := before.Run(0, "c"); len(r.Reads) != 0 || len(r.Writes) != 0 {
		t.Errorf("a copy has changed: %+v", r)
	}
	before = l.Clone()
	see(clusterWritten("c", http.MethodPut, "20", "21"))
	if r := before.Run(0, "c"); !r.Writes[0].Open || l.Run(0, "c").Writes[0].Open {
		t.Errorf("the copy has the answer: %+v", r)
	}
	for i := range 40 { // what matters stays: a read that is older than an own write, and a write that is not answered
		see(event.ListerRead{Key: "c", RV: "20", Worker: 1, Lane: 1}.Event(), sends("c", http.MethodPatch, ""))
		for range 3 {
			see(event.ListerRead{Key: "y", RV: "20", Worker: 1, Lane: 1}.Event(), sends("c", http.MethodPut, ""),
				clusterWritten("c", http.MethodPut, "", fmt.Sprint(30+i)))
		}
	}
	r := l.Last(0)
	if len(r.Reads) != 16 || len(r.Writes) != 16 || r.Older != 40 || r.ReadCount != 161 || r.WriteCount != 121 {
		t.Errorf("%d of %d reads, %d of %d writes, %d older", len(r.Reads), r.ReadCount, len(r.Writes), r.WriteCount, r.Older)
	}
	for i := range r.Reads {
		if r.Reads[i].Own == "" || !r.Writes[i].Open {
			t.Errorf("%+v and %+v are kept", r.Reads[i], r.Writes[i])
		}
	}
}

// TestDuplicateOfEachResource: a run that missed an own pod and a newer own ConfigMap makes the pod again.
func TestDuplicateOfEachResource(t *testing.T) {
	create := func(resource string, lane int, key, rv string) []event.Event {
		return []event.Event{event.ClusterWrite{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: lane, Objects: []event.Item{item(resource, "", "", "")}}.Event(),
			event.ClusterWritten{Key: "a", Verb: http.MethodPost, Worker: 1, Lane: lane, RV: rv, Objects: []event.Item{item(resource, key, rv, "u"+rv)}}.Event()}
	}
	log := []event.Event{workAdded("a", event.OpAdded, "a", "5"), work(event.KindWorkTaken, "a")}
	log = append(append(log, create("pods", 2, "x/p-1", "9")...), create("configmaps", 3, "x/c-1", "10")...)
	log = append(log, work(event.KindWorkDone, "a"), event.Work{Kind: event.KindWorkAdded, Key: "a", Flag: true}.Event(), work(event.KindWorkTaken, "a"),
		event.ListerList{Worker: 1, Lane: 2}.Event(), event.ListerList{Worker: 1, Lane: 3}.Event())
	log = append(log, create("pods", 2, "x/p-2", "12")...)
	l := lensOf(foldtest.Script(log...), "")
	if key, d := l.NewestDuplicate(0, 0); key != "a" || d != (lens.Duplicate{Earlier: "x/p-1", Made: "x/p-2"}) {
		t.Errorf("%q made %+v", key, d)
	}
}

// TestSameAsAnOwnWrite: a second write that returns the version of the first one changed nothing, although no informer has its object.
func TestSameAsAnOwnWrite(t *testing.T) {
	patch := []event.Event{event.ClusterWrite{Key: "a", Verb: http.MethodPatch, Worker: 1, Lane: 0, Objects: []event.Item{item("leases", "x/l", "", "")}}.Event(),
		event.ClusterWritten{Key: "a", Verb: http.MethodPatch, Worker: 1, RV: "9", Objects: []event.Item{item("leases", "x/l", "9", "")}}.Event()}
	log := append([]event.Event{workAdded("a", event.OpAdded, "a", "5"), work(event.KindWorkTaken, "a")}, append(patch, patch...)...)
	w := lensOf(foldtest.Script(log...), "").Last(0).Writes
	if len(w) != 2 || w[0].Same || !w[1].Same || w[0].Lane != -1 {
		t.Errorf("%+v", w)
	}
}
