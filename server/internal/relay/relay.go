package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/core/cluster/levers"
	"informerscope/server/internal/audience"
	"informerscope/server/internal/audit"
	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metrics"
)

const (
	// defaultStall is how long a viewer may read nothing while data waits for it.
	defaultStall = 5 * time.Minute
	// defaultIdle is how long a connection without any request is kept. The page dials again when it needs one.
	defaultIdle = 30 * time.Minute
)

// Config configures a Relay. The fields up to MaxViewers must be set.
type Config struct {
	Door       *guard.Door
	Rules      guard.Rules
	Clusters   *clusters.Loader
	Metrics    *metrics.Set
	Log        *slog.Logger
	MaxViewers int // at least 1

	// The audience to which viewers may broadcast; nil for none.
	Hall *audience.Hall

	// Probe is the probe in another process whose stream viewers may read; nil for none.
	Probe *Probe

	// Levers is the side door of the simulated cluster that is the only one behind the relay; nil if there are others.
	Levers *SideDoor

	// Refusals counts and logs refusals; by default a tally of the relay's own.
	Refusals *guard.Tally
	// MaxStreams bounds the requests for clusters in progress, of all viewers together; DefaultMaxStreams by default.
	MaxStreams int
	// StallTimeout is how long a viewer may read nothing while data waits for it, before it is cut off; 5 minutes by default.
	StallTimeout time.Duration
	// IdleTimeout is how long a viewer may make no request before its connection ends, to within a PingInterval; 30 minutes by default.
	IdleTimeout time.Duration
	// PingInterval is the time between keepalive pings; wsconn's default by default.
	PingInterval time.Duration
	// Audit is the audit log of what viewers read; nil for none.
	Audit *audit.Log
	// Now is the clock by which requests are counted; time.Now by default.
	Now func() time.Time
}

// Relay is an http.Handler for the WebSocket endpoint. Close ends it and all its connections.
type Relay struct {
	config    Config
	upgrader  websocket.Upgrader
	server    *http.Server // serves the viewers' connections
	sockets   *sockets     // the listener of server
	board     board
	budget    budget
	posts     chan struct{} // a semaphore for the bodies of the speaker's requests
	numbers   numbers
	endTally  func()
	strangers chan struct{} // a semaphore for turnAway

	serving sync.WaitGroup // server, the viewers' connections and the handlers of their streams
	mu      sync.Mutex
	closed  bool
	viewers map[*viewer]struct{}
}

// New starts a relay. It contacts no cluster before a viewer makes a request.
func New(config Config) *Relay {
	if config.StallTimeout <= 0 {
		config.StallTimeout = defaultStall
	}
	if config.IdleTimeout <= 0 {
		config.IdleTimeout = defaultIdle
	}
	if config.MaxStreams <= 0 {
		config.MaxStreams = DefaultMaxStreams
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	endTally := func() {}
	if config.Refusals == nil {
		config.Refusals = guard.NewTally(config.Log, config.Metrics.CountRefusal)
		endTally = config.Refusals.Close
	}
	r := &Relay{config: config, endTally: endTally, sockets: newSockets(), viewers: map[*viewer]struct{}{}, strangers: make(chan struct{}, maxStrangers),
		posts: make(chan struct{}, maxPosts)}
	r.budget.max = int64(config.MaxStreams)
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
	r.server = newServer(r.stream, config.Log, r.serving.Done)
	r.serving.Go(func() { _ = r.server.Serve(r.sockets) })
	return r
}

// ServeHTTP upgrades a WebSocket that the door admits.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	for _, check := range []func(*http.Request) *guard.Refusal{r.config.Door.Host, r.config.Door.Origin, r.config.Door.Token} {
		if refusal := check(req); refusal != nil {
			r.config.Refusals.Count(slog.LevelWarn, refusal.Rule, slog.String("remote", req.RemoteAddr))
			w.Header().Set("Connection", "close") // a refused client loses its connection
			if refusal.Rule == "token" && r.turnAway(w, req, refusal.Message) {
				return
			}
			http.Error(w, refusal.Message, http.StatusForbidden)
			return
		}
	}
	ws, err := r.upgrader.Upgrade(w, req, nil)
	if err != nil {
		r.config.Log.Debug("the upgrade to a WebSocket failed", "remote", req.RemoteAddr, "error", err)
		return // the upgrader has answered
	}
	r.accept(ws)
}

