package lab

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/client/restwatch"
	"informerscope/core/cluster/levers"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/wire/credit"
	"informerscope/core/wire/faults"
	"informerscope/core/wire/pipe"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

// Sources is what a Lab can watch.
type Sources struct {
	Sim  bool                    `json:"sim"`
	Live relayclient.LiveSources `json:"live"`
}

// source is a cluster and the connections to it.
type source struct {
	base      *url.URL
	transport *http.Transport // for the lab's own requests
	clock     clock.WithTicker
	faults    *faults.Faults
	cluster   *simcluster.Cluster // the page's own; nil for one behind the relay
	shared    *levers.Shared      // the simulated cluster in the server's process, if that is what the relay reaches
	context   string              // in the kubeconfig, for a live one
	virtual   *vclock.Clock       // nil on real time
	stop      func()
}

// simSource starts a simulated cluster that is reached over net.Pipe. v is its clock if it is virtual.
func simSource(cluster *simcluster.Cluster, c clock.WithTicker, v *vclock.Clock, f *faults.Faults) *source {
	ctx, cancel := context.WithCancel(context.Background())
	s := &source{base: &url.URL{Scheme: "http", Host: "simulated.cluster"}, clock: c, faults: f, cluster: cluster, virtual: v}
	// The page's requests have their own connections, so that they do not affect the informers.
	transport, disconnect := s.connect(func(dial faults.DialFunc) faults.DialFunc { return dial })
	s.transport = transport
	var wg sync.WaitGroup
	wg.Go(func() { cluster.Run(ctx) })
	s.stop = func() {
		cancel()
		disconnect()
		wg.Wait()
	}
	return s
}

// connect returns a transport to the source's cluster: its own for a simulated one, the source's for a live one. `disconnect` closes its own connections.
func (s *source) connect(wrap func(faults.DialFunc) faults.DialFunc) (t *http.Transport, disconnect func()) {
	if s.cluster == nil {
		return s.transport, func() {}
	}
	ln := pipe.Listen()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	srv := &http.Server{Handler: s.cluster, Protocols: &protocols}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ln) })
	t = relayclient.NewHTTP2Transport(wrap(func(ctx context.Context, _, _ string) (net.Conn, error) {
		if s.cluster.Down() {
			return nil, faults.RefusalError("pipe")
		}
		return ln.Dial(ctx)
	}))
	return t, func() {
		_ = srv.Close()
		t.CloseIdleConnections()
		wg.Wait()
	}
}

// liveSource returns the cluster of a context, behind the relay.
func liveSource(dial func(context.Context) (net.Conn, error), kubeContext string, c clock.WithTicker, f *faults.Faults) *source {
	t, disconnect := relayclient.NewTransport(f.Dialer(func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return credit.New(conn), nil
	}))
	base := &url.URL{Scheme: "http", Host: "relay", Path: "/clusters/" + kubeContext, RawPath: "/clusters/" + url.PathEscape(kubeContext)}
	return &source{base: base, context: kubeContext, transport: t, clock: c, faults: f, stop: disconnect}
}

// client returns a REST client for the lab's own requests. Their errors have no effect on the informers.
func (s *source) client() *restwatch.Client {
	return s.newClient(s.transport, restwatch.Hooks{})
}

// informers returns a function that makes the informers' clients, with faults. The clients share connections, as those of a factory's one client do.
// `disconnect` closes them.
func (s *source) informers() (
	client func(hooks restwatch.Hooks, sel event.Selection, report func(relayclient.Trouble)) *restwatch.Client, disconnect func(),
) {
	t, disconnect := s.connect(s.faults.Dialer)
	return func(hooks restwatch.Hooks, sel event.Selection, report func(relayclient.Trouble)) *restwatch.Client {
		var rt http.RoundTripper = t
		if s.cluster == nil {
			rt = &relayclient.Explainer{Next: t, Report: report, Base: s.base, Context: s.context, Namespace: sel.ContextNamespace,
				ClusterScoped: sel.ClusterScoped}
		}
		c := s.newClient(rt, hooks)
		c.Clock = s.clock
		c.HTTP.Transport = s.faults.Transport(c.HTTP.Transport)
		return c
	}, disconnect
}

