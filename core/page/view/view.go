package view

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// MinSpeed and MaxSpeed bound how fast a View plays.
const (
	MinSpeed = 1.0 / 32
	MaxSpeed = 8.0
)

// maxApply bounds the events that one frame folds, so that a frame is quick. A View that is further behind catches up over several frames.
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

	mu         sync.Mutex
	fold       *fold.Fold
	gen        uint64 // the generation of the log
	mode       mode
	speed      float64
	playMoment time.Duration // the moment that playing has reached, on the log's clock
	tickedAt   time.Time     // when playMoment last moved
	beginsPlay bool          // playMoment has not moved since playing began
	hasJumped  bool          // the view did not play through to its position since the last frame
	sendsAll   bool          // the next frame sends everything again
	followKey  string
	followRV   string // the version of the followed change, empty for the newest
	sentKey    string // followKey in the last frame
	lanes      []*laneView
	lane       int // the lane on stage, if there are several informers
	sentLane   int // the lane on stage in the last frame
	timeline   timeline
	past       past
	lastFrame  sentView
	lastDiff   lastDiff
	offerSeq   uint64 // the event at which the view last offered its fold to the recorder as a checkpoint
	measure    func() Memory
	memory     Memory
	measuredAt time.Time
	guide      Guide  // nil: a live view shows the log's end
	playEnd    uint64 // playing pauses at this event; 0: it goes on to the log's end, where the view goes live
	teller     Teller // nil without a story

	// letters are those of the story's objects, by key.
	letters map[string]string

	// The story, factory and fork as the page has them, each as JSON.
	sentStory, sentFactory, sentFork string
}

// Teller returns the story at a moment, nil for none. A Teller must not keep f and s; s has no facts. The View calls it with its lock held, so it must not call
// the View.
type Teller func(f *fold.Fold, s *State, at time.Duration) *StoryState

// Tell sets the Teller whose story each frame carries, nil for none.
func (v *View) Tell(t Teller) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.teller = t
}

// PlayTo goes to an event, plays from there to another one, speed times as fast as they happened, and pauses.
func (v *View) PlayTo(from, to uint64, speed float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mode = paused
	v.goToLocked(from)
	if to <= v.fold.Seq() {
		return
	}
	v.speed, v.playEnd = speed, to
	v.mode, v.playMoment, v.beginsPlay = playing, v.fold.At(), true
}

// EndPlay goes to the event at which PlayTo will pause. It reports whether the view plays to one.
func (v *View) EndPlay() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode != playing || v.playEnd == 0 {
		return false
	}
	v.mode = paused
	v.goToLocked(v.playEnd)
	return true
}

// measureEvery is how old a View's memory figures may get.
const measureEvery = time.Second

// New returns a View that follows the end of rec's log.
func New(rec *trace.Recorder, c clock.PassiveClock) *View {
	v := &View{rec: rec, clock: c, speed: 1, sentStory: "null", sentFactory: "null", sentFork: "null"}
	v.reset()
	return v
}

// Measure sets the function that measures the program's memory. The View calls it about once a second, with its lock held.
func (v *View) Measure(f func() Memory) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.measure = f
}

// Reset checks now whether the log is a new one, instead of at the next frame. The view of a new log goes to its end and sends everything again, once.
func (v *View) Reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gen != v.rec.Generation() {
		v.reset()
	}
}

func (v *View) reset() {
	v.gen = v.rec.Generation()
	v.fold = fold.NewFold()
	v.mode = live
	v.hasJumped, v.sendsAll = true, true
	v.lanes, v.lane = nil, 0
	v.timeline = newTimeline()
	v.past = past{step: v.past.step, columns: v.past.columns}
}

// Live goes to the end of the log and follows it.
func (v *View) Live() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.playEnd = 0
	v.mode = live
	v.hasJumped = true
}

// Pause pauses the view where it is.
func (v *View) Pause() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.playEnd = 0
	v.mode = paused
}

// Play plays from the view's position, speed times as fast as the events happened; 0 keeps the speed. At the end of the log, at speed 1 or more, the view
// goes live.
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
	v.playEnd = 0
	if v.mode != playing {
		v.playMoment, v.beginsPlay = v.fold.At(), true
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
	head, _ := v.rec.Head()
	if now := v.fold.Seq(); n > 0 && n < farStep && pos <= head && now+1 >= v.rec.First() {
		v.playEnd = 0
		v.applyLocked(pos) // the page shows what changed, and no jump
		return
	}
	v.goToLocked(pos)
}

// Seek goes to seq, or as near as the log reaches, and pauses.
func (v *View) Seek(seq uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mode = paused
	v.goToLocked(seq)
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
	seq, ok := v.timeline.findMark(v.fold.Seq(), direction, v.rec.First())
	if !ok {
		return ErrNoMark
	}
	v.mode = paused
	v.goToLocked(seq)
	return nil
}

// Follow sets the key of the selected object, "" for none. The past has the journey of its change rv, or of its newest if that is empty.
func (v *View) Follow(key, rv string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.followKey, v.followRV = key, rv
	v.past.hasWindow = false
}

// farStep is from how many events on a step is a jump.
const farStep = 100

