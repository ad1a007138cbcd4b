package relay

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"informerscope/server/internal/wsconn"
)

// rawViewer is a viewer's connection on which a test writes frames.
type rawViewer struct {
	t *testing.T
	*http2.Framer
	conn    *wsconn.Conn
	encoder *hpack.Encoder
	block   bytes.Buffer
}

// raw opens a viewer's connection and sends HTTP/2's preface.
func (f *fixture) raw(t *testing.T) *rawViewer {
	t.Helper()
	ws, err := f.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v := &rawViewer{t: t, conn: wsconn.New(ws, wsconn.Options{})}
	t.Cleanup(func() { _ = v.conn.Close() })
	_ = v.conn.SetReadDeadline(time.Now().Add(patience))
	v.Framer = http2.NewFramer(v.conn, v.conn)
	v.AllowIllegalWrites = true
	v.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	v.encoder = hpack.NewEncoder(&v.block)
	if _, err := io.WriteString(v.conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := v.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	return v
}

// ask sends a GET with more header fields.
func (v *rawViewer) ask(id uint32, path string, more ...string) {
	v.t.Helper()
	v.block.Reset()
	fields := append([]string{":method", "GET", ":scheme", "http", ":authority", "relay", ":path", path}, more...)
	for i := 0; i < len(fields); i += 2 {
		_ = v.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	block := v.block.Bytes()
	first := block[:min(len(block), maxFrame)]
	err := v.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: first, EndStream: true, EndHeaders: len(first) == len(block)})
	for rest := block[len(first):]; err == nil && len(rest) > 0; {
		part := rest[:min(len(rest), maxFrame)]
		rest = rest[len(part):]
		err = v.WriteContinuation(id, len(rest) == 0, part)
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

// await reads frames until wanted accepts one.
func (v *rawViewer) await(what string, want func(http2.Frame) bool) {
	v.t.Helper()
	for {
		frame, err := v.ReadFrame()
		if err != nil {
			v.t.Fatalf("%s: %v", what, err)
		}
		if want(frame) {
			return
		}
	}
}

// TestLimitsOfAViewer: streams, headers and frames have the bounds that the server announces.
func TestLimitsOfAViewer(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
	t.Run("announced", func(t *testing.T) {
		f.raw(t).await("settings", func(frame http2.Frame) bool {
			settings, ok := frame.(*http2.SettingsFrame)
			if !ok {
				return false
			}
			streams, _ := settings.Value(http2.SettingMaxConcurrentStreams)
			frames, _ := settings.Value(http2.SettingMaxFrameSize)
			headers, _ := settings.Value(http2.SettingMaxHeaderListSize)
			if streams != maxStreams || frames != maxFrame || headers < maxHeaderBytes || headers > maxHeaderBytes+1<<10 {
				t.Errorf("%d streams, frames of %d bytes, headers of %d", streams, frames, headers)
			}
			return true
		})
	})
	t.Run("a stream too many", func(t *testing.T) {
		v := f.raw(t)
		for i := range maxStreams + 1 {
			v.ask(uint32(2*i+1), "/clusters/kind/api/v1/pods?watch=true", "accept", "application/json")
		}
		v.await("a reset", func(frame http2.Frame) bool {
			reset, ok := frame.(*http2.RSTStreamFrame)
			return ok && reset.StreamID == 2*maxStreams+1
		})
	})
	t.Run("a header too large", func(t *testing.T) {
		v := f.raw(t)
		part := strings.Repeat("y", maxHeaderBytes/4)
		v.ask(1, "/contexts", "a", part, "b", part, "c", part, "d", part, "e", part)
		v.await("GOAWAY", func(frame http2.Frame) bool {
			goAway, ok := frame.(*http2.GoAwayFrame)
			return ok && goAway.ErrCode == http2.ErrCodeProtocol
		})
	})
	t.Run("a frame too large", func(t *testing.T) {
		v := f.raw(t)
		if err := v.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, maxFrame+1)); err != nil {
			t.Fatal(err)
		}
		v.await("GOAWAY", func(frame http2.Frame) bool {
			goAway, ok := frame.(*http2.GoAwayFrame)
			return ok && goAway.ErrCode == http2.ErrCodeFrameSize
		})
	})
}

// TestAViewerThatAsksTooOften: requests beyond the rate are answered with a status 429 and reach no cluster. Too many of them end the connection.
func TestAViewerThatAsksTooOften(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items":[]}`)
	})
	var elapsed atomic.Int64
	start := time.Now()
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) {
		c.Now = func() time.Time { return start.Add(time.Duration(elapsed.Load())) }
	})
	expectServed := func(want int) {
		t.Helper()
		for served := 0; ; served++ {
			response, body := f.body("/clusters/kind/api/v1/pods")
			if response.StatusCode == http.StatusOK && served < want {
				continue
			}
			if response.StatusCode != http.StatusTooManyRequests || served != want {
				t.Fatalf("%d after %d requests, want a refusal after %d: %s", response.StatusCode, served, want, body)
			}
			if response.Header.Get("Retry-After") == "" || !strings.Contains(body, "requests a second") {
				t.Errorf("%s, %v", body, response.Header)
			}
			return
		}
	}
	expectServed(requestBurst)
	elapsed.Store(int64(time.Second))
	expectServed(requestRate)
	viewers := f.config.Metrics.ViewersTotal.Load()
	for asked := 0; f.config.Metrics.ViewersTotal.Load() == viewers; asked++ { // the page dials again when it is cut off
		if asked > 10*maxRefused {
			t.Fatalf("not cut off after %d requests more", asked)
		}
		if response, err := f.client.Get("http://relay/contexts"); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	}
}

// TestAnIdleViewerMakesRoom: a connection without a request ends, and one with a watch stays.
func TestAnIdleViewerMakesRoom(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) {
		c.IdleTimeout, c.PingInterval = 50*time.Millisecond, 10*time.Millisecond
	})
	idle := f.raw(t)
	idle.ask(1, "/contexts")
	watching := f.raw(t)
	watching.ask(1, "/clusters/kind/api/v1/pods?watch=true", "accept", "application/json")
	for ended := false; !ended; {
		_, err := idle.ReadFrame()
		ended = err != nil
	}
	if f.config.Metrics.Viewers.Load() > 2 {
		t.Error("viewers are not counted")
	}
	if err := watching.WritePing(false, [8]byte{7}); err != nil {
		t.Fatal(err)
	}
	watching.await("the ping's answer", func(frame http2.Frame) bool {
		ping, ok := frame.(*http2.PingFrame)
		return ok && ping.IsAck()
	})
}

// flushes is a stream to a viewer that counts the deadlines that are set.
type flushes struct{ deadlines int }

func (f *flushes) FlushError() error                { return nil }
func (f *flushes) SetWriteDeadline(time.Time) error { f.deadlines++; return nil }

// TestStallTimer: only a write that takes too long resets the stream.
func TestStallTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := new(flushes)
		stall := newStallTimer(to, time.Minute)
		for range 3 {
			time.Sleep(time.Hour) // an idle stream
			stall.start()
			time.Sleep(59 * time.Second)
			if stall.stop() {
				t.Fatal("a slow viewer is given up")
			}
		}
		stall.start()
		time.Sleep(time.Minute)
		synctest.Wait()
		if to.deadlines != 1 || !stall.stop() {
			t.Errorf("a viewer that takes nothing: %d resets", to.deadlines)
		}
		time.Sleep(time.Hour)
		if to.deadlines != 1 {
			t.Error("the stream is touched after its handler")
		}
	})
}
