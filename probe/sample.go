package probe

import (
	"reflect"
	"sync/atomic"

	"k8s.io/client-go/tools/cache"
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
	s.queueKind, s.release = q.kind, q.release
	if !q.lock.TryRLock() {
		s.isLocked = true
		return
	}
	defer q.lock.RUnlock()
	if q.items != nil {
		s.depth = len(*q.items)
		for i := 0; i < s.depth && i < maxQueueCopy; i++ {
			s.entries = append(s.entries, newQueueEntry(&(*q.items)[i]))
		}
		return
	}
	s.depth = len(*q.keys)
	for i := 0; i < s.depth && len(s.entries) < maxQueueCopy; i++ {
		deltas := (*q.byKey)[(*q.keys)[i]]
		for j := range deltas {
			s.entries = append(s.entries, newQueueEntry(&deltas[j]))
		}
	}
}

func newQueueEntry(d *cache.Delta) queueEntry {
	w := queueEntry{}
	for o, name := range opNames {
		if name == string(d.Type) {
			w.op = op(o)
		}
	}
	switch d.Type {
	case cache.Added, cache.Updated, cache.Deleted, cache.Replaced, cache.Sync:
		w.key, w.rv = ident(d.Object)
	}
	return w
}

// findQueue returns the queue of a running informer.
func (l *lane) findQueue() *queueView {
	in := l.in
	if in.startedLock == nil || in.controller == nil || l.isOff("queue") || !in.startedLock.TryLock() {
		return nil
	}
	defer in.startedLock.Unlock()
	if *in.controller == nil {
		return nil
	}
	q, err := in.lookQueue()
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
	in := l.in
	if in.listenersLock == nil || l.isOff("listeners") || !in.listenersLock.TryRLock() {
		return nil
	}
	defer in.listenersLock.RUnlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.hasListeners = true
	for _, t := range l.timers {
		t.isListed = false
	}
	peers, err := in.peers()
	if err != nil {
		l.layersOff["listeners"] = err.Error()
		s.hasListeners = false
		return nil
	}
	for _, pl := range peers {
		t := l.peers[pl.addr]
		if t == nil { // added without the probe: only its address identifies it
			t = l.addTimed(*pl.handler)
			t.name, t.h = pl.name, nil
			l.peers[pl.addr] = t
		}
		t.isListed = true
		x := listenerSample{id: t.id, name: t.name, ring: -1, timed: t.h != nil}
		synced = append(synced, pl.synced)
		if err := pl.lookRing(); err != nil {
			if l.layersOff["rings"] == "" {
				l.layersOff["rings"] = err.Error()
			}
		} else {
			if x.exact = pl.pending != nil; x.exact {
				x.ring = int(pl.pending.Load())
			} else {
				x.ring = readRacy(pl.readable)
			}
			x.capacity = readRacy(pl.capacity)
		}
		s.listeners = append(s.listeners, x)
	}
	for addr, t := range l.peers {
		if !t.isListed { // removed; a new listener may have its address later
			delete(l.peers, addr)
		}
	}
	return synced
}

// equals reports whether two samples are the same.
func (s *sample) equals(o *sample) bool { return o != nil && reflect.DeepEqual(s, o) }
