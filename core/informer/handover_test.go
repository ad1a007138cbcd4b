package informer

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"k8s.io/klog/v2"
	"k8s.io/utils/buffer"
	"k8s.io/utils/clock"

	"informerscope/core/words/event"
)

// channelListener is client-go's processorListener as it is written there: two unbuffered channels, and the goroutine pop between them.
// Mirrors client-go tools/cache.(*processorListener).add, pop and run (v0.37.2).
type channelListener struct {
	addCh, nextCh chan notification
	ring          *buffer.TypedRingGrowing[notification]
	waiting       bool // state of pop that client-go keeps in local variables
	call          func(notification)
	ended         chan struct{}
}

func newChannelListener(call func(notification)) *channelListener {
	return &channelListener{addCh: make(chan notification), nextCh: make(chan notification), call: call, ended: make(chan struct{}),
		ring: buffer.NewTypedRingGrowing[notification](buffer.RingGrowingOptions{InitialSize: initialBufferSize})}
}

func (p *channelListener) pop() {
	defer close(p.nextCh)
	var nextCh chan<- notification
	var next notification
	ok := true
	for {
		select {
		case nextCh <- next:
			if next, ok = p.ring.ReadOne(); !ok {
				nextCh = nil
				p.waiting = false
			}
		case added, ok := <-p.addCh:
			if !ok {
				return
			}
			if nextCh == nil {
				next, nextCh = added, p.nextCh
				p.waiting = true
			} else {
				p.ring.WriteOne(added)
			}
		}
	}
}

func (p *channelListener) run() {
	defer close(p.ended)
	for n := range p.nextCh {
		p.call(n)
	}
}

// blockingHandler records its calls; each waits until it is released.
type blockingHandler struct {
	begins, ends []string
	release      chan struct{}
}

func (c *blockingHandler) call(n notification) {
	c.begins = append(c.begins, n.key)
	<-c.release
	c.ends = append(c.ends, n.key)
}

func (c *blockingHandler) OnAdd(obj any, _ bool) { c.call(obj.(notification)) }
func (c *blockingHandler) OnUpdate(_, obj any)   { c.call(obj.(notification)) }
func (c *blockingHandler) OnDelete(obj any)      { c.call(obj.(notification)) }

// TestHandoverIsThatOfChannels plays the same random schedule to a listener with a handover, and to one with channels and a goroutine. After each step
// both must have made the same calls of the handler, and must hold the same notifications.
func TestHandoverIsThatOfChannels(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playHandover(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func playHandover(t *testing.T, rnd *rand.Rand) {
	ours, theirs := &blockingHandler{release: make(chan struct{})}, &blockingHandler{release: make(chan struct{})}
	rec := &recorder{}
	p := newProcessorListener(ours, timedObserver(rec, clock.RealClock{}),
		listenerOptions{logger: klog.Background(), clock: clock.RealClock{}, id: 1, upstream: alreadyDone{}})
	q := newChannelListener(theirs.call)
	go p.run()
	go q.pop()
	go q.run()
	n, steps := 0, 60+rnd.IntN(200)
	add := func() {
		n++
		x := notification{op: event.OpAdded, key: fmt.Sprint("ns/", n), rv: fmt.Sprint(n)}
		x.obj = notification{key: x.key}
		p.accept(&x, p.observer.Now())
		q.addCh <- x
	}
	look := func(what string) {
		t.Helper()
		synctest.Wait()
		h := &p.handover
		if got, want := fmt.Sprint(ours.begins, ours.ends), fmt.Sprint(theirs.begins, theirs.ends); got != want {
			t.Fatalf("after %s the handler was called with\n%s\nwith channels\n%s", what, got, want)
		}
		if h.ring.Len() != q.ring.Len() || h.ring.Cap() != q.ring.Cap() || h.waiting != q.waiting {
			t.Fatalf("after %s the ring has %d of %d and something waits: %t; with channels %d of %d, %t", what,
				h.ring.Len(), h.ring.Cap(), h.waiting, q.ring.Len(), q.ring.Cap(), q.waiting)
		}
	}
	for range steps {
		switch rnd.IntN(8) {
		case 0:
			for range rnd.IntN(1500) {
				add()
			}
			look("a burst")
		case 1, 2, 3:
			add()
			look("one more")
		default:
			if len(ours.begins) > len(ours.ends) {
				ours.release <- struct{}{}
				theirs.release <- struct{}{}
				look("a return of the handler")
			}
		}
	}
	// Each event must describe the state when it was emitted.
	length, accepted, delivered := 0, 0, 0
	for _, e := range rec.prefix(rec.len()) {
		switch e.Kind {
		case event.KindAccepted:
			x := e.Accepted()
			accepted++
			if x.InRing {
				length++
			}
			if x.Ring != length || x.Capacity < x.Ring {
				t.Fatalf("accepted %s: the event has %d of %d, there were %d", x.Key, x.Ring, x.Capacity, length)
			}
		case event.KindDelivered:
			x := e.Delivered()
			delivered++
			if more := accepted > delivered; more != x.Waiting {
				t.Fatalf("delivered %s: the event has another waiting: %t, but of %d %d were taken", x.Key, x.Waiting, accepted, delivered)
			} else if more {
				length--
			}
			if x.Ring != length {
				t.Fatalf("delivered %s: the event has %d, there were %d", x.Key, x.Ring, length)
			}
		}
	}
	held := q.ring.Len()
	if q.waiting {
		held++
	}
	p.stop()
	close(q.addCh)
	close(ours.release)
	close(theirs.release)
	<-p.runFinished
	<-q.ended
	if stopped := rec.eventsOf(event.KindListenerStopped); len(stopped) != 1 || stopped[0].ListenerStopped().Discarded != held {
		t.Errorf("stopped with %v, with channels %d were discarded", stopped, held)
	}
	if got, want := fmt.Sprint(ours.ends), fmt.Sprint(theirs.ends); got != want {
		t.Errorf("at the end the handler had\n%s\nwith channels\n%s", got, want)
	}
}

// alreadyDone is a DoneChecker that is done from the start.
type alreadyDone struct{}

func (alreadyDone) Name() string { return "done" }

func (alreadyDone) Done() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
