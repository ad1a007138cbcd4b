package attached

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/core/words/vclock"
)

const (
	firstRedial = 500 * time.Millisecond
	lastRedial  = 8 * time.Second
	// maxLine bounds a line of a stream: a baseline may have all keys of a store in one line.
	maxLine   = 128 << 20
	maxHeader = 1 << 20
	// atOnce is how many events are appended together, at most.
	atOnce = 4096
	// Bounds of a baseline: its events, their bytes, and the time until it is complete.
	maxBaselineEvents = 4096
	maxBaselineBytes  = 256 << 20
	baselinePatience  = 2 * time.Minute
	// openPatience is how long a process may take to answer again.
	openPatience = 30 * time.Second
	// usualDelay is how late a stream's events arrive, at most, as a rule: the probe writes them 20 times a second.
	usualDelay = 150 * time.Millisecond
	// turnBytes is how many bytes of a stream are read before the reader yields to other work.
	turnBytes = 64 << 10
)

// Options configure a Follower; all are required.
type Options struct {
	Recorder *trace.Recorder // receives the events, from Follow on
	Clock    clock.WithTicker
	// Yield lets the program's other work run.
	Yield func()
	// Dial opens a connection to the relay.
	Dial func(context.Context) (net.Conn, error)
}

// Follower extends a log with a probe's stream, over its own connections to the relay. If the process goes away, the log records that, and the Follower
// reconnects with a backoff.
type Follower struct {
	o          Options
	rt         *http.Transport
	path       string
	ctx        context.Context
	end        func()
	disconnect func()
	done       sync.WaitGroup

	header  tracefile.Header
	stream  *stream
	trouble string // the last one that was logged, in words
}

// stream is one answer of a probe.
type stream struct {
	body        io.Closer
	lines       *tracefile.LineReader
	dec         *tracefile.LineDecoder
	baseline    []event.Entry // events of a baseline that is not complete
	bytes       int           // their size
	missing     int           // number of its lanes that are missing
	complete    chan struct{} // closed when the awaited baseline is complete; nil: none is awaited
	hasBaseline bool
	isLate      atomic.Bool // the baseline did not complete in time
	// shift is added to the stream's times; known once an event arrived.
	shift   time.Duration
	shifted bool
}

// Open opens the stream of informers of the attached process: the named ones, separated by commas, or all. ctx bounds only that. The caller must stop the
// Follower.
func Open(ctx context.Context, o Options, informers string) (*Follower, error) {
	path := "stream"
	if informers != "" {
		path += "?" + url.Values{"informers": {informers}}.Encode()
	}
	t, disconnect := relayclient.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) { return o.Dial(ctx) })
	f := &Follower{o: o, rt: t, path: path, disconnect: disconnect}
	f.ctx, f.end = context.WithCancel(context.Background())
	if err := f.begin(ctx); err != nil {
		f.Stop()
		return nil, err
	}
	return f, nil
}

// Selection returns what the process watches.
func (f *Follower) Selection() event.Selection { return f.header.Selection }

// begin opens the stream and reads its header. ctx bounds only that.
func (f *Follower) begin(ctx context.Context) error {
	opening, end := context.WithCancel(f.ctx)
	unbound := context.AfterFunc(ctx, end)
	resp, err := relayclient.OpenProbe(opening, f.rt, f.path)
	if err != nil {
		unbound()
		end()
		return err
	}
	s := &stream{body: requestBody{resp.Body, end}, dec: tracefile.NewLineDecoder(func(raw []byte) (any, error) { return object.Parse(raw) }),
		lines: &tracefile.LineReader{In: bufio.NewReaderSize(resp.Body, 64<<10), Max: maxHeader}}
	s.dec.SkipUnknown = true
	s.dec.Turn(f.o.Yield)
	line, err := s.lines.Next()
	var header tracefile.Header
	if err == nil {
		header, err = tracefile.ParseHeader(line)
	}
	worked := 0
	s.lines.Max, s.lines.Read = maxLine, func(n int) {
		if worked += n; worked >= turnBytes {
			worked = 0
			f.o.Yield()
		}
	}
	if !unbound() && err == nil { // ctx ended, and ended the request
		err = ctx.Err()
	}
	if err != nil {
		resp.Body.Close()
		end()
		return &relayclient.ProbeError{Trouble: explainDamage(err)}
	}
	f.header = header
	f.header.Selection.Source = event.SourceProbe
	f.stream = s
	return nil
}

// requestBody is a body that ends its request when it is closed.
type requestBody struct {
	io.Closer
	end func()
}

// Close implements io.Closer.
func (e requestBody) Close() error {
	e.end()
	return e.Closer.Close()
}

func explainDamage(err error) relayclient.Trouble {
	return relayclient.Trouble{Cause: "probe-refused", Err: err, Words: fmt.Sprintf("The stream of the attached process cannot be read: %v.", err)}
}

// Follow reads the stream, and any later ones, until Stop.
func (f *Follower) Follow() { f.done.Go(f.run) }

// Stop ends the following, and returns when its goroutines have ended.
func (f *Follower) Stop() {
	f.end()
	f.disconnect()
	f.done.Wait()
	if f.stream != nil {
		f.stream.body.Close()
	}
}

