package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// maxTime bounds a measurement.
const maxTime = 60 * time.Second

// A Task is one measurement.
type Task struct {
	// Kind is Events, Initial or Writers.
	Kind Kind `json:"kind"`
	// Objects is how many the informer holds.
	Objects int `json:"objects"`
	// Count is how many watch events there are (Events).
	Count int `json:"count,omitempty"`
	// Listeners is how many handlers there are.
	Listeners int `json:"listeners,omitempty"`
	// Traced records informerscope's informer while it works; client-go's cannot be.
	Traced bool `json:"traced,omitempty"`
	// WatchList serves the first objects as a stream (Initial), instead of as a LIST.
	WatchList bool `json:"watchList,omitempty"`
	// Readers call List in a loop, for Millis milliseconds (Writers).
	Readers int `json:"readers,omitempty"`
	Millis  int `json:"millis,omitempty"`
}

// Kind names a measurement.
type Kind string

// The measurements.
const (
	// Events: watch events, from the channel of the watch to every handler's return.
	Events Kind = "events"
	// Initial: the first objects, from the start of the informer to every handler's return.
	Initial Kind = "initial"
	// Writers: Updates of the store while readers List it.
	Writers Kind = "writers"
)

// Result is what one measurement gave. One is an event, an object or a write.
type Result struct {
	Nanos  float64 `json:"nanos"`  // per one
	Allocs float64 `json:"allocs"` // per one
	Bytes  float64 `json:"bytes"`  // allocated per one
	Kept   float64 `json:"kept"`   // still alive afterwards per object, the objects themselves not counted (Initial)
}

// Measure runs one measurement.
func Measure(lib Library, t Task) (Result, error) {
	switch t.Kind {
	case Events:
		return measureEvents(lib, t)
	case Initial:
		return measureInitial(lib, t)
	case Writers:
		return writers(lib, t)
	}
	return Result{}, fmt.Errorf("unknown measurement %q", t.Kind)
}

// counter counts down the handlers' calls.
type counter struct {
	left atomic.Int64
	done chan struct{}
}

func newCounter(n int) *counter {
	c := &counter{done: make(chan struct{})}
	c.left.Store(int64(n))
	return c
}

func (c *counter) count() {
	if c.left.Add(-1) == 0 {
		close(c.done)
	}
}

func (c *counter) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d notifications are missing", c.left.Load())
	}
}

// meter measures from start to stop.
type meter struct {
	begin  time.Time
	before runtime.MemStats
}

func (m *meter) start() {
	runtime.GC()
	runtime.ReadMemStats(&m.before)
	m.begin = time.Now()
}

