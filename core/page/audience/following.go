package audience

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sort"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/wire/broadcast"
	"informerscope/core/words/object"
	"informerscope/core/words/vclock"
)

// The phases of a Following.
const (
	PhaseJoining   = "joining"   // the broadcast so far is being fetched
	PhaseWaiting   = "waiting"   // no broadcast has begun
	PhaseFollowing = "following" // the log arrives from the speaker
	PhaseSlow      = "slow"      // it arrives later and later
	PhaseQuiet     = "quiet"     // the server answers, but nothing arrives from the speaker's page
	PhaseSilent    = "silent"    // the speaker's server does not answer
	PhaseUnknown   = "unknown"   // the server does not accept the link's token
	PhaseOver      = "over"      // the broadcast has ended; all of it has been fetched, or is being fetched
	PhaseDamaged   = "damaged"   // the data cannot be read
)

const (
	// showDelay is how far behind its newest moment a live log is shown: a speaker's page cuts a segment every half second.
	showDelay = 800 * time.Millisecond
	// drift is how many of the latest segments determine the shortest delay from the speaker.
	drift = 20
	// slowAfter is how much later than the quickest segment others may arrive before the connection counts as slow. After skipAfter the follower skips to
	// a newer checkpoint.
	slowAfter = 4 * time.Second
	skipAfter = time.Minute
	// fetchPatience bounds an answer; a server that waits for the next segment answers after 20 s at the latest.
	// quietAfter is the time without a segment after which the speaker's page counts as quiet: it sends one every 10 s, with or without news.
	quietAfter    = 25 * time.Second
	fetchPatience = 40 * time.Second
	restAfter     = time.Second // the pause after an answer without news, and up to as much again at random
	firstRetry    = 500 * time.Millisecond
	lastRetry     = 8 * time.Second
	// lookAgain is how often to ask a server that refuses the token, or whose broadcast has ended.
	lookAgain = 10 * time.Second
	// A recording is fetched only this far ahead of what is shown, so that events are not evicted before they are shown.
	mostAhead      = 100_000 // events
	mostAheadBytes = 4 << 20 // compressed, as received
	roomEvery      = 250 * time.Millisecond
	// maxPositions is how many of the speaker's positions are kept.
	maxPositions = 50_000
)

// Fetch requests a path below the audience's token, such as "segments/12", from the speaker's server.
type Fetch func(ctx context.Context, path string) (status int, body []byte, err error)

// FollowingOptions configure a Following; all but Tell and Jitter are required.
type FollowingOptions struct {
	Recorder *trace.Recorder
	View     *view.View
	Fetch    Fetch
	Clock    clock.WithTicker
	// Tell is called when Hearing has changed. It may call Hearing, and nothing else.
	Tell func()
	// Jitter returns a random duration below the given one. The page's own runtime has no randomness, so it comes from outside. Without it, all followers
	// that were answered at one moment ask again at one moment.
	Jitter func(below time.Duration) time.Duration
}

// Hearing is the state of a Following, for the follower's page.
type Hearing struct {
	Phase        string  `json:"phase" web:"joining|waiting|following|slow|quiet|silent|unknown|over|damaged"`
	BehindMillis float64 `json:"behindMillis"` // how much later than possible the speaker's events arrive
	Recording    bool    `json:"recording"`    // the broadcast had ended when the page opened: it plays from its beginning
	Own          bool    `json:"own"`          // the follower explores alone
	Skipped      int     `json:"skipped"`      // how often a part was skipped because it arrived too late
	Before       bool    `json:"before"`       // the speaker shows a moment from before the follower joined, which this page does not have
	Error        string  `json:"error,omitempty"`
	// Mode and Page are the speaker's, at the moment shown.
	Mode string          `json:"mode,omitempty"`
	Page json.RawMessage `json:"page,omitempty"`
}

// position is the speaker's position, as Speaker encodes it.
type position struct {
	Seq   uint64          `json:"seq"`
	Mode  string          `json:"mode"`
	Speed float64         `json:"speed"`
	Page  json.RawMessage `json:"page,omitempty"`
}

// timedPosition is a position with its time on the log's clock.
type timedPosition struct {
	at time.Duration
	position
}

