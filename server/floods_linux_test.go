package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// These tests send what a viewer with the launch's token can send to exhaust the server at little cost. Each runs the server as a process and checks
// ceilings of memory and processor time, and how long another viewer's requests wait.

const (
	// floodTime is how long a flood lasts, as fast as the server accepts it.
	floodTime = time.Second
	// What a flood may cost: processors, resident memory in MiB, requests that reach the cluster, and how long another viewer waits.
	floodProcessors, floodMemory, floodRequests, floodWait = 0.8, 192, 700, 2 * time.Second
)

// flooder is a viewer that writes HTTP/2 frames itself.
type flooder struct {
	*http2.Framer
	conn    net.Conn
	out     *bufio.Writer
	counter *countingWriter
	block   bytes.Buffer
	encoder *hpack.Encoder
	closed  atomic.Bool // by the server
}

type countingWriter struct {
	io.Writer
	bytes int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.bytes += int64(n)
	return n, err
}

// newFlooder opens an HTTP/2 connection as a viewer. With drain set it reads and drops what the server sends.
func newFlooder(p *process, drain bool, settings ...http2.Setting) *flooder {
	p.t.Helper()
	conn, err := p.dial(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	f := &flooder{conn: conn, counter: &countingWriter{Writer: conn}}
	f.out = bufio.NewWriterSize(f.counter, 16<<10)
	f.Framer = http2.NewFramer(f.out, nil)
	f.AllowIllegalWrites = true
	f.encoder = hpack.NewEncoder(&f.block)
	ended := make(chan struct{})
	if drain {
		go func() {
			defer close(ended)
			_, _ = io.Copy(io.Discard, conn)
			f.closed.Store(true)
		}()
	} else {
		close(ended)
	}
	p.t.Cleanup(func() { _ = conn.Close(); <-ended })
	_, _ = f.out.WriteString(http2.ClientPreface)
	_ = f.WriteSettings(settings...)
	if err := f.out.Flush(); err != nil {
		p.t.Fatal(err)
	}
	return f
}

// fields encodes a request's header.
func (f *flooder) fields(method, path string, more ...string) []byte {
	f.block.Reset()
	pairs := append([]string{":method", method, ":scheme", "http", ":authority", "relay", ":path", path}, more...)
	for i := 0; i < len(pairs); i += 2 {
		_ = f.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return f.block.Bytes()
}

func (f *flooder) get(id uint32, path string) error {
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.fields("GET", path), EndStream: true, EndHeaders: true})
}

