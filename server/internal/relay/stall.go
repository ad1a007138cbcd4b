package relay

import (
	"sync"
	"time"
)

// stallTimer resets a stream if a write to the viewer takes too long. A deadline for each write would do the same, but would cost two messages to the
// connection's goroutine for each event of a watch.
type stallTimer struct {
	stream  flusher
	timeout time.Duration
	timer   *time.Timer

	mu       sync.Mutex
	deadline time.Time // the deadline of the write in progress; zero for none
	fired    bool
}

func newStallTimer(to flusher, timeout time.Duration) *stallTimer {
	t := &stallTimer{stream: to, timeout: timeout}
	t.timer = time.AfterFunc(timeout, t.reset)
	t.timer.Stop()
	return t
}

// start begins a write.
func (t *stallTimer) start() {
	t.mu.Lock()
	t.deadline = time.Now().Add(t.timeout)
	t.mu.Unlock()
	t.timer.Reset(t.timeout)
}

// stop ends a write, and reports whether the stream has been reset. After it the timer leaves the stream alone.
func (t *stallTimer) stop() bool {
	t.timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deadline = time.Time{}
	return t.fired
}

// reset ends the stream by setting a write deadline in the past.
func (t *stallTimer) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.deadline.IsZero() && !time.Now().Before(t.deadline) {
		t.fired = true
		_ = t.stream.SetWriteDeadline(time.Unix(0, 0))
	}
}
