package audience

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/page/view"
	"informerscope/core/wire/faults"
	"informerscope/core/wire/pipe"
	"informerscope/core/words/vclock"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

// pass lets d go by, and everything become idle.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// A fake relay's broadcast, as docs/dev/protocol.md describes it, without access control.
type hall struct {
	mu       sync.Mutex
	changed  chan struct{}
	down     bool // nothing answers
	cut      bool // a speaker's connection breaks too
	id       int
	speaking string
	first    int // of the broadcast that is kept
	started  int
	ended    bool
	segments [][]byte // numbered from 1
	slow     time.Duration
	requests int
}

func newHall() *hall { return &hall{changed: make(chan struct{})} }

func (h *hall) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *hall) set(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do()
	h.wake()
}

// ServeHTTP is the speaker's side.
func (h *hall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // not under the lock, because the connection checks whether the relay is down
	h.mu.Lock()
	defer h.mu.Unlock()
	q := r.URL.Query()
	give := func(status int, v any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /broadcast":
		give(200, map[string]any{"on": true, "path": "/?audience#audience=T", "speaking": h.speaking,
			"segments": len(h.segments), "followers": 2, "bytes": 77})
	case "POST /broadcast/begin":
		var o struct{ Take bool }
		_ = json.Unmarshal(body, &o)
		if h.speaking != "" && !o.Take {
			give(409, map[string]any{"message": "another page speaks"})
			return
		}
		h.id++
		h.speaking, h.first, h.ended = strconv.Itoa(h.id), len(h.segments)+1, false
		h.started++
		give(200, map[string]any{"id": h.speaking, "first": h.first})
	case "POST /broadcast/segments":
		n, _ := strconv.Atoi(q.Get("n"))
		switch {
		case q.Get("id") != h.speaking || h.speaking == "":
			give(410, map[string]any{"message": "another page speaks"})
		case n == len(h.segments) && bytes.Equal(body, h.segments[n-1]):
			give(200, map[string]any{"n": n})
		case n != len(h.segments)+1:
			give(409, map[string]any{"expected": len(h.segments) + 1})
		default:
			h.segments = append(h.segments, body)
			h.wake()
			give(200, map[string]any{"n": n})
		}
	case "POST /broadcast/end":
		h.speaking, h.ended = "", true
		h.wake()
		give(200, map[string]any{})
	default:
		give(404, map[string]any{})
	}
}

// dial opens a speaker's connection.
func (h *hall) dial(ctx context.Context) (net.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down || h.cut {
		return nil, faults.RefusalError("websocket")
	}
	ln := pipe.Listen()
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	srv := &http.Server{Handler: h, Protocols: &p}
	go func() { _ = srv.Serve(ln) }()
	c, err := ln.Dial(ctx)
	if err != nil {
		_ = srv.Close() // nothing will serve it: the one that wanted the connection is gone
		return nil, err
	}
	return &hallConn{Conn: c, hall: h, end: func() { _ = srv.Close() }}, nil
}

// hallConn breaks while the relay is down.
type hallConn struct {
	net.Conn
	hall *hall
	end  func()
}