func (m *meter) stop(n int) Result {
	took := time.Since(m.begin)
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	per := func(x uint64) float64 { return float64(x) / float64(n) }
	return Result{
		Nanos:  float64(took.Nanoseconds()) / float64(n),
		Allocs: per(after.Mallocs - m.before.Mallocs),
		Bytes:  per(after.TotalAlloc - m.before.TotalAlloc),
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func measureInitial(lib Library, t Task) (Result, error) {
	src := newSource(objects(t.Objects, 1), t.WatchList, 0)
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	c := newCounter(t.Objects * t.Listeners)
	before := heap()
	var m meter
	m.start()
	inf, err := lib(ctx, Spec{List: src.List, Watch: src.Watch, Indexers: indexers(), Listeners: t.Listeners, Handled: c.count, Traced: t.Traced})
	if err != nil {
		return Result{}, err
	}
	defer func() { cancel(); inf.Wait() }()
	if err := c.wait(ctx); err != nil {
		return Result{}, err
	}
	for !inf.HasSynced() {
		if ctx.Err() != nil {
			return Result{}, errors.New("all objects arrived, but HasSynced stays false")
		}
		runtime.Gosched()
	}
	r := m.stop(t.Objects)
	if err := check(inf, t.Objects); err != nil {
		return Result{}, err
	}
	r.Kept = float64(heap()-before) / float64(t.Objects)
	runtime.KeepAlive(src)
	return r, nil
}

// check looks whether the store holds n objects, and the indices all of them.
func check(inf Informer, n int) error {
	if got := len(inf.List()); got != n {
		return fmt.Errorf("%d objects in the store, want %d", got, n)
	}
	for _, x := range []struct {
		index, prefix string
		values        int
	}{{"namespace", "ns-", Namespaces}, {"app", "app-", Apps}} {
		total := 0
		for v := range x.values {
			objs, err := inf.Indexed(x.index, x.prefix+strconv.Itoa(v))
			if err != nil {
				return err
			}
			total += len(objs)
		}
		if total != n {
			return fmt.Errorf("%d objects in the index %s, want %d", total, x.index, n)
		}
	}
	return nil
}

func measureEvents(lib Library, t Task) (Result, error) {
	objs := objects(t.Objects, 1)
	src := newSource(objs, false, t.Count)
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	// Two states of every object take turns, so that every event changes the version and no memory is made on the way.
	states := [2][]*Object{objs, objects(t.Objects, 1+t.Objects)}
	var phase atomic.Pointer[counter]
	phase.Store(newCounter(t.Objects * t.Listeners))
	inf, err := lib(ctx, Spec{List: src.List, Watch: src.Watch, Indexers: indexers(), Listeners: t.Listeners, Traced: t.Traced,
		Handled: func() { phase.Load().count() }})
	if err != nil {
		return Result{}, err
	}
	defer func() { cancel(); inf.Wait() }()
	if err := phase.Load().wait(ctx); err != nil {
		return Result{}, fmt.Errorf("the first objects: %w", err)
	}
	select {
	case <-src.opened:
	case <-ctx.Done():
		return Result{}, errors.New("no watch was opened")
	}
	sent := 0
	run := func(count int, begin func()) error {
		c := newCounter(count * t.Listeners)
		phase.Store(c)
		begin()
		for range count {
			src.events <- watch.Event{Type: watch.Modified, Object: states[(sent/t.Objects+1)%2][sent%t.Objects]}
			sent++
		}
		return c.wait(ctx)
	}
	// What is measured is the steady state: rings and scratch have their size, and a recorder keeps as much as it ever will.
	warm := min(t.Count, 320_000/(7+4*t.Listeners))
	if err := run(warm, func() {}); err != nil {
		return Result{}, fmt.Errorf("warming up: %w", err)
	}
	var m meter
	if err := run(t.Count, m.start); err != nil {
		return Result{}, err
	}
	r := m.stop(t.Count)
	return r, check(inf, t.Objects)
}

func writers(lib Library, t Task) (Result, error) {
	objs := objects(t.Objects, 1)
	src := newSource(objs, false, 0)
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	c := newCounter(t.Objects)
	inf, err := lib(ctx, Spec{List: src.List, Watch: src.Watch, Indexers: indexers(), Listeners: 1, Handled: c.count})
	if err != nil {
		return Result{}, err
	}
	defer func() { cancel(); inf.Wait() }()
	if err := c.wait(ctx); err != nil {
		return Result{}, err
	}
	states := [2][]*Object{objs, objects(t.Objects, 1+t.Objects)}
	var wg sync.WaitGroup
	var over atomic.Bool
	defer wg.Wait()
	defer over.Store(true)
	for range t.Readers {
		wg.Go(func() {
			for !over.Load() {
				if len(inf.List()) != t.Objects {
					panic("a List is not whole")
				}
			}
		})
	}
	begin := time.Now()
	limit := time.Duration(t.Millis) * time.Millisecond
	n := 0
	for time.Since(begin) < limit {
		if err := inf.Update(states[(n/t.Objects+1)%2][n%t.Objects]); err != nil {
			return Result{}, err
		}
		n++
	}
	return Result{Nanos: float64(time.Since(begin).Nanoseconds()) / float64(n)}, nil
}