// Following shows the log that a speaker broadcasts, at the speaker's position, until the user leaves the speaker to explore alone.
type Following struct {
	o     FollowingOptions
	epoch time.Time

	mu           sync.Mutex
	hearing      Hearing
	segmentAt    time.Time       // when the last segment arrived
	newest       time.Duration   // the newest moment received
	ways         []time.Duration // local clock minus log clock, for the last segments
	positions    []timedPosition
	log          uint64        // the recorder's generation of positions
	appliedCount int           // how many positions were applied, the newest of them in force; 0 for none
	placeAgain   bool          // apply the position in force again
	talkAt       time.Duration // of a recording: the moment it has reached
	talkSince    time.Time     // when it reached that; zero while it is paused
	best         time.Duration // the shortest delay of a segment, by the speaker's own clock
	hasBest      bool          // best is known
	unshown      []piece       // of a recording: segments that were fetched and not shown yet
}

// piece is the end of a segment in the log, and its compressed size.
type piece struct {
	seq  uint64
	size int
}

// NewFollowing returns a Following; Run starts it.
func NewFollowing(o FollowingOptions) *Following {
	if o.Jitter == nil {
		o.Jitter = func(time.Duration) time.Duration { return 0 }
	}
	if o.Tell == nil {
		o.Tell = func() {}
	}
	f := &Following{o: o, epoch: o.Clock.Now(), hearing: Hearing{Phase: PhaseJoining}}
	o.View.Guide(f.moment)
	return f
}

// Hearing returns the state for the page.
func (f *Following) Hearing() Hearing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hearing
}

// say changes the state for the page.
func (f *Following) say(change func(*Hearing)) {
	f.mu.Lock()
	before := f.hearing
	change(&f.hearing)
	same := before.Phase == f.hearing.Phase && before.Own == f.hearing.Own && before.Error == f.hearing.Error && before.Recording == f.hearing.Recording &&
		before.Mode == f.hearing.Mode && before.BehindMillis == f.hearing.BehindMillis && before.Skipped == f.hearing.Skipped && before.Before == f.hearing.Before &&
		string(before.Page) == string(f.hearing.Page)
	f.mu.Unlock()
	if !same {
		f.o.Tell()
	}
}

func (f *Following) phase(name, why string) {
	f.say(func(h *Hearing) { h.Phase, h.Error = name, why })
}

// head is the server's description of a broadcast.
type head struct {
	First      uint64          `json:"first"` // the oldest segment that is kept
	Segments   uint64          `json:"segments"`
	Checkpoint uint64          `json:"checkpoint"`
	Ended      bool            `json:"ended"`
	StartedAt  json.RawMessage `json:"startedAt"`
}

func (h head) same(o head) bool { return string(h.StartedAt) == string(o.StartedAt) }

// Run follows until ctx ends, and returns ctx's error.
func (f *Following) Run(ctx context.Context) error {
	var skipTo *head
	for ctx.Err() == nil {
		h := skipTo
		skipTo = nil
		if h == nil {
			var err error
			if h, err = f.askHead(ctx); err != nil {
				return err
			}
		}
		skipTo = f.followOne(ctx, *h)
	}
	return ctx.Err()
}

// askHead asks for the state of the broadcast until the server answers.
func (f *Following) askHead(ctx context.Context) (*head, error) {
	for wait := firstRetry; ; {
		status, body, err := f.fetch(ctx, "head")
		var h head
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && status == http.StatusOK && json.Unmarshal(body, &h) == nil:
			return &h, nil
		case err == nil && status == http.StatusNotFound:
			f.phase(PhaseUnknown, "")
			wait = lookAgain
		default:
			f.phase(PhaseSilent, describeFailure(status, err))
		}
		if vclock.Sleep(ctx, f.o.Clock, wait) != nil {
			return nil, ctx.Err()
		}
		wait = min(2*wait, lastRetry)
	}
}

func describeFailure(status int, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("it answered %d %s", status, http.StatusText(status))
}

func (f *Following) fetch(ctx context.Context, path string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchPatience)
	defer cancel()
	return f.o.Fetch(ctx, path)
}

