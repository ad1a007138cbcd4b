package tracefile

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/event"
)

// FileFormat and FileVersion are in the first line of every trace file.
const (
	FileFormat  = "informerscope-trace"
	FileVersion = 1
	// ClientGo is the client-go release whose behaviour the informers follow.
	ClientGo = "v0.37.2"
)

// Names as a Header's Objects: of each object its kind, names, versions, times and phase.
const Names = "names"

// Header is the first line of a trace file.
type Header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Selection is what the experiment watches.
	Selection event.Selection `json:"selection"`
	ClientGo  string          `json:"clientGo"`
	// StartedAt is when the log's clock was at 0, RFC 3339; empty when unknown.
	StartedAt string `json:"startedAt,omitempty"`
	// End is when the recording ended, on the log's clock, in nanoseconds; 0 when unknown. Nothing happened between the last event and then.
	End time.Duration `json:"end,omitempty"`
	// Events is how many lines follow, 0 when it was not known.
	Events int `json:"events,omitempty"`
	// First is the seq of the first recorded event when the log's beginning was not kept: the lines before it restore the state at that moment.
	First uint64 `json:"first,omitempty"`
	// Objects is Names if the objects have no bodies; empty for whole objects.
	Objects string `json:"objects,omitempty"`
	// Note is free text.
	Note string `json:"note,omitempty"`
}

// record is an event's line. Its short names are the schema: see docs/dev/trace.md.
type record struct {
	Seq      uint64       `json:"s"`
	At       int64        `json:"t"` // nanoseconds
	Lane     uint8        `json:"l,omitempty"`
	Kind     string       `json:"k"`
	Op       string       `json:"op,omitempty"`
	Verb     string       `json:"verb,omitempty"`
	Flag     bool         `json:"f,omitempty"`
	Listener int32        `json:"li,omitempty"`
	Req      uint32       `json:"req,omitempty"`
	N        int          `json:"n,omitempty"`
	M        int          `json:"m,omitempty"`
	Dur      int64        `json:"d,omitempty"` // nanoseconds
	Key      string       `json:"key,omitempty"`
	RV       string       `json:"rv,omitempty"`
	StoreRV  string       `json:"srv,omitempty"`
	Text     string       `json:"txt,omitempty"`
	Release  string       `json:"era,omitempty"`
	Obj      *objRecord   `json:"obj,omitempty"`
	Old      *objRecord   `json:"old,omitempty"`
	Err      *errRecord   `json:"err,omitempty"`
	Options  *optsRecord  `json:"opts,omitempty"`
	Items    []itemRecord `json:"items,omitempty"`
	Indexed  []idxRecord  `json:"ix,omitempty"`
	// More: further lines follow with items of this event, or the rest of what it restores. Never in a file: see LineEncoder.
	More bool `json:"more,omitempty"`
}

// objRecord is an object: "id" and "raw" where it first appears, only "id" afterwards.
type objRecord struct {
	ID  int             `json:"id"`
	Raw json.RawMessage `json:"raw,omitempty"`
	// Held is the object's size in bytes as this process holds it, if that is not the length of raw: a broadcast and a recording of names leave out
	// members. Came is its size on arrival, if something was dropped from it since.
	Held int64 `json:"held,omitempty"`
	Came int64 `json:"came,omitempty"`
}

type errRecord struct {
	Message string `json:"msg"`
	Code    int32  `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Cause   string `json:"cause,omitempty"`
}

type optsRecord struct {
	LabelSelector        string `json:"labelSelector,omitempty"`
	FieldSelector        string `json:"fieldSelector,omitempty"`
	Watch                bool   `json:"watch,omitempty"`
	AllowWatchBookmarks  bool   `json:"allowWatchBookmarks,omitempty"`
	ResourceVersion      string `json:"resourceVersion,omitempty"`
	ResourceVersionMatch string `json:"resourceVersionMatch,omitempty"`
	TimeoutSeconds       *int64 `json:"timeoutSeconds,omitempty"`
	Limit                int64  `json:"limit,omitempty"`
	Continue             string `json:"continue,omitempty"`
	SendInitialEvents    *bool  `json:"sendInitialEvents,omitempty"`
}

type itemRecord struct {
	Key     string      `json:"key,omitempty"`
	RV      string      `json:"rv,omitempty"`
	Obj     *objRecord  `json:"obj,omitempty"`
	Indexed []idxRecord `json:"ix,omitempty"`
}

type idxRecord struct {
	Index  string   `json:"i"`
	Values []string `json:"v"`
}

func toIndexed(in []event.IndexValues) []idxRecord {
	if len(in) == 0 {
		return nil
	}
	out := make([]idxRecord, len(in))
	for i, x := range in {
		out[i] = idxRecord{x.Index, x.Values}
	}
	return out
}

func fromIndexed(in []idxRecord) []event.IndexValues {
	if len(in) == 0 {
		return nil
	}
	out := make([]event.IndexValues, len(in))
	for i, x := range in {
		out[i] = event.IndexValues{Index: x.Index, Values: x.Values}
	}
	return out
}

func toOptions(o *metav1.ListOptions) *optsRecord {
	if o == nil {
		return nil
	}
	return &optsRecord{o.LabelSelector, o.FieldSelector, o.Watch, o.AllowWatchBookmarks, o.ResourceVersion,
		string(o.ResourceVersionMatch), o.TimeoutSeconds, o.Limit, o.Continue, o.SendInitialEvents}
}

func fromOptions(o *optsRecord) *metav1.ListOptions {
	if o == nil {
		return nil
	}
	return &metav1.ListOptions{LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector, Watch: o.Watch,
		AllowWatchBookmarks: o.AllowWatchBookmarks, ResourceVersion: o.ResourceVersion,
		ResourceVersionMatch: metav1.ResourceVersionMatch(o.ResourceVersionMatch), TimeoutSeconds: o.TimeoutSeconds,
		Limit: o.Limit, Continue: o.Continue, SendInitialEvents: o.SendInitialEvents}
}
