package view

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"informerscope/core/event"
	"informerscope/core/fold"
)

// heartbeat is how often a view that is not paused sends a frame while nothing happens, so that running times (a backoff, an open watch) move on.
const heartbeat = 100 * time.Millisecond

// sentView has the position that the last frame carried, and when the frame was sent.
type sentView struct {
	sentAt time.Time
	view   fold.View
	seq    uint64
}

// Frame moves the view to where it should be now. It returns a message for the page (JSON, see docs/protocol.md), or nil if there is nothing new.
func (v *View) Frame() []byte { return v.FrameAt(-1) }

// FrameAt is Frame for a page whose chips have come to a moment of the eye's clock, in ms, which never goes back. A negative one is that of a page whose
// stations do not wait for chips.
func (v *View) FrameAt(eye float64) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.follow(eye)
	v.advance()
	born := v.depart()
	v.dropPassed()
	v.timeline.follow(v.rec)

	if lane := v.stageLane(); lane != v.sentLane {
		v.sentLane, v.hasJumped = lane, true
		v.eye.moments = nil
		if lane < len(v.lanes) { // the page's state is that of another lane
			l := v.lanes[lane]
			clear(l.sections)
			clear(l.facts)
			l.needsRegroup = true
		}
	}
	now := v.clock.Now()
	desc := v.describe()
	known := v.lastFrame.view
	known.Memory = desc.Memory // a change of memory alone is not worth a frame
	said := v.tellStory()
	shown, arrived := v.eye.folds(v.fold)
	news := said != v.sentStory || v.hasJumped || v.sendsAll || arrived || v.fold.Seq() != v.lastFrame.seq || v.hasMoreCells() ||
		v.timeline.hasNews() || desc != known
	if !news && !(v.mode != paused && now.Sub(v.lastFrame.sentAt) >= heartbeat) {
		return nil
	}
	for len(v.lanes) < v.fold.Lanes() {
		v.lanes = append(v.lanes, newLaneView(v.followKey))
	}

	b := make([]byte, 0, 8<<10)
	b = append(b, `{"lanes":[`...)
	var state *fold.State
	if lane := v.stageLane(); v.fold.HasFactory() {
		// One of several informers is on stage; each of the others has a row.
		state = stateAt(lane, &shown)
		b = v.appendLane(b, lane, v.lanes[lane], state, &shown)
		for i, l := range v.lanes {
			if i != lane {
				l.moves.take()
				l.allDirty = true // when it comes back on stage, compare all its cells
				clear(l.dirtyKeys)
			}
		}
	} else {
		for i, l := range v.lanes[:v.fold.Lanes()] {
			if i > 0 {
				b = append(b, ',')
			}
			s := stateAt(i, &shown)
			if i == 0 {
				state = s
			}
			b = v.appendLane(b, i, l, s, &shown)
		}
	}
	b = append(b, ']')
	if born >= 0 {
		b = append(b, `,"born":`...)
		b = strconv.AppendFloat(b, born, 'f', 1, 64)
	}
	b = v.appendFactory(b)
	b = v.comparer.append(b, v.comparison(state), v.sendsAll)
	b = append(b, `,"timeline":`...)
	b = v.timeline.append(b, v.sendsAll)
	if said != v.sentStory || v.sendsAll && said != "null" {
		v.sentStory = said
		b = append(b, `,"story":`...)
		b = append(b, said...)
	}
	b = append(b, `,"jump":`...)
	b = strconv.AppendBool(b, v.hasJumped)
	b = append(b, `,"view":`...)
	desc = v.describe() // with the tokens of this frame
	b = appendView(b, Position{View: desc, Seq: v.fold.Seq(), AtMillis: millis(v.moment()), Event: v.eventName(), Reached: v.eye.reachedEvents()})
	b = append(b, '}')
	v.hasJumped, v.sendsAll = false, false
	v.lastFrame = sentView{sentAt: now, view: desc, seq: v.fold.Seq()}
	return b
}

// tellStory returns the story at the moment shown, as JSON; "null" if there is none. v.mu is held.
func (v *View) tellStory() string {
	if v.teller == nil {
		return "null"
	}
	return string(v.teller(v.fold, v.fold.State(), v.moment(), v.eye.oldestShown(v.fold)))
}

// appendFactory writes the overview of several informers if the page has another one.
func (v *View) appendFactory(b []byte) []byte {
	text, err := json.Marshal(v.fold.Factory(v.stageLane()))
	if err != nil { // a Factory always marshals
		panic(err)
	}
	if v.factory == nil {
		v.factory = []byte("null")
	}
	if bytes.Equal(text, v.factory) && !(v.sendsAll && len(text) > len("null")) {
		return b
	}
	v.factory = text
	return append(append(b, `,"factory":`...), text...)
}

// hasMoreCells reports whether some cells have not been sent. While chips are on their way, cells come with what arrives.
func (v *View) hasMoreCells() bool {
	if v.eye.isFlying() {
		return false
	}
	several := v.fold.HasFactory()
	for i, l := range v.lanes[:min(len(v.lanes), v.fold.Lanes())] {
		if several && i != v.stageLane() {
			continue
		}
		if l.allDirty || l.needsRegroup || len(l.dirtyKeys) > 0 {
			return true
		}
	}
	return false
}

