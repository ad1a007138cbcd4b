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

func TestWindowsAddUp(t *testing.T) {
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
		write(window(0, 0, 0x10), window(1, 0, 0x10))
		write(window(0, 0, 0x10), window(3, 0, 0x10))
		want()
		// What else is written takes them with it, and is never held back.
		ping := append([]byte{0, 0, 8, 6, 0, 0, 0, 0, 0}, "12345678"...)
		write(ping)
		want(bytes.Join([][]byte{window(0, 0, 0x20), window(1, 0, 0x10), window(3, 0, 0x10), ping}, nil))
		write(ping)
		want(ping)
		// Enough is enough, and a while is too.
		for range 3 {
			write(window(5, 0, 0x40), window(0, 0, 0x40))
		}
		time.Sleep(Longest - time.Millisecond)
		want()
		time.Sleep(time.Millisecond)
		want(append(window(5, 0, 0xc0), window(0, 0, 0xc0)...))
		for range 4 {
			write(window(7, 0, 0x40))
		}
		want(window(7, 1, 0))
		time.Sleep(time.Hour)
		want()
		// Something that only begins like one is not one.
		other := append(window(1, 0, 1), 0, 0, 8, 6, 0, 0, 0, 0, 0, '1', '2', '3', '4')
		write(other)
		want(other)
		// An error that comes late is the next write's.
		write(window(1, 0, 0x10))
		b.mu.Lock()
		b.err = io.ErrClosedPipe
		b.mu.Unlock()
		time.Sleep(Longest)
		synctest.Wait()
		if _, err := c.Write(ping); err != io.ErrClosedPipe {
			t.Errorf("the error of what waited: %v", err)
		}
		_ = c.Close()
	})
}

// TestAClientThatOwesIsServedOn: more than all windows together comes through, to net/http's client.
func TestAClientThatOwesIsServedOn(t *testing.T) {
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
