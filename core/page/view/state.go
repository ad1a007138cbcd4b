package view

import (
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// State is what the fold of the log computes at the view's position, and what the view adds to it.
type State struct {
	fold.State
	Live  bool         `json:"live"` // the state is that of the log's end
	View  Playback     `json:"view"`
	Facts *facts.Facts `json:"facts,omitempty"` // what is true of the moment, beside the fold's State
	// Lanes are all informers, if there are several, including the one at the top. Their Live, View, Factory, Fork and Compare are not set.
	Lanes []*State `json:"lanes,omitempty"`
	// Factory is the overview if several resources are watched or an informer is unshared.
	Factory *facts.Factory `json:"factory,omitempty"`
	// Fork is how the lanes of a fork differ.
	Fork *facts.Fork `json:"fork,omitempty"`
	// Compare is what each release made of the same changes, if there are several releases.
	Compare *facts.Comparison `json:"compare,omitempty"`
}

// Playback is how the page follows the log.
type Playback struct {
	Mode         string  `json:"mode"` // live, playing, paused
	Speed        float64 `json:"speed"`
	Behind       uint64  `json:"behind"` // events between the view and the log's end
	BehindMillis float64 `json:"behindMillis"`
	First        uint64  `json:"first"` // oldest seq that can be shown
	Head         uint64  `json:"head"`
	HeadMillis   float64 `json:"headMillis"`
	MergedTokens int     `json:"mergedTokens"` // chips merged in the last second because there were too many to show
	ShownTokens  int     `json:"shownTokens"`
	Memory       Memory  `json:"memory"`
}

// Memory is the memory of the program that holds the log, in bytes; zero if it is not measured.
type Memory struct {
	Live  uint64 `json:"live"`  // left by the last garbage collection
	Total uint64 `json:"total"` // obtained from the system; in a browser it never shrinks
	Limit uint64 `json:"limit"` // the most that it can get
}

// State returns the State at the view's position.
func (v *View) State() *State {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode == live {
		v.advanceLocked()
	}
	shown, newest := v.stageLaneLocked(), allAt(v.fold, v.moment())
	s := stateOf(v.fold, shown)
	s.View, s.Live = v.describe(), v.isPresentLocked()
	s.setFacts(shown, func(lane int, state *fold.State) *facts.Facts { return v.factsLocked(lane, state, &newest) })
	v.timeline.follow(v.rec)
	s.Compare, s.Fork, s.Factory = v.comparisonLocked(&s.State, &newest), v.fold.Fork(), v.fold.Factory(shown)
	return s
}

// StateOf returns the State of a fold. No view follows the fold: only the fold's own members and Lanes are set.
func StateOf(f *fold.Fold) *State { return stateOf(f, 0) }

func stateOf(f *fold.Fold, shown int) *State {
	s := &State{State: *f.StateOf(shown)}
	for _, lane := range s.State.Lanes {
		s.Lanes = append(s.Lanes, &State{State: *lane})
	}
	return s
}

// SetFacts sets the facts of a fold's State and of its lanes. at is the moment shown; if the fold's is later, that one counts.
func (s *State) SetFacts(f *fold.Fold, at time.Duration) {
	seen, all := map[string]struct{}{}, allAt(f, at)
	s.setFacts(0, func(lane int, state *fold.State) *facts.Facts {
		x := factInputs{stationFold: all[atIndexer], stations: &all, wire: f.Recent(lane), lane: lane, state: state, scratch: seen}
		return x.facts()
	})
}

// setFacts sets the facts of the lane that is shown, and of all lanes.
func (s *State) setFacts(shown int, compute func(lane int, s *fold.State) *facts.Facts) {
	s.Facts = compute(shown, &s.State)
	for i, lane := range s.Lanes {
		if lane.Facts = s.Facts; i != shown {
			lane.Facts = compute(i, &lane.State)
		}
	}
}
