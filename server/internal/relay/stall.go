package relay

import (
	"sync"
	"time"
)

// stallTimer resets a stream of which the viewer takes nothing for too long. A deadline for each write would do the same and cost a watch
// two messages to the connection's goroutine for each event.
type stallTimer struct {
	to      flusher
	timeout time.Duration
	timer   *time.Timer

	mu    sync.Mutex
	until time.Time // when the write in progress has taken too long; zero: there is none
	fired bool
}

func newStallTimer(to flusher, timeout time.Duration) *stallTimer {
	t := &stallTimer{to: to, timeout: timeout}
	t.timer = time.AfterFunc(timeout, t.reset)
	t.timer.Stop()
	return t
}

// start begins a write.
func (t *stallTimer) start() {
	t.mu.Lock()
	t.until = time.Now().Add(t.timeout)
	t.mu.Unlock()
	t.timer.Reset(t.timeout)
}

// stop ends a write, and says whether the stream has been reset. Nothing touches the stream after it.
func (t *stallTimer) stop() bool {
	t.timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = time.Time{}
	return t.fired
}

// reset ends the stream by a write deadline that has passed.
func (t *stallTimer) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.until.IsZero() && !time.Now().Before(t.until) {
		t.fired = true
		_ = t.to.SetWriteDeadline(time.Unix(0, 0))
	}
}
