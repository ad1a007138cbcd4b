package trace

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

func TestRecorderNumbersAndTimes(t *testing.T) {
	clk := clocktesting.NewFakePassiveClock(time.Unix(100, 0))
	r := NewRecorder(RecorderOptions{Clock: clk})
	if seq, at := r.Head(); seq != 0 || at != 0 || r.First() != 1 || r.Event(1) != nil || r.SeqAt(time.Hour) != 0 {
		t.Error("an empty log is not empty")
	}
	for i := range 3000 {
		clk.SetTime(time.Unix(100, int64(i)*int64(time.Millisecond)))
		if seq := r.Emit(0, event.WireBytes{Bytes: i}.Event()); seq != uint64(i+1) {
			t.Fatalf("seq %d, want %d", seq, i+1)
		}
	}
	clk.SetTime(time.Unix(50, 0)) // a clock that goes back does not take the log with it
	taken := event.Work{Kind: event.KindWorkTaken, Key: "k", Worker: 3, N: 7}.Event()
	r.Lane(1).Observe(&taken)
	e := r.Event(3001)
	if e == nil || e.Kind != event.KindWorkTaken || e.Key() != "k" || e.Listener() != 3 || e.Work().N != 7 || e.Lane != 1 || e.At != 2999*time.Millisecond {
		t.Fatalf("event %+v", e)
	}
	if head, _ := r.Head(); head != 3001 {
		t.Errorf("head %d, want 3001", head)
	}
	for _, c := range []struct {
		at   time.Duration
		want uint64
	}{{-1, 0}, {0, 1}, {1500*time.Millisecond + 1, 1501}, {1023 * time.Millisecond, 1024}, {1024 * time.Millisecond, 1025}, {time.Hour, 3001}} {
		if got := r.SeqAt(c.at); got != c.want {
			t.Errorf("SeqAt(%v) = %d, want %d", c.at, got, c.want)
		}
	}
	n := uint64(999)
	r.Read(1000, 2100, func(e *event.Entry) bool {
		if n++; e.Seq != n || e.WireBytes().Bytes != int(n-1) {
			t.Fatalf("read %d, want %d", e.Seq, n)
		}
		return true
	})
	if n != 2100 {
		t.Errorf("read up to %d", n)
	}
	r.Read(5000, 6000, func(*event.Entry) bool { t.Error("read beyond the head"); return false })
}

func TestFoldAtEqualsPrefix(t *testing.T) {
	s := foldtest.NewSynthetic(5, false)
	for len(s.Events) < 30000 {
		s.Step()
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		name  string
		o     RecorderOptions
		offer bool
	}{
		{"all kept", RecorderOptions{CheckpointEvery: 500}, false},
		{"evicted", RecorderOptions{MaxEvents: 8000, CheckpointEvery: 700}, false},
		{"evicted, with a follower", RecorderOptions{MaxEvents: 8000, CheckpointEvery: 700}, true},
		{"evicted by bytes", RecorderOptions{MaxBytes: 500_000, CheckpointEvery: 10000}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
			c.o.Clock = clk
			r := NewRecorder(c.o)
			follower := fold.NewFold()
			for i := range s.Events {
				clk.SetTime(time.Unix(0, int64(s.Events[i].At)))
				r.Emit(s.Events[i].Lane, s.Events[i].Event)
				if c.offer && i%100 == 0 {
					head, _ := r.Head()
					r.Read(follower.Seq()+1, head, func(e *event.Entry) bool { follower.Apply(e); return true })
					r.Offer(follower)
				}
			}
			head, _ := r.Head()
			first := r.First()
			if c.o.MaxEvents > 0 && (int(head-first) >= c.o.MaxEvents || first == 1) {
				t.Errorf("keeps %d..%d", first, head)
			}
			if c.o.MaxBytes > 0 && (first == 1 || r.bytes > c.o.MaxBytes || len(r.chunks) < 2) {
				t.Errorf("keeps %d..%d, %d bytes", first, head, r.bytes)
			}
			for range 25 {
				seq := first - 1 + rng.Uint64N(head-first+2)
				f := r.FoldAt(seq)
				if f.Seq() != seq {
					t.Fatalf("FoldAt(%d) gave %d", seq, f.Seq())
				}
				foldtest.RequireEqual(t, fmt.Sprintf("FoldAt(%d)", seq), f, foldtest.FoldOf(s.Events[:seq]))
				f.Apply(&event.Entry{Seq: seq + 1, Event: event.Event{Kind: event.KindSelected}}) // the Fold is ours to change
			}
			if f := r.FoldAt(0); f.Seq() != first-1 {
				t.Errorf("the oldest fold is at %d, want %d", f.Seq(), first-1)
			}
			if f := r.FoldAt(1 << 60); f.Seq() != head {
				t.Errorf("the newest fold is at %d, want %d", f.Seq(), head)
			}
		})
	}
}

