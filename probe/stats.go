package probe

import (
	"bytes"
	"maps"
	"net/url"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Stats is the state of one informer for metrics, at one moment.
type Stats struct {
	Informer string
	Synced   bool
	// Objects is how many objects are in the store.
	Objects int
	// LastReceived is when the newest bytes of a list or watch of this resource arrived, for any informer; zero if none did.
	LastReceived time.Time
	// Lists counts the lists of all objects, by cause, and WatchFailures the watches that failed or ended with an ERROR event. Both are for all informers of
	// the resource.
	Lists, WatchFailures map[Cause]uint64
	Listeners            []ListenerStats
	// LeftOutListeners is how many listeners are not in Listeners, because there are more than 32.
	LeftOutListeners int
}

// ListenerStats is a listener with its handler.
type ListenerStats struct {
	ID   int32
	Name string
	// Ring is how many notifications wait in the ring, and Capacity its size; -1 if they cannot be seen with this client-go.
	Ring, Capacity int
	// Timed reports whether the probe sees the calls of the handler; it does not see those of a handler added without it.
	Timed bool
	// Buckets are cumulative counts of calls, one for each bound that HandlerBuckets returns. Calls is their total, and TotalTime the sum of their times.
	Buckets   []uint64
	Calls     uint64
	TotalTime time.Duration
	Panics    uint64
}

// Cause is why all objects were listed, or why a watch failed.
type Cause string

// The causes. A list is the first one or has another cause; a watch fails for one of those between.
const (
	CauseFirst       Cause = "first"
	CauseErrorEvent  Cause = "error-event" // an ERROR event of a watch, mostly 410 Expired
	CauseGone        Cause = "gone"        // an answer 410
	CauseRefused     Cause = "refused"     // another 4xx
	CauseServerError Cause = "server-error"
	CauseNoAnswer    Cause = "no-answer"
	CauseOther       Cause = "other"
)

// ListCauses returns the causes that a list can have.
func ListCauses() []Cause {
	return append(append([]Cause{CauseFirst}, WatchFailureCauses()...), CauseOther)
}

// WatchFailureCauses returns the causes for which a watch can fail.
func WatchFailureCauses() []Cause {
	return []Cause{CauseErrorEvent, CauseGone, CauseRefused, CauseServerError, CauseNoAnswer}
}

var handlerBuckets = [...]time.Duration{100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 10 * time.Second, time.Minute}

// HandlerBuckets returns the bounds of the handlers' histogram.
func HandlerBuckets() []time.Duration { return append([]time.Duration(nil), handlerBuckets[:]...) }

// maxListeners bounds the listeners of an informer that Stats reports.
const maxListeners = 32

// Measure starts counting for Stats, with or without a viewer, until the process ends. A call of a handler then costs two readings of the clock and three
// atomic additions, and each read of a response one addition more.
func (p *Probe) Measure() { p.measuring.Store(true) }

// Stats returns the state of each informer now. It takes an informer's lock only if it is free; otherwise it repeats the last answer.
func (p *Probe) Stats() []Stats {
	lanes := p.informers()
	out := make([]Stats, 0, len(lanes))
	for _, l := range lanes {
		out = append(out, l.stats())
	}
	return out
}

func (l *lane) stats() Stats {
	s := Stats{Informer: l.name, Synced: l.inf.HasSynced(), Objects: l.objects()}
	s.LastReceived, s.Lists, s.WatchFailures = l.p.wire.readCounts(l)
	x := &sample{}
	func() {
		var broken atomic.Bool
		defer l.contain("listeners", &broken)
		l.sampleListeners(x)
	}()
	l.measurements.mu.Lock()
	if x.hasListeners {
		l.measurements.listeners = x.listeners
	}
	listeners := l.measurements.listeners
	l.measurements.mu.Unlock()
	l.mu.Lock()
	timers := append([]*timedHandler(nil), l.timers...)
	l.mu.Unlock()
	for _, li := range listeners {
		y := ListenerStats{ID: li.id, Name: li.name, Ring: li.ring, Capacity: li.capacity, Timed: li.timed}
		if li.ring < 0 {
			y.Capacity = -1
		}
		if i := int(li.id) - 1; i >= 0 && i < len(timers) && li.timed {
			timers[i].durations.read(&y)
		}
		s.Listeners = append(s.Listeners, y)
	}
	sort.Slice(s.Listeners, func(i, j int) bool { return s.Listeners[i].ID < s.Listeners[j].ID })
	if n := len(s.Listeners); n > maxListeners {
		s.Listeners, s.LeftOutListeners = s.Listeners[:maxListeners], n-maxListeners
	}
	return s
}

// measurements is what the last Stats saw of an informer.
type measurements struct {
	mu        sync.Mutex
	listeners []listenerSample
	objects   int
}

// objects returns the number of objects in the store, from its map if that can be reached, because a list of keys is a copy.
func (l *lane) objects() int {
	l.measurements.mu.Lock()
	defer l.measurements.mu.Unlock()
	switch n, known := l.in.TryLen(); {
	case !known:
		l.measurements.objects = len(l.inf.GetStore().ListKeys())
	case n >= 0:
		l.measurements.objects = n
	}
	return l.measurements.objects
}

// durations is the histogram of a handler's calls.
type durations struct {
	buckets [len(handlerBuckets) + 1]atomic.Uint64
	total   atomic.Int64
	panics  atomic.Uint64
}

func (d *durations) add(took time.Duration, panicked bool) {
	i := 0
	for i < len(handlerBuckets) && took > handlerBuckets[i] {
		i++
	}
	d.buckets[i].Add(1)
	d.total.Add(int64(took))
	if panicked {
		d.panics.Add(1)
	}
}

func (d *durations) read(s *ListenerStats) {
	s.TotalTime, s.Panics = time.Duration(d.total.Load()), d.panics.Load()
	for i := range d.buckets {
		s.Calls += d.buckets[i].Load()
		if i < len(handlerBuckets) {
			s.Buckets = append(s.Buckets, s.Calls)
		}
	}
}

// resource counts the requests for one resource.
type resource struct {
	lastRead atomic.Int64 // nanoseconds since 1970
	mu       sync.Mutex
	lists    map[Cause]uint64
	failures map[Cause]uint64 // of watches
	cause    Cause            // the cause of the next list
}

func (x *resource) countList() {
	x.mu.Lock()
	defer x.mu.Unlock()
	cause := x.cause
	switch {
	case x.lists == nil:
		x.lists = map[Cause]uint64{}
		cause = CauseFirst
	case cause == "":
		cause = CauseOther
	}
	x.lists[cause]++
	x.cause = ""
}

// noteFailure sets the cause of the next list, and counts a watch that failed.
func (x *resource) noteFailure(cause Cause, watch bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cause = cause
	if watch {
		if x.failures == nil {
			x.failures = map[Cause]uint64{}
		}
		x.failures[cause]++
	}
}

// noteStatus is noteFailure for an answer's status, if that is one of a failure.
func (x *resource) noteStatus(code int, watch bool) {
	switch {
	case code == 410:
		x.noteFailure(CauseGone, watch)
	case code >= 500:
		x.noteFailure(CauseServerError, watch)
	case code >= 400:
		x.noteFailure(CauseRefused, watch)
	}
}

// errorFrames are the first bytes of an ERROR event. The probe searches each read for them, and reports them only as the label of a counter.
var errorFrames = [][]byte{[]byte(`{"type":"ERROR"`), []byte("\x0a\x05ERROR")}

func (x *resource) noteRead(b []byte, watch bool) {
	x.lastRead.Store(time.Now().UnixNano())
	if !watch {
		return
	}
	for _, begins := range errorFrames {
		if bytes.Contains(b, begins) {
			x.noteFailure(CauseErrorEvent, true)
		}
	}
}

// resource returns the counters of a resource, nil if there are too many resources.
func (w *wire) resource(name string) *resource {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := w.resources[name]
	if x == nil && len(w.resources) < maxOpen {
		if w.resources == nil {
			w.resources = map[string]*resource{}
		}
		x = &resource{}
		w.resources[name] = x
	}
	return x
}

// count starts counting a request. The first page of a list counts as a list.
func (w *wire) count(r *request, u *url.URL) {
	t := resourcePath(u.Path)
	if t.Resource == "" {
		return
	}
	if r.res = w.resource(t.name()); r.res == nil {
		return
	}
	if q := u.Query(); verbOf(u) != "WATCH" && !q.Has("continue") {
		r.res.countList()
	}
}

// readCounts returns the counts of requests that may be an informer's.
func (w *wire) readCounts(l *lane) (received time.Time, lists, failures map[Cause]uint64) {
	w.mu.Lock()
	x := w.resources[l.name]
	if x == nil {
		for full, y := range w.resources {
			if l.isOf(w.targets[full]) {
				x = y
			}
		}
	}
	w.mu.Unlock()
	if x == nil {
		return time.Time{}, nil, nil
	}
	if n := x.lastRead.Load(); n > 0 {
		received = time.Unix(0, n)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return received, maps.Clone(x.lists), maps.Clone(x.failures)
}
