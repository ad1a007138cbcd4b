package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// stageTake is before a worker takes a key from the work queue.
const stageTake = informer.StageExternal

var stageNames = map[string]informer.Stage{
	"store":   informer.StageStore,
	"pop":     informer.StagePop,
	"deliver": informer.StageDeliver,
	"take":    stageTake,
}

func parseStage(name string) (informer.Stage, error) {
	s, ok := stageNames[name]
	if !ok {
		return 0, fmt.Errorf("unknown stage %q: choose store, pop, deliver or take", name)
	}
	return s, nil
}

type holdKey struct {
	stage    informer.Stage
	listener int32
}

type hold struct {
	releases int           // how many may still pass
	waiting  int           // goroutines that wait here
	wake     chan struct{} // closed and replaced whenever something changed
}

// holds are the gates of one Lab. They outlive an experiment, so that a held
// stage is held from the first event of the next one on.
type holds struct {
	emit func(informer.Event)

	mu   sync.Mutex
	held map[holdKey]*hold
}

func newHolds(emit func(informer.Event)) *holds {
	return &holds{emit: emit, held: map[holdKey]*hold{}}
}

// Wait implements informer.Gates.
func (h *holds) Wait(ctx context.Context, stage informer.Stage, listener int32) {
	key := holdKey{stage, listener}
	h.mu.Lock()
	defer h.mu.Unlock()
	for entered := false; ; {
		hd := h.held[key]
		if hd == nil {
			return // the hold ended; setting it free has said so already
		}
		if hd.releases > 0 {
			hd.releases--
			if entered {
				hd.waiting--
				h.emitWaiting(key, hd)
			}
			h.emit(informer.Event{Kind: trace.KindReleased, N: int(stage), Listener: listener, M: hd.releases})
			return
		}
		if !entered {
			entered = true
			hd.waiting++
			h.emitWaiting(key, hd)
		}
		wake := hd.wake
		h.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			h.mu.Lock()
			if h.held[key] == hd {
				hd.waiting--
				h.emitWaiting(key, hd)
			}
			return
		}
		h.mu.Lock()
		if h.held[key] != hd {
			return
		}
	}
}

// emitWaiting tells of the first goroutine that waits and of the last that no longer does.
func (h *holds) emitWaiting(key holdKey, hd *hold) {
	if hd.waiting <= 1 {
		h.emit(informer.Event{Kind: trace.KindGateWaiting, N: int(key.stage), Listener: key.listener, Flag: hd.waiting == 1})
	}
}

// hold holds a stage; holding a held one changes nothing.
func (h *holds) hold(stage informer.Stage, listener int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := holdKey{stage, listener}
	if h.held[key] != nil {
		return
	}
	h.held[key] = &hold{wake: make(chan struct{})}
	h.emit(informer.Event{Kind: trace.KindHold, N: int(stage), Listener: listener, Flag: true})
}

// release lets n pass, now or when they come; n of 0 or less ends the hold.
// It reports whether the stage was held.
func (h *holds) release(stage informer.Stage, listener int32, n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := holdKey{stage, listener}
	hd := h.held[key]
	if hd == nil {
		return false
	}
	if n <= 0 {
		delete(h.held, key)
		h.emit(informer.Event{Kind: trace.KindHold, N: int(stage), Listener: listener})
	} else {
		hd.releases += n
	}
	close(hd.wake)
	hd.wake = make(chan struct{})
	return true
}

// restate emits every hold in force: a new experiment's log begins with them.
func (h *holds) restate() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range h.keys() {
		h.held[key].releases = 0
		h.emit(informer.Event{Kind: trace.KindHold, N: int(key.stage), Listener: key.listener, Flag: true})
	}
}

// keys are what is held, in order. h.mu is held.
func (h *holds) keys() []holdKey {
	return slices.SortedFunc(maps.Keys(h.held), func(a, b holdKey) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.listener, b.listener))
	})
}

// steps are the holds in force, as steps of a story.
func (h *holds) steps() (steps []step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range h.keys() {
		for name, stage := range stageNames {
			if stage == key.stage {
				steps = append(steps, newStep("hold", name, key.listener))
			}
		}
	}
	return steps
}

// takeGate is the hold before a worker takes a key, as core/workqueue asks for it.
type takeGate struct{ h *holds }

func (g takeGate) Wait(ctx context.Context) { g.h.Wait(ctx, stageTake, 0) }
