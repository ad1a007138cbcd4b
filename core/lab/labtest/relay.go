package labtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
)

// Relay serves HTTP/2 with prior knowledge, like the relay behind its WebSocket. It returns how to reach it.
func Relay(t *testing.T, h http.Handler) func(context.Context) (net.Conn, error) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", srv.Listener.Addr().String())
	}
}

// ProbeRelay is a Relay in front of a process with a probe: stream answers the request for its log.
func ProbeRelay(t *testing.T, stream http.HandlerFunc) func(context.Context) (net.Conn, error) {
	t.Helper()
	return Relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/probe/stream":
			stream(w, r)
		case "/probe/":
			_, _ = io.WriteString(w, `{"clientGo":"v0.37.2","informers":[{"name":"pods","synced":true,"objects":3}]}`)
		default:
			Status(w, http.StatusNotFound, "the relay has no such path")
		}
	}))
}

// patience is how long Until waits. It ends a test that hangs: on a busy machine, with the race detector, the slowest takes a minute.
const patience = 4 * time.Minute

// WaitUntil waits for a state for which ok returns true.
func WaitUntil(t *testing.T, rec *trace.Recorder, what string, ok func(*fold.State) bool) *fold.State {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		head, _ := rec.Head()
		s := rec.FoldAt(head).State()
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s; source %+v, reflector %+v", patience, what, s.Source, s.Reflector)
		}
		<-time.After(10 * time.Millisecond) // between two polls
	}
}

// Status answers with a Kubernetes Status.
func Status(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message,
		"reason": map[int]string{403: "Forbidden", 404: "NotFound"}[code]})
}

// ProbeStream is the stream of a probe with one informer: a baseline of the given number of objects.
func ProbeStream(objects int) string {
	sel := `{\"source\":\"live\",\"context\":\"mine\",\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\",\"namespace\":\"\",\"eras\":[\"1.37\"]}`
	var items []string
	for i := range objects {
		items = append(items, fmt.Sprintf(`{"key":"default/p%d","rv":"%d"}`, i, i+1))
	}
	state := `{\"era\":\"1.37\",\"running\":true,\"synced\":true,\"queue\":{\"kind\":\"RealFIFO\",\"items\":[]},\"listeners\":[],` +
		`\"fidelity\":{\"queue\":{\"how\":\"sampled\"}}}`
	return fmt.Sprintf(`{"format":"informerscope-trace","version":1,"selection":%s,"clientGo":"v0.37.2"}
{"s":1,"t":10,"k":"Selected","txt":"%s"}
{"s":2,"t":10,"k":"Restored","txt":"%s","items":[%s]}
`, strings.ReplaceAll(sel, `\"`, `"`), sel, state, strings.Join(items, ","))
}

// Hang returns a relay that stops answering requests below path, until the test ends. It sends on asked for each of them.
func Hang(path string, asked chan<- struct{}, end <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, path) {
			select {
			case asked <- struct{}{}:
			default:
			}
			select {
			case <-end:
			case <-r.Context().Done():
			}
			return
		}
		_, _ = io.WriteString(w, `{"contexts":[{"name":"slow","cluster":"slow"}]}`)
	})
}
