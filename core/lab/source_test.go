package lab

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/wire/faults"
	"informerscope/core/wire/pipe"
	"informerscope/core/wire/relayclient"
)

// TestAConnectionThatComesTooLateIsClosed opens the connection for a request after the page has cancelled the request. A relay that answers pings would count
// it as a viewer until it closes the idle connection, after half an hour.
func TestAConnectionThatComesTooLateIsClosed(t *testing.T) {
	for _, gone := range []string{"a question about contexts", "a source that is left"} {
		t.Run(gone, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln := pipe.Listen()
				var protocols http.Protocols
				protocols.SetUnencryptedHTTP2(true)
				var mu sync.Mutex
				states := map[http.ConnState]int{}
				relay := &http.Server{Protocols: &protocols, Handler: http.NotFoundHandler(), ConnState: func(_ net.Conn, s http.ConnState) {
					mu.Lock()
					defer mu.Unlock()
					states[s]++
				}}
				var serving sync.WaitGroup
				serving.Go(func() { _ = relay.Serve(ln) })
				slow := func(context.Context) (net.Conn, error) {
					time.Sleep(30 * time.Second)
					return ln.Dial(context.Background())
				}
				if gone == "a source that is left" {
					f := faults.New(nil, nil)
					src := liveSource(slow, "kind", nil, f)
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					if _, err := src.client().Do(ctx, http.MethodGet, "version", "", nil); err == nil {
						t.Error("there is an answer before there is a connection")
					}
					cancel()
					src.stop()
				} else {
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					if got := relayclient.AskContexts(ctx, slow); got.Cause != "relay-silent" {
						t.Errorf("%+v", got)
					}
					cancel()
				}
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				mu.Lock()
				if states[http.StateNew] != 1 || states[http.StateClosed] != 1 {
					t.Errorf("connections by state: %v; want one that came and was closed", states)
				}
				mu.Unlock()
				_ = relay.Close()
				serving.Wait()
			})
		})
	}
}
