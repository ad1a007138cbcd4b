package h2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const patience = 20 * time.Second

func options(handler http.HandlerFunc) Options {
	return Options{
		Handler: handler, Log: slog.New(slog.DiscardHandler), MaxStreams: 20, MaxHeaderBytes: 8 << 10,
		PrefaceTimeout: 10 * time.Second, IdleTimeout: time.Minute,
	}
}

// served is a listener on loopback whose connections are served; the test fails if one of them is not done in the end.
func served(t testing.TB, o Options) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			serving.Go(func() { Serve(context.Background(), conn, o) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return ln.Addr().String()
}

// client is net/http's.
func client(t testing.TB, address string, settings *http.HTTP2Config) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols, HTTP2: settings, DisableCompression: true, DialContext: func(ctx context.Context, _,
		_ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

func TestRequestsAsNetHTTPMakesThem(t *testing.T) {
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.Header().Set("X-Long", strings.Repeat("long ", 10_000)) // more than a frame
		w.Header().Set("Connection", "close")                     // not in HTTP/2
		if r.URL.Path == "/nothing" {
			return
		}
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s %d %v %q", r.Method, r.Host, r.RequestURI, r.URL.Query().Get("q"), r.ContentLength, r.Proto, r.Header.Get("X-Asked"))
	}))
	c := client(t, address, nil)
	for _, tt := range []struct{ method, path, body, want string }{
		{http.MethodGet, "/a/b%2fc?q=x+y", "", `GET relay /a/b%2fc?q=x+y x y 0 HTTP/2.0 "yes"`},
		{http.MethodHead, "/h", "", ""},
		{http.MethodPost, "/p", "a body", `POST relay /p  6 HTTP/2.0 "yes"`},
		{http.MethodGet, "/nothing", "", ""},
	} {
		request, err := http.NewRequest(tt.method, "http://relay"+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Asked", "yes")
		response, err := c.Do(request)
		if err != nil {
			t.Fatalf("%s %s: %v", tt.method, tt.path, err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		want := http.StatusTeapot
		if tt.path == "/nothing" {
			want = http.StatusOK
		}
		if err != nil || string(body) != tt.want || response.StatusCode != want {
			t.Errorf("%s %s: %d, %q, %v", tt.method, tt.path, response.StatusCode, body, err)
		}
		if h := response.Header; len(h["X-Two"]) != 2 || len(h.Get("X-Long")) < 40_000 || h.Get("Connection") != "" ||
			h.Get("Date") == "" || h.Get("Content-Type") != "text/plain" {
			t.Errorf("%s %s: headers %.300v", tt.method, tt.path, h)
		}
	}
}

// pattern is what stream n carries.
func pattern(n, size int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(i*7 + i>>8 + n)
	}
	return p
}

// TestStreamsShareAConnection: many answers at once, each whole and in order, through windows of the least size and of Go's own.
func TestStreamsShareAConnection(t *testing.T) {
	const size = 700_001
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		for rest := pattern(n, size); len(rest) > 0; {
			piece := min(len(rest), 1+n*n*977)
			if _, err := w.Write(rest[:piece]); err != nil {
				return
			}
			if n%2 == 0 {
				w.(http.Flusher).Flush()
			}
			rest = rest[piece:]
		}
	}))
	for name, settings := range map[string]*http.HTTP2Config{
		"Go's windows":  nil,
		"least windows": {MaxReceiveBufferPerStream: 1 << 16, MaxReceiveBufferPerConnection: 1 << 16, MaxReadFrameSize: 1 << 15},
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, address, settings)
			var reading sync.WaitGroup
			for n := 1; n <= 40; n++ { // twice as many as there may be at once: net/http waits, or asks again
				reading.Go(func() {
					response, err := c.Get(fmt.Sprintf("http://relay/%d", n))
					if err != nil {
						t.Errorf("%d: %v", n, err)
						return
					}
					defer func() { _ = response.Body.Close() }()
					if got, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(got, pattern(n, size)) {
						t.Errorf("%d: %d bytes, %v", n, len(got), err)
					}
				})
			}
			reading.Wait()
		})
	}
}

