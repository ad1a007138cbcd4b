package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab/action"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

// stageTake is the stage before a worker takes a key from the work queue.
const stageTake = event.StageExternal

var stageNames = map[string]event.Stage{
	"store":   event.StageStore,
	"pop":     event.StagePop,
	"deliver": event.StageDeliver,
	"take":    stageTake,
}

// stages are what Stages returns.
var stages = []string{"store", "pop", "deliver", "take"}

// Stages returns the names of the stages that can be held, in the order in which an object passes them. The caller owns the list.
func Stages() []string { return slices.Clone(stages) }

func parseStage(name string) (event.Stage, error) {
	s, ok := stageNames[name]
	if !ok {
		return 0, fmt.Errorf("unknown stage %q: choose one of %s", name, strings.Join(stages, ", "))
	}
	return s, nil
}

type holdKey struct {
	lane     uint8 // the first of the lanes whose informers it holds
	stage    event.Stage
	listener int32
}

type hold struct {
	released int           // how many may pass of each informer that it holds, since it began
	passed   map[uint8]int // how many of these have passed, by lane
	waiting  int           // goroutines that wait here
	wake     chan struct{} // closed and replaced on every change
}

// holds are the gates of one Lab. They outlive an experiment, so a held stage is held from the next one's first event on.
type holds struct {
	emit func(lane uint8, e event.Event)

	mu    sync.Mutex
	byKey map[holdKey]*hold

	indexing atomic.Int64 // duration of an object's index functions, in nanoseconds
}

func newHolds(emit func(uint8, event.Event)) *holds {
	return &holds{emit: emit, byKey: map[holdKey]*hold{}}
}

// gates are the gates of an informer. The informers of one resource are held together, and each lets the same number through.
type gates struct {
	*holds
	lane    uint8           // the first of the lanes whose informers are held together
	itsLane uint8           // that of the informer
	ctx     context.Context // of the experiment
	clock   clock.Clock
}

// newGates returns the gates of an experiment's informer, by its lane and the first of the lanes that are held with it.
func (h *holds) newGates(lane, itsLane uint8, x *experiment) gates {
	return gates{h, lane, itsLane, x.ctx, x.clock}
}

// Wait implements event.Gates.
func (h gates) Wait(ctx context.Context, stage event.Stage, listener int32) {
	if stage == event.StageIndex {
		if d := time.Duration(h.indexing.Load()); d > 0 {
			_ = vclock.Sleep(h.ctx, h.clock, d)
		}
		return
	}
	key := holdKey{h.lane, stage, listener}
	h.mu.Lock()
	defer h.mu.Unlock()
	for entered := false; ; {
		hd := h.byKey[key]
		if hd == nil {
			return // the hold ended; release has logged that
		}
		if hd.passed[h.itsLane] < hd.released {
			hd.passed[h.itsLane]++
			if entered {
				hd.waiting--
				h.emitWaiting(key, hd)
			}
			h.emit(h.lane, event.Released{Stage: int(stage), Listener: listener, Left: hd.released - hd.passed[h.itsLane]}.Event())
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
			if h.byKey[key] == hd {
				hd.waiting--
				h.emitWaiting(key, hd)
			}
			return
		}
		h.mu.Lock()
		if h.byKey[key] != hd {
			return
		}
	}
}

// emitWaiting logs when the first goroutine begins to wait, and when the last one stops.
func (h *holds) emitWaiting(key holdKey, hd *hold) {
	if hd.waiting <= 1 {
		h.emit(key.lane, event.GateWaiting{Stage: int(key.stage), Listener: key.listener, Waiting: hd.waiting == 1}.Event())
	}
}

// hold holds a stage; if it is held already, nothing changes.
func (h *holds) hold(key holdKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byKey[key] != nil {
		return
	}
	h.byKey[key] = &hold{passed: map[uint8]int{}, wake: make(chan struct{})}
	h.emit(key.lane, event.Hold{Stage: int(key.stage), Listener: key.listener, Held: true}.Event())
}

