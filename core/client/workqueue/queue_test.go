package workqueue

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/words/event"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestEventsOfOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &eventLog{}
		q := NewTypedRateLimitingQueueWithConfig(
			NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute),
			TypedRateLimitingQueueConfig[string]{Observer: log})
		defer q.ShutDown()

		steps := []struct {
			name string
			do   func()
			want []event.Work
		}{
			{"added", func() { q.Add("a") }, []event.Work{{Kind: event.KindWorkAdded, Key: "a", N: 1}}},
			{"added again", func() { q.Add("a") }, []event.Work{{Kind: event.KindWorkDeduplicated, Key: "a"}}},
			{"second key", func() { q.Add("b") }, []event.Work{{Kind: event.KindWorkAdded, Key: "b", N: 2}}},
			{"taken", func() { q.GetFor(7) }, []event.Work{{Kind: event.KindWorkTaken, Key: "a", Worker: 7, N: 1}}},
			{"added while processing", func() { q.Add("a") }, []event.Work{{Kind: event.KindWorkMarkedDirty, Key: "a"}}},
			{"and again", func() { q.Add("a") }, []event.Work{{Kind: event.KindWorkDeduplicated, Key: "a"}}},
			{"done and dirty", func() { advance(3 * time.Second); q.Done("a") },
				[]event.Work{{Kind: event.KindWorkDone, Key: "a", Flag: true, Worker: 7, N: 2, Dur: 3 * time.Second}}},
			{"taken without a number", func() { q.Get() }, []event.Work{{Kind: event.KindWorkTaken, Key: "b", Worker: NoWorker, N: 1}}},
			{"done", func() { q.Done("b") }, []event.Work{{Kind: event.KindWorkDone, Key: "b", Worker: NoWorker, N: 1}}},
			{"done without a taker", func() { q.Done("c") }, []event.Work{{Kind: event.KindWorkDone, Key: "c", Worker: NoWorker, N: 1}}},
			{"no delay", func() { q.AddAfter("c", 0) }, []event.Work{{Kind: event.KindWorkAdded, Key: "c", N: 2}}},
			{"negative delay", func() { q.AddAfter("d", -time.Hour) }, []event.Work{{Kind: event.KindWorkAdded, Key: "d", N: 3}}},
			{"delay of a key in the FIFO", func() { q.AddAfter("c", 5*time.Second) },
				[]event.Work{{Kind: event.KindWorkWaiting, Key: "c", N: 1, Dur: 5 * time.Second}}},
			{"later", func() { q.AddAfter("c", 6*time.Second) }, []event.Work{{Kind: event.KindWorkWaitingUnchanged, Key: "c"}}},
			{"same", func() { q.AddAfter("c", 5*time.Second) }, []event.Work{{Kind: event.KindWorkWaitingUnchanged, Key: "c"}}},
			{"sooner", func() { q.AddAfter("c", time.Second) }, []event.Work{{Kind: event.KindWorkWaitingSooner, Key: "c", Dur: time.Second}}},
			{"not due", func() { advance(time.Second - 1) }, nil},
			{"due", func() { advance(1) }, []event.Work{{Kind: event.KindWorkDue, Key: "c"}, {Kind: event.KindWorkDeduplicated, Key: "c"}}},
			{"failed", func() { q.AddRateLimited("e") }, []event.Work{
				{Kind: event.KindWorkRateLimited, Key: "e", N: 1, Dur: time.Second}, {Kind: event.KindWorkWaiting, Key: "e", N: 1, Dur: time.Second}}},
			{"failed again", func() { advance(time.Second / 2); q.AddRateLimited("e") }, []event.Work{
				{Kind: event.KindWorkRateLimited, Key: "e", N: 2, Dur: 2 * time.Second}, {Kind: event.KindWorkWaitingUnchanged, Key: "e"}}},
			{"forgotten", func() { q.Forget("e") }, []event.Work{{Kind: event.KindWorkForgotten, Key: "e", N: 2}}},
			{"retried", func() { advance(time.Second / 2) }, []event.Work{{Kind: event.KindWorkDue, Key: "e"}, {Kind: event.KindWorkAdded, Key: "e", N: 4}}},
			{"shut down", func() { q.AddAfter("f", time.Second); log.take(); q.ShutDown() }, []event.Work{{Kind: event.KindWorkShuttingDown}}},
			{"ignored", func() { q.Add("z"); q.AddAfter("z", 0); q.AddAfter("z", time.Second); advance(time.Hour) }, nil},
			{"the limiter is still asked", func() { q.AddRateLimited("z") }, []event.Work{{Kind: event.KindWorkRateLimited, Key: "z", N: 1, Dur: time.Second}}},
			{"shut down with drain", q.ShutDownWithDrain, []event.Work{{Kind: event.KindWorkShuttingDown, Flag: true}}},
		}
		for _, s := range steps {
			s.do()
			synctest.Wait()
			if got := log.take(); !reflect.DeepEqual(got, s.want) {
				t.Fatalf("%s:\n got %+v\nwant %+v", s.name, got, s.want)
			}
		}
		var rest []string
		for {
			key, shutdown := q.Get()
			if shutdown {
				break
			}
			rest = append(rest, key)
			q.Done(key)
		}
		if want := []string{"a", "c", "d", "e"}; !slices.Equal(rest, want) {
			t.Errorf("after shutdown the FIFO held %v, want %v", rest, want)
		}
	})
}

func TestGetWaitsForAKeyOrShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTyped[string]()
		type result struct {
			key      string
			shutdown bool
		}
		results := make(chan result, 3)
		for range 3 {
			go func() {
				key, shutdown := q.Get()
				results <- result{key, shutdown}
			}()
		}
		synctest.Wait()
		if len(results) != 0 {
			t.Fatal("Get returned from an empty queue")
		}
		q.Add("a")
		synctest.Wait()
		if len(results) != 1 || <-results != (result{"a", false}) {
			t.Fatal("one worker, and only one, should have got the key")
		}
		q.ShutDown()
		synctest.Wait()
		if len(results) != 2 {
			t.Fatalf("%d of 2 waiting workers returned at the shutdown", len(results))
		}
		for range 2 {
			if r := <-results; r != (result{"", true}) {
				t.Errorf("got %+v at shutdown", r)
			}
		}
		if !q.ShuttingDown() {
			t.Error("ShuttingDown is false after ShutDown")
		}
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedDelayingQueue[string]()
		q.Add("a")
		q.Get()
		q.Add("a") // back to the FIFO at Done, shutdown or not
		var returned atomic.Int32
		for range 3 {
			go func() {
				q.ShutDownWithDrain()
				returned.Add(1)
			}()
		}
		synctest.Wait()
		if returned.Load() != 0 {
			t.Fatal("ShutDownWithDrain did not wait for a key being processed")
		}
		q.Done("a")
		synctest.Wait()
		if n := returned.Load(); n != 3 {
			t.Fatalf("%d of 3 callers of ShutDownWithDrain returned when nothing was being processed any more", n)
		}
		if key, shutdown := q.Get(); key != "a" || shutdown {
			t.Fatalf("Get gave %q, %v; the dirty key should have been queued at Done", key, shutdown)
		}
	})
}

func TestShutDownEndsDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedRateLimitingQueue[string](nil)
		q.Add("a")
		q.Get()
		q.ShutDown()
		done := make(chan struct{})
		go func() {
			q.ShutDownWithDrain()
			close(done)
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("ShutDownWithDrain returned while a key was being processed")
		default:
		}
		q.ShutDown()
		synctest.Wait()
		select {
		case <-done:
		default:
			t.Fatal("ShutDown did not end the wait of ShutDownWithDrain")
		}
	})
}

func TestGateHoldsWorkersBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newTurnstile()
		var atGate atomic.Int32
		gate.waiting = func(d int) { atGate.Add(int32(d)) }
		q := NewTypedRateLimitingQueueWithConfig[string](nil, TypedRateLimitingQueueConfig[string]{Gate: gate})
		var mu sync.Mutex
		var got []string
		var workers sync.WaitGroup
		for w := range 4 {
			workers.Go(func() {
				for {
					key, shutdown := q.GetFor(int32(w))
					if shutdown {
						return
					}
					mu.Lock()
					got = append(got, key)
					mu.Unlock()
					q.Done(key)
				}
			})
		}
		check := func(when string, gates int32, queued int, want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if atGate.Load() != gates || q.Len() != queued || !slices.Equal(got, want) {
				t.Fatalf("%s: %d at the gate, %d queued, taken %v; want %d, %d, %v", when, atGate.Load(), q.Len(), got, gates, queued, want)
			}
		}

		check("empty", 0, 0)
		q.Add("a")
		check("one key", 1, 1)
		q.Add("b")
		q.Add("c")
		check("no more workers at the gate than keys", 3, 3)
		gate.release(1)
		check("one release", 2, 2, "a")
		for i := range 3 {
			q.Add(keyNumber(i))
		}
		check("the queue fills", 4, 5, "a")
		gate.release(2)
		check("two releases, in FIFO order", 3, 3, "a", "b", "c")
		gate.release(4)
		check("one release too many", 0, 0, "a", "b", "c", keyNumber(0), keyNumber(1), keyNumber(2))
		q.Add("d")
		check("is kept by the gate, not by a worker", 0, 0, "a", "b", "c", keyNumber(0), keyNumber(1), keyNumber(2), "d")
		q.Add("e")
		q.Add("f")
		mu.Lock()
		got = nil
		mu.Unlock()
		check("held", 2, 2)
		q.ShutDown()
		workers.Wait()
		mu.Lock()
		slices.Sort(got)
		mu.Unlock()
		check("shutdown opens the gate", 0, 0, "e", "f")
	})
}

// TestInjectedClock uses a clock that only Step moves, so a timer that is set late would never fire.
func TestInjectedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		q := NewTypedRateLimitingQueueWithConfig[string](nil, TypedRateLimitingQueueConfig[string]{Name: "pods", Clock: fake, Observer: &eventLog{}})
		defer q.ShutDown()
		for i, d := range []time.Duration{30, 10, 20} {
			q.AddAfter(keyNumber(i), d*time.Minute)
		}
		synctest.Wait()
		advance(24 * time.Hour) // of the bubble's time, not of the queue's clock
		synctest.Wait()
		if n := q.Len(); n != 0 {
			t.Fatalf("%d keys were added though the queue's clock stood still", n)
		}
		start := fake.Now()
		want := Snapshot{Name: "pods", Waiting: []Waiting{
			{keyNumber(1), start.Add(10 * time.Minute)}, {keyNumber(2), start.Add(20 * time.Minute)}, {keyNumber(0), start.Add(30 * time.Minute)}}}
		if got := q.Snapshot(); !reflect.DeepEqual(got, want) {
			t.Fatalf("Snapshot:\n got %+v\nwant %+v", got, want)
		}
		fake.Step(10 * time.Minute)
		synctest.Wait()
		q.GetFor(3)
		fake.Step(20 * time.Minute)
		synctest.Wait()
		want = Snapshot{Name: "pods", Queue: []string{keyNumber(2), keyNumber(0)}, Dirty: []string{keyNumber(0), keyNumber(2)},
			Processing: []Processing{{keyNumber(1), 3, start.Add(10 * time.Minute)}}}
		if got := q.Snapshot(); !reflect.DeepEqual(got, want) {
			t.Fatalf("Snapshot:\n got %+v\nwant %+v", got, want)
		}
		// The default limiter uses the queue's clock: after the burst the bucket refills only as that clock moves.
		var last time.Duration
		for i := range defaultBurst + 1 {
			last = q.limiter.When(keyNumber(i))
		}
		if last != 100*time.Millisecond {
			t.Fatalf("the delay after the burst is %v, want 100ms", last)
		}
		advance(time.Hour)
		if d := q.limiter.When("late"); d != 200*time.Millisecond {
			t.Errorf("the bucket refilled by another clock: delay %v, want 200ms", d)
		}
	})
}

func TestDelayLongerThanTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewTypedDelayingQueue[string]()
		defer q.ShutDown()
		q.AddAfter("a", noToken)
		q.AddAfter("b", time.Second)
		advance(time.Hour)
		synctest.Wait()
		s := q.Snapshot()
		if !slices.Equal(s.Queue, []string{"b"}) || len(s.Waiting) != 1 || s.Waiting[0].Key != "a" {
			t.Errorf("got %+v", s)
		}
	})
}

// TestNothingIsDueAfterShutdown covers a key that falls due just as the queue shuts down: it must stay in the heap, because the FIFO no longer accepts
// keys.
func TestNothingIsDueAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &eventLog{}
		q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Observer: log})
		q.AddAfter("a", time.Second)
		q.ShutDown()
		advance(time.Minute)
		log.take()
		if next, ok := q.addDue(); ok || !next.IsZero() {
			t.Errorf("addDue returned %v, %v for the next key", next, ok)
		}
		if events, s := log.take(), q.Snapshot(); len(events) != 0 || len(s.Waiting) != 1 {
			t.Errorf("events %+v, snapshot %+v", events, s)
		}
	})
}

func TestKeysAreNamedAsPrinted(t *testing.T) {
	type name struct{ Namespace, Name string }
	type text string
	for _, c := range []struct{ got, want string }{
		{keyOf("ns/a"), "ns/a"},
		{keyOf(text("ns/a")), "ns/a"},
		{keyOf(name{"ns", "a"}), "{ns a}"},
		{keyOf(42), "42"},
		{keyOf(time.Second), "1s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestFIFO(t *testing.T) {
	var f fifo[int]
	var model []int
	next := 0
	for round := range 200 {
		for range round % 17 {
			f.push(next)
			model = append(model, next)
			next++
		}
		for range min(round%13, len(model)) {
			if got := f.pop(); got != model[0] {
				t.Fatalf("popped %d, want %d", got, model[0])
			}
			model = model[1:]
		}
		if f.len() != len(model) || !slices.Equal(f.slice(), model) {
			t.Fatalf("holds %v, want %v", f.slice(), model)
		}
		if spent := f.items[:f.head]; slices.ContainsFunc(spent, func(i int) bool { return i != 0 }) {
			t.Fatal("a popped item is still referred to")
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	cycle := func(q *TypedRateLimitingQueue[string]) func() {
		return func() {
			q.Add("ns/a")
			key, _ := q.Get()
			q.Add("ns/a")
			q.Done(key)
			q.Get()
			q.Forget(key)
			q.Done(key)
		}
	}
	for _, c := range []struct {
		name     string
		observer event.Observer
	}{{"no observer", nil}, {"observed", discard{}}} {
		t.Run(c.name, func(t *testing.T) {
			q := NewTypedRateLimitingQueueWithConfig[string](nil, TypedRateLimitingQueueConfig[string]{Observer: c.observer})
			defer q.ShutDown()
			if n := testing.AllocsPerRun(100, cycle(q)); n != 0 {
				t.Errorf("%v allocations a cycle, want none", n)
			}
		})
	}
}

type discard struct{}

func (discard) Observe(*event.Event) {}

func BenchmarkCycle(b *testing.B) {
	for _, c := range []struct {
		name     string
		observer event.Observer
	}{{"nil", nil}, {"observed", discard{}}} {
		b.Run(c.name, func(b *testing.B) {
			q := NewTypedWithConfig(TypedQueueConfig[string]{Observer: c.observer})
			b.ReportAllocs()
			for b.Loop() {
				q.Add("ns/a")
				key, _ := q.Get()
				q.Done(key)
			}
		})
	}
}
