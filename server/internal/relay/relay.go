package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/wsconn"
)

const (
	// maxStreams is how many requests one viewer may have in progress; a page has a few, a crowded one some dozens.
	maxStreams = 250
	// maxHeaderBytes bounds a request's headers, its URL with a long continue token included.
	maxHeaderBytes = 64 << 10
	// idleTimeout is how long a connection without any request is kept. The page dials again when it needs one.
	idleTimeout = 30 * time.Minute
	// prefaceTimeout is how long a new connection may take until it speaks HTTP/2.
	prefaceTimeout = 10 * time.Second
	// defaultStall is how long a viewer may take nothing of what is ready for it.
	defaultStall = 5 * time.Minute
)

// Config is what a Relay works with. All but the last two fields must be set.
type Config struct {
	Door       *guard.Door
	Rules      guard.Rules
	Clusters   *clusters.Loader
	Metrics    *metrics.Set
	Log        *slog.Logger
	MaxViewers int // at least 1

	// StallTimeout is how long a viewer may read nothing, while there is something for it, before it is cut off; 5
	// minutes by default.
	StallTimeout time.Duration
	// PingInterval is the time between keepalive pings; wsconn's default by default.
	PingInterval time.Duration
}

// Relay is an http.Handler for the WebSocket endpoint. Close ends it and all that it carries.
type Relay struct {
	config   Config
	upgrader websocket.Upgrader
	inner    *http.Server
	conns    *listener

	serving  sync.WaitGroup // the inner server and the handlers of its streams
	mu       sync.Mutex
	closed   bool
	viewers  map[*wsconn.Conn]struct{}
	handlers int
	idle     *sync.Cond
}

// New starts a relay, which contacts nobody before a viewer asks.
func New(config Config) *Relay {
	if config.StallTimeout <= 0 {
		config.StallTimeout = defaultStall
	}
	r := &Relay{config: config, viewers: map[*wsconn.Conn]struct{}{}, conns: newListener()}
	r.idle = sync.NewCond(&r.mu)
	r.upgrader = websocket.Upgrader{
		HandshakeTimeout: 10 * time.Second,
		ReadBufferSize:   16 << 10,
		WriteBufferSize:  16 << 10,
		Subprotocols:     []string{guard.Protocol},
		CheckOrigin:      func(req *http.Request) bool { return config.Door.Origin(req) == nil },
		Error: func(w http.ResponseWriter, _ *http.Request, status int, reason error) {
			http.Error(w, reason.Error(), status)
		},
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	r.inner = &http.Server{
		Handler:           http.HandlerFunc(r.stream),
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: prefaceTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelDebug),
	}
	r.serving.Go(func() { _ = r.inner.Serve(r.conns) })
	return r
}

// ServeHTTP upgrades a WebSocket that passes the door. The Host was looked at before, with every other request's.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	for _, check := range []func(*http.Request) *guard.Refusal{r.config.Door.Host, r.config.Door.Origin, r.config.Door.Token} {
		if refusal := check(req); refusal != nil {
			r.config.Metrics.Refused(refusal.Rule)
			r.config.Log.Warn("viewer refused", "rule", refusal.Rule, "remote", req.RemoteAddr)
			http.Error(w, refusal.Message, http.StatusForbidden)
			return
		}
	}
	ws, err := r.upgrader.Upgrade(w, req, nil)
	if err != nil {
		r.config.Log.Debug("no upgrade", "remote", req.RemoteAddr, "error", err)
		return // answered by the upgrader
	}
	r.accept(ws)
}

