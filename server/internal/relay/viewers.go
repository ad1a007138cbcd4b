package relay

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"informerscope/server/internal/wsconn"
)

const (
	// maxStreams is how many requests one viewer may have in progress; a page has a few, with a crowd some dozens.
	maxStreams = 250
	// requestRate is how many requests a second a viewer may make, after a burst of requestBurst. A page makes one for each list and watch, and backs
	// off as client-go does.
	requestRate, requestBurst = 100, 500
	// maxRefused is how many requests beyond that rate a viewer may make before it is cut off.
	maxRefused = 1000
	// maxHeaderBytes bounds a request's headers, with its URL and a long continue token.
	maxHeaderBytes = 64 << 10
	// maxFrame is the largest frame that a viewer may send in bytes, the smallest limit that RFC 9113 allows.
	maxFrame = 16 << 10
	// prefaceTimeout bounds the time until a new connection speaks HTTP/2.
	prefaceTimeout = 10 * time.Second
)

// viewer is the connection of a page that the door has admitted.
type viewer struct {
	*wsconn.Conn
	number     int64
	streams    atomic.Int64  // with a running handler
	pace       *rate.Limiter // of requests
	refusals   atomic.Int64  // those beyond the rate
	lastActive atomic.Int64  // when the last stream ended, in nanoseconds of Unix time
}

// isIdle reports whether a viewer has made no request for longer than timeout. net/http's own idle timer is not used: it restarts as the streams of a
// closed connection end, and keeps that connection in memory until it fires.
func (v *viewer) isIdle(timeout time.Duration) bool {
	return v.streams.Load() == 0 && time.Since(time.Unix(0, v.lastActive.Load())) > timeout
}

// newServer returns the HTTP/2 server of all viewers' connections. It calls closed once for each connection that ends.
func newServer(handler http.HandlerFunc, log *slog.Logger, closed func()) *http.Server {
	server := &http.Server{
		Handler:           handler,
		Protocols:         new(http.Protocols),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, MaxReadFrameSize: maxFrame},
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: prefaceTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError), // logs handlers that panic
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, viewerKey{}, c)
		},
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				closed()
			}
		},
	}
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

// sockets is the net.Listener of upgraded connections.
type sockets struct {
	conns chan net.Conn
	done  chan struct{}
	close func()
}

func newSockets() *sockets {
	s := &sockets{conns: make(chan net.Conn), done: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.done) })
	return s
}

// put passes a connection to Accept; it returns false if the listener is closed.
func (s *sockets) put(c net.Conn) bool {
	select {
	case s.conns <- c:
		return true
	case <-s.done:
		return false
	}
}

// Accept implements net.Listener.
func (s *sockets) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *sockets) Close() error {
	s.close()
	return nil
}

// Addr implements net.Listener.
func (s *sockets) Addr() net.Addr { return &net.UnixAddr{Name: "viewers", Net: "websocket"} }

// accept makes a viewer of an upgraded connection if there is room. Otherwise it sends a close frame with the reason, because a page cannot see the
// status of a refused upgrade.
func (r *Relay) accept(ws *websocket.Conn) {
	v := &viewer{pace: rate.NewLimiter(requestRate, requestBurst)}
	v.lastActive.Store(time.Now().UnixNano())
	r.mu.Lock()
	full := len(r.viewers) >= r.config.MaxViewers
	closed := r.closed
	v.Conn = wsconn.New(ws, wsconn.Options{
		PingInterval: r.config.PingInterval,
		StallTimeout: r.config.StallTimeout,
		Idle:         func() bool { return v.isIdle(r.config.IdleTimeout) },
		OnClose:      func() { r.forget(v) },
	})
	if !full && !closed {
		r.serving.Add(1)
		v.number = r.numbers.viewer.Add(1)
		r.viewers[v] = struct{}{}
		r.config.Metrics.Viewers.Add(1)
		r.config.Metrics.ViewersTotal.Add(1)
	}
	r.mu.Unlock()
	switch {
	case closed:
		_ = v.CloseWith(websocket.CloseGoingAway, "the server is shutting down")
	case full:
		r.config.Refusals.Count(slog.LevelWarn, "max-viewers", slog.Int("max", r.config.MaxViewers), slog.String("remote", v.RemoteAddr().String()))
		_ = v.CloseWith(websocket.CloseTryAgainLater, fmt.Sprintf("%d viewers are all this server takes; see --max-viewers", r.config.MaxViewers))
	default:
		r.config.Log.Info("viewer connected", "viewer", v.number, "remote", v.RemoteAddr().String())
		if !r.sockets.put(v) {
			_ = v.Close()
			r.serving.Done()
		}
	}
}

// forget removes a viewer whose connection is closed.
func (r *Relay) forget(v *viewer) {
	r.mu.Lock()
	_, known := r.viewers[v]
	delete(r.viewers, v)
	r.mu.Unlock()
	if known {
		r.config.Metrics.Viewers.Add(-1)
		if v.Stalled() {
			r.config.Metrics.Stalls.Add(1)
		}
		r.config.Log.Info("viewer gone", "viewer", v.number, "remote", v.RemoteAddr().String())
	}
}

// Close closes all viewers' connections with their watches, and returns when all their goroutines have ended.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	var closing sync.WaitGroup
	for v := range r.viewers {
		closing.Go(func() { _ = v.CloseWith(websocket.CloseGoingAway, "the server is shutting down") })
	}
	r.mu.Unlock()
	closing.Wait()
	_ = r.server.Close()
	r.endTally()
	r.serving.Wait()
	r.config.Clusters.Close()
	if r.config.Probe != nil {
		r.config.Probe.rt.CloseIdleConnections()
	}
	if r.config.Levers != nil {
		r.config.Levers.rt.CloseIdleConnections()
	}
	return nil
}

// begin counts a running handler, for its viewer and for Close, until end is called. ok is false once Close has begun.
func (r *Relay) begin(v *viewer) (end func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false
	}
	r.serving.Add(1)
	v.streams.Add(1)
	return func() {
		v.lastActive.Store(time.Now().UnixNano())
		v.streams.Add(-1)
		r.serving.Done()
	}, true
}
