package conformance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"informerscope/core/informer/conformance/play"
	"informerscope/core/wire/pipe"
)

// ServeHTTP answers the requests of a metadata client from the objects of a small cluster.
func (c *small) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	kind := metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: metav1.SchemeGroupVersion.String()}
	out := json.NewEncoder(w)
	if r.URL.Query().Get("watch") != "true" {
		all, err := c.List(metav1.ListOptions{})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		list := all.(*metav1.PartialObjectMetadataList)
		list.TypeMeta = kind
		list.Kind += "List"
		_ = out.Encode(list) // a client that is gone needs no answer
		return
	}
	stream, err := c.Watch(metav1.ListOptions{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	flush := http.NewResponseController(w).Flush
	for err := flush(); err == nil; err = flush() {
		select {
		case e := <-stream.ResultChan():
			o := e.Object.(*object)
			o.TypeMeta = kind
			if out.Encode(map[string]any{"type": e.Type, "object": o}) != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// metadataSource lists and watches by a client over HTTP/2. It begins with a LIST.
type metadataSource struct{ metadata.ResourceInterface }

func (s metadataSource) IsWatchListSemanticsUnSupported() bool { return true }
func (s metadataSource) List(o metav1.ListOptions) (runtime.Object, error) {
	return s.ResourceInterface.List(context.Background(), o)
}

func (s metadataSource) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return s.ResourceInterface.Watch(context.Background(), o)
}

// firewalled is a connection over which a firewall can drop all packets, in both directions. It can also be reset.
type firewalled struct {
	net.Conn
	isDropping, isReset atomic.Bool
	once                sync.Once
	closed              chan time.Time // when the client closed it
}

func (c *firewalled) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil && c.isReset.Load() {
			err = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
		}
		if err != nil || !c.isDropping.Load() {
			return n, err
		}
	}
}

func (c *firewalled) Write(p []byte) (int, error) {
	if c.isDropping.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func (c *firewalled) Close() error {
	c.once.Do(func() { c.closed <- time.Now() })
	return c.Conn.Close()
}

// testHalfOpen drops the packets of a watch that client-go's own HTTP client has opened. Neither side closes the connection. The health check of HTTP/2 ends
// it 45 s after the last frame, and the Reflector lists again. After a reset it only watches again.
func testHalfOpen(t *testing.T) {
	runBoth(t, `
at first: synced true, version 1 of 1, 1 LISTs, 1 WATCHes
a change: synced true, version 2 of 2, 1 LISTs, 1 WATCHes
44 s without a packet: synced true, version 2 of 3, 1 LISTs, 1 WATCHes
the client closed the connection 45s after the last frame
later: synced true, version 3 of 3, 2 LISTs, 2 WATCHes
after a reset: synced true, version 4 of 4, 2 LISTs, 3 WATCHes
the watch error handler was called 0 times`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		srv := httptest.NewUnstartedServer(c)
		if err := srv.Listener.Close(); err != nil {
			t.Fatal(err)
		}
		ln := pipe.Listen()
		srv.Listener, srv.EnableHTTP2 = ln, true
		srv.StartTLS()
		t.Cleanup(srv.Close)
		roots := x509.NewCertPool()
		roots.AddCert(srv.Certificate())
		var conn atomic.Pointer[firewalled]
		transport := utilnet.SetTransportDefaults(&http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots},
			Proxy:           func(*http.Request) (*url.URL, error) { return nil, nil },
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				inner, err := ln.Dial(ctx)
				c := &firewalled{Conn: inner, closed: make(chan time.Time, 1)}
				conn.Store(c)
				return c, err
			},
		})
		t.Cleanup(transport.CloseIdleConnections)
		client, err := metadata.NewForConfigAndClient(&rest.Config{Host: "https://example.com"}, &http.Client{Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		i := lib.Shared(play.Options{Source: metadataSource{client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})}})
		var failures atomic.Int32
		if err := i.SetWatchErrorHandler(func(error) { failures.Add(1) }); err != nil {
			t.Fatal(err)
		}
		run(t, i)
		tell := func(when string) {
			synctest.Wait()
			say("%s: synced %v, version %s of %d, %s", when, i.HasSynced(), i.View().Version, c.rv, c.countRequests())
		}
		sleepAndSettle(time.Minute)
		tell("at first")
		c.put("a")
		tell("a change")
		last := time.Now()
		conn.Load().isDropping.Store(true)
		c.put("a")
		sleepAndSettle(44 * time.Second)
		tell("44 s without a packet")
		say("the client closed the connection %v after the last frame", (<-conn.Load().closed).Sub(last))
		sleepAndSettle(10 * time.Second)
		tell("later")
		conn.Load().isReset.Store(true)
		if err := conn.Load().Conn.Close(); err != nil {
			t.Error(err)
		}
		sleepAndSettle(time.Second)
		c.put("a")
		tell("after a reset")
		say("the watch error handler was called %d times", failures.Load())
	})
}
