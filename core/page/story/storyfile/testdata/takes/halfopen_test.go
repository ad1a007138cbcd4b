package take

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/core/wire/pipe"
)

// serve answers LISTs and WATCHes of no pods. The version is the number of minutes since the start, and a bookmark brings each.
func serve(w http.ResponseWriter, r *http.Request, version func() int) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") != "true" {
		_, _ = fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[]}`, version())
		return
	}
	annotations := `,"annotations":{"k8s.io/initial-events-end":"true"}` // of the first bookmark
	for {
		if _, err := fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d"%s}}}`+"\n", version(),
			annotations); err != nil {
			return
		}
		annotations = ""
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-time.After(time.Minute): // of the bubble's clock
		case <-r.Context().Done():
			return
		}
	}
}

// droppable is a connection over which a firewall can drop all packets, in both directions.
type droppable struct {
	net.Conn
	isDropping atomic.Bool
}

func (c *droppable) Read(p []byte) (int, error) {
	for {
		if n, err := c.Conn.Read(p); err != nil || !c.isDropping.Load() {
			return n, err
		}
	}
}

func (c *droppable) Write(p []byte) (int, error) {
	if c.isDropping.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// TestAHalfOpenConnection drops the packets of an informer's connection. With the health check the version stands for less than two minutes. Without it, the
// version stands as long as one looks, and the metric grows.
func TestAHalfOpenConnection(t *testing.T) {
	for _, healthy := range []bool{true, false} {
		t.Run(fmt.Sprintf("health check %v", healthy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					serve(w, r, func() int { return 1 + int(time.Since(began)/time.Minute) })
				}))
				if err := srv.Listener.Close(); err != nil {
					t.Fatal(err)
				}
				ln := pipe.Listen()
				srv.Listener, srv.EnableHTTP2 = ln, true
				srv.StartTLS()
				defer srv.Close()
				config := &tls.Config{RootCAs: x509.NewCertPool()}
				config.RootCAs.AddCert(srv.Certificate())
				transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
				if healthy {
					transport = withHealthCheck(config)
				}
				var conn *droppable
				transport.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
				transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					inner, err := ln.Dial(ctx)
					conn = &droppable{Conn: inner}
					return conn, err
				}
				defer transport.CloseIdleConnections()
				client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "https://example.com", ContentConfig: rest.ContentConfig{
					ContentType: "application/json"}}, &http.Client{Transport: transport})
				if err != nil {
					t.Fatal(err)
				}
				factory := informers.NewSharedInformerFactory(client, 0)
				informer := factory.Core().V1().Pods().Informer()
				ctx, cancel := context.WithCancel(t.Context())
				factory.StartWithContext(ctx)
				defer factory.Shutdown()
				defer cancel()
				stood := staleness(informer)
				longest := func(d time.Duration) (most time.Duration) {
					for range int(d / time.Second) {
						<-time.After(time.Second)
						synctest.Wait()
						most = max(most, stood())
					}
					return most
				}
				if most := longest(10 * time.Minute); most > 61*time.Second || !informer.HasSynced() {
					t.Errorf("on a quiet watch the version stood for %v; synced %t", most, informer.HasSynced())
				}
				conn.isDropping.Store(true)
				most := longest(10 * time.Minute)
				if healthy && (most < 45*time.Second || most > 2*time.Minute) || !healthy && most < 9*time.Minute || !informer.HasSynced() {
					t.Errorf("without packets the version stood for %v; synced %t", most, informer.HasSynced())
				}
				if !healthy {
					_ = conn.Conn.Close() // the kernel gives up
				}
			})
		})
	}
}
