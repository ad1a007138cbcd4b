//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hack-pad/safejs"
)

const (
	// leastHeap and mostHeap bound when the collector runs by the program's own word, and where it does not wait for that.
	leastHeap = 24 << 20
	mostHeap  = 5 << 29 // of the 4 GiB that WebAssembly has; 100,000 objects take more than one
	// weighEvery is how often the heap is looked at.
	weighEvery = 50 * time.Millisecond
	// listenEvery is how long the page's messages may wait for a program that always has something to do.
	listenEvery = 4 * time.Millisecond
)

// quiet knows when nothing in the program can run. Go has the worker's one thread for as long as any goroutine can, so a
// message that the worker sends to itself arrives when all that follows from what was done is done; and the page's messages
// stand in the same line. The runtime knows it without the way over the browser's event loop; where it tells, that
// way is taken only as often as the page needs to be heard.
type quiet struct {
	queue    *queue
	listened time.Time

	mu      sync.Mutex
	exact   bool
	weighed time.Time
	limit   uint64
}

func newQuiet() (*quiet, error) {
	queue, err := newQueue()
	return &quiet{queue: queue, limit: leastHeap}, err
}

// queue is a place in the queue of what the browser has for the worker, with the page's messages.
type queue struct {
	mu   sync.Mutex // one waits
	port safejs.Value
	turn chan struct{}
}

func newQueue() (*queue, error) {
	ctor, err := self().Get("MessageChannel")
	if err != nil {
		return nil, err
	}
	channel, err := ctor.New()
	if err != nil {
		return nil, err
	}
	q := &queue{turn: make(chan struct{}, 1)}
	if q.port, err = channel.Get("port1"); err != nil {
		return nil, err
	}
	far, err := channel.Get("port2")
	if err != nil {
		return nil, err
	}
	arrived, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		notify(q.turn)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return q, far.Set("onmessage", arrived.Value())
}

// wait returns when all that the browser had before has been heard, and nothing else can run.
func (q *queue) wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, err := q.port.Call("postMessage", nil); err != nil {
		panic(err) // a port of our own that never closes
	}
	<-q.turn
}

// wait returns when nothing else can run.
func (q *quiet) wait() {
	now := time.Now()
	if steady && now.Sub(q.listened) < listenEvery {
		awaitQuiet()
	} else {
		q.queue.wait()
		now = time.Now()
		q.listened = now
	}
	q.collect(now)
}

// collectWhenQuiet decides who says when the collector runs. What it makes goroutines do, and when, depends on how much memory
// others took, so on virtual time it runs only when nothing else does, but that memory were to run out.
func (q *quiet) collectWhenQuiet(exact bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.exact = exact; exact {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(mostHeap)
	} else {
		// WebAssembly memory never shrinks, and the page shares the machine's with the browser: collect early rather than grow.
		debug.SetGCPercent(50)
	}
}

// collect runs the collector when it is due. Nothing else may be able to run.
func (q *quiet) collect(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.exact || now.Sub(q.weighed) < weighEvery {
		return
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > q.limit {
		runtime.GC()
		runtime.ReadMemStats(&m)
		q.limit = max(leastHeap, m.HeapAlloc*3/2)
	}
	q.weighed = now
}
