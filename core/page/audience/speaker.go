package audience

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/page/view"
	"informerscope/core/wire/broadcast"
	"informerscope/core/wire/relayclient"
)

// The phases of a Speaker.
const (
	AirOff    = ""       // nothing is broadcast from here
	AirOn     = "on"     // the log is being broadcast
	AirLost   = "lost"   // the relay does not answer; the log is sent once it does
	AirTaken  = "taken"  // another page broadcasts now
	AirFailed = "failed" // the broadcast failed, see Error
)

const (
	// sampleEvery is how often the page's position is sampled, and cutEvery how often new events are sent.
	sampleEvery = 100 * time.Millisecond
	cutEvery    = 500 * time.Millisecond
	// countEvery is how often the relay is asked for the number of followers.
	countEvery = 3 * time.Second
	// airPatience is how long the relay may take to answer.
	airPatience = 15 * time.Second
	firstResend = 250 * time.Millisecond
	lastResend  = 4 * time.Second
	// maxPage bounds the page's own state in a position; the relay takes 8 KiB in all.
	maxPage = 7 << 10
	// maxAnswer bounds the relay's answers about the broadcast.
	maxAnswer = 64 << 10
)

// SpeakerOptions configure a Speaker; all but Tell are required.
type SpeakerOptions struct {
	Recorder *trace.Recorder
	// Dial opens a connection to the relay.
	Dial func(context.Context) (net.Conn, error)
	// Where returns the view's position, as Describe does.
	Where func() view.Playback
	// Header describes the log.
	Header func() tracefile.Header
	// Clock is the real clock.
	Clock clock.PassiveClock
	// Sleep waits in real time until d has passed or ctx ends. A page uses the browser's timer: a timer of Go would disturb virtual time.
	Sleep func(ctx context.Context, d time.Duration) error
	// Tell is called when OnAir has changed.
	Tell func()
}

// OnAir is the state of a broadcast, for the speaker's page.
type OnAir struct {
	Offered   bool   `json:"offered"` // the server was started with --broadcast
	Phase     string `json:"phase" web:"|on|lost|taken|failed"`
	Path      string `json:"path"`      // of the audience's link, with its token
	Objects   bool   `json:"objects"`   // bodies of objects are sent
	Other     bool   `json:"other"`     // another page broadcasts
	Followers int    `json:"followers"` // by the relay's last count
	Segments  uint64 `json:"segments"`  // number of segments that the relay has
	Bytes     int64  `json:"bytes"`     // their size, compressed
	Seq       uint64 `json:"seq"`       // the newest event that the relay has
	Skipped   int    `json:"skipped"`   // how often a part of the log was lost before it could be sent
	Error     string `json:"error,omitempty"`
}

// Speaker sends the log and the page's position to the relay, for an audience.
type Speaker struct {
	o SpeakerOptions

	turn chan struct{} // one Begin or End at a time
	stop context.CancelFunc
	done chan struct{}

	mu        sync.Mutex
	onAir     OnAir
	page      json.RawMessage
	viewMoved bool
	cutter    *broadcast.Cutter
	last      position
}

// NewSpeaker returns a Speaker that does not broadcast yet.
func NewSpeaker(o SpeakerOptions) *Speaker {
	if o.Tell == nil {
		o.Tell = func() {}
	}
	return &Speaker{o: o, turn: make(chan struct{}, 1)}
}

// OnAir returns the state of the broadcast.
func (s *Speaker) OnAir() OnAir {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.onAir
}

func (s *Speaker) say(change func(*OnAir)) {
	s.mu.Lock()
	before := s.onAir
	change(&s.onAir)
	same := s.onAir == before
	s.mu.Unlock()
	if !same {
		s.o.Tell()
	}
}

// Page sets the page's own state, which is sent with its position. It refuses one that is too long, and keeps the previous one.
func (s *Speaker) Page(page json.RawMessage) error {
	if len(page) > maxPage {
		return fmt.Errorf("the page's position has %d bytes, and at most %d can be broadcast", len(page), maxPage)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page = page
	return nil
}

// Moved notes that the user moved the view, perhaps to where it was.
func (s *Speaker) Moved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewMoved = true
}

