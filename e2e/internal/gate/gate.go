// Package gate is an HTTP proxy for browsers under test: what they ask of this
// machine goes on, what they ask of any other is refused and remembered. So a
// browser cannot talk to its maker, and a test can tell that it did not try.
package gate

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"time"
)

// Options of a gate. The zero value is good.
type Options struct {
	// Answer may answer a request itself, and then returns true.
	Answer func(http.ResponseWriter, *http.Request) bool
	// Ask may change a request before it goes on.
	Ask func(*http.Request)
	// Change may change an answer on its way back.
	Change func(*http.Response) error
}

// Gate is a running proxy.
type Gate struct {
	opts    Options
	server  *http.Server
	address string
	forward *httputil.ReverseProxy
	wg      sync.WaitGroup

	mu      sync.Mutex
	refused []string
	tunnels map[net.Conn]bool
	closed  bool
}

// Start starts a gate on a free loopback port. The caller must Close it.
func Start(opts Options) (*Gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Gate{opts: opts, address: l.Addr().String(), tunnels: map[net.Conn]bool{}}
	g.forward = &httputil.ReverseProxy{
		// The request goes on as it came: its URL is absolute already.
		Rewrite: func(r *httputil.ProxyRequest) {
			// WebKitGTK asks for a WebSocket like this, and not by CONNECT.
			if r.Out.URL.Scheme == "ws" {
				r.Out.URL.Scheme = "http"
			}
			if opts.Ask != nil {
				opts.Ask(r.Out)
			}
		},
		ModifyResponse: opts.Change,
		// A page that is left ends what it asked for, which is nothing to write about.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
		FlushInterval: -1,
		Transport:     &http.Transport{DisableCompression: true},
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: time.Minute}
	g.wg.Go(func() { _ = g.server.Serve(l) })
	return g, nil
}

// Address is host:port of the proxy.
func (g *Gate) Address() string { return g.address }

// Refused returns the hosts that were asked for and refused since it was asked
// last, each once.
func (g *Gate) Refused() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	refused := g.refused
	g.refused = nil
	return refused
}

// Close ends the gate and all that goes through it.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	for c := range g.tunnels {
		c.Close()
	}
	g.mu.Unlock()
	g.server.Close()
	g.wg.Wait()
	g.forward.Transport.(*http.Transport).CloseIdleConnections()
}

// ServeHTTP implements [http.Handler].
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !Loopback(r.URL.Hostname()) {
		g.mu.Lock()
		if !slices.Contains(g.refused, r.URL.Host) {
			g.refused = append(g.refused, r.URL.Host)
		}
		g.mu.Unlock()
		http.Error(w, fmt.Sprintf("%s is not on this machine", r.URL.Host), http.StatusForbidden)
		return
	}
	if r.Method == http.MethodConnect {
		g.tunnel(w, r)
		return
	}
	if g.opts.Answer == nil || !g.opts.Answer(w, r) {
		g.forward.ServeHTTP(w, r)
	}
}

// tunnel joins the browser with the address that it asks for; WebSockets come this way.
func (g *Gate) tunnel(w http.ResponseWriter, r *http.Request) {
	to, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.URL.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer to.Close()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "no tunnel over this protocol", http.StatusNotImplemented)
		return
	}
	from, early, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer from.Close()
	if !g.keep(from, to) {
		return
	}
	defer g.forget(from, to)
	if _, err := io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	var wg sync.WaitGroup
	// A half that has ended ends the other: neither side of a WebSocket goes on alone.
	join := func(dst net.Conn, src io.Reader) {
		_, _ = io.Copy(dst, src)
		from.Close()
		to.Close()
	}
	wg.Go(func() { join(to, early) })
	wg.Go(func() { join(from, to) })
	wg.Wait()
}

func (g *Gate) keep(conns ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	for _, c := range conns {
		g.tunnels[c] = true
	}
	// Close waits for what the server no longer knows of.
	g.wg.Add(1)
	return true
}

func (g *Gate) forget(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		delete(g.tunnels, c)
	}
	g.wg.Done()
}

// Loopback reports whether a URL's host is this machine and no other.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