func TestHandlersThatFail(t *testing.T) {
	var log bytes.Buffer
	o := options(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/begun" {
			_, _ = io.WriteString(w, "some")
			w.(http.Flusher).Flush()
		}
		if r.URL.Path == "/mistake" {
			panic("a mistake")
		}
		panic(http.ErrAbortHandler)
	})
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	c := client(t, served(t, o), nil)
	for _, path := range []string{"/", "/begun", "/mistake"} {
		response, err := c.Get("http://relay" + path)
		if err == nil {
			_, err = io.ReadAll(response.Body)
			_ = response.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if strings.Count(log.String(), "a handler panicked") != 1 || !strings.Contains(log.String(), "a mistake") {
		t.Errorf("the log: %s", log.String())
	}
}

func TestWhatTheViewerEndsIsEnded(t *testing.T) {
	ended := make(chan error, 1)
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		_, err := w.Write([]byte("x"))
		ended <- err
	}))
	c := client(t, address, nil)
	ctx, cancel := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://relay/", nil)
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("a stream that was reset can be written to")
	}
	_ = response.Body.Close()
}

// peer speaks frames.
type peer struct {
	t       *testing.T
	conn    net.Conn
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

// greeted has said the preface and sent settings.
func greeted(t *testing.T, address string, settings ...http2.Setting) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := newPeer(t, conn)
	p.greet(settings...)
	return p
}

func newPeer(t *testing.T, conn net.Conn) *peer {
	_ = conn.SetDeadline(time.Now().Add(patience))
	p := &peer{t: t, conn: conn, framer: http2.NewFramer(conn, conn)}
	p.framer.AllowIllegalWrites = true
	p.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	p.encoder = hpack.NewEncoder(&p.block)
	return p
}

// greet says the preface and sends settings.
func (p *peer) greet(settings ...http2.Setting) {
	p.t.Helper()
	if _, err := io.WriteString(p.conn, http2.ClientPreface); err != nil {
		p.t.Fatal(err)
	}
	if err := p.framer.WriteSettings(settings...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) headers(id uint32, ended bool, fields ...string) {
	p.block.Reset()
	if len(fields) == 0 {
		fields = []string{":method", "GET", ":scheme", "http", ":path", "/", ":authority", "relay"}
	}
	for i := 0; i < len(fields); i += 2 {
		_ = p.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.block.Bytes(), EndStream: ended, EndHeaders: true})
}

// until reads frames until one is as wanted, or the connection ends.
func (p *peer) until(want func(http2.Frame) bool) error {
	for {
		f, err := p.framer.ReadFrame()
		if err != nil {
			return err
		}
		if want(f) {
			return nil
		}
	}
}

func reset(id uint32, code http2.ErrCode) func(http2.Frame) bool {
	return func(f http2.Frame) bool {
		r, ok := f.(*http2.RSTStreamFrame)
		return ok && r.StreamID == id && r.ErrCode == code
	}
}

func goAway(code http2.ErrCode) func(http2.Frame) bool {
	return func(f http2.Frame) bool {
		g, ok := f.(*http2.GoAwayFrame)
		return ok && g.ErrCode == code
	}
}

func status(id uint32, code string) func(http2.Frame) bool {
	return func(f http2.Frame) bool {
		h, ok := f.(*http2.MetaHeadersFrame)
		return ok && h.StreamID == id && h.PseudoValue("status") == code
	}
}