// accept makes a viewer of an upgraded connection, if there is room. One that comes too late is told so in the close
// frame, for a page cannot see the status of a refused upgrade.
func (r *Relay) accept(ws *websocket.Conn) {
	var conn *wsconn.Conn
	ready := make(chan struct{})
	conn = wsconn.New(ws, wsconn.Options{
		PingInterval: r.config.PingInterval,
		StallTimeout: r.config.StallTimeout,
		OnClose:      func() { <-ready; r.gone(conn) },
	})
	r.mu.Lock()
	full := len(r.viewers) >= r.config.MaxViewers
	closed := r.closed
	if !full && !closed {
		r.viewers[conn] = struct{}{}
		r.config.Metrics.Viewers.Add(1)
		r.config.Metrics.ViewersTotal.Add(1)
	}
	r.mu.Unlock()
	close(ready)
	switch {
	case closed:
		_ = conn.CloseWith(websocket.CloseGoingAway, "the server is shutting down")
	case full:
		r.config.Metrics.Refused("max-viewers")
		r.config.Log.Warn("viewer refused", "rule", "max-viewers", "max", r.config.MaxViewers, "remote", conn.RemoteAddr().String())
		_ = conn.CloseWith(websocket.CloseTryAgainLater, fmt.Sprintf("%d viewers are all this server takes; see --max-viewers", r.config.MaxViewers))
	case !r.conns.push(conn):
		_ = conn.CloseWith(websocket.CloseGoingAway, "the server is shutting down")
	default:
		r.config.Log.Info("viewer connected", "remote", conn.RemoteAddr().String())
	}
}

// gone forgets a viewer whose connection has been closed.
func (r *Relay) gone(conn *wsconn.Conn) {
	r.mu.Lock()
	_, known := r.viewers[conn]
	delete(r.viewers, conn)
	r.mu.Unlock()
	if known {
		r.config.Metrics.Viewers.Add(-1)
		r.config.Log.Info("viewer gone", "remote", conn.RemoteAddr().String())
	}
}

// Close cuts all viewers off, with their watches, and returns when nothing of theirs runs any more.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	viewers := make([]*wsconn.Conn, 0, len(r.viewers))
	for conn := range r.viewers {
		viewers = append(viewers, conn)
	}
	r.mu.Unlock()
	var closing sync.WaitGroup
	for _, conn := range viewers {
		closing.Go(func() { _ = conn.CloseWith(websocket.CloseGoingAway, "the server is shutting down") })
	}
	closing.Wait()
	err := r.inner.Close()
	r.serving.Wait()
	r.mu.Lock()
	for r.handlers > 0 {
		r.idle.Wait()
	}
	r.mu.Unlock()
	r.config.Clusters.Close()
	return err
}

// stream serves one request of a viewer.
func (r *Relay) stream(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	closed := r.closed
	if !closed {
		r.handlers++
	}
	r.mu.Unlock()
	if closed {
		panic(http.ErrAbortHandler)
	}
	r.config.Metrics.Streams.Add(1)
	r.config.Metrics.StreamsTotal.Add(1)
	defer func() {
		r.config.Metrics.Streams.Add(-1)
		r.mu.Lock()
		r.handlers--
		r.idle.Broadcast()
		r.mu.Unlock()
	}()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	path := req.URL.EscapedPath()
	switch {
	case path == "/contexts":
		r.contexts(w, req)
	case strings.HasPrefix(path, guard.ClustersPrefix):
		r.cluster(w, req)
	default:
		writeStatus(w, failure{code: http.StatusNotFound, message: "the relay serves /contexts and " + guard.ClustersPrefix + "<context>/..."})
	}
}

// contexts lists the kubeconfig's contexts, as the files are now.
func (r *Relay) contexts(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet || req.ContentLength != 0 {
		r.refused(w, &guard.Refusal{Rule: "method", Message: "the relay is read-only: only GET without a body is served"})
		return
	}
	body, err := json.Marshal(r.config.Clusters.Contexts())
	if err != nil {
		writeStatus(w, failure{code: http.StatusInternalServerError, message: err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

func (r *Relay) refused(w http.ResponseWriter, refusal *guard.Refusal) {
	r.config.Metrics.Refused(refusal.Rule)
	r.config.Log.Info("request refused", "rule", refusal.Rule)
	writeStatus(w, failure{code: http.StatusForbidden, rule: refusal.Rule, message: fmt.Sprintf("refused by the relay's rule %q: %s", refusal.Rule, refusal.Message)})
}

// listener hands upgraded connections to the inner server.
type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newListener() *listener {
	return &listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// push gives a connection to the server, and says whether it took it.
func (l *listener) push(conn net.Conn) bool {
	select {
	case l.conns <- conn:
		return true
	case <-l.done:
		return false
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener; there is no address to dial.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "websocket", Net: "unix"} }

// canceled says whether it was the viewer who ended a request.
func canceled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
