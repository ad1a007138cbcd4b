package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// WrapConfig returns a copy of a client's configuration whose requests are visible: lists, watches, and what reconciles write.
func (p *Probe) WrapConfig(c *rest.Config) *rest.Config {
	if c == nil {
		return nil
	}
	c = rest.CopyConfig(c)
	c.WrapTransport = transport.Wrappers(c.WrapTransport, p.Transport)
	return c
}

// Transport is WrapConfig for a round tripper instead of a rest.Config.
func (p *Probe) Transport(rt http.RoundTripper) http.RoundTripper {
	p.isWired.Store(true)
	return &trip{p, rt}
}

// wire holds the open requests, with or without a viewer, so that a viewer that attaches late knows the URL of an earlier watch.
type wire struct {
	mu           sync.Mutex
	next         uint32
	openRequests map[uint32]*request
	// targets are the resources that were listed, with their versions, by informers' names.
	targets map[string]target
	// resources are the counters for metrics, by the same names.
	resources map[string]*resource
}

// maxOpen bounds the table of open requests.
const maxOpen = 1024

type request struct {
	id     uint32
	url    string
	verb   string
	watch  bool
	status int
	sent   time.Time
	frames atomic.Int64
	bytes  atomic.Int64
	lane   *lane     // whose Reflector sent it; nil for a request of no informer
	beside *lane     // whose watch of the same scope is open, if this one is of no informer.
	res    *resource // nil for a request of no resource, or without Measure
}

// requester is what is known of the requests of one informer's Reflector, with or without a viewer. The lock of wire guards it.
type requester struct {
	scope      string // of its requests, see scopeOf; empty before the first
	hasWatched bool
	open       uint32 // the request that it waits for, or whose answer it reads: a Reflector has one at a time
	// failure is that of the last request, nil if it was answered.
	failure *failure
	// begin is when the last wait began, and wait its length; step is that of the Reflector's last backoff, which began at stepped.
	begin, stepped time.Time
	wait, step     time.Duration
	repeats        int // of one request by client-go's rest client, which the Reflector does not see
}

// failure is why a request failed.
type failure struct {
	cause string // in one word, without an answer
	code  int    // the answer's status
	words string // instead of cause and code
	then  string // what follows the wait, as State.Reflector.BackoffThen has it
}

func (f *failure) error() *lineError {
	if f.words != "" {
		return &lineError{Message: f.words, Code: f.code}
	}
	if f.cause != "" {
		return &lineError{Message: "no answer: " + f.cause, Cause: f.cause}
	}
	return statusError(f.code)
}

// The default backoff of client-go's Reflector: a wait lasts up to twice as long as these say.
const (
	firstWait   = 800 * time.Millisecond
	longestWait = 30 * time.Second
	outageReset = 2 * time.Minute // after so long without a wait, the first one follows
	// client-go's rest client repeats a request whose connection was reset, or that was answered with Retry-After, by itself.
	clientWait  = time.Second
	mostRepeats = 10
)

// fail notes that a request failed, and returns how long it takes at least until the next one; 0 if no informer waits. retry is the wait that an answer
// demands.
func (w *wire) fail(r *request, f failure, retry time.Duration) (*failure, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := r.lane
	isBusy := f.cause == "refused" || f.code == http.StatusTooManyRequests
	if l == nil || f.cause == "cancelled" {
		return nil, 0
	}
	x := &l.requests
	now := time.Now()
	if f.cause == "reset" && f.words == "" || f.cause == "timeout" && r.verb != "LIST" {
		retry = clientWait
	}
	isRepeated := retry > 0 && x.repeats < mostRepeats
	switch {
	case isRepeated: // by client-go's REST client, of which the Reflector does not know
		f.then = "send the request again"
	case r.verb == "WATCHLIST" && !isBusy && f.words == "" && f.cause != "reset": // client-go lists at once
		return nil, 0
	case r.verb == "WATCH" && (isBusy || f.cause == "reset" || f.cause == "timeout"):
		f.then = "watch again"
	default:
		f.then = "list and watch again"
	}
	if isRepeated {
		x.repeats++
		x.wait = retry
	} else {
		x.repeats = 0
		if x.step == 0 || now.Sub(x.stepped) > outageReset {
			x.step = firstWait
		} else {
			x.step = min(2*x.step, longestWait)
		}
		x.wait, x.stepped = x.step, now
	}
	x.begin, x.failure = now, &f
	return &f, x.wait
}