// transport returns the connections of one broadcast.
func (s *Speaker) transport() *http.Transport {
	return relayclient.NewHTTP2Transport(func(ctx context.Context, _, _ string) (net.Conn, error) { return s.o.Dial(ctx) })
}

// airError is a refusal by the relay.
type airError struct {
	status          int
	words           string
	expectedSegment uint64 // the segment that the relay expects instead of a refused one
}

func (e *airError) Error() string {
	if e.words == "" {
		return fmt.Sprintf("the relay answered %d %s", e.status, http.StatusText(e.status))
	}
	return e.words
}

// refusalStatus returns the status with which the relay refused, 0 if it did not.
func refusalStatus(err error) int {
	var refused *airError
	if errors.As(err, &refused) {
		return refused.status
	}
	return 0
}

// expectedSegment returns the segment that the relay expects instead of the one it refused; 0 if it named none.
func expectedSegment(err error) uint64 {
	var refused *airError
	if errors.As(err, &refused) {
		return refused.expectedSegment
	}
	return 0
}

// errAirSilent means that the relay did not answer in time.
var errAirSilent = fmt.Errorf("the relay did not answer within %s; this page tries again by itself", airPatience)

// explain returns, in words for the user, why the relay was not reached.
func explain(err error) string {
	if refusalStatus(err) != 0 || errors.Is(err, errAirSilent) {
		return err.Error()
	}
	return relayclient.Explain(err).Words
}

// ask sends a request about the broadcast to the relay, and decodes the answer into the last argument.
func (s *Speaker) ask(ctx context.Context, relay http.RoundTripper, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if s.o.Sleep(ctx, airPatience) == nil {
			cancel(errAirSilent)
		}
	}()
	req, err := http.NewRequestWithContext(ctx, method, "http://relay/broadcast"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := relay.RoundTrip(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		var status struct {
			Message  string `json:"message"`
			Error    string `json:"error"`
			Expected uint64 `json:"expected"`
		}
		_ = json.Unmarshal(text, &status) // without a JSON body the status is enough
		return &airError{resp.StatusCode, cmp.Or(status.Message, status.Error), status.Expected}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the relay's answer cannot be read: %w", err)
	}
	return nil
}

// offer is the relay's description of the broadcast.
type offer struct {
	On        bool   `json:"on"`
	Path      string `json:"path"`
	Objects   bool   `json:"objects"`
	Speaking  string `json:"speaking"`
	Followers int    `json:"followers"`
	Bytes     int64  `json:"bytes"`
}

// Look asks the relay whether it broadcasts, and for the number of followers.
func (s *Speaker) Look(ctx context.Context) (OnAir, error) {
	relay := s.transport()
	defer relay.CloseIdleConnections()
	if _, err := s.look(ctx, relay); err != nil {
		return s.OnAir(), errors.New(explain(err))
	}
	return s.OnAir(), nil
}

func (s *Speaker) look(ctx context.Context, relay http.RoundTripper) (offer, error) {
	var answer offer
	err := s.ask(ctx, relay, http.MethodGet, "", nil, &answer)
	switch refusalStatus(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusMethodNotAllowed: // a server without --broadcast, or an older one
		err, answer = nil, offer{}
	}
	if err != nil {
		return answer, err
	}
	s.say(func(a *OnAir) {
		a.Offered, a.Path, a.Objects, a.Followers, a.Bytes = answer.On, answer.Path, answer.Objects, answer.Followers, answer.Bytes
		a.Other = answer.Speaking != "" && a.Phase != AirOn && a.Phase != AirLost
	})
	return answer, nil
}

