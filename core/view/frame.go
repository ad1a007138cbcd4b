package view

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"informerscope/core/trace"
)

// heartbeat is how often a live view sends a frame while nothing happens, so that running times (a backoff, an open watch) move on.
const heartbeat = 100 * time.Millisecond

// sentView is the position in the last frame, and when it was sent.
type sentView struct {
	at   time.Time
	view trace.View
	seq  uint64
}

// Frame moves the view to where it should be now. It returns a message for the page (JSON, see docs/protocol.md), or nil if there is nothing new.
func (v *View) Frame() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.advance()
	v.timeline.follow(v.rec)

	if shown := v.shown(); shown != v.laneSent {
		v.laneSent, v.jumped = shown, true
		if shown < len(v.lanes) { // the page has another lane's state
			l := v.lanes[shown]
			clear(l.sections)
			clear(l.facts)
			l.regroup = true
		}
	}
	now := v.clock.Now()
	desc := v.describe()
	known := v.sent.view
	known.Memory = desc.Memory // a change of memory alone is not worth a frame
	said := v.tells()
	news := said != v.told || v.jumped || v.resend || v.fold.Seq() != v.sent.seq || v.moreCells() || v.timeline.news() || desc != known
	if !news && !(v.mode != paused && now.Sub(v.sent.at) >= heartbeat) {
		return nil
	}
	for len(v.lanes) < v.fold.Lanes() {
		v.lanes = append(v.lanes, newLaneView(v.followed))
	}

	b := make([]byte, 0, 8<<10)
	b = append(b, `{"lanes":[`...)
	var state *trace.State
	if shown := v.shown(); v.fold.Several() {
		// Of several informers one is on stage; the others have a row each.
		state = v.fold.LaneState(shown)
		b = v.appendLane(b, shown, v.lanes[shown], state)
		for i, l := range v.lanes {
			if i != shown {
				l.moves.take()
				l.all = true // compare all its cells when it is on stage again
				clear(l.touched)
			}
		}
	} else {
		state = v.fold.State()
		for i, l := range v.lanes[:v.fold.Lanes()] {
			if i > 0 {
				b = append(b, ',')
			}
			s := state
			if len(state.Lanes) > i {
				s = state.Lanes[i]
			}
			b = v.appendLane(b, i, l, s)
		}
	}
	b = append(b, ']')
	b = v.appendFactory(b)
	b = v.compare.append(b, v.comparison(state), v.resend)
	b = append(b, `,"timeline":`...)
	b = v.timeline.append(b, v.resend)
	if said != v.told || v.resend && said != "null" {
		v.told = said
		b = append(b, `,"story":`...)
		b = append(b, said...)
	}
	b = append(b, `,"jump":`...)
	b = strconv.AppendBool(b, v.jumped)
	b = append(b, `,"view":`...)
	desc = v.describe() // with the tokens of this frame
	b = appendView(b, desc, v.fold.Seq(), millis(v.at()))
	b = append(b, '}')
	v.jumped, v.resend = false, false
	v.sent = sentView{at: now, view: desc, seq: v.fold.Seq()}
	return b
}

// tells returns the story at the moment shown, as JSON. v.mu is held.
func (v *View) tells() string {
	if v.teller == nil {
		return "null"
	}
	return string(v.teller(v.fold, v.fold.State(), v.at()))
}

// appendFactory writes what the informers show together, if it differs from what the page has.
func (v *View) appendFactory(b []byte) []byte {
	text, err := json.Marshal(v.fold.Factory(v.shown()))
	if err != nil { // a Factory always marshals
		panic(err)
	}
	if v.factory == nil {
		v.factory = []byte("null")
	}
	if bytes.Equal(text, v.factory) && !(v.resend && len(text) > len("null")) {
		return b
	}
	v.factory = text
	return append(append(b, `,"factory":`...), text...)
}

