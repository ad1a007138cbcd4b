package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"informerscope/core/informer"
	"informerscope/core/restwatch"
	"informerscope/core/simcluster"
	"informerscope/core/trace"
	"informerscope/core/vclock"
)

// causeHeader is how the relay says what kept it from reaching a cluster.
const causeHeader = "X-Informerscope-Cause"

// Context is a context of the relay's kubeconfig.
type Context struct {
	Name      string `json:"name"`
	Cluster   string `json:"cluster"`
	Server    string `json:"server"`
	User      string `json:"user"`
	Namespace string `json:"namespace"`
}

// LiveSources is what the relay can reach.
type LiveSources struct {
	Contexts []Context `json:"contexts"`
	Current  string    `json:"current"`  // the kubeconfig's own
	Selected string    `json:"selected"` // the one the server was started with
	Error    string    `json:"error"`    // why there are none, in words for a person
}

// Sources is what a Lab can watch.
type Sources struct {
	Sim  bool        `json:"sim"`
	Live LiveSources `json:"live"`
}

// source is a cluster and the road to it.
type source struct {
	base      *url.URL
	transport *http.Transport // of the lab's own questions
	clock     clock.WithTicker
	faults    *faults
	cluster   *simcluster.Cluster // nil for a live one
	virtual   *vclock.Clock       // nil on real time
	stop      func()
}

// newTransport speaks HTTP/2 with prior knowledge on whatever dial gives.
// Setting DialContext is also what makes net/http's own transport run in a
// browser, where it would use fetch otherwise.
func newTransport(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{DialContext: dial, Protocols: &protocols, DisableCompression: true}
}

// simSource starts a simulated cluster that is reached over net.Pipe. v is its clock when that is virtual.
func simSource(cluster *simcluster.Cluster, c clock.WithTicker, v *vclock.Clock, f *faults) *source {
	ctx, cancel := context.WithCancel(context.Background())
	s := &source{base: &url.URL{Scheme: "http", Host: "simulated.cluster"}, clock: c, faults: f, cluster: cluster, virtual: v}
	// What the page asks goes on a road of its own, so that it changes nothing for the informers.
	transport, leave := s.road(func(dial dialFunc) dialFunc { return dial })
	s.transport = transport
	var wg sync.WaitGroup
	wg.Go(func() { cluster.Run(ctx) })
	s.stop = func() {
		cancel()
		leave()
		wg.Wait()
	}
	return s
}

type dialFunc = func(context.Context, string, string) (net.Conn, error)

// road makes connections to the source's cluster, which are its own for a simulated one. leave closes them.
func (s *source) road(wrap func(dialFunc) dialFunc) (t *http.Transport, leave func()) {
	if s.cluster == nil {
		return s.transport, func() {}
	}
	ln := newPipeListener()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	srv := &http.Server{Handler: s.cluster, Protocols: &protocols}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ln) })
	t = newTransport(wrap(func(ctx context.Context, _, _ string) (net.Conn, error) {
		if s.cluster.Down() {
			return nil, refused("pipe")
		}
		return ln.dial(ctx)
	}))
	return t, func() {
		_ = srv.Close()
		t.CloseIdleConnections()
		wg.Wait()
	}
}

// liveSource is the cluster of a context, behind the relay.
func liveSource(dial func(context.Context) (net.Conn, error), kubeContext string, c clock.WithTicker, f *faults) *source {
	t := newTransport(f.dialer(func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }))
	base := &url.URL{Scheme: "http", Host: "relay", Path: "/clusters/" + kubeContext, RawPath: "/clusters/" + url.PathEscape(kubeContext)}
	return &source{base: base, transport: t, clock: c, faults: f, stop: func() { t.CloseIdleConnections(); f.cutAll() }}
}

// client is a REST client on the source with which the lab asks what it wants to know.
func (s *source) client(trouble func(string, error)) *restwatch.Client {
	return s.on(s.transport, restwatch.Hooks{}, trouble)
}

// informers is a client with the faults, as informers have it. leave ends its connections.
func (s *source) informers(hooks restwatch.Hooks, trouble func(string, error)) (c *restwatch.Client, leave func()) {
	t, leave := s.road(s.faults.dialer)
	c = s.on(t, hooks, trouble)
	c.HTTP.Transport = s.faults.transport(c.HTTP.Transport)
	return c, leave
}

