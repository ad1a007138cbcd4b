package workqueue

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/words/event"
)

// fold is the state of a queue as its events describe it.
type fold struct {
	queue        []string
	dirty        map[string]bool
	processing   map[string]Processing
	waiting      map[string]time.Time
	failures     map[string]int
	shuttingDown bool
	drain        bool
}

func newFold() *fold {
	return &fold{dirty: map[string]bool{}, processing: map[string]Processing{}, waiting: map[string]time.Time{}, failures: map[string]int{}}
}

// apply folds one event that happened at now. It returns an error if the event contradicts the state.
func (f *fold) apply(e event.Work, now time.Time) error {
	n := e.N
	switch e.Kind {
	case event.KindWorkAdded:
		if f.dirty[e.Key] {
			return fmt.Errorf("added though dirty")
		}
		f.queue = append(f.queue, e.Key)
		f.dirty[e.Key] = true
		n = len(f.queue)
	case event.KindWorkDeduplicated:
		if !f.dirty[e.Key] {
			return fmt.Errorf("deduplicated though not dirty")
		}
	case event.KindWorkMarkedDirty:
		if _, ok := f.processing[e.Key]; !ok || f.dirty[e.Key] {
			return fmt.Errorf("marked dirty though dirty or not being processed")
		}
		f.dirty[e.Key] = true
	case event.KindWorkTaken:
		if len(f.queue) == 0 || f.queue[0] != e.Key {
			return fmt.Errorf("taken though not at the head of %v", f.queue)
		}
		f.queue = f.queue[1:]
		delete(f.dirty, e.Key)
		f.processing[e.Key] = Processing{Key: e.Key, Worker: e.Worker, Since: now}
		n = len(f.queue)
	case event.KindWorkDone:
		p, ok := f.processing[e.Key]
		if !ok {
			p.Worker, p.Since = NoWorker, now
		}
		if p.Worker != e.Worker || now.Sub(p.Since) != e.Dur || f.dirty[e.Key] != e.Flag {
			return fmt.Errorf("done, but known as %+v, dirty %v", p, f.dirty[e.Key])
		}
		delete(f.processing, e.Key)
		if e.Flag {
			f.queue = append(f.queue, e.Key)
		}
		n = len(f.queue)
	case event.KindWorkWaiting:
		if _, ok := f.waiting[e.Key]; ok {
			return fmt.Errorf("waits already")
		}
		f.waiting[e.Key] = now.Add(e.Dur)
		n = len(f.waiting)
	case event.KindWorkWaitingSooner:
		if !now.Add(e.Dur).Before(f.waiting[e.Key]) {
			return fmt.Errorf("not sooner")
		}
		f.waiting[e.Key] = now.Add(e.Dur)
	case event.KindWorkWaitingUnchanged:
		if _, ok := f.waiting[e.Key]; !ok {
			return fmt.Errorf("does not wait")
		}
	case event.KindWorkDue:
		if due, ok := f.waiting[e.Key]; !ok || due.After(now) {
			return fmt.Errorf("due though not waiting until now")
		}
		delete(f.waiting, e.Key)
		n = len(f.waiting)
	case event.KindWorkRateLimited:
		f.failures[e.Key]++
		n = f.failures[e.Key]
	case event.KindWorkForgotten:
		n = f.failures[e.Key]
		delete(f.failures, e.Key)
	case event.KindWorkShuttingDown:
		f.shuttingDown, f.drain = true, e.Flag
	default:
		return fmt.Errorf("unknown kind")
	}
	if n != e.N {
		return fmt.Errorf("N is %d by the fold", n)
	}
	return nil
}

