package workqueue

import (
	"container/heap"
	"time"

	"informerscope/core/words/event"

	"k8s.io/utils/clock"
)

// TypedDelayingInterface is a work queue with delayed adds. It has the methods of client-go's interface of that name. All methods are safe for
// concurrent use.
type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	// AddAfter adds item after duration.
	AddAfter(item T, duration time.Duration)
}

// TypedDelayingQueueConfig configures a delaying queue. Its fields are those of TypedQueueConfig.
type TypedDelayingQueueConfig[T comparable] struct {
	Name     string
	Clock    clock.WithTicker
	Observer event.Observer
	Gate     Gate
}

// TypedDelayingQueue is a work queue with a heap of keys that are not due yet. It owns one goroutine, which ends when the queue is shut down.
type TypedDelayingQueue[T comparable] struct {
	*Typed[T]

	// waitingItems is a heap ordered by due time; byItem finds a key in it. Typed.mu guards both. In client-go a goroutine owns them and receives keys over
	// a channel. Here a key is never in transit between the two.
	waitingItems waitingHeap[T]
	byItem       map[T]*waitingItem[T]

	// wake has room for one signal: the head of the heap has changed.
	wake chan struct{}
}

// NewTypedDelayingQueue returns a delaying queue with the default config.
func NewTypedDelayingQueue[T comparable]() *TypedDelayingQueue[T] {
	return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{})
}

// NewTypedDelayingQueueWithConfig returns a delaying queue and starts its goroutine.
func NewTypedDelayingQueueWithConfig[T comparable](config TypedDelayingQueueConfig[T]) *TypedDelayingQueue[T] {
	q := &TypedDelayingQueue[T]{
		Typed:  NewTypedWithConfig(TypedQueueConfig[T](config)),
		byItem: map[T]*waitingItem[T]{},
		wake:   make(chan struct{}, 1),
	}
	q.wg.Go(q.addWhenDue)
	return q
}

// AddAfter adds item after duration, or at once if duration is not positive. A key that is already waiting keeps the earlier of the two times. Whether
// it is in the FIFO, dirty or being processed matters only when it is due. AddAfter does nothing if the queue is shutting down.
//
// Mirrors client-go util/workqueue.(*delayingType).AddAfter and insert (v0.37.2).
func (q *TypedDelayingQueue[T]) AddAfter(item T, duration time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addAfterLocked(item, duration)
}

func (q *TypedDelayingQueue[T]) addAfterLocked(item T, duration time.Duration) {
	if q.isShuttingDown {
		return
	}
	if duration <= 0 {
		q.addLocked(item)
		return
	}
	due := q.clock.Now().Add(duration)
	w, ok := q.byItem[item]
	switch {
	case !ok:
		w = &waitingItem[T]{item: item, due: due}
		heap.Push(&q.waitingItems, w)
		q.byItem[item] = w
		q.emitLocked(event.KindWorkWaiting, item, false, 0, len(q.waitingItems), duration)
	case w.due.After(due):
		w.due = due
		heap.Fix(&q.waitingItems, w.index)
		q.emitLocked(event.KindWorkWaitingSooner, item, false, 0, 0, duration)
	default:
		q.emitLocked(event.KindWorkWaitingUnchanged, item, false, 0, 0, 0)
		return
	}
	if w.index == 0 {
		select {
		case q.wake <- struct{}{}:
		default: // a wake-up is already pending, and will see this key
		}
	}
}

// addWhenDue moves keys from the heap to the FIFO when they are due, until the queue shuts down.
//
// Mirrors client-go util/workqueue.(*delayingType).waitingLoop (v0.37.2), which also looks every ten seconds, in case a timer was set too late. Here
// that is not needed: addWhenDue reads the clock again after it has set the timer.
func (q *TypedDelayingQueue[T]) addWhenDue() {
	for {
		next, ok := q.addDue()
		if !ok {
			select {
			case <-q.ctx.Done():
				return
			case <-q.wake:
			}
			continue
		}
		timer := q.clock.NewTimer(next.Sub(q.clock.Now()))
		if !next.After(q.clock.Now()) {
			// The key fell due while the timer was being set, and an injected clock may not fire it again.
			timer.Stop()
			continue
		}
		select {
		case <-q.ctx.Done():
			timer.Stop()
			return
		case <-q.wake:
		case <-timer.C():
		}
		timer.Stop()
	}
}

// addDue adds every key that is due, and returns when the next one is due. ok is false if none waits or the queue is shutting down.
func (q *TypedDelayingQueue[T]) addDue() (next time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.isShuttingDown {
		return time.Time{}, false
	}
	now := q.clock.Now()
	for len(q.waitingItems) > 0 {
		if due := q.waitingItems[0].due; due.After(now) {
			return due, true
		}
		w := heap.Pop(&q.waitingItems).(*waitingItem[T])
		delete(q.byItem, w.item)
		q.emitLocked(event.KindWorkDue, w.item, false, 0, len(q.waitingItems), 0)
		q.addLocked(w.item)
	}
	return time.Time{}, false
}

// waitingItem is a key in the heap.
type waitingItem[T comparable] struct {
	item  T
	due   time.Time
	index int // in the heap
}

// waitingHeap implements heap.Interface; the earliest key is at its root. Keys with the same due time leave it in the order that container/heap gives,
// as in client-go.
type waitingHeap[T comparable] []*waitingItem[T]

// Len implements sort.Interface.
func (h waitingHeap[T]) Len() int { return len(h) }

// Less implements sort.Interface.
func (h waitingHeap[T]) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

// Swap implements sort.Interface.
func (h waitingHeap[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *waitingHeap[T]) Push(x any) {
	w := x.(*waitingItem[T])
	w.index = len(*h)
	*h = append(*h, w)
}

// Pop implements heap.Interface.
func (h *waitingHeap[T]) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return w
}