// stream serves one request of a viewer.
func (r *Relay) stream(w http.ResponseWriter, req *http.Request) {
	v := req.Context().Value(viewerKey{}).(*viewer)
	end, ok := r.begin(v)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	defer end()
	if !v.pace.AllowN(r.config.Now(), 1) {
		if v.refusals.Add(1) > maxRefused {
			_ = v.CloseWith(websocket.ClosePolicyViolation, "too many requests")
			panic(http.ErrAbortHandler)
		}
		r.refuseForRate(w)
		return
	}
	r.config.Metrics.Streams.Add(1)
	r.config.Metrics.StreamsTotal.Add(1)
	defer r.config.Metrics.Streams.Add(-1)
	w, done := r.beginAudit(w, req)
	defer done()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	path := req.URL.EscapedPath()
	switch {
	case path == "/contexts":
		r.contexts(w, req)
	case path == "/rules":
		r.answerJSON(w, req, r.config.Rules.Describe())
	case path == "/broadcast" || strings.HasPrefix(path, BroadcastPrefix):
		r.broadcast(w, req, strings.TrimPrefix(strings.TrimPrefix(path, "/broadcast"), "/"))
	case path == "/trouble":
		r.trouble(w, req)
	case (path == levers.Path || path == levers.WritesPath) && r.config.Levers != nil:
		r.simulation(w, req)
	case path == probeList, path == probeStream:
		r.probe(w, req)
	case strings.HasPrefix(path, guard.ClustersPrefix):
		r.cluster(w, req)
	default:
		writeStatus(w, failure{code: http.StatusNotFound, message: "the relay serves /contexts, /rules, /trouble, /probe/ and " +
			guard.ClustersPrefix + "<context>/..."})
	}
}

// contexts lists the kubeconfig's contexts, as the files are now.
func (r *Relay) contexts(w http.ResponseWriter, req *http.Request) {
	listing := r.config.Clusters.Contexts()
	for i := range listing.Contexts {
		listing.Contexts[i].Simulated = r.config.Levers != nil
	}
	r.answerJSON(w, req, listing)
}

// notServed refuses a context that this server does not serve. Callers check it before they read, run or dial anything for a request. The message is
// the same for a context that exists and for one that does not.
func (r *Relay) notServed(contextName string) *guard.Refusal {
	if r.config.Clusters.Serves(contextName) {
		return nil
	}
	return &guard.Refusal{Rule: "context", Message: (&clusters.NotServedError{Context: contextName}).Error()}
}

// answerJSON answers a GET request with answer, in JSON.
func (r *Relay) answerJSON(w http.ResponseWriter, req *http.Request, answer any) {
	if req.Method != http.MethodGet || req.ContentLength != 0 {
		r.refuse(w, &guard.Refusal{Rule: "method", Message: "the relay is read-only: only GET without a body is served"})
		return
	}
	body, err := json.Marshal(answer)
	if err != nil {
		writeStatus(w, failure{code: http.StatusInternalServerError, message: r.cleanText(err.Error())})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

func (r *Relay) refuse(w http.ResponseWriter, refusal *guard.Refusal) {
	r.config.Refusals.Count(slog.LevelInfo, refusal.Rule)
	audit.Describe(w, func(e *audit.Entry) { e.Rule = refusal.Rule })
	writeStatus(w, failure{code: http.StatusForbidden, rule: refusal.Rule,
		message: fmt.Sprintf("refused by the relay's rule %q: %s", refusal.Rule, refusal.Message)})
}

// isCanceled reports whether the viewer ended the request.
func isCanceled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
