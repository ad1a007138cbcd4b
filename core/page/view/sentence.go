package view

import (
	"math"
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// How long a sentence about an event stays, in the log's time.
const (
	tellPanic  = 4 * time.Second
	tellLeft   = 4500 * time.Millisecond
	tellRelist = 4 * time.Second
	tellGrowth = 4 * time.Second
	tellBatch  = 2600 * time.Millisecond
)

// turn returns a number from 0 to of-1 that changes each time a length of the log's time has passed. It lets several sentences that are true for long take
// turns.
func (x *factInputs) turn(length time.Duration, count int64) int64 {
	return int64(x.moment/length) % count
}

// isRecent reports whether at is less than d before the moment shown.
func (x *factInputs) isRecent(at, d time.Duration) bool { return x.moment-at < d }

// sentence returns the sentence for the moment shown: about an event of the last seconds, or about a state that lasts. It must be true of State and of those
// events.
func (x *factInputs) sentence(f *facts.Facts, recent *fold.Recent) facts.Sentence {
	s := x.state
	r := &s.Reflector
	if s.Source.Trouble != "" || s.Source.Cause != "" {
		return facts.Sentence{}
	}
	if r.Phase == "backoff" {
		return x.backoffSentence(f)
	}
	if said, ok := x.listenerSentence(recent); ok {
		return said
	}
	if len(s.Holds) > 0 {
		return x.holdSentence(f)
	}
	// Objects of the first list can be popped before the Reflector has noted its version; the list counts as under way until then.
	first := f.Unlisted || r.ResourceVersion == ""
	switch r.Phase {
	case "listing":
		return listSentence(r, first)
	case "watch-listing":
		id := "rewatchlist"
		if first {
			id = "watchlist"
		}
		return facts.Sentence{ID: id}
	case "stopped":
		return facts.Sentence{ID: "stopped"}
	}
	if x.hidesRequests() {
		if !s.Queue.Synced {
			return facts.Sentence{}
		}
		return x.flowSentence(f, recent)
	}
	if f.Unlisted { // between two requests, or before the first one
		return facts.Sentence{ID: "start"}
	}
	if x.isRecent(recent.Relisted.At, tellRelist) {
		id := "relistedKeys"
		if f.Features.Atomic {
			id = "relisted"
		}
		return plainWithout(facts.Sentence{ID: id, Why: r.Why})
	}
	if !s.Queue.Synced {
		if s.Queue.InitialPopulation > 0 {
			return facts.Sentence{ID: "filling", N: s.Queue.InitialPopulation}
		}
		return facts.Sentence{ID: "fillingLast"}
	}
	if g := recent.Grew; x.isRecent(g.At, tellGrowth) {
		if l := x.listener(g.Listener); l != nil && !l.Removed {
			return facts.Sentence{ID: "grew", Name: l.Name, N: g.From, M: g.To}
		}
	}
	return x.flowSentence(f, recent)
}

// hidesRequests reports whether the informer is another program's, so that the log does not have its requests.
func (x *factInputs) hidesRequests() bool { return x.state.Fidelity["reflector"].How == "unseen" }

// backoffSentence returns the sentence while the Reflector is in its backoff.
func (x *factInputs) backoffSentence(f *facts.Facts) facts.Sentence {
	r := &x.state.Reflector
	said := facts.Sentence{Until: r.BackoffSince + r.BackoffMillis, Since: f.StaleSince, Why: r.BackoffCause}
	if said.Why == "" {
		said.Why = r.LastError
	}
	switch {
	case x.wire.Cause == "refused" && f.Unlisted:
		said.ID = "refusedFirst"
	case x.wire.Cause == "refused":
		said.ID = "refused"
	case f.Unlisted:
		said.ID = "backoffFirst"
	case said.Why != "":
		said.ID = "backoff"
	default:
		said.ID = "backoffPlain"
	}
	return said
}

// listenerSentence returns the sentence about a handler that panicked or was removed just now.
func (x *factInputs) listenerSentence(recent *fold.Recent) (facts.Sentence, bool) {
	if p := recent.Panicked; x.isRecent(p.At, tellPanic) {
		if l := x.listener(p.Listener); l != nil {
			return facts.Sentence{ID: "panic", Name: l.Name}, true
		}
	}
	if p := recent.Left; x.isRecent(p.At, tellLeft) {
		if l := x.listener(p.Listener); l != nil && l.Removed {
			if l.Discarded > 0 {
				return facts.Sentence{ID: "left", Name: l.Name, N: l.Discarded}, true
			}
			return facts.Sentence{ID: "leftEmpty", Name: l.Name}, true
		}
	}
	return facts.Sentence{}, false
}

// flowTime is how long changes are said to come after the last one has come.
const flowTime = 3 * time.Second

// holdSentence returns the sentence while a stage is held.
func (x *factInputs) holdSentence(f *facts.Facts) facts.Sentence {
	h := x.state.Holds[0]
	if h.Stage != "pop" {
		said := facts.Sentence{ID: "hold." + h.Stage}
		if l := x.listener(h.Listener); l != nil {
			said.Name = l.Name
		}
		return said
	}
	said := facts.Sentence{ID: "holdPopNoRv", N: round(f.Growing)}
	if said.N == 0 {
		return facts.Sentence{ID: "holdPopQuiet"}
	}
	if rv := x.state.Indexer.ResourceVersion; rv != "" {
		said.ID, said.RV = "holdPop", rv
	}
	return said
}

// listSentence returns the sentence while a LIST is under way.
func listSentence(r *fold.Reflector, first bool) facts.Sentence {
	switch {
	case !first:
		return plainWithout(facts.Sentence{ID: "relist", Why: r.Why})
	case r.Relists > 0 && r.Why != "":
		return facts.Sentence{ID: "listAgain", Why: r.Why}
	}
	return facts.Sentence{ID: "list"}
}

// flowSentence returns the sentence while the watch is open.
func (x *factInputs) flowSentence(f *facts.Facts, recent *fold.Recent) facts.Sentence {
	if said, ok := x.personSentence(); ok {
		return said
	}
	s := x.state
	delta := s.Queue.Kind == "DeltaFIFO"
	batch := x.isRecent(recent.Batch.At, tellBatch)
	if i := x.slowestListener(f); i >= 0 && !(batch && x.turn(6*time.Second, 2) == 1) {
		return facts.Sentence{ID: "slow", Name: s.Listeners[i].Name, N: s.Listeners[i].Pending}
	}
	if said, ok := x.writerSentence(recent); ok {
		return said
	}
	if batch {
		said := facts.Sentence{ID: "batch", N: recent.Batch.N}
		switch {
		case delta:
			said.ID = "deltas"
		case recent.Batch.Ends != event.OpNone:
			said.ID, said.Op = "batchEnds", recent.Batch.Ends.String()
		}
		return said
	}
	if w := s.Workqueue; w != nil {
		if w.Retries > 0 && x.turn(5*time.Second, 3) == 0 {
			for _, k := range w.Waiting {
				if k.Failures > 0 {
					return facts.Sentence{ID: "retry", Key: k.Key, N: k.Failures}
				}
			}
		}
		if w.LastRead != nil && w.LastRead.Behind > 3 && !f.UpToDate && x.turn(5*time.Second, 3) == 1 {
			return facts.Sentence{ID: "behind", N: w.LastRead.Behind}
		}
	}
	rate := x.watchedRate(f)
	unseen := x.hidesRequests()
	if x.HasFactory() || unseen {
		rate = 0
		for _, l := range f.Listeners {
			rate = max(rate, float64(l.In))
		}
	} else if !x.isRecent(recent.Passed.At, flowTime) { // what was written is no object of this watch
		rate = 0
	}
	switch {
	case unseen && rate == 0:
		return facts.Sentence{ID: "idleUnseen"}
	case !unseen && s.Reflector.Phase != "watching":
		return facts.Sentence{ID: "start"}
	case isHalfOpen(s):
		return facts.Sentence{ID: "idleHalfOpen"}
	case rate == 0:
		switch {
		case isOn(s, "failover"):
			return facts.Sentence{ID: "idleBehind"} // the API server that answers is behind itself
		case isDelayed(s):
			return facts.Sentence{ID: "idleDelayed"} // an open watch does not mean that the store is current
		case !f.UpToDate:
			return facts.Sentence{ID: "idleComing"}
		}
		return facts.Sentence{ID: "idle"}
	case delta:
		return facts.Sentence{ID: "flowDelta"}
	}
	return facts.Sentence{ID: "flow", N: max(1, round(rate))}
}

// watchedRate returns how many changes a second the watch of the informer has brought of late. WritesPerSecond is that of the whole cluster.
func (x *factInputs) watchedRate(f *facts.Facts) float64 {
	const window = 2e3 // ms
	n, over := 0, window
	at := fold.Millis(x.stations[atAPI].moment)
	frames := x.state.API.Wire
	for i := range frames { // newest first, as many as State keeps
		age := at - frames[i].AtMillis
		if age >= window {
			break
		}
		if frames[i].Key != "" {
			n++
		}
		if i == len(frames)-1 {
			over = max(age, 250)
		}
	}
	// What a list brought that came as a watch is no change: where the cluster counts its writes, these are fewer.
	return min(f.WritesPerSecond, float64(n)*1e3/over)
}

// slowestListener returns the index of the slow listener that the sentence names: the main one if it is slow, else the first slow one; -1 for none.
func (x *factInputs) slowestListener(f *facts.Facts) int {
	found := -1
	for i := range x.state.Listeners {
		l := &x.state.Listeners[i]
		if l.Removed || l.Pending <= manyPending || !isSlow(l) {
			continue
		}
		if l.ID == f.Listener {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

func (x *factInputs) listener(id int32) *fold.Listener {
	for i := range x.state.Listeners {
		if l := &x.state.Listeners[i]; l.ID == id {
			return l
		}
	}
	return nil
}

func round(f float64) int { return int(math.Round(f)) }