// release lets n of each informer pass, now or when they arrive; n of 0 or less ends the hold. It reports whether the stage was held.
func (h *holds) release(key holdKey, n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	hd := h.byKey[key]
	if hd == nil {
		return false
	}
	if n <= 0 {
		delete(h.byKey, key)
		h.emit(key.lane, event.Hold{Stage: int(key.stage), Listener: key.listener}.Event())
	} else {
		hd.released += n
	}
	close(hd.wake)
	hd.wake = make(chan struct{})
	return true
}

func (h *holds) isHeld(key holdKey) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byKey[key] != nil
}

// restate logs every hold in force at the start of a new experiment's log. It ends holds of informers that the new experiment does not have.
func (h *holds) restate(lanes []event.LaneOf) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range h.keysLocked() {
		if at := int(key.lane); at >= len(lanes) || at > 0 && lanes[at].Target == lanes[at-1].Target {
			close(h.byKey[key].wake)
			delete(h.byKey, key)
			continue
		}
		h.byKey[key].released = 0
		clear(h.byKey[key].passed)
		h.emit(key.lane, event.Hold{Stage: int(key.stage), Listener: key.listener, Held: true}.Event())
	}
}

// keysLocked returns the keys of all holds, sorted.
func (h *holds) keysLocked() []holdKey {
	//maporder:free no two of them compare as equal
	return slices.SortedFunc(maps.Keys(h.byKey), func(a, b holdKey) int {
		return cmp.Or(cmp.Compare(a.lane, b.lane), cmp.Compare(a.stage, b.stage), cmp.Compare(a.listener, b.listener))
	})
}

// steps returns the holds in force, as steps of a story.
func (h *holds) steps() (steps []action.Step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range h.keysLocked() {
		for _, name := range stages {
			if stageNames[name] == key.stage {
				steps = append(steps, action.New("hold", name, key.listener, key.lane))
			}
		}
	}
	return steps
}

// takeGate is the hold before a worker takes a key; it implements the gate of core/client/workqueue.
type takeGate struct{ h gates }

func (g takeGate) Wait(ctx context.Context) { g.h.Wait(ctx, stageTake, 0) }

// Hold holds a stage: store, pop, deliver (of one listener) or take.
func (i Informer) Hold(stage string, listener int32) error {
	return i.lab.act(func() (action.Step, error) {
		return action.New("hold", stage, listener, i.lane), i.lab.hold(stage, listener, i.lane)
	})
}

// holdKeyLocked returns the key of a stage of an informer, named by a user.
func (l *Lab) holdKeyLocked(stage string, listener int32, lane int) (holdKey, error) {
	s, err := parseStage(stage)
	if err != nil {
		return holdKey{}, err
	}
	if l.exp == nil { // it holds from the next experiment's first event on
		if lane < 0 || lane >= MaxLanes {
			return holdKey{}, fmt.Errorf("there is no informer %d", lane)
		}
		return holdKey{uint8(lane), s, listener}, nil
	}
	if err := l.exp.checkLane(lane); err != nil {
		return holdKey{}, err
	}
	return holdKey{l.exp.leader(lane).index, s, listener}, nil
}

func (l *Lab) hold(stage string, listener int32, lane int) error {
	key, err := l.holdKeyLocked(stage, listener, lane)
	if err != nil {
		return err
	}
	if key.stage == event.StageDeliver && listener == 0 {
		return errors.New("say which listener to hold: hold(\"deliver\", id)")
	}
	l.holds.hold(key)
	return nil
}

// Release lets n through a held stage; 0 ends the hold.
func (i Informer) Release(stage string, n int, listener int32) error {
	return i.lab.act(func() (action.Step, error) {
		return action.New("release", stage, max(n, 0), listener, i.lane), i.lab.release(stage, n, listener, i.lane)
	})
}

func (l *Lab) release(stage string, n int, listener int32, lane int) error {
	key, err := l.holdKeyLocked(stage, listener, lane)
	if err != nil {
		return err
	}
	there := false // held in the second lane of a fork alone
	l.withTwinLocked(func(twin *Lab) { there = twin.holds.isHeld(key) })
	if !l.holds.release(key, n) && !there {
		return fmt.Errorf("stage %q is not held", stage)
	}
	return nil
}
