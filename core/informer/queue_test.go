package informer

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// queueUnderTest has the methods that both libraries' queues share.
type queueUnderTest struct {
	Add, Update, Delete func(any) error
	Replace             func([]any, string) error
	Resync              func() error
	HasSynced           func() bool
	Bookmark            func(string) error
	// pop pops once, in a batch if possible. It returns the deltas as text, with the isInInitialList that process got.
	pop   func(fail error) (string, error)
	close func()
}

func deltaText(kind string, o any) string {
	switch d := o.(type) {
	case DeletedFinalStateUnknown:
		return fmt.Sprintf("%s tombstone(%s of %s)", kind, d.Key, deltaText("", d.Obj))
	case clientgo.DeletedFinalStateUnknown:
		return fmt.Sprintf("%s tombstone(%s of %s)", kind, d.Key, deltaText("", d.Obj))
	case ReplacedAllInfo:
		return fmt.Sprintf("%s %s %s", kind, d.ResourceVersion, objTexts(d.Objects))
	case clientgo.ReplacedAllInfo:
		return fmt.Sprintf("%s %s %s", kind, d.ResourceVersion, objTexts(d.Objects))
	case BookmarkInfo:
		return kind + " " + d.ResourceVersion
	case clientgo.BookmarkInfo:
		return kind + " " + d.ResourceVersion
	case SyncAllInfo, clientgo.SyncAllInfo, nil:
		return kind
	case metav1.Object:
		return kind + " " + name(d)
	}
	return fmt.Sprintf("%s %T", kind, o)
}

func objTexts(objs []any) string {
	var out []string
	for _, o := range objs {
		out = append(out, name(o))
	}
	return strings.Join(out, " ")
}

func ourQueue(q Queue, batch bool) queueUnderTest {
	u := queueUnderTest{Add: q.Add, Update: q.Update, Delete: q.Delete, Replace: q.Replace, Resync: q.Resync, HasSynced: q.HasSynced, close: q.Close,
		Bookmark: func(string) error { return nil }}
	if b, ok := q.(ReflectorBookmarkStore); ok {
		u.Bookmark = b.Bookmark
	}
	u.pop = func(fail error) (string, error) {
		text := ""
		single := func(o any, initial bool) error {
			for _, d := range o.(Deltas) {
				text += deltaText(string(d.Type), d.Object) + "; "
			}
			text += fmt.Sprint("initial=", initial)
			return fail
		}
		if b, ok := q.(QueueWithBatch); ok && batch {
			err := b.PopBatch(func(ds []Delta, initial bool) error {
				text = "batch "
				return single(Deltas(ds), initial)
			}, single)
			return text, err
		}
		_, err := q.Pop(single)
		return text, err
	}
	return u
}

func theirQueue(q clientgo.Queue, batch bool) queueUnderTest {
	u := queueUnderTest{Add: q.Add, Update: q.Update, Delete: q.Delete, Replace: q.Replace, Resync: q.Resync, HasSynced: q.HasSynced, close: q.Close,
		Bookmark: func(string) error { return nil }}
	if b, ok := q.(clientgo.ReflectorBookmarkStore); ok {
		u.Bookmark = b.Bookmark
	}
	u.pop = func(fail error) (string, error) {
		text := ""
		single := func(o any, initial bool) error {
			for _, d := range o.(clientgo.Deltas) {
				text += deltaText(string(d.Type), d.Object) + "; "
			}
			text += fmt.Sprint("initial=", initial)
			return fail
		}
		if b, ok := q.(clientgo.QueueWithBatch); ok && batch {
			err := b.PopBatch(func(ds []clientgo.Delta, initial bool) error {
				text = "batch "
				return single(clientgo.Deltas(ds), initial)
			}, single)
			return text, err
		}
		_, err := q.Pop(single)
		return text, err
	}
	return u
}

// knownObjects is the store that a queue feeds. It has at most one object: with more, client-go's queue finds them in random order.
type knownObjects map[string]any

