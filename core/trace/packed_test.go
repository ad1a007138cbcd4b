package trace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/informer"
)

// uncomparable is an object on which == panics.
type uncomparable struct{ labels []string }

// anyEvent returns an event of a kind in which every member may be set, each with probability one half.
func anyEvent(rng *rand.Rand, kind informer.Kind) informer.Event {
	texts := []string{"a", "b", "ab", "ns/object-1", "ns/object-2", "1234567", "1234568", "\x00\xff", "batch", fmt.Sprint(rng.Uint64())}
	objects := []any{&weighed{1, 2}, &weighed{1, 2}, uncomparable{texts}, &uncomparable{}, map[string]int{"x": 1}, 7, "word",
		informer.DeletedFinalStateUnknown{Key: "k", Obj: uncomparable{}}}
	numbers := []int64{1, -1, 63, 64, -64, -65, 1 << 20, math.MaxInt32, math.MinInt32, rng.Int64(), -rng.Int64()}
	number := func() int64 { return numbers[rng.IntN(len(numbers))] }
	text := func() string { return texts[rng.IntN(len(texts))] }
	e := informer.Event{Kind: kind}
	for i := range reflect.TypeFor[informer.Event]().NumField() {
		if rng.IntN(2) == 0 {
			continue
		}
		switch name := reflect.TypeFor[informer.Event]().Field(i).Name; name {
		case "Kind":
		case "Op":
			e.Op = informer.Op(rng.IntN(256))
		case "Verb":
			e.Verb = informer.Verb(rng.IntN(256))
		case "Flag":
			e.Flag = true
		case "Listener":
			e.Listener = int32(number())
		case "Req":
			e.Req = uint32(number())
		case "N":
			e.N = int(number())
		case "M":
			e.M = int(number())
		case "Dur":
			e.Dur = time.Duration(number())
		case "Key":
			e.Key = text()
		case "RV":
			e.RV = text()
		case "StoreRV":
			e.StoreRV = text()
		case "Text":
			e.Text = text()
		case "Release":
			e.Release = informer.Release(rng.IntN(256))
		case "Obj":
			e.Obj = objects[rng.IntN(len(objects))]
		case "Old":
			e.Old = objects[rng.IntN(len(objects))]
		case "Err":
			e.Err = errors.New(text())
		case "Options":
			e.Options = &metav1.ListOptions{ResourceVersion: text()}
		case "Items":
			e.Items = make([]informer.Item, rng.IntN(3)) // an empty list differs from nil
			for i := range e.Items {
				e.Items[i] = informer.Item{Key: text(), RV: text(), Obj: objects[0]}
			}
		case "Indexed":
			e.Indexed = make([]informer.IndexValues, rng.IntN(3))
			for i := range e.Indexed {
				e.Indexed[i] = informer.IndexValues{Index: text(), Values: []string{text()}}
			}
		default:
			panic("a member that nobody packs: " + name)
		}
	}
	return e
}

// samePointers reports whether objects that were identical still are, which DeepEqual does not check.
func samePointers(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	return a == nil || reflect.TypeOf(a).Kind() != reflect.Pointer || a == b
}