func (c *hallConn) Write(p []byte) (int, error) {
	c.hall.mu.Lock()
	down := c.hall.down || c.hall.cut
	c.hall.mu.Unlock()
	if down {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

func (c *hallConn) Close() error {
	c.end()
	return c.Conn.Close()
}

// fetch is a follower's side.
func (h *hall) fetch(ctx context.Context, path string) (int, []byte, error) {
	limit, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		h.mu.Lock()
		changed, down, slow := h.changed, h.down, h.slow
		h.requests++
		n, _ := strconv.Atoi(strings.TrimPrefix(path, "segments/"))
		status, body := 404, []byte(nil)
		switch {
		case path == "head":
			status = 200
			body, _ = json.Marshal(map[string]any{"first": h.first, "segments": len(h.segments), "checkpoint": max(h.first, h.checkpoint()),
				"ended": h.ended, "startedAt": h.started})
		case n >= 1 && n <= len(h.segments):
			status, body = 200, h.segments[n-1]
		case n == len(h.segments)+1:
			status = 0
		}
		h.mu.Unlock()
		if down {
			return 0, nil, errors.New("Failed to fetch")
		}
		if status != 0 {
			if slow > 0 && path != "head" {
				if vclock.Sleep(ctx, clock.RealClock{}, slow) != nil {
					return 0, nil, ctx.Err()
				}
			}
			return status, body, nil
		}
		select {
		case <-changed:
		case <-limit.Done():
			if ctx.Err() != nil {
				return 0, nil, ctx.Err()
			}
			return 204, nil, nil
		}
	}
}

// checkpoint returns the newest one.
func (h *hall) checkpoint() int {
	for n := len(h.segments); n > 0; n-- {
		if about, err := readAbout(h.segments[n-1]); err == nil && about.Checkpoint {
			return n
		}
	}
	return 0
}

// stage is a speaker's page: an experiment, its view, and its Speaker.
type stage struct {
	lab     *lab.Lab
	rec     *trace.Recorder
	view    *view.View
	speaker *Speaker
}

func realSleep(ctx context.Context, d time.Duration) error {
	return vclock.Sleep(ctx, clock.RealClock{}, d)
}

func newStage(t *testing.T, h *hall) *stage {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := lab.New(lab.Options{Recorder: rec})
	t.Cleanup(func() {
		l.Close()
		<-time.After(2 * time.Minute) // what ignores its context ends by then
	})
	objects, rate := 30, 8.0
	if _, err := l.Select(t.Context(), selection.Change{Objects: &objects, Rate: &rate}); err != nil {
		t.Fatal(err)
	}
	s := &stage{lab: l, rec: rec, view: view.New(rec, clock.RealClock{})}
	s.speaker = NewSpeaker(SpeakerOptions{Recorder: rec, Dial: h.dial, Where: func() view.Playback { s.view.State(); return s.view.Describe() },
		Header: func() tracefile.Header { return tracefile.Header{Selection: l.Selection()} }, Clock: clock.RealClock{}, Sleep: realSleep})
	t.Cleanup(func() { _ = s.speaker.End(context.Background()) })
	return s
}

// seat is a follower's page.
type seat struct {
	rec       *trace.Recorder
	view      *view.View
	following *Following
	leave     func()
}

// onTheAir returns a broadcast, and the page of a speaker that has begun.
func onTheAir(t *testing.T) (*hall, *stage) {
	t.Helper()
	h := newHall()
	s := newStage(t, h)
	if err := s.speaker.Begin(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	return h, s
}

func newSeat(t *testing.T, fetch Fetch) *seat {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	s := &seat{rec: rec, view: view.New(rec, clock.RealClock{})}
	s.following = NewFollowing(FollowingOptions{Recorder: rec, View: s.view, Clock: clock.RealClock{}, Fetch: fetch})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.following.Run(ctx) })
	wg.Go(func() {
		for vclock.Sleep(ctx, clock.RealClock{}, 16*time.Millisecond) == nil { // like a page that draws
			s.following.Tick()
			s.view.Frame()
		}
	})
	s.leave = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(s.leave)
	return s
}

// shows returns a view's position.
func shows(v *view.View) (mode string, seq uint64) {
	s := v.State()
	return s.View.Mode, s.Seq
}

// describeState returns a state of the log, without the view's position and what a checkpoint does not restore.
func describeState(rec *trace.Recorder, seq uint64) string {
	f := rec.FoldAt(seq)
	s := f.State()
	s.Source = fold.Source{}
	s.API.WritesPerSecond = 0 // not restored; see docs/dev/trace.md
	text, _ := json.Marshal(s)
	return fmt.Sprintf("%d %s", f.Seq(), text)
}

// agree compares the states of a follower's log and the speaker's, from the oldest moment that both have to the newest.
func agree(t *testing.T, s *stage, f *seat) {
	t.Helper()
	first := max(s.rec.First(), f.rec.First())
	head, _ := f.rec.Head()
	if head < first+10 {
		t.Fatalf("the follower has events %d to %d only", first, head)
	}
	for _, seq := range []uint64{first, (first + head) / 2, head} {
		if a, b := describeState(s.rec, seq), describeState(f.rec, seq); a != b {
			t.Errorf("at event %d the speaker has\n%s\nand the follower\n%s", seq, a, b)
		}
	}
}

