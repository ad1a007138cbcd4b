package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/relayclient"
	"informerscope/core/selection"
	"informerscope/core/trace"
	"informerscope/core/vclock"
)

const (
	firstRedial = 500 * time.Millisecond
	lastRedial  = 8 * time.Second
	// maxAttachedLine bounds a line of a stream: a baseline may have all keys of a store in one line.
	maxAttachedLine   = 128 << 20
	maxAttachedHeader = 1 << 20
	// atOnce is how many events are appended together, at most.
	atOnce = 4096
	// Bounds of a baseline: its events, their bytes, and the time until it is complete.
	maxBaselineEvents = 4096
	maxBaselineBytes  = 256 << 20
	baselinePatience  = 2 * time.Minute
	// maxAttachedInformers is how many informers of a process a menu lists, at most.
	maxAttachedInformers = 256
	// turnBytes is how many bytes of a stream are read before the reader yields to other work.
	turnBytes = 64 << 10
)

// Attached describes the attached process, for the page's menu.
type Attached struct {
	Offered   bool               `json:"offered"` // the server was started with --attach
	ClientGo  string             `json:"clientGo"`
	Informers []AttachedInformer `json:"informers"`
	Error     string             `json:"error,omitempty"` // why it cannot be reached now
}

// AttachedInformer is an informer of the attached process.
type AttachedInformer struct {
	Name    string            `json:"name"` // its resource, with the group if any
	Synced  bool              `json:"synced"`
	Objects int               `json:"objects"`
	Off     map[string]string `json:"off,omitempty"` // layers of the probe that are off, with the reason
}

// Attached asks the relay which informers the attached process has.
func (l *Lab) Attached(ctx context.Context) Attached {
	out := Attached{Informers: []AttachedInformer{}}
	if l.audience || l.dial == nil {
		return out
	}
	t, disconnect := relayclient.NewTransport(l.dialRelay)
	defer disconnect()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	resp, err := relayclient.OpenProbe(ctx, t, "")
	var no *relayclient.ProbeError
	switch {
	case errors.As(err, &no) && no.Status == http.StatusNotFound:
		return out
	case err != nil:
		out.Offered, out.Error = true, err.Error()
		return out
	}
	defer resp.Body.Close()
	out.Offered = true
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&out); err != nil {
		out.Error = fmt.Sprintf("What the attached process has cannot be read: %v", err)
	}
	if n := len(out.Informers); n > maxAttachedInformers {
		out.Error = fmt.Sprintf("The attached process has %d informers, and at most %d can be listed: let its probe watch fewer.", n, maxAttachedInformers)
		out.Informers = nil
	}
	if out.Informers == nil {
		out.Informers = []AttachedInformer{}
	}
	return out
}

// Attach ends the experiment and shows informers of the attached process instead: the named ones, separated by commas, or all. The log continues until
// something else is selected. If the process goes away, the log records that, and the lab reconnects with a backoff. If the process cannot be reached now,
// Attach returns an error, and nothing changes.
func (l *Lab) Attach(ctx context.Context, informers string) (trace.Selection, error) {
	switch {
	case l.audience:
		return l.Selection(), ErrAudience
	case l.dial == nil:
		return l.Selection(), errors.New("there is no server behind this page, so no process can be attached; " +
			"start informerscope's server with --attach and open the address it prints")
	}
	a := newAttached(l, informers)
	if err := a.begin(ctx); err != nil {
		a.stop()
		return l.Selection(), err
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.halt()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		a.stop()
		return l.selection, errClosed
	}
	l.supersede()
	l.stopSource()
	l.attached = a
	l.selection = a.header.Selection
	l.rec.Reset()
	a.follow()
	return l.selection, nil
}

// attached follows a probe's stream, over its own connections to the relay.
type attached struct {
	rec        *trace.Recorder
	clock      clock.WithTicker
	yield      func()
	rt         *http.Transport
	path       string
	ctx        context.Context
	end        func()
	disconnect func()
	done       sync.WaitGroup

	header trace.Header
	stream *attachedStream
	said   string // the last trouble that was logged
}

