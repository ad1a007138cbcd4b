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
	// pluginPatience is how long a request waits for a credential plugin: a login in the browser may take a person a while.
	pluginPatience = time.Minute
	// pluginCourtesy is how long the requests beside it wait for the same plugin before they are told to come again.
	pluginCourtesy = 3 * time.Second
)

// PluginWaiting is the answer while another request waits for the credential plugin.
type PluginWaiting struct {
	Command string
	For     time.Duration
	Limit   time.Duration
}

// Error implements error.
func (e *PluginWaiting) Error() string {
	return fmt.Sprintf("waiting for %s", e.Command)
}

func (e *PluginWaiting) words() string {
	if left := e.Limit - e.For; left > 0 {
		return fmt.Sprintf("Waiting for %s, the credential plugin that the kubeconfig names, for %d s now; it is waited for %d s more. It may want a login in a "+
			"window of its own.",
			e.Command, int(e.For.Seconds()), int(left.Seconds()))
	}
	return fmt.Sprintf("Waiting for %s, the credential plugin that the kubeconfig names, for %d s now. It still runs, and is not started again beside "+
		"itself: finish its login, or end it.",
		e.Command, int(e.For.Seconds()))
}

// PluginError is the end of the patience with a credential plugin.
type PluginError struct {
	Command string
	For     time.Duration
}

// Error implements error.
func (e *PluginError) Error() string {
	return fmt.Sprintf("%s gave no credentials for %s", e.Command, e.For.Round(time.Second))
}

func (e *PluginError) words() string {
	return fmt.Sprintf("%s, the credential plugin that the kubeconfig names, gave no credentials for %d s. Log in with it by hand (kubectl get ns --context "+
		"… does), or end it; it is asked again once it has ended.",
		e.Command, int(e.For.Seconds()))
}

// gate bounds the wait for a credential plugin. client-go runs the plugin inside RoundTrip, under a lock and without a context, so the wait
// cannot be ended: it is left behind, in one goroutine at most for each plugin, which ends with the plugin.
type gate struct {
	command  string
	patience time.Duration
	courtesy time.Duration
	waited   func(time.Duration) // told of each wait that is over; nil for nobody

	mu   sync.Mutex
	busy *turn
}

// turn is one request's time with the plugin.
type turn struct {
	began time.Time
	over  chan struct{} // closed when the plugin has answered
	once  sync.Once
}

func newGate(command string) *gate {
	return &gate{command: filepath.Base(command), patience: pluginPatience, courtesy: pluginCourtesy}
}

// waiting is how long the plugin has been waited for, and whether it is.
func (g *gate) waiting() (time.Duration, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy == nil {
		return 0, false
	}
	return time.Since(g.busy.began), true
}

// enter makes the caller the one who may run the plugin, waiting for the one who does for a moment.
func (g *gate) enter(done <-chan struct{}) (*turn, error) {
	for {
		g.mu.Lock()
		t := g.busy
		if t == nil {
			t = &turn{began: time.Now(), over: make(chan struct{})}
			g.busy = t
			g.mu.Unlock()
			return t, nil
		}
		g.mu.Unlock()
		since := time.Since(t.began)
		timer := time.NewTimer(g.courtesy - since)
		select {
		case <-t.over:
			timer.Stop()
		case <-timer.C:
			return nil, &PluginWaiting{Command: g.command, For: time.Since(t.began), Limit: g.patience}
		case <-done:
			timer.Stop()
			return nil, errGone
		}
	}
}

// leave says that the plugin has answered.
func (g *gate) leave(t *turn) {
	t.once.Do(func() {
		g.mu.Lock()
		g.busy = nil
		g.mu.Unlock()
		if g.waited != nil {
			g.waited(time.Since(t.began))
		}
		close(t.over)
	})
}

// errGone is the error of a request whose viewer left while it waited.
var errGone = fmt.Errorf("the viewer left while a credential plugin was waited for: %w", context.Canceled)

// ticketKey is where a request carries its ticket.
type ticketKey struct{}

// ticket is one request's way through the gate.
type ticket struct {
	gate     *gate
	turn     *turn
	answered chan outcome // takes one
	finish   func()       // of the goroutine that makes the request

	mu               sync.Mutex
	given, abandoned bool
}

type outcome struct {
	response *http.Response
	err      error
}

// give hands the answer over, unless it was given before. What nobody waits for any more is closed.
func (t *ticket) give(response *http.Response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.given:
	case t.abandoned && response != nil:
		_ = response.Body.Close()
	case !t.abandoned:
		t.answered <- outcome{response, err}
	}
	t.given = true
}

// refused says that the API server does not accept the credentials: client-go is about to run the plugin again, before it gives the answer
// to anybody. The viewer gets it now, and the plugin's second run is a turn of its own.
// Mirrors what plugin/pkg/client/auth/exec.(*roundTripper).RoundTrip (v0.37.2) does with a 401.
func (t *ticket) refused(response *http.Response) (over func()) {
	again := &turn{began: time.Now(), over: make(chan struct{})}
	t.gate.mu.Lock()
	if t.gate.busy == nil {
		t.gate.busy = again
	}
	t.gate.mu.Unlock()
	t.give(response, nil)
	return func() { t.gate.leave(again) }
}

// through makes a request whose transport may run the plugin.
func (g *gate) through(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	turn, err := g.enter(ctx.Done())
	if err != nil {
		return nil, err
	}
	t := &ticket{gate: g, turn: turn, answered: make(chan outcome, 1), finish: func() {}}
	go func() {
		response, err := next.RoundTrip(req.WithContext(context.WithValue(ctx, ticketKey{}, t)))
		g.leave(turn)
		t.finish()
		t.give(response, g.named(err))
	}()
	over, limit := turn.over, time.NewTimer(g.patience)
	defer limit.Stop()
	for {
		select {
		case o := <-t.answered:
			return o.response, o.err
		case <-over: // from here on it is the API server that is waited for
			over = nil
		case <-ctx.Done():
			t.abandon()
			return nil, errGone
		case <-limit.C:
			if over == nil {
				continue
			}
			t.abandon()
			return nil, &PluginError{Command: g.command, For: time.Since(turn.began)}
		}
	}
}

// abandon lets go of the answer, which may be here already.
func (t *ticket) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandoned = true
	select {
	case o := <-t.answered:
		if o.response != nil {
			_ = o.response.Body.Close()
		}
	default:
	}
}

// marker is the innermost wrapper of a transport: whoever comes here has its credentials. It is told of the header that carries them.
func marker(next http.RoundTripper, learn func(authorization string)) http.RoundTripper {
	return &wrapper{next, func(req *http.Request) (*http.Response, error) {
		learn(req.Header.Get("Authorization"))
		t, _ := req.Context().Value(ticketKey{}).(*ticket)
		if t != nil {
			t.gate.leave(t.turn)
		}
		response, err := next.RoundTrip(req)
		if t != nil && err == nil && response.StatusCode == http.StatusUnauthorized {
			t.finish = t.refused(response)
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
