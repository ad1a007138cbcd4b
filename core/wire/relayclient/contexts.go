package relayclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// Context is a context of the relay's kubeconfig.
type Context struct {
	Name      string `json:"name"`
	Cluster   string `json:"cluster"`
	Server    string `json:"server"`
	User      string `json:"user"`
	Namespace string `json:"namespace"`
	Error     string `json:"error,omitempty"`     // why it cannot be used, if the kubeconfig alone shows that
	Simulated bool   `json:"simulated,omitempty"` // it is the simulated cluster in the server's process
}

// LiveSources are the clusters that the relay can reach.
type LiveSources struct {
	Contexts []Context `json:"contexts"`
	Current  string    `json:"current"`         // the kubeconfig's own
	Selected string    `json:"selected"`        // the one the server was started with
	Error    string    `json:"error"`           // why there are none, in words for the user
	Cause    string    `json:"cause,omitempty"` // of the error, if it is about the relay, as in Error
}

// AskContexts asks the relay which clusters it can reach.
func AskContexts(ctx context.Context, dial func(context.Context) (net.Conn, error)) LiveSources {
	if dial == nil {
		return LiveSources{Contexts: []Context{}, Error: "This page was opened without a server, so it cannot reach a cluster. " +
			"Start informerscope's server and open the address that it prints."}
	}
	t, disconnect := NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) })
	defer disconnect()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out := LiveSources{Contexts: []Context{}}
	if err := ask(ctx, t, "contexts", &out); err != nil {
		out = LiveSources{Contexts: []Context{}, Error: "The relay's answer cannot be read: " + err.Error()}
		if unreached := (*unreachedError)(nil); errors.As(err, &unreached) {
			trouble := Explain(unreached.error)
			out.Error, out.Cause = trouble.Words, trouble.Cause
		}
	}
	if out.Contexts == nil {
		out.Contexts = []Context{}
	}
	return out
}

// contextPatience is how long the relay may take to describe one context. Without that a selection continues, and the informers' trouble shows what
// is wrong.
const contextPatience = 5 * time.Second

// AskContext returns the kubeconfig's description of a context; empty if the relay does not answer or does not have the context.
func AskContext(ctx context.Context, dial func(context.Context) (net.Conn, error), name string) Context {
	ctx, cancel := context.WithTimeout(ctx, contextPatience)
	defer cancel()
	for _, c := range AskContexts(ctx, dial).Contexts {
		if c.Name == name {
			return c
		}
	}
	return Context{}
}

// unreachedError means that the relay was not reached.
type unreachedError struct{ error }

func (e *unreachedError) Unwrap() error { return e.error }

// ask requests something from the relay itself.
func ask(ctx context.Context, rt http.RoundTripper, what string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://relay/"+what, nil)
	if err != nil {
		return err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		if ctx.Err() != nil { // it did not answer in time
			err = fmt.Errorf("%w: %w", err, os.ErrDeadlineExceeded)
		}
		return &unreachedError{err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		return &unreachedError{err}
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s: %s", resp.Status, body)
	}
	return json.Unmarshal(body, into)
}