// attachedStream is one answer of a probe.
type attachedStream struct {
	body        io.Closer
	lines       *trace.LineReader
	dec         *trace.LineDecoder
	held        []trace.Event // events of a baseline that is not complete
	bytes       int           // their size
	left        int           // number of its lanes that are missing
	whole       chan struct{} // closed when the awaited baseline is complete; nil: none is awaited
	hasBaseline bool
	isLate      atomic.Bool // the baseline did not complete in time
	// shift is added to the stream's times; known once an event arrived.
	shift   time.Duration
	shifted bool
}

func newAttached(l *Lab, informers string) *attached {
	path := "stream"
	if informers != "" {
		path += "?" + url.Values{"informers": {informers}}.Encode()
	}
	t, disconnect := relayclient.NewTransport(l.dialRelay)
	a := &attached{rec: l.rec, clock: l.clock, yield: l.yield, rt: t, path: path, disconnect: disconnect}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a
}

// begin opens the stream and reads its header. ctx bounds only that.
func (a *attached) begin(ctx context.Context) error {
	opening, end := context.WithCancel(a.ctx)
	unbound := context.AfterFunc(ctx, end)
	resp, err := relayclient.OpenProbe(opening, a.rt, a.path)
	if err != nil {
		unbound()
		end()
		return err
	}
	s := &attachedStream{body: ended{resp.Body, end}, dec: trace.NewLineDecoder(parseObject),
		lines: &trace.LineReader{In: bufio.NewReaderSize(resp.Body, 64<<10), Max: maxAttachedHeader}}
	s.dec.SkipUnknown = true
	s.dec.Turn(a.yield)
	line, err := s.lines.Next()
	var header trace.Header
	if err == nil {
		header, err = trace.ParseHeader(line)
	}
	worked := 0
	s.lines.Max, s.lines.Read = maxAttachedLine, func(n int) {
		if worked += n; worked >= turnBytes {
			worked = 0
			a.yield()
		}
	}
	if !unbound() && err == nil { // ctx ended, and ended the request
		err = ctx.Err()
	}
	if err != nil {
		resp.Body.Close()
		end()
		return &relayclient.ProbeError{Trouble: damagedStream(err)}
	}
	a.header = header
	a.header.Selection.Source = selection.SourceProbe
	a.stream = s
	return nil
}

// ended is a body that ends its request when it is closed.
type ended struct {
	io.Closer
	end func()
}

// Close implements io.Closer.
func (e ended) Close() error {
	e.end()
	return e.Closer.Close()
}

func damagedStream(err error) relayclient.Trouble {
	return relayclient.Trouble{Cause: "probe-refused", Err: err, Words: fmt.Sprintf("The stream of the attached process cannot be read: %v.", err)}
}

// follow reads the stream, and any later ones, until stop.
func (a *attached) follow() { a.done.Go(a.run) }

// stop ends the following, and returns when its goroutines have ended.
func (a *attached) stop() {
	a.end()
	a.disconnect()
	a.done.Wait()
	if a.stream != nil {
		a.stream.body.Close()
	}
}

func (a *attached) run() {
	for wait := firstRedial; a.ctx.Err() == nil; {
		err := a.read()
		if a.ctx.Err() != nil {
			return
		}
		a.stream.body.Close()
		if a.stream.hasBaseline {
			wait = firstRedial
		}
		if a.stream.isLate.Load() {
			a.tell(relayclient.Trouble{Cause: "probe-refused", Err: err, Words: fmt.Sprintf("The attached process has not sent its whole state within %v. "+
				"This page tries again by itself.", baselinePatience)})
		} else if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			a.tell(relayclient.Trouble{Cause: "probe-gone", Err: err,
				Words: "The attached process ended, or the connection to it broke. This page tries again by itself."})
		} else if damaged := (*relayclient.ProbeError)(nil); errors.As(err, &damaged) {
			a.tell(damaged.Trouble)
		} else {
			a.tell(relayclient.Trouble{Cause: "probe-gone", Err: err, Words: "The connection to the attached process broke. This page tries again by itself."})
		}
		for a.ctx.Err() == nil {
			if vclock.Sleep(a.ctx, a.clock, wait) != nil {
				return
			}
			wait = min(2*wait, lastRedial)
			opening, cancel := context.WithTimeout(a.ctx, clusterPatience)
			err := a.begin(opening)
			cancel()
			if err == nil {
				break
			}
			if no := (*relayclient.ProbeError)(nil); errors.As(err, &no) && a.ctx.Err() == nil {
				is := no.Trouble
				is.Words = strings.TrimSuffix(is.Words, ".") + ". This page tries again by itself."
				a.tell(is)
			}
		}
	}
}

