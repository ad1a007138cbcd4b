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
	// minHeap is the least heap in bytes at which quiet runs the collector. At maxHeap the runtime runs it itself.
	minHeap = 24 << 20
	maxHeap = 5 << 29 // of the 4 GiB that WebAssembly has; 100,000 objects take more than one
	// weighEvery is how often the heap is measured.
	weighEvery = 50 * time.Millisecond
	// listenEvery is how long the page's messages may wait while the program always has something to do.
	listenEvery = 4 * time.Millisecond
)

// quiet detects when nothing in the program can run. Go occupies the worker's one thread while any goroutine can run. So a message that the worker sends to
// itself arrives when all consequences of an action have happened; the page's messages wait in the same queue. The steady runtime detects that without going
// through the browser's event loop, which is then used only as often as the page must be heard.
type quiet struct {
	queue *queue

	waiting    sync.Mutex // one caller of wait at a time: the experiment's driver, or the laboratory's
	lastListen time.Time

	mu           sync.Mutex
	exact        bool
	lastWeighing time.Time
	limit        uint64
}

func newQuiet() (*quiet, error) {
	queue, err := newQueue()
	return &quiet{queue: queue, limit: minHeap}, err
}

// queue is a place in the browser's queue for the worker, together with the page's messages.
type queue struct {
	mu   sync.Mutex // one caller waits at a time
	port safejs.Value
	turn chan struct{}
}

func newQueue() (*queue, error) {
	ctor, err := globalScope().Get("MessageChannel")
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

// wait returns when all earlier messages of the browser have been handled, and nothing else can run.
func (q *queue) wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, err := q.port.Call("postMessage", nil); err != nil {
		panic(err) // our own port never closes
	}
	<-q.turn
}

// wait returns when nothing else can run.
func (q *quiet) wait() {
	q.waiting.Lock()
	defer q.waiting.Unlock()
	now := time.Now()
	if steady && now.Sub(q.lastListen) < listenEvery {
		awaitQuiet()
	} else {
		q.queue.wait()
		now = time.Now()
		q.lastListen = now
	}
	q.collect(now)
}

// collectWhenQuiet chooses who runs the collector. When the collector runs depends on how much memory others use, and it affects goroutines. So on virtual
// time it runs only when nothing else does, except to avoid running out of memory.
func (q *quiet) collectWhenQuiet(exact bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.exact = exact; exact {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(maxHeap)
	} else {
		// WebAssembly memory never shrinks, and the page shares the machine's memory with the browser: rather collect early than grow.
		debug.SetGCPercent(50)
	}
}

// collect runs the collector if it is due. Nothing else must be able to run.
func (q *quiet) collect(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.exact || now.Sub(q.lastWeighing) < weighEvery {
		return
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > q.limit {
		runtime.GC()
		runtime.ReadMemStats(&m)
		q.limit = max(minHeap, m.HeapAlloc*3/2)
	}
	q.lastWeighing = now
}