// followOne follows one broadcast, from its newest checkpoint, or from its beginning if it has ended. It returns the head to continue with, nil if the server
// must be asked for one.
func (f *Following) followOne(ctx context.Context, h head) *head {
	n := max(h.Checkpoint, 1)
	if h.Ended {
		n = max(h.First, 1)
	}
	f.begin(h)
	if h.Ended && h.Segments < n {
		return f.waitForMore(ctx, h)
	}
	decode := func(raw []byte) (any, error) { return object.Parse(raw) }
	reader := broadcast.NewFollower(f.o.Recorder, decode)
	wait := firstRetry
	for {
		if h.Ended && f.waitForRoom(ctx) != nil {
			return nil
		}
		status, body, err := f.fetch(ctx, fmt.Sprintf("segments/%d", n))
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && status == http.StatusOK:
			about, err := readAbout(body)
			if err == nil && h.Ended && about.Fresh && f.waitUntilShown(ctx) != nil {
				return nil
			}
			var positions []broadcast.Position
			if err == nil {
				positions, err = reader.Apply(body)
			}
			if err != nil {
				f.phase(PhaseDamaged, err.Error())
				_ = vclock.Sleep(ctx, f.o.Clock, lastRetry)
				return nil
			}
			wait = firstRetry
			n = reader.Next()
			late := f.noteSegment(about, positions, len(body), !h.Ended && n > h.Segments)
			if about.End || h.Ended && n > h.Segments {
				f.phase(PhaseOver, "")
				return f.waitForMore(ctx, h)
			}
			if late <= skipAfter {
				continue
			}
			// Waiting does not make it faster. Showing what others see matters more than what was missed.
			if now, err := f.askHead(ctx); err == nil && (now.Checkpoint > n || !now.same(h)) {
				f.say(func(h *Hearing) { h.Skipped++ })
				return now
			}
			continue
		case err == nil && status == http.StatusNoContent:
			f.noteNoNews(h.Segments > 0 || n > h.Checkpoint+1)
			wait = firstRetry
			// A cache gives all that wait the same answer: they must not return at the same moment.
			if vclock.Sleep(ctx, f.o.Clock, restAfter+f.o.Jitter(restAfter)) != nil {
				return nil
			}
			continue
		case err == nil && (status == http.StatusNotFound || status == http.StatusGone):
			now, err := f.askHead(ctx)
			if err != nil || !now.same(h) || n > now.Segments+1 {
				return now
			}
		default:
			f.phase(PhaseSilent, describeFailure(status, err))
			if vclock.Sleep(ctx, f.o.Clock, wait) != nil {
				return nil
			}
			if now, err := f.askHead(ctx); err != nil || !now.same(h) || n > now.Segments+1 {
				return now // the server was restarted, and has another broadcast
			}
			f.phase(PhaseJoining, "")
			continue
		}
		if vclock.Sleep(ctx, f.o.Clock, wait) != nil {
			return nil
		}
		wait = min(2*wait, lastRetry)
	}
}

// begin drops the previous broadcast's state.
func (f *Following) begin(h head) {
	f.mu.Lock()
	f.ways, f.positions, f.appliedCount, f.unshown, f.hasBest, f.newest = nil, nil, 0, nil, false, -1
	f.talkAt, f.talkSince = 0, time.Time{}
	f.mu.Unlock()
	f.say(func(now *Hearing) {
		now.Phase, now.Error, now.Recording, now.BehindMillis = PhaseJoining, "", h.Ended, 0
		switch {
		case h.Ended:
			now.Phase = PhaseOver
		case h.Segments == 0:
			now.Phase = PhaseWaiting
		}
	})
}

// waitForRoom waits until enough of a recording has been shown to fetch more.
func (f *Following) waitForRoom(ctx context.Context) error {
	for {
		d := f.o.View.Describe()
		shown := d.Head - d.Behind
		f.mu.Lock()
		f.unshown = f.unshown[sort.Search(len(f.unshown), func(i int) bool { return f.unshown[i].seq > shown }):]
		size := 0
		for _, p := range f.unshown {
			size += p.size
		}
		f.mu.Unlock()
		if d.Head < shown+mostAhead && size < mostAheadBytes {
			return ctx.Err()
		}
		if err := vclock.Sleep(ctx, f.o.Clock, roomEvery); err != nil {
			return err
		}
	}
}