func (k knownObjects) ListKeys() []string {
	var keys []string
	for key := range k {
		keys = append(keys, key)
	}
	return keys
}
func (k knownObjects) GetByKey(key string) (any, bool, error) {
	o, ok := k[key]
	return o, ok, nil
}

// TestQueuesSameAsClientGo applies the same random operations to both libraries' queues and compares all results.
func TestQueuesSameAsClientGo(t *testing.T) {
	transform := func(o any) (any, error) {
		m := o.(*object)
		switch m.Name {
		case "bad":
			return nil, errors.New("no transform")
		case "mute":
			return "not an object", nil // has no metadata, so no key any more
		}
		return o, nil
	}
	for _, tc := range []struct {
		name      string
		transform bool
		build     func(k knownObjects) (Queue, clientgo.Queue, bool)
	}{
		{"DeltaFIFO", false, func(k knownObjects) (Queue, clientgo.Queue, bool) {
			return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: k, EmitDeltaTypeReplaced: true}),
				clientgo.NewDeltaFIFOWithOptions(clientgo.DeltaFIFOOptions{KnownObjects: k, EmitDeltaTypeReplaced: true}), false
		}},
		{"DeltaFIFO without known objects", false, func(knownObjects) (Queue, clientgo.Queue, bool) {
			return NewDeltaFIFO(MetaNamespaceKeyFunc, nil), clientgo.NewDeltaFIFO(clientgo.MetaNamespaceKeyFunc, nil), false
		}},
		{"RealFIFO", true, func(k knownObjects) (Queue, clientgo.Queue, bool) {
			return NewRealFIFO(nil, k, transform), clientgo.NewRealFIFO(nil, k, transform), false
		}},
		{"RealFIFO in batches", true, func(k knownObjects) (Queue, clientgo.Queue, bool) {
			return NewRealFIFO(nil, k, transform), clientgo.NewRealFIFO(nil, k, transform), true
		}},
		{"RealFIFO with atomic events", true, func(knownObjects) (Queue, clientgo.Queue, bool) {
			return NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true, Transformer: transform}),
				clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true,
					Transformer: transform}), true
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range int64(60) {
				rng := rand.New(rand.NewSource(seed))
				k := knownObjects{}
				if rng.Intn(2) == 0 {
					k["ns/known"] = obj("known", "1")
				}
				mine, judge, batch := tc.build(k)
				compareQueues(t, rng, ourQueue(mine, batch), theirQueue(judge, batch))
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func compareQueues(t *testing.T, rng *rand.Rand, mine, judge queueUnderTest) {
	t.Helper()
	queuedSomething := 0
	rv := 1
	names := []string{"a", "b", "c", "known", "bad", "mute"}
	any1 := func() any {
		rv++
		o := obj(names[rng.Intn(len(names))], fmt.Sprint(rv))
		return o
	}
	var log []string
	same := func(what string, m, j any) {
		log = append(log, fmt.Sprintf("%s: %v", what, j))
		if fmt.Sprint(m) != fmt.Sprint(j) {
			t.Fatalf("%s: got %v, client-go %v\nafter %s", what, m, j, strings.Join(log, "\n      "))
		}
	}
	for range 120 {
		switch rng.Intn(8) {
		case 0, 1:
			o := any1()
			same("add "+name(o), mine.Add(o) != nil, judge.Add(o) != nil)
			queuedSomething++
		case 2:
			o := any1()
			same("update "+name(o), mine.Update(o) != nil, judge.Update(o) != nil)
		case 3:
			o := any1()
			same("delete "+name(o), mine.Delete(o) != nil, judge.Delete(o) != nil)
		case 4:
			if rng.Intn(3) > 0 {
				continue
			}
			// At most one key may be missing from the list, because the order of tombstones is random in a DeltaFIFO.
			var objs []any
			skip := rng.Intn(4)
			for i, n := range names[:4] {
				if i != skip {
					rv++
					objs = append(objs, obj(n, fmt.Sprint(rv)))
				}
			}
			objs = append(objs, objs[0])
			if rng.Intn(6) == 0 {
				objs = append(objs, obj("bad", "1"))
			}
			same("replace", mine.Replace(slices.Clone(objs), fmt.Sprint(rv)) != nil, judge.Replace(slices.Clone(objs), fmt.Sprint(rv)) != nil)
		case 5:
			same("resync", mine.Resync() != nil, judge.Resync() != nil)
		case 6:
			same("bookmark", mine.Bookmark(fmt.Sprint(rv)), judge.Bookmark(fmt.Sprint(rv)))
		case 7:
			same("add a thing without metadata", mine.Add(7) != nil, judge.Add(7) != nil)
		}
		for range rng.Intn(2) {
			drain(t, rng, mine, judge, same, 1)
		}
		same("synced", mine.HasSynced(), judge.HasSynced())
	}
	mine.close()
	judge.close()
	drain(t, rng, mine, judge, same, 1000)
	_, err := mine.pop(nil)
	if !errors.Is(err, ErrFIFOClosed) {
		t.Errorf("a pop from a closed, empty queue: %v", err)
	}
	if queuedSomething == 0 {
		t.Error("nothing was queued")
	}
}

// drain pops up to n times, until the queue is empty.
func drain(t *testing.T, rng *rand.Rand, mine, judge queueUnderTest, same func(string, any, any), n int) {
	for range n {
		var fail error
		if rng.Intn(5) == 0 {
			fail = errors.New("process failed")
		}
		type result struct {
			text string
			err  error
		}
		var m, j result
		if n == 1 {
			// Pop of an empty queue would block, so add the same object to both.
			o := obj("filler", fmt.Sprint(rng.Int()))
			_, _ = mine.Add(o), judge.Add(o)
		}
		m.text, m.err = mine.pop(fail)
		j.text, j.err = judge.pop(fail)
		same("pop", m.text, j.text)
		same("pop error", m.err, j.err)
		if errors.Is(m.err, ErrFIFOClosed) || m.text == "" {
			return
		}
	}
}

func TestIllegalRealFIFOOptionsPanic(t *testing.T) {
	for _, o := range []RealFIFOOptions{
		{},
		{AtomicEvents: true, KnownObjects: knownObjects{}},
		{KnownObjects: knownObjects{}, UnlockWhileProcessing: true},
		{KnownObjects: knownObjects{}, EmitDeltaTypeBookmark: true},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", o)
				}
			}()
			NewRealFIFOWithOptions(o)
		}()
	}
}

