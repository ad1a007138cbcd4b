package view

import (
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/words/cause"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// factInputs has all inputs of a lane's facts. state is the lane's at the fold, recent what the fold keeps of its last moments.
type factInputs struct {
	*fold.Fold
	moment time.Duration // that is shown, on the log's clock
	lane   int
	state  *fold.State
	recent *fold.Recent
}

// factsOf computes the facts of a lane. They depend only on the fold and the moment; one before the fold's last event counts as that event's.
func factsOf(f *fold.Fold, at time.Duration, lane int, s *fold.State) *facts.Facts {
	x := factInputs{Fold: f, moment: max(at, f.At()), lane: lane, state: s, recent: f.Recent(lane)}
	out := &facts.Facts{Sure: x.isSure(), Trouble: troubleOf(s, x.recent.Cause), Deltas: deltasOf(s), Ahead: aheadOf(s), Features: featuresOf(s),
		Sentence: x.actSentence()}
	if out.Sentence.ID == "" {
		out.Sentence = x.personSentence()
	}
	out.LastRun = lastRunOf(f, lane, x.moment)
	out.Focus, out.Headline = x.focus(), x.headline()
	return out
}

// isSure reports whether an update would arrive if there were one.
func (x *factInputs) isSure() bool {
	s := x.state
	return s.Source.Trouble == "" && s.Source.Cause == "" && s.Reflector.Phase != "backoff" && !x.recent.Silent
}

// isUnlisted reports whether the first list has not arrived: the store never held the cluster's objects, so nothing in it is stale.
func (x *factInputs) isUnlisted() bool {
	return x.state.Reflector.ResourceVersion == "" && !x.state.Queue.Synced
}

// staleSince returns when the store stopped being able to receive updates, in ms of the log; 0 while it can receive them.
func (x *factInputs) staleSince() float64 {
	if x.isUnlisted() || !x.recent.Silent {
		return 0
	}
	return fold.Millis(x.recent.SilentAt)
}

// isRecent reports whether at is less than d before the moment shown.
func (x *factInputs) isRecent(at, d time.Duration) bool { return x.moment-at < d }

// hidesRequests reports whether the informer is another program's, so that the log does not have its requests.
func (x *factInputs) hidesRequests() bool { return x.state.Fidelity["reflector"].How == "unseen" }

// aheadOf returns how many frames wait between the connections of an informer and its Reflector. Informers of one resource share the list of requests.
func aheadOf(s *fold.State) (n int) {
	if !featuresOf(s).DecodesAhead {
		return 0
	}
	for _, r := range s.API.Requests {
		if r.Open {
			n += r.Ahead
		}
	}
	return n
}

// deltasOf returns how many deltas of objects wait in the queue.
func deltasOf(s *fold.State) (n int) {
	//maporder:free a sum of whole numbers
	for op, count := range s.Queue.Mix {
		if op != "Bookmark" {
			n += count
		}
	}
	return n
}

// featuresOf returns the features of the release, none if it is not known.
func featuresOf(s *fold.State) releases.Features {
	release, err := releases.Parse(s.Release)
	switch {
	case releases.IsNewer(s.Release):
		return releases.All()[0].Features()
	case err != nil:
		return releases.Features{}
	}
	return release.Features()
}

// isUpToDate reports whether the store has every change that the log knows of.
func (x *factInputs) isUpToDate() bool {
	s := x.state
	if !x.isSure() || x.isUnlisted() || s.Reflector.Phase != "watching" || s.Queue.Depth > 0 || len(s.Queue.Batch) > 0 {
		return false
	}
	for i := range s.API.Wire {
		frame := &s.API.Wire[i]
		if rv := s.Reflector.ResourceVersion; frame.Key != "" && rv != "" && event.IsNewer(frame.RV, rv) {
			return false
		}
	}
	return !isDelayed(s)
}

// isDelayed reports whether the cluster may have changes that the log does not know of yet: the wire delays or swallows them, or the API server that
// answers is behind.
func isDelayed(s *fold.State) bool { return isOn(s, "delay") || isOn(s, "failover") || isHalfOpen(s) }

// isHalfOpen reports whether the connection of the open watch is half-open. The fault does not concern a watch that was opened later.
func isHalfOpen(s *fold.State) bool {
	for _, fault := range s.Faults {
		if fault.On && fault.Name == "halfopen" {
			return s.Reflector.Phase == "watching" && s.Reflector.RequestMillis <= fault.AtMillis
		}
	}
	return false
}

// isOn reports whether the fault with a name is on.
func isOn(s *fold.State, name string) bool {
	for _, fault := range s.Faults {
		if fault.On && fault.Name == name {
			return true
		}
	}
	return false
}

// isSlow reports whether the listener's handler is slow: its pace was set so, its calls take long, or its ring grew.
func isSlow(l *fold.Listener) bool {
	return l.PaceMillis >= 50 || l.MeanMicros > 50e3 && l.Pending > 8 || len(l.Capacities) > 0 && l.Pending > l.Capacity/4
}

// troubleOf returns the trouble between the informer and its cluster. last is the cause of the error that led to the last backoff.
func troubleOf(s *fold.State, last string) facts.TroubleFacts {
	t := facts.TroubleFacts{Cause: s.Source.Cause}
	switch {
	case t.Cause != "":
		t.Down = true
	case s.Source.Trouble != "":
		t.Cause, t.Down = cause.Other, true
	case s.Reflector.Phase == "backoff":
		t.Cause, t.Down = last, last != ""
	}
	switch c := cause.Find(t.Cause); {
	case !t.Down:
	case c != nil && c.Before:
		t.Answer = "unreached"
	case c != nil && c.Answer.EN != "" && s.Source.Cause != "":
		t.Answer = t.Cause
	default:
		t.Answer = "none"
	}
	return t
}