// tell logs a trouble, if it differs from the last one.
func (a *attached) tell(is relayclient.Trouble) {
	if is.Words == a.said {
		return
	}
	a.said = is.Words
	lanes := 1
	if len(a.header.Selection.Resources) > 0 {
		lanes = len(a.header.Selection.Lanes())
	}
	for lane := range lanes {
		a.rec.Emit(uint8(lane), is.Event())
	}
}

// read appends the stream's events to the log until the stream ends.
func (a *attached) read() error {
	s := a.stream
	a.await(s)
	defer s.endWait()
	for {
		events, err := s.next(a)
		if err := a.extend(events); err != nil {
			return &relayclient.ProbeError{Trouble: damagedStream(err)}
		}
		if err != nil {
			return err
		}
	}
}

// await starts the time limit of a baseline, once its header or its first event has arrived.
func (a *attached) await(s *attachedStream) {
	if s.whole != nil {
		return
	}
	whole := make(chan struct{})
	s.whole = whole
	a.done.Go(func() {
		timer := a.clock.NewTimer(baselinePatience)
		defer timer.Stop()
		select {
		case <-timer.C():
			s.isLate.Store(true)
			s.body.Close()
		case <-whole:
		case <-a.ctx.Done():
		}
	})
}

// endWait ends the time limit of a baseline.
func (s *attachedStream) endWait() {
	if s.whole != nil {
		close(s.whole)
		s.whole = nil
	}
}

// extend moves the events' times to the log's clock, and appends them.
func (a *attached) extend(events []trace.Event) error {
	if len(events) == 0 {
		return nil
	}
	s := a.stream
	seq, at := a.rec.Head()
	if !s.shifted {
		s.shifted = true
		if seq > 0 { // an earlier stream's events precede it
			s.shift = max(a.rec.Now(), at) - events[0].At
		}
		a.said = "" // a baseline carries the current trouble
	}
	for i := range events {
		events[i].At = min(events[i].At+s.shift, trace.MaxTime)
	}
	return a.rec.Append(events)
}

// next waits for the next event, and returns it with those that arrived with it. A baseline is returned as a whole.
func (s *attachedStream) next(a *attached) ([]trace.Event, error) {
	var out []trace.Event
	for {
		line, err := s.lines.Next()
		if wrong := (*trace.LineError)(nil); errors.As(err, &wrong) {
			return out, &relayclient.ProbeError{Trouble: damagedStream(err)}
		} else if err != nil {
			return out, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, err := s.dec.Line(line)
			if err == nil && e != nil {
				if e.Kind == trace.KindSelected {
					a.await(s)
				}
				out, err = s.take(out, e)
			}
			if err != nil {
				return out, &relayclient.ProbeError{Trouble: damagedStream(err)}
			}
		}
		if ahead, _ := s.lines.In.Peek(s.lines.In.Buffered()); len(out) > 0 && (len(out) >= atOnce || bytes.IndexByte(ahead, '\n') < 0) {
			return out, nil
		}
	}
}

// take adds an event to those that are ready, or holds it back until its baseline is complete.
func (s *attachedStream) take(out []trace.Event, e *trace.Event) ([]trace.Event, error) {
	switch {
	case e.Kind == trace.KindSelected:
		e.Text = selection.ReplaceSource(e.Text, selection.SourceProbe)
		var sel trace.Selection
		_ = json.Unmarshal([]byte(e.Text), &sel) // an unreadable selection counts as one lane
		s.left = len(sel.Lanes())
	case s.left == 0:
		return append(out, *e), nil
	case e.Kind == trace.KindRestored:
		s.left--
	}
	s.bytes += e.Bytes()
	if s.held = append(s.held, *e); len(s.held) > maxBaselineEvents || s.bytes > maxBaselineBytes {
		s.held = nil
		return out, fmt.Errorf("its state has more than %d events or %d bytes, and is not complete: attach to fewer informers", maxBaselineEvents, maxBaselineBytes)
	}
	if s.left > 0 {
		return out, nil
	}
	out = append(out, s.held...)
	s.held, s.bytes, s.hasBaseline = nil, 0, true
	s.endWait()
	return out, nil
}