// waitUntilShown waits until all that was fetched of a recording has been shown, because another log follows.
func (f *Following) waitUntilShown(ctx context.Context) error {
	for {
		if d := f.o.View.Describe(); d.Behind == 0 {
			return ctx.Err()
		}
		if err := vclock.Sleep(ctx, f.o.Clock, roomEvery); err != nil {
			return err
		}
	}
}

// maxAbout bounds the first line of a segment.
const maxAbout = 64 << 10

// readAbout reads the first line of a segment.
func readAbout(segment []byte) (a broadcast.Head, err error) {
	r, err := gzip.NewReader(bytes.NewReader(segment))
	if err != nil {
		return a, fmt.Errorf("a segment of the broadcast is not gzip: %w", err)
	}
	line, err := bufio.NewReader(io.LimitReader(r, maxAbout)).ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("the first line of a segment of the broadcast cannot be read: %w", err)
	}
	return a, json.Unmarshal(line, &a)
}

// noteSegment notes what a segment brought, and returns how much later than possible it arrived. fresh: it is newer than the broadcast was when the follower
// joined.
func (f *Following) noteSegment(about broadcast.Head, found []broadcast.Position, size int, fresh bool) (late time.Duration) {
	now := f.o.Clock.Now()
	seq, at := f.o.Recorder.Head()
	f.mu.Lock()
	f.segmentAt = now
	if log := f.o.Recorder.Generation(); log != f.log { // the speaker has made another selection
		f.log, f.positions, f.appliedCount, f.ways, f.unshown, f.newest = log, nil, 0, nil, nil, -1
		f.talkAt, f.talkSince = 0, time.Time{}
	}
	for _, p := range found {
		var last position
		if json.Unmarshal(p.Body, &last) == nil {
			f.positions = append(f.positions, timedPosition{p.At, last})
			at = max(at, p.At)
		}
	}
	if over := len(f.positions) - maxPositions; over > 0 {
		f.positions, f.appliedCount = slices.Delete(f.positions, 0, over), max(f.appliedCount-over, 0)
	}
	if at > f.newest { // it has something new
		f.newest = at
		f.ways = append(f.ways, now.Sub(f.epoch)-at)
		f.ways = f.ways[max(0, len(f.ways)-drift):]
	}
	f.unshown = append(f.unshown, piece{seq, size})
	way := now.Sub(time.UnixMilli(about.At))
	if fresh {
		if !f.hasBest || way < f.best {
			f.best, f.hasBest = way, true
		}
		late = way - f.best
	}
	if f.hearing.Recording && f.talkSince.IsZero() && !f.hearing.Own {
		first := f.o.Recorder.Event(f.o.Recorder.First())
		if f.talkAt == 0 && first != nil {
			f.talkAt = first.At
		}
		f.talkSince = now
	}
	joined := f.hearing.Phase != PhaseJoining && f.hearing.Phase != PhaseWaiting || fresh
	recording := f.hearing.Recording
	f.mu.Unlock()
	if recording {
		return 0
	}
	f.say(func(h *Hearing) {
		h.Error, h.BehindMillis = "", 0
		switch {
		case !joined:
			h.Phase = PhaseJoining
		case late > slowAfter:
			h.Phase, h.BehindMillis = PhaseSlow, float64(late.Round(time.Second).Milliseconds())
		default:
			h.Phase = PhaseFollowing
		}
	})
	return late
}

// noteNoNews notes that the server has nothing newer.
func (f *Following) noteNoNews(begun bool) {
	f.mu.Lock()
	quiet := !f.segmentAt.IsZero() && f.o.Clock.Since(f.segmentAt) > quietAfter
	f.mu.Unlock()
	f.say(func(h *Hearing) {
		h.Error, h.BehindMillis = "", 0
		switch h.Phase = PhaseFollowing; {
		case !begun:
			h.Phase = PhaseWaiting
		case quiet:
			h.Phase = PhaseQuiet
		}
	})
}

