package relayclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/wire/faults"
	"informerscope/core/wire/socket"
)

// The codes with which the relay closes a connection that it refuses.
const (
	closeToken   = 4401 // see server/internal/relay.CloseToken
	closeViewers = 1013 // Try Again Later, of RFC 6455
)

const (
	// dialPatience is how long the relay may take to open a connection.
	dialPatience = 10 * time.Second
	// After a relay reported that it is full, it is left alone for firstPause, then twice as long each time, up to fullPause. firstPause may be enough
	// for the relay to drop this page's own previous connection.
	firstPause = time.Second
	fullPause  = 30 * time.Second
)

// Link opens connections to the relay, and does not keep asking one that refused. After a refused token, no connection is tried until there is another token.
// A full relay is asked at most every half minute.
type Link struct {
	open  func(ctx context.Context, token string) (net.Conn, error)
	clock clock.Clock

	mu      sync.Mutex
	token   string
	refusal *Error // of the token
	full    *Error
	retryAt time.Time // when to ask a full relay again
	pause   time.Duration
}

// NewLink returns a Link with a token, which may be empty. open makes one connection.
func NewLink(token string, c clock.Clock, open func(ctx context.Context, token string) (net.Conn, error)) *Link {
	l := &Link{open: open, clock: c, token: token}
	if token == "" {
		l.refusal = refuseHere("token", "this page has no token")
	}
	return l
}

// Use sets another token, from a new link.
func (l *Link) Use(token string) error {
	foreign := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~", r))
	}
	if token == "" || strings.ContainsFunc(token, foreign) {
		return errors.New("that is not a token: it has letters, digits and - . _ ~ only; paste the whole address that the server printed")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token, l.refusal, l.full, l.pause = token, nil, nil, 0
	return nil
}

// Retry lets the next Dial ask a full relay at once, because the user requests it.
func (l *Link) Retry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full, l.pause = nil, 0
}

// Dial opens a connection, or fails at once if there is no point in trying. Its errors, and those of the connection, are a *Error if the relay itself
// refused, or did not respond for too long.
func (l *Link) Dial(ctx context.Context) (net.Conn, error) {
	l.mu.Lock()
	token, refusal := l.token, l.refusal
	if refusal == nil && l.full != nil && l.clock.Now().Before(l.retryAt) {
		refusal = l.full
	}
	l.mu.Unlock()
	if refusal != nil {
		return nil, refusal
	}
	dialing, cancel := context.WithTimeout(ctx, dialPatience)
	defer cancel()
	conn, err := l.open(dialing, token)
	if err != nil {
		if dialing.Err() != nil && ctx.Err() == nil {
			return nil, &Error{Cause: "relay-silent", Err: &net.OpError{Op: "dial", Net: "websocket", Err: os.ErrDeadlineExceeded}}
		}
		return nil, l.noteEnd(token, err)
	}
	return &linkConn{Conn: conn, link: l, token: token}, nil
}

// noteEnd notes the reason with which the relay closed a connection that was opened with token.
func (l *Link) noteEnd(token string, err error) error {
	var closed *socket.CloseError
	if !errors.As(err, &closed) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch closed.Code {
	case closeToken:
		if token == l.token {
			l.refusal = refuseHere("token", closed.Reason)
		}
		return &Error{Cause: "token", Reason: closed.Reason, Err: err}
	case closeViewers:
		l.pause = min(max(2*l.pause, firstPause), fullPause)
		l.full, l.retryAt = refuseHere("viewers", closed.Reason), l.clock.Now().Add(l.pause)
		return &Error{Cause: "viewers", Reason: closed.Reason, Err: err}
	}
	return err
}

// refuseHere returns the error of a dial that does not leave the page. To an informer it is a refused connection.
func refuseHere(cause, reason string) *Error {
	return &Error{Cause: cause, Reason: reason, Err: fmt.Errorf("%s: %w", reason, faults.RefusalError("websocket"))}
}

// linkConn is a connection that reports its end to its Link.
type linkConn struct {
	net.Conn
	link    *Link
	token   string
	hasRead bool // only Read uses it
}

// Read implements net.Conn.
func (c *linkConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		return n, c.link.noteEnd(c.token, err)
	}
	if !c.hasRead {
		c.hasRead = true
		c.link.Retry() // the relay is not full
	}
	return n, nil
}
