package view

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"informerscope/core/trace"
)

// heartbeat is how often a live view sends a frame while nothing happens, so
// that what counts time (a backoff, an open watch) goes on.
const heartbeat = 100 * time.Millisecond

// sentView is when and how the last frame said where the view is.
type sentView struct {
	at   time.Time
	view trace.View
	seq  uint64
}

// Frame moves the view to where it should be now and returns what the page
// must be told (JSON, see docs/protocol.md), or nil when there is nothing new.
func (v *View) Frame() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.advance()
	v.timeline.follow(v.rec)

	now := v.clock.Now()
	desc := v.describe()
	known := v.sent.view
	known.Memory = desc.Memory // alone it is no news: a page that stands still is left alone
	news := v.jumped || v.resend || v.fold.Seq() != v.sent.seq || v.moreCells() || v.timeline.news() || desc != known
	if !news && !(v.mode != paused && now.Sub(v.sent.at) >= heartbeat) {
		return nil
	}
	for len(v.lanes) < v.fold.Lanes() {
		v.lanes = append(v.lanes, newLaneView(v.followed))
	}

	b := make([]byte, 0, 8<<10)
	b = append(b, `{"lanes":[`...)
	state := v.fold.State()
	for i, l := range v.lanes {
		if i > 0 {
			b = append(b, ',')
		}
		s := state
		if len(state.Lanes) > i {
			s = state.Lanes[i]
		}
		b = v.appendLane(b, i, l, s)
	}
	b = append(b, `],"timeline":`...)
	b = v.timeline.append(b, v.resend)
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

// moreCells reports whether cells are still to be sent.
func (v *View) moreCells() bool {
	for _, l := range v.lanes {
		if l.all || l.regroup || len(l.touched) > 0 {
			return true
		}
	}
	return false
}

func (v *View) appendLane(b []byte, i int, l *laneView, s *trace.State) []byte {
	if v.resend {
		clear(l.sections)
		l.regroup = true
	}
	b = append(b, `{"state":{`...)
	n := 0
	for _, part := range []struct {
		name  string
		value any
	}{
		{"source", s.Source}, {"era", s.Era}, {"resource", s.Resource}, {"api", s.API}, {"reflector", s.Reflector},
		{"queue", s.Queue}, {"indexer", s.Indexer}, {"listeners", s.Listeners}, {"workqueue", s.Workqueue},
		{"holds", s.Holds}, {"faults", s.Faults},
	} {
		text, err := json.Marshal(part.value)
		if err != nil { // a State holds nothing that cannot be written
			panic(err)
		}
		if l.sections[part.name] == string(text) {
			continue
		}
		l.sections[part.name] = string(text)
		if n > 0 {
			b = append(b, ',')
		}
		n++
		b = appendString(b, part.name)
		b = append(b, ':')
		b = append(b, text...)
	}
	b = append(b, '}')

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
			b = appendString(b, l.groups[j])
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
	if i == 0 {
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

// appendString appends s as a JSON string. Keys and names are plain text; only what is not goes the long way.
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
