package informer

import (
	"context"
	"fmt"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/buffer"
)

// handover is what stands between a processorListener's add and run when there is an Observer: what client-go's two unbuffered channels, addCh
// and nextCh, and its goroutine pop between them do, as the two steps that pop is made of. Pop waits for somebody to hand over or to take, and
// for nothing else; so whoever hands over (add) or takes (run) does pop's step itself, under the listener's lock, and two goroutine switches a
// notification are saved. The ring is client-go's own. That a handler and the log see what they would see of the channels and the goroutine is
// held by TestHandoverIsThatOfChannels and, for whole informers, by the conformance tests.
//
// Mirrors client-go tools/cache.(*processorListener).pop (v0.37.2).
type handover struct {
	ring *buffer.TypedRingGrowing[notification]
	// next waits at nextCh if waiting is set.
	next    notification
	waiting bool

	delivered int
	handled   int
	handling  bool
	discarded int

	// began is when the handler was called, on the Observer's clock.
	began time.Duration
	// accepted and steps are lent to the Observer. Steps are the end of one call of the handler and the way to the next.
	accepted [1]Event
	steps    [3]Event
}

// The places in handover.steps.
const (
	stepHandled = iota
	stepDelivered
	stepHandling
	stepsEnd
)

func newHandover(listener int32) *handover {
	h := &handover{ring: buffer.NewTypedRingGrowing[notification](buffer.RingGrowingOptions{InitialSize: initialBufferSize})}
	h.accepted[0].Listener = listener
	for i := range h.steps {
		h.steps[i].Listener = listener
	}
	return h
}

// of makes an event that is used again be about n.
func (e *Event) of(n *notification) { e.Op, e.Key, e.RV = n.op, n.key, n.rv }

// accept does what pop does when it receives n from addCh: n waits at nextCh if nothing else does, or goes into the ring. Listeners that get
// it one after the other get it at the same moment: to read the clock takes longer than the way from one to the next.
func (p *processorListener) accept(n *notification, now time.Duration) {
	if n.initialAdd() {
		p.tracker.start()
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.closed.Load() {
		return
	}
	h := p.handover
	intoRing := h.waiting
	if intoRing {
		h.ring.WriteOne(*n)
	} else {
		h.next, h.waiting = *n, true
	}
	e := &h.accepted[0]
	e.of(n)
	e.Kind, e.N, e.M, e.Flag = KindAccepted, h.ring.Len(), h.ring.Cap(), intoRing
	p.timed.ObserveAt(now, h.accepted[:])
	p.wakeLocked()
}

// takeLocked does what pop does when nextCh takes what waits there: the next one is read from the ring. It prepares the event.
func (p *processorListener) takeLocked() notification {
	h := p.handover
	n := h.next
	h.next, h.waiting = h.ring.ReadOne()
	h.delivered++
	e := &h.steps[stepDelivered]
	e.of(&n)
	e.Kind, e.N, e.Flag = KindDelivered, h.ring.Len(), h.waiting
	return n
}

// beginLocked prepares the event of a handler's call that begins now.
func (p *processorListener) beginLocked(n *notification, now time.Duration) {
	h := p.handover
	h.handling, h.began = true, now
	e := &h.steps[stepHandling]
	e.of(n)
	e.Kind, e.Flag = KindHandling, n.isInInitialList
}

// endLocked prepares the event of a handler's call that has ended now.
func (p *processorListener) endLocked(n *notification, now time.Duration, err error) {
	h := p.handover
	h.handling = false
	h.handled++
	e := &h.steps[stepHandled]
	e.of(n)
	e.Kind, e.Dur, e.Err = KindHandled, now-h.began, err
}

// discard throws away what has not been taken.
func (h *handover) discard() {
	if h.discarded = h.ring.Len(); h.waiting {
		h.discarded++
	}
	h.next, h.waiting = notification{}, false
}

// runObserved is run with an Observer. Where something waits already when the handler returns, the end of one call and the beginning of the
// next are one moment, and are reported as that.
// Mirrors client-go tools/cache.(*processorListener).run (v0.37.2).
func (p *processorListener) runObserved() {
	h := p.handover
	var n notification
	returned, crashed := false, false // what the handler did with n
	for {
		p.lock.Lock()
		now := p.timed.Now()
		first := stepDelivered // of the steps that are to be reported
		if returned {
			p.endLocked(&n, now, nil)
			first = stepHandled
			if !h.waiting || n.initialAdd() {
				p.timed.ObserveAt(now, h.steps[stepHandled:stepDelivered])
				first = stepDelivered
				if n.initialAdd() {
					p.lock.Unlock()
					p.tracker.finished()
					p.lock.Lock()
				}
			}
		}
		if first == stepDelivered {
			n = notification{} // let go of what it referred to
			if !p.waitLocked() {
				send(p.observer, Event{Kind: KindListenerStopped, Listener: p.id, N: h.discarded})
				p.lock.Unlock()
				return
			}
			now = p.timed.Now()
		}
		n = p.takeLocked()
		if crashed || p.gates != nil {
			p.timed.ObserveAt(now, h.steps[first:stepHandling])
			p.lock.Unlock()
			p.hold(crashed)
			p.lock.Lock()
			now, first = p.timed.Now(), stepHandling
		}
		p.beginLocked(&n, now)
		p.timed.ObserveAt(now, h.steps[first:])
		p.lock.Unlock()
		returned = p.call(&n)
		if crashed = !returned; crashed && p.pauseAtOnce {
			p.clock.Sleep(time.Second)
			crashed = false
		}
	}
}

// hold lets pass what stands between a notification that was taken and the handler's call: a second after a panic, and StageDeliver.
func (p *processorListener) hold(crashed bool) {
	if crashed {
		p.clock.Sleep(time.Second)
	}
	if p.gates != nil {
		p.gates.Wait(p.gateCtx, StageDeliver, p.id)
	}
}

// call calls the handler, and says whether it returned. A panic is reported before it goes on to whoever stops or logs it.
func (p *processorListener) call(n *notification) (returned bool) {
	defer utilruntime.HandleCrashWithLogger(p.logger, func(_ context.Context, r any) {
		err, ok := r.(error)
		if !ok {
			err = fmt.Errorf("%v", r)
		}
		p.lock.Lock()
		defer p.lock.Unlock()
		now := p.timed.Now()
		p.endLocked(n, now, fmt.Errorf("%w: %w", errHandlerPanicked, err))
		p.timed.ObserveAt(now, p.handover.steps[stepHandled:stepDelivered])
	})
	p.callHandler(n)
	return true
}