// goToLocked moves the view to seq, or as near as the log allows, and shows all of that moment at once.
func (v *View) goToLocked(seq uint64) {
	v.playEnd = 0
	head, _ := v.rec.Head()
	seq = min(max(seq, v.rec.First()), head)
	pos := v.fold.Seq()
	if seq > pos && seq-pos <= maxApply && pos+1 >= v.rec.First() {
		v.applyLocked(seq)
	} else if seq != pos {
		v.fold = v.rec.FoldAt(seq)
	}
	v.hasJumped = true
}

// applyLocked folds the events up to seq and collects their moves.
func (v *View) applyLocked(seq uint64) {
	pos := v.fold.Seq()
	if pos+1 < v.rec.First() {
		// The log has evicted the events between.
		v.fold = v.rec.FoldAt(seq)
		v.hasJumped = true
		return
	}
	v.rec.Read(pos+1, seq, func(e *event.Entry) bool {
		v.fold.Apply(e)
		v.watchLocked(e)
		return true
	})
	if v.fold.Seq()-v.offerSeq >= offerEvery || v.fold.Seq() < v.offerSeq {
		v.offerSeq = v.fold.Seq()
		v.rec.Offer(v.fold)
	}
}

// watchLocked has the parts of the view note an event that was folded.
func (v *View) watchLocked(e *event.Entry) {
	if e.Kind == event.KindSelected {
		v.lanes, v.lane, v.hasJumped, v.sendsAll = nil, 0, true, true
		return
	}
	for len(v.lanes) < v.fold.Lanes() {
		v.lanes = append(v.lanes, newLaneView())
	}
	if int(e.Lane) >= len(v.lanes) {
		return
	}
	v.lanes[e.Lane].watch(e)
	for i, l := range v.lanes {
		if v.fold.SharesRequests(i, int(e.Lane)) {
			l.watchCluster(e)
		}
	}
}

// advanceLocked moves the view to the position where it should be now.
func (v *View) advanceLocked() {
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
		target = v.guidedSeqLocked(pos, head)
	case playing:
		now := v.clock.Now()
		if !v.beginsPlay {
			v.playMoment += time.Duration(float64(now.Sub(v.tickedAt)) * v.speed)
		}
		v.tickedAt, v.beginsPlay = now, false
		target = max(pos, v.rec.SeqAt(v.playMoment))
		if v.playEnd != 0 && target >= v.playEnd {
			target = max(pos, v.playEnd)
			v.mode, v.playEnd = paused, 0
			if target > pos {
				v.applyLocked(target)
			}
			return
		}
		if now := v.rec.Now(); v.playMoment >= now {
			v.playMoment = now
			if v.speed >= 1 || v.fold.Selection().Source == "file" { // a slow view falls behind a log that goes on
				v.mode = live
			}
		}
	case paused:
		if pos+1 < v.rec.First() {
			v.goToLocked(v.rec.First()) // the log has evicted its position
		}
		return
	}
	if target-pos > maxApply {
		if v.mode == live && target-pos > 4*maxApply || pos == 0 {
			v.goToLocked(target)
			return
		}
		target = pos + maxApply
	}
	if target > pos {
		v.applyLocked(target)
	}
}

// Show chooses the lane on stage, if there are several informers: frames and the top of State describe it.
func (v *View) Show(lane int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if lane < 0 || lane >= v.fold.Lanes() || lane > 0 && !v.fold.HasFactory() {
		return fmt.Errorf("there is no informer %d at this moment; state().factory lists those that there are", lane)
	}
	v.lane = lane
	return nil
}

// StageLane returns the lane on stage.
func (v *View) StageLane() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stageLaneLocked()
}

// stageLaneLocked returns the lane on stage; the first one if the chosen one does not exist at this moment.
func (v *View) stageLaneLocked() int {
	if v.lane >= v.fold.Lanes() || !v.fold.HasFactory() {
		return 0
	}
	return v.lane
}

// Describe returns how the view follows the log.
func (v *View) Describe() Playback {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.describe()
}

// Moment returns the moment that the view shows: its last event, and its time on the log's clock. While the view is live, that is the end of the log.
func (v *View) Moment() (seq uint64, at time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode == live {
		head, _ := v.rec.Head()
		return head + 1, v.rec.Now()
	}
	return v.fold.Seq(), v.moment()
}

// describe is Describe with v.mu held.
func (v *View) describe() Playback {
	head, headAt := v.rec.Head()
	pos := v.fold.Seq()
	d := Playback{
		Mode: modeNames[v.mode], Speed: v.speed, First: v.rec.First(), Head: head, HeadMillis: fold.Millis(headAt),
	}
	if head > pos {
		d.Behind = head - pos
		d.BehindMillis = max(fold.Millis(headAt-v.moment()), 0)
	}
	if v.mode == live {
		d.Speed = 1 // the speed at which it played before does not count
	}
	if v.mode == live && v.guide != nil {
		if v.isPresentLocked() { // events that arrived ahead of the guide do not make the view late
			d.Behind, d.BehindMillis = 0, 0
		} else {
			d.Mode, d.Speed = modeNames[playing], 1
		}
	}
	now := v.clock.Now()
	if v.measure != nil && now.Sub(v.measuredAt) >= measureEvery {
		v.memory, v.measuredAt = v.measure(), now
	}
	d.Memory = v.memory
	return d
}

// moment returns the moment that the view shows, on the log's clock.
func (v *View) moment() time.Duration {
	switch v.mode {
	case live:
		return v.liveMomentLocked()
	case playing:
		return max(v.playMoment, v.fold.At())
	}
	return v.fold.At()
}
