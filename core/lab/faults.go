package lab

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/utils/clock"

	"informerscope/core/informer"
	"informerscope/core/object"
	"informerscope/core/trace"
)

// slowPace is what a handler takes for a call while the fault "slow" is on.
const slowPace = 120 * time.Millisecond

// FaultArgs are the arguments of a fault; each may be left out.
type FaultArgs struct {
	// On sets a held fault; nil switches it.
	On *bool `json:"on"`
	// Millis is the length of "delay"; 0 means 400.
	Millis int `json:"millis"`
	// Count is how many requests get the answer of "410", "429" or "500"; 0 means 1.
	Count int `json:"count"`
}

// faults are errors made in the client's own stack: in its connections, in
// its requests and in the bodies that it reads. They touch nobody else, and
// are real errors to the code above.
type faults struct {
	emit func(informer.Event)

	mu          sync.Mutex
	clock       clock.Clock
	made        uint64 // connections and bodies, ever
	refuse      bool
	noBookmarks bool
	noEndMark   bool
	delay       time.Duration
	answers     []int                 // status codes that the next LISTs and WATCHes get
	refusal     int                   // the one that the next write gets
	conns       map[*faultConn]uint64 // by when they were made
	bodies      map[*watchBody]uint64
}

func newFaults(c clock.Clock, emit func(informer.Event)) *faults {
	return &faults{clock: c, emit: emit, conns: map[*faultConn]uint64{}, bodies: map[*watchBody]uint64{}}
}

// strike makes a fault happen, or switches a held one. It reports whether the fault is on now.
func (f *faults) strike(name string, args FaultArgs) (bool, error) {
	toggle := func(now bool) bool {
		if args.On != nil {
			return *args.On
		}
		return !now
	}
	switch name {
	case "cut":
		f.mu.Lock()
		struck := f.struckByCut()
		f.mu.Unlock()
		f.tell(name, false, 0, struck)
		f.cutAll()
		return false, nil
	case "refuse", "nobookmarks", "noendmark":
		held := map[string]*bool{"refuse": &f.refuse, "nobookmarks": &f.noBookmarks, "noendmark": &f.noEndMark}[name]
		f.mu.Lock()
		*held = toggle(*held)
		on, struck := *held, 0
		if on && name == "refuse" {
			struck = f.struckByCut()
		}
		f.mu.Unlock()
		f.tell(name, on, 0, struck)
		if on && name == "refuse" {
			f.cutAll()
		}
		return on, nil
	case "delay":
		f.mu.Lock()
		on := toggle(f.delay > 0)
		f.delay = 0
		if on {
			f.delay = 400 * time.Millisecond
			if args.Millis > 0 {
				f.delay = min(time.Duration(args.Millis)*time.Millisecond, time.Minute)
			}
		}
		d := f.delay
		f.mu.Unlock()
		f.tell(name, on, d, 0)
		return on, nil
	case "410", "429", "500":
		code, _ := strconv.Atoi(name)
		f.answer(code, max(1, min(args.Count, 100)))
		return false, nil
	}
	return false, fmt.Errorf("unknown fault %q: choose cut, refuse, 410, 429, 500, delay, nobookmarks, noendmark, slow, compact or restart", name)
}

// tell emits a fault that was switched or struck, and how much it struck.
func (f *faults) tell(name string, on bool, d time.Duration, struck int) {
	f.emit(informer.Event{Kind: trace.KindFault, Text: name, Flag: on, Dur: d, N: struck})
}

// struckByCut is how many open watches break with their connections, and at least each connection. f.mu is held.
func (f *faults) struckByCut() int { return max(len(f.bodies), len(f.conns)) }

// begin serves an experiment on c: what was to strike the last one's requests is forgotten.
func (f *faults) begin(c clock.Clock) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock, f.answers, f.refusal = c, nil, 0
}

// held are the faults that are on, as steps of a story.
func (f *faults) held() (steps []step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range []struct {
		name string
		on   bool
	}{{"refuse", f.refuse}, {"nobookmarks", f.noBookmarks}, {"noendmark", f.noEndMark}} {
		if h.on {
			steps = append(steps, newStep("fault", h.name, "on"))
		}
	}
	if f.delay > 0 {
		steps = append(steps, newStep("fault", "delay", "on", f.delay.Milliseconds()))
	}
	return steps
}

// restate emits every fault that is on.
func (f *faults) restate() {
	f.mu.Lock()
	on := map[string]bool{"refuse": f.refuse, "nobookmarks": f.noBookmarks, "noendmark": f.noEndMark, "delay": f.delay > 0}
	d := f.delay
	f.mu.Unlock()
	for _, name := range []string{"refuse", "nobookmarks", "noendmark", "delay"} {
		if on[name] {
			f.tell(name, true, map[bool]time.Duration{true: d}[name == "delay"], 0)
		}
	}
}

