package view

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/trace"
)

// MinSpeed and MaxSpeed bound how fast a View plays.
const (
	MinSpeed = 1.0 / 32
	MaxSpeed = 8.0
)

// maxApply bounds the events that one frame folds, so that a frame is quick; a View that is further behind catches up over several frames.
const maxApply = 20_000

// offerEvery is the distance in events at which a view offers its fold to the recorder as a checkpoint.
const offerEvery = 2048

type mode uint8

const (
	live mode = iota
	playing
	paused
)

var modeNames = [...]string{"live", "playing", "paused"}

// View follows the log of one Recorder. Its methods are safe for concurrent use.
type View struct {
	rec   *trace.Recorder
	clock clock.PassiveClock

	mu       sync.Mutex
	fold     *trace.Fold
	gen      uint64 // the generation of its log
	mode     mode
	speed    float64
	playAt   time.Duration // where playing has got to, on the log's clock
	ticked   time.Time     // when playAt was last moved
	stood    bool          // playAt has not moved since playing began
	jumped   bool          // the next frame did not play through to its position
	resend   bool          // the next frame sends everything again
	groupBy  string
	followed string
	lanes    []*laneView
	lane     int    // the lane on stage, of several informers
	laneSent int    // the lane on stage in the last frame
	factory  []byte // as the page has it
	timeline timeline
	compare  comparing
	tokens   tokenCount
	sent     sentView
	offered  uint64 // where the fold was last offered to the recorder as a checkpoint
	measure  func() trace.Memory
	memory   trace.Memory
	measured time.Time
	seen     map[string]struct{} // scratch space for the facts
	guide    Guide               // nil if the log's end is the present
	playTo   uint64              // playing pauses at this event; 0: at the log's end the view goes live
	teller   Teller              // nil without a story
	told     string              // the story in the last frame
}

// Teller returns the story at a moment, as JSON. It must not keep f and s; s has no facts. It is called with the View's lock held, and must not call the
// View.
type Teller func(f *trace.Fold, s *trace.State, at time.Duration) []byte

// Tell sets the Teller whose story each frame carries, nil for none.
func (v *View) Tell(t Teller) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.teller = t
}

// PlayTo plays from one event to another, at the speed at which they happened, and pauses there.
func (v *View) PlayTo(from, to uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mode = paused
	v.goTo(from)
	if to <= v.fold.Seq() {
		return
	}
	v.speed, v.playTo = 1, to
	v.mode, v.playAt, v.stood = playing, v.fold.At(), true
}

// measureEvery is how old a View's memory figures may be.
const measureEvery = time.Second

// New returns a View that follows the end of rec's log.
func New(rec *trace.Recorder, c clock.PassiveClock) *View {
	v := &View{rec: rec, clock: c, speed: 1, groupBy: "namespace", told: "null"}
	v.reset()
	return v
}

// Measure sets the function that measures the program's memory; it is called about once a second.
func (v *View) Measure(f func() trace.Memory) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.measure = f
}

// Reset checks now, and not at the next frame, whether the log is a new one. The view of a new log goes to its end and sends everything again, once.
func (v *View) Reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gen != v.rec.Generation() {
		v.reset()
	}
}

func (v *View) reset() {
	v.gen = v.rec.Generation()
	v.fold = trace.NewFold()
	v.mode = live
	v.jumped, v.resend = true, true
	v.lanes, v.lane = nil, 0
	v.timeline = newTimeline()
	v.compare = comparing{sent: v.compare.sent}
}

// Live goes to the end of the log and follows it.
func (v *View) Live() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.playTo = 0
	v.mode = live
	v.jumped = true
}

// Pause pauses the view where it is.
func (v *View) Pause() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.playTo = 0
	v.mode = paused
}

// Play continues from where the view is, speed times as fast as it happened; 0 keeps the speed. At the end of the log, at speed 1 or more, the view goes
// live.
func (v *View) Play(speed float64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if speed != 0 {
		if !(speed >= MinSpeed && speed <= MaxSpeed) {
			return fmt.Errorf("the speed is from 1/32 to 8, not %g", speed)
		}
		v.speed = speed
	}
	if v.mode == live && v.speed >= 1 {
		return nil
	}
	v.playTo = 0
	if v.mode != playing {
		v.playAt, v.stood = v.fold.At(), true
	}
	v.mode = playing
	return nil
}