// TestWhatTheProtocolForbids holds each wrong to its answer in RFC 9113.
func TestWhatTheProtocolForbids(t *testing.T) {
	hanging := options(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	get := []string{":method", "GET", ":scheme", "http", ":path", "/"}
	for name, tt := range map[string]struct {
		do   func(*peer)
		want func(http2.Frame) bool
	}{
		"an even stream":            {func(p *peer) { p.headers(2, true) }, goAway(http2.ErrCodeProtocol)},
		"a stream that went down":   {func(p *peer) { p.headers(5, true); p.headers(3, true) }, goAway(http2.ErrCodeProtocol)},
		"no path":                   {func(p *peer) { p.headers(1, true, ":method", "GET", ":scheme", "http") }, reset(1, http2.ErrCodeProtocol)},
		"a path that is none":       {func(p *peer) { p.headers(1, true, ":method", "GET", ":scheme", "http", ":path", "x") }, reset(1, http2.ErrCodeProtocol)},
		"a scheme that is none":     {func(p *peer) { p.headers(1, true, ":method", "GET", ":scheme", "file", ":path", "/") }, reset(1, http2.ErrCodeProtocol)},
		"CONNECT":                   {func(p *peer) { p.headers(1, true, ":method", "CONNECT", ":authority", "relay") }, reset(1, http2.ErrCodeProtocol)},
		"capital letters in a name": {func(p *peer) { p.headers(1, true, append(get, "X-Y", "z")...) }, reset(1, http2.ErrCodeProtocol)},
		"a header of a connection":  {func(p *peer) { p.headers(1, true, append(get, "connection", "close")...) }, status(1, "400")},
		"an upgrade":                {func(p *peer) { p.headers(1, true, append(get, "upgrade", "websocket")...) }, status(1, "400")},
		"TE":                        {func(p *peer) { p.headers(1, true, append(get, "te", "gzip")...) }, status(1, "400")},
		"too many headers": {func(p *peer) {
			p.headers(1, true, append(get, "x", strings.Repeat("0", 5<<10), "y", strings.Repeat("0", 5<<10))...)
		}, status(1, "431")},
		"far too many headers":  {func(p *peer) { p.endless() }, nil},
		"a length that is none": {func(p *peer) { p.headers(1, false, append(get, "content-length", "-1")...) }, reset(1, http2.ErrCodeProtocol)},
		"a push": {func(p *peer) {
			_ = p.framer.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, EndHeaders: true})
		}, goAway(http2.ErrCodeProtocol)},
		"DATA nobody asked":          {func(p *peer) { _ = p.framer.WriteData(1, true, []byte("x")) }, goAway(http2.ErrCodeProtocol)},
		"DATA after the end":         {func(p *peer) { p.headers(1, true); _ = p.framer.WriteData(1, true, []byte("x")) }, reset(1, http2.ErrCodeStreamClosed)},
		"DATA beyond the window":     {func(p *peer) { p.headers(1, false); p.data(1, 5) }, nil},
		"a header in the middle":     {func(p *peer) { p.headers(1, false); p.headers(1, false) }, reset(1, http2.ErrCodeProtocol)},
		"RST_STREAM of nothing":      {func(p *peer) { _ = p.framer.WriteRSTStream(1, http2.ErrCodeCancel) }, goAway(http2.ErrCodeProtocol)},
		"WINDOW_UPDATE of nothing":   {func(p *peer) { _ = p.framer.WriteWindowUpdate(7, 1) }, goAway(http2.ErrCodeProtocol)},
		"a window too wide":          {func(p *peer) { _ = p.framer.WriteWindowUpdate(0, 1<<31-1) }, goAway(http2.ErrCodeFlowControl)},
		"a stream's window too wide": {func(p *peer) { p.headers(1, true); _ = p.framer.WriteWindowUpdate(1, 1<<31-1) }, reset(1, http2.ErrCodeFlowControl)},
		"no window": {func(p *peer) { _ = p.framer.WriteRawFrame(http2.FrameWindowUpdate, 0, 0, make([]byte, 4)) },
			goAway(http2.ErrCodeProtocol)},
		"a setting out of range": {func(p *peer) { _ = p.framer.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1}) },
			goAway(http2.ErrCodeProtocol)},
		"a window setting too large": {func(p *peer) {
			_ = p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31})
		}, goAway(http2.ErrCodeFlowControl)},
		"a setting twice": {func(p *peer) {
			s := http2.Setting{ID: http2.SettingEnablePush, Val: 0}
			_ = p.framer.WriteSettings(s, s)
		}, goAway(http2.ErrCodeProtocol)},
		"a frame too large":        {func(p *peer) { _ = p.framer.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 20<<10)) }, goAway(http2.ErrCodeFrameSize)},
		"a ping of the wrong size": {func(p *peer) { _ = p.framer.WriteRawFrame(http2.FramePing, 0, 0, make([]byte, 7)) }, goAway(http2.ErrCodeFrameSize)},
		"another frame among headers": {func(p *peer) {
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
			_ = p.framer.WritePing(false, [8]byte{})
		}, goAway(http2.ErrCodeProtocol)},
		"nonsense for a header block": {func(p *peer) {
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}})
		}, goAway(http2.ErrCodeCompression)},
		"a stream more than there are": {func(p *peer) { p.many(21) }, reset(41, http2.ErrCodeRefusedStream)},
	} {
		t.Run(name, func(t *testing.T) {
			p := greeted(t, served(t, hanging))
			tt.do(p)
			if tt.want == nil { // the end of the connection is enough; it may come before its reason has been read
				if err := p.until(func(http2.Frame) bool { return false }); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("the connection stays open")
				}
				return
			}
			if err := p.until(tt.want); err != nil {
				t.Errorf("not answered as it should be: %v", err)
			}
		})
	}
}

