package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// fake is a WebSocket that only notes what it is told.
type fake struct {
	sent   []string
	closed int
}

func (f *fake) Send(message []byte) error { f.sent = append(f.sent, string(message)); return nil }
func (f *fake) Close() error              { f.closed++; return nil }

func openConn(t *testing.T) (*Conn, *fake) {
	t.Helper()
	f := &fake{}
	c := New(f)
	go c.OnOpen()
	if err := c.WaitOpen(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, f
}

func TestMessagesAreOneStream(t *testing.T) {
	c, f := openConn(t)
	c.OnMessage([]byte("one "), nil)
	c.OnMessage(nil, nil)
	c.OnMessage([]byte("two"), nil)
	c.OnClose(1001, "")
	if got, err := io.ReadAll(c); string(got) != "one two" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := c.Write([]byte("late")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a write after the end: %v", err)
	}
	if len(f.sent) != 0 {
		t.Errorf("sent %q after the end", f.sent)
	}
}

func TestHowItEndsIsSaid(t *testing.T) {
	for code, orderly := range map[int]bool{1000: true, 1001: true, 1006: false, 1013: false, 4401: false} {
		c, _ := openConn(t)
		c.OnClose(code, "words")
		_, err := c.Read(make([]byte, 1))
		var closed *CloseError
		if orderly != (err == io.EOF) || orderly == errors.As(err, &closed) {
			t.Errorf("code %d: %v", code, err)
		}
		if !orderly && (closed.Code != code || closed.Reason != "words" || !utilnet.IsConnectionReset(err)) {
			t.Errorf("code %d: %+v", code, closed)
		}
	}
}

func TestASocketThatCannotBeOpened(t *testing.T) {
	f := &fake{}
	c := New(f)
	go c.OnClose(1006, "")
	if err := c.WaitOpen(t.Context()); !utilnet.IsConnectionRefused(err) || f.closed != 1 {
		t.Errorf("%v, closed %d times; want a refused connection, closed once", err, f.closed)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f := &fake{}
		if err := New(f).WaitOpen(ctx); !errors.Is(err, context.DeadlineExceeded) || f.closed != 1 {
			t.Errorf("nobody answers: %v, closed %d times", err, f.closed)
		}
	})
}

func TestReadsEndByDeadlineAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := openConn(t)
		began := time.Now()
		_ = c.SetDeadline(began.Add(time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		_ = c.SetReadDeadline(time.Time{})
		time.AfterFunc(time.Minute, func() { _ = c.Close() })
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) || time.Since(began) != time.Minute+time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		synctest.Wait()
		if _, err := c.Write([]byte("late")); !errors.Is(err, net.ErrClosed) || len(f.sent) != 0 || f.closed != 1 {
			t.Errorf("a write after Close: %v, sent %q, closed %d times", err, f.sent, f.closed)
		}
	})
}