// failEnd is fail for a body that ended: a list that broke, and a watch after which client-go does not watch again at once.
func (b *body) failEnd(err error) (*failure, time.Duration) {
	f := failure{}
	isEnd := err == nil || errors.Is(err, io.EOF)
	switch lasted := time.Since(b.q.sent); {
	case b.q.status != http.StatusOK || err != nil && errors.Is(err, context.Canceled):
		return nil, 0
	case !b.q.watch && isEnd:
		return nil, 0
	case !b.q.watch:
		f.words = "cut off: " + causeOf(err)
	case b.reason == "Expired" || b.reason == "Gone":
		f.words, f.code = "an ERROR event: "+b.reason, http.StatusGone
	case b.reason == "TooManyRequests":
		f.words, f.code = "an ERROR event: "+b.reason, http.StatusTooManyRequests
	case b.reason != "":
		f.words = "an ERROR event: " + b.reason
	case !isEnd && !errors.Is(err, io.ErrUnexpectedEOF) && !utilnet.IsProbableEOF(err) && !utilnet.IsTimeout(err): // to client-go a broken frame
		f.words = "cut off: " + causeOf(err)
	case b.q.frames.Load() == 0 && lasted < shortWatch:
		f.words = "very short watch: no event within a second"
	default:
		return nil, 0
	}
	return b.p.wire.fail(b.q, f, 0)
}

// retryAfter returns the wait that an answer demands before the same request comes again, 0 for none.
func retryAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < 500 {
		return 0
	}
	n, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || n < 1 || n > 3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// scopeOf returns what a Reflector never changes in its requests: the namespace and the selectors.
func scopeOf(u *url.URL) string {
	q := u.Query()
	return u.Path + "?" + url.Values{"l": q["labelSelector"], "f": q["fieldSelector"]}.Encode()
}

// owner returns the informer whose Reflector sends a request, nil for none. A Reflector sends nothing while its watch is open. It is the one that asked for
// the same scope before. Else, or for a first list, it is one that has asked for nothing. Else its scope is not certain: only a watch makes it so.
func (w *wire) owner(lanes []*lane, t target, u *url.URL, verb string) *lane {
	scope, rv := scopeOf(u), u.Query().Get("resourceVersion")
	isFirst := verb == "LIST" && rv == "0" || verb == "WATCHLIST" && rv == ""
	var same, idle, other *lane
	for _, l := range lanes {
		if !l.isOf(t) || l.requests.open != 0 {
			continue
		}
		switch x := &l.requests; {
		case x.scope == scope && same == nil:
			same = l
		case x.scope == "" && idle == nil:
			idle = l
		case x.scope != scope && other == nil && (verb != "LIST" || !x.hasWatched):
			other = l
		}
	}
	order := [...]*lane{same, idle, other}
	if isFirst {
		order[0], order[1] = idle, same
	}
	for _, l := range order {
		if l != nil {
			l.requests.scope = scope
			l.requests.hasWatched = l.requests.hasWatched || verb != "LIST"
			return l
		}
	}
	return nil
}

// neighbour returns the informer beside whose open watch another one of the same scope begins, nil for none.
func (w *wire) neighbour(lanes []*lane, t target, u *url.URL) *lane {
	for _, l := range lanes {
		if open := w.openRequests[l.requests.open]; l.isOf(t) && l.requests.scope == scopeOf(u) && open != nil && open.watch {
			return l
		}
	}
	return nil
}

func (w *wire) begin(ctx context.Context, u *url.URL, lanes []*lane) *request {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	r := &request{id: w.next, sent: time.Now()}
	r.url, r.watch = safeURL(u)
	r.verb = verbOf(u)
	if w.openRequests == nil {
		w.openRequests = map[uint32]*request{}
	}
	if t := resourcePath(u.Path); t.Resource != "" {
		if w.targets == nil {
			w.targets = map[string]target{}
		}
		if len(w.targets) < maxOpen {
			w.targets[t.name()] = t
		}
		if l, ok := ctx.Value(laneKey{}).(*lane); ok && l.isOf(t) {
			lanes = []*lane{l}
		}
		if r.lane = w.owner(lanes, t, u, r.verb); r.lane != nil {
			r.lane.requests.open = r.id
		} else if r.watch {
			r.beside = w.neighbour(lanes, t, u)
		}
	}
	if len(w.openRequests) < maxOpen {
		w.openRequests[r.id] = r
	}
	return r
}

