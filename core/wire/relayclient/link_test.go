package relayclient

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/utils/clock"

	"informerscope/core/wire/socket"
)

// closedConn is a connection that the relay opened only to close it.
type closedConn struct {
	net.Conn
	err error
}

func (c closedConn) Read([]byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	return 1, nil
}

func closedWith(code int, reason string) error {
	return &socket.CloseError{Code: code, Reason: reason, Err: &net.OpError{Op: "read", Net: "websocket", Err: os.NewSyscallError("read",
		syscall.ECONNRESET)}}
}

// dial dials and reads once.
func dial(t *testing.T, l *Link) error {
	t.Helper()
	conn, err := l.Dial(t.Context())
	if err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}

func TestALinkDoesNotAskAfterANo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials, with := 0, map[string]error{"old": closedWith(4401, "missing or wrong token"), "full": closedWith(1013,
			"2 viewers are all this server takes"), "reset": closedWith(1006, "")}
		l := NewLink("old", clock.RealClock{}, func(_ context.Context, token string) (net.Conn, error) {
			dials++
			return closedConn{err: with[token]}, nil
		})
		var relay *Error
		if err := dial(t, l); !errors.As(err, &relay) || relay.Cause != "token" || !utilnet.IsConnectionReset(err) {
			t.Errorf("the first time: %v", err)
		}
		for range 50 {
			<-time.After(time.Minute)
			if err := dial(t, l); !errors.As(err, &relay) || relay.Cause != "token" || !utilnet.IsConnectionRefused(err) ||
				Explain(err).Cause != "token" {
				t.Fatalf("later: %v", err)
			}
		}
		if dials != 1 {
			t.Errorf("%d connections with a token that was refused", dials)
		}
		for _, bad := range []string{"", "a b", "x/y", "a\nb"} {
			if err := l.Use(bad); err == nil {
				t.Errorf("%q is taken for a token", bad)
			}
		}
		if err := l.Use("good"); err != nil || dial(t, l) != nil || dials != 2 {
			t.Errorf("a good token: %v, %d dials", err, dials)
		}

		dials = 0
		if err := l.Use("full"); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); time.Since(began) < 10*time.Minute; <-time.After(100 * time.Millisecond) {
			if err := dial(t, l); !errors.As(err, &relay) || relay.Cause != "viewers" || !strings.Contains(Explain(err).Words,
				"2 viewers are all") {
				t.Fatalf("a relay that is full: %v", err)
			}
		}
		if dials < 20 || dials > 26 {
			t.Errorf("a relay that is full was asked %d times in ten minutes", dials)
		}
		l.Retry()
		before := dials
		if _ = dial(t, l); dials != before+1 {
			t.Error("a person's wish does not ask again")
		}
		if err := l.Use("reset"); err != nil {
			t.Fatal(err)
		}
		if err := dial(t, l); errors.As(err, &relay) && relay != nil && err == error(relay) || !utilnet.IsConnectionReset(err) {
			t.Errorf("a connection that broke: %v", err)
		}

		none := NewLink("", clock.RealClock{}, func(context.Context, string) (net.Conn, error) {
			t.Error("a page without a token dials")
			return nil, errors.New("no")
		})
		if err := dial(t, none); Explain(err).Cause != "token" {
			t.Errorf("without a token: %v", err)
		}
		silent := NewLink("x", clock.RealClock{}, func(ctx context.Context, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		began := time.Now()
		if err := dial(t, silent); Explain(err).Cause != "relay-silent" || !utilnet.IsTimeout(err) || time.Since(began) != dialPatience {
			t.Errorf("a relay that opens nothing: %v after %s", err, time.Since(began))
		}
	})
}