// Begin starts the broadcast. With take, it takes over from another page that broadcasts.
func (s *Speaker) Begin(ctx context.Context, take bool) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.stop != nil {
		select {
		case <-s.done: // it ended by itself
		default:
			return nil
		}
	}
	relay := s.transport()
	id, err := s.begin(ctx, relay, take)
	if err == nil {
		_, err = s.look(ctx, relay)
	}
	if err != nil {
		relay.CloseIdleConnections()
		switch refusalStatus(err) {
		case 0:
			return errors.New(explain(err))
		case http.StatusNotFound, http.StatusForbidden, http.StatusMethodNotAllowed:
			return errors.New("the server was started without --broadcast: restart it with --broadcast, and open the address that it prints")
		}
		return err
	}
	running, stop := context.WithCancel(context.Background())
	s.stop, s.done = stop, make(chan struct{})
	done := s.done
	s.say(func(a *OnAir) { a.Phase, a.Error, a.Other, a.Segments, a.Seq, a.Skipped = AirOn, "", false, 0, 0, 0 })
	var wg sync.WaitGroup
	wg.Go(func() { s.sample(running) })
	wg.Go(func() { s.count(running, relay) })
	go func() {
		s.send(running, relay, id)
		stop()
		wg.Wait()
		relay.CloseIdleConnections()
		close(done)
	}()
	return nil
}

// begin asks the relay to make this page the speaker, and sets up the cutter.
func (s *Speaker) begin(ctx context.Context, relay http.RoundTripper, take bool) (id string, err error) {
	h := s.o.Header()
	text, err := json.Marshal(map[string]any{"header": h, "take": take})
	if err != nil {
		return "", err
	}
	var begun struct {
		ID    string `json:"id"`
		First uint64 `json:"first"`
	}
	if err := s.ask(ctx, relay, http.MethodPost, "/begin", text, &begun); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := s.onAir.Objects
	s.cutter = broadcast.NewCutter(s.o.Recorder, broadcast.CutterOptions{First: begun.First, Bodies: objects, Clock: s.o.Clock})
	s.last = position{}
	return begun.ID, nil
}

// End ends the broadcast. It sends what is new first; the relay keeps everything as a recording.
func (s *Speaker) End(ctx context.Context) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.stop == nil {
		return nil
	}
	s.stop()
	<-s.done
	s.stop = nil
	s.say(func(a *OnAir) { a.Phase, a.Error = AirOff, "" })
	return nil
}

// sample samples the page's position until ctx ends.
func (s *Speaker) sample(ctx context.Context) {
	for s.o.Sleep(ctx, sampleEvery) == nil {
		s.position()
	}
}

// position adds the page's position to the broadcast, if it changed.
func (s *Speaker) position() {
	d := s.o.Where()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := position{Mode: d.Mode, Speed: d.Speed, Page: s.page}
	if d.Mode != "live" {
		now.Seq = d.Head - d.Behind
	}
	same := now.Mode == s.last.Mode && now.Speed == s.last.Speed && string(now.Page) == string(s.last.Page) &&
		(now.Mode != "paused" || now.Seq == s.last.Seq) && (now.Mode == "live" || !s.viewMoved)
	s.viewMoved = false
	if same || s.cutter == nil {
		return
	}
	s.last = now
	if now.Mode == "live" {
		now.Seq = d.Head
	}
	text, err := json.Marshal(now)
	if err != nil { // Page's caller passes valid JSON only
		return
	}
	_ = s.cutter.Position(text) // Page has checked the length
}

// count updates the number of followers until ctx ends.
func (s *Speaker) count(ctx context.Context, relay http.RoundTripper) {
	for s.o.Sleep(ctx, countEvery) == nil {
		_, _ = s.look(ctx, relay) // send notices when the relay is gone
	}
}

