package fold_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// TestNextPopIsWhatTheQueueHandsOver: NextPop on a full queue equals what the release's real queue then pops, both at rest and while a batch is being
// processed.
func TestNextPopIsWhatTheQueueHandsOver(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, release := range []releases.Release{releases.V131, releases.V133, releases.V135, releases.V137} {
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, uint64(release)))
			r := trace.NewRecorder(trace.RecorderOptions{})
			r.Emit(0, event.InformerStarted{Release: release.String()}.Event())
			known := informer.NewStore(informer.MetaNamespaceKeyFunc)
			q := queueOf(release, known, r.Lane(0))
			object := func() *metav1.ObjectMeta {
				return &metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("o", rng.IntN(30)), ResourceVersion: fmt.Sprint(rng.IntN(1000))}
			}
			if rng.IntN(2) == 0 { // the first list is what fills the queue
				var list []any
				for i := range rng.IntN(1500) {
					list = append(list, &metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("p", i), ResourceVersion: "1"})
				}
				must(t, q.Replace(list, "1"))
			}
			for range 40 {
				for range rng.IntN(40) {
					stir(t, rng, q, known, object)
				}
				if headFold(r).QueueLen(0) == 0 {
					must(t, q.Add(object()))
				}
				want := headFold(r).NextPop(0, map[string]struct{}{})
				got, meanwhile := 0, 0
				took := func(n int) {
					got = n
					meanwhile = headFold(r).NextPop(0, map[string]struct{}{})
				}
				pop := func() {
					single := func(obj any, _ bool) error { took(len(obj.(informer.Deltas))); return nil }
					if b, ok := q.(informer.QueueWithBatch); ok && release != releases.V133 {
						must(t, b.PopBatch(func(d []informer.Delta, _ bool) error { took(len(d)); return nil }, single))
						return
					}
					_, err := q.Pop(single)
					must(t, err)
				}
				pop()
				if got != want {
					t.Fatalf("release %v, seed %d: the next Pop takes %d, not %d", release, seed, got, want)
				}
				if headFold(r).QueueLen(0) > 0 {
					want = meanwhile
					if pop(); got != want {
						t.Fatalf("release %v, seed %d: while a batch was processed the next one was said to be %d, and is %d", release, seed, want, got)
					}
				}
			}
		}
	}
}

// headFold returns the fold of a whole log.
func headFold(r *trace.Recorder) *fold.Fold {
	head, _ := r.Head()
	return r.FoldAt(head)
}

func queueOf(release releases.Release, known informer.KeyListerGetter, o event.Observer) informer.Queue {
	switch release {
	case releases.V131:
		return informer.NewDeltaFIFOWithOptions(informer.DeltaFIFOOptions{KnownObjects: known, EmitDeltaTypeReplaced: true, Observer: o})
	case releases.V137:
		return informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true,
			EmitDeltaTypeBookmark: true, Observer: o})
	}
	return informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{KnownObjects: known, Observer: o})
}

// stir does one random thing to a queue.
func stir(t *testing.T, rng *rand.Rand, q informer.Queue, known informer.Store, object func() *metav1.ObjectMeta) {
	switch rng.IntN(24) {
	case 0:
		must(t, q.Resync())
	case 1:
		if b, ok := q.(informer.ReflectorBookmarkStore); ok {
			must(t, b.Bookmark("7"))
		}
	case 2:
		var list []any
		for range rng.IntN(4) {
			list = append(list, object())
		}
		must(t, q.Replace(list, "9"))
	case 3:
		must(t, known.Add(object()))
	case 4, 5, 6:
		must(t, q.Delete(object()))
	case 7, 8, 9:
		must(t, q.Add(object()))
	default:
		must(t, q.Update(object()))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	var key informer.KeyError
	if err != nil && !errors.As(err, &key) {
		t.Fatal(err)
	}
}
