package credit

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// below keeps what each write wrote.
type below struct {
	net.Conn
	mu     sync.Mutex
	writes [][]byte
	err    error
}

func (b *below) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.writes = append(b.writes, bytes.Clone(p))
	}
	return len(p), b.err
}

func (b *below) Close() error { return nil }

func (b *below) take() [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.writes
	b.writes = nil
	return all
}

func window(stream byte, high, low byte) []byte {
	return []byte{0, 0, 4, 8, 0, 0, 0, 0, stream, 0, high, low, 0}
}

func TestUpdatesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := new(below)
		c := New(b)
		write := func(p ...[]byte) {
			t.Helper()
			all := bytes.Join(p, nil)
			if n, err := c.Write(all); n != len(all) || err != nil {
				t.Fatalf("%d of %d, %v", n, len(all), err)
			}
		}
		want := func(writes ...[]byte) {
			t.Helper()
			synctest.Wait()
			got := b.take()
			if len(got) != len(writes) {
				t.Fatalf("%d writes below, want %d: %x", len(got), len(writes), got)
			}
			for i := range got {
				if !bytes.Equal(got[i], writes[i]) {
					t.Errorf("written below: %x\nwant %x", got[i], writes[i])
				}
			}
		}
		first, second := window(1, 0, 0x10), window(3, 0, 0x10)
		write(first, second)
		write(first)
		want()
		// What else is written takes them with it, and is never held back.
		ping := append([]byte{0, 0, 8, 6, 0, 0, 0, 0, 0}, "12345678"...)
		write(ping)
		want(bytes.Join([][]byte{first, second, first, ping}, nil))
		write(ping)
		want(ping)
		// They wait for a second at most.
		write(first)
		time.Sleep(maxWait - time.Millisecond)
		write(second)
		want()
		time.Sleep(time.Millisecond)
		want(append(bytes.Clone(first), second...))
		// Many do not wait.
		for range maxHeld / frameBytes {
			write(second)
		}
		want(bytes.Repeat(second, maxHeld/frameBytes))
		time.Sleep(time.Hour)
		want()
		// Something that only begins like one is not one.
		other := append(bytes.Clone(first), 0, 0, 4, 6, 0, 0, 0, 0, 0, '1', '2', '3', '4')
		write(other)
		want(other)
		// An error that comes late is the next write's.
		write(first)
		b.mu.Lock()
		b.err = io.ErrClosedPipe
		b.mu.Unlock()
		time.Sleep(maxWait)
		synctest.Wait()
		if _, err := c.Write(ping); err != io.ErrClosedPipe {
			t.Errorf("the error of what waited: %v", err)
		}
		_ = c.Close()
	})
}

// TestAClientThatWaitsIsServedOn: more than all windows together comes through, to net/http's client.
func TestAClientThatWaitsIsServedOn(t *testing.T) {
	const size = 20 << 20
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Protocols: protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(w, zeros{}, size)
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(ln) })
	defer serving.Wait()
	defer func() { _ = server.Close() }()
	transport := &http.Transport{Protocols: protocols, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return New(conn), nil
	}}
	defer transport.CloseIdleConnections()
	var reading sync.WaitGroup
	for range 4 {
		reading.Go(func() {
			response, err := (&http.Client{Transport: transport}).Get("http://" + ln.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = response.Body.Close() }()
			if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	reading.Wait()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