func TestBatchLimits(t *testing.T) {
	f := NewRealFIFO(nil, knownObjects{}, nil)
	var objs []any
	for i := range 2500 {
		objs = append(objs, obj(fmt.Sprint("o", i), "1"))
	}
	if err := f.Replace(objs, "5"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := f.Add(obj("o0", "2")); err != nil {
			t.Fatal(err)
		}
	}
	var sizes []int
	var syncedInside []bool
	for range 6 {
		_ = f.PopBatch(func(d []Delta, _ bool) error {
			sizes = append(sizes, len(d))
			syncedInside = append(syncedInside, f.syncedClosed)
			return nil
		}, func(any, bool) error {
			sizes = append(sizes, 1)
			syncedInside = append(syncedInside, f.syncedClosed)
			return nil
		})
	}
	if got := fmt.Sprint(sizes, syncedInside); got != "[1000 1000 500 1 1 1] [false false false true true true]" {
		t.Error(got)
	}
}

func TestLockStaysWhenManyWait(t *testing.T) {
	for _, tc := range []struct {
		waiting int
		held    bool
	}{{1999, false}, {2000, true}} {
		f := NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true})
		for i := range tc.waiting + 1 {
			_ = f.Add(obj(fmt.Sprint("o", i), "1"))
		}
		_, _ = f.Pop(func(any, bool) error {
			if free := f.lock.mu.TryLock(); free == tc.held {
				t.Errorf("with %d waiting, the lock is free: %v", tc.waiting, free)
			} else if free {
				f.lock.mu.Unlock()
			}
			return nil
		})
	}
}

