package probe

import (
	"reflect"
	"sync/atomic"

	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// sample is the state of one informer at one moment, as far as client-go does not report it. Sampling never waits for the informer's locks: what is locked
// is left out this time. A sample is immutable.
type sample struct {
	synced, stopped bool
	rv              string

	queueKind, release string
	depth              int // -1: not seen
	isLocked           bool
	entries            []queueEntry // the first maxQueueCopy entries

	hasListeners bool
	listeners    []listenerSample
}

// queueEntry is one entry of the queue.
type queueEntry struct {
	op      op
	key, rv string
}

type listenerSample struct {
	id       int32
	name     string
	ring     int // -1: not seen
	capacity int
	synced   bool
	timed    bool
	exact    bool // client-go stores the length for other goroutines
}

// maxQueueCopy bounds the entries of a queue that are copied under its lock.
const maxQueueCopy = 1024

func (l *lane) sample() (s *sample) {
	var broken atomic.Bool
	defer func() {
		if broken.Load() {
			s = nil
		}
	}()
	defer l.contain("samples", &broken)
	if l.isOff("samples") {
		return nil
	}
	s = &sample{depth: -1}
	s.rv = l.inf.LastSyncResourceVersion()
	s.synced, s.stopped = l.inf.HasSynced(), l.inf.IsStopped()
	l.sampleQueue(s)
	l.sampleListeners(s)
	return s
}

func (l *lane) sampleQueue(s *sample) {
	q := l.queue.Load()
	if q == nil {
		if q = l.findQueue(); q == nil {
			return
		}
		l.queue.Store(q)
	}
	if s.queueKind, s.release = q.Kind, q.Release; s.release == "" {
		if s.release = releaseOf(version()); minorOf(version()) < 36 {
			s.release = "1.37"
		}
	}
	depth, isFree := q.TryRead(maxQueueCopy, func(d *cache.Delta) { s.entries = append(s.entries, newQueueEntry(d)) })
	s.depth, s.isLocked = depth, !isFree
}

func newQueueEntry(d *cache.Delta) queueEntry {
	w := queueEntry{op: opOf(d.Type)}
	switch d.Type {
	case cache.Added, cache.Updated, cache.Deleted, cache.Replaced, cache.Sync:
		w.key, w.rv = ident(d.Object)
	}
	return w
}

// findQueue returns the queue of a running informer.
func (l *lane) findQueue() *joints.Queue {
	if l.isOff("queue") {
		return nil
	}
	q, err := l.in.TryQueue()
	if err != nil {
		l.disable("queue", err.Error())
		return nil
	}
	return q
}

func (l *lane) sampleListeners(s *sample) {
	synced := l.lookListeners(s)
	// Before 0.36, HasSynced of a listener waits for the queue's lock, which is held while an object is processed. The processing goroutine may wait for
	// the listeners' lock, and a failed hook for the probe's. So neither lock is held here.
	for i, isSynced := range synced {
		s.listeners[i].synced = isSynced != nil && isSynced()
	}
}

// lookListeners samples the listeners. It returns a function for each, which reports whether the listener has synced and may wait for a lock.
func (l *lane) lookListeners(s *sample) (synced []func() bool) {
	if l.isOff("listeners") {
		return nil
	}
	l.in.TryListeners(func(all []*joints.Listener, err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, t := range l.timers {
			t.isListed = false
		}
		if err != nil {
			l.layersOff["listeners"] = err.Error()
			return
		}
		s.hasListeners = true
		sortByName(all)
		for _, from := range all {
			synced = append(synced, from.HasSynced)
			s.listeners = append(s.listeners, l.sampleListenerLocked(from))
		}
		for addr, t := range l.peers {
			if !t.isListed { // removed; a new listener may have its address later
				delete(l.peers, addr)
			}
		}
	})
	return synced
}

func (l *lane) sampleListenerLocked(from *joints.Listener) listenerSample {
	t := l.peers[from.Address]
	if t == nil { // added without the probe: only its address identifies it
		t = l.addTimed(from.Handler())
		t.name, t.h = from.Name, nil
		l.peers[from.Address] = t
	}
	t.isListed = true
	x := listenerSample{id: t.id, name: t.name, ring: -1, timed: t.h != nil}
	if ring, err := from.Ring(); err == nil {
		x.ring, x.capacity, x.exact = ring.Length, ring.Capacity, ring.IsExact
	} else if l.layersOff["rings"] == "" {
		l.layersOff["rings"] = err.Error()
	}
	return x
}

// equals reports whether two samples are the same.
func (s *sample) equals(o *sample) bool { return o != nil && reflect.DeepEqual(s, o) }
