package connlimit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/server/internal/testkit"
)

// bench is a server under test, with a handler that knows a few paths.
type bench struct {
	pipes   *testkit.Pipes
	limit   *Listener
	evicted atomic.Int64
	server  *http.Server
	release chan struct{} // what /wait waits for
	served  sync.WaitGroup
}

func newBench(options Options) *bench {
	b := &bench{pipes: testkit.NewPipes(), release: make(chan struct{})}
	options.OnEviction = func(net.Addr) { b.evicted.Add(1) }
	b.limit = New(b.pipes, options)
	b.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/wait":
				select {
				case <-b.release:
				case <-r.Context().Done():
				}
			case "/admit":
				Admit(r.Context())
			case "/hijack":
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					panic(err)
				}
				b.served.Go(func() { _, _ = io.Copy(io.Discard, c); _ = c.Close() })
				return
			case "/large":
				_, _ = w.Write(make([]byte, 1<<20))
				return
			}
			_, _ = io.WriteString(w, "ok")
		}),
		ReadHeaderTimeout: time.Hour, // so that the listener's limit acts first
	}
	b.limit.Attach(b.server)
	b.served.Go(func() { _ = b.server.Serve(b.limit) })
	return b
}

func (b *bench) end() {
	close(b.release)
	_ = b.server.Close()
	b.served.Wait()
}

// ask sends a request on a connection, and reads the whole answer.
func ask(t *testing.T, c net.Conn, path string) error {
	t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && string(body) != "ok" {
		err = errors.New(string(body))
	}
	return err
}

// alive reports whether the server still has the other end of a connection, with a request on it.
func alive(t *testing.T, c net.Conn) bool { return ask(t, c, "/") == nil }

// TestTheQuietestMakesRoom: every new connection is accepted. Idle connections and half a request are evicted before one with an answer in progress,
// and of two alike the one that has been quiet for longer.
func TestTheQuietestMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(Options{Places: 3})
		defer b.end()
		later := func() { time.Sleep(time.Second); synctest.Wait() }
		busy := b.pipes.Dial(t)
		if _, err := io.WriteString(busy, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		later()
		silent := b.pipes.Dial(t)
		later()
		half := b.pipes.Dial(t)
		if _, err := io.WriteString(half, "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nSec-"); err != nil {
			t.Fatal(err)
		}
		later()
		if b.limit.UnknownCount() != 3 || b.evicted.Load() != 0 {
			t.Fatalf("%d connections, %d had to go", b.limit.UnknownCount(), b.evicted.Load())
		}
		first := b.pipes.Dial(t)
		if !alive(t, first) {
			t.Fatal("a fourth connection is not answered")
		}
		if _, err := silent.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the silent connection is not closed: %v", err)
		}
		later()
		second := b.pipes.Dial(t)
		if !alive(t, second) {
			t.Fatal("a fifth connection is not answered")
		}
		if _, err := half.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the half-sent request is not closed: %v", err)
		}
		later()
		// The first has been idle for longer than the second; a new request makes it the younger.
		if !alive(t, first) {
			t.Fatal("an idle connection was closed without need")
		}
		later()
		third := b.pipes.Dial(t)
		if !alive(t, third) || !alive(t, first) || alive(t, second) {
			t.Error("it was not the one quiet for longest that made room")
		}
		// After two more, all have an answer in progress: only now the oldest of those is evicted.
		for range 2 {
			later()
			c := b.pipes.Dial(t)
			if _, err := io.WriteString(c, "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if alive(t, first) || alive(t, third) {
			t.Error("an idle connection stayed, and one that was being answered went")
		}
		later()
		if !alive(t, b.pipes.Dial(t)) {
			t.Error("no new connection is accepted while all have an answer in progress")
		}
		if _, err := busy.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection that was being answered for longest is not closed: %v", err)
		}
		if b.limit.UnknownCount() != 3 || b.evicted.Load() != 6 {
			t.Errorf("%d connections, %d had to go", b.limit.UnknownCount(), b.evicted.Load())
		}
	})
}

// TestAdmittedConnectionsStay: a hijacked or admitted connection has no place and is not evicted.
func TestAdmittedConnectionsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(Options{Places: 2})
		defer b.end()
		hijacked, admitted := b.pipes.Dial(t), b.pipes.Dial(t)
		if _, err := io.WriteString(hijacked, "GET /hijack HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := ask(t, admitted, "/admit"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if b.limit.UnknownCount() != 0 {
			t.Fatalf("%d have a place", b.limit.UnknownCount())
		}
		for range 50 {
			b.pipes.Dial(t)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if b.limit.UnknownCount() != 2 || b.evicted.Load() != 48 {
			t.Errorf("%d connections, %d had to go", b.limit.UnknownCount(), b.evicted.Load())
		}
		if _, err := io.WriteString(hijacked, "still here"); err != nil {
			t.Errorf("the WebSocket was closed: %v", err)
		}
		if err := ask(t, admitted, "/"); err != nil {
			t.Errorf("the admitted connection was closed: %v", err)
		}
		_ = hijacked.Close()
		_ = admitted.Close()
	})
}

