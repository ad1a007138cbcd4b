package workqueue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"informerscope/core/words/event"
)

// eventLog is an Observer that keeps what the events carry.
type eventLog struct {
	mu     sync.Mutex
	events []event.Work
}

func (l *eventLog) Observe(e *event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e.Work())
}

// take returns the events since the last call.
func (l *eventLog) take() []event.Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.events
	l.events = nil
	return events
}

// turnstile is a Gate that lets one worker through for each release.
type turnstile struct {
	passes  chan struct{}
	waiting func(delta int)
}

func newTurnstile() *turnstile {
	return &turnstile{passes: make(chan struct{}, 1000), waiting: func(int) {}}
}

func (g *turnstile) release(n int) {
	for range n {
		g.passes <- struct{}{}
	}
}

func (g *turnstile) Wait(ctx context.Context) {
	g.waiting(1)
	defer g.waiting(-1)
	select {
	case <-g.passes:
	case <-ctx.Done():
	}
}

// advance lets d pass; inside a synctest bubble that is instant.
func advance(d time.Duration) { <-time.After(d) }

func keyNumber(i int) string { return fmt.Sprintf("default/pod-%d", i) }