// TestAFoldThatWasGivenOutStays keeps some of the oldest folds, while the recorder changes its own in place.
func TestAFoldThatWasGivenOutStays(t *testing.T) {
	s := foldtest.NewSynthetic(5, false)
	for len(s.Events) < 30000 {
		s.Step()
	}
	r := NewRecorder(RecorderOptions{MaxEvents: 4000})
	type given struct {
		fold   *fold.Fold
		before string
	}
	var out []given
	for i := range s.Events {
		r.Emit(s.Events[i].Lane, s.Events[i].Event)
		if i%2000 == 1999 {
			f := r.FoldAt(0)
			out = append(out, given{f, foldtest.Describe(t, f)})
		}
	}
	for i, g := range out {
		if now := foldtest.Describe(t, g.fold); now != g.before {
			t.Errorf("fold %d, at %d, was\n%s\nand is\n%s", i, g.fold.Seq(), g.before, now)
		}
	}
	if len(out) < 10 || out[len(out)-1].fold.Seq() < 20000 {
		t.Fatalf("%d folds, the last at %d: the log was not evicted", len(out), out[len(out)-1].fold.Seq())
	}
}

func TestRecorderConcurrently(t *testing.T) {
	r := NewRecorder(RecorderOptions{MaxEvents: 4096, CheckpointEvery: 256})
	ctx, cancel := context.WithCancel(context.Background())
	var writers, readers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			o := r.Lane(uint8(w % 2))
			for i := range 8000 {
				if i%3 == 0 {
					r.Emit(0, event.WireBytes{Req: 1, Bytes: 1}.Event())
					continue
				}
				key := fmt.Sprint("k", i%100)
				e := event.Stored{Kind: event.KindStoreAdded, Key: key, Indexed: foldtest.Values(i)}.Event()
				o.Observe(&e)
			}
		})
	}
	readers.Go(func() { // follows, and offers checkpoints
		f := fold.NewFold()
		for r.Wait(ctx, f.Seq()) == nil {
			head, _ := r.Head()
			r.Read(f.Seq()+1, head, func(e *event.Entry) bool {
				f.Apply(e)
				return true
			})
			r.Offer(f)
		}
	})
	readers.Go(func() { // jumps about
		rng := rand.New(rand.NewPCG(1, 1))
		for ctx.Err() == nil {
			head, _ := r.Head()
			seq := rng.Uint64N(head + 1)
			f := r.FoldAt(seq)
			if f.Seq() > max(seq, r.First()) {
				t.Errorf("FoldAt(%d) gave %d", seq, f.Seq())
			}
			last := uint64(0)
			r.Read(seq, head, func(e *event.Entry) bool {
				if last != 0 && e.Seq != last+1 {
					t.Errorf("a gap: %d after %d", e.Seq, last)
				}
				last = e.Seq
				return true
			})
		}
	})
	writers.Wait()
	cancel()
	readers.Wait()
}

func TestRecorderWaitAndReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRecorder(RecorderOptions{})
		got := make(chan error, 1)
		go func() { got <- r.Wait(t.Context(), 1) }()
		r.Emit(0, event.Event{Kind: event.KindNote})
		synctest.Wait()
		select {
		case <-got:
			t.Fatal("woke up too early")
		default:
		}
		ch := r.Changed()
		r.Emit(0, event.Event{Kind: event.KindNote})
		<-ch
		if err := <-got; err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Wait(ctx, 99); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait: %v", err)
		}
		time.Sleep(time.Minute) // on synctest's clock
		gen := r.Generation()
		r.Reset()
		if head, at := r.Head(); head != 0 || at != 0 || r.Generation() == gen {
			t.Errorf("after Reset: %d, %v", head, at)
		}
		r.Emit(0, event.Queued{Op: event.OpAdded, Key: "a"}.Event())
		if f := r.FoldAt(1); f.Seq() != 1 || f.QueueLen(0) != 1 || f.At() != 0 {
			t.Errorf("fold after Reset: %d, %v", f.Seq(), f.At())
		}
	})
}

func TestRecorderLoad(t *testing.T) {
	s := foldtest.NewSynthetic(2, true)
	for len(s.Events) < 5000 {
		s.Step()
	}
	r := NewRecorder(RecorderOptions{})
	r.Emit(0, event.Event{Kind: event.KindNote})
	load(r, s.Events)
	foldtest.RequireEqual(t, "loaded", r.FoldAt(1<<40), foldtest.FoldOf(s.Events))
	last := s.Events[len(s.Events)-1]
	if seq, at := r.Head(); seq != last.Seq || at != last.At {
		t.Errorf("head %d, %v", seq, at)
	}
	r.Emit(0, event.Event{Kind: event.KindNote})
	if seq, at := r.Head(); seq != last.Seq+1 || at < last.At || at > last.At+time.Minute {
		t.Errorf("the log goes on at %d, %v", seq, at)
	}
}
