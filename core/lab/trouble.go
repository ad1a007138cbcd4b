package lab

import (
	"slices"
	"sync"

	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
)

// troubles are the current problems with the source of the current log. Reports about an earlier log's source are dropped.
type troubles struct {
	emit func(lane uint8, e event.Event)

	mu         sync.Mutex
	generation uint64
	lanes      [MaxLanes]laneTrouble
}

// laneTrouble is what is wrong with the requests of one lane.
type laneTrouble struct {
	requests  relayclient.Trouble // the last report of the informer's requests
	namespace relayclient.Trouble // logged while requests has none
	last      relayclient.Trouble
}

// begin starts a log without troubles; start runs with the lock held. It returns the generation to report with.
func (t *troubles) begin(start func()) (generation uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generation++
	t.lanes = [MaxLanes]laneTrouble{}
	start()
	return t.generation
}

// noteRequests notes the trouble of a lane's requests.
func (t *troubles) noteRequests(generation uint64, lane uint8, found relayclient.Trouble) {
	t.note(generation, lane, func(x *laneTrouble) { x.requests = found })
}

// noteNamespace notes whether the watched namespace exists.
func (t *troubles) noteNamespace(generation uint64, lanes []uint8, found relayclient.Trouble) {
	for _, lane := range lanes {
		t.note(generation, lane, func(x *laneTrouble) { x.namespace = found })
	}
}

func (t *troubles) note(generation uint64, lane uint8, set func(*laneTrouble)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if generation != t.generation {
		return
	}
	x := &t.lanes[lane]
	set(x)
	now := x.requests
	if now.Words == "" {
		now = x.namespace
	}
	if now.ReadsLike(x.last) {
		return
	}
	x.last = now
	t.emit(lane, now.Event())
}

// hasTrouble reports whether something is wrong now.
func (t *troubles) hasTrouble() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.lanes[:], func(x laneTrouble) bool { return x.last.Words != "" })
}
