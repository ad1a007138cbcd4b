package informer

import (
	"context"
	"fmt"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/buffer"
)

// channels are what stands between a processorListener's add and run: two
// unbuffered channels, and the ring of what has been taken from the one and not
// yet by the other. Without the Observer it is there for, it would be
// client-go's to the letter.
type channels struct {
	addCh  chan notification
	nextCh chan notification
	// reported has an item when pop has reported a delivery: run waits for it before it reports the handling.
	reported chan struct{}

	// The listener's lock guards what follows, together with the event that says how it changed.
	ring      *buffer.TypedRingGrowing[notification]
	waiting   bool // something waits at nextCh
	delivered int
	handled   int
	handling  bool
	discarded int
}

func newChannels() *channels {
	return &channels{
		addCh:    make(chan notification),
		nextCh:   make(chan notification),
		reported: make(chan struct{}, 1),
		ring:     buffer.NewTypedRingGrowing[notification](buffer.RingGrowingOptions{InitialSize: initialBufferSize}),
	}
}

// addToChannel hands ns to pop, which is always quick to take them.
// Mirrors client-go tools/cache.(*processorListener).add (v0.37.2).
func (p *processorListener) addToChannel(ns []notification) {
	for i := range ns {
		if ns[i].initialAdd() {
			p.tracker.start()
		}
		p.channels.addCh <- ns[i]
	}
}

// pop moves notifications from addCh to nextCh until addCh is closed; what has
// not been taken from nextCh by then is thrown away.
// Mirrors client-go tools/cache.(*processorListener).pop (v0.37.2).
func (p *processorListener) pop() {
	defer utilruntime.HandleCrashWithLogger(p.logger)
	defer close(p.channels.nextCh)
	defer close(p.done)
	if p.gateDone != nil {
		defer p.gateDone()
	}

	var nextCh chan<- notification // nil while there is nothing to deliver
	var next notification
	for {
		select {
		case nextCh <- next:
			var more bool
			if next, more = p.popped(&next); !more {
				nextCh = nil
			}
		case n, ok := <-p.channels.addCh:
			if !ok {
				p.discard()
				return
			}
			if !p.accepted(&n) {
				next, nextCh = n, p.channels.nextCh
			}
		}
	}
}

// observe reports something about n. The caller holds lock.
func (p *processorListener) observe(kind Kind, n *notification, e Event) {
	e.Kind, e.Listener, e.Op, e.Key, e.RV = kind, p.id, n.op, n.key, n.rv
	send(p.observer, e)
}

// accepted notes that pop took n, and says whether it went into the ring: if not, it waits at nextCh.
func (p *processorListener) accepted(n *notification) (intoRing bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	c := p.channels
	if intoRing = c.waiting; intoRing {
		c.ring.WriteOne(*n)
	}
	c.waiting = true
	p.observe(KindAccepted, n, Event{N: c.ring.Len(), M: c.ring.Cap(), Flag: intoRing})
	return intoRing
}

// popped notes that run took n, reads the next one from the ring and lets run go on.
func (p *processorListener) popped(n *notification) (next notification, more bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	c := p.channels
	next, c.waiting = c.ring.ReadOne()
	c.delivered++
	p.observe(KindDelivered, n, Event{N: c.ring.Len(), Flag: c.waiting})
	c.reported <- struct{}{}
	return next, c.waiting
}

// discard counts what is thrown away at the end.
func (p *processorListener) discard() {
	p.lock.Lock()
	defer p.lock.Unlock()
	c := p.channels
	if c.discarded = c.ring.Len(); c.waiting {
		c.discarded++
	}
}

// runFromChannel is run with an Observer.
// Mirrors client-go tools/cache.(*processorListener).run (v0.37.2).
func (p *processorListener) runFromChannel() {
	crashed := false
	for n := range p.channels.nextCh {
		<-p.channels.reported
		if crashed {
			p.clock.Sleep(time.Second)
		}
		if p.gates != nil {
			p.gates.Wait(p.gateCtx, StageDeliver, p.id)
		}
		crashed = !p.handle(&n)
		if crashed && p.pauseAtOnce {
			p.clock.Sleep(time.Second)
			crashed = false
		}
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	send(p.observer, Event{Kind: KindListenerStopped, Listener: p.id, N: p.channels.discarded})
}

// handle calls the handler, and says whether it returned.
func (p *processorListener) handle(n *notification) (returned bool) {
	start := time.Now()
	p.lock.Lock()
	p.channels.handling = true
	p.observe(KindHandling, n, Event{Flag: n.isInInitialList})
	p.lock.Unlock()
	handled := func(err error) {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.channels.handling = false
		p.channels.handled++
		p.observe(KindHandled, n, Event{Dur: time.Since(start), Err: err})
	}
	defer utilruntime.HandleCrashWithLogger(p.logger, func(_ context.Context, r any) {
		err, ok := r.(error)
		if !ok {
			err = fmt.Errorf("%v", r)
		}
		handled(fmt.Errorf("%w: %w", errHandlerPanicked, err))
	})
	p.callHandler(n)
	handled(nil)
	if n.initialAdd() {
		p.tracker.finished()
	}
	return true
}
