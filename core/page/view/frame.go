package view

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// A view that is not paused sends a frame each heartbeat while nothing happens, so that what depends on the time (facts, a row's numbers) moves on. After
// restsAfter without news it does so each slowHeartbeat. Then it may be asked for its next frame each restPatience, or where time stands each standPatience.
const (
	heartbeat     = 100 * time.Millisecond
	slowHeartbeat = 500 * time.Millisecond
	restsAfter    = 2 * time.Second
	restPatience  = 125 * time.Millisecond
	standPatience = 500 * time.Millisecond
)

// mostSigns is more than the events of a bookmark.
const mostSigns = 16

// sentView has the position that the last frame carried, when that frame was sent, and when the last one that had news.
type sentView struct {
	sentAt, newsAt time.Time
	view           Playback
	seq            uint64
}

// isDue reports whether a frame is due although nothing happened.
func (s *sentView) isDue(now time.Time) bool {
	wait := heartbeat
	if now.Sub(s.newsAt) >= restsAfter {
		wait = slowHeartbeat
	}
	return now.Sub(s.sentAt) >= wait
}

// Patience returns how long Frame need not be called while the user does nothing: 0 if the view plays or the log had something new a moment ago.
func (v *View) Patience() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.mode == playing || v.clock.Since(v.lastFrame.newsAt) < restsAfter:
		return 0
	case v.mode == paused:
		return standPatience
	}
	return restPatience
}

// Frame moves the view to where it should be now. It returns a message for the page (JSON, see docs/dev/protocol.md), or nil if there is nothing new.
func (v *View) Frame() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.advanceLocked()
	v.timeline.follow(v.rec)
	if v.past.columns > 0 {
		v.past.follow(v.rec)
	}
	v.changeLaneLocked()
	now, desc, said := v.clock.Now(), v.describe(), v.tellStoryLocked()
	newsAt := v.lastFrame.newsAt
	if v.hasNewsLocked(desc, said) {
		if v.hasJumped || !v.hasOnlySignsLocked() {
			newsAt = now
		}
	} else if v.mode == paused || !v.lastFrame.isDue(now) {
		return nil
	}
	for len(v.lanes) < v.fold.Lanes() {
		v.lanes = append(v.lanes, newLaneView())
	}
	hasMoved := v.sendsAll || v.fold.Seq() != v.lastFrame.seq
	b := v.appendLanes(make([]byte, 0, 8<<10))
	b = v.appendOptional(b, "factory", marshal(v.fold.Factory(v.stageLaneLocked())), &v.sentFactory)
	if hasMoved {
		b = v.appendOptional(b, "fork", marshal(v.fold.Fork()), &v.sentFork)
	}
	b = v.appendPast(b)
	b = append(b, `,"timeline":`...)
	b = v.timeline.append(b, v.sendsAll)
	b = v.appendOptional(b, "story", said, &v.sentStory)
	b = append(b, `,"jump":`...)
	b = strconv.AppendBool(b, v.hasJumped)
	b = append(b, `,"view":`...)
	b = append(b, marshal(Position{Playback: desc, Seq: v.fold.Seq(), AtMillis: fold.Millis(v.moment()), Event: v.eventNameLocked()})...)
	b = append(b, '}')
	v.hasJumped, v.sendsAll, v.sentKey = false, false, v.followKey
	v.lastFrame = sentView{sentAt: now, newsAt: newsAt, view: desc, seq: v.fold.Seq()}
	return b
}

// changeLaneLocked notes that another lane is on stage: the page's state is that of the last one.
func (v *View) changeLaneLocked() {
	lane := v.stageLaneLocked()
	if lane == v.sentLane {
		return
	}
	v.sentLane, v.hasJumped = lane, true
	if lane < len(v.lanes) {
		l := v.lanes[lane]
		clear(l.sections)
		clear(l.facts)
		l.needsReset = true
	}
}

// hasOnlySignsLocked reports whether all that came since the last frame says only that the cluster is there: a bookmark, or counts of a cluster in which other
// resources change. They come every few seconds.
func (v *View) hasOnlySignsLocked() bool {
	head, _ := v.rec.Head()
	last := v.lastFrame.view.Head
	if head <= last || head-last > mostSigns {
		return false
	}
	for e := range v.rec.Events(last+1, head) {
		switch e.Kind {
		case event.KindCluster, event.KindWireBytes, event.KindReflectorRV, event.KindPopped, event.KindProcessed, event.KindStoreBookmark:
		default:
			if e.Op() != event.OpBookmark {
				return false
			}
		}
	}
	return true
}

// hasNewsLocked reports whether the page lacks something. desc and said are what a frame would have of the view and the story.
func (v *View) hasNewsLocked(desc Playback, said string) bool {
	known := v.lastFrame.view
	known.Memory = desc.Memory // a change of memory alone is not worth a frame
	return said != v.sentStory || v.hasJumped || v.sendsAll || v.fold.Seq() != v.lastFrame.seq || v.hasMoreCells() || v.timeline.hasNews() || desc != known ||
		v.followKey != v.sentKey || v.past.columns > 0 && !v.past.hasWindow
}