// appendLane writes a lane: the members of its State and facts that changed, its cells and its moves.
func (v *View) appendLane(b []byte, i int, l *laneView, s *fold.State, folds *stationFolds) []byte {
	if v.sendsAll {
		clear(l.sections)
		clear(l.facts)
		l.needsRegroup = true
	}
	b = append(b, `{"state":{`...)
	b, n := appendChanged(b, l.sections, []member{
		{"source", s.Source}, {"era", s.Release}, {"resource", s.Resource}, {"api", s.API}, {"reflector", s.Reflector},
		{"queue", s.Queue}, {"indexer", s.Indexer}, {"listeners", s.Listeners}, {"workqueue", s.Workqueue},
		{"holds", s.Holds}, {"faults", s.Faults}, {"fidelity", s.Fidelity},
	})
	b = append(b, '}')
	b = v.appendFacts(b, i, l, s, folds, n > 0)

	reset, set, del := l.cells(folds[atIndexer], i, v.groupBy, v.hasJumped, v.eye.isFlying())
	if counts, changed := l.groupCounts(folds[atIndexer], i, v.groupBy); changed || reset {
		b = append(b, `,"groups":{"index":`...)
		b = appendString(b, v.groupBy)
		b = append(b, `,"list":[`...)
		for j, n := range counts {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, '[')
			b = appendString(b, l.groups.names[j])
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(n), 10)
			b = append(b, ']')
		}
		b = append(b, `]}`...)
	}
	if reset || len(set) > 0 || len(del) > 0 {
		b = appendCells(b, reset, set, del)
	}
	moves, shown, merged := l.moves.take()
	if i == v.stageLane() {
		v.tokens.add(v.clock.Now(), shown, merged)
	}
	if len(moves) > 0 && !v.hasJumped {
		text, err := json.Marshal(moves)
		if err != nil {
			panic(err)
		}
		b = append(b, `,"moves":`...)
		b = append(b, text...)
	}
	return append(b, '}')
}

// factsEvery is how old facts may get, in the log's time, while the State does not change.
const factsEvery = 200 * time.Millisecond

// appendFacts writes the facts of a lane that changed. It computes them again if the State has changed, or if they are older than factsEvery.
func (v *View) appendFacts(b []byte, i int, l *laneView, s *fold.State, folds *stationFolds, changed bool) []byte {
	at := v.moment()
	passed := at - l.factsAt
	recent := passed >= 0 && passed < factsEvery && (v.mode != paused || passed == 0)
	if recent && !changed && !v.hasJumped && len(l.facts) > 0 {
		return b
	}
	l.factsAt = at
	f := v.facts(i, s, folds)
	from := len(b)
	b = append(b, `,"facts":{`...)
	b, n := appendChanged(b, l.facts, []member{
		{"sure", f.Sure}, {"upToDate", f.UpToDate}, {"growing", f.Growing}, {"wireMicros", f.WireMicros}, {"unlisted", f.Unlisted},
		{"staleSince", f.StaleSince}, {"trouble", f.Trouble}, {"fresh", f.Fresh}, {"deltas", f.Deltas}, {"pending", f.Pending},
		{"ledger", f.Ledger}, {"held", f.Held}, {"requests", f.Requests}, {"focus", f.Focus},
		{"nextBatch", f.NextBatch}, {"nextRequest", f.NextRequest}, {"depths", f.Depths}, {"listener", f.Listener},
		{"listeners", f.Listeners}, {"writesPerSecond", f.WritesPerSecond}, {"versions", f.Versions}, {"sentence", f.Sentence},
	})
	if n == 0 {
		return b[:from]
	}
	return append(b, '}')
}

// member is a member of a JSON object in a frame.
type member struct {
	name  string
	value any
}

// appendChanged writes the members whose text differs from the one in sent, notes their texts there, and returns their number.
func appendChanged(b []byte, sent map[string]string, members []member) ([]byte, int) {
	n := 0
	for _, m := range members {
		text, err := json.Marshal(m.value)
		if err != nil { // a State and its Facts always marshal
			panic(err)
		}
		if sent[m.name] == string(text) {
			continue
		}
		sent[m.name] = string(text)
		if n > 0 {
			b = append(b, ',')
		}
		n++
		b = appendString(b, m.name)
		b = append(b, ':')
		b = append(b, text...)
	}
	return b, n
}

func appendCells(b []byte, reset bool, set []cell, del []int) []byte {
	b = append(b, `,"cells":{"reset":`...)
	b = strconv.AppendBool(b, reset)
	b = append(b, `,"set":[`...)
	for i := range set {
		c := &set[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(c.slot), 10)
		b = append(b, ',')
		b = appendString(b, c.key)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(c.group), 10)
		b = append(b, ',')
		b = strconv.AppendFloat(b, c.atMillis, 'f', -1, 64)
		b = append(b, ',')
		b = appendString(b, c.op.String())
		b = append(b, ',')
		b = appendString(b, c.phase)
		b = append(b, ',')
		b = strconv.AppendBool(b, c.isMutated)
		b = append(b, ']')
	}
	b = append(b, `],"del":[`...)
	for i, id := range del {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, `]}`...)
}

// eventName returns the event at which a paused view stands, nil if the view is not paused or the log has no such event. v.mu is held.
func (v *View) eventName() (name *EventName) {
	if v.mode != paused {
		return nil
	}
	v.rec.Read(v.fold.Seq(), v.fold.Seq(), func(e *event.Entry) bool {
		name = &EventName{Kind: event.KindName(e.Kind), Key: e.Key()}
		return true
	})
	return name
}

func appendView(b []byte, p Position) []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return append(b, text...)
}

// appendString appends s as a JSON string. Most keys and names are plain text, which it copies; json.Marshal is for the others.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			text, err := json.Marshal(s)
			if err != nil {
				panic(err)
			}
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
