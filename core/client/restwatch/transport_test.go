package restwatch

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/object/objecttest"
)

// TestStopReachesTheServer stops watches over real connections, HTTP/1.1 and cleartext HTTP/2: the server must notice, and no goroutine may be left.
func TestStopReachesTheServer(t *testing.T) {
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			left := make(chan string)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, frame("ADDED", "ns", "a", "1")+"\n")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				left <- r.Proto
			}))
			protocols := &http.Protocols{}
			protocols.SetHTTP1(!h2)
			protocols.SetUnencryptedHTTP2(h2)
			server.Config.Protocols = protocols
			server.Start()
			transport := &http.Transport{Protocols: protocols}
			c := &Client{Base: mustURL(t, server.URL), HTTP: &http.Client{Transport: transport}}
			for range 3 {
				w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if got := describe(<-w.ResultChan()); got != "ADDED ns/a@1" {
					t.Errorf("%s", got)
				}
				w.Stop()
				collect(w)
				if proto := <-left; !strings.HasPrefix(proto, name) {
					t.Errorf("the protocol is %s", proto)
				}
			}
			transport.CloseIdleConnections()
			server.Close()
			for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
				if time.Now().After(deadline) {
					t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
				}
				runtime.Gosched()
			}
		})
	}
}

// TestOverPipe lists and watches over net.Pipe, which also leads to the simulated cluster, and cuts the connection during the watch.
func TestOverPipe(t *testing.T) {
	for name, end := range map[string]int{"our end": 0, "their end": 1} {
		t.Run(name, func(t *testing.T) { testOverPipe(t, end) })
	}
}

func testOverPipe(t *testing.T, end int) {
	conns := make(chan net.Conn)
	listener := &pipeListener{conns: conns, closed: make(chan struct{})}
	hold := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			w.Write(objecttest.PodList(10))
			return
		}
		io.WriteString(w, frame("ADDED", "ns", "a", "1")+"\n"+frame("ADDED", "ns", "b", "2")[:50])
		w.(http.Flusher).Flush()
		<-hold
	})}
	served := make(chan struct{})
	go func() { defer close(served); server.Serve(listener) }()
	var last [2]net.Conn
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		last = [2]net.Conn{ours, theirs}
		conns <- theirs
		return ours, nil
	}}
	c := &Client{Base: mustURL(t, "http://simulated"), HTTP: &http.Client{Transport: transport}}
	if l, err := list(t, c); err != nil || len(l.Items) != 10 {
		t.Fatalf("%v, %v", l, err)
	}
	w, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(<-w.ResultChan()); got != "ADDED ns/a@1" {
		t.Errorf("%s", got)
	}
	last[end].Close()
	for _, e := range collect(w) {
		t.Errorf("after the connection was closed: %s", e)
	}
	close(hold)
	server.Close()
	<-served
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// TestCompressedList checks that a LIST that the server compresses, as API servers do with large ones, is decompressed, and counted after that.
func TestCompressedList(t *testing.T) {
	content := objecttest.PodList(50)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Errorf("Accept-Encoding: %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write(content)
		z.Close()
	})
	j := &journal{}
	c.Hooks = j.hooks()
	if l, err := list(t, c); err != nil || len(l.Items) != 50 || j.bytes != len(content) {
		t.Errorf("%v, %v, %d bytes", l, err, j.bytes)
	}
}

// BenchmarkWatch measures a watch from the body to the reader of its channel.
func BenchmarkWatch(b *testing.B) {
	const events = 2000
	var stream strings.Builder
	for i := range events {
		stream.Write(objecttest.WatchEvent("MODIFIED", objecttest.Pod(i)))
	}
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		w, err := streaming(b, io.NopCloser(strings.NewReader(stream.String()))).Watch(context.Background(), pods, "", metav1.ListOptions{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for range w.ResultChan() {
			n++
		}
		if n != events {
			b.Fatalf("%d events", n)
		}
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
}
