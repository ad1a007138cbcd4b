package analysis

import (
	"cmp"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Hop is one step of an object on its way from the API server to a handler and the controller. It is data; the page words it.
type Hop struct {
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
	Lane     uint8   `json:"lane"`
	// Change numbers the object's changes within the journey, from 1; the hops of one change share it.
	Change int `json:"change"`
	// Stage is api, reflector, queue, indexer, listener or controller.
	Stage    string `json:"stage"`
	Listener int32  `json:"listener,omitempty"` // of stage listener; the worker of stage controller
	Kind     string `json:"kind"`               // see KindName
	Op       string `json:"op,omitempty"`
	RV       string `json:"rv,omitempty"`
	// Position is the place in the queue, or among the popped deltas, from 1; Total is how many there were.
	Position int     `json:"position,omitempty"`
	Total    int     `json:"of,omitempty"`
	N        int     `json:"n,omitempty"` // the event's own counts, see its Kind
	M        int     `json:"m,omitempty"`
	Flag     bool    `json:"flag,omitempty"`
	Micros   float64 `json:"micros,omitempty"` // how long it took, if it is Handled, Processed, WorkDone or Reconciled
	Text     string  `json:"text,omitempty"`
	Error    string  `json:"error,omitempty"`
}

// ranks order the stages; a hop of a lower rank than the last one of its lane begins a new change.
const (
	rankAPI = iota
	rankReflector
	rankQueued
	rankPopped
	rankStored
	rankAfter
)

// maxHops bounds a journey; the oldest changes are dropped first.
const maxHops = 512

// Journey returns the hops of the object with a key within from..to, oldest first; read is usually Recorder.Read. A delta in a RealFIFO is tracked by its
// place in the line, and a list or SyncAll by the objects it covers.
func Journey(read func(from, to uint64, fn func(*event.Entry) bool), key string, from, to uint64) []Hop {
	j := &journey{key: key}
	read(from, to, func(e *event.Entry) bool {
		j.see(e)
		return true
	})
	return j.hops
}

type journey struct {
	key    string
	hops   []Hop
	change int
	lanes  [fold.MaxLanes]laneJourney
}

type laneJourney struct {
	rank    int
	change  int
	rv      string
	inLine  []place // of its deltas in the RealFIFO
	batch   place   // among the popped deltas
	batchOf int
	stored  bool
	storeRV string // its version in the store
	// versions has the change that brought a version last: it may be on its way when the next one comes.
	versions map[string]int
	// woken is the change that enqueued the key last, and taken the one that its worker works for; 0 for none.
	woken, taken int
}

// place is the position of a change's delta in a queue or a batch, from 1. It is 0 for a delta that is in none.
type place struct{ at, change int }

// begin returns the number of the change to which a hop of this rank belongs.
func (j *journey) begin(l *laneJourney, rank int, rv string) int {
	if l.change == 0 || rank < l.rank || rank <= rankReflector && rv != l.rv {
		j.change++
		l.change = j.change
		l.rv = rv
	}
	l.rank = rank
	l.noteVersion(rv)
	return l.change
}

// noteVersion notes that the change has a version.
func (l *laneJourney) noteVersion(rv string) {
	if rv == "" {
		return
	}
	if l.versions == nil || len(l.versions) > maxHops {
		l.versions = map[string]int{}
	}
	l.versions[rv] = l.change
}

// follow is begin for a hop behind the queue: it belongs to the change of its version, also when a later one has come meanwhile.
func (j *journey) follow(l *laneJourney, rank int, rv string) int {
	if n := l.versions[rv]; n != 0 && n != l.change {
		return n
	}
	return j.begin(l, rank, rv)
}

// work returns the change to which a hop of the work queue or a worker belongs. A worker works for the change that enqueued the key before it was taken,
// whatever enqueues it again meanwhile.
func (j *journey) work(l *laneJourney, e *event.Entry) int {
	switch e.Kind {
	case event.KindWorkAdded, event.KindWorkMarkedDirty, event.KindWorkDeduplicated:
		l.woken = j.follow(l, rankAfter, cmp.Or(e.Work().RV, l.rv))
		return l.woken
	case event.KindWorkTaken:
		l.taken = cmp.Or(l.woken, l.change)
	case event.KindWorkDone:
		defer func() { l.taken = 0 }()
	}
	if l.taken != 0 {
		return l.taken
	}
	return j.begin(l, rankAfter, l.rv)
}

// add adds a hop with the event's own members, whatever its kind.
func (j *journey) add(e *event.Entry, stage string, change int) *Hop {
	if len(j.hops) >= maxHops {
		// Drop the oldest change as a whole.
		oldest, i := j.hops[0].Change, 0
		for i < len(j.hops) && j.hops[i].Change == oldest {
			i++
		}
		j.hops = append(j.hops[:0], j.hops[i:]...)
	}
	m := e.Members()
	h := Hop{Seq: e.Seq, AtMillis: fold.Millis(e.At), Lane: e.Lane, Change: change, Stage: stage, Listener: m.Listener,
		Kind: event.KindName(e.Kind), Op: m.Op.String(), RV: m.RV, N: m.N, M: m.M, Flag: m.Flag,
		Micros: float64(m.Dur) / float64(time.Microsecond), Text: m.Text}
	if m.Err != nil {
		h.Error = m.Err.Error()
	}
	j.hops = append(j.hops, h)
	return &j.hops[len(j.hops)-1]
}

func find(items []event.Item, key string) int {
	for i := range items {
		if items[i].Key == key {
			return i
		}
	}
	return -1
}

func (j *journey) see(e *event.Entry) {
	if e.Kind == event.KindSelected {
		*j = journey{key: j.key, hops: j.hops, change: j.change}
		return
	}
	if int(e.Lane) >= len(j.lanes) {
		return
	}
	l := &j.lanes[e.Lane]
	mine := e.Key() == j.key
	switch e.Kind {
	case event.KindWireFrame:
		if mine {
			j.add(e, "api", j.begin(l, rankAPI, e.RV()))
			for i := range j.lanes { // all lanes of the resource will take this frame
				if i != int(e.Lane) && j.lanes[i].change != 0 {
					j.lanes[i].change, j.lanes[i].rank, j.lanes[i].rv = l.change, rankAPI, e.RV()
				}
			}
		}
	case event.KindWatchEvent:
		if mine {
			j.add(e, "reflector", j.begin(l, rankReflector, e.RV()))
		}
	case event.KindQueued:
		j.noteQueued(l, e, mine)
	case event.KindMerged:
		if mine {
			j.add(e, "queue", j.begin(l, rankQueued, l.rv))
		}
	case event.KindPopped:
		j.notePopped(l, e, mine)
	case event.KindProcessed:
		if l.batch.at > 0 {
			h := j.add(e, "queue", l.batch.change)
			h.Position, h.Total = l.batch.at, l.batchOf
			l.batch = place{}
		}
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
		if mine {
			l.stored, l.storeRV = e.Kind != event.KindStoreDeleted, e.RV()
			j.add(e, "indexer", j.follow(l, rankStored, e.RV()))
		}
	case event.KindStoreReplaced:
		storeReplaced := e.StoreReplaced()
		before := l.stored
		if i := find(storeReplaced.Items, j.key); i >= 0 {
			l.stored, l.storeRV = true, storeReplaced.Items[i].RV
			h := j.add(e, "indexer", j.begin(l, rankStored, l.storeRV))
			h.RV, h.Total = l.storeRV, len(storeReplaced.Items)
		} else if before {
			l.stored = false
			j.add(e, "indexer", j.begin(l, rankStored, "")).Op = event.OpDeleted.String()
		}
	case event.KindRestored:
		l.stored = find(e.Restored().Items, j.key) >= 0
	case event.KindDistributed, event.KindAccepted, event.KindDelivered, event.KindHandling, event.KindHandled:
		if mine {
			j.add(e, "listener", j.follow(l, rankAfter, e.RV()))
		}
	default:
		if read := e.ListerRead(); read.Lane != 0 && read.Lane-1 != int(e.Lane) {
			return // an object of another informer has this key
		}
		isOfOne := true
		switch e.Kind {
		case event.KindWrites, event.KindListerList, event.KindWorkPaused, event.KindWorkResumed:
			isOfOne = false
		}
		if mine && event.SubjectOf(e.Kind) == event.AboutWork && isOfOne {
			j.add(e, "controller", j.work(l, e))
		}
	}
}

func (j *journey) noteQueued(l *laneJourney, e *event.Entry, mine bool) {
	queued := e.Queued()
	switch {
	case mine:
		h := j.add(e, "queue", j.begin(l, rankQueued, queued.RV))
		h.Position, h.Total = queued.Length, queued.Length
		l.inLine = append(l.inLine, place{queued.Length, h.Change})
	case queued.Op == event.OpReplacedAll:
		i := find(queued.Items, j.key)
		if i < 0 && !l.stored {
			return
		}
		h := j.add(e, "queue", j.begin(l, rankQueued, queued.RV))
		h.Position, h.Total = queued.Length, queued.Length
		h.N = len(queued.Items)
		if i >= 0 {
			h.RV = queued.Items[i].RV
		}
		l.inLine = append(l.inLine, place{queued.Length, h.Change})
	case queued.Op == event.OpSyncAll && l.stored:
		h := j.add(e, "queue", j.begin(l, rankQueued, l.rv))
		l.noteVersion(l.storeRV)
		h.Position, h.Total = queued.Length, queued.Length
		l.inLine = append(l.inLine, place{queued.Length, h.Change})
	}
	if len(l.inLine) > maxHops {
		l.inLine = l.inLine[len(l.inLine)-maxHops:]
	}
}

func (j *journey) notePopped(l *laneJourney, e *event.Entry, mine bool) {
	l.batch = place{}
	popped := e.Popped()
	if popped.Key != "" { // a DeltaFIFO names the key
		if mine {
			l.inLine = l.inLine[:0]
			h := j.add(e, "queue", j.begin(l, rankPopped, l.rv))
			l.batch, l.batchOf = place{1, h.Change}, 1
			h.Position, h.Total = 1, 1
		}
		return
	}
	kept := l.inLine[:0]
	for _, p := range l.inLine {
		if p.at > popped.Deltas {
			kept = append(kept, place{p.at - popped.Deltas, p.change})
			continue
		}
		if p.at < 1 {
			continue
		}
		l.batch, l.batchOf = p, popped.Deltas
		if p.change == l.change {
			l.rank = rankPopped
		}
		h := j.add(e, "queue", p.change)
		h.Position, h.Total = p.at, popped.Deltas
	}
	l.inLine = kept
}
