package probe

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.org/informerscope/probe/internal/joints"
)

// A handler adds keys on the goroutine of its call, and a reconciler reads and writes on that of its worker. So the goroutine joins an entry of a work queue to
// the call that made it, and a read or a write to its reconcile. What is done on other goroutines is joined by the context that Reconcile returns, or not.

// scenes says what goroutines do now. There is one while a viewer is attached.
type scenes struct {
	calls [maxScenes]callScene
	works [maxScenes]workScene
}

const (
	// maxScenes is how many calls, and how many keys in work, have a place at the same time.
	maxScenes = 512
	// maxSteps is how many places a goroutine may have.
	maxSteps = 8
)

// callScene is a handler's call. Only its own goroutine reads and writes what stands below goroutine.
type callScene struct {
	goroutine        atomic.Uintptr
	lane             uint8
	listener         int32
	op               op
	key, rv, deleted string // deleted is the UID of an object that was deleted
}

type workScene struct {
	goroutine atomic.Uintptr
	work      atomic.Pointer[reconcile]
}

// reconcile is a worker's work on a key, from the moment when it took the key.
type reconcile struct {
	lane   uint8
	worker int32
	key    string
	since  time.Time
	place  *workScene // nil for none

	isShared   atomic.Bool // its goroutine took another key too, so it is not known for which one the goroutine does something
	isReported atomic.Bool // its end is logged
	hasEnded   atomic.Bool
}

// sceneOf returns the place of a goroutine, and the next ones.
func sceneOf(goroutine uintptr, step int) int {
	return (int(goroutine>>6*0x9e3779b1>>9) + step) & (maxScenes - 1)
}

// beginCall notes that this goroutine runs a handler's call; nil if there is no place.
func (s *scenes) beginCall(g uintptr) *callScene {
	if s == nil || g == 0 {
		return nil
	}
	for i := 0; i < maxSteps; i++ {
		if x := &s.calls[sceneOf(g, i)]; x.goroutine.CompareAndSwap(0, g) {
			return x
		}
	}
	return nil
}

func (x *callScene) end() {
	x.key, x.rv, x.deleted = "", "", ""
	x.goroutine.Store(0)
}

// call returns the handler's call that a goroutine runs, which must be the caller's; nil for none.
func (s *scenes) call(g uintptr) *callScene {
	if s == nil || g == 0 {
		return nil
	}
	for i := 0; i < maxSteps; i++ {
		if x := &s.calls[sceneOf(g, i)]; x.goroutine.Load() == g {
			return x
		}
	}
	return nil
}

// beginWork notes that a goroutine works on a key.
func (s *scenes) beginWork(g uintptr, r *reconcile) {
	if s == nil || g == 0 {
		return
	}
	if other := s.work(g); other != nil {
		other.isShared.Store(true)
		r.isShared.Store(true)
		return
	}
	for i := 0; i < maxSteps; i++ {
		if x := &s.works[sceneOf(g, i)]; x.goroutine.CompareAndSwap(0, g) {
			r.place = x
			x.work.Store(r)
			return
		}
	}
}

// end frees the place of the work, on any goroutine.
func (r *reconcile) end() {
	r.hasEnded.Store(true)
	if x := r.place; x != nil && x.work.CompareAndSwap(r, nil) {
		x.goroutine.Store(0)
	}
}

// work returns the work of a goroutine, nil for none.
func (s *scenes) work(g uintptr) *reconcile {
	if s == nil || g == 0 {
		return nil
	}
	for i := 0; i < maxSteps; i++ {
		if x := &s.works[sceneOf(g, i)]; x.goroutine.Load() == g {
			return x.work.Load()
		}
	}
	return nil
}

// present returns the reconcile to which a read on this goroutine belongs, nil for none.
func (p *Probe) present() *reconcile {
	if r := p.scenes.Load().work(joints.Goroutine()); r != nil && !r.isShared.Load() {
		return r
	}
	return nil
}

// reconcileKey is under which a context has its reconcile.
type reconcileKey struct{}

// presentIn is present for a caller with a context, which knows better.
func (p *Probe) presentIn(ctx context.Context) *reconcile {
	if r, ok := ctx.Value(reconcileKey{}).(*reconcile); ok && !r.hasEnded.Load() {
		return r
	}
	return p.present()
}

// Reconcile tells the probe that a worker begins to reconcile a key that it took from a queue of NewQueue, and returns what tells it the end:
//
//	ctx, done := p.Reconcile(ctx, key)
//	err := c.reconcile(ctx, key)
//	done(err)
//
// So the recording has the reconcile's exact duration and whether it failed, and writes with this context are its own on any goroutine. Without it, a reconcile
// lasts from Get to Done, and only what its goroutine writes is seen. The context differs from ctx only by one value; it is ctx if no viewer is attached.
func (p *Probe) Reconcile(ctx context.Context, key interface{}) (_ context.Context, done func(error)) {
	r := p.find(key)
	if r == nil {
		return ctx, func(error) {}
	}
	begin := time.Now()
	return context.WithValue(ctx, reconcileKey{}, r), func(err error) { p.endReconcile(r, time.Since(begin), err) }
}

// find returns the work on a key: that of this goroutine, or else the only one on the key.
func (p *Probe) find(key interface{}) (found *reconcile) {
	if !p.attached.Load() {
		return nil
	}
	defer func() {
		if recover() != nil { // the String method of a key failed
			found = nil
		}
	}()
	if found = p.present(); found != nil {
		return found
	}
	name := keyOf(key)
	p.lanesMu.Lock()
	queues := append([]workView(nil), p.queues...)
	p.lanesMu.Unlock()
	for _, w := range queues {
		if r := w.workOn(name); r != nil {
			if found != nil {
				return nil
			}
			found = r
		}
	}
	return found
}

func (p *Probe) endReconcile(r *reconcile, took time.Duration, err error) {
	if !p.attached.Load() || r.hasEnded.Load() || !r.isReported.CompareAndSwap(false, true) {
		return
	}
	p.emit(event{kind: evReconciled, lane: r.lane, key: r.key, listener: r.worker, dur: took, flag: err != nil, more: failureOf(err)})
}

// failureOf returns what a recording says of an error: never its text. An answer of the API server has a code and a reason; of another error only the type is
// left.
func failureOf(err error) (why *lineError) {
	if err == nil {
		return nil
	}
	defer func() {
		if recover() != nil { // a method of the error failed
			why = &lineError{Message: "the reconciler returned an error"}
		}
	}()
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		why = statusError(int(s.Code))
		why.Reason = cut(string(s.Reason))
		return why
	}
	return &lineError{Message: fmt.Sprintf("the reconciler returned a %T", err)}
}
