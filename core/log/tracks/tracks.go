package tracks

import (
	"encoding/json"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Tracks has what the rows of the stage show of a log, at every moment of it. It takes about 60 bytes for each time that something waited. The zero value is
// that of an empty log. It is not safe for concurrent use.
type Tracks struct {
	sel   event.Selection
	lanes []*lane
	acts  causes
	head  stamp
	// start is when what is known begins. What ended before forgotAt is forgotten.
	start, forgotAt time.Duration
}

// forgetEvery is how much of the log's time is forgotten at once: what is kept is copied each time.
const forgetEvery = 2 * time.Second

// Seq returns the last event that was taken in.
func (t *Tracks) Seq() uint64 { return t.head.seq }

// Add takes the next event of the log in.
func (t *Tracks) Add(e *event.Entry) {
	s := stamp{e.Seq, max(e.At, t.head.at)}
	if t.head.seq == 0 {
		t.start = e.At
	}
	t.head = s
	switch event.SubjectOf(e.Kind) {
	case event.AboutSelection:
		t.applySelection(s, e)
		return
	case event.AboutWorld:
		t.applyWorld(s, e)
	}
	l := t.lane(e.Lane)
	if l == nil {
		return
	}
	l.apply(s, e)
	switch e.Kind {
	case event.KindWatchEvent:
		switch x := e.WatchEvent(); {
		case x.EndMark:
			l.cluster.swallow(e.Lane, x.RV)
		case !l.listing: // what a list brings is an object's last state, and not each change
			l.cluster.see(s, e.Lane, x.RV)
		}
	case event.KindRequestAnswered:
		if x := e.RequestAnswered(); x.Err == nil && l.verb == event.VerbList && x.Continue == "" {
			l.cluster.swallow(e.Lane, x.RV)
		}
	}
}

func (t *Tracks) lane(i uint8) *lane {
	if int(i) < len(t.lanes) {
		return t.lanes[i]
	}
	return nil
}

func (t *Tracks) applySelection(s stamp, e *event.Entry) {
	switch e.Kind {
	case event.KindSelected:
		*t = Tracks{head: s, start: s.at}
		if json.Unmarshal([]byte(e.Selected().Selection), &t.sel) != nil {
			t.sel = event.Selection{}
		}
		all := t.sel.Lanes()
		for _, identity := range all[:min(len(all), fold.MaxLanes)] {
			t.lanes = append(t.lanes, newLane(identity, false))
			t.awaitStart(s, t.lanes[len(t.lanes)-1])
		}
		own := len(t.lanes) == 1 || len(t.sel.Resources) > 0 || t.sel.Fork != ""
		for i, l := range t.lanes {
			l.ownWire = own || l.identity.Unshared
			if l.cluster = t.lanes[0].cluster; i == 0 || l.ownWire {
				l.cluster = &cluster{}
			}
		}
	case event.KindLane:
		var identity event.LaneOf
		if i := int(e.Lane); i <= len(t.lanes) && i < fold.MaxLanes && json.Unmarshal([]byte(e.LaneBegun().Informer), &identity) == nil {
			l := newLane(identity, true)
			t.awaitStart(s, l)
			if l.cluster = (&cluster{}); i == len(t.lanes) {
				t.lanes = append(t.lanes, l)
			}
			l.cluster, t.lanes[i] = t.lanes[i].cluster, l
		}
	case event.KindRestored:
		var st fold.State
		if l := t.lane(e.Lane); l != nil && json.Unmarshal([]byte(e.Restored().State), &st) == nil {
			fresh := newLane(l.identity, l.ownWire)
			fresh.cluster = l.cluster
			fresh.restore(s, &st)
			t.lanes[e.Lane] = fresh
		}
	}
}

// awaitStart notes that a lane's informer has not started. The log of a probe begins with informers that run.
func (t *Tracks) awaitStart(s stamp, l *lane) {
	if t.sel.Source != event.SourceProbe {
		l.awaitStart(s)
	}
}

func (t *Tracks) applyWorld(s stamp, e *event.Entry) {
	switch e.Kind {
	case event.KindClusterObjects:
		if l := t.lane(e.Lane); l != nil {
			l.cluster.written = true
		}
	case event.KindClusterChange:
		if l := t.lane(e.Lane); l != nil {
			l.cluster.write(s, e.Lane, e.ClusterChange())
		}
	case event.KindWireFrame:
		if l := t.lane(e.Lane); l != nil {
			l.cluster.bring(s, e.Lane, e.WireFrame())
		}
	case event.KindHold:
		for _, l := range t.listHeldWith(e.Lane) {
			l.hold(s, e.Hold())
		}
	case event.KindFault:
		t.strike(s, e.Fault())
	case event.KindAct:
		t.act(s, "", e.Act().Step)
	case event.KindAudit:
		if w := fold.ReadPersonWrite(e); w != nil {
			t.act(s, w.Author, w.Words)
		}
	case event.KindNote:
		t.act(s, "note", e.Note().Text)
	}
}

// listHeldWith returns the lanes that are held when one is: those of its resource, and in a fork it alone.
func (t *Tracks) listHeldWith(i uint8) (lanes []*lane) {
	held := t.lane(i)
	for _, l := range t.lanes {
		isSame := t.sel.Fork == "" && held != nil && l.identity.Target == held.identity.Target && l.identity.Unshared == held.identity.Unshared
		if l == held || isSame {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// strike notes a fault that was switched.
func (t *Tracks) strike(s stamp, x event.Fault) {
	if x.Name == "halfopen" {
		for _, l := range t.lanes {
			l.silence(s, x.On)
		}
	}
}

// act notes what somebody did. What is done to both lanes of a fork is one act.
func (t *Tracks) act(s stamp, author, words string) {
	if n := len(t.acts.spans); n > 0 && t.acts.spans[n-1].from.at == s.at && t.acts.spans[n-1].words == words {
		return
	}
	t.acts.mark(s, Act, 0, words).key = author
}

// Forget drops what was over before a moment, which the log has evicted.
func (t *Tracks) Forget(before time.Duration) {
	t.start = max(t.start, before)
	if t.start-t.forgotAt < forgetEvery {
		return
	}
	t.forgotAt = t.start
	t.acts.forget(before)
	for i, l := range t.lanes {
		l.forget(before)
		if i == 0 || l.cluster != t.lanes[0].cluster {
			l.cluster.forget(before)
		}
	}
}
