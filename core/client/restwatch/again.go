package restwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

const (
	// MaxRepeats is how often a request is sent again.
	MaxRepeats = 10
	// lostWait is the wait after a connection was lost, as if the server had asked for it.
	lostWait = time.Second
)

// sendUntil sends a request until it has an answer to keep. After a 429 or 5xx with a Retry-After in seconds it waits so long and sends the request again.
// After an error that isLost takes for a lost connection it waits lostWait. It repeats at most [MaxRepeats] times, and never if the client has no Clock.
// The waits are not random.
//
// Mirrors client-go rest.withRetry, as rest.(*Request).request and Watch use it (v0.37.2), without its rate limiter.
func (c *Client) sendUntil(ctx context.Context, r *request, isLost func(error) bool) (*http.Response, error) {
	for repeats := 0; ; repeats++ {
		resp, err := c.send(ctx, r)
		wait, cause := time.Duration(0), err
		switch {
		case c.Clock == nil || repeats == MaxRepeats:
			return resp, r.addPrevious(err)
		case err != nil && !isLost(err):
			return nil, r.addPrevious(err)
		case err != nil:
			wait = lostWait
		default:
			seconds, isAsked := retryAfterSeconds(resp.Header)
			if !isAsked || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < http.StatusInternalServerError {
				return resp, nil
			}
			wait = time.Duration(seconds) * time.Second
			var readErr error
			cause, readErr = responseError(r, resp)
			_ = resp.Body.Close()
			c.reportDone(r, readErr)
		}
		if err != nil {
			r.previous = err
		}
		if !c.wait(ctx, r, wait, cause) {
			return nil, r.addPrevious(ctx.Err())
		}
	}
}

// wait lasts d, and tells the hooks. It returns false if ctx is done by then.
func (c *Client) wait(ctx context.Context, r *request, d time.Duration, cause error) bool {
	if ctx.Err() != nil {
		return false
	}
	if c.Hooks.Wait != nil {
		c.Hooks.Wait(r.id, d, cause)
	}
	t := c.Clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C():
	}
	if c.Hooks.Waited != nil {
		c.Hooks.Waited(r.id)
	}
	return ctx.Err() == nil
}

// addPrevious adds the error of an earlier attempt to the last one's, unless they say the same.
//
// Mirrors client-go rest.(*withRetry).WrapPreviousError (v0.37.2).
func (r *request) addPrevious(err error) error {
	if err == nil || r.previous == nil || err.Error() == r.previous.Error() {
		return err
	}
	previous := r.previous
	var urlErr *url.Error
	if errors.As(previous, &urlErr) {
		previous = urlErr.Err
	}
	return fmt.Errorf("%w - error from a previous attempt: %s", err, previous)
}

// isReset reports whether client-go takes err for a connection that the server closed. IsProbableEOF compares texts and misses two errors, which are compared
// as values here. On js/wasm, ECONNRESET has a capital letter: "Connection reset by peer". And a net.Pipe, which leads to the simulated cluster, fails
// with io.ErrClosedPipe instead of "use of closed network connection".
func isReset(err error) bool {
	return utilnet.IsProbableEOF(err) || utilnet.IsConnectionReset(err) || errors.Is(err, io.ErrClosedPipe)
}

// isCut reports whether client-go takes err for an ordinary end of a watch's connection.
func isCut(err error) bool { return isReset(err) || utilnet.IsTimeout(err) }

// isLostGet reports whether client-go sends a GET again after err.
func isLostGet(err error) bool { return isReset(err) || utilnet.IsHTTP2ConnectionLost(err) }

// isLostWrite reports whether client-go sends a write again after err: never, because it may have been done.
func isLostWrite(error) bool { return false }