// moreCells reports whether cells are still to be sent.
func (v *View) moreCells() bool {
	several := v.fold.Several()
	for i, l := range v.lanes[:min(len(v.lanes), v.fold.Lanes())] {
		if several && i != v.shown() {
			continue
		}
		if l.all || l.regroup || len(l.touched) > 0 {
			return true
		}
	}
	return false
}

func (v *View) appendLane(b []byte, i int, l *laneView, s *trace.State) []byte {
	if v.resend {
		clear(l.sections)
		clear(l.facts)
		l.regroup = true
	}
	b = append(b, `{"state":{`...)
	b, n := appendChanged(b, l.sections, []member{
		{"source", s.Source}, {"era", s.Release}, {"resource", s.Resource}, {"api", s.API}, {"reflector", s.Reflector},
		{"queue", s.Queue}, {"indexer", s.Indexer}, {"listeners", s.Listeners}, {"workqueue", s.Workqueue},
		{"holds", s.Holds}, {"faults", s.Faults}, {"fidelity", s.Fidelity},
	})
	b = append(b, '}')
	b = v.appendFacts(b, i, l, s, n > 0)

	reset, set, del := l.cells(v.fold, i, v.groupBy, v.jumped)
	if counts, changed := l.groupCounts(v.fold, i, v.groupBy); changed || reset {
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
	if i == v.shown() {
		v.tokens.add(v.clock.Now(), shown, merged)
	}
	if len(moves) > 0 && !v.jumped {
		text, err := json.Marshal(moves)
		if err != nil {
			panic(err)
		}
		b = append(b, `,"moves":`...)
		b = append(b, text...)
	}
	return append(b, '}')
}

// factsEvery is how old facts may be, in the log's time, while only time has passed.
const factsEvery = 200 * time.Millisecond

// appendFacts writes the facts of a lane that changed. It computes them again when the State has changed or enough time has passed.
func (v *View) appendFacts(b []byte, i int, l *laneView, s *trace.State, changed bool) []byte {
	at := v.at()
	passed := at - l.factsAt
	recent := passed >= 0 && passed < factsEvery && (v.mode != paused || passed == 0)
	if recent && !changed && !v.jumped && len(l.facts) > 0 {
		return b
	}
	l.factsAt = at
	f := v.facts(i, s)
	from := len(b)
	b = append(b, `,"facts":{`...)
	b, n := appendChanged(b, l.facts, []member{
		{"sure", f.Sure}, {"upToDate", f.UpToDate}, {"growing", f.Growing}, {"wireMicros", f.WireMicros}, {"unlisted", f.Unlisted},
		{"staleSince", f.StaleSince}, {"trouble", f.Trouble}, {"fresh", f.Fresh}, {"deltas", f.Deltas}, {"pending", f.Pending},
		{"ledger", f.Ledger}, {"requests", f.Requests}, {"focus", f.Focus},
		{"nextBatch", f.NextBatch}, {"nextRequest", f.NextRequest}, {"depths", f.Depths}, {"listener", f.Listener},
		{"listeners", f.Listeners}, {"writesPerSecond", f.WritesPerSecond}, {"versions", f.Versions}, {"sentence", f.Sentence},
	})
	if n == 0 {
		return b[:from]
	}
	return append(b, '}')
}

// member is a member of a frame's object.
type member struct {
	name  string
	value any
}

// appendChanged writes the members that differ from what was sent, and returns their number.
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
		b = strconv.AppendFloat(b, c.at, 'f', -1, 64)
		b = append(b, ',')
		b = appendString(b, c.op.String())
		b = append(b, ',')
		b = appendString(b, c.phase)
		b = append(b, ',')
		b = strconv.AppendBool(b, c.mutated)
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

func appendView(b []byte, d trace.View, seq uint64, at float64) []byte {
	text, err := json.Marshal(struct {
		trace.View
		Seq      uint64  `json:"seq"`
		AtMillis float64 `json:"atMillis"`
	}{d, seq, at})
	if err != nil {
		panic(err)
	}
	return append(b, text...)
}

// appendString appends s as a JSON string. Keys and names are plain text, so json.Marshal is rarely needed.
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
