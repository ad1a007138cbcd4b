package informer

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/tools/cache"
	testingclock "k8s.io/utils/clock/testing"
)

// These tests apply the same random operations to our and client-go's standalone stores and queues, and compare every result.

// thing is an object for these stores; val distinguishes two with the same key.
type thing struct {
	key string
	val int
}

func thingKey(o any) (string, error) {
	x, ok := o.(thing)
	if !ok || x.key == "" {
		return "", errors.New("no key")
	}
	return x.key, nil
}

func keyList(keys []string) string { return strings.Join(sortNames(slices.Clone(keys)), ",") }

func thingList(objs []any) string {
	var s []string
	for _, o := range objs {
		s = append(s, fmt.Sprint(o))
	}
	return strings.Join(sortNames(s), " ")
}

func errText(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

// randomThings calls step with random things; some have no key.
func randomThings(seed int64, n int, step func(r *rand.Rand, x thing)) {
	r := rand.New(rand.NewSource(seed))
	for range n {
		x := thing{string(rune('a' + r.Intn(6))), r.Intn(100)}
		if r.Intn(20) == 0 {
			x.key = ""
		}
		step(r, x)
	}
}

func differ(t *testing.T, seed int64, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("seed %d, step %d: %s, client-go %s", seed, i, got[i], want[i])
		}
	}
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("seed %d: %d answers, client-go %d", seed, len(got), len(want))
	}
}

type anyHeap interface {
	Add(any) error
	BulkAdd([]any) error
	AddIfNotPresent(any) error
	Update(any) error
	Delete(any) error
	Pop() (any, error)
	List() []any
	ListKeys() []string
	Get(any) (any, bool, error)
	GetByKey(string) (any, bool, error)
	IsClosed() bool
	Close()
}

func TestHeap(t *testing.T) {
	less := func(a, b any) bool { return a.(thing).val/10 < b.(thing).val/10 } // with many equal ones
	play := func(h anyHeap, seed int64) (log []string) {
		say := func(args ...any) { log = append(log, fmt.Sprint(args...)) }
		n := 0
		randomThings(seed, 300, func(r *rand.Rand, x thing) {
			if n++; n == 290 {
				h.Close()
			}
			switch r.Intn(9) {
			case 0, 1:
				say(errText(h.Add(x)))
			case 2:
				say(errText(h.BulkAdd([]any{x, thing{"z", x.val}, thing{"", 1}}[:1+r.Intn(3)])))
			case 3:
				say(errText(h.AddIfNotPresent(x)))
			case 4:
				say(errText(h.Update(x)))
			case 5:
				say(errText(h.Delete(x)))
			case 6:
				if len(h.ListKeys()) > 0 || h.IsClosed() {
					o, err := h.Pop()
					say(o, err)
				}
			case 7:
				say(h.Get(x))
				say(h.GetByKey(x.key))
			default:
				say(thingList(h.List()), keyList(h.ListKeys()), h.IsClosed())
			}
		})
		return log
	}
	for seed := range int64(50) {
		differ(t, seed, play(NewHeap(thingKey, less), seed), play(clientgo.NewHeap(thingKey, less), seed))
	}
}

func TestHeapPopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHeap(thingKey, func(a, b any) bool { return a.(thing).val < b.(thing).val })
		var popped []any
		done := make(chan error)
		go func() {
			for {
				o, err := h.Pop()
				if err != nil {
					done <- err
					return
				}
				popped = append(popped, o)
			}
		}()
		synctest.Wait()
		if err := h.BulkAdd([]any{thing{"b", 2}, thing{"a", 1}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.Close()
		if err := <-done; err == nil || fmt.Sprint(popped) != "[{a 1} {b 2}]" {
			t.Errorf("%v %v", popped, err)
		}
	})
}

type anyFIFO interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	Replace([]any, string) error
	Resync() error
	HasSynced() bool
	IsClosed() bool
	Close()
	Name() string
	Done() <-chan struct{}
}

