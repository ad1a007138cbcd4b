package fold

import (
	"cmp"
	"slices"
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/words/event"
)

// listener is one processorListener and its handler.
type listener struct {
	id            int32
	name          string
	ring          int
	capacity      int
	caps          []int
	waiting       bool
	lastDelivery  qitem // the last notification that pop gave to the handler
	acceptCount   int
	deliveryCount int
	callCount     int
	panics        int
	lastPanic     string
	handling      bool
	current       qitem
	handlingSince time.Duration
	recent        [meanOver]time.Duration
	recentSum     time.Duration
	pace          time.Duration
	resync        time.Duration
	syncing       bool
	synced        bool
	removed       bool
	discardCount  int
	mutations     int // objects that its handler mutated
	metCount      int // calls that received an object which another handler had mutated
	metOld        int // the same, as the old object of an update
	lastMet       Met
	drops         []drop
	forkCalls     facts.Calls // since the fork, in one
}

// drop is what one predicate threw away. Once there are maxDrops, the last one is of several predicates.
type drop struct {
	predicate string
	counts    [event.OpBookmark + 1]int
	last      qitem
}

func (li *listener) drop(x event.PredicateDropped, seq uint64) {
	name := Shorten(x.Predicate)
	i := slices.IndexFunc(li.drops, func(d drop) bool { return d.predicate == name })
	switch {
	case i >= 0:
	case len(li.drops) < maxDrops:
		i = len(li.drops)
		li.drops = append(li.drops, drop{predicate: name})
	default:
		i = maxDrops - 1
		li.drops[i].predicate = "…"
	}
	if int(x.Op) < len(li.drops[i].counts) {
		li.drops[i].counts[x.Op]++
	}
	li.drops[i].last = qitem{seq: seq, op: x.Op, key: x.Key, rv: x.RV}
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

// ListenerName returns the name of a lane's handler, "" if there is none.
func (f *Fold) ListenerName(lane int, id int32) string {
	if lane < 0 || lane >= len(f.lanes) {
		return ""
	}
	if li := f.lanes[lane].listener(id); li != nil {
		return li.name
	}
	return ""
}

// ResourceName returns the resource of a lane's informer; "" if there is no such lane.
func (f *Fold) ResourceName(lane int) string {
	if lane < 0 || lane >= len(f.lanes) {
		return ""
	}
	return f.sel.ForTarget(f.lanes[lane].identity.Target).Resource
}

func (l *lane) applyListener(e *event.Entry) {
	switch e.Kind {
	case event.KindListenerAdded:
		// A new processorListener takes part in resyncs until KindListenerSyncing changes that.
		listenerAdded := e.ListenerAdded()
		n := listener{id: listenerAdded.Listener, name: Shorten(listenerAdded.Name), resync: listenerAdded.Resync, capacity: listenerAdded.Capacity, syncing: true}
		i, ok := l.listenerIndex(listenerAdded.Listener)
		switch {
		case ok:
			l.listeners[i] = n
		case len(l.listeners) < MaxListeners:
			l.listeners = slices.Insert(l.listeners, i, n)
		}
		return
	case event.KindDistributed:
		return // each listener reports what it accepted
	}
	li := l.listener(e.Listener())
	if li == nil {
		return
	}
	switch e.Kind {
	case event.KindListenerRemoved:
		li.removed = true
		l.pruneRemoved()
	case event.KindListenerStopped:
		li.discardCount += e.ListenerStopped().Discarded
		li.ring, li.waiting, li.handling = 0, false, false
	case event.KindListenerSyncing:
		li.syncing = e.ListenerSyncing().Syncing
	case event.KindAccepted:
		x := e.Accepted()
		li.acceptCount++
		li.setRing(x.Ring)
		li.grow(x.Capacity)
		if !x.InRing {
			li.waiting = true
		}
	case event.KindDelivered:
		x := e.Delivered()
		li.deliveryCount++
		li.setRing(x.Ring)
		li.waiting = x.Waiting
		li.lastDelivery = qitem{seq: e.Seq, op: x.Op, key: x.Key, rv: x.RV}
	case event.KindHandling:
		x := e.Handling()
		li.handling = true
		li.current = qitem{seq: e.Seq, op: x.Op, key: x.Key, rv: x.RV}
		li.handlingSince = e.At
	case event.KindHandled:
		x := e.Handled()
		slot := &li.recent[li.callCount%meanOver]
		li.recentSum += x.Took - *slot
		*slot = x.Took
		li.callCount++
		li.handling = false
		if x.Err != nil {
			li.panics++
			li.lastPanic = x.Err.Error()
		}
	case event.KindPredicateDropped:
		li.drop(e.PredicateDropped(), e.Seq)
	case event.KindListenerSynced:
		li.synced = true
	case event.KindHandlerSpeed:
		li.pace = e.HandlerSpeed().Extra
	}
}

// grow notes a ring's capacity if it changed.
func (li *listener) grow(capacity int) {
	if capacity <= 0 || capacity == li.capacity {
		return
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
