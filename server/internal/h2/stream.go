package h2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// stream is one request and the way back for its answer. The connection's mu guards it, but for what only the handler uses.
type stream struct {
	c      *conn
	id     uint32
	window int64 // for DATA to the peer
	err    error // why the stream is over

	// Of the request's body.
	ended    bool   // the peer sends nothing more
	room     int64  // the window for it
	owed     int    // how much of that has been read and not given back
	declared bool   // the header has said how long it is
	missing  int64  // how much of that is still to come
	received []byte // and not read
	closed   bool   // nobody will read it
	arrived  chan struct{}

	cancel context.CancelFunc
	wake   chan struct{} // holds one element when there may be room or an end

	// Of the handler.
	context  context.Context
	head     bool // a request for the header alone
	headers  http.Header
	begun    bool
	deadline time.Time
}

// stir wakes a handler that waits for room.
func (st *stream) stir() {
	select {
	case st.wake <- struct{}{}:
	default:
	}
}

// open begins a stream.
func (c *conn) open(f *http2.MetaHeadersFrame) error {
	malformed := http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
	c.mu.Lock()
	if st := c.streams[f.StreamID]; st != nil { // trailers of a body, which nobody asks for
		defer c.mu.Unlock()
		if st.ended || !f.StreamEnded() {
			return malformed
		}
		st.ended = true
		select {
		case st.arrived <- struct{}{}:
		default:
		}
		return nil
	}
	if f.StreamID%2 == 0 || f.StreamID <= c.highest {
		c.mu.Unlock()
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	c.highest = f.StreamID
	if len(c.streams) >= c.options.MaxStreams || c.handlers >= c.options.MaxStreams {
		c.mu.Unlock()
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeRefusedStream}
	}
	c.mu.Unlock()
	request, ok := newRequest(f)
	if !ok {
		return malformed
	}
	request.RemoteAddr = c.net.RemoteAddr().String()
	st := &stream{c: c, id: f.StreamID, room: initialWindow, ended: f.StreamEnded(),
		wake: make(chan struct{}, 1), arrived: make(chan struct{}, 1), head: request.Method == http.MethodHead, headers: http.Header{}}
	if !st.ended {
		st.declared, st.missing = request.ContentLength >= 0, max(0, request.ContentLength)
		request.Body = body{st}
	}
	st.context, st.cancel = context.WithCancel(c.context)
	c.mu.Lock()
	c.idle.Stop()
	st.window = c.initial
	c.streams[st.id] = st
	c.handlers++
	c.mu.Unlock()
	handler := c.options.Handler.ServeHTTP
	if f.Truncated {
		handler = func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the request's header is too large", http.StatusRequestHeaderFieldsTooLarge)
		}
	} else if name := connectionHeader(request.Header); name != "" {
		handler = func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, fmt.Sprintf("the header %s has no place in HTTP/2", name), http.StatusBadRequest)
		}
	}
	c.running.Go(func() { st.serve(handler, request.WithContext(st.context)) })
	return nil
}

// newRequest is the request of a header, if it is one.
func newRequest(f *http2.MetaHeadersFrame) (*http.Request, bool) {
	method, scheme, path := f.PseudoValue("method"), f.PseudoValue("scheme"), f.PseudoValue("path")
	if method == "" || method == http.MethodConnect || f.PseudoValue("protocol") != "" || scheme != "http" && scheme != "https" {
		return nil, false
	}
	target, err := url.ParseRequestURI(path)
	if err != nil || !strings.HasPrefix(path, "/") {
		return nil, false
	}
	request := &http.Request{
		Method: method, URL: target, RequestURI: path, Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: http.Header{}, Body: http.NoBody, Host: f.PseudoValue("authority"),
	}
	for _, field := range f.RegularFields() {
		request.Header.Add(field.Name, field.Value)
	}
	if request.Host == "" {
		request.Host = request.Header.Get("Host")
	}
	request.Header.Del("Host")
	if !f.StreamEnded() {
		request.ContentLength = -1
		if given := request.Header.Get("Content-Length"); given != "" {
			n, err := strconv.ParseUint(given, 10, 63)
			if err != nil {
				return nil, false
			}
			request.ContentLength = int64(n)
		}
	}
	return request, true
}

// forbidden says whether a header is about one connection, which RFC 9113, section 8.2.2, forbids.
func forbidden(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Connection", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Keep-Alive":
		return true
	}
	return false
}

// connectionHeader is a header that has no place in a request.
func connectionHeader(header http.Header) string {
	for name := range header {
		if forbidden(name) {
			return name
		}
	}
	if te := header.Values("Te"); len(te) > 1 || len(te) == 1 && te[0] != "" && te[0] != "trailers" {
		return "TE"
	}
	return ""
}