func (s *source) on(rt http.RoundTripper, hooks restwatch.Hooks, trouble func(string, error)) *restwatch.Client {
	if s.cluster == nil {
		rt = readOnly(explain(rt, trouble))
	}
	return &restwatch.Client{HTTP: &http.Client{Transport: rt}, Base: s.base, UserAgent: "informerscope", Hooks: hooks}
}

// readOnly lets nothing but GET pass: a live cluster is never written to.
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

// explain turns what the relay and a live cluster say about trouble into
// words for the page, and gives a refused connection behind the relay back
// the error that a client with a road of its own would have seen.
func explain(next http.RoundTripper, trouble func(string, error)) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			switch {
			case req.Context().Err() != nil, errors.As(err, new(ownError)):
			case errors.Is(err, syscall.ECONNREFUSED):
				trouble("The relay does not answer. Is the informerscope server still running? This page tries again by itself.", err)
			default:
				trouble("The connection to the relay broke. This page tries again by itself.", err)
			}
			return nil, err
		}
		cause := resp.Header.Get(causeHeader)
		switch {
		case cause != "":
			body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
			_ = resp.Body.Close()
			var status metav1.Status
			words := "The relay cannot reach the cluster."
			if json.Unmarshal(body, &status) == nil && status.Message != "" {
				words = status.Message
			}
			if cause == "refused" {
				err := fmt.Errorf("%s: %w", words, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})
				trouble(words, err)
				return nil, err
			}
			trouble(words, nil)
			return replay(resp, body), nil
		case resp.StatusCode == http.StatusUnauthorized:
			trouble("The cluster does not accept these credentials (401 Unauthorized). They may have expired: log in again with the kubeconfig's own means; this page tries again by itself.", nil)
		case resp.StatusCode == http.StatusForbidden:
			body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
			_ = resp.Body.Close()
			var status metav1.Status
			if json.Unmarshal(body, &status) == nil && status.Message != "" {
				trouble("Forbidden: "+status.Message, nil)
			} else {
				trouble("The cluster forbids this request (403 Forbidden).", nil)
			}
			return replay(resp, body), nil
		case resp.StatusCode < 400:
			trouble("", nil)
		}
		return resp, nil
	})
}

// replay gives a response back a body that was read.
func replay(resp *http.Response, body []byte) *http.Response {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp
}

// liveSources asks the relay what it can reach.
func liveSources(ctx context.Context, dial func(context.Context) (net.Conn, error)) LiveSources {
	if dial == nil {
		return LiveSources{Contexts: []Context{}, Error: "This page was opened without a server, so there is no way to a cluster. Start informerscope's server and open the address that it prints."}
	}
	t := newTransport(func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) })
	defer t.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out := LiveSources{Contexts: []Context{}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://relay/contexts", nil)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		out.Error = "The relay does not answer: " + err.Error()
		return out
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		out.Error = "The relay's answer broke off: " + err.Error()
		return out
	}
	if resp.StatusCode != http.StatusOK {
		out.Error = fmt.Sprintf("The relay answered %s: %s", resp.Status, body)
		return out
	}
	if err := json.Unmarshal(body, &out); err != nil {
		out.Error = "The relay's answer cannot be read: " + err.Error()
	}
	if out.Contexts == nil {
		out.Contexts = []Context{}
	}
	return out
}