// find returns an informer's resource, if a request showed it. If its type does not tell the group, requests show that too.
func (w *wire) find(l *lane) (t target, isKnown bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t, ok := w.targets[l.name]; ok {
		return t, true
	}
	var found []target
	for _, t := range w.targets {
		if l.isOf(t) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return target{}, false
}

func (w *wire) end(r *request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.openRequests, r.id)
	if r.lane != nil && r.lane.requests.open == r.id {
		r.lane.requests.open = 0
	}
}

// safeURL returns a request's path with the parameters of a list, and no others.
func safeURL(u *url.URL) (s string, watch bool) {
	q, out := u.Query(), url.Values{}
	for _, name := range [...]string{"watch", "resourceVersion", "resourceVersionMatch", "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds", "limit",
		"labelSelector", "fieldSelector"} {
		if q.Has(name) {
			out.Set(name, q.Get(name))
		}
	}
	if q.Has("continue") {
		out.Set("continue", "more")
	}
	v := q.Get("watch")
	watch = v == "true" || v == "1"
	if len(out) == 0 {
		return u.Path, watch
	}
	return u.Path + "?" + out.Encode(), watch
}

// sentEvent returns what is recorded of a request that is sent. Only one of an informer, or beside an informer's watch, has a lane; n is 1 for the latter.
func (r *request) sentEvent() event {
	e := event{kind: evWireRequest, req: r.id, text: r.url}
	switch {
	case r.lane != nil:
		e.flag, e.lane = true, r.lane.id
	case r.beside != nil:
		e.flag, e.lane, e.n = true, r.beside.id, 1
	}
	return e
}

func (f *failure) thenWords() string {
	if f == nil {
		return ""
	}
	return f.then
}

type trip struct {
	p    *Probe
	next http.RoundTripper
}

// WrappedRoundTripper lets client-go find the innermost round tripper.
func (t *trip) WrappedRoundTripper() http.RoundTripper { return t.next }

func (t *trip) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || r.URL == nil {
		return t.write(r)
	}
	q := t.p.wire.begin(r.Context(), r.URL, t.p.informers())
	if t.p.measuring.Load() {
		t.p.wire.count(q, r.URL)
	}
	if t.p.attached.Load() {
		t.p.emit(q.sentEvent())
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil || resp == nil {
		t.p.wire.end(q)
		if q.res != nil {
			q.res.noteFailure(CauseNoAnswer, q.watch)
		}
		f := failure{cause: causeOf(err)}
		waits, wait := t.p.wire.fail(q, f, 0)
		if t.p.attached.Load() {
			t.p.emit(event{kind: evWireResponse, req: q.id, text: f.cause, dur: wait, key: waits.thenWords()})
		}
		return resp, err
	}
	if q.res != nil {
		q.res.noteStatus(resp.StatusCode, q.watch)
	}
	var waits *failure
	var wait time.Duration
	if resp.StatusCode >= 400 {
		waits, wait = t.p.wire.fail(q, failure{code: resp.StatusCode}, retryAfter(resp))
	}
	t.p.wire.mu.Lock()
	if q.status = resp.StatusCode; q.lane != nil && waits == nil {
		q.lane.requests.failure, q.lane.requests.repeats = nil, 0
	}
	t.p.wire.mu.Unlock()
	if t.p.attached.Load() {
		t.p.emit(event{kind: evWireResponse, req: q.id, n: int32(resp.StatusCode), dur: wait, key: waits.thenWords()})
	}
	if resp.Body == nil {
		t.p.wire.end(q)
		return resp, nil
	}
	b := &body{ReadCloser: resp.Body, p: t.p, q: q}
	if q.watch && resp.StatusCode == http.StatusOK {
		if strings.Contains(resp.Header.Get("Content-Type"), "protobuf") {
			b.scan = &protoScanner{}
		} else if strings.Contains(resp.Header.Get("Content-Type"), "json") {
			b.scan = newJSONScanner()
		}
	}
	resp.Body = b
	return resp, nil
}

