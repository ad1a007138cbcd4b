//go:build js && wasm

package main

import (
	"sync"
	"time"

	"github.com/hack-pad/safejs"
)

const (
	// breathMillis is how often the browser is asked for a turn.
	breathMillis = 8
	// holdBreath is how long work may go on after the browser's last turn.
	holdBreath = 24 * time.Millisecond
)

// breath keeps the worker answering. Go has the worker's one thread for as
// long as any goroutine can run, and messages of the page wait meanwhile. So
// what makes work of itself, the simulated cluster, takes a breath between
// pieces: when the browser has had no turn for a while it waits for one, which
// comes when all that follows from its work is done.
type breath struct {
	mu   sync.Mutex
	last time.Time
	turn chan struct{} // closed and replaced at each of the browser's turns
}

func newBreath() (*breath, error) {
	b := &breath{last: time.Now(), turn: make(chan struct{})}
	tick, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.last = time.Now()
		close(b.turn)
		b.turn = make(chan struct{})
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = self().Call("setInterval", tick.Value(), breathMillis)
	return b, err
}

// take returns at once, or at the browser's next turn when the last one is too long ago.
func (b *breath) take() {
	b.mu.Lock()
	turn, late := b.turn, time.Since(b.last) > holdBreath
	b.mu.Unlock()
	if late {
		<-turn
	}
}
