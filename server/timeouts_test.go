package main

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/connlimit"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/testkit"
)

// TestConnectionsThatDoNothingAreClosed checks how long each kind of idle connection is kept, on virtual time.
func TestConnectionsThatDoNothingAreClosed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "absent")
	for _, test := range []struct {
		name  string
		sends string
		then  string // sent at a byte every 100 ms
		after time.Duration
	}{
		{"nothing is sent", "", "", headerTimeout},
		{"half of the headers", "GET / HTTP/1.1\r\nHost: h\r\n", "", headerTimeout},
		{"half of an upgrade", "GET /relay HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-K", "", headerTimeout},
		{"headers that never end, byte by byte", "GET / HTTP/1.1\r\nHost: h\r\nX: ", strings.Repeat("x", 1000), headerTimeout},
		{"nothing after an answer", "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "", idleTimeout},
		{"half of a second request", "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\n", "", headerTimeout},
		{"a name that is not the server's", "GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n", "", 0},
		{"a body", "GET /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", "", 0},
		{"a page of another origin", "GET /relay HTTP/1.1\r\nHost: h\r\nOrigin: http://evil.example\r\n\r\n", "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := slog.New(slog.DiscardHandler)
				refusals := guard.NewTally(log, func(string) {})
				defer refusals.Close()
				door := guard.NewDoor([]string{"h"}, "http", "0123456789abcdef")
				served := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
				carrier := relay.New(relay.Config{Door: door, Clusters: clusters.NewLoader(missing, ""), Metrics: new(metrics.Set), Log: log, MaxViewers: 1})
				defer func() { _ = carrier.Close() }()
				server := newServer(parts{door: door, refusals: refusals, files: served, relay: carrier, numbers: served}.handler(), log)
				ln := testkit.NewPipes()
				limited := connlimit.New(ln, anonymousLimits(anonymousConnections, refusals))
				limited.Attach(server)
				var serving sync.WaitGroup
				serving.Go(func() { _ = server.Serve(limited) })
				defer func() { _ = server.Close(); serving.Wait() }()

				client := ln.Dial(t)
				began := time.Now()
				var sending sync.WaitGroup
				sending.Go(func() {
					if _, err := io.WriteString(client, test.sends); err != nil {
						return
					}
					for i := range len(test.then) {
						time.Sleep(100 * time.Millisecond)
						if _, err := io.WriteString(client, test.then[i:i+1]); err != nil {
							return
						}
					}
				})
				reader := bufio.NewReader(client)
				_, err := io.Copy(io.Discard, reader)
				if took := time.Since(began); err != nil || took < test.after || took > test.after+time.Second {
					t.Errorf("it is closed after %s (%v), not after %s", took, err, test.after)
				}
				synctest.Wait()
				if limited.UnknownCount() != 0 {
					t.Errorf("%d places are still taken", limited.UnknownCount())
				}
				_ = client.Close()
				sending.Wait()
			})
		})
	}
}
