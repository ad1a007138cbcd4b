package informer

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"informerscope/core/words/event"
)

// sharedProcessor distributes notifications to listeners: to all of them or, for updates that changed nothing, to those that are syncing. Every
// listener starts syncing; shouldResync decides again each time.
type sharedProcessor struct {
	listenersLock sync.RWMutex
	// started wakes distribute when listenersStarted or listeners change. Its waiters hold a read lock of listenersLock.
	started          *sync.Cond
	listenersStarted bool
	// listeners are in the order in which they were added.
	listeners     []*processorListener
	clock         clock.Clock
	observer      event.Observer
	timedObserver event.TimedObserver // observer with a clock
	gates         event.Gates
	wg            sync.WaitGroup
	// distributeEvent is reused for the Observer. It belongs to the process loop, the only goroutine that distributes.
	distributeEvent [1]event.Event
}

func newSharedProcessor(c clock.Clock, o event.Observer, g event.Gates) *sharedProcessor {
	p := &sharedProcessor{clock: c, observer: o, gates: g}
	if o != nil {
		p.timedObserver = timedObserver(o, c)
	}
	p.started = sync.NewCond(p.listenersLock.RLocker())
	return p
}

// addListener registers l and reports whether it runs. If so, the caller must start watchSynced once it has added the initial list, unless l asks the
// informer itself.
func (p *sharedProcessor) addListener(l *processorListener) bool {
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	p.listeners = append(p.listeners, l)
	if p.observer != nil {
		send(p.observer, event.ListenerAdded{Listener: l.id, Name: l.name, Resync: l.resyncPeriod, Capacity: l.handover.ring.Cap(), Late: p.listenersStarted}.Event())
	}
	if p.listenersStarted {
		p.start(l)
	}
	return p.listenersStarted
}

// removeListener ends a listener and discards what it has not delivered.
func (p *sharedProcessor) removeListener(handle ResourceEventHandlerRegistration) error {
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	l, ok := handle.(*processorListener)
	if !ok {
		return fmt.Errorf("invalid registration of type %T: pass what AddEventHandler returned", handle)
	}
	i := slices.Index(p.listeners, l)
	if i < 0 {
		return nil
	}
	p.listeners = slices.Delete(p.listeners, i, i+1)
	if p.observer != nil {
		send(p.observer, event.ListenerRemoved{Listener: l.id}.Event())
	}
	if p.listenersStarted {
		l.stop()
	} else {
		if l.gateDone != nil {
			l.gateDone()
		}
		close(l.runFinished)
	}
	return nil
}

// distribute passes notifications to every listener, those with sync only to listeners that are syncing.
func (p *sharedProcessor) distribute(ns []notification) {
	p.listenersLock.RLock()
	defer p.listenersLock.RUnlock()
	for !p.listenersStarted && len(p.listeners) > 0 {
		p.started.Wait()
	}
	if p.observer != nil {
		now := unknownTime
		for i := range ns {
			if i%momentLength == 0 {
				now = unknownTime
			}
			now = keepTime(p.distributeObserved(&ns[i], now))
		}
		yield(p.gates)
		return
	}
	for _, l := range p.listeners {
		if l.syncing {
			l.add(ns...)
			continue
		}
		from := 0
		for i := range ns {
			if ns[i].sync {
				l.add(ns[from:i]...)
				from = i + 1
			}
		}
		l.add(ns[from:]...)
	}
}

// momentLength is how many notifications count as one moment for a coarse clock.
const momentLength = 8

// distributeObserved distributes one notification and reports it at the time now, which may be unknownTime. It returns the time.
func (p *sharedProcessor) distributeObserved(n *notification, now time.Duration) time.Duration {
	if n.op != event.OpUpdated {
		n.rv = rvOf(n.obj)
	}
	e := event.Distributed{Op: n.op, Key: n.key, RV: n.rv, InitialList: n.isInInitialList, Obj: n.obj, Old: n.old}
	if n.sync {
		e.Only = "sync"
	}
	for _, l := range p.listeners {
		if !n.sync || l.syncing {
			e.Listeners++
		}
	}
	p.distributeEvent[0].SetDistributed(e)
	now = observeAt(p.timedObserver, now, p.distributeEvent[:])
	for _, l := range p.listeners {
		if !n.sync || l.syncing {
			l.accept(n, now)
		}
	}
	return now
}

// run runs the listeners until ctx is done.
func (p *sharedProcessor) run(ctx context.Context) {
	p.startListeners()
	<-ctx.Done()
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	for _, l := range p.listeners {
		l.stop()
	}
	p.listeners = nil // a listener cannot be used again
	p.listenersStarted = false
	p.started.Broadcast()
	p.wg.Wait()
}

func (p *sharedProcessor) startListeners() {
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	for _, l := range p.listeners {
		if l.informerSynced == nil {
			p.wg.Go(l.watchSynced)
		}
		p.start(l)
	}
	p.listenersStarted = true
	p.started.Broadcast()
}

// start starts the goroutine of a listener. The caller holds listenersLock.
func (p *sharedProcessor) start(l *processorListener) {
	p.wg.Go(l.run)
}

// shouldResync decides which listeners take part in resyncs from now on, and reports whether any does.
func (p *sharedProcessor) shouldResync() bool {
	p.listenersLock.Lock()
	defer p.listenersLock.Unlock()
	needed := false
	now := p.clock.Now()
	for _, l := range p.listeners {
		syncing := l.shouldResync(now)
		if syncing != l.syncing && p.observer != nil {
			send(p.observer, event.ListenerSyncing{Listener: l.id, Syncing: syncing}.Event())
		}
		l.syncing = syncing
		if syncing {
			needed = true
			l.determineNextResync(now)
		}
	}
	return needed
}

// resyncCheckPeriodChanged adjusts the listeners to a new check period.
func (p *sharedProcessor) resyncCheckPeriodChanged(logger klog.Logger, check time.Duration) {
	p.listenersLock.RLock()
	defer p.listenersLock.RUnlock()
	for _, l := range p.listeners {
		l.setResyncPeriod(determineResyncPeriod(logger, l.requestedResyncPeriod, check))
	}
}