func TestAFollowerSeesWhatTheSpeakerSees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall()
		s := newStage(t, h)
		pass(2 * time.Second)
		if err := s.speaker.Page(json.RawMessage(`{"presenter":true}`)); err != nil {
			t.Fatal(err)
		}
		if err := s.speaker.Begin(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		f := newSeat(t, h.fetch)
		pass(5 * time.Second)
		agree(t, s, f)
		if got := f.view.State().Source.Kind; got != "broadcast" {
			t.Errorf("the follower's source is %q", got)
		}
		hearing := f.following.Hearing()
		if hearing.Phase != PhaseFollowing || hearing.Mode != "live" || string(hearing.Page) != `{"presenter":true}` {
			t.Errorf("live: %+v", hearing)
		}
		air := s.speaker.OnAir()
		if head, _ := s.rec.Head(); air.Phase != AirOn || air.Followers != 2 || air.Seq == 0 || air.Seq > head || air.Segments < 5 {
			t.Errorf("the speaker is told %+v", air)
		}
		mode, seq := shows(f.view)
		if _, at := s.rec.Head(); mode != "live" || at-f.rec.Event(seq).At > showDelay+cutEvery+100*time.Millisecond {
			t.Errorf("at %s the follower shows what was at %s, %s", at, f.rec.Event(seq).At, mode)
		}

		s.view.Seek(100)
		s.speaker.Moved()
		pass(3 * time.Second)
		if mode, seq := shows(f.view); mode != "paused" || seq != 100 {
			t.Errorf("the speaker stands at event 100, the follower is %s at %d", mode, seq)
		}
		s.view.Step(-3)
		s.speaker.Moved()
		pass(3 * time.Second)
		if mode, seq := shows(f.view); mode != "paused" || seq != 97 {
			t.Errorf("the speaker stands at event 97, the follower is %s at %d", mode, seq)
		}
		_ = s.view.Play(0.5)
		s.speaker.Moved()
		pass(3 * time.Second)
		d := f.view.Describe()
		if d.Mode != "playing" || d.Speed != 0.5 || d.Head-d.Behind < 97 {
			t.Errorf("the speaker plays at half speed, the follower: %+v", d)
		}
		s.view.Live()
		s.speaker.Moved()
		pass(3 * time.Second)
		if mode, seq := shows(f.view); mode != "live" || seq <= 200 {
			t.Errorf("the speaker is live, the follower is %s at %d", mode, seq)
		}
		f.leave()
	})
}

func TestAFollowerIsShownEventsEvenly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		f := newSeat(t, h.fetch)
		pass(5 * time.Second)
		spoke, heard := map[uint64]bool{}, map[uint64]bool{}
		for range 100 {
			<-time.After(20 * time.Millisecond)
			_, seq := shows(s.view)
			spoke[seq] = true
			_, seq = shows(f.view)
			heard[seq] = true
		}
		if len(spoke) < 6 {
			t.Fatalf("in 2 s the speaker's view stood at %d places: nothing can be said", len(spoke))
		}
		if len(heard) < len(spoke)-2 {
			t.Errorf("in 2 s the speaker's view stood at %d places, the follower's at %d", len(spoke), len(heard))
		}
	})
}

func TestAFollowerLooksAloneAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		f := newSeat(t, h.fetch)
		pass(4 * time.Second)
		f.following.LeaveSpeaker()
		f.view.Seek(60)
		head, _ := f.rec.Head()
		s.view.Seek(90)
		s.speaker.Moved()
		pass(3 * time.Second)
		if mode, seq := shows(f.view); mode != "paused" || seq != 60 || !f.following.Hearing().Own {
			t.Errorf("alone the follower was taken to %d, %s: %+v", seq, mode, f.following.Hearing())
		}
		if now, _ := f.rec.Head(); now <= head {
			t.Error("alone the follower hears nothing more")
		}
		f.following.RejoinSpeaker()
		if mode, seq := shows(f.view); mode != "paused" || seq != 90 || f.following.Hearing().Own {
			t.Errorf("back with the speaker, who stands at 90, the follower is at %d, %s", seq, mode)
		}
		f.following.LeaveSpeaker()
		s.view.Live()
		s.speaker.Moved()
		pass(2 * time.Second)
		f.following.RejoinSpeaker()
		pass(time.Second)
		if mode, seq := shows(f.view); mode != "live" || seq < 200 {
			t.Errorf("back with the speaker, who is live, the follower is at %d, %s", seq, mode)
		}
	})
}

func TestALateFollowerBeginsAtTheNewestCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		pass(2 * time.Minute)
		h.mu.Lock()
		before := h.requests
		all := len(h.segments)
		h.mu.Unlock()
		f := newSeat(t, h.fetch)
		pass(3 * time.Second)
		h.mu.Lock()
		asked := h.requests - before
		h.mu.Unlock()
		if asked > all/2 {
			t.Errorf("a late follower asked for %d of %d segments", asked, all)
		}
		if f.rec.First() <= 1 {
			t.Error("the follower has the log from its beginning: nothing was left out")
		}
		agree(t, s, f)
		s.view.Seek(20)
		s.speaker.Moved()
		pass(3 * time.Second)
		if !f.following.Hearing().Before {
			t.Error("the speaker shows event 20, which the follower does not have, and nothing says so")
		}
	})
}

func TestABroadcastOutlivesItsRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		f := newSeat(t, h.fetch)
		pass(4 * time.Second)
		h.set(func() { h.down = true })
		pass(10 * time.Second)
		if air := s.speaker.OnAir(); air.Phase != AirLost || air.Error == "" {
			t.Errorf("the relay is gone, and the speaker is told %+v", air)
		}
		if hearing := f.following.Hearing(); hearing.Phase != PhaseSilent {
			t.Errorf("the relay is gone, and the follower is told %+v", hearing)
		}
		h.set(func() { h.down = false })
		pass(15 * time.Second)
		if air := s.speaker.OnAir(); air.Phase != AirOn || air.Error != "" || air.Skipped != 0 {
			t.Errorf("the relay is back, and the speaker is told %+v", air)
		}
		if hearing := f.following.Hearing(); hearing.Phase != PhaseFollowing {
			t.Errorf("the relay is back, and the follower is told %+v", hearing)
		}
		agree(t, s, f)
		if first := f.rec.First(); first > 1 {
			t.Errorf("the follower's log begins at %d: it started over", first)
		}

		// A relay that lost the broadcast, as after a restart without a directory.
		h.set(func() { h.speaking, h.segments, h.first, h.started = "", nil, 1, 100 })
		pass(30 * time.Second)
		if air := s.speaker.OnAir(); air.Phase != AirOn || air.Skipped != 1 {
			t.Errorf("the relay forgot the talk, and the speaker is told %+v", air)
		}
		if hearing := f.following.Hearing(); hearing.Phase != PhaseFollowing {
			t.Errorf("the relay forgot the talk, and the follower is told %+v", hearing)
		}
		agree(t, s, f)
	})
}

func TestAnotherPageTakesTheBroadcastOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall()
		a, b := newStage(t, h), newStage(t, h)
		if err := a.speaker.Begin(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		f := newSeat(t, h.fetch)
		pass(3 * time.Second)
		if err := b.speaker.Begin(t.Context(), false); err == nil || !strings.Contains(err.Error(), "another page") {
			t.Errorf("two speak: %v", err)
		}
		if err := b.speaker.Begin(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		pass(15 * time.Second)
		if got := a.speaker.OnAir().Phase; got != AirTaken {
			t.Errorf("the page that was on the air is told %q", got)
		}
		agree(t, b, f)
	})
}

func TestATalkThatIsOverIsARecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		f := newSeat(t, h.fetch)
		pass(6 * time.Second)
		s.view.Seek(50)
		s.speaker.Moved()
		pass(4 * time.Second)
		s.view.Live()
		s.speaker.Moved()
		pass(5 * time.Second)
		if err := s.speaker.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		if hearing := f.following.Hearing(); hearing.Phase != PhaseOver || hearing.Recording {
			t.Errorf("the talk is over, and who followed it is told %+v", hearing)
		}
		agree(t, s, f)

		late := newSeat(t, h.fetch)
		pass(100 * time.Millisecond)
		if hearing := late.following.Hearing(); hearing.Phase != PhaseOver || !hearing.Recording {
			t.Errorf("who opens it afterwards is told %+v", hearing)
		}
		stood := false
		for range 200 {
			<-time.After(100 * time.Millisecond)
			if mode, seq := shows(late.view); mode == "paused" && seq == 50 {
				stood = true
			}
		}
		if !stood {
			t.Error("the recording never stood where the speaker stood")
		}
		d := late.view.Describe()
		if d.Behind != 0 {
			t.Errorf("the recording has not come to its end: %+v", d)
		}
		agree(t, s, late)
		// The recording continues from the moment that the user chose.
		late.following.LeaveSpeaker()
		late.view.Seek(d.First + 20)
		pass(time.Second)
		late.following.RejoinSpeaker()
		pass(time.Second)
		if _, seq := shows(late.view); seq <= d.First+20 || seq > d.Head-20 {
			t.Errorf("the recording went on from event %d to %d of %d", d.First+20, seq, d.Head)
		}
	})
}

func TestASlowFollowerIsToldHowFarBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		f := newSeat(t, h.fetch)
		pass(5 * time.Second)
		h.set(func() { h.slow = 1500 * time.Millisecond })
		pass(20 * time.Second)
		hearing := f.following.Hearing()
		if hearing.Phase != PhaseSlow || hearing.BehindMillis < 5000 || hearing.BehindMillis > 20_000 {
			t.Errorf("every piece takes three times as long as it tells of, and after 20 s the follower is told %+v", hearing)
		}
		pass(3 * time.Minute)
		if hearing := f.following.Hearing(); hearing.Skipped == 0 || hearing.BehindMillis > 70_000 {
			t.Errorf("after 3 minutes: %+v", hearing)
		}
		h.set(func() { h.slow = 0 })
		pass(10 * time.Second)
		if hearing := f.following.Hearing(); hearing.Phase != PhaseFollowing || hearing.BehindMillis != 0 {
			t.Errorf("quick again: %+v", hearing)
		}
		agree(t, s, f)
	})
}

func TestASpeakerWhoIsGoneIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := onTheAir(t)
		f := newSeat(t, h.fetch)
		pass(5 * time.Second)
		h.set(func() { h.cut = true })
		pass(time.Minute)
		if hearing := f.following.Hearing(); hearing.Phase != PhaseQuiet {
			t.Errorf("the speaker's page has been away for a minute, and the follower is told %+v", hearing)
		}
		h.set(func() { h.cut = false })
		pass(10 * time.Second)
		if hearing := f.following.Hearing(); hearing.Phase != PhaseFollowing {
			t.Errorf("the speaker's page is back, and the follower is told %+v", hearing)
		}
		agree(t, s, f)
	})
}

func TestALinkThatIsNotKnownIsSaidToBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSeat(t, func(context.Context, string) (int, []byte, error) { return 404, nil, nil })
		pass(time.Second)
		if hearing := f.following.Hearing(); hearing.Phase != PhaseUnknown {
			t.Errorf("%+v", hearing)
		}
		g := newSeat(t, newHall().fetch)
		pass(time.Second)
		if hearing := g.following.Hearing(); hearing.Phase != PhaseWaiting {
			t.Errorf("nobody speaks yet, and it says %+v", hearing)
		}
	})
}

func TestASpeakersPositionIsBounded(t *testing.T) {
	s := NewSpeaker(SpeakerOptions{})
	long := json.RawMessage(`{"x":"` + strings.Repeat("x", maxPage) + `"}`)
	if err := s.Page(long); err == nil {
		t.Error("a position of more than 7 KiB is taken")
	}
}

func TestAServerWithoutABroadcastIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := pipe.Listen()
		var p http.Protocols
		p.SetUnencryptedHTTP2(true)
		srv := &http.Server{Handler: http.NotFoundHandler(), Protocols: &p}
		go func() { _ = srv.Serve(ln) }()
		defer srv.Close()
		rec := trace.NewRecorder(trace.RecorderOptions{})
		s := NewSpeaker(SpeakerOptions{Recorder: rec, Dial: ln.Dial, Sleep: realSleep, Clock: clock.RealClock{},
			Where: func() view.Playback { return view.Playback{} }, Header: func() tracefile.Header { return tracefile.Header{} }})
		if look, err := s.Look(t.Context()); err != nil || look.Offered {
			t.Errorf("%+v, %v", look, err)
		}
		if err := s.Begin(t.Context(), false); err == nil || !strings.Contains(err.Error(), "--broadcast") {
			t.Errorf("on the air without a broadcast: %v", err)
		}
		away := NewSpeaker(SpeakerOptions{Recorder: rec, Sleep: realSleep, Clock: clock.RealClock{}, Where: s.o.Where, Header: s.o.Header,
			Dial: func(context.Context) (net.Conn, error) { return nil, faults.RefusalError("websocket") }})
		if err := away.Begin(t.Context(), false); err == nil || !strings.Contains(err.Error(), "relay") {
			t.Errorf("on the air without a relay: %v", err)
		}
	})
}