func TestCloseEndsAHeldPop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, q := range []Queue{
			NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Gates: holdAll{}}),
			NewDeltaFIFOWithOptions(DeltaFIFOOptions{Gates: holdAll{}}),
		} {
			popped := make(chan error)
			go func() {
				_, err := q.Pop(func(any, bool) error { return nil })
				popped <- err
				_, err = q.Pop(func(any, bool) error { return nil })
				popped <- err
			}()
			_ = q.Add(obj("a", "1"))
			synctest.Wait()
			_ = q.Add(obj("b", "1")) // the lock is free during the hold
			select {
			case <-popped:
				t.Error("the gate did not hold")
			default:
			}
			q.Close()
			if err := <-popped; err != nil {
				t.Errorf("Pop of a closed queue that is not empty: %v", err)
			}
			<-popped
		}
	})
}

type holdAll struct{}

func (holdAll) Wait(ctx context.Context, _ event.Stage, _ int32) { <-ctx.Done() }

// sleepyIndex waits a second before each object is indexed.
type sleepyIndex struct{}

func (sleepyIndex) Wait(_ context.Context, stage event.Stage, _ int32) {
	if stage == event.StageIndex {
		time.Sleep(time.Second)
	}
}

// TestAddWaitsWhileAnObjectIsIndexedUnderTheLock checks how long Add waits for objects that are being indexed: until all are indexed, if the queue keeps
// its lock while it processes, otherwise not at all.
func TestAddWaitsWhileAnObjectIsIndexedUnderTheLock(t *testing.T) {
	for name, tc := range map[string]struct {
		queue func() Queue
		waits time.Duration
	}{
		"DeltaFIFO": {func() Queue { return NewDeltaFIFOWithOptions(DeltaFIFOOptions{Gates: sleepyIndex{}}) }, 3 * time.Second},
		"RealFIFO, unlocking": {func() Queue {
			return NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, Gates: sleepyIndex{}})
		}, 0},
		"RealFIFO": {func() Queue { return NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Gates: sleepyIndex{}}) }, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := tc.queue()
				if name == "DeltaFIFO" { // three deltas of one key
					for i := range 3 {
						_ = q.Add(obj("a", fmt.Sprint(i)))
					}
				} else if err := q.Replace([]any{obj("a", "1"), obj("b", "1"), obj("c", "1")}, "1"); err != nil {
					t.Fatal(err)
				}
				popped := make(chan struct{})
				go func() {
					defer close(popped)
					_, _ = q.Pop(func(any, bool) error { return nil })
				}()
				synctest.Wait()
				start := time.Now()
				_ = q.Add(obj("z", "1"))
				if waited := time.Since(start); waited != tc.waits {
					t.Errorf("Add waited %v, want %v", waited, tc.waits)
				}
				<-popped
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("three objects were indexed in %v", took)
				}
				q.Close()
			})
		})
	}
}

// TestAKeyIsMadeOnce checks that the queue uses the key string that the Reflector computed for its event, unless a transform changed the key.
func TestAKeyIsMadeOnce(t *testing.T) {
	for _, c := range []struct {
		name      string
		transform TransformFunc
		key       string
		same      bool
	}{
		{"as it came", nil, "ns/a", true},
		{"renamed", func(o any) (any, error) {
			renamed := *o.(*object)
			renamed.Name = "b"
			return &renamed, nil
		}, "ns/b", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := &recorder{}
			q := newQueue(releases.V137, klog.Background(), &object{}, NewStore(MetaNamespaceKeyFunc), c.transform, InformerNameAndResource{}, nil, rec, nil)
			keyed, ok := q.(keySharer)
			if !ok || !keyed.sharesKeys() {
				t.Fatalf("%T shares no keys", q)
			}
			key := strings.Clone("ns/a")
			if _, err := keyed.addKeyed(event.OpAdded, obj("a", "7"), key, unknownTime); err != nil {
				t.Fatal(err)
			}
			e := rec.eventsOf(event.KindQueued)[0]
			if e.Key() != c.key || e.RV() != "7" || (unsafe.StringData(e.Key()) == unsafe.StringData(key)) != c.same {
				t.Errorf("queued as %s at %s", e.Key(), e.RV())
			}
		})
	}
}