func (s *source) newClient(rt http.RoundTripper, hooks restwatch.Hooks) *restwatch.Client {
	if s.cluster == nil {
		rt = readOnly(rt)
	}
	return &restwatch.Client{HTTP: &http.Client{Transport: rt}, Base: s.base, UserAgent: "informerscope", Hooks: hooks}
}

// readOnly passes only GET requests: a live cluster is never written to.
func readOnly(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Method != http.MethodGet {
			if req.Body != nil {
				_ = req.Body.Close()
			}
			return nil, fmt.Errorf("%s is not sent: a live cluster is never written to", req.Method)
		}
		return next.RoundTrip(req)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (rt roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return rt(req) }

// hooks log what passes on the wire, for the informers' requests only. URLs are those that the API server sees, without the relay's prefix.
func (x *experiment) hooks(ln *lane) restwatch.Hooks {
	emit := func(e event.Event) { x.emit(ln.index, e) }
	bytes := &arrivals{bodies: map[uint64]*body{}}
	prefix := x.lab.src.base.EscapedPath()
	return restwatch.Hooks{
		Request: func(id uint64, method, target string) {
			bytes.begin(id, strings.Contains(target, "watch=true"))
			emit(event.WireRequest{Req: uint32(id), URL: strings.TrimPrefix(target, prefix)}.Event())
		},
		Response: func(id uint64, status int, err error) {
			if err != nil {
				bytes.end(id)
			}
			emit(event.WireResponse{Req: uint32(id), Status: status, Err: err}.Event())
		},
		Bytes: func(id uint64, n int) {
			for n = bytes.add(id, n); n > 0; n -= wireUnit {
				emit(event.WireBytes{Req: uint32(id), Bytes: wireUnit}.Event())
			}
		},
		Frame: func(id uint64, typ, namespace, name, rv string, size int) {
			key := name
			if namespace != "" {
				key = namespace + "/" + name
			}
			op := frameOps[typ]
			if op != event.OpBookmark {
				ln.versions.note(key, rv, op == event.OpDeleted)
			}
			if n := bytes.frame(id, size+1); n > 0 { // with the newline after it
				emit(event.WireBytes{Req: uint32(id), Bytes: n}.Event())
			}
			emit(event.WireFrame{Req: uint32(id), Op: op, Key: key, RV: rv, Bytes: size}.Event())
		},
		Wait: func(_ uint64, d time.Duration, cause error) {
			emit(event.Backoff{Wait: d, Then: event.ThenSendAgain, Err: cause}.Event())
		},
		Waited: func(uint64) { emit(event.Event{Kind: event.KindBackoffEnded}) },
		Ahead:  func(id uint64, waiting int) { emit(event.WireAhead{Req: uint32(id), Frames: waiting}.Event()) },
		Done: func(id uint64, err error) {
			if n := bytes.end(id); n > 0 {
				emit(event.WireBytes{Req: uint32(id), Bytes: n}.Event())
			}
			emit(event.WireDone{Req: uint32(id), Err: err}.Event())
		},
	}
}

// wireUnit is the size of the pieces in which the bytes of a LIST are logged.
const wireUnit = 64 << 10

// arrivals count the bytes of open bodies, so that the log does not depend on how the connection cut them. A watch's bytes are logged by frame, others by
// wireUnit.
type arrivals struct {
	mu     sync.Mutex
	bodies map[uint64]*body
}

type body struct {
	watch bool
	n     int // not logged yet
}

func (a *arrivals) begin(id uint64, watch bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bodies[id] = &body{watch: watch}
}

// add counts n bytes, and returns how many to log now, a multiple of wireUnit.
func (a *arrivals) add(id uint64, n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.bodies[id]
	if r == nil {
		return 0
	}
	if r.n += n; r.watch {
		return 0
	}
	due := r.n / wireUnit * wireUnit
	r.n -= due
	return due
}

// frame returns how many bytes to log for a frame of size bytes.
func (a *arrivals) frame(id uint64, size int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.bodies[id]
	if r == nil {
		return 0
	}
	due := min(size, r.n)
	r.n -= due
	return due
}

// end returns how many bytes are left to log.
func (a *arrivals) end(id uint64) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.bodies[id]
	if r == nil {
		return 0
	}
	delete(a.bodies, id)
	return r.n
}

var frameOps = map[string]event.Op{
	"ADDED": event.OpAdded, "MODIFIED": event.OpUpdated, "DELETED": event.OpDeleted, "BOOKMARK": event.OpBookmark,
}
