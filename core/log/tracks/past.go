package tracks

import "informerscope/core/words/event"

// Past is what a frame brings of the rows of the stage. The past lies in columns of one length: column n lasts from n to n+1 times StepMillis, in ms of the log.
type Past struct {
	// Reset: the page drops the columns that it has, and these are all of the window. Otherwise they follow the ones that it has, and replace the newest of them.
	Reset      bool    `json:"reset"`
	StepMillis float64 `json:"stepMillis"`
	// First is the oldest column that the log still has. Nothing is known of what came before.
	First int64 `json:"first"`
	// Rows are the rows of the stage, from the top: the cluster's, then each informer's.
	Rows []Row `json:"rows"`
}

// Row is a station of an informer, a handler, or the cluster.
type Row struct {
	ID       string `json:"id"` // unique: "cluster", "0.queue", "1.handler.3"
	Station  string `json:"station" web:"cluster|reflector|queue|indexer|handler|work"`
	Lane     int    `json:"lane"`
	Listener int32  `json:"listener,omitempty"` // of a handler; of a work queue the handler that feeds it
	Name     string `json:"name,omitempty"`     // of a handler
	// Waiting is how many wait at the moment shown: changes, or keys with all their changes.
	Waiting int  `json:"waiting"`
	Keyed   bool `json:"keyed,omitempty"` // keys wait here, and not changes
	// Changes is how many changes the waiting keys have together.
	Changes int `json:"changes,omitempty"`
	// OldestMillis is when the one came that has waited longest; null if none waits.
	OldestMillis *float64 `json:"oldestMillis"`
	// Highest is the highest pile of the window.
	Highest int `json:"highest"`
	// Columns are those in which something passed or waited, in order. A column in between that is missing is empty.
	Columns []Column `json:"columns,omitempty"`
	// Spans are the causes and the happenings of the window, in order of their begin; missing if they are as in the last frame.
	Spans []Span `json:"spans,omitempty"`
	// Closed: Spans is empty now.
	Closed bool `json:"closed,omitempty"`
}

// Column is what happened in a row during one step. It is written as [number, passes, pile, followed].
type Column struct {
	Number int64
	// Passes has what passed without waiting, by type.
	Passes []Count
	// Pile has what waited at the end of the step, the one that leaves next first; neighbours of one type are one Count. What waits shorter than two steps is a
	// pass. A pile above 128 is drawn from samples, whose counts add up to its height.
	Pile []Count
	// Followed is the place of the followed object in the pile, from 0; -1 if it does not wait here.
	Followed int
	// Notches are the places of keys that got a further change in this step.
	Notches []int
}

// Count is a number of changes of a type; OpNone stands for a key.
type Count struct {
	Op event.Op
	N  int
}

// SpanKind says what a Span shows.
type SpanKind string

// The kinds of Spans.
const (
	Hold    SpanKind = "hold"    // the stage behind this station was held
	Call    SpanKind = "call"    // a handler's call that lasted, of Key; in a work queue's row a worker's reconcile, N its number
	Gap     SpanKind = "gap"     // no watch; Words is why, Code the status
	Backoff SpanKind = "backoff" // the Reflector waits before it tries again; Millis is how long
	Listing SpanKind = "list"    // a list, or a watch's initial events; N objects
	Silent  SpanKind = "silent"  // the watch looks open, and brings nothing
	Resync  SpanKind = "resync"  // a resync, from the store into this handler
	Added   SpanKind = "added"   // a handler was added while the informer ran; N objects came to it from the store
	Removed SpanKind = "removed" // a handler was removed
	Retry   SpanKind = "retry"   // Key waits to be tried again after failure N; Millis is how long
	Failed  SpanKind = "failed"  // a reconcile of Key failed; Words is the error
	Burst   SpanKind = "burst"   // N changes came close together
	Pile    SpanKind = "pile"    // something waited: N at most, Merged changes went into keys that waited already
	Act     SpanKind = "act"     // somebody did something to the informer or the cluster; Words names it
)

// Span is something that lasted, or happened, in a row.
type Span struct {
	Kind       SpanKind `json:"kind"`
	FromMillis float64  `json:"fromMillis"`
	ToMillis   *float64 `json:"toMillis"` // null while it lasts
	N          int      `json:"n,omitempty"`
	Merged     int      `json:"merged,omitempty"`
	Millis     float64  `json:"millis,omitempty"`
	Code       int      `json:"code,omitempty"`
	Key        string   `json:"key,omitempty"`
	Words      string   `json:"words,omitempty"`
}
