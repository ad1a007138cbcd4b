package view

import "informerscope/core/trace"

// Frame is what View.Frame returns, as types. A view writes its frames by hand, since it does so for every picture; these types
// are for those who read them: web/types.js is made from them, and a test of tools/webtypes holds frames against them.
type Frame struct {
	View     Position  `json:"view"`
	Lanes    []Lane    `json:"lanes"`
	Timeline *Timeline `json:"timeline,omitempty"`
	// Compare is there when the comparison of two releases is another one than before; null when there is none any more.
	Compare *trace.Comparison `json:"compare,omitempty"`
	// Story is there when what a story tells is other than before; null when none is told.
	Story *Told `json:"story,omitempty"`
	// Factory is there when what several informers show together is another than before; null when there is one informer again, or the
	// same in two releases. Lanes has the one that shows then.
	Factory *trace.Factory `json:"factory,omitempty"`
	// Jump says that the view did not play through to here: show the end at once, animate nothing.
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
	// State has the members of the state that changed; each takes the place of the whole of what was there.
	State *State `json:"state" web:"partial"`
	// Facts has the members of the facts that changed, likewise.
	Facts *trace.Facts `json:"facts,omitempty" web:"partial"`
	// Groups are by which the cells are told apart; they come whole when they change.
	Groups *Groups `json:"groups,omitempty"`
	Cells  *Cells  `json:"cells,omitempty"`
	Moves  []Move  `json:"moves,omitempty"`
}

// State is what frames say of a lane's trace.State; the rest is in the frame's Position, or known of each lane.
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
	// Fidelity is how members are known of an informer that was watched from outside.
	Fidelity map[string]trace.Fidelity `json:"fidelity"`
}

// Groups are the values of an index and how many objects have each.
type Groups struct {
	Index string  `json:"index"`
	List  []Group `json:"list"`
}

// Group is a value of an index, and the number of the objects that have it.
type Group struct {
	_     struct{} `web:"row"`
	Value string
	Count int
}

// Cells are those of the store's objects that changed.
type Cells struct {
	Reset bool      `json:"reset"` // the page forgets all it has first
	Set   []CellRow `json:"set"`
	Del   []int     `json:"del"` // slots
}

// CellRow is one object of the store: its slot is its own for as long as it is there.
type CellRow struct {
	_        struct{} `web:"row"`
	Slot     int
	Key      string
	Group    int // in the list of groups
	AtMillis float64
	Op       string // of the last change
	Phase    string
	Mutated  bool // a handler changed it in place since it came
}

// Timeline is what is new in the log as a whole.
type Timeline struct {
	Reset       bool    `json:"reset"` // the page forgets its bins and marks first
	BinMillis   int     `json:"binMillis"`
	FirstMillis float64 `json:"firstMillis"` // the oldest moment that can still be shown
	Bins        []Bin   `json:"bins"`
	// Marks are new ones.
	Marks []trace.Mark `json:"marks"`
}

// Bin is a stretch of the log's time, by number from 0, and how many events are in it.
type Bin struct {
	_      struct{} `web:"row"`
	Number int
	Events int
}