// send sends new events until ctx ends, then the rest, and then ends the broadcast. While the relay is away it cuts no segments: the log itself keeps the
// events meanwhile, as long as it can.
func (s *Speaker) send(ctx context.Context, relay http.RoundTripper, id string) {
	var left *broadcast.Segment // cut, but perhaps not received by the relay
	for wait := firstResend; ctx.Err() == nil; {
		if left == nil {
			seg, ok, err := s.cut(false)
			if err != nil {
				s.fail(err)
				return
			}
			if !ok {
				_ = s.o.Sleep(ctx, cutEvery)
				continue
			}
			left = &seg
		}
		switch err := s.post(ctx, relay, id, *left); {
		case ctx.Err() != nil:
		case err == nil, refusalStatus(err) == http.StatusConflict && expectedSegment(err) == left.N+1: // the segment had arrived, but not its answer
			s.noteSegment(*left)
			more := left.More
			left, wait = nil, firstResend
			if !more {
				_ = s.o.Sleep(ctx, cutEvery)
			}
		case refusalStatus(err) == http.StatusGone, refusalStatus(err) == http.StatusConflict:
			if id, err = s.beginAgain(ctx, relay); err != nil {
				return
			}
			left = nil
		case refusalStatus(err) != 0 && refusalStatus(err) < 500 && refusalStatus(err) != http.StatusTooManyRequests:
			s.fail(err)
			return
		default:
			s.noteLoss(err)
			_ = s.o.Sleep(ctx, wait)
			wait = min(2*wait, lastResend)
		}
	}
	s.finish(context.WithoutCancel(ctx), relay, id, left)
}

// finish sends the rest and ends the broadcast. It does not wait for a relay that is gone; followers see that nothing arrives.
func (s *Speaker) finish(ctx context.Context, relay http.RoundTripper, id string, left *broadcast.Segment) {
	for more := true; more || left != nil; {
		if left == nil {
			seg, ok, err := s.cut(true)
			if err != nil || !ok {
				break
			}
			left = &seg
		}
		if s.post(ctx, relay, id, *left) != nil {
			return
		}
		s.noteSegment(*left)
		more = left.More || !left.End
		left = nil
	}
	_ = s.ask(ctx, relay, http.MethodPost, "/end?id="+url.QueryEscape(id), nil, nil)
}

// noteSegment notes that the relay has a segment.
func (s *Speaker) noteSegment(seg broadcast.Segment) {
	about, _ := readAbout(seg.Bytes) // this process wrote it
	s.say(func(a *OnAir) {
		a.Phase, a.Error, a.Segments, a.Seq = AirOn, "", a.Segments+1, about.LastSeq
		if seg.Skipped > 0 {
			a.Skipped++
		}
	})
}

// cut cuts the next segment; with end, the last one.
func (s *Speaker) cut(end bool) (broadcast.Segment, bool, error) {
	s.position()
	s.mu.Lock()
	defer s.mu.Unlock()
	if end {
		return s.cutter.End()
	}
	return s.cutter.Cut()
}

func (s *Speaker) post(ctx context.Context, relay http.RoundTripper, id string, seg broadcast.Segment) error {
	return s.ask(ctx, relay, http.MethodPost, "/segments?id="+url.QueryEscape(id)+"&n="+strconv.FormatUint(seg.N, 10), seg.Bytes, nil)
}

// beginAgain begins again where the relay lost this broadcast, unless another page broadcasts there.
func (s *Speaker) beginAgain(ctx context.Context, relay http.RoundTripper) (id string, err error) {
	if id, err = s.begin(ctx, relay, false); err == nil {
		s.say(func(a *OnAir) { a.Skipped++ })
		return id, nil
	}
	if refusalStatus(err) == http.StatusConflict {
		s.say(func(a *OnAir) { a.Phase, a.Other = AirTaken, true })
		return "", err
	}
	if ctx.Err() == nil {
		s.fail(err)
	}
	return "", err
}

func (s *Speaker) fail(err error) {
	s.say(func(a *OnAir) { a.Phase, a.Error = AirFailed, err.Error() })
}

func (s *Speaker) noteLoss(err error) {
	words := explain(err)
	s.say(func(a *OnAir) { a.Phase, a.Error = AirLost, words })
}