// roundTrip packs events into a Recorder and compares them with what it returns, all from the first on and each by itself.
func roundTrip(t *testing.T, rng *rand.Rand, kinds []informer.Kind) {
	t.Helper()
	var want []Event
	at := time.Duration(0)
	for i, k := range kinds {
		if rng.IntN(3) > 0 {
			at += time.Duration(rng.Int64N(1 << rng.IntN(42)))
		}
		want = append(want, Event{Seq: uint64(i) + 1, At: at, Lane: uint8(rng.IntN(2) * rng.IntN(256)), Event: anyEvent(rng, k)})
	}
	r := NewRecorder(RecorderOptions{MaxEvents: 1 << 20, MaxBytes: 1 << 40})
	load(r, want)
	check := func(got *Event) {
		t.Helper()
		w := &want[got.Seq-1]
		if !reflect.DeepEqual(got, w) || !samePointers(got.Obj, w.Obj) || !samePointers(got.Old, w.Old) {
			t.Fatalf("packed\n%+v\ncame back as\n%+v", *w, *got)
		}
	}
	n := uint64(0)
	r.Read(1, uint64(len(want)), func(e *Event) bool {
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
		var kinds []informer.Kind
		for range 12 {
			for k := range 256 {
				kinds = append(kinds, informer.Kind(k))
			}
		}
		roundTrip(t, rng, kinds)
	}
}

// TestTheBufferHoldsTheLongestEvent writes the time and each member as the longest varint, and reads them back.
func TestTheBufferHoldsTheLongestEvent(t *testing.T) {
	var b [maxPacked]byte
	i := 3
	for m := range 1 + packedMembers {
		i = putUvarint(&b, i, math.MaxUint64-uint64(m))
	}
	for m, off := 0, 3; off < i; m++ {
		var v uint64
		if v, off = uvarint(b[:], off); v != math.MaxUint64-uint64(m) {
			t.Fatalf("number %d of the event came back as %x", m, v)
		}
	}
}

// TestTheLongestEventIsPackedWhole packs an event with the longest number that each member can have.
func TestTheLongestEventIsPackedWhole(t *testing.T) {
	var c chunk
	c.marks = new([chunkEvents / markEvery]mark)
	e := informer.Event{Kind: 255, Op: 255, Flag: true, Listener: math.MinInt32, Req: math.MaxUint32, N: math.MinInt, M: math.MinInt, Dur: math.MinInt64,
		Key: "k", RV: "v", StoreRV: "s", Text: "t", Obj: 1, Old: 2, Indexed: []informer.IndexValues{}, Verb: 255}
	c.add(0, 0, &informer.Event{})
	c.add(math.MaxInt64, 255, &e)
	var got Event
	u := c.from(1)
	u.next(&got)
	if want := (Event{At: math.MaxInt64, Lane: 255, Event: e, Seq: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("packed\n%+v\ncame back as\n%+v", want, got)
	}
}

func FuzzPacked(f *testing.F) {
	f.Add(uint64(1), []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, seed uint64, kinds []byte) {
		if len(kinds) == 0 {
			return
		}
		ks := make([]informer.Kind, len(kinds))
		for i, k := range kinds {
			ks[i] = informer.Kind(k)
		}
		roundTrip(t, rand.New(rand.NewPCG(seed, 2)), ks)
	})
}

// TestAReadEventStaysAsItWas: an event that a reader keeps does not change, even after its chunk was evicted and reused.
func TestAReadEventStaysAsItWas(t *testing.T) {
	r := NewRecorder(RecorderOptions{MaxEvents: 2 * chunkEvents})
	emit := func(from, to int) {
		for i := from; i < to; i++ {
			r.Emit(0, informer.Event{Kind: KindNote, Text: fmt.Sprint("note ", i), N: i})
		}
	}
	emit(0, 500) // the chunk grows while a part of it is kept
	var kept []*Event
	r.Read(1, 500, func(e *Event) bool { kept = append(kept, e); return true })
	parts := r.span(1, 500, false)
	emit(500, 20*chunkEvents)
	i := 0
	for _, p := range parts {
		p.each(func(e *Event) bool {
			for _, e := range []*Event{e, kept[i]} {
				if e.Seq != uint64(i)+1 || e.N != i || e.Text != fmt.Sprint("note ", i) {
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

// TestWhatTheLogSaysItTakes records an informer with one handler and with ten. It checks the Recorder's account against its tables, and an event against its
// budget: a quarter of a struct with all members.
func TestWhatTheLogSaysItTakes(t *testing.T) {
	for _, handlers := range []int{1, 10} {
		t.Run(fmt.Sprint(handlers), func(t *testing.T) {
			const objects, rounds = 500, 20
			r := NewRecorder(RecorderOptions{MaxEvents: 1 << 20, MaxBytes: 1 << 30})
			source := watch.NewFake()
			var handled, ended sync.WaitGroup
			lw := &informer.ListWatch{
				ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return &metav1.PartialObjectMetadataList{}, nil },
				WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return source, nil },
			}
			inf := informer.NewSharedIndexInformerWithOptions(lw, &metav1.PartialObjectMetadata{}, informer.SharedIndexInformerOptions{
				Release: informer.Release133, Observer: r.Lane(0), Indexers: informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc}})
			for range handlers {
				_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs{
					AddFunc:    func(any) { handled.Done() },
					UpdateFunc: func(any, any) { handled.Done() },
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended.Go(func() { inf.RunWithContext(ctx) })
			for round := range rounds {
				handled.Add(objects * handlers)
				for i := range objects {
					o := &metav1.PartialObjectMetadata{}
					o.Name, o.Namespace, o.ResourceVersion = fmt.Sprint("object-", i), fmt.Sprint("namespace-", i%20), fmt.Sprint(10_000+round*objects+i)
					if round == 0 {
						source.Add(o)
					} else {
						source.Modify(o)
					}
				}
				handled.Wait()
			}
			cancel()
			ended.Wait()
			brings, n := 0, 0
			r.Read(1, math.MaxUint64, func(e *Event) bool {
				brings += brought(&e.Event)
				n++
				return true
			})
			if r.First() != 1 {
				t.Fatal("the log has lost its beginning")
			}
			tables := 0
			for _, c := range r.chunks {
				tables += len(c.buf) + stringBytes*len(c.strings) + objectBytes*len(c.objects) + indexedBytes*len(c.indexed) + seldomBytes*len(c.seldom)
				tables += int(reflect.TypeFor[chunk]().Size() + reflect.TypeOf(*c.marks).Size())
				for _, s := range c.strings {
					tables += len(s)
				}
				for _, v := range c.indexed {
					tables += valuesBytes * len(v)
				}
			}
			said, whole := r.bytes-brings, int(reflect.TypeFor[Event]().Size())
			t.Logf("%d events, %d for a watch event, take %.1f bytes each; a struct with all members takes %d, without what its strings take",
				n, n/objects/rounds, float64(said)/float64(n), whole)
			if said < tables*9/10 || said > tables*11/10 {
				t.Errorf("the log says it takes %d bytes, and its tables take %d", said, tables)
			}
			if said > n*whole/4 {
				t.Errorf("an event takes %d bytes, more than a quarter of %d", said/n, whole)
			}
		})
	}
}
