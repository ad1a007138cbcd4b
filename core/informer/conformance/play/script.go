package play

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Script is a scenario: how the informer is made, and what happens to it. The
// same script, release and seed always give the same story.
type Script struct {
	seed    int64
	resync  time.Duration
	burst   bool   // frames come without a pause between them
	optOut  bool   // the client says that it cannot do WatchList
	bare    bool   // the source is a ListWatch of functions, which cannot say so
	plain   bool   // what NewInformerWithOptions makes, with the first handler alone
	shape   string // the transform: see transforms
	objects int    // in the cluster at the start: ns/o0, ns/o1, ...
	early   []op   // what happens before Run
	ops     []op
	// calm: some time passes after every step, so that one is over before the next.
	calm bool
	// limit is when the watchdog ends it, by the clock on the wall; zero is scheduleLimit.
	limit time.Duration
	// shutDown: handlers may be removed by ShutDownEventHandler.
	shutDown bool
	// silent: our informer runs without an Observer.
	silent bool
	// settle: at the end all trouble is taken away, and the invariants must hold.
	settle bool
	// lossy: the server does what makes client-go lose events for good, so the
	// store need not agree with the cluster in the end.
	lossy bool
}

// op is one step of a script. text says all of it.
type op struct {
	text   string
	do     func(w *world)
	number int // in the generated script it belongs to
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

// poison is the label of objects that the failing transform fails for.
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

// The steps a script can take.

func put(key, app string, labels ...string) op {
	return do(fmt.Sprintf("put %s app=%q %v", key, app, labels), func(w *world) { w.c.put(key, app, labels...) })
}

func del(key string) op {
	return do("delete "+key, func(w *world) { w.c.remove(key) })
}

func wait(d time.Duration) op {
	return do(fmt.Sprintf("wait %v", d), func(w *world) { w.sleep(d) })
}

// backoffOver is longer than any backoff.
var backoffOver = wait(61 * time.Second)

func mark() op { return do("bookmark", func(w *world) { w.c.bookmark(false) }) }

// end closes the stream, after an ERROR frame of a kind unless that is empty.
func end(kind string) op {
	return do(fmt.Sprintf("end the stream, error %q", kind), func(w *world) { w.c.end(statusOf(kind)) })
}

func trouble(on, kind string, n int, d time.Duration) op {
	f := fault{on, kind, n, d}
	return do("fault: "+f.String(), func(w *world) { w.c.addFault(f) })
}

func compact() op { return do("compact", func(w *world) { w.c.compact() }) }

func skip(n int) op { return do(fmt.Sprintf("skip %d revisions", n), func(w *world) { w.c.skip(n) }) }

// lag makes the server answer from n revisions ago, and cuts the stream as a failover does.
func lag(n int) op {
	return do(fmt.Sprintf("lag %d", n), func(w *world) {
		w.c.setLag(n)
		if n > 0 {
			w.c.end(nil)
		}
	})
}

// frames puts things on the stream that do not come from the cluster.
func frames(kind string) op {
	return do("frame: "+kind, func(w *world) {
		named := &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "odd", ResourceVersion: w.c.reached()}}
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

// spec says what a handler is like.
type spec struct {
	name   string
	resync time.Duration // negative: the informer's
	slow   time.Duration // what a call takes
	panics int           // every so manieth call panics
	filter string        // only objects of this app, through a FilteringResourceEventHandler
}

func handler(s spec) op {
	return do(fmt.Sprintf("add handler %s resync=%v slow=%v panics=%d", s.name, s.resync, s.slow, s.panics), func(w *world) { w.addHandler(s) })
}

// drop removes a handler; wait uses ShutDownEventHandler.
func drop(name string, wait bool) op {
	return do(fmt.Sprintf("remove handler %s wait=%v", name, wait), func(w *world) { w.dropHandler(name, wait) })
}

func indexers(name string) op {
	return do("add index "+name, func(w *world) {
		err := w.side.AddIndexers(map[string]func(any) ([]string, error){name: func(o any) ([]string, error) {
			return []string{"v" + o.(metav1.Object).GetName()[:1]}, nil
		}})
		w.c.note("AddIndexers(%s): %v", name, err)
	})
}

// stop ends the informer; what comes after it meets a stopped one.
func stop() op { return do("stop", func(w *world) { w.stop() }) }

// several does several things at one instant.
func several(ops ...op) op {
	var texts []string
	for _, o := range ops {
		texts = append(texts, o.text)
	}
	return do("at once: "+strings.Join(texts, "; "), func(w *world) {
		for _, o := range ops {
			o.do(w)
		}
	})
}

// do is a step, told in a text that says all of it.
func do(text string, f func(w *world)) op { return op{text: text, do: f} }

// ReleaseNames lists releases.
func ReleaseNames(es []Release) string {
	var out []string
	for _, e := range es {
		out = append(out, string(e))
	}
	return strings.Join(out, ", ")
}