// hooks emit what passes on the wire: the informers' requests only, with the
// URL that the API server sees, without the relay's prefix.
func (x *experiment) hooks() restwatch.Hooks {
	emit := func(e informer.Event) { x.emit(0, e) }
	bytes := &arrivals{of: map[uint64]*arrived{}}
	prefix := x.lab.src.base.EscapedPath()
	return restwatch.Hooks{
		Request: func(id uint64, method, target string) {
			bytes.begin(id, strings.Contains(target, "watch=true"))
			emit(informer.Event{Kind: trace.KindWireRequest, Req: uint32(id), Text: strings.TrimPrefix(target, prefix)})
		},
		Response: func(id uint64, status int, err error) {
			if err != nil {
				bytes.end(id)
			}
			emit(informer.Event{Kind: trace.KindWireResponse, Req: uint32(id), N: status, Err: err})
		},
		Bytes: func(id uint64, n int) {
			for n = bytes.add(id, n); n > 0; n -= wireUnit {
				emit(informer.Event{Kind: trace.KindWireBytes, Req: uint32(id), N: wireUnit})
			}
		},
		Frame: func(id uint64, typ, namespace, name, rv string, size int) {
			key := name
			if namespace != "" {
				key = namespace + "/" + name
			}
			op := frameOps[typ]
			if op != informer.OpBookmark {
				x.lab.versions.saw(key, rv)
			}
			if n := bytes.frame(id, size+1); n > 0 { // and the newline behind it
				emit(informer.Event{Kind: trace.KindWireBytes, Req: uint32(id), N: n})
			}
			emit(informer.Event{Kind: trace.KindWireFrame, Req: uint32(id), Op: op, Key: key, RV: rv, N: size})
		},
		Done: func(id uint64, err error) {
			if n := bytes.end(id); n > 0 {
				emit(informer.Event{Kind: trace.KindWireBytes, Req: uint32(id), N: n})
			}
			emit(informer.Event{Kind: trace.KindWireDone, Req: uint32(id), Err: err})
		},
	}
}

// wireUnit is in what pieces the bytes of a LIST are told.
const wireUnit = 64 << 10

// arrivals count the bytes of the bodies that are open, so that what is told of them does not depend on how the connection
// happened to cut them: a watch's by frames, others' by the wireUnit.
type arrivals struct {
	mu sync.Mutex
	of map[uint64]*arrived
}

type arrived struct {
	watch bool
	n     int // not told yet
}

func (a *arrivals) begin(id uint64, watch bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of[id] = &arrived{watch: watch}
}

// add counts n bytes, and returns how many are to be told now, a multiple of wireUnit.
func (a *arrivals) add(id uint64, n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of[id]
	if r == nil {
		return 0
	}
	if r.n += n; r.watch {
		return 0
	}
	told := r.n / wireUnit * wireUnit
	r.n -= told
	return told
}

// frame returns how many bytes to tell for a frame of size bytes.
func (a *arrivals) frame(id uint64, size int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of[id]
	if r == nil {
		return 0
	}
	told := min(size, r.n)
	r.n -= told
	return told
}

// end returns how many bytes are left to tell.
func (a *arrivals) end(id uint64) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.of[id]
	if r == nil {
		return 0
	}
	delete(a.of, id)
	return r.n
}

var frameOps = map[string]informer.Op{
	"ADDED": informer.OpAdded, "MODIFIED": informer.OpUpdated, "DELETED": informer.OpDeleted, "BOOKMARK": informer.OpBookmark,
}

// Resources are what the source in force can list and watch. What could be
// found is returned together with the error about what could not.
func (l *Lab) Resources(ctx context.Context) ([]restwatch.Resource, error) {
	src, err := l.current()
	if err != nil {
		return nil, err
	}
	return src.client(l.trouble).Discover(ctx)
}

// Namespaces are the namespaces of the source in force, sorted by name.
func (l *Lab) Namespaces(ctx context.Context) ([]string, error) {
	src, err := l.current()
	if err != nil {
		return nil, err
	}
	// Asking for namespaces may be forbidden where watching a resource is not, so it says nothing about the source's health.
	c := src.client(func(string, error) {})
	names := []string{}
	opts := metav1.ListOptions{Limit: 500}
	for {
		list, err := c.List(ctx, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "", opts)
		if err != nil {
			if apierrors.IsForbidden(err) {
				return nil, errors.New("these credentials may not list namespaces; type one")
			}
			return nil, err
		}
		for _, o := range list.Items {
			names = append(names, o.GetName())
		}
		if opts.Continue = list.Continue; opts.Continue == "" {
			return names, nil
		}
	}
}

// pipeListener hands the server's end of a net.Pipe to Accept for each dial.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
	case <-ctx.Done():
	}
	_, _ = client.Close(), server.Close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, refused("pipe")
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "simulated.cluster" }