func TestFIFO(t *testing.T) {
	// pop is Pop; its process function records its arguments.
	play := func(f anyFIFO, pop func(func(any, bool) error) (any, error), seed int64) (log []string) {
		say := func(args ...any) { log = append(log, fmt.Sprint(args...)) }
		randomThings(seed, 200, func(r *rand.Rand, x thing) {
			switch r.Intn(6) {
			case 0, 1:
				say(errText(f.Add(x)))
			case 2:
				say(errText(f.Update(x)))
			case 3:
				say(errText(f.Delete(x)))
			case 4:
				// At most one object: the order of several is that of a map.
				say(errText(f.Replace([]any{x}[:r.Intn(2)], "1")))
			case 5:
				say(errText(f.Resync()))
			}
			say(f.HasSynced(), isClosed(f.Done()), f.IsClosed(), f.Name())
		})
		f.Close()
		for {
			var seen string
			o, err := pop(func(o any, initial bool) error {
				seen = fmt.Sprint(o, initial)
				if o.(thing).val%3 == 0 {
					return errors.New("three")
				}
				return nil
			})
			say(o, seen, errText(err), isClosed(f.Done()))
			if errors.Is(err, ErrFIFOClosed) || errors.Is(err, clientgo.ErrFIFOClosed) {
				return log
			}
		}
	}
	for seed := range int64(100) {
		mine, judge := NewFIFO(thingKey), clientgo.NewFIFO(thingKey)
		differ(t, seed, play(mine, func(p func(any, bool) error) (any, error) { return mine.Pop(p) }, seed),
			play(judge, func(p func(any, bool) error) (any, error) { return judge.Pop(p) }, seed))
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestFIFOPopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFIFO(thingKey)
		got := make(chan string, 10)
		go func() {
			for {
				_, err := f.Pop(func(o any, initial bool) error { got <- fmt.Sprint(o, initial, f.syncedClosed); return nil })
				if err != nil {
					close(got)
					return
				}
			}
		}()
		synctest.Wait()
		if err := f.Replace([]any{thing{"a", 1}}, ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !f.HasSynced() || !IsDone(f.HasSyncedChecker()) {
			t.Error("not synced")
		}
		_ = f.Add(thing{"b", 2})
		synctest.Wait()
		f.Close()
		var all []string
		for s := range got {
			all = append(all, s)
		}
		equal(t, "popped", all, []string{"{a 1} true false", "{b 2} false true"})
	})
}

type anyStore interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	List() []any
	ListKeys() []string
	Get(any) (any, bool, error)
	GetByKey(string) (any, bool, error)
	Replace([]any, string) error
	Resync() error
	Bookmark(string)
	LastStoreSyncResourceVersion() string
}

func playStore(s anyStore, seed int64, tick func(time.Duration)) (log []string) {
	say := func(args ...any) { log = append(log, fmt.Sprint(args...)) }
	randomThings(seed, 200, func(r *rand.Rand, x thing) {
		switch r.Intn(9) {
		case 0, 1:
			say(errText(s.Add(x)))
		case 2:
			say(errText(s.Update(x)))
		case 3:
			say(errText(s.Delete(x)))
		case 4:
			if r.Intn(4) == 0 {
				say(errText(s.Replace([]any{x, thing{"q", x.val}}, strconv.Itoa(x.val))))
			}
		case 5:
			s.Bookmark(strconv.Itoa(x.val))
			say(errText(s.Resync()))
		case 6:
			say(s.Get(x))
			say(s.GetByKey(x.key))
		case 7:
			tick(time.Duration(r.Intn(40)) * time.Second)
		default:
			say(thingList(s.List()))
		}
		say(keyList(s.ListKeys()), s.LastStoreSyncResourceVersion())
	})
	return log
}

func TestExpirationCache(t *testing.T) {
	for seed := range int64(50) {
		clocks := [2]*testingclock.FakeClock{testingclock.NewFakeClock(time.Unix(0, 0)), testingclock.NewFakeClock(time.Unix(0, 0))}
		mine := NewExpirationStore(thingKey, &TTLPolicy{TTL: time.Minute, Clock: clocks[0]}).(*ExpirationCache)
		mine.clock = clocks[0]
		judge := clientgo.NewFakeExpirationStore(thingKey, make(chan string, 1000), &clientgo.TTLPolicy{TTL: time.Minute, Clock: clocks[1]}, clocks[1])
		differ(t, seed, playStore(mine, seed, clocks[0].Step), playStore(judge, seed, clocks[1].Step))
	}
	synctest.Test(t, func(t *testing.T) {
		s := NewTTLStore(thingKey, time.Minute)
		_ = s.Add(thing{"a", 1})
		time.Sleep(time.Minute)
		if _, ok, _ := s.GetByKey("a"); !ok {
			t.Error("expired at its TTL")
		}
		time.Sleep(time.Nanosecond)
		if _, ok, _ := s.GetByKey("a"); ok || len(s.ListKeys()) != 0 {
			t.Error("not expired after its TTL")
		}
		never := NewTTLStore(thingKey, 0)
		_ = never.Add(thing{"a", 1})
		time.Sleep(1000 * time.Hour)
		if len(never.List()) != 1 {
			t.Error("expired without a TTL")
		}
	})
}

func TestUndeltaStore(t *testing.T) {
	for seed := range int64(20) {
		var got, want []string
		mine := NewUndeltaStore(func(all []any) { got = append(got, thingList(all)) }, thingKey)
		judge := clientgo.NewUndeltaStore(func(all []any) { want = append(want, thingList(all)) }, thingKey)
		differ(t, seed, playStore(mine, seed, func(time.Duration) {}), playStore(judge, seed, func(time.Duration) {}))
		differ(t, seed, got, want)
	}
}