// serve runs the handler and ends the stream as it ended: well, or by a reset if it panicked.
func (st *stream) serve(handler http.HandlerFunc, request *http.Request) {
	defer func() {
		problem := recover()
		if err, ok := problem.(error); problem != nil && !(ok && errors.Is(err, http.ErrAbortHandler)) {
			st.c.options.Log.Error("a handler panicked", "panic", problem, "stack", string(debug.Stack()))
		}
		st.finish(problem == nil)
	}()
	handler(st, request)
}

// finish ends the stream of a handler that has returned: with the end of its answer, or with a reset.
func (st *stream) finish(well bool) {
	c := st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handlers--
	open := c.streams[st.id] == st && c.err == nil
	if c.streams[st.id] == st {
		c.forget(st, net.ErrClosed)
	}
	st.cancel()
	if !open {
		return
	}
	var err error
	switch {
	case !well:
		err = c.framer.WriteRSTStream(st.id, http2.ErrCodeInternal)
	case !st.begun:
		st.begun = true
		err = st.header(http.StatusOK, true)
	case !st.head: // that one has ended with its header
		c.data(st.id, true, nil)
	}
	if err == nil && well && !st.ended { // the rest of a body that nobody reads is not wanted
		err = c.framer.WriteRSTStream(st.id, http2.ErrCodeNo)
	}
	if err == nil {
		_ = c.flushLocked()
	}
}

// Header implements http.ResponseWriter.
func (st *stream) Header() http.Header { return st.headers }

// WriteHeader implements http.ResponseWriter.
func (st *stream) WriteHeader(code int) {
	if st.begun {
		return
	}
	st.begun = true
	st.c.mu.Lock()
	defer st.c.mu.Unlock()
	if st.over() == nil {
		_ = st.header(code, st.head)
	}
}

// header makes the frames of the answer's header. c.mu is held, as the encoder's state goes with the order of the frames.
func (st *stream) header(code int, ended bool) error {
	c := st.c
	c.fields.Reset()
	field := func(name, value string) error {
		return c.encoder.WriteField(hpack.HeaderField{Name: name, Value: value})
	}
	err := field(":status", strconv.Itoa(code))
	for name, values := range st.headers {
		if lower := strings.ToLower(name); err == nil && httpguts.ValidHeaderFieldName(name) && !forbidden(name) {
			for _, value := range values {
				if err == nil && httpguts.ValidHeaderFieldValue(value) {
					err = field(lower, value)
				}
			}
		}
	}
	if err == nil && st.headers["Date"] == nil {
		err = field("date", time.Now().UTC().Format(http.TimeFormat))
	}
	if err != nil {
		return err
	}
	return c.header(st.id, ended)
}

// Write implements http.ResponseWriter. It waits while the peer's windows have no room, but not for the connection: Flush does.
func (st *stream) Write(p []byte) (int, error) {
	if !st.begun {
		st.WriteHeader(http.StatusOK)
	}
	if st.head {
		return len(p), nil
	}
	c := st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	for written := 0; ; {
		if err := st.over(); err != nil || written == len(p) {
			return written, err
		}
		if c.made-c.gone >= maxReady {
			_ = c.flushLocked() // the stream may be over then
			continue
		}
		if n := min(int64(len(p)-written), c.window, st.window, int64(c.frame)); n > 0 {
			c.window -= n
			st.window -= n
			c.data(st.id, false, p[written:written+int(n)])
			written += int(n)
			continue
		}
		_ = c.flushLocked()
		c.mu.Unlock()
		err := st.wait()
		c.mu.Lock()
		if err != nil {
			return written, err
		}
	}
}

// wait returns when there may be room for the stream, or at its deadline, which resets it.
func (st *stream) wait() error {
	var late <-chan time.Time
	if !st.deadline.IsZero() {
		timer := time.NewTimer(time.Until(st.deadline))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-st.wake:
		return nil
	case <-st.context.Done():
		return nil // why is known under the lock
	case <-late:
		st.c.reset(st.id, http2.ErrCodeInternal)
		return os.ErrDeadlineExceeded
	}
}

// over is why nothing more can be written. c.mu is held.
func (st *stream) over() error {
	switch {
	case st.err != nil:
		return st.err
	case st.c.err != nil:
		return st.c.err
	}
	return st.context.Err()
}

// FlushError returns when all that was written has been given to the connection.
func (st *stream) FlushError() error {
	if !st.begun {
		st.WriteHeader(http.StatusOK)
	}
	st.c.mu.Lock()
	defer st.c.mu.Unlock()
	if err := st.over(); err != nil {
		return err
	}
	return st.c.flushLocked()
}

// Flush implements http.Flusher.
func (st *stream) Flush() { _ = st.FlushError() }

// SetWriteDeadline bounds how long the handler's next writes wait for room in the peer's windows, for http.ResponseController. How long
// the connection may take is the connection's own matter.
func (st *stream) SetWriteDeadline(t time.Time) error {
	st.deadline = t
	return nil
}
