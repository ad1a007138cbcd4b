package wsconn

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

const patience = 20 * time.Second

// pair returns the server's Conn and the peer's raw WebSocket.
func pair(t *testing.T, options Options) (*Conn, *websocket.Conn) {
	t.Helper()

	accepted := make(chan *Conn, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		accepted <- New(ws, options)
	}))
	t.Cleanup(server.Close)
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	c := <-accepted
	t.Cleanup(func() { _ = c.Close() })
	return c, ws
}

func TestBytesGoBothWays(t *testing.T) {
	c, ws := pair(t, Options{})
	peer := New(ws, Options{})
	defer func() { _ = peer.Close() }()
	data := make([]byte, 3<<20+17)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	for _, ends := range [][2]net.Conn{{c, peer}, {peer, c}} {
		var writing sync.WaitGroup
		writing.Go(func() {
			for rest := data; len(rest) > 0; { // in pieces of any size
				n := min(len(rest), rand.IntN(200<<10))
				if wrote, err := ends[0].Write(rest[:n]); err != nil || wrote != n {
					t.Errorf("wrote %d of %d: %v", wrote, n, err)
					return
				}
				rest = rest[n:]
			}
		})
		got := make([]byte, len(data))
		if _, err := io.ReadFull(ends[1], got); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("not what was sent: %v", err)
		}
		writing.Wait()
	}
}

func TestEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*websocket.Conn)
		want func(error) bool
	}{
		"orderly": {func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""))
		}, func(err error) bool { return err == io.EOF }},
		"going away": {func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1001, ""))
		}, func(err error) bool { return err == io.EOF }},
		"cut": {func(ws *websocket.Conn) { _ = ws.NetConn().Close() }, func(err error) bool { return err != nil && err != io.EOF }},
		"text": {func(ws *websocket.Conn) { _ = ws.WriteMessage(websocket.TextMessage, []byte("x")) },
			func(err error) bool { return err != nil && strings.Contains(err.Error(), "text message") }},
		"too large": {func(ws *websocket.Conn) { _ = ws.WriteMessage(websocket.BinaryMessage, make([]byte, 2000)) },
			func(err error) bool { return errors.Is(err, websocket.ErrReadLimit) }},
		"not a frame": {func(ws *websocket.Conn) { _, _ = ws.NetConn().Write([]byte{0xff, 0xff, 0xff}) },
			func(err error) bool { return err != nil && err != io.EOF }},
		"empty, ended": {func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.BinaryMessage, nil)
			_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""))
		}, func(err error) bool { return err == io.EOF }},
	} {
		t.Run(name, func(t *testing.T) {
			c, ws := pair(t, Options{MaxMessage: 1000})
			if err := ws.WriteMessage(websocket.BinaryMessage, []byte("hi")); err != nil {
				t.Fatal(err)
			}
			test.end(ws)
			got, err := io.ReadAll(c)
			if err == nil {
				err = io.EOF // ReadAll reports io.EOF as nil
			}
			if !strings.HasPrefix(string(got), "hi") || !test.want(err) {
				t.Errorf("%q, %v", got, err)
			}
			for range 2000 { // gorilla/websocket panics when it is read again and again after an error
				if _, err := c.Read(make([]byte, 1)); err == nil {
					t.Fatal("read after the end")
				}
			}
		})
	}
}

func TestDeadlines(t *testing.T) {
	c, _ := pair(t, Options{})
	if err := c.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if _, err := c.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("Read: %v", err)
	}
	if err := c.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write: %v", err)
	}
}