// Step moves by n events, back if n is negative, and pauses.
func (v *View) Step(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	pos := v.fold.Seq()
	switch {
	case n < 0 && uint64(-n) >= pos:
		pos = 1
	case n < 0:
		pos -= uint64(-n)
	default:
		pos += uint64(n)
	}
	v.mode = paused
	v.goTo(pos)
}

// Seek goes to seq, or as near as the log reaches, and pauses.
func (v *View) Seek(seq uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mode = paused
	v.goTo(seq)
}

// SeekTime goes to the last event at or before a moment of the log, and pauses.
func (v *View) SeekTime(at time.Duration) {
	v.Seek(max(v.rec.SeqAt(at), 1))
}

// ErrNoMark is returned when there is no mark in that direction.
var ErrNoMark = errors.New("there is no mark in that direction")

// Mark goes to the next mark, or to the previous one if direction is negative, and pauses.
func (v *View) Mark(direction int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.timeline.follow(v.rec)
	seq, ok := v.timeline.beside(v.fold.Seq(), direction, v.rec.First())
	if !ok {
		return ErrNoMark
	}
	v.mode = paused
	v.goTo(seq)
	return nil
}

// GroupBy groups the cells by another index.
func (v *View) GroupBy(index string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.groupBy = index
	for _, l := range v.lanes {
		l.regroup = true
	}
}

// Follow names an object whose tokens are never merged with others, so that the page can point at it all the way; "" for none.
func (v *View) Follow(key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.followed = key
	for _, l := range v.lanes {
		l.moves.follow = key
	}
}

// goTo moves the view to seq, or as near as the log allows. Short ways forward are played, so that the eye can follow. v.mu is held.
func (v *View) goTo(seq uint64) {
	v.playTo = 0
	head, _ := v.rec.Head()
	seq = min(max(seq, v.rec.First()), head)
	pos := v.fold.Seq()
	if seq > pos && seq-pos <= maxApply && pos+1 >= v.rec.First() {
		v.apply(seq)
		return
	}
	if seq != pos {
		v.fold = v.rec.FoldAt(seq)
	}
	v.jumped = true
}

// apply folds the events up to seq and collects their moves. v.mu is held.
func (v *View) apply(seq uint64) {
	pos := v.fold.Seq()
	if pos+1 < v.rec.First() {
		// The log has evicted the events between.
		v.fold = v.rec.FoldAt(seq)
		v.jumped = true
		return
	}
	v.rec.Read(pos+1, seq, func(e *trace.Event) bool {
		v.fold.Apply(e)
		v.watch(e)
		return true
	})
	if v.fold.Seq()-v.offered >= offerEvery || v.fold.Seq() < v.offered {
		v.offered = v.fold.Seq()
		v.rec.Offer(v.fold)
	}
}

// watch notes what an event changed. v.mu is held.
func (v *View) watch(e *trace.Event) {
	v.compare.watch(e)
	if e.Kind == trace.KindSelected {
		v.lanes, v.lane, v.jumped, v.resend = nil, 0, true, true
		return
	}
	for len(v.lanes) < v.fold.Lanes() {
		v.lanes = append(v.lanes, newLaneView(v.followed))
	}
	if int(e.Lane) < len(v.lanes) {
		v.lanes[e.Lane].watch(e)
	}
}