func (f *fold) snapshot() Snapshot {
	s := Snapshot{Queue: slices.Clone(f.queue), Dirty: slices.Sorted(maps.Keys(f.dirty)), ShuttingDown: f.shuttingDown, Drain: f.drain}
	for _, key := range slices.Sorted(maps.Keys(f.processing)) {
		s.Processing = append(s.Processing, f.processing[key])
	}
	for key, due := range f.waiting {
		s.Waiting = append(s.Waiting, Waiting{key, due})
	}
	slices.SortFunc(s.Waiting, func(a, b Waiting) int {
		if c := a.Due.Compare(b.Due); c != 0 {
			return c
		}
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	if len(s.Queue) == 0 {
		s.Queue = nil
	}
	return s
}

// judge is an Observer that folds the events, and compares the fold with the queue's state after each one.
type judge struct {
	t      *testing.T
	q      *TypedRateLimitingQueue[string]
	fold   *fold
	kinds  map[event.Kind]int
	failed bool
}

func (j *judge) Observe(e *event.Event) {
	if j.failed {
		return
	}
	work := e.Work()
	j.kinds[work.Kind]++
	if err := j.fold.apply(work, time.Now()); err != nil {
		j.failed = true
		j.t.Errorf("%+v: %v", work, err)
		return
	}
	// The lock is held, so this is the queue's state at the event.
	if got, want := j.fold.snapshot(), j.q.snapshotLocked(); !reflect.DeepEqual(got, want) {
		j.failed = true
		j.t.Errorf("after %+v:\n fold %+v\nqueue %+v", work, got, want)
	}
}

// TestFoldEqualsSnapshot lets several goroutines call a queue's methods at random, while time passes, and compares the fold of the events with the
// queue's state after each event.
func TestFoldEqualsSnapshot(t *testing.T) {
	kinds := map[event.Kind]int{}
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) { foldOnce(t, seed, kinds) })
	}
	for k := event.KindWorkAdded; k <= event.KindWorkShuttingDown; k++ {
		if kinds[k] == 0 {
			t.Errorf("kind %d was never emitted: the test covers less than it should", k)
		}
	}
}

func foldOnce(t *testing.T, seed uint64, kinds map[event.Kind]int) {
	j := &judge{t: t, fold: newFold(), kinds: kinds}
	gate := newTurnstile()
	config := TypedRateLimitingQueueConfig[string]{Observer: j}
	if seed%2 == 1 {
		config.Gate = gate
	}
	j.q = NewTypedRateLimitingQueueWithConfig[string](nil, config)
	q := j.q

	var workers, callers sync.WaitGroup
	for w := range 3 {
		r := rand.New(rand.NewPCG(seed, uint64(100+w)))
		workers.Go(func() {
			for {
				key, shutdown := q.GetFor(int32(w))
				if shutdown {
					return
				}
				advance(time.Duration(r.IntN(20)) * time.Millisecond)
				if r.IntN(3) == 0 {
					q.AddRateLimited(key)
				} else {
					q.Forget(key)
				}
				q.Done(key)
			}
		})
	}
	for c := range 3 {
		r := rand.New(rand.NewPCG(seed, uint64(200+c)))
		callers.Go(func() {
			for range 150 {
				key := keyNumber(r.IntN(8))
				switch r.IntN(7) {
				case 0, 1:
					q.Add(key)
				case 2, 3:
					q.AddAfter(key, time.Duration(r.IntN(60)-5)*time.Millisecond)
				case 4:
					q.AddRateLimited(key)
				case 5:
					gate.release(1)
				case 6:
					advance(time.Duration(r.IntN(10)) * time.Millisecond)
				}
				if r.IntN(50) == 0 {
					q.Done(key) // a mistake of the caller, which the fold must tolerate
				}
			}
		})
	}
	callers.Wait()
	if seed%3 == 0 {
		q.ShutDownWithDrain()
	}
	q.ShutDown()
	workers.Wait()
	for i := range 8 {
		if got, want := q.NumRequeues(keyNumber(i)), j.fold.failures[keyNumber(i)]; got != want {
			t.Errorf("NumRequeues(%s) is %d, by the fold %d", keyNumber(i), got, want)
		}
	}
	if got, want := j.fold.snapshot(), q.Snapshot(); !reflect.DeepEqual(got, want) {
		t.Errorf("seed %d, at the end:\n fold %+v\nqueue %+v", seed, got, want)
	}
}