// processor is the processor time that the process has used.
func (p *process) processor() time.Duration {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "stat"))
	if err != nil {
		p.t.Fatal(err)
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// awaitRest waits until the process is idle: at its start it compresses the page's files.
func (p *process) awaitRest() {
	p.t.Helper()
	for deadline, last := time.Now().Add(6*patience), time.Duration(-1); ; {
		now := p.processor()
		if now == last {
			return
		}
		if last = now; time.Now().After(deadline) {
			p.t.Fatal("the process does not come to rest")
		}
		<-time.After(200 * time.Millisecond)
	}
}

// metric reads one of the process's metrics.
func (p *process) metric(name string) int {
	p.t.Helper()
	response, err := http.Get(p.base + "/metrics")
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindSubmatch(raw)
	if match == nil {
		return 0
	}
	value, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return int(value)
}

func TestFloodsOfAViewer(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	watch := func(i int) string { return fmt.Sprintf("/clusters/c/api/v1/namespaces/n%d/pods?watch=true", i) }
	for _, flood := range []struct {
		name     string
		drain    bool
		settings []http2.Setting
		begin    func(f *flooder) error
		send     func(f *flooder, i int) error
	}{
		{name: "PING, unread", send: func(f *flooder, i int) error { return f.WritePing(false, [8]byte{}) }},
		{name: "PING, read", drain: true, send: func(f *flooder, i int) error { return f.WritePing(false, [8]byte{}) }},
		{name: "SETTINGS", drain: true, send: func(f *flooder, i int) error { return f.WriteSettings() }},
		{name: "PRIORITY", drain: true, send: func(f *flooder, i int) error {
			return f.WritePriority(uint32(2*(i%1000)+1), http2.PriorityParam{Weight: 7})
		}},
		{name: "unknown frames of 16 KB", drain: true, send: func(f *flooder, i int) error {
			return f.WriteRawFrame(0xfa, 0, 0, make([]byte, 16<<10))
		}},
		{name: "WINDOW_UPDATE(0, 1) with 250 stalled streams", drain: true, settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}},
			begin: func(f *flooder) error {
				for i := range 250 {
					if err := f.get(uint32(2*i+1), watch(i)); err != nil {
						return err
					}
				}
				return nil
			},
			send: func(f *flooder, i int) error { return f.WriteWindowUpdate(0, 1) }},
		{name: "WINDOW_UPDATE(id, 0)", drain: true, begin: func(f *flooder) error { return f.get(1, watch(0)) },
			send: func(f *flooder, i int) error { return f.WriteWindowUpdate(1, 0) }},
		{name: "rapid reset, unread", send: func(f *flooder, i int) error {
			if err := f.get(uint32(2*i+1), watch(i%100)); err != nil {
				return err
			}
			return f.WriteRSTStream(uint32(2*i+1), http2.ErrCodeCancel)
		}},
		{name: "rapid reset, read", drain: true, send: func(f *flooder, i int) error {
			if err := f.get(uint32(2*i+1), watch(i%100)); err != nil {
				return err
			}
			return f.WriteRSTStream(uint32(2*i+1), http2.ErrCodeCancel)
		}},
		{name: "reset by a window of 0", drain: true, send: func(f *flooder, i int) error {
			if err := f.get(uint32(2*i+1), watch(i%100)); err != nil {
				return err
			}
			return f.WriteWindowUpdate(uint32(2*i+1), 0)
		}},
		{name: "CONTINUATION", drain: true, begin: func(f *flooder) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.fields("GET", "/contexts")})
		}, send: func(f *flooder, i int) error { return f.WriteContinuation(1, false, nil) }},
		{name: "empty DATA", drain: true, begin: func(f *flooder) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.fields("POST", "/broadcast/begin"), EndHeaders: true})
		}, send: func(f *flooder, i int) error { return f.WriteData(1, false, nil) }},
		{name: "DATA beyond the window", drain: true, begin: func(f *flooder) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.fields("POST", "/broadcast/begin"), EndHeaders: true})
		}, send: func(f *flooder, i int) error { return f.WriteData(1, false, make([]byte, 16<<10)) }},
		{name: "HPACK bomb", drain: true, send: func(f *flooder, i int) error {
			if i == 0 {
				block := f.fields("GET", "/contexts", "x", strings.Repeat("y", 4000))
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block, EndStream: true, EndHeaders: true})
			}
			block := bytes.Repeat([]byte{0x80 | 62}, 16000) // the field that was added last, again and again
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block, EndStream: true, EndHeaders: true})
		}},
		{name: "headers of 1 MB", drain: true, send: func(f *flooder, i int) error {
			id := uint32(2*i + 1)
			if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.fields("GET", "/contexts")}); err != nil {
				return err
			}
			for part := range 64 {
				f.block.Reset()
				_ = f.encoder.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("y", 16000), Sensitive: true})
				if err := f.WriteContinuation(id, part == 63, f.block.Bytes()); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		t.Run(flood.name, func(t *testing.T) {
			full := make(chan struct{}, 1<<12)
			var upstream atomic.Int64
			endless := endlessWatch(full)
			p := launch(t, "--kubeconfig", bigAPI(t, func(w http.ResponseWriter, r *http.Request) { upstream.Add(1); endless(w, r) }))
			page := p.page()
			ask := func() time.Duration {
				began := time.Now()
				response, err := page.Get("http://relay/contexts")
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				return time.Since(began)
			}
			ask()
			p.awaitRest()
			f := newFlooder(p, flood.drain, flood.settings...)
			if flood.begin != nil {
				if err := flood.begin(f); err != nil {
					t.Fatal(err)
				}
				if err := f.out.Flush(); err != nil {
					t.Fatal(err)
				}
				ask()
			}
			before, began := p.processor(), time.Now()
			f.counter.bytes = 0
			frames := make(chan int, 1)
			flooding, cancel := context.WithTimeout(t.Context(), floodTime)
			defer cancel()
			go func() {
				n := 0
				defer func() { frames <- n }()
				for ; flooding.Err() == nil; n++ {
					if flood.send(f, n) != nil {
						return
					}
				}
			}()
			var slowest time.Duration
			for asking := time.NewTicker(20 * time.Millisecond); flooding.Err() == nil; <-asking.C {
				slowest = max(slowest, ask())
			}
			used, took := p.processor()-before, time.Since(began)
			peak := p.memory("VmHWM")
			closed := f.closed.Load()
			p.end()
			n := <-frames
			t.Logf("%s: %d sent, %.1f MB; %.2f processors, %d MiB, %d requests to the cluster, another viewer waits %s, closed: %v", flood.name, n,
				float64(f.counter.bytes)/1e6, used.Seconds()/took.Seconds(), peak, upstream.Load(), slowest.Round(time.Millisecond), closed)
			if used.Seconds() > floodProcessors*took.Seconds() || peak > floodMemory || upstream.Load() > floodRequests || slowest > floodWait {
				t.Errorf("at most %.1f processors, %d MiB, %d requests and a wait of %s", floodProcessors, floodMemory, floodRequests, floodWait)
			}
		})
	}
}

// TestClosedConnectionsLeaveNothing: viewers, one after the other, open a stream without granting it a window, send a large frame and close.
func TestClosedConnectionsLeaveNothing(t *testing.T) {
	const warmup, connections, ceiling = 500, 2000, 24
	p := launch(t, "--kubeconfig", bigAPI(t, endlessWatch(make(chan struct{}, connections))))
	shake := func() {
		f := newFlooder(p, false, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		_ = f.get(1, "/contexts")
		_ = f.WriteRawFrame(0xfa, 0, 0, make([]byte, 16<<10))
		_ = f.out.Flush()
		_ = f.conn.Close()
	}
	for range warmup {
		shake()
	}
	p.awaitRest()
	before, goroutines := p.memory("VmRSS"), p.metric("go_goroutines")
	for range connections {
		shake()
	}
	for deadline := time.Now().Add(patience); p.metric("informerscope_viewers") > 0 || p.metric("go_goroutines") > goroutines+20; {
		if time.Now().After(deadline) {
			t.Fatalf("%d viewers, %d goroutines, %d before", p.metric("informerscope_viewers"), p.metric("go_goroutines"), goroutines)
		}
	}
	after := p.memory("VmRSS")
	t.Logf("%d connections that came, asked and left: %d MiB, %d before; goroutines as before (%d)", connections, after, before, goroutines)
	if after > before+ceiling {
		t.Errorf("%d MiB remain; at most %d", after-before, ceiling)
	}
}
