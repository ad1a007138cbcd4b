package trace

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

// uncomparable is an object on which == panics.
type uncomparable struct{ labels []string }

// anyEvent returns an event of a kind in which every member may be set, each with probability one half.
func anyEvent(rng *rand.Rand, kind event.Kind) event.Event {
	texts := []string{"a", "b", "ab", "ns/object-1", "ns/object-2", "1234567", "1234568", "\x00\xff", "batch", fmt.Sprint(rng.Uint64())}
	weighed := foldtest.Weighed{Held: 1, Came: 2}
	same := weighed
	objects := []any{&weighed, &same, uncomparable{texts}, &uncomparable{}, map[string]int{"x": 1}, 7, "word",
		informer.DeletedFinalStateUnknown{Key: "k", Obj: uncomparable{}}}
	numbers := []int64{1, -1, 63, 64, -64, -65, 1 << 20, math.MaxInt32, math.MinInt32, rng.Int64(), -rng.Int64()}
	number := func() int64 { return numbers[rng.IntN(len(numbers))] }
	text := func() string { return texts[rng.IntN(len(texts))] }
	var m event.Members
	for i := range reflect.TypeFor[event.Members]().NumField() {
		if rng.IntN(2) == 0 {
			continue
		}
		switch name := reflect.TypeFor[event.Members]().Field(i).Name; name {
		case "Op":
			m.Op = event.Op(rng.IntN(256))
		case "Verb":
			m.Verb = event.Verb(rng.IntN(256))
		case "Flag":
			m.Flag = true
		case "Listener":
			m.Listener = int32(number())
		case "Req":
			m.Req = uint32(number())
		case "N":
			m.N = int(number())
		case "M":
			m.M = int(number())
		case "Dur":
			m.Dur = time.Duration(number())
		case "Key":
			m.Key = text()
		case "RV":
			m.RV = text()
		case "StoreRV":
			m.StoreRV = text()
		case "Text":
			m.Text = text()
		case "Release":
			m.Release = text()
		case "Obj":
			m.Obj = objects[rng.IntN(len(objects))]
		case "Old":
			m.Old = objects[rng.IntN(len(objects))]
		case "Err":
			m.Err = errors.New(text())
		case "Options":
			m.Options = &metav1.ListOptions{ResourceVersion: text()}
		case "Items":
			m.Items = make([]event.Item, rng.IntN(3)) // an empty list differs from nil
			for i := range m.Items {
				m.Items[i] = event.Item{Key: text(), RV: text(), Obj: objects[0]}
			}
		case "Indexed":
			m.Indexed = make([]event.IndexValues, rng.IntN(3))
			for i := range m.Indexed {
				m.Indexed[i] = event.IndexValues{Index: text(), Values: []string{text()}}
			}
		default:
			panic("a member that nobody packs: " + name)
		}
	}
	return event.New(kind, m)
}

// samePointers reports whether objects that were identical still are, which DeepEqual does not check.
func samePointers(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	return a == nil || reflect.TypeOf(a).Kind() != reflect.Pointer || a == b
}

// roundTrip packs events into a Recorder and compares them with what it returns, all from the first on and each by itself.
func roundTrip(t *testing.T, rng *rand.Rand, kinds []event.Kind) {
	t.Helper()
	var want []event.Entry
	at := time.Duration(0)
	for i, k := range kinds {
		if rng.IntN(3) > 0 {
			at += time.Duration(rng.Int64N(1 << rng.IntN(42)))
		}
		want = append(want, event.Entry{Seq: uint64(i) + 1, At: at, Lane: uint8(rng.IntN(2) * rng.IntN(256)), Event: anyEvent(rng, k)})
	}
	r := NewRecorder(RecorderOptions{MaxEvents: 1 << 20, MaxBytes: 1 << 40})
	load(r, want)
	check := func(got *event.Entry) {
		t.Helper()
		w := &want[got.Seq-1]
		if !reflect.DeepEqual(got, w) || !samePointers(got.Members().Obj, w.Members().Obj) || !samePointers(got.Members().Old, w.Members().Old) {
			t.Fatalf("packed\n%+v\ncame back as\n%+v", *w, *got)
		}
	}
	n := uint64(0)
	r.Read(1, uint64(len(want)), func(e *event.Entry) bool {
		if n++; e.Seq != n {
			t.Fatalf("event %d came as the %d-th", e.Seq, n)
		}
		check(e)
		return true
	})
	if n != uint64(len(want)) {
		t.Fatalf("%d of %d events came back", n, len(want))
	}
	for range 100 {
		seq := 1 + rng.Uint64N(n)
		check(r.Event(seq))
		last := seq // the last event with the same time
		for last < n && want[last].At == want[seq-1].At {
			last++
		}
		if got := r.SeqAt(want[seq-1].At); got != last {
			t.Fatalf("SeqAt(%v) is %d, not %d", want[seq-1].At, got, last)
		}
	}
}

// TestEveryKindAndMemberIsPackedWhole: every byte that may be a Kind, with any members, in more than one chunk.
func TestEveryKindAndMemberIsPackedWhole(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var kinds []event.Kind
		for range 12 {
			for k := range 256 {
				kinds = append(kinds, event.Kind(k))
			}
		}
		roundTrip(t, rng, kinds)
	}
}

func FuzzPacked(f *testing.F) {
	f.Add(uint64(1), []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, seed uint64, kinds []byte) {
		if len(kinds) == 0 {
			return
		}
		ks := make([]event.Kind, len(kinds))
		for i, k := range kinds {
			ks[i] = event.Kind(k)
		}
		roundTrip(t, rand.New(rand.NewPCG(seed, 2)), ks)
	})
}

// TestAReadEventStaysAsItWas: an event that a reader keeps does not change, even after its chunk was evicted and reused.
func TestAReadEventStaysAsItWas(t *testing.T) {
	r := NewRecorder(RecorderOptions{MaxEvents: 2 * event.ChunkEvents})
	emit := func(from, to int) {
		for i := from; i < to; i++ {
			r.Emit(0, event.WireRequest{Req: uint32(i), URL: fmt.Sprint("note ", i)}.Event())
		}
	}
	emit(0, 500) // the chunk grows while a part of it is kept
	var kept []*event.Entry
	r.Read(1, 500, func(e *event.Entry) bool { kept = append(kept, e); return true })
	parts := r.span(1, 500, false)
	emit(500, 20*event.ChunkEvents)
	i := 0
	for _, p := range parts {
		p.Each(func(e *event.Entry) bool {
			for _, e := range []*event.Entry{e, kept[i]} {
				if e.Seq != uint64(i)+1 || e.Req() != uint32(i) || e.WireRequest().URL != fmt.Sprint("note ", i) {
					t.Fatalf("event %d became %+v", i+1, *e)
				}
			}
			i++
			return true
		})
	}
	if i != 500 {
		t.Errorf("%d events of 500 came back", i)
	}
}
