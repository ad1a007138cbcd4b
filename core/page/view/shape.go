package view

import (
	"informerscope/core/ask/analysis"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/tracks"
)

// Frame is the type of a frame. View.Frame writes its JSON by hand, for speed. Readers use these types: web/wire/types.js is generated from them, and a test of
// tools/webtypes checks frames against them.
type Frame struct {
	View     Position  `json:"view"`
	Lanes    []Lane    `json:"lanes"`
	Timeline *Timeline `json:"timeline,omitempty"`
	// Fork is set if how the lanes of a fork differ has changed; null without a fork.
	Fork *facts.Fork `json:"fork,omitempty"`
	// Story is set if the story's text has changed; null if there is no story.
	Story *StoryState `json:"story,omitempty"`
	// Factory is set if the overview of several informers has changed; null if there is one informer again, or one in two releases. With an overview, Lanes
	// has only the lane on stage.
	Factory *facts.Factory `json:"factory,omitempty"`
	// Past is what is new in the past of the stage's rows; missing if the page has not asked for a window.
	Past *tracks.Past `json:"past,omitempty"`
	// Jump: the view did not play through to this position. Show the new state at once, without animation.
	Jump bool `json:"jump"`
}

// Position is a view's position in the log, and how the view follows the log.
type Position struct {
	Playback
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
	// Event is the event Seq, while the view is paused; else null.
	Event *EventName `json:"event"`
}

// EventName says which event a view stands at. Kind is a name of core/words/event, and Key is empty if the event is about no object.
type EventName struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
}

// Lane has the changes of one lane.
type Lane struct {
	// State has the members of the state that changed; each replaces the whole member.
	State *StateChange `json:"state" web:"partial"`
	// Facts has the members of the facts that changed, likewise.
	Facts *facts.Facts `json:"facts,omitempty" web:"partial"`
	Cells *Cells       `json:"cells,omitempty"`
}

// StateChange is the part of a lane's fold.State that frames carry; the rest is in the frame's Position, or constant for each lane.
type StateChange struct {
	Source    fold.Source     `json:"source"`
	Release   string          `json:"era"`
	Resource  fold.Resource   `json:"resource"`
	API       fold.API        `json:"api"`
	World     fold.World      `json:"world"`
	Reflector fold.Reflector  `json:"reflector"`
	Queue     fold.Queue      `json:"queue"`
	Indexer   fold.Indexer    `json:"indexer"`
	Listeners []fold.Listener `json:"listeners"`
	Workqueue *fold.Workqueue `json:"workqueue"`
	Holds     []fold.Hold     `json:"holds"`
	Faults    []fold.Fault    `json:"faults"`
	// Fidelity describes how exactly members are known, for another program's informer.
	Fidelity map[string]fold.Fidelity `json:"fidelity"`
}

// Cells has the objects of the store and of the cluster that changed.
type Cells struct {
	Reset bool      `json:"reset"` // the page must first drop all its cells
	Set   []CellRow `json:"set"`
	Del   []int     `json:"del"` // slots
}

// CellRow is one object; it keeps its slot while the store or the cluster has it.
type CellRow struct {
	_        struct{} `web:"row"`
	Slot     int
	Key      string
	AtMillis float64 // when the store last changed it; 0 for an object that is not in the store
	// Places is a sum: 1 the cluster has the object, 2 the store has it, 4 their versions differ, 8 this informer does not ask for it. 16: the store has it
	// without the members that were dropped since it arrived.
	Places int
	// WrittenMillis is when the cluster's version was written, or seen; 0 if it was there when the log began.
	WrittenMillis float64
	// ClusterRV and StoreRV are the versions of the cluster and of the store; "" where it lacks the object.
	ClusterRV string
	StoreRV   string
}

// Timeline has the changes of the log as a whole.
type Timeline struct {
	Reset       bool    `json:"reset"` // the page must first drop its bins and marks
	BinMillis   int     `json:"binMillis"`
	FirstMillis float64 `json:"firstMillis"` // the oldest moment that a view can show
	Bins        []Bin   `json:"bins"`
	// Marks are the new marks.
	Marks []analysis.Mark `json:"marks"`
}

// Bin has the number of events in a stretch of the log's time. Stretches are numbered from 0.
type Bin struct {
	_      struct{} `web:"row"`
	Number int
	Events int
}
