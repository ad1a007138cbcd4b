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
	// Lanes are all informers, if there are several, including the one at the top. Their Live, View, Factory and Fork are not set.
	Lanes []*State `json:"lanes,omitempty"`
	// Factory is the overview if several resources are watched or an informer is unshared.
	Factory *facts.Factory `json:"factory,omitempty"`
	// Fork is how the lanes of a fork differ.
	Fork *facts.Fork `json:"fork,omitempty"`
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
	shown := v.stageLaneLocked()
	s := stateOf(v.fold, shown)
	s.View, s.Live = v.describe(), v.isPresentLocked()
	s.setFacts(v.fold, v.moment(), shown)
	s.Fork, s.Factory = v.fold.Fork(), v.fold.Factory(shown)
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
func (s *State) SetFacts(f *fold.Fold, at time.Duration) { s.setFacts(f, at, 0) }

// setFacts sets the facts of the lane that is shown, and of all lanes.
func (s *State) setFacts(f *fold.Fold, at time.Duration, shown int) {
	s.Facts = factsOf(f, at, shown, &s.State)
	for i, lane := range s.Lanes {
		if lane.Facts = s.Facts; i != shown {
			lane.Facts = factsOf(f, at, i, &lane.State)
		}
	}
}