func (p *peer) many(n int) {
	for i := range n {
		p.headers(uint32(2*i+1), true)
	}
}

// data sends n frames of the largest size.
func (p *peer) data(id uint32, n int) {
	for range n {
		_ = p.framer.WriteData(id, false, make([]byte, 16<<10))
	}
}

// endless begins a header that has no end.
func (p *peer) endless() {
	block := append([]byte{0, 1, 'x', 0x7f, 0xff, 0xff, 0xff, 0x7f}, make([]byte, 8<<10)...) // a literal of many bytes
	_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block})
	for range 10 {
		_ = p.framer.WriteContinuation(1, false, make([]byte, 16<<10))
	}
}

func TestNotHTTP2(t *testing.T) {
	for name, text := range map[string]string{
		"HTTP/1.1":                  "GET / HTTP/1.1\r\nHost: relay\r\n\r\n    ",
		"a preface and no SETTINGS": http2.ClientPreface + "\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678",
	} {
		conn, err := net.Dial("tcp", served(t, options(func(http.ResponseWriter, *http.Request) { t.Error("served") })))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(conn, text)
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection stays open", name)
		}
		_ = conn.Close()
	}
}

// TestAPeerThatAsksAndDoesNotRead: answers are not kept for it without end.
func TestAPeerThatAsksAndDoesNotRead(t *testing.T) {
	p := greeted(t, served(t, options(func(http.ResponseWriter, *http.Request) {})))
	for {
		if err := p.framer.WritePing(false, [8]byte{1}); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("it can ask for ever")
		} else if err != nil {
			return
		}
	}
}

// unwritable is a connection that takes no more once it is broken, and can still be read.
type unwritable struct {
	net.Conn
	broken atomic.Bool
}

func (c *unwritable) Write(p []byte) (int, error) {
	if c.broken.Load() {
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Write(p)
}

// TestAWriteThatFailsEndsTheConnection: the peer would wait for ever for answers that cannot come.
func TestAWriteThatFailsEndsTheConnection(t *testing.T) {
	near, far := net.Pipe()
	conn := &unwritable{Conn: near}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Serve(context.Background(), conn, options(func(w http.ResponseWriter, r *http.Request) {
			conn.broken.Store(true)
			_, _ = w.Write([]byte("lost"))
		}))
	}()
	p := newPeer(t, far)
	go func() { _, _ = io.Copy(io.Discard, far) }()
	p.greet()
	p.headers(1, true)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the connection stays open")
		_ = near.Close()
		<-ended
	}
	_ = far.Close()
}

// TestAWindowThatStaysShut: a handler waits no longer than it said, and the other streams go on.
func TestAWindowThatStaysShut(t *testing.T) {
	failed := make(chan error, 1)
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			return
		}
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		n, err := w.Write(make([]byte, 100))
		if n != 10 {
			t.Errorf("%d bytes went through a window of 10", n)
		}
		failed <- err
	}))
	p := greeted(t, address, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
	p.headers(1, true)
	if err := p.until(reset(1, http2.ErrCodeInternal)); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the write: %v", err)
	}
	p.headers(3, true, ":method", "GET", ":scheme", "http", ":path", "/other")
	if err := p.until(status(3, "200")); err != nil {
		t.Error(err)
	}
}

// TestAWindowThatOpens: the rest goes out, whichever frame opens it.
func TestAWindowThatOpens(t *testing.T) {
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, 100)) }))
	for name, open := range map[string]func(*peer) error{
		"WINDOW_UPDATE": func(p *peer) error { return p.framer.WriteWindowUpdate(1, 90) },
		"SETTINGS": func(p *peer) error {
			return p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 200})
		},
	} {
		p := greeted(t, address, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
		p.headers(1, true)
		got := 0
		if err := p.until(func(f http2.Frame) bool {
			data, ok := f.(*http2.DataFrame)
			if ok {
				got += len(data.Data())
			}
			return ok && got == 10
		}); err != nil {
			t.Fatal(err)
		}
		if err := open(p); err != nil {
			t.Fatal(err)
		}
		if err := p.until(func(f http2.Frame) bool {
			data, ok := f.(*http2.DataFrame)
			if ok {
				got += len(data.Data())
			}
			return ok && data.StreamEnded()
		}); err != nil || got != 100 {
			t.Errorf("%s: %d bytes, %v", name, got, err)
		}
	}
}