// appendLanes begins a frame with its lanes. Of several informers one is on stage; the others are rows of the past.
func (v *View) appendLanes(b []byte) []byte {
	b = append(b, `{"lanes":[`...)
	stage, isFactory, n := v.stageLaneLocked(), v.fold.HasFactory(), 0
	for i, l := range v.lanes[:v.fold.Lanes()] {
		if isFactory && i != stage {
			l.allDirty = true // when it comes back on stage, compare all its cells
			clear(l.dirtyKeys)
			continue
		}
		if n > 0 {
			b = append(b, ',')
		}
		n++
		b = v.appendLane(b, i, l)
	}
	return append(b, ']')
}

// tellStoryLocked returns the story at the moment shown, as JSON; "null" if there is none. It keeps the story's letters for the past.
func (v *View) tellStoryLocked() string {
	v.letters = nil
	if v.teller == nil {
		return "null"
	}
	told := v.teller(v.fold, StateOf(v.fold), v.moment())
	if told != nil {
		v.letters = told.Letters
	}
	return marshal(told)
}

// appendOptional writes a member of a frame that may be null, given as JSON, if the page has another one. sent is the one that the page has.
func (v *View) appendOptional(b []byte, name, text string, sent *string) []byte {
	if text == *sent && !(v.sendsAll && text != "null") {
		return b
	}
	*sent = text
	b = append(b, ',')
	b = appendString(b, name)
	b = append(b, ':')
	return append(b, text...)
}

// marshal returns the JSON of a part of a frame.
func marshal(x any) string {
	text, err := json.Marshal(x)
	if err != nil { // a State, its Facts and what goes with them always marshal
		panic(err)
	}
	return string(text)
}

// hasMoreCells reports whether some cells have not been sent.
func (v *View) hasMoreCells() bool {
	several := v.fold.HasFactory()
	for i, l := range v.lanes[:min(len(v.lanes), v.fold.Lanes())] {
		if several && i != v.stageLaneLocked() {
			continue
		}
		if l.allDirty || l.needsReset || len(l.dirtyKeys) > 0 {
			return true
		}
	}
	return false
}

// appendLane writes a lane: the members of its State and facts that changed, and its cells.
func (v *View) appendLane(b []byte, i int, l *laneView) []byte {
	if v.sendsAll {
		clear(l.sections)
		clear(l.facts)
		l.needsReset = true
	}
	s := v.fold.LaneState(i)
	b = append(b, `{"state":{`...)
	b, n := appendChanged(b, l.sections, reflect.ValueOf(s).Elem(), stateMembers)
	b = append(b, '}')
	b = v.appendFacts(b, i, l, s, n > 0)
	reset, set, del := l.cells(v.fold, i, v.hasJumped)
	if reset || len(set) > 0 || len(del) > 0 {
		b = appendCells(b, reset, set, del)
	}
	return append(b, '}')
}

// factsEvery is how old facts may get, in the log's time, while the State does not change.
const factsEvery = 200 * time.Millisecond

// appendFacts writes the facts of a lane that changed. It computes them again if the State has changed, or if they are older than factsEvery.
func (v *View) appendFacts(b []byte, i int, l *laneView, s *fold.State, changed bool) []byte {
	at := v.moment()
	passed := at - l.factsAt
	recent := passed >= 0 && passed < factsEvery && (v.mode != paused || passed == 0)
	if recent && !changed && !v.hasJumped && len(l.facts) > 0 {
		return b
	}
	l.factsAt = at
	f := factsOf(v.fold, at, i, s)
	from := len(b)
	b = append(b, `,"facts":{`...)
	b, n := appendChanged(b, l.facts, reflect.ValueOf(f).Elem(), factMembers)
	if n == 0 {
		return b[:from]
	}
	return append(b, '}')
}

// member is a field of a struct that a frame carries when it changes, by its JSON name.
type member struct {
	name  string
	field int
}

// A frame carries all Facts of a lane, and of its State what no other member of the frame has.
var (
	factMembers  = membersOf(reflect.TypeFor[facts.Facts]())
	stateMembers = slices.DeleteFunc(membersOf(reflect.TypeFor[fold.State]()), func(m member) bool {
		return !slices.Contains([]string{"source", "era", "resource", "api", "world", "reflector", "queue", "indexer", "listeners", "workqueue", "holds", "faults",
			"fidelity"}, m.name)
	})
)

// membersOf returns the fields of a struct.
func membersOf(t reflect.Type) (members []member) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		members = append(members, member{name: name, field: i})
	}
	return members
}

// appendChanged writes the members of a struct whose text differs from the one in sent, notes their texts there, and returns their number.
func appendChanged(b []byte, sent map[string]string, x reflect.Value, members []member) ([]byte, int) {
	n := 0
	for _, m := range members {
		text := marshal(x.Field(m.field).Interface())
		if sent[m.name] == text {
			continue
		}
		sent[m.name] = text
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
		b = strconv.AppendFloat(b, c.atMillis, 'f', -1, 64)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(c.places), 10)
		b = append(b, ',')
		b = strconv.AppendFloat(b, c.written, 'f', -1, 64)
		b = append(b, ',')
		b = appendString(b, c.clusterRV)
		b = append(b, ',')
		b = appendString(b, c.storeRV)
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

// eventNameLocked returns the event at which a paused view stands, nil if the view is not paused or the log has no such event.
func (v *View) eventNameLocked() (name *EventName) {
	if v.mode != paused {
		return nil
	}
	v.rec.Read(v.fold.Seq(), v.fold.Seq(), func(e *event.Entry) bool {
		name = &EventName{Kind: event.KindName(e.Kind), Key: e.Key()}
		return true
	})
	return name
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
