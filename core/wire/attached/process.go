package attached

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"informerscope/core/wire/relayclient"
)

// maxInformers is how many informers of a process a menu lists, at most.
const maxInformers = 256

// Process describes the attached process, for the page's menu.
type Process struct {
	Offered   bool       `json:"offered"` // the server was started with --attach
	ClientGo  string     `json:"clientGo"`
	Informers []Informer `json:"informers"`
	Error     string     `json:"error,omitempty"` // why it cannot be reached now
}

// Informer is an informer of the attached process.
type Informer struct {
	Name    string            `json:"name"` // its resource, with the group if any
	Synced  bool              `json:"synced"`
	Objects int               `json:"objects"`
	Off     map[string]string `json:"off,omitempty"` // layers of the probe that are off, with the reason
}

// Ask asks the relay which informers the attached process has. Without dial there is none.
func Ask(ctx context.Context, dial func(context.Context) (net.Conn, error)) Process {
	out := Process{Informers: []Informer{}}
	if dial == nil {
		return out
	}
	t, disconnect := relayclient.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) })
	defer disconnect()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	resp, err := relayclient.OpenProbe(ctx, t, "")
	var refusal *relayclient.ProbeError
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusNotFound:
		return out
	case err != nil:
		out.Offered, out.Error = true, err.Error()
		return out
	}
	defer resp.Body.Close()
	out.Offered = true
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&out); err != nil {
		out.Error = fmt.Sprintf("What the attached process has cannot be read: %v", err)
	}
	if n := len(out.Informers); n > maxInformers {
		out.Error = fmt.Sprintf("The attached process has %d informers, and at most %d can be listed: let its probe watch fewer.", n, maxInformers)
		out.Informers = nil
	}
	if out.Informers == nil {
		out.Informers = []Informer{}
	}
	return out
}