func TestCloseFreesWhoWaits(t *testing.T) {
	closed := 0
	c, ws := pair(t, Options{OnClose: func() { closed++ }})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Read: %v", err)
		}
	})
	waiting.Go(func() { // the peer does not read: this write gets stuck
		for {
			if _, err := c.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	waiting.Wait()
	if err := c.Close(); !errors.Is(err, net.ErrClosed) || closed != 1 {
		t.Errorf("again: %v, OnClose %d times", err, closed)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Write: %v", err)
	}
	_ = ws.Close()
}

func TestPeerIsToldTheReason(t *testing.T) {
	c, ws := pair(t, Options{})
	if err := c.CloseWith(websocket.CloseTryAgainLater, "full"); err != nil {
		t.Error(err)
	}
	_ = ws.SetReadDeadline(time.Now().Add(patience))
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) || !strings.Contains(err.Error(), "full") {
		t.Errorf("%v", err)
	}
}

func TestAPeerThatDoesNotReadIsDead(t *testing.T) {
	c, _ := pair(t, Options{StallTimeout: 200 * time.Millisecond})
	began := time.Now()
	for {
		if _, err := c.Write(make([]byte, 1<<20)); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Write: %v", err)
			}
			break
		}
		if time.Since(began) > patience {
			t.Fatal("bytes vanish somewhere")
		}
	}
}

func TestASilentPeerIsDead(t *testing.T) {
	c, _ := pair(t, Options{PingInterval: 20 * time.Millisecond, StallTimeout: 200 * time.Millisecond})
	var timeout net.Error // the peer never reads, so it answers no ping
	if _, err := c.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("Read: %v", err)
	}
}

// hijacked is a ResponseWriter whose connection can be hijacked.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
	rw   *bufio.ReadWriter
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.conn, h.rw, nil }

// pipePair is pair over a pipe in memory, for a synctest bubble.
func pipePair(t *testing.T, options Options) (*Conn, *websocket.Conn) {
	t.Helper()

	near, far := net.Pipe()
	accepted := make(chan *Conn, 1)
	go func() {
		defer close(accepted)
		rw := bufio.NewReadWriter(bufio.NewReader(near), bufio.NewWriter(near))
		r, err := http.ReadRequest(rw.Reader)
		if err != nil {
			t.Error(err)
			return
		}
		ws, err := (&websocket.Upgrader{}).Upgrade(hijacked{httptest.NewRecorder(), near, rw}, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		accepted <- New(ws, options)
	}()
	dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return far, nil }}
	ws, _, err := dialer.Dial("ws://in.memory/", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := <-accepted
	if c == nil {
		t.FailNow()
	}
	return c, ws
}

// TestPongsKeepAQuietPeerAlive: with the defaults, a peer that only answers pings lives through three stall timeouts.
func TestPongsKeepAQuietPeerAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ws := pipePair(t, Options{})
		pings := 0
		answer := ws.PingHandler()
		ws.SetPingHandler(func(data string) error { pings++; return answer(data) })
		go func() { _, _, _ = ws.ReadMessage() }() // ends with the connection
		read := make(chan error, 1)
		go func() { _, err := c.Read(make([]byte, 1)); read <- err }()
		time.Sleep(15*time.Minute + time.Second)
		synctest.Wait()
		select {
		case err := <-read:
			t.Errorf("given up: %v", err)
		default:
		}
		if pings != 45 { // every twenty seconds
			t.Errorf("%d pings in fifteen minutes", pings)
		}
		_ = c.Close()
		_ = ws.Close()
	})
}

// TestAPingIsAnsweredWithoutHarm: the answer to the peer's ping has a deadline of its own, which does not end later writes.
func TestAPingIsAnsweredWithoutHarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, ws := pipePair(t, Options{})
		pongs := 0
		ws.SetPongHandler(func(string) error { pongs++; return nil })
		go func() { _, _ = c.Read(make([]byte, 1)) }() // it answers pings, and ends with the connection
		var got []byte
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				_, message, err := ws.ReadMessage()
				if err != nil {
					return
				}
				got = append(got, message...)
			}
		}()
		for _, part := range []string{"a", "b", "c"} {
			if _, err := c.Write([]byte(part)); err != nil {
				t.Fatalf("%s: %v", part, err)
			}
			if err := ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		_ = c.Close()
		_ = ws.Close()
		<-done
		if string(got) != "abc" || pongs != 3 {
			t.Errorf("the peer read %q and %d answers", got, pongs)
		}
	})
}
