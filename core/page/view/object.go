package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/lens"
	"informerscope/core/words/event"
)

// journeyEvents bounds how far back and how far ahead the log is searched for an object's journey.
const journeyEvents = 60_000

// auditLag bounds how far ahead the log is searched for the write that made a version: the watch can be faster than the audit.
const auditLag = 4096

// Object has one object at the view's position, for the inspector.
type Object struct {
	Key     string          `json:"key"`
	RV      string          `json:"rv"`
	JSON    json.RawMessage `json:"json"`
	OldRV   string          `json:"oldRv"`
	OldJSON json.RawMessage `json:"oldJson"`
	// Deleted: the store no longer has it; JSON is its last known state.
	Deleted bool `json:"deleted"`
	// Unseen is the reason why there is no JSON, for an object of another program's informer.
	Unseen string `json:"unseen"`
	// Mutation has the fields that a handler changed in the store's object; OldJSON is then the object before that.
	Mutation *fold.Mutation `json:"mutation,omitempty"`
	// Author is the write that made this version; nil if the log does not have it.
	Author *fold.Audit `json:"author,omitempty"`
	// Diff is what differs between OldJSON and JSON. Of an object that was just added or deleted each line does; it is empty if a version is not known.
	Diff    []DiffLine     `json:"diff"`
	Journey []analysis.Hop `json:"journey"`
	// Todo are the stations that its newest change has yet to reach, as Stage of a Hop names them; empty without a journey.
	Todo []string `json:"todo"`
	// Ahead are the object's hops after the view's position; empty while the view follows the log's end.
	Ahead []analysis.Hop `json:"ahead"`
	// Reconciles are the newest reconciles of its key, and their causes; nil if the lane has no work queue.
	Reconciles *facts.Reconciles `json:"reconciles"`
}

// Object returns the object with a key in a lane: its state in the store, the state before that, and its journey. It returns an error if the log does not have
// the object.
func (v *View) Object(lane int, key string) (*Object, error) {
	v.mu.Lock()
	pos, gen, following := v.fold.Seq(), v.gen, v.mode == live
	cell, held := v.fold.Objects(lane).Get(key)
	fidelity := v.fold.Fidelity(lane, "indexer.objects")
	hasController := v.fold.HasController(lane)
	read := v.resourceReaderLocked(lane)
	v.mu.Unlock()
	// The rest reads the log and immutable objects, so frames need not wait for it.
	from := v.rec.First()
	if pos > journeyEvents {
		from = max(from, pos-journeyEvents)
	}
	out := &Object{Key: key, Diff: []DiffLine{}}
	var obj, old, last any // last: as in the newest write so far
	var oldRV, lastRV string
	known := held
	if held {
		obj, out.RV, out.Mutation = cell.Obj, cell.RV, cell.Mutation
	}
	one := lens.Lens{Derive: true, Key: key, Lane: lane}
	audits := map[string]fold.Audit{} // of the key, by version
	noteAudit := func(e *event.Entry) {
		if e.Kind == event.KindAudit && e.Key() == key && e.RV() != "" {
			if a, ok := fold.ReadAudit(e); ok {
				audits[e.RV()] = a
			}
		}
	}
	v.rec.Read(from, pos, func(e *event.Entry) bool {
		if hasController {
			one.See(e)
		}
		noteAudit(e)
		if int(e.Lane) != lane || e.Key() != key {
			return true
		}
		switch e.Kind {
		case event.KindStoreUpdated:
			stored := e.Stored()
			if old, oldRV = stored.Old, lastRV; old == nil {
				old = last
			}
			last, lastRV = stored.Obj, stored.RV
		case event.KindMutated:
			if mutated := e.Mutated(); held && mutated.Stored && e.Seq == cell.Seq {
				old = mutated.Old
			}
		case event.KindStoreAdded:
			old, oldRV = nil, ""
			last, lastRV = e.Stored().Obj, e.RV()
		case event.KindStoreDeleted:
			if !held {
				if obj, old, oldRV = e.StoreDeleted().Old, nil, ""; obj == nil {
					obj = last
				}
				known = true
				if out.RV = e.RV(); out.RV == "" {
					out.RV = lastRV
				}
			}
			last, lastRV = nil, ""
		}
		return true
	})
	if !known {
		return nil, fmt.Errorf("%s is not in the store at this moment", key)
	}
	out.Deleted = !held
	if obj == nil {
		if out.Unseen = fidelity.Why; out.Unseen == "" {
			out.Unseen = "The log has no body of it."
		}
	} else {
		var err error
		if out.JSON, err = rawJSON(obj); err != nil {
			return nil, err
		}
		if version := versionOf(obj); version != "" {
			out.RV = version
		}
	}
	out.OldRV = oldRV
	if old != nil {
		var err error
		if out.OldJSON, err = rawJSON(old); err != nil {
			return nil, err
		}
		if version := versionOf(old); version != "" {
			out.OldRV = version
		}
	}
	switch {
	case out.Deleted:
		out.Diff = v.lastDiff.find(out.JSON, nil)
	case out.JSON != nil && (out.OldJSON != nil || out.OldRV == ""):
		out.Diff = v.lastDiff.find(out.OldJSON, out.JSON)
	}
	out.Journey = analysis.Journey(read, key, from, pos)
	if out.Journey == nil {
		out.Journey = []analysis.Hop{}
	}
	out.Todo = stationsAhead(out.Journey, hasController)
	if hasController {
		v.mu.Lock()
		out.Reconciles = reconcilesOf(&one, v.fold)
		v.mu.Unlock()
	}
	out.Ahead = []analysis.Hop{}
	if head, _ := v.rec.Head(); head > pos && !following {
		// Start at the same event, because a hop's change depends on the hops before it.
		for _, h := range analysis.Journey(read, key, from, min(head, pos+journeyEvents)) {
			if h.Seq > pos {
				out.Ahead = append(out.Ahead, h)
			}
		}
	}
	if head, _ := v.rec.Head(); head > pos {
		read(pos+1, min(head, pos+auditLag), func(e *event.Entry) bool {
			noteAudit(e)
			return true
		})
	}
	if a, ok := audits[out.RV]; ok {
		out.Author = &a
	}
	if v.rec.Generation() != gen {
		return nil, errors.New("the log was reset while it was read: try again")
	}
	return out, nil
}

