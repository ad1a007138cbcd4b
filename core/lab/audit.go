package lab

import (
	"encoding/json"
	"time"

	"informerscope/core/cluster/levers"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

const (
	// auditBackoff is the first wait after the stream of writes has ended, and maxAuditBackoff the longest.
	auditBackoff    = time.Second
	maxAuditBackoff = 30 * time.Second
	// maxUnwatched is how many writes of persons to resources that are not watched are logged a second: nothing else bounds them.
	maxUnwatched = 16
)

// auditor logs the writes of a shared cluster that concern an experiment: a person's, and those to watched resources that made a version. It belongs to
// one goroutine.
type auditor struct {
	x         *experiment
	seq       uint64 // of the last write
	second    int64  // of the last write to a resource that is not watched
	unwatched int    // such writes in that second
}

// followWrites logs the writes of a shared cluster until the experiment ends. It begins with those that the server has kept, which name the authors of the
// objects in the first list.
func (x *experiment) followWrites(shared levers.Shared) {
	a := auditor{x: x}
	for wait := auditBackoff; ; wait = min(2*wait, maxAuditBackoff) {
		before := a.seq
		_ = shared.Writes(x.ctx, before, func(w levers.Write, isOld bool) { // what cannot be reached shows in the informers' own requests
			a.log(w, isOld && before == 0) // what a broken connection has missed is news
		})
		if a.seq > before {
			wait = auditBackoff
		}
		if vclock.Sleep(x.ctx, x.clock, wait) != nil {
			return
		}
	}
}

// log logs a write if it concerns the experiment. One from before it has no mark.
func (a *auditor) log(w levers.Write, isOld bool) {
	a.seq = w.Seq
	lane, isWatched := a.x.laneOf(w)
	madeVersion := w.Status/100 == 2 && w.Version != ""
	switch {
	case w.Person && !isOld && !isWatched && !a.hasRoom():
		return
	case w.Person && !isOld:
	case !isWatched || !madeVersion:
		return
	}
	record := fold.Audit{Author: w.Author, Verb: w.Verb, Resource: w.Resource, Subresource: w.Subresource, Words: fold.Shorten(w.Words)}
	if w.Person {
		record.User = w.User
	}
	text, err := json.Marshal(record)
	if err != nil { // strings only
		panic(err)
	}
	key := w.Name
	if w.Namespace != "" && w.Name != "" {
		key = w.Namespace + "/" + w.Name
	}
	a.x.emit(lane, event.Audit{Key: key, RV: w.Version, Status: w.Status, Mark: w.Person && !isOld, Write: string(text)}.Event())
}

// hasRoom counts a write to a resource that is not watched, and reports whether it can still be logged.
func (a *auditor) hasRoom() bool {
	if second := a.x.clock.Now().Unix(); second != a.second {
		a.second, a.unwatched = second, 0
	}
	a.unwatched++
	return a.unwatched <= maxUnwatched
}

// laneOf returns the first lane that watches what was written; lane 0 if none does.
func (x *experiment) laneOf(w levers.Write) (lane uint8, isWatched bool) {
	for _, ln := range x.currentLanes() {
		namespace := x.selection.ForTarget(ln.target.Target).WatchedNamespace()
		if ln.gvr.GroupResource().String() == w.Resource && (namespace == "" || namespace == w.Namespace) {
			return ln.index, true
		}
	}
	return 0, false
}
