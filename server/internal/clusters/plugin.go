package clusters

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"
)

const (
	// pluginPatience is how long a request waits for a credential plugin: a login in the browser takes a person some time.
	pluginPatience = time.Minute
	// pluginCourtesy is how long other requests wait for the same plugin before they get a PluginWaiting.
	pluginCourtesy = 3 * time.Second
)

// PluginWaiting is the error while another request waits for the credential plugin.
type PluginWaiting struct {
	Command string
	Wait    time.Duration
	Limit   time.Duration
}

// Error implements error.
func (e *PluginWaiting) Error() string {
	return fmt.Sprintf("waiting for %s", e.Command)
}

func (e *PluginWaiting) words() string {
	if left := e.Limit - e.Wait; left > 0 {
		return fmt.Sprintf("Waiting for %s, the credential plugin that the kubeconfig names, for %d s now, and for %d s more. It may show a login in a "+
			"separate window.",
			e.Command, int(e.Wait.Seconds()), int(left.Seconds()))
	}
	return fmt.Sprintf("Waiting for %s, the credential plugin that the kubeconfig names, for %d s now. It is still running, and no second one is started: "+
		"finish its login, or end it.",
		e.Command, int(e.Wait.Seconds()))
}

// PluginError is the error after pluginPatience without credentials.
type PluginError struct {
	Command string
	Wait    time.Duration
}

// Error implements error.
func (e *PluginError) Error() string {
	return fmt.Sprintf("%s gave no credentials for %s", e.Command, e.Wait.Round(time.Second))
}

func (e *PluginError) words() string {
	return fmt.Sprintf("%s, the credential plugin that the kubeconfig names, gave no credentials for %d s. Log in with it in a terminal (kubectl get ns "+
		"--context … runs it), or end it; once it has ended, it is started again.",
		e.Command, int(e.Wait.Seconds()))
}

// gate bounds the wait for a credential plugin. client-go runs the plugin inside RoundTrip, under a lock and without a context, so that call cannot
// be cancelled. The gate leaves it behind in a goroutine, at most one for each plugin, which ends with the plugin.
type gate struct {
	command  string
	patience time.Duration
	courtesy time.Duration
	report   func(time.Duration) // called with each finished wait; may be nil

	mu      sync.Mutex
	current *turn
}

// turn is the time in which one request may run the plugin.
type turn struct {
	began time.Time
	done  chan struct{} // closed when the plugin has answered
	once  sync.Once
}

func newGate(command string) *gate {
	return &gate{command: filepath.Base(command), patience: pluginPatience, courtesy: pluginCourtesy}
}

// waitTime reports whether a request waits for the plugin, and for how long.
func (g *gate) waitTime() (time.Duration, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current == nil {
		return 0, false
	}
	return time.Since(g.current.began), true
}

// acquire waits for the caller's turn with the plugin. When the current turn lasts longer than courtesy, it returns a PluginWaiting.
func (g *gate) acquire(done <-chan struct{}) (*turn, error) {
	for {
		g.mu.Lock()
		t := g.current
		if t == nil {
			t = &turn{began: time.Now(), done: make(chan struct{})}
			g.current = t
			g.mu.Unlock()
			return t, nil
		}
		g.mu.Unlock()
		since := time.Since(t.began)
		timer := time.NewTimer(g.courtesy - since)
		select {
		case <-t.done:
			timer.Stop()
		case <-timer.C:
			return nil, &PluginWaiting{Command: g.command, Wait: time.Since(t.began), Limit: g.patience}
		case <-done:
			timer.Stop()
			return nil, errGone
		}
	}
}

// release ends a turn: the plugin has answered.
func (g *gate) release(t *turn) {
	t.once.Do(func() {
		g.mu.Lock()
		g.current = nil
		g.mu.Unlock()
		if g.report != nil {
			g.report(time.Since(t.began))
		}
		close(t.done)
	})
}

// errGone is the error of a request whose viewer left while it waited.
var errGone = fmt.Errorf("the viewer left while a credential plugin was waited for: %w", context.Canceled)

// ticketKey is the key of a request's ticket in its context.
type ticketKey struct{}

// ticket is one request's passage through the gate.
type ticket struct {
	gate   *gate
	turn   *turn
	answer chan outcome // with room for one
	finish func()       // called by the goroutine that makes the request, after its turn

	mu               sync.Mutex
	given, abandoned bool
}

type outcome struct {
	response *http.Response
	err      error
}

// give delivers the answer, unless one was delivered before. It closes an answer that the caller has abandoned.
func (t *ticket) give(response *http.Response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.given:
	case t.abandoned && response != nil:
		_ = response.Body.Close()
	case !t.abandoned:
		t.answer <- outcome{response, err}
	}
	t.given = true
}

// answerUnauthorized delivers a 401 at once, because client-go runs the plugin again before it returns the answer. That second run is a turn of its own, and
// end releases it. Mirrors what plugin/pkg/client/auth/exec.(*roundTripper).RoundTrip (v0.37.2) does with a 401.
func (t *ticket) answerUnauthorized(response *http.Response) (end func()) {
	second := &turn{began: time.Now(), done: make(chan struct{})}
	t.gate.mu.Lock()
	if t.gate.current == nil {
		t.gate.current = second
	}
	t.gate.mu.Unlock()
	t.give(response, nil)
	return func() { t.gate.release(second) }
}

// roundTrip makes a request whose transport may run the plugin.
func (g *gate) roundTrip(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	turn, err := g.acquire(ctx.Done())
	if err != nil {
		return nil, err
	}
	t := &ticket{gate: g, turn: turn, answer: make(chan outcome, 1), finish: func() {}}
	go func() {
		response, err := next.RoundTrip(req.WithContext(context.WithValue(ctx, ticketKey{}, t)))
		g.release(turn)
		t.finish()
		t.give(response, g.restoreName(err))
	}()
	ended, limit := turn.done, time.NewTimer(g.patience)
	defer limit.Stop()
	for {
		select {
		case o := <-t.answer:
			return o.response, o.err
		case <-ended: // from now on the wait is for the API server
			ended = nil
		case <-ctx.Done():
			t.abandon()
			return nil, errGone
		case <-limit.C:
			if ended == nil {
				continue
			}
			t.abandon()
			return nil, &PluginError{Command: g.command, Wait: time.Since(turn.began)}
		}
	}
}

// abandon gives up waiting for the answer, and closes one that has arrived.
func (t *ticket) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandoned = true
	select {
	case o := <-t.answer:
		if o.response != nil {
			_ = o.response.Body.Close()
		}
	default:
	}
}

// marker wraps the transport below authentication: a request that reaches it has its credentials, which it passes to learn.
func marker(next http.RoundTripper, learn func(authorization string)) http.RoundTripper {
	return &wrapper{next, func(req *http.Request) (*http.Response, error) {
		learn(req.Header.Get("Authorization"))
		t, _ := req.Context().Value(ticketKey{}).(*ticket)
		if t != nil {
			t.gate.release(t.turn)
		}
		response, err := next.RoundTrip(req)
		if t != nil && err == nil && response.StatusCode == http.StatusUnauthorized {
			t.finish = t.answerUnauthorized(response)
		}
		return response, err
	}}
}

type wrapper struct {
	next http.RoundTripper
	do   func(*http.Request) (*http.Response, error)
}

// RoundTrip implements http.RoundTripper.
func (w *wrapper) RoundTrip(req *http.Request) (*http.Response, error) { return w.do(req) }

// WrappedRoundTripper implements apimachinery's util/net.RoundTripperWrapper.
func (w *wrapper) WrappedRoundTripper() http.RoundTripper { return w.next }
