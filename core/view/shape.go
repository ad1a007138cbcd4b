package view

import "informerscope/core/trace"

// Frame describes what View.Frame returns, as types. For speed a view writes its frames by hand. These types are for readers: web/types.js is generated from
// them, and a test of tools/webtypes checks frames against them.
type Frame struct {
	View     Position  `json:"view"`
	Lanes    []Lane    `json:"lanes"`
	Timeline *Timeline `json:"timeline,omitempty"`
	// Compare is set if the comparison of two releases has changed; null if there is none any more.
	Compare *trace.Comparison `json:"compare,omitempty"`
	// Story is set if the story's text has changed; null if there is no story.
	Story *Told `json:"story,omitempty"`
	// Factory is set if what several informers show together has changed; null if there is one informer, or one in two releases, again. Lanes then has
	// the lane on stage.
	Factory *trace.Factory `json:"factory,omitempty"`
	// Jump: the view did not play through to here. Show the new state at once, without animation.
	Jump bool `json:"jump"`
}

// Position is where a view is in the log, and how it follows it.
type Position struct {
	trace.View
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
}

// Lane is what is new in one lane.
type Lane struct {
	// State has the members of the state that changed; each replaces the whole member.
	State *State `json:"state" web:"partial"`
	// Facts has the members of the facts that changed, likewise.
	Facts *trace.Facts `json:"facts,omitempty" web:"partial"`
	// Groups are the groups of the cells; they are sent whole when they change.
	Groups *Groups `json:"groups,omitempty"`
	Cells  *Cells  `json:"cells,omitempty"`
	Moves  []Move  `json:"moves,omitempty"`
}

// State is the part of a lane's trace.State that frames carry; the rest is in the frame's Position, or constant for each lane.
type State struct {
	Source    trace.Source     `json:"source"`
	Release   string           `json:"era"`
	Resource  trace.Resource   `json:"resource"`
	API       trace.API        `json:"api"`
	Reflector trace.Reflector  `json:"reflector"`
	Queue     trace.Queue      `json:"queue"`
	Indexer   trace.Indexer    `json:"indexer"`
	Listeners []trace.Listener `json:"listeners"`
	Workqueue *trace.Workqueue `json:"workqueue"`
	Holds     []trace.Hold     `json:"holds"`
	Faults    []trace.Fault    `json:"faults"`
	// Fidelity is how members are known, for another program's informer.
	Fidelity map[string]trace.Fidelity `json:"fidelity"`
}

// Groups are the values of an index, with the number of objects of each.
type Groups struct {
	Index string  `json:"index"`
	List  []Group `json:"list"`
}

// Group is a value of an index, and the number of objects that have it.
type Group struct {
	_     struct{} `web:"row"`
	Value string
	Count int
}

// Cells are the objects of the store that changed.
type Cells struct {
	Reset bool      `json:"reset"` // the page must first drop all its cells
	Set   []CellRow `json:"set"`
	Del   []int     `json:"del"` // slots
}

// CellRow is one object of the store; it keeps its slot while it is there.
type CellRow struct {
	_        struct{} `web:"row"`
	Slot     int
	Key      string
	Group    int // in the list of groups
	AtMillis float64
	Op       string // of the last change
	Phase    string
	Mutated  bool // a handler mutated it since it arrived
}

// Timeline is what is new in the log as a whole.
type Timeline struct {
	Reset       bool    `json:"reset"` // the page must first drop its bins and marks
	BinMillis   int     `json:"binMillis"`
	FirstMillis float64 `json:"firstMillis"` // the oldest moment that can still be shown
	Bins        []Bin   `json:"bins"`
	// Marks are new ones.
	Marks []trace.Mark `json:"marks"`
}

// Bin is a stretch of the log's time, numbered from 0, and its number of events.
type Bin struct {
	_      struct{} `web:"row"`
	Number int
	Events int
}
