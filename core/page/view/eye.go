package view

import (
	"math"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// The eye follows a change from station to station. The informer hands a change on within microseconds, and its chip travels for seconds, so a page that
// showed the newest State everywhere would show each effect before its cause. Instead a station shows the moment whose chips have reached it. The page
// says how far its chips have come: they and the stations have one clock.

// legs has how long a chip travels along each path, in the order in which a change takes them, in ms of the eye's clock.
var legs = []struct {
	path   string
	millis float64
}{{pathWire, 320}, {pathStore, 260}, {pathPop, 320}, {pathFan, 320}, {pathNext, 140}, {pathKey, 220}, {pathTake, 160}, {pathWrite, 900}}

// departures has when a chip sets out on a path, and lapMillis how long the whole way lasts, in ms after a change has left the API server.
var departures, lapMillis = scheduleOf()

func scheduleOf() (map[string]float64, float64) {
	at, from := 0.0, make(map[string]float64, len(legs))
	for _, leg := range legs {
		from[leg.path] = at
		at += leg.millis
	}
	return from, at
}

// station is a part of the State that shows a change when its chip arrives there.
type station uint8

// The stations, in the order in which a chip reaches them.
const (
	atAPI station = iota
	atReflector
	atQueue
	atIndexer
	atListeners
	atController
	stations
)

// stationFold is the fold that a station shows, and its moment on the log's clock. That is the present one. While a chip is on its way to the station, it is
// the one before that chip set out.
type stationFold struct {
	*fold.Fold
	moment time.Duration
}

// stationFolds has what each station shows.
type stationFolds [stations]stationFold

// arrivals has when a chip reaches each station, on the same clock.
var arrivals = [stations]float64{
	atReflector: departures[pathStore], atQueue: departures[pathPop], atIndexer: departures[pathFan], atListeners: departures[pathNext],
	atController: departures[pathTake],
}

// togetherMillis is how close moments may follow one another, in ms of the eye's clock. Chips that are closer touch, and are drawn as one.
const togetherMillis = 60

// moment is a position of the log whose chips are on their way.
type moment struct {
	fold *fold.Fold
	// born is when the first of its chips would have left the API server, on the eye's clock.
	born float64
	// until is the last moment of the log at which nothing newer was there; 0 for the newest.
	until time.Duration
}

// eye has the moments whose chips are on their way, oldest first. The first one has reached every station. It is empty while no station lags.
type eye struct {
	time    float64
	moments []moment
	// isNew says that a lane has a new informer or index, and that nothing has moved since.
	isNew bool
	// seenSeq has the event that each station showed in the last frame, and now is the moment of that frame on the log's clock.
	seenSeq [stations]uint64
	now     time.Duration
}

// index returns the index of the moment that a station shows.
func (e *eye) index(s station) int {
	i := len(e.moments) - 1
	for i > 0 && e.time-e.moments[i].born < arrivals[s] {
		i--
	}
	return i
}

// isFlying reports whether the chips of some moment are on their way.
func (e *eye) isFlying() bool { return len(e.moments) > 1 }

// folds returns what each station shows, and whether a fold has changed since the last call. newest and now are what a station shows that does not lag.
func (e *eye) folds(newest *fold.Fold, now time.Duration) (shown stationFolds, changed bool) {
	shown, e.now = allAt(newest, now), now
	for s := range stations {
		if e.isFlying() {
			m := &e.moments[e.index(s)]
			shown[s].Fold = m.fold
			if m.until != 0 {
				shown[s].moment = m.until
			}
		}
		changed = changed || e.seenSeq[s] != shown[s].Seq()
		e.seenSeq[s] = shown[s].Seq()
	}
	return shown, changed
}

// oldestShown returns the newest event that every station shows.
func (e *eye) oldestShown(newest *fold.Fold) uint64 {
	if !e.isFlying() {
		return newest.Seq()
	}
	return e.moments[e.index(atController)].fold.Seq()
}

// reachedEvents returns what the stations showed in the last call of folds; nil if none of them lags.
func (e *eye) reachedEvents() *Reached {
	if !e.isFlying() {
		return nil
	}
	return &Reached{
		API: e.seenSeq[atAPI], Reflector: e.seenSeq[atReflector], Queue: e.seenSeq[atQueue], Indexer: e.seenSeq[atIndexer], Listeners: e.seenSeq[atListeners],
		Controller: e.seenSeq[atController],
	}
}

// allAt returns the same fold and moment for each station: none lags. A moment before the fold's last event counts as that event's.
func allAt(f *fold.Fold, moment time.Duration) (shown stationFolds) {
	for s := range stations {
		shown[s] = stationFold{f, max(moment, f.At())}
	}
	return shown
}

// followLocked sets the eye's clock, before the view goes on. A negative time is that of a page whose stations do not lag.
func (v *View) followLocked(time float64) {
	e := &v.eye
	if time < 0 || v.hasJumped {
		e.moments = nil
	}
	e.time = time
	if time >= 0 && len(e.moments) == 0 {
		v.rebaseLocked()
	}
}

// meetLocked looks at the next event after a new informer or index. The first that moves something waits for its chip; what came before it stands there
// by then, as the informer's listeners.
func (v *View) meetLocked(e *event.Entry) {
	if path, _, _, _ := moveOf(e); path != "" {
		v.eye.isNew = false
		if len(v.eye.moments) > 0 {
			v.rebaseLocked()
		}
	}
}

// rebaseLocked has all stations show the last event that was folded.
func (v *View) rebaseLocked() { v.eye.moments = []moment{{fold: v.fold.Clone(), born: math.Inf(-1)}} }

// departLocked notes the moment that the view has come to, and returns when it was born; a negative number if its stations do not lag.
func (v *View) departLocked() float64 {
	e := &v.eye
	if v.hasJumped {
		e.moments = nil
	}
	if len(e.moments) == 0 {
		return -1
	}
	if e.isNew {
		v.rebaseLocked()
	}
	last := &e.moments[len(e.moments)-1]
	if last.fold.Seq() == v.fold.Seq() {
		return last.born
	}
	come := lapMillis
	for _, l := range v.lanes {
		come = min(come, l.moves.departure())
	}
	born := max(e.time-come, last.born)
	if !e.isFlying() || born-last.born >= togetherMillis {
		last.until = max(e.now, last.fold.At())
		e.moments = append(e.moments, moment{born: born})
		last = &e.moments[len(e.moments)-1]
	}
	last.fold = v.fold.Clone()
	return last.born
}

// dropPassedLocked forgets the moments that every station has passed.
func (v *View) dropPassedLocked() {
	e := &v.eye
	if e.isFlying() {
		e.moments = e.moments[e.index(atController):]
	}
}

// stateAt returns a lane's State as the stations show it: each part is of the moment whose chips have reached that part.
func stateAt(lane int, shown *stationFolds) *fold.State {
	s := shown[atAPI].LaneState(lane)
	part := s
	for at := atReflector; at < stations; at++ {
		if shown[at].Fold != shown[at-1].Fold {
			part = shown[at].LaneState(lane)
		}
		switch at {
		case atReflector:
			s.Reflector = part.Reflector
		case atQueue:
			s.Queue = part.Queue
		case atIndexer:
			s.Indexer, s.World = part.Indexer, part.World // as its cells are
		case atListeners:
			s.Listeners = part.Listeners
		case atController:
			s.Workqueue = part.Workqueue
		}
	}
	return s
}
