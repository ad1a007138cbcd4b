package tracks

import "informerscope/core/words/event"

// Past is what a frame brings of the rows of the stage. It lies in columns of one length: column n lasts from n to n+1 times StepMillis, in ms of the log.
type Past struct {
	// Reset: the page drops the columns that it has.
	Reset      bool    `json:"reset"`
	StepMillis float64 `json:"stepMillis"`
	// From and Last are the first and the last column that the frame brings, in place of those that the page has. One of them that a row lacks is empty.
	From int64 `json:"from"`
	Last int64 `json:"last"`
	// First is the oldest column that the log still has. Nothing is known of what came before.
	First int64 `json:"first"`
	// Rows are the rows of the stage, from the top: the cluster's, then each informer's. Of a factory one informer is open; the others have one row each. In a
	// fork the second lane has a cluster of its own.
	Rows []Row `json:"rows"`
	// Journey is the way of the followed change, which is the object's newest unless a version is followed; null if none is followed, or nothing is known of it.
	Journey *Journey `json:"journey"`
}

// Row is a station of an informer, a handler, or the cluster. An informer that is not open has one row: what its store took, and what waits in its queue and
// for each of its handlers.
type Row struct {
	ID       string `json:"id"` // unique: "cluster", "0.queue", "1.handler.3", "2.informer"
	Station  string `json:"station" web:"cluster|reflector|queue|indexer|handler|work|informer"`
	Lane     int    `json:"lane"`
	Listener int32  `json:"listener,omitempty"` // of a handler; of a work queue the handler that feeds it
	Name     string `json:"name,omitempty"`     // of a handler
	// Waiting is how many wait at the moment shown: changes, or keys with all their changes.
	Waiting int  `json:"waiting"`
	Keyed   bool `json:"keyed,omitempty"` // keys wait here, and not changes
	// Sampled: a probe counts what waits, and does not see which changes they are. Their type is 0.
	Sampled bool `json:"sampled,omitempty"`
	// Changes is how many changes the waiting keys have together.
	Changes int `json:"changes,omitempty"`
	// OldestMillis is when the one came that has waited longest; null if none waits.
	OldestMillis *float64 `json:"oldestMillis"`
	// Highest is the highest pile of the window.
	Highest int `json:"highest"`
	// Columns are those in which something passed or waited, in order.
	Columns []Column `json:"columns,omitempty"`
	// Spans are the causes and the happenings of the window, in order of their begin; missing if they are as in the last frame.
	Spans []Span `json:"spans,omitempty"`
	// Closed: Spans is empty now.
	Closed bool `json:"closed,omitempty"`
}

// Column is what happened in a row during one step. Counts are pairs in one list: a type, as the number of its event.Op, and how many; 0 stands for a key.
type Column struct {
	_      struct{} `web:"row"`
	Number int64
	// Passes has what passed without waiting.
	Passes Counts
	// Pile has what waited at the end of the step, the one that leaves next first; neighbours of one type are one pair. What waits shorter than two steps is a
	// pass. A pile of many types has samples, whose counts add up to its height.
	Pile Counts
	// Followed is the place of the followed object in the pile, from 0; -1 if it does not wait here.
	Followed int
	// Notches are the places of keys that got a further change in this step.
	Notches []int
}

// Counts are types and how many there are of each: [type, number, …].
type Counts []int

// add counts n more of a type.
func (c Counts) add(op event.Op, n int) Counts {
	for i := 0; i < len(c); i += 2 {
		if c[i] == int(op) {
			c[i+1] += n
			return c
		}
	}
	return append(c, int(op), n)
}

// Sum returns how many there are of all types.
func (c Counts) Sum() (n int) {
	for i := 1; i < len(c); i += 2 {
		n += c[i]
	}
	return n
}

// SpanKind says what a Span shows.
type SpanKind string

// The kinds of Spans.
const (
	Hold      SpanKind = "hold"      // the stage behind this station was held; N waited when that ended, and Pops took them; 0 while some wait.
	Call      SpanKind = "call"      // a handler's call that lasted, of Key; in a work queue's row a worker's reconcile, N its number.
	Gap       SpanKind = "gap"       // no watch; Words has the reason.
	Backoff   SpanKind = "backoff"   // the Reflector waits before it tries again; Millis is how long.
	Listing   SpanKind = "list"      // a list, or a watch's initial events; N objects.
	Stopped   SpanKind = "stopped"   // the informer does not run, and needs no watch: it has stopped, or, if Words is Unstarted, not started.
	Silent    SpanKind = "silent"    // the watch looks open, and brings nothing.
	Resync    SpanKind = "resync"    // a resync, from the store into this handler.
	Added     SpanKind = "added"     // a handler was added while the informer ran; N objects came to it from the store.
	Tombstone SpanKind = "tombstone" // N objects were deleted, which only a list has shown: the handler gets their last state.
	Removed   SpanKind = "removed"   // a handler was removed.
	Retry     SpanKind = "retry"     // Key waits to be tried again after failure N; Millis is how long.
	Failed    SpanKind = "failed"    // a reconcile of Key failed; Words is the error.
	Unseen    SpanKind = "unseen"    // from the first to the last of N changes that no watch has brought to the informer, with none between that was.
	Burst     SpanKind = "burst"     // N changes came close together.
	Pile      SpanKind = "pile"      // something waited: N at most, Merged changes went into keys that waited already.
	Read      SpanKind = "read"      // worker N, 0 if it is not known, read Key through the lister, and others next to it Merged times.
	Letter    SpanKind = "letter"    // the object with the letter Words passed at a moment, or waited over N others.
	Act       SpanKind = "act"       // somebody did something: Words as a link has it ("burst:1000"). Key is empty for the page's user, "note", or another author.
)

// Unstarted are the Words of a Stopped informer that has never started.
const Unstarted = "unstarted"

// Span is something that lasted, or happened, in a row.
type Span struct {
	Kind       SpanKind `json:"kind" web:"hold|call|gap|backoff|list|silent|resync|tombstone|added|removed|retry|failed|unseen|burst|pile|read|letter|act"`
	FromMillis float64  `json:"fromMillis"`
	ToMillis   *float64 `json:"toMillis"` // null while it lasts
	N          int      `json:"n,omitempty"`
	Merged     int      `json:"merged,omitempty"`
	Pops       int      `json:"pops,omitempty"`
	Millis     float64  `json:"millis,omitempty"`
	Code       int      `json:"code,omitempty"`
	Key        string   `json:"key,omitempty"`
	Words      string   `json:"words,omitempty"`
	// RV is the version that a read got, empty for no object. Latest is the newest that the cluster is known to have had then, Behind versions later, and empty
	// if the object was deleted.
	RV     string `json:"rv,omitempty"`
	Latest string `json:"latest,omitempty"`
	Behind int    `json:"behind,omitempty"`
}

// Equal reports whether two Spans say the same.
func (s Span) Equal(o Span) bool {
	if s.ToMillis != nil && o.ToMillis != nil && *s.ToMillis == *o.ToMillis {
		o.ToMillis = s.ToMillis
	}
	return s == o
}
