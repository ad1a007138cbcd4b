package play

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Script is a scenario: the options of an informer, and the steps that happen to it. The same script, release and seed always give the same result.
type Script struct {
	seed    int64
	resync  time.Duration
	half    bool   // the informer sees one shard
	burst   bool   // frames come without a pause
	optOut  bool   // the client does not support WatchList
	bare    bool   // the source is a ListWatch of functions, which cannot report optOut
	plain   bool   // an informer of NewInformerWithOptions, with only the first handler
	shape   string // the name of the transform, see transforms
	objects int    // number of objects at the start: ns/o0, ns/o1, ...
	early   []op   // the steps before Run
	ops     []op
	// calm lets some time pass after every step, so that the informer has handled one step before the next.
	calm bool
	// limit is the real time after which the watchdog ends the script; zero is scheduleLimit.
	limit time.Duration
	// shutDown allows steps that remove handlers with ShutDownEventHandler.
	shutDown bool
	// silent makes our informer run without an Observer.
	silent bool
	// settle heals all faults at the end, and then the invariants must hold.
	settle bool
	// lossy is set if a fault makes client-go lose events, so the store may differ from the cluster at the end.
	lossy bool
}

// op is one step of a script. text describes it completely.
type op struct {
	text   string
	do     func(w *world)
	number int // index in the generated script
}

func (s *Script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed=%d resync=%v burst=%v optOut=%v bare=%v plain=%v transform=%q objects=%d silent=%v settle=%v\n", s.seed, s.resync, s.burst, s.optOut,
		s.bare, s.plain, s.shape, s.objects, s.silent, s.settle)
	for _, o := range s.early {
		fmt.Fprintf(&b, "  before: %s\n", o.text)
	}
	for _, o := range s.ops {
		fmt.Fprintf(&b, "  %s\n", o.text)
	}
	return b.String()
}

// poison is the label of the objects for which the transform "fail" fails.
const poison = "poison"

// transforms are the transform functions by name.
var transforms = map[string]func(any) (any, error){
	"count": func(o any) (any, error) { // counts how often it was applied
		m, ok := o.(*object)
		if !ok {
			return o, nil
		}
		m = m.DeepCopy()
		if m.Labels == nil {
			m.Labels = map[string]string{}
		}
		m.Labels["transformed"] += "i"
		return m, nil
	},
	"fail": func(o any) (any, error) {
		if m, ok := o.(*object); ok && m.Labels[poison] != "" {
			return nil, fmt.Errorf("cannot transform %s", keyOf(m))
		}
		return o, nil
	},
}

// The steps of a script.

func put(key, app string, labels ...string) op {
	return step(fmt.Sprintf("put %s app=%q %v", key, app, labels), func(w *world) { w.c.put(key, app, labels...) })
}

func del(key string) op {
	return step("delete "+key, func(w *world) { w.c.remove(key) })
}

func wait(d time.Duration) op {
	return step(fmt.Sprintf("wait %v", d), func(w *world) { w.sleep(d) })
}

// backoffOver waits longer than any backoff.
var backoffOver = wait(61 * time.Second)

func mark() op { return step("bookmark", func(w *world) { w.c.bookmark(false) }) }

// end closes the stream. If kind is not empty, an ERROR frame of that kind comes before.
func end(kind string) op {
	return step(fmt.Sprintf("end the stream, error %q", kind), func(w *world) { w.c.end(statusOf(kind)) })
}

func trouble(on, kind string, n int, d time.Duration) op {
	f := fault{on, kind, n, d}
	return step("fault: "+f.String(), func(w *world) { w.c.addFault(f) })
}

func compact() op { return step("compact", func(w *world) { w.c.compact() }) }

func skip(n int) op {
	return step(fmt.Sprintf("skip %d revisions", n), func(w *world) { w.c.skip(n) })
}

// lag makes the server answer with the state of n revisions ago, and ends the stream as a failover does.
func lag(n int) op {
	return step(fmt.Sprintf("lag %d", n), func(w *world) {
		w.c.setLag(n)
		if n > 0 {
			w.c.end(nil)
		}
	})
}

// frames puts events on the stream that do not come from the cluster.
func frames(kind string) op {
	return step("frame: "+kind, func(w *world) {
		named := &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "odd", ResourceVersion: w.c.completeRevision()}}
		var e watch.Event
		switch kind {
		case "wrongtype":
			e = watch.Event{Type: watch.Added, Object: &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "77"}}}
		case "nometa":
			e = watch.Event{Type: watch.Modified, Object: &metav1.Status{}}
		case "oddtype":
			e = watch.Event{Type: "ODD", Object: named}
		case "unknowndelete":
			e = watch.Event{Type: watch.Deleted, Object: named}
		case "endmark":
			w.c.bookmark(true)
			return
		default:
			panic("no such frame: " + kind)
		}
		w.c.send(e)
	})
}

// spec describes a handler.
type spec struct {
	name   string
	resync time.Duration // negative: the informer's
	slow   time.Duration // the duration of a call
	panics int           // every n-th call panics; zero: none does
	filter string        // only objects of this app, with a FilteringResourceEventHandler
}

func handler(s spec) op {
	return step(fmt.Sprintf("add handler %s resync=%v slow=%v panics=%d", s.name, s.resync, s.slow, s.panics), func(w *world) { w.addHandler(s) })
}

// drop removes a handler. With wait it uses ShutDownEventHandler.
func drop(name string, wait bool) op {
	return step(fmt.Sprintf("remove handler %s wait=%v", name, wait), func(w *world) { w.dropHandler(name, wait) })
}

func indexers(name string) op {
	return step("add index "+name, func(w *world) {
		err := w.side.AddIndexers(map[string]func(any) ([]string, error){name: func(o any) ([]string, error) {
			return []string{"v" + o.(metav1.Object).GetName()[:1]}, nil
		}})
		w.c.note("AddIndexers(%s): %v", name, err)
	})
}

// stop stops the informer. Later steps find it stopped.
func stop() op { return step("stop", func(w *world) { w.stop() }) }

// combine takes several steps at one instant.
func combine(ops ...op) op {
	var texts []string
	for _, o := range ops {
		texts = append(texts, o.text)
	}
	return step("at once: "+strings.Join(texts, "; "), func(w *world) {
		for _, o := range ops {
			o.do(w)
		}
	})
}

// step returns a step with a text that describes it completely.
func step(text string, f func(w *world)) op { return op{text: text, do: f} }

// ReleaseNames joins the names of releases with commas.
func ReleaseNames(es []Release) string {
	var out []string
	for _, e := range es {
		out = append(out, string(e))
	}
	return strings.Join(out, ", ")
}
