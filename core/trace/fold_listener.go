package trace

import (
	"cmp"
	"slices"
	"time"

	"informerscope/core/informer"
)

// listener is one processorListener and its handler.
type listener struct {
	id            int32
	name          string
	ring          int
	capacity      int
	caps          []int
	waiting       bool
	accepted      int
	delivered     int
	handled       int
	panics        int
	lastPanic     string
	handling      bool
	now           qitem
	handlingSince time.Duration
	recent        [meanOver]time.Duration
	recentSum     time.Duration
	pace          time.Duration
	resync        time.Duration
	syncing       bool
	synced        bool
	removed       bool
	discarded     int
	mutations     int // objects that its handler mutated
	met           int // calls that received an object which another handler had mutated
	metOld        int // the same, as the old object of an update
	lastMet       Met
	rate          ListenerRate
}

// pending is how many notifications the listener has accepted and not yet delivered to its handler.
func (li *listener) pending() int {
	if li.waiting {
		return li.ring + 1
	}
	return li.ring
}

func (l *lane) listenerIndex(id int32) (int, bool) {
	// They are numbered from 1, so until one is removed there is nothing to search.
	if i := int(id) - 1; i >= 0 && i < len(l.listeners) && l.listeners[i].id == id {
		return i, true
	}
	return slices.BinarySearchFunc(l.listeners, id, func(x listener, id int32) int { return cmp.Compare(x.id, id) })
}

func (l *lane) listener(id int32) *listener {
	if i, ok := l.listenerIndex(id); ok {
		return &l.listeners[i]
	}
	return nil
}

func (l *lane) applyListener(e *Event) {
	switch e.Kind {
	case informer.KindListenerAdded:
		// A new processorListener takes part in resyncs until KindListenerSyncing changes that.
		n := listener{id: e.Listener, name: short(e.Text), resync: e.Dur, capacity: e.M, syncing: true}
		i, ok := l.listenerIndex(e.Listener)
		switch {
		case ok:
			l.listeners[i] = n
		case len(l.listeners) < maxListeners:
			l.listeners = slices.Insert(l.listeners, i, n)
		}
		return
	case informer.KindDistributed:
		return // each listener reports what it accepted
	}
	li := l.listener(e.Listener)
	if li == nil {
		return
	}
	switch e.Kind {
	case informer.KindListenerRemoved:
		li.removed = true
		l.pruneRemoved()
	case informer.KindListenerStopped:
		li.discarded += e.N
		li.ring, li.waiting, li.handling = 0, false, false
	case informer.KindListenerSyncing:
		li.syncing = e.Flag
	case informer.KindAccepted:
		li.accepted++
		li.rate.advance(e.At)
		li.rate.In++
		li.setRing(e.N)
		l.grow(li, e.M, e)
		if !e.Flag {
			li.waiting = true
		}
		l.challenge(li, e)
	case informer.KindDelivered:
		li.delivered++
		li.setRing(e.N)
		li.waiting = e.Flag
	case informer.KindHandling:
		li.handling = true
		li.now = qitem{seq: e.Seq, op: e.Op, key: e.Key, rv: e.RV}
		li.handlingSince = e.At
	case informer.KindHandled:
		slot := &li.recent[li.handled%meanOver]
		li.recentSum += e.Dur - *slot
		*slot = e.Dur
		li.handled++
		li.rate.advance(e.At)
		li.rate.Out++
		li.handling = false
		if e.Err != nil {
			li.panics++
			li.lastPanic = e.Err.Error()
			l.recent.Panicked = Happening{At: e.At, Listener: e.Listener}
		}
	case informer.KindListenerSynced:
		li.synced = true
	case KindHandlerSpeed:
		li.pace = e.Dur
	}
}

// grow notes a ring's capacity if it changed.
func (l *lane) grow(li *listener, capacity int, e *Event) {
	if capacity <= 0 || capacity == li.capacity {
		return
	}
	if capacity > li.capacity && li.capacity > 0 {
		l.recent.Grew = Happening{At: e.At, Listener: li.id, From: li.capacity, To: capacity}
	}
	if li.capacity > 0 && len(li.caps) < maxCaps {
		li.caps = append(li.caps, li.capacity)
	}
	li.capacity = capacity
}

func (li *listener) setRing(n int) { li.ring = max(n, 0) }

// pruneRemoved drops the oldest removed listeners.
func (l *lane) pruneRemoved() {
	gone := 0
	for i := range l.listeners {
		if l.listeners[i].removed {
			gone++
		}
	}
	for i := 0; i < len(l.listeners) && gone > keptRemoved; {
		if l.listeners[i].removed {
			l.listeners = slices.Delete(l.listeners, i, i+1)
			gone--
			continue
		}
		i++
	}
}
