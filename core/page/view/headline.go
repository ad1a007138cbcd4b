package view

import (
	"cmp"
	"math"
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// From so many on, what waits is the headline: fewer come and go too fast to be read.
const (
	manyForHandler = 3
	manyKeys       = 10
)

// How long the headline says that a list was taken over, and that changes come.
const (
	tellRelist = 4 * time.Second
	flowTime   = 3 * time.Second
)

// longCall is how long a handler is in a call before the headline says so, in ms.
const longCall = 2000

// shortList is how long a list is under way before the headline says so, in ms.
const shortList = 300

// headline returns what the picture is about: what is held, else no watch, else a row that grows, else a retry, else a list, else that nothing waits. It must
// be true of State.
func (x *factInputs) headline() facts.Sentence {
	s := x.state
	if s.Source.Trouble != "" || s.Source.Cause != "" {
		return facts.Sentence{}
	}
	for _, say := range []func() facts.Sentence{x.headlineOfHold, x.headlineOfGap, x.headlineOfPile, x.headlineOfRetry, x.headlineOfList} {
		if said := say(); said.ID != "" {
			return said
		}
	}
	return x.headlineOfFlow()
}

// headlineOfHold says how many wait behind the first held stage.
func (x *factInputs) headlineOfHold() (said facts.Sentence) {
	s := x.state
	for _, stage := range []string{"store", "pop", "deliver", "take"} {
		for i := range s.Holds {
			h := &s.Holds[i]
			if h.Stage != stage {
				continue
			}
			said.ID, said.Since = "held."+stage, h.SinceMillis
			switch stage {
			case "pop":
				said.N = s.Queue.Waiting
				if s.Queue.Kind == "DeltaFIFO" {
					said.ID, said.M = "held.popKeys", deltasOf(s)
				}
			case "deliver":
				if l := x.listener(h.Listener); l != nil {
					said.Name, said.N = l.Name, x.waitingFor(l)
				}
			case "take":
				if s.Workqueue != nil {
					said.N = s.Workqueue.Depth
				}
			}
			return said
		}
	}
	return said
}

// waitingFor returns how many notifications wait for a listener's handler: in the ring, in nextCh and in the handler's hand before its call. A probe sees
// those in the ring alone.
func (x *factInputs) waitingFor(l *fold.Listener) int {
	if x.state.Fidelity["listeners.distributed"].How == "unseen" {
		return l.Pending
	}
	n := l.Distributed - l.Handled - l.Discarded
	if l.Handling != nil {
		n--
	}
	return max(n, 0)
}

// headlineOfGap says why there is no watch.
func (x *factInputs) headlineOfGap() (said facts.Sentence) {
	s := x.state
	r := &s.Reflector
	switch {
	case r.Phase == "backoff":
		// The store has no news since; the first list may not have come.
		said = facts.Sentence{ID: "gap", Until: r.BackoffSince + r.BackoffMillis, Since: x.staleSince(), Why: cmp.Or(r.BackoffCause, r.LastError)}
		if x.recent.Cause == "refused" {
			said.ID = "refused"
		}
		if x.isUnlisted() {
			said.ID += "First"
		}
		if x.recent.Cause != "refused" {
			return plainWithout(said)
		}
	case (r.Phase == "listing" || r.Phase == "watch-listing") && len(r.Backoffs) > 0 && fold.Millis(x.moment)-r.RequestMillis < shortList:
		// A list that ends soon is no sentence of its own. There is no watch until then.
		said = plainWithout(facts.Sentence{ID: "gap", Since: x.staleSince(), Why: cmp.Or(r.BackoffCause, r.LastError)})
	case r.Phase == "stopped":
		said.ID = "stopped"
	case isHalfOpen(s):
		said.ID = "halfOpen"
	}
	return said
}

// plainWithout returns a sentence, or its plain variant if it lacks its reason.
func plainWithout(said facts.Sentence) facts.Sentence {
	if said.Why == "" {
		said.ID += "Plain"
	}
	return said
}

// headlineOfPile says what grows without being held.
func (x *factInputs) headlineOfPile() (said facts.Sentence) {
	s := x.state
	for i := range s.Listeners {
		l := &s.Listeners[i]
		n := x.waitingFor(l)
		if l.Removed || l.Handling == nil || n < manyForHandler || n <= said.N {
			continue
		}
		if l.Synced && isSlow(l) {
			said = facts.Sentence{ID: "slow", Name: l.Name, N: n, M: round(max(l.PaceMillis, l.MeanMicros/1000)), Since: l.HandlingSince}
		} else if fold.Millis(x.moment)-l.HandlingSince >= longCall {
			said = facts.Sentence{ID: "call", Name: l.Name, N: n, Since: l.HandlingSince}
		}
	}
	if said.ID != "" {
		return said
	}
	if w := s.Workqueue; w != nil && w.Depth >= manyKeys {
		return facts.Sentence{ID: "keys", N: w.Depth, M: len(w.Processing)}
	}
	return said
}

// headlineOfRetry says which key fails.
func (x *factInputs) headlineOfRetry() facts.Sentence {
	if w := x.state.Workqueue; w != nil {
		for _, k := range w.Waiting {
			if k.Failures > 0 {
				return facts.Sentence{ID: "retry", Key: k.Key, N: k.Failures, Until: k.DueMillis, Why: k.Why}
			}
		}
	}
	return facts.Sentence{}
}

// headlineOfList says that a list is under way, or was just now.
func (x *factInputs) headlineOfList() (said facts.Sentence) {
	s := x.state
	r := &s.Reflector
	first := x.isUnlisted() || r.ResourceVersion == ""
	switch {
	case r.Phase == "listing", r.Phase == "watch-listing":
		if first {
			return facts.Sentence{ID: "list"}
		}
		return plainWithout(facts.Sentence{ID: "relist", Why: r.Why})
	case x.hidesRequests():
	case x.isUnlisted():
		said.ID = "start"
	case x.isRecent(x.recent.Relisted.At, tellRelist):
		return plainWithout(facts.Sentence{ID: "relisted", Why: r.Why})
	case !s.Queue.Synced:
		said.ID, said.N = "filling", s.Queue.InitialPopulation
	}
	return said
}

// headlineOfFlow says that nothing waits, and how much comes.
func (x *factInputs) headlineOfFlow() facts.Sentence {
	switch {
	case x.hidesRequests():
		return facts.Sentence{ID: "unseen"}
	case x.state.Reflector.Phase != "watching":
		return facts.Sentence{ID: "start"}
	}
	n := 0
	if x.isRecent(x.recent.Passed.At, flowTime) {
		n = round(x.watchedRate())
	}
	switch {
	case n > 0:
		return facts.Sentence{ID: "flow", N: n}
	case !x.isUpToDate():
		return facts.Sentence{ID: "coming"}
	}
	return facts.Sentence{ID: "idle"}
}

// watchedRate returns how many changes a second the watch of the informer has brought of late.
func (x *factInputs) watchedRate() float64 {
	const window = 2e3 // ms
	n, over := 0, window
	at := fold.Millis(x.moment)
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
	return min(x.WritesPerSecond(x.lane, x.moment), float64(n)*1e3/over)
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
