package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"informerscope/server/internal/clusters"
)

const (
	// interval is the least time between two requests to an API server.
	interval = 10 * time.Second
	// patience is how long a request waits for an answer that is on its way.
	patience = 2 * time.Second
	// timeout is how long an API server may take.
	timeout = 8 * time.Second
	// freshness is how old an answer may be while a newer one is on its way.
	freshness = 30 * time.Second
	// maxAnswer bounds how much of an API server's answer is read, in bytes.
	maxAnswer = 4 << 10
)

// Checker checks whether the server is ready. Close ends its background work.
type Checker struct {
	loader   *clusters.Loader
	contexts []string
	log      *slog.Logger
	// The constants above, which tests shorten.
	interval, patience, timeout, freshness time.Duration

	ctx      context.Context
	cancel   context.CancelFunc
	requests sync.WaitGroup

	mu      sync.Mutex
	serving bool
	closed  bool
	states  map[string]*state
}

// state is what is known of a context.
type state struct {
	requestedAt time.Time     // when the last request began
	done        chan struct{} // closed when the answer arrives; nil without a request
	answered    bool          // an answer has arrived
	result
}

// result is an answer, or the lack of one.
type result struct {
	at       time.Time
	duration time.Duration
	words    string // why it is not ready; empty if it is
}

