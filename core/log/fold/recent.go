package fold

import (
	"slices"
	"time"

	"informerscope/core/words/event"
)

// Recent is what a Fold keeps about a lane's last moments beside its State: the source of sentences about the present. It is part of the fold, so it is the
// same at a seq however a viewer got there. A log that begins after its experiment has it in its KindRestored.
type Recent struct {
	// Writes of the newest bins of time, and the number of the newest bin. They belong to all lanes; a Fold keeps them with its world.
	Writes    []int `json:"writes,omitempty"`
	WritesBin int64 `json:"writesBin,omitempty"`

	// Silent: nothing arrives from the cluster, because a request failed or ended with an error and none was answered since. SilentAt is when that began.
	Silent   bool          `json:"silent,omitempty"`
	SilentAt time.Duration `json:"silentAt,omitempty"`
	// Cause is the ErrorCause of the error behind the last backoff.
	Cause string `json:"cause,omitempty"`

	// Passed is when a change was queued that had arrived in a wire frame. A Happening with a negative time has not happened.
	Passed Happening `json:"passed"`
	// Deep is when the queue changed last and was deeper than DeepQueue then.
	Deep Happening `json:"deep"`
	// Relisting: a relist began that the informer has not completed. RelistReplaces is how often the store had been replaced at its start.
	Relisting      bool `json:"relisting,omitempty"`
	RelistReplaces int  `json:"relistReplaces,omitempty"`
	// Relisted is the last completed relist.
	Relisted Happening `json:"relisted"`
}

// Happening is a single event of a lane.
type Happening struct {
	At time.Duration `json:"at"`
}

// DeepQueue is the depth above which a queue is worth a look.
const DeepQueue = 40

// never is the time of a Happening that has not happened.
const never = time.Duration(-1 << 62)

func newRecent() Recent {
	h := Happening{At: never}
	return Recent{Passed: h, Deep: h, Relisted: h}
}

// Recent returns a lane's last moments; nil if there is no such lane. It must not be changed, and is valid as long as the Fold is unchanged.
func (f *Fold) Recent(lane int) *Recent {
	if lane < 0 || lane >= len(f.lanes) {
		return nil
	}
	return &f.lanes[lane].recent
}

// remember updates a lane's last moments after an event was applied to it.
func (l *lane) remember(w *wire, e *event.Entry) {
	r := &l.recent
	switch event.SubjectOf(e.Kind) {
	case event.AboutReflector:
		l.rememberReflector(e)
	case event.AboutQueue:
		if l.queue.len() > DeepQueue {
			r.Deep.At = e.At
		}
	}
	switch e.Kind {
	case event.KindQueued:
		if w.hasFrame(e.Key(), e.RV()) {
			r.Passed.At = e.At
		}
	case event.KindStoreReplaced:
		l.relistTaken(e)
	}
}

func (l *lane) rememberReflector(e *event.Entry) {
	r := &l.recent
	switch e.Kind {
	case event.KindListWatchStarted:
		if l.refl.ResourceVersion != "" {
			r.Relisting, r.RelistReplaces = true, l.store.replaces
		}
	case event.KindBackoff:
		r.Cause = event.ErrorCause(e.Err())
		if !r.Silent {
			r.Silent, r.SilentAt = true, e.At
		}
	case event.KindRequestAnswered:
		if e.Err() == nil {
			r.Silent, r.SilentAt = false, 0
		}
	case event.KindWatchEvent:
		r.Silent, r.SilentAt = false, 0
	}
	l.relistTaken(e)
}

// relistTaken notes that a relist is complete: its watch is open and, since 1.36, which replaces the store in one go, the store was replaced.
func (l *lane) relistTaken(e *event.Entry) {
	r := &l.recent
	if r.Relisting && l.refl.Phase == "watching" && (!l.replacesAll() || l.store.replaces > r.RelistReplaces) {
		r.Relisting, r.Relisted = false, Happening{At: e.At}
	}
}

// replacesAll reports whether the informer's release is known to replace the store in one go when it relists.
func (l *lane) replacesAll() bool { return l.releaseSet && l.release.Features().Atomic }

// restoreRecent takes over a lane's last moments from a KindRestored; an older program's log has none.
func (l *lane) restoreRecent(w *world, s *Recent) {
	l.recent = newRecent()
	if s == nil {
		return
	}
	l.recent = *s
	for _, h := range []*Happening{&l.recent.Passed, &l.recent.Deep} {
		if *h == (Happening{}) { // written by a program without this member
			h.At = never
		}
	}
	l.recent.Writes = nil
	if w.bins, w.bin = [rateBins]int{}, -1; len(s.Writes) == rateBins && s.WritesBin >= 0 {
		copy(w.bins[:], s.Writes)
		w.bin = s.WritesBin
	}
}

// keptRecent returns a lane's last moments for a KindRestored.
func (l *lane) keptRecent(w *world) *Recent {
	r := l.recent
	r.Writes, r.WritesBin = slices.Clone(w.bins[:]), w.bin
	return &r
}
