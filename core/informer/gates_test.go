package informer

import (
	"context"
	"sync"

	"informerscope/core/words/event"
)

// gates holds stages until they are released.
type gates struct {
	lock  sync.Mutex
	holds map[event.Stage]chan struct{}
}

func newGates() *gates { return &gates{holds: map[event.Stage]chan struct{}{}} }

func (g *gates) hold(s event.Stage) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.holds[s] = make(chan struct{})
}

func (g *gates) release(s event.Stage) {
	g.lock.Lock()
	defer g.lock.Unlock()
	close(g.holds[s])
	delete(g.holds, s)
}

func (g *gates) Wait(ctx context.Context, s event.Stage, _ int32) {
	g.lock.Lock()
	c := g.holds[s]
	g.lock.Unlock()
	if c == nil {
		return
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
}