// TestAdmittedConnectionsAreBounded: those beyond the number keep their places, and one that closes makes room for another.
func TestAdmittedConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(Options{Places: 8, MaxAdmitted: 2})
		defer b.end()
		var conns []net.Conn
		for range 3 {
			c := b.pipes.Dial(t)
			for range 2 { // a second request on a connection does not admit it twice
				if err := ask(t, c, "/admit"); err != nil {
					t.Fatal(err)
				}
			}
			conns = append(conns, c)
		}
		synctest.Wait()
		if b.limit.UnknownCount() != 1 {
			t.Errorf("%d have a place, beside two admitted of three", b.limit.UnknownCount())
		}
		_ = conns[0].Close()
		synctest.Wait()
		if err := ask(t, conns[2], "/admit"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if b.limit.UnknownCount() != 0 {
			t.Errorf("%d have a place after one has gone", b.limit.UnknownCount())
		}
	})
}

// TestGrace: a new connection has its grace to send a request, however many follow it.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(Options{Places: 4, Grace: 50 * time.Millisecond})
		defer b.end()
		viewer := b.pipes.Dial(t)
		began := time.Now()
		for range 40 {
			b.pipes.Dial(t)
		}
		if took := time.Since(began); took < 400*time.Millisecond {
			t.Errorf("40 connections drove out others within %s", took)
		}
		if _, err := viewer.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("it stays for ever: %v", err)
		}
		viewer = b.pipes.Dial(t)
		go func() {
			for range 3 {
				b.pipes.Dial(t)
			}
		}()
		time.Sleep(40 * time.Millisecond)
		if !alive(t, viewer) {
			t.Error("it was closed within its grace")
		}
		synctest.Wait()
	})
}

// TestAnswersThatAreNotRead: a client that reads nothing of an answer is cut off, and one that reads slowly gets all of it.
func TestAnswersThatAreNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(Options{Places: 4, Stall: 20 * time.Second})
		defer b.end()
		slow, none := b.pipes.Dial(t), b.pipes.Dial(t)
		for _, c := range []net.Conn{slow, none} {
			if _, err := io.WriteString(c, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		got, part := 0, make([]byte, 8<<10)
		for got < 1<<20 {
			n, err := slow.Read(part)
			if err != nil {
				t.Fatalf("after %d bytes and %s: %v", got, time.Since(began), err)
			}
			got += n
			time.Sleep(2 * time.Second) // 64 KiB take 16 s
		}
		if time.Since(began) < 4*time.Minute {
			t.Errorf("it was not slow: %s", time.Since(began))
		}
		synctest.Wait()
		if b.limit.UnknownCount() != 1 {
			t.Errorf("%d connections are left", b.limit.UnknownCount())
		}
		if rest, err := io.ReadAll(none); err != nil || len(rest) != 0 {
			t.Errorf("of the answer that was not read %d bytes came later, %v", len(rest), err)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(Options{Places: 1, Grace: time.Hour})
		b.pipes.Dial(t)
		b.pipes.Dial(t) // waits for a place
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.server.Shutdown(ctx); err != nil && !strings.Contains(err.Error(), "deadline") {
			t.Error(err)
		}
		b.end()
	})
}

// TestReadsArePaced: however fast a peer sends, the listener reads at the rate, and nothing is lost.
func TestReadsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := testkit.NewPipes()
		ln := New(pipes, Options{Places: 1})
		accepted := make(chan net.Conn)
		go func() {
			c, err := ln.Accept()
			if err != nil {
				t.Error(err)
			}
			accepted <- c
		}()
		far := pipes.Dial(t)
		c := <-accepted
		const seconds = 10
		sent := bytes.Repeat([]byte("flood"), (readBurst+seconds*readRate)/5)
		go func() {
			_, _ = far.Write(sent)
			_ = far.Close()
		}()
		began := time.Now()
		got, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d of %d bytes, %v", len(got), len(sent), err)
		}
		if took := time.Since(began); took < (seconds-1)*time.Second || took > (seconds+1)*time.Second {
			t.Errorf("%d bytes took %s", len(sent), took)
		}
		_ = c.Close()
	})
}
