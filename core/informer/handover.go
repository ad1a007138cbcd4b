package informer

import (
	"context"
	"fmt"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/buffer"

	"informerscope/core/words/event"
)

// handover connects a processorListener's add and run if there is an Observer. It does what client-go's unbuffered channels addCh and nextCh and the
// goroutine pop between them do, in the same two steps. pop only ever waits for a sender or a receiver. So the goroutine that sends (in add) or
// receives (in run) can do pop's step itself, under the listener's lock. That saves two goroutine switches per notification. The ring is client-go's
// own.
//
// TestHandoverIsThatOfChannels checks that a handler and the log see the same as with the channels and the goroutine; the conformance tests do so for
// whole informers.
//
// Mirrors client-go tools/cache.(*processorListener).pop (v0.37.2).
type handover struct {
	ring *buffer.TypedRingGrowing[notification]
	// next is the notification at nextCh, if waiting is set.
	next    notification
	waiting bool

	delivered int
	handled   int
	handling  bool
	discarded int

	// handlingStart is when the handler was called, on the Observer's clock.
	handlingStart time.Duration
	// acceptEvent and stepEvents are reused for the Observer. stepEvents are the end of one call of the handler and the steps to the next.
	acceptEvent [1]event.Event
	stepEvents  [3]event.Event
}

// The indices in handover.steps.
const (
	stepHandled = iota
	stepDelivered
	stepHandling
	stepsEnd
)

func newHandover() *handover {
	return &handover{ring: buffer.NewTypedRingGrowing[notification](buffer.RingGrowingOptions{InitialSize: initialBufferSize})}
}

// accept does what pop does when it receives n from addCh: n waits at nextCh if nothing else does, otherwise it goes into the ring. Listeners that get
// it one after the other can share one now, because reading the clock takes longer than going from one to the next.
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
	h.acceptEvent[0].SetAccepted(event.Accepted{
		Listener: p.id, Op: n.op, Key: n.key, RV: n.rv, Ring: h.ring.Len(), Capacity: h.ring.Cap(), InRing: intoRing})
	p.timedObserver.ObserveAt(now, h.acceptEvent[:])
	p.wakeLocked()
}

// takeLocked does what pop does when nextCh delivers its notification: it reads the next one from the ring. It prepares the event.
func (p *processorListener) takeLocked() notification {
	h := p.handover
	n := h.next
	h.next, h.waiting = h.ring.ReadOne()
	h.delivered++
	h.stepEvents[stepDelivered].SetDelivered(event.Delivered{
		Listener: p.id, Op: n.op, Key: n.key, RV: n.rv, Ring: h.ring.Len(), Waiting: h.waiting})
	return n
}

// beginLocked prepares the event for a call of the handler that begins now.
func (p *processorListener) beginLocked(n *notification, now time.Duration) {
	h := p.handover
	h.handling, h.handlingStart = true, now
	h.stepEvents[stepHandling].SetHandling(event.Handling{Listener: p.id, Op: n.op, Key: n.key, RV: n.rv, InitialList: n.isInInitialList})
}

// endLocked prepares the event for a call of the handler that has ended now.
func (p *processorListener) endLocked(n *notification, now time.Duration, err error) {
	h := p.handover
	h.handling = false
	h.handled++
	h.stepEvents[stepHandled].SetHandled(event.Handled{Listener: p.id, Op: n.op, Key: n.key, RV: n.rv, Took: now - h.handlingStart, Err: err})
}

// discard drops everything that was not delivered.
func (h *handover) discard() {
	if h.discarded = h.ring.Len(); h.waiting {
		h.discarded++
	}
	h.next, h.waiting = notification{}, false
}

// runObserved is run with an Observer. If the next notification already waits when the handler returns, the end of one call and the beginning of the
// next are reported as one moment.
// Mirrors client-go tools/cache.(*processorListener).run (v0.37.2).
func (p *processorListener) runObserved() {
	h := p.handover
	var n notification
	returned, crashed := false, false // whether the handler returned from n, or panicked
	for {
		p.lock.Lock()
		now := p.timedObserver.Now()
		first := stepDelivered // the first of the steps to report
		if returned {
			p.endLocked(&n, now, nil)
			first = stepHandled
			if !h.waiting || n.initialAdd() {
				p.timedObserver.ObserveAt(now, h.stepEvents[stepHandled:stepDelivered])
				first = stepDelivered
				if n.initialAdd() {
					p.lock.Unlock()
					p.tracker.finish()
					p.lock.Lock()
				}
			}
		}
		if first == stepDelivered {
			n = notification{} // release its objects
			if !p.waitLocked() {
				send(p.observer, event.ListenerStopped{Listener: p.id, Discarded: h.discarded}.Event())
				p.lock.Unlock()
				return
			}
			now = p.timedObserver.Now()
		}
		n = p.takeLocked()
		if crashed || p.gates != nil {
			p.timedObserver.ObserveAt(now, h.stepEvents[first:stepHandling])
			p.lock.Unlock()
			p.hold(crashed)
			p.lock.Lock()
			now, first = p.timedObserver.Now(), stepHandling
		}
		p.beginLocked(&n, now)
		p.timedObserver.ObserveAt(now, h.stepEvents[first:])
		p.lock.Unlock()
		returned = p.call(&n)
		if crashed = !returned; crashed && p.pauseAtOnce {
			p.clock.Sleep(time.Second)
			crashed = false
		}
	}
}

// hold waits between taking a notification and calling the handler: a second after a panic, and at StageDeliver.
func (p *processorListener) hold(crashed bool) {
	if crashed {
		p.clock.Sleep(time.Second)
	}
	if p.gates != nil {
		p.gates.Wait(p.gateCtx, event.StageDeliver, p.id)
	}
}

// call calls the handler, and reports whether it returned. It reports a panic to the Observer before the panic handlers run or the process ends.
func (p *processorListener) call(n *notification) (returned bool) {
	defer utilruntime.HandleCrashWithLogger(p.logger, func(_ context.Context, r any) {
		err, ok := r.(error)
		if !ok {
			err = fmt.Errorf("%v", r)
		}
		p.lock.Lock()
		defer p.lock.Unlock()
		now := p.timedObserver.Now()
		p.endLocked(n, now, fmt.Errorf("%w: %w", errHandlerPanicked, err))
		p.timedObserver.ObserveAt(now, p.handover.stepEvents[stepHandled:stepDelivered])
	})
	p.callHandler(n)
	return true
}