// waitForMore waits for an ended broadcast to continue, or for another to begin.
func (f *Following) waitForMore(ctx context.Context, h head) *head {
	for {
		if vclock.Sleep(ctx, f.o.Clock, lookAgain) != nil {
			return nil
		}
		status, body, err := f.fetch(ctx, "head")
		var now head
		if err == nil && status == http.StatusOK && json.Unmarshal(body, &now) == nil && (!now.Ended || !now.same(h)) {
			return &now
		}
	}
}

// moment is the view's Guide: the moment that the speaker's audience sees now.
func (f *Following) moment() (at time.Duration, present bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.positionLocked(), !f.hearing.Recording
}

// positionLocked returns the moment that the broadcast has reached, on the log's clock.
func (f *Following) positionLocked() time.Duration {
	now := f.o.Clock.Now()
	if f.hearing.Recording {
		at := f.talkAt
		if !f.talkSince.IsZero() {
			at += now.Sub(f.talkSince)
		}
		if _, end := f.o.Recorder.Head(); at > end {
			at = end // wait for the rest to arrive
			if !f.talkSince.IsZero() {
				f.talkAt, f.talkSince = end, now
			}
		}
		return at
	}
	if len(f.ways) == 0 {
		return 0
	}
	return now.Sub(f.epoch) - slices.Min(f.ways) - showDelay
}

// Tick moves the view to the speaker's position at the moment shown. Call it before drawing the view.
func (f *Following) Tick() {
	f.mu.Lock()
	at := f.positionLocked()
	n := sort.Search(len(f.positions), func(i int) bool { return f.positions[i].at > at })
	if f.hearing.Own || n == 0 || n == f.appliedCount && !f.placeAgain {
		f.mu.Unlock()
		return
	}
	last, now := position{}, f.positions[n-1]
	if f.appliedCount > 0 && f.appliedCount <= len(f.positions) && !f.placeAgain {
		last = f.positions[f.appliedCount-1].position
	}
	f.appliedCount, f.placeAgain = n, false
	f.mu.Unlock()
	if now.Mode != last.Mode || now.Speed != last.Speed || now.Seq != last.Seq && now.Mode != "live" {
		f.place(now, at)
	}
	before := now.Mode != "live" && now.Seq+1 < f.o.Recorder.First()
	f.say(func(h *Hearing) { h.Mode, h.Page, h.Before = now.Mode, now.Page, before })
}

// place moves the view to a position, at a moment of the broadcast.
func (f *Following) place(p timedPosition, at time.Duration) {
	v := f.o.View
	switch p.Mode {
	case "paused":
		v.Seek(p.Seq)
	case "playing":
		// A follower that joins later continues from where the speaker's view has got to since.
		if e := f.o.Recorder.Event(p.Seq); e != nil && at > p.at {
			v.SeekTime(e.At + time.Duration(float64(at-p.at)*cmp.Or(p.Speed, 1)))
		} else {
			v.Seek(p.Seq)
		}
		_ = v.Play(p.Speed) // at an invalid speed the view keeps its own
	default:
		v.Live()
	}
}

// LeaveSpeaker lets the user explore alone: the view stays where it is, while the speaker's events keep arriving.
func (f *Following) LeaveSpeaker() {
	f.mu.Lock()
	if f.hearing.Recording && !f.hearing.Own {
		f.talkAt, f.talkSince = f.positionLocked(), time.Time{}
	}
	f.mu.Unlock()
	f.say(func(h *Hearing) { h.Own = true })
}

// RejoinSpeaker returns to the speaker. A recording continues from the moment shown.
func (f *Following) RejoinSpeaker() {
	d := f.o.View.Describe()
	seq := d.Head - d.Behind
	e := f.o.Recorder.Event(seq)
	f.mu.Lock()
	if f.hearing.Recording {
		if e != nil {
			f.talkAt = e.At
		}
		f.talkSince = f.o.Clock.Now()
	}
	f.placeAgain = true
	none := len(f.positions) == 0
	f.mu.Unlock()
	if none {
		f.o.View.Live()
	}
	f.say(func(h *Hearing) { h.Own = false })
	f.Tick()
}