// cutAll breaks every open connection.
func (f *faults) cutAll() {
	f.mu.Lock()
	conns := byAge(f.conns)
	f.mu.Unlock()
	for _, c := range conns {
		c.cut()
	}
}

// answer gives code to the open watches as an ERROR frame, to the next
// requests when more are asked for than there are watches, and to the next
// write, for which only 410 is no answer.
func (f *faults) answer(code, count int) {
	f.mu.Lock()
	bodies := byAge(f.bodies)
	if len(bodies) > 0 {
		count--
	}
	if code != http.StatusGone {
		f.refusal = code
	}
	for range count {
		f.answers = append(f.answers, code)
	}
	f.mu.Unlock()
	f.tell(strconv.Itoa(code), false, 0, len(bodies))
	frame := append(append([]byte(`{"type":"ERROR","object":`), statusJSON(code)...), "}\n"...)
	for _, b := range bodies {
		b.end(frame)
	}
}

// byAge are the keys of m, oldest first.
func byAge[K comparable](m map[K]uint64) []K {
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int { return cmp.Compare(m[a], m[b]) })
}

// statusJSON is the metav1.Status an API server sends with code.
func statusJSON(code int) []byte {
	reason, message, details := "InternalError", "Internal error occurred: a fault of the client's own making", ""
	switch code {
	case http.StatusGone:
		reason, message = "Expired", "too old resource version: a fault of the client's own making"
	case http.StatusTooManyRequests:
		reason, message = "TooManyRequests", "too many requests: a fault of the client's own making"
		details = `"details":{"retryAfterSeconds":1},`
	}
	return fmt.Appendf(nil, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,%s"code":%d}`, message, reason, details, code)
}

// dialer wraps dial with the faults of connections.
func (f *faults) dialer(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		f.mu.Lock()
		refuse := f.refuse
		f.mu.Unlock()
		if refuse {
			f.tell("refuse", true, 0, 1)
			return nil, ownError{refused(network)}
		}
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := &faultConn{Conn: conn, f: f}
		f.mu.Lock()
		f.made++
		f.conns[c] = f.made
		f.mu.Unlock()
		return c, nil
	}
}

// ownError is an error that a fault made: nobody else is to blame for it.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

// refused is the error of a dial to a port where nobody listens.
func refused(network string) error {
	return &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// faultConn is a connection that can be cut: from then on it is as if the peer had reset it.
type faultConn struct {
	net.Conn
	f *faults

	mu    sync.Mutex
	reset bool
}

func (c *faultConn) cut() {
	c.mu.Lock()
	c.reset = true
	c.mu.Unlock()
	_ = c.Close()
}

func (c *faultConn) wasReset() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reset
}

func (c *faultConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.wasReset() {
		err = ownError{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}
	}
	return n, err
}

func (c *faultConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil && c.wasReset() {
		err = ownError{&net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}}
	}
	return n, err
}

func (c *faultConn) Close() error {
	c.f.mu.Lock()
	delete(c.f.conns, c)
	c.f.mu.Unlock()
	return c.Conn.Close()
}

// transport wraps next with the faults of requests and of watch bodies.
func (f *faults) transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		f.mu.Lock()
		delay, code, clock := f.delay, 0, f.clock
		if req.Method != http.MethodGet {
			code, f.refusal = f.refusal, 0
		} else if len(f.answers) > 0 {
			code, f.answers = f.answers[0], f.answers[1:]
		}
		f.mu.Unlock()
		if delay > 0 {
			if err := sleep(req.Context(), clock, delay); err != nil {
				return nil, err
			}
		}
		if code != 0 {
			f.tell(strconv.Itoa(code), false, 0, 1)
			return answered(req, code), nil
		}
		resp, err := next.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK || !watches(req) {
			return resp, err
		}
		resp.Body = f.watch(resp.Body)
		return resp, nil
	})
}

func watches(req *http.Request) bool {
	on, _ := strconv.ParseBool(req.URL.Query().Get("watch"))
	return on
}

func answered(req *http.Request, code int) *http.Response {
	body := statusJSON(code)
	resp := &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)),
		Proto: "HTTP/2.0", ProtoMajor: 2, Request: req,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
	if code == http.StatusTooManyRequests {
		resp.Header.Set("Retry-After", "1")
	}
	return resp
}

type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return rt(req) }

// watchBody stands between a watch response and its reader. A goroutine of
// its own reads the response, so that an ERROR frame can end the stream while
// nothing arrives; Close ends it.
type watchBody struct {
	f      *faults
	src    io.ReadCloser
	closed chan struct{} // the reader is gone

	mu       sync.Mutex
	cond     sync.Cond
	buf      []byte // ready for the reader
	midFrame bool   // what was passed on so far ends inside a frame
	last     []byte // a frame to end with, once the frame that is passing is whole
	err      error  // what the reader gets after buf
	done     bool   // the reader is gone, or nothing more is to come
	line     []byte // a frame that is being looked at before it may pass
}

// maxAhead bounds what a watchBody holds for a slow reader; then it stops reading.
const maxAhead = 64 << 10

func (f *faults) watch(src io.ReadCloser) io.ReadCloser {
	b := &watchBody{f: f, src: src, closed: make(chan struct{})}
	b.cond.L = &b.mu
	f.mu.Lock()
	f.made++
	f.bodies[b] = f.made
	f.mu.Unlock()
	go b.pump()
	return b
}

func (b *watchBody) pump() {
	chunk := make([]byte, 32<<10)
	for {
		n, err := b.src.Read(chunk)
		b.f.mu.Lock()
		delay, clock := b.f.delay, b.f.clock
		filter := b.f.noBookmarks || b.f.noEndMark
		b.f.mu.Unlock()
		if delay > 0 && n > 0 {
			select {
			case <-clock.After(delay):
			case <-b.closed:
			}
		}
		b.mu.Lock()
		if b.done {
			b.mu.Unlock()
			return
		}
		b.pass(chunk[:n], filter)
		if err != nil && !b.done {
			b.buf = append(b.buf, b.line...)
			b.finish(err)
		}
		for len(b.buf) > maxAhead && !b.done {
			b.cond.Broadcast()
			b.cond.Wait()
		}
		over := b.done
		b.cond.Broadcast()
		b.mu.Unlock()
		if over {
			return
		}
	}
}

// pass hands p on. An API server ends every frame with a newline, and a
// newline inside a JSON string is escaped, so a newline is a boundary.
func (b *watchBody) pass(p []byte, filter bool) {
	for len(p) > 0 && !b.done {
		end := bytes.IndexByte(p, '\n') + 1
		looking := len(b.line) > 0 || (filter && !b.midFrame)
		switch {
		case !looking && b.last == nil && !filter:
			// The common way: nothing to look at, the whole chunk passes.
			b.buf = append(b.buf, p...)
			b.midFrame = p[len(p)-1] != '\n'
			return
		case end == 0:
			if looking {
				b.line = append(b.line, p...)
			} else {
				b.buf = append(b.buf, p...)
				b.midFrame = true
			}
			return
		case looking:
			b.line = append(b.line, p[:end]...)
			if !b.withheld(b.line) {
				b.buf = append(b.buf, b.line...)
			}
			b.line = b.line[:0]
		default:
			b.buf = append(b.buf, p[:end]...)
		}
		b.midFrame = false
		p = p[end:]
		if b.last != nil {
			b.buf = append(b.buf, b.last...)
			b.finish(io.EOF)
		}
	}
}

func (b *watchBody) withheld(frame []byte) bool {
	typ, obj, err := object.ParseWatchEvent(frame)
	if err != nil || typ != "BOOKMARK" {
		return false
	}
	endMark := gjson.GetBytes(obj, `metadata.annotations.k8s\.io/initial-events-end`).String() == "true"
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	return endMark && b.f.noEndMark || !endMark && b.f.noBookmarks
}

// finish makes err what the reader gets after what is ready. mu is held.
func (b *watchBody) finish(err error) {
	b.err, b.done, b.line = err, true, nil
	b.cond.Broadcast()
	b.f.forget(b)
}

func (f *faults) forget(b *watchBody) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.bodies, b)
}

// end ends the stream with a last frame.
func (b *watchBody) end(frame []byte) {
	b.mu.Lock()
	switch {
	case b.done:
	case b.midFrame || len(b.line) > 0:
		b.last = frame
	default:
		b.buf = append(b.buf, frame...)
		b.finish(io.EOF)
	}
	over := b.done
	b.mu.Unlock()
	if over {
		_ = b.src.Close()
	}
}

func (b *watchBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.buf) == 0 && b.err == nil {
		b.cond.Wait()
	}
	if len(b.buf) == 0 {
		return 0, b.err
	}
	n := copy(p, b.buf)
	b.buf = append(b.buf[:0], b.buf[n:]...) // a reader takes all as a rule, so the buffer serves again
	b.cond.Broadcast()
	return n, nil
}

func (b *watchBody) Close() error {
	b.mu.Lock()
	if b.err == nil {
		b.finish(http.ErrBodyReadAfterClose)
	}
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	b.done = true
	b.buf = nil
	b.cond.Broadcast()
	b.mu.Unlock()
	return b.src.Close()
}

// sleep waits on c, or until ctx is done.
func sleep(ctx context.Context, c clock.Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