// advance moves the view to where it should be now. v.mu is held.
func (v *View) advance() {
	fresh := v.gen != v.rec.Generation()
	head, _ := v.rec.Head()
	pos := v.fold.Seq()
	if fresh || head < pos {
		v.reset()
		pos = 0
	}
	target := pos
	switch v.mode {
	case live:
		target = v.guided(pos, head)
	case playing:
		now := v.clock.Now()
		if !v.stood {
			v.playAt += time.Duration(float64(now.Sub(v.ticked)) * v.speed)
		}
		v.ticked, v.stood = now, false
		target = max(pos, v.rec.SeqAt(v.playAt))
		if v.playTo != 0 && target >= v.playTo {
			target = max(pos, v.playTo)
			v.mode, v.playTo = paused, 0
			if target > pos {
				v.apply(target)
			}
			return
		}
		if now := v.rec.Now(); v.playAt >= now {
			v.playAt = now
			if v.speed >= 1 {
				v.mode = live
			}
		}
	case paused:
		if pos+1 < v.rec.First() {
			v.goTo(v.rec.First()) // its position was evicted
		}
		return
	}
	if target-pos > maxApply {
		if v.mode == live && target-pos > 4*maxApply || pos == 0 {
			v.goTo(target)
			return
		}
		target = pos + maxApply
	}
	if target > pos {
		v.apply(target)
	}
}

// State returns the State at the view's position, with the View and the facts filled in.
func (v *View) State() *trace.State {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode == live {
		v.advance()
	}
	shown := v.shown()
	s := v.fold.StateOf(shown)
	s.View = v.describe()
	s.Live = v.present()
	s.Facts = v.facts(shown, s)
	v.timeline.follow(v.rec)
	s.Compare = v.comparison(s)
	s.Factory = v.fold.Factory(shown)
	for i, lane := range s.Lanes {
		lane.Facts = s.Facts
		if i != shown {
			lane.Facts = v.facts(i, lane)
		}
	}
	return s
}

// Show chooses, of several informers, the one that frames and the top of State describe.
func (v *View) Show(lane int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if lane < 0 || lane >= v.fold.Lanes() || lane > 0 && !v.fold.Several() {
		return fmt.Errorf("there is no informer %d at this moment; state().factory lists those that there are", lane)
	}
	v.lane = lane
	return nil
}

// Shown returns the lane that frames describe.
func (v *View) Shown() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shown()
}

// shown returns the lane on stage; the first if it does not exist at this moment. v.mu is held.
func (v *View) shown() int {
	if v.lane >= v.fold.Lanes() || !v.fold.Several() {
		return 0
	}
	return v.lane
}

// facts returns the facts of a lane with the given State, at the view's position. v.mu is held.
func (v *View) facts(lane int, s *trace.State) *trace.Facts {
	if v.seen == nil {
		v.seen = map[string]struct{}{}
	}
	x := factsFor{fold: v.fold, lane: lane, state: s, at: max(v.at(), v.fold.At()), seen: v.seen}
	return x.facts()
}

// Describe returns how the view follows the log.
func (v *View) Describe() trace.View {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.describe()
}

func (v *View) describe() trace.View {
	head, headAt := v.rec.Head()
	pos := v.fold.Seq()
	d := trace.View{
		Mode: modeNames[v.mode], Speed: v.speed, First: v.rec.First(), Head: head, HeadMillis: millis(headAt),
	}
	if head > pos {
		d.Behind = head - pos
		d.BehindMillis = max(millis(headAt-v.at()), 0)
	}
	if v.mode == live {
		d.Speed = 1 // whatever speed it played at before
	}
	if v.mode == live && v.guide != nil {
		if v.present() { // events that arrived ahead of the guide do not make the view late
			d.Behind, d.BehindMillis = 0, 0
		} else {
			d.Mode, d.Speed = modeNames[playing], 1
		}
	}
	now := v.clock.Now()
	d.MergedTokens, d.ShownTokens = v.tokens.read(now)
	if v.measure != nil && now.Sub(v.measured) >= measureEvery {
		v.memory, v.measured = v.measure(), now
	}
	d.Memory = v.memory
	return d
}

// at returns the moment that the view shows, on the log's clock.
func (v *View) at() time.Duration {
	switch v.mode {
	case live:
		return v.liveAt()
	case playing:
		return max(v.playAt, v.fold.At())
	}
	return v.fold.At()
}

func millis(d time.Duration) float64 { return float64(d/time.Microsecond) / 1000 }