// connectionLost is what HTTP/2 says of a connection on which a PING got no answer.
const connectionLost = "client connection lost"

// causeOf returns in one word why there was no answer. An error's own text is dropped: it may contain what must not be in a file.
func causeOf(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case err == nil:
		return "error"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), utilnet.IsProbableEOF(err):
		return "reset"
	case errors.As(err, &dns):
		return "dns"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout(),
		strings.Contains(err.Error(), connectionLost):
		return "timeout"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "unreachable"
	case strings.Contains(err.Error(), "x509:"), strings.Contains(err.Error(), "tls:"):
		return "tls"
	}
	return "error"
}

// frame is a frame of a watch.
type frame struct {
	typ, key, rv, reason string
	initialEnd           bool
	size                 int
}

// scanner cuts a watch into frames. It keeps a few fields of a frame, and never a body.
type scanner interface {
	// feed reads the next bytes. While on is false it only tracks the position in the stream.
	feed(b []byte, isRead bool, got func(frame))
}

type body struct {
	io.ReadCloser
	p          *Probe
	q          *request
	scan       scanner
	reason     string // of its ERROR frame
	unreported int    // bytes that no event has reported yet
	done       atomic.Bool
}

// Read may be called by one goroutine at a time, like the body's own.
func (b *body) Read(buf []byte) (int, error) {
	n, err := b.ReadCloser.Read(buf)
	isRead := b.p.attached.Load()
	if n > 0 {
		b.q.bytes.Add(int64(n))
		if b.q.res != nil {
			b.q.res.noteRead(buf[:n], b.q.watch)
		}
		if b.scan != nil {
			b.feed(buf[:n], isRead)
		} else if b.unreported += n; isRead && (b.unreported >= 64<<10 || err != nil) {
			b.p.emit(event{kind: evWireBytes, req: b.q.id, n: int32(b.unreported)})
			b.unreported = 0
		}
	}
	if err != nil {
		why := ""
		if !errors.Is(err, io.EOF) {
			if why = causeOf(err); strings.Contains(err.Error(), connectionLost) {
				why = connectionLost
			}
		}
		b.finish(why, err)
	}
	return n, err
}

func (b *body) feed(buf []byte, isRead bool) {
	defer func() {
		if r := recover(); r != nil {
			b.scan = nil // this watch continues without frames
			b.p.emitFramesOff(b.q.url, fmt.Sprintf("the probe's own hook failed (%T): the watch continues without frames", r))
		}
	}()
	b.scan.feed(buf, isRead, func(f frame) {
		b.q.frames.Add(1)
		b.p.emit(event{kind: evWireFrame, req: b.q.id, text: f.typ, key: f.key, rv: f.rv, n: int32(f.size), flag: f.initialEnd, op: frameOp(f.typ)})
		if f.reason != "" {
			b.reason = f.reason
			b.p.emit(event{kind: evWireFrame, req: b.q.id, text: "REASON", key: f.reason})
		}
	})
}

// emitFramesOff logs that the frames of a watch are no longer seen.
func (p *Probe) emitFramesOff(address, why string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	t := resourcePath(u.Path)
	for _, l := range p.informers() {
		if l.isOf(t) {
			l.disable("frames", why)
		}
	}
}

func frameOp(typ string) op {
	switch typ {
	case "ADDED":
		return opAdded
	case "MODIFIED":
		return opUpdated
	case "DELETED":
		return opDeleted
	case "BOOKMARK":
		return opBookmark
	}
	return opNone
}

func (b *body) finish(why string, err error) {
	if !b.done.CompareAndSwap(false, true) {
		return
	}
	b.p.wire.end(b.q)
	waits, wait := b.failEnd(err)
	if b.p.attached.Load() {
		if b.unreported > 0 {
			b.p.emit(event{kind: evWireBytes, req: b.q.id, n: int32(b.unreported)})
		}
		b.p.emit(event{kind: evWireDone, req: b.q.id, text: why, dur: wait, key: waits.thenWords()})
	}
}

func (b *body) Close() error {
	b.finish("", nil)
	return b.ReadCloser.Close()
}