// New makes a checker for the named contexts of loader. It sends no request before Check is called.
func New(loader *clusters.Loader, contexts []string, log *slog.Logger) *Checker {
	c := &Checker{loader: loader, contexts: contexts, log: log, interval: interval, patience: patience, timeout: timeout, freshness: freshness,
		states: map[string]*state{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	for _, name := range contexts {
		c.states[name] = &state{}
	}
	return c
}

// SetServing marks the server as serving.
func (c *Checker) SetServing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving = !c.closed
}

// Close marks the server as ended, and cancels requests to API servers; no others begin.
func (c *Checker) Close() {
	c.mu.Lock()
	c.closed, c.serving = true, false
	c.mu.Unlock()
	c.cancel()
	c.requests.Wait()
}

// Check is one condition of readiness.
type Check struct {
	Name  string // "serving", or "context " and the name
	Words string // what is wrong; "" for nothing
	note  string
}

// Check returns the checks. It waits a moment for API servers that were not asked lately.
func (c *Checker) Check(ctx context.Context) []Check {
	var wait []<-chan struct{}
	c.mu.Lock()
	for _, name := range c.contexts {
		if ch := c.refresh(name); ch != nil {
			wait = append(wait, ch)
		}
	}
	c.mu.Unlock()
	enough := time.NewTimer(c.patience)
	defer enough.Stop()
waiting:
	for _, ch := range wait {
		select {
		case <-ch:
		case <-enough.C:
			break waiting
		case <-ctx.Done():
			break waiting
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	serving := Check{Name: "serving"}
	if !c.serving {
		serving.Words = "the server takes no requests: it begins, or ends"
	}
	checks := []Check{serving}
	for _, name := range c.contexts {
		checks = append(checks, c.read(name))
	}
	return checks
}

// refresh asks an API server if the last request is long ago, and returns a channel that is closed when the present request is answered. The caller
// holds c.mu.
func (c *Checker) refresh(name string) <-chan struct{} {
	s := c.states[name]
	if s.done != nil || c.closed || !s.requestedAt.IsZero() && time.Since(s.requestedAt) < c.interval {
		return s.done
	}
	s.requestedAt, s.done = time.Now(), make(chan struct{})
	c.requests.Go(func() {
		r := c.ask(name)
		c.mu.Lock()
		defer c.mu.Unlock()
		switch words := s.words; {
		case c.closed:
		case r.words != "" && (!s.answered || words == ""):
			c.log.Warn("not ready: the API server of a context does not answer as it should", "context", name, "reason", r.words)
		case r.words == "" && words != "":
			c.log.Info("ready: the API server of the context answers again", "context", name)
		}
		s.answered, s.result = true, r
		close(s.done)
		s.done = nil
	})
	return s.done
}

// read returns what is known of a context. The caller holds c.mu.
func (c *Checker) read(name string) Check {
	s := c.states[name]
	check := Check{Name: "context " + name}
	switch age := time.Since(s.at); {
	case !s.answered:
		check.Words = "its API server has not answered yet"
	case s.words != "":
		check.Words = s.words
	case s.done != nil && age > c.freshness:
		check.Words = fmt.Sprintf("its API server has not answered for %d s", int(time.Since(s.requestedAt).Seconds()))
	default:
		check.note = fmt.Sprintf("answered in %d ms, %d s ago", s.duration.Milliseconds(), int(age.Seconds()))
	}
	return check
}

// ask asks an API server whether it is ready. One that does not answer that, because access is forbidden or the page is missing, is asked for its
// version.
func (c *Checker) ask(name string) result {
	began := time.Now()
	done := func(words string) result {
		return result{at: time.Now(), duration: time.Since(began), words: c.loader.Scrubber().Text(words)}
	}
	upstream, err := c.loader.Upstream(name)
	if err != nil {
		_, words := c.loader.Explain(err)
		return done(words)
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout)
	defer cancel()
	for _, path := range []string{"/readyz", "/version"} {
		code, text, err := get(ctx, upstream, path)
		if err != nil {
			if ctx.Err() != nil {
				if _, words := upstream.PluginWait(); words != "" {
					return done(words)
				}
				err = context.DeadlineExceeded
			}
			_, words := upstream.Explain(err)
			return done(words)
		}
		switch {
		case code == http.StatusOK:
			return done("")
		case (code == http.StatusForbidden || code == http.StatusNotFound) && path == "/readyz":
			continue
		}
		if _, words := upstream.Hint(code, []byte(text)); words != "" {
			return done(words)
		}
		return done(fmt.Sprintf("the API server %s answers %s with %d %s", upstream.Base.Host, path, code, http.StatusText(code)))
	}
	return done("")
}

func get(ctx context.Context, upstream *clusters.Upstream, path string) (int, string, error) {
	target := *upstream.Base
	target.Path, target.RawPath, target.RawQuery, target.Fragment, target.User = strings.TrimSuffix(target.Path, "/")+path, "", "", "", nil
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return 0, "", errors.New("the server's URL in the kubeconfig is not one")
	}
	request.Header.Set("User-Agent", "informerscope/readyz")
	response, err := upstream.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, "", err
	}
	return response.StatusCode, string(text), nil
}

// ServeHTTP answers in the form of Kubernetes' own /readyz: "ok" with status 200, or the checks with status 503; the checks too for ?verbose. A
// request here needs no token. So only requests from this machine get a cluster's name and what is wrong with it, and others only that something is
// wrong.
func (c *Checker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	checks := c.Check(r.Context())
	code := http.StatusOK
	var text strings.Builder
	for _, check := range checks {
		if check.Words != "" {
			code = http.StatusServiceUnavailable
		}
		switch {
		case check.Name != "serving" && !isLocal(r):
		case check.Words != "":
			fmt.Fprintf(&text, "[-]%s failed: %s\n", check.Name, check.Words)
		case check.note != "":
			fmt.Fprintf(&text, "[+]%s ok: %s\n", check.Name, check.note)
		default:
			fmt.Fprintf(&text, "[+]%s ok\n", check.Name)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	if _, verbose := r.URL.Query()["verbose"]; code == http.StatusOK && !verbose {
		_, _ = io.WriteString(w, "ok\n")
		return
	}
	verdict := "readyz check passed"
	if code != http.StatusOK {
		verdict = "readyz check failed"
	}
	_, _ = fmt.Fprintf(w, "%s%s\n", text.String(), verdict)
}

// isLocal reports whether a request comes from this machine. It is false for one that a proxy marks as forwarded, and for one from a page whose domain
// was made to resolve to this machine.
func isLocal(r *http.Request) bool {
	return isLoopback(r.RemoteAddr) && isLoopback(r.Host) && !isForwarded(r.Header)
}

// isForwarded reports whether headers have the mark of a proxy. The probe's handler checks the same marks.
func isForwarded(headers http.Header) bool {
	for name := range headers {
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X-Envoy-External-Address":
			return true
		}
		if strings.HasPrefix(name, "X-Forwarded") || strings.HasPrefix(name, "X-Original-Forwarded") {
			return true
		}
	}
	return false
}

// isLoopback reports whether an address, with or without a port, is this machine's own.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