func (f *Follower) run() {
	for wait := firstRedial; f.ctx.Err() == nil; {
		err := f.read()
		if f.ctx.Err() != nil {
			return
		}
		f.stream.body.Close()
		if f.stream.hasBaseline {
			wait = firstRedial
		}
		if f.stream.isLate.Load() {
			f.report(relayclient.Trouble{Cause: "probe-refused", Err: err, Words: fmt.Sprintf("The attached process has not sent its whole state within %v. "+
				"This page tries again by itself.", baselinePatience)})
		} else if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			f.report(relayclient.Trouble{Cause: "probe-gone", Err: err,
				Words: "The attached process ended, or the connection to it broke. This page tries again by itself."})
		} else if damaged := (*relayclient.ProbeError)(nil); errors.As(err, &damaged) {
			f.report(damaged.Trouble)
		} else {
			f.report(relayclient.Trouble{Cause: "probe-gone", Err: err, Words: "The connection to the attached process broke. This page tries again by itself."})
		}
		for f.ctx.Err() == nil {
			if vclock.Sleep(f.ctx, f.o.Clock, wait) != nil {
				return
			}
			wait = min(2*wait, lastRedial)
			opening, cancel := context.WithTimeout(f.ctx, openPatience)
			err := f.begin(opening)
			cancel()
			if err == nil {
				break
			}
			if no := (*relayclient.ProbeError)(nil); errors.As(err, &no) && f.ctx.Err() == nil {
				is := no.Trouble
				is.Words = strings.TrimSuffix(is.Words, ".") + ". This page tries again by itself."
				f.report(is)
			}
		}
	}
}

// report logs a trouble, if it differs from the last one.
func (f *Follower) report(is relayclient.Trouble) {
	if is.Words == f.trouble {
		return
	}
	f.trouble = is.Words
	lanes := 1
	if len(f.header.Selection.Resources) > 0 {
		lanes = len(f.header.Selection.Lanes())
	}
	for lane := range lanes {
		f.o.Recorder.Emit(uint8(lane), is.Event())
	}
}

// read appends the stream's events to the log until the stream ends.
func (f *Follower) read() error {
	s := f.stream
	f.await(s)
	defer s.endWait()
	for {
		events, err := s.next(f)
		if err := f.extend(events); err != nil {
			return &relayclient.ProbeError{Trouble: explainDamage(err)}
		}
		if err != nil {
			return err
		}
	}
}

// await starts the time limit of a baseline, once its header or its first event has arrived.
func (f *Follower) await(s *stream) {
	if s.complete != nil {
		return
	}
	complete := make(chan struct{})
	s.complete = complete
	f.done.Go(func() {
		timer := f.o.Clock.NewTimer(baselinePatience)
		defer timer.Stop()
		select {
		case <-timer.C():
			s.isLate.Store(true)
			s.body.Close()
		case <-complete:
		case <-f.ctx.Done():
		}
	})
}

// endWait ends the time limit of a baseline.
func (s *stream) endWait() {
	if s.complete != nil {
		close(s.complete)
		s.complete = nil
	}
}

// extend moves the events' times to the log's clock, and appends them.
func (f *Follower) extend(events []event.Entry) error {
	if len(events) == 0 {
		return nil
	}
	s := f.stream
	seq, at := f.o.Recorder.Head()
	if !s.shifted {
		s.shifted = true
		if seq > 0 { // an earlier stream's events precede it
			s.shift = max(f.o.Recorder.Now(), at) - events[0].At
		}
		f.trouble = "" // a baseline carries the current trouble
	}
	for i := range events {
		events[i].At = min(events[i].At+s.shift, tracefile.MaxTime)
	}
	return f.o.Recorder.AppendLate(events, usualDelay)
}

// next waits for the next event, and returns it with those that arrived with it. A baseline is returned as a whole.
func (s *stream) next(f *Follower) ([]event.Entry, error) {
	var out []event.Entry
	for {
		line, err := s.lines.Next()
		if wrong := (*tracefile.LineError)(nil); errors.As(err, &wrong) {
			return out, &relayclient.ProbeError{Trouble: explainDamage(err)}
		} else if err != nil {
			return out, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, err := s.dec.Line(line)
			if err == nil && e != nil {
				if e.Kind == event.KindSelected {
					f.await(s)
				}
				out, err = s.take(out, e)
			}
			if err != nil {
				return out, &relayclient.ProbeError{Trouble: explainDamage(err)}
			}
		}
		if ahead, _ := s.lines.In.Peek(s.lines.In.Buffered()); len(out) > 0 && (len(out) >= atOnce || bytes.IndexByte(ahead, '\n') < 0) {
			return out, nil
		}
	}
}

// take adds an event to those that are ready, or holds it back until its baseline is complete.
func (s *stream) take(out []event.Entry, e *event.Entry) ([]event.Entry, error) {
	switch {
	case e.Kind == event.KindSelected:
		selected := e.Selected()
		e.Event = selected.ReplaceSource(event.SourceProbe).Event()
		var sel event.Selection
		_ = json.Unmarshal([]byte(selected.Selection), &sel) // an unreadable selection counts as one lane
		s.missing = len(sel.Lanes())
	case s.missing == 0:
		return append(out, *e), nil
	case e.Kind == event.KindRestored:
		s.missing--
	}
	s.bytes += e.Bytes()
	if s.baseline = append(s.baseline, *e); len(s.baseline) > maxBaselineEvents || s.bytes > maxBaselineBytes {
		s.baseline = nil
		return out, fmt.Errorf("its state has more than %d events or %d bytes, and is not complete: attach to fewer informers", maxBaselineEvents, maxBaselineBytes)
	}
	if s.missing > 0 {
		return out, nil
	}
	out = append(out, s.baseline...)
	s.baseline, s.bytes, s.hasBaseline = nil, 0, true
	s.endWait()
	return out, nil
}