// stationsAhead returns the stations behind that of a journey's last hop. A change passes the Reflector on its way into the queue.
func stationsAhead(journey []analysis.Hop, hasController bool) []string {
	if len(journey) == 0 {
		return []string{}
	}
	stations := []string{"queue", "indexer", "listener"}
	if hasController {
		stations = append(stations, "controller")
	}
	return stations[slices.Index(stations, journey[len(journey)-1].Stage)+1:]
}

// resourceReaderLocked returns a function that reads only the events of lanes with a lane's resource: another resource may have an object with
// the same key.
func (v *View) resourceReaderLocked(lane int) func(from, to uint64, fn func(*event.Entry) bool) {
	if !v.fold.HasFactory() && !v.fold.IsFork() {
		return v.rec.Read
	}
	var with [256]bool
	for i := range v.fold.Lanes() {
		with[i] = v.fold.SameResource(lane, i)
	}
	return func(from, to uint64, fn func(*event.Entry) bool) {
		v.rec.Read(from, to, func(e *event.Entry) bool { return !with[e.Lane] || fn(e) })
	}
}

func rawJSON(obj any) (json.RawMessage, error) {
	if r, ok := obj.(interface{ Raw() []byte }); ok {
		return r.Raw(), nil
	}
	return json.Marshal(obj)
}

func versionOf(obj any) string {
	if o, ok := obj.(interface{ GetResourceVersion() string }); ok {
		return o.GetResourceVersion()
	}
	return ""
}

// Ride returns the hops of an object's newest change that a lane's handler has handled at the view's position; see trace.RideOf. It returns an error if the
// log has no change of the object.
func (v *View) Ride(lane int, key string) (analysis.Ride, error) {
	v.mu.Lock()
	pos, gen := v.fold.Seq(), v.gen
	delta := v.fold.QueueKind(lane) == "DeltaFIFO"
	read := v.resourceReaderLocked(lane)
	v.mu.Unlock()
	from := v.rec.First()
	if pos > journeyEvents {
		from = max(from, pos-journeyEvents)
	}
	head, _ := v.rec.Head()
	ride := analysis.RideOf(analysis.Journey(read, key, from, min(head, pos+journeyEvents)), key, lane, pos, delta)
	switch {
	case v.rec.Generation() != gen:
		return ride, errors.New("the log was reset while it was read: try again")
	case len(ride.Hops) == 0:
		return ride, fmt.Errorf("the log has no change of %s: choose an object that changes", key)
	}
	return ride, nil
}
