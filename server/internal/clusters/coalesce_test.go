package clusters

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a connection that keeps what each write wrote.
type counted struct {
	net.Conn
	mu     sync.Mutex
	writes [][]byte
	err    error
}

func (c *counted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	c.writes = append(c.writes, bytes.Clone(p))
	return len(p), nil
}

func (c *counted) Read([]byte) (int, error) { return 1, nil }

func (c *counted) Close() error { return nil }

func (c *counted) seen() (n int, all []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.writes), bytes.Join(c.writes, nil)
}

func TestSmallWritesWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below := new(counted)
		c := newCoalesced(below)
		var all []byte
		write := func(size int) {
			t.Helper()
			p := bytes.Repeat([]byte{byte(len(all))}, size)
			all = append(all, p...)
			if n, err := c.Write(p); n != size || err != nil {
				t.Fatalf("%d bytes: %d, %v", size, n, err)
			}
		}
		want := func(writes int) {
			t.Helper()
			if n, got := below.seen(); n != writes || writes > 0 && !bytes.Equal(got, all) {
				t.Errorf("%d writes below, want %d; %d of %d bytes", n, writes, len(got), len(all))
			}
		}
		for range 3 {
			write(35)
		}
		want(0)
		time.Sleep(longestWait)
		synctest.Wait()
		want(1)
		write(48)
		write(1000) // takes what waits with it
		want(2)
		write(24) // the end of a connection, in TLS 1.3
		want(3)
		for range mostWaiting/48 + 1 {
			write(48)
		}
		want(4)
		time.Sleep(time.Minute)
		synctest.Wait()
		want(4)
		// What comes takes what waits with it, if that is worth a write.
		for range 4 {
			if n, _ := below.seen(); n != 4 {
				t.Errorf("%d writes below before enough waits", n)
			}
			write(35)
			_, _ = c.Read(make([]byte, 10))
		}
		want(5)
		// An error that comes late is the next write's.
		write(48)
		below.mu.Lock()
		below.err = io.ErrClosedPipe
		below.mu.Unlock()
		time.Sleep(longestWait)
		synctest.Wait()
		if _, err := c.Write([]byte("x")); err != io.ErrClosedPipe {
			t.Errorf("the error of a write that waited: %v", err)
		}
		_ = c.Close()
	})
}

func TestCoalescedBytesArriveInOrder(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	data := make([]byte, 300<<10)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	echoed := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			_, err = io.Copy(conn, conn)
			_ = conn.Close()
		}
		echoed <- err
	}()
	conn, err := coalescing(new(net.Dialer).DialContext)(context.Background(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() {
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+rand.IntN(100))
			if _, err := conn.Write(rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("what came back is not what was written: %v", err)
	}
	_ = conn.Close()
	<-echoed
}