func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, say := range map[string]func(net.Conn){
			"no preface": func(net.Conn) {},
			"no request": func(conn net.Conn) {
				_, _ = io.WriteString(conn, http2.ClientPreface)
				_ = http2.NewFramer(conn, nil).WriteSettings()
			},
		} {
			near, far := net.Pipe()
			done := make(chan struct{})
			go func() {
				defer close(done)
				Serve(context.Background(), near, options(func(http.ResponseWriter, *http.Request) { t.Error("served") }))
			}()
			go func() { _, _ = io.Copy(io.Discard, far) }()
			began := time.Now()
			say(far)
			<-done
			want := 10 * time.Second
			if name == "no request" {
				want = time.Minute
			}
			if took := time.Since(began); took != want {
				t.Errorf("%s: the connection ends after %v, want %v", name, took, want)
			}
			_ = far.Close()
		}
	})
}

// FuzzFrames: whatever a peer sends after the preface, the connection ends with it and nothing panics.
func FuzzFrames(f *testing.F) {
	var seed bytes.Buffer
	framer := http2.NewFramer(&seed, nil)
	_ = framer.WriteSettings()
	f.Add(bytes.Clone(seed.Bytes()))
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: "/"}} {
		_ = encoder.WriteField(field)
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
	_ = framer.WriteData(1, true, []byte("body"))
	_ = framer.WriteWindowUpdate(1, 100)
	_ = framer.WriteRSTStream(1, http2.ErrCodeCancel)
	_ = framer.WritePing(false, [8]byte{})
	_ = framer.WriteGoAway(0, http2.ErrCodeNo, nil)
	f.Add(seed.Bytes())
	f.Fuzz(func(t *testing.T, frames []byte) {
		near, far := net.Pipe()
		var serving sync.WaitGroup
		serving.Go(func() {
			Serve(context.Background(), near, options(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }))
		})
		serving.Go(func() { _, _ = io.Copy(io.Discard, far) })
		_, _ = io.WriteString(far, http2.ClientPreface)
		_, _ = far.Write(frames)
		_ = far.Close()
		serving.Wait()
	})
}

// TestBodies: requests carry more than all windows, many at once, read at once, late, in part or not at all.
func TestBodies(t *testing.T) {
	const size = 300_001
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		switch n % 4 {
		case 0: // nothing of it is read
			return
		case 1: // some
			_, _ = io.CopyN(io.Discard, r.Body, 20_000)
			return
		case 2: // it is closed
			_ = r.Body.Close()
			_, err := r.Body.Read(make([]byte, 1))
			fmt.Fprint(w, err != nil)
			return
		}
		got, err := io.ReadAll(r.Body)
		fmt.Fprint(w, err == nil && bytes.Equal(got, pattern(n, size)))
	}))
	c := client(t, address, nil)
	response, err := c.Get("http://relay/0") // how many requests there may be at once is known after it
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	var asking sync.WaitGroup
	for n := range 40 {
		asking.Go(func() {
			var content io.Reader = bytes.NewReader(pattern(n, size))
			if n%8 == 7 {
				content = struct{ io.Reader }{content} // of a length that is not declared
			}
			response, err := c.Post(fmt.Sprintf("http://relay/%d", n), "text/plain", content)
			if err != nil {
				t.Errorf("%d: %v", n, err)
				return
			}
			answer, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err != nil || n%4 >= 2 && string(answer) != "true" {
				t.Errorf("%d: %q, %v", n, answer, err)
			}
		})
	}
	asking.Wait()
}

func TestABodyThatIsNotAsDeclared(t *testing.T) {
	read := make(chan error, 1)
	address := served(t, options(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	}))
	post := []string{":method", "POST", ":scheme", "http", ":path", "/", "content-length", "10"}
	p := greeted(t, address)
	p.headers(1, false, post...)
	_ = p.framer.WriteData(1, true, []byte("short"))
	if err := <-read; err != io.ErrUnexpectedEOF {
		t.Errorf("one that is too short: %v", err)
	}
	p.headers(3, false, post...)
	_ = p.framer.WriteData(3, false, []byte("longer than ten"))
	if err := p.until(reset(3, http2.ErrCodeProtocol)); err != nil {
		t.Errorf("one that is too long: %v", err)
	}
	if err := <-read; err == nil {
		t.Error("one that is too long is read as if it were whole")
	}
}
