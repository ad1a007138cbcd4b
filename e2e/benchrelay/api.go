package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// eventBytes is the size of one watch event, its newline included.
const eventBytes = 1200

// What stands before the moment at which an event was made, in nanoseconds, and before its resourceVersion.
const (
	stampKey   = `"bench.example.com/sent":"`
	versionKey = `"resourceVersion":"`
)

// event is one MODIFIED of a pod, as an API server writes it: one line.
func event(version int, sent time.Time) []byte {
	head := fmt.Sprintf(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"cart-7d4b9c6f58-x2k9p","generateName":"cart-7d4b9c6f58-",`+
		`"namespace":"default","uid":"0d6f8f0e-6c2e-4b8a-9d2b-5f1f0a9d7c11",%s%d","creationTimestamp":"2026-01-01T00:00:00Z",`+
		`"labels":{"app":"cart","pod-template-hash":"7d4b9c6f58"},"annotations":{%s%d","prometheus.io/scrape":"true"},`+
		`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"cart-7d4b9c6f58","controller":true}]},`+
		`"spec":{"containers":[{"name":"cart","image":"registry.example.com/shop/cart:1.4.2","args":["`, versionKey, version, stampKey, sent.UnixNano())
	tail := `"],"ports":[{"containerPort":8080,"protocol":"TCP"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},` +
		`"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","serviceAccountName":"cart",` +
		`"nodeName":"node-3"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:03Z"}],` +
		`"hostIP":"192.0.2.3","podIP":"10.1.2.3"}}}` + "\n"
	return []byte(head + strings.Repeat("--verbose=1 ", eventBytes/12)[:eventBytes-len(head)-len(tail)] + tail)
}

// hub makes events at a steady rate for as long as ctx lives, and gives each to every watch that is open.
type hub struct {
	mu      sync.Mutex
	watches map[chan []byte]struct{}
}

func (h *hub) run(ctx context.Context, rate float64) {
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	for version := 1; ; version++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		line := event(version, time.Now())
		h.mu.Lock()
		for watch := range h.watches {
			select {
			case watch <- line:
			default: // some seconds behind: this watch ends, and the run with it
				delete(h.watches, watch)
				close(watch)
			}
		}
		h.mu.Unlock()
	}
}

// ServeHTTP answers a LIST with nothing in it and a WATCH with the events, flushed where none waits, as an API server does.
func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/v1/namespaces/default/pods" || r.Header.Get("Authorization") != "Bearer "+benchToken {
		http.Error(w, "not served", http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") != "true" {
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
		return
	}
	watch := make(chan []byte, 1000)
	h.mu.Lock()
	h.watches[watch] = struct{}{}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.watches, watch)
		h.mu.Unlock()
	}()
	flusher := w.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case line, ok := <-watch:
			if !ok {
				panic(http.ErrAbortHandler)
			}
			if _, err := w.Write(line); err != nil {
				return
			}
			if len(watch) == 0 {
				flusher.Flush()
			}
		case <-r.Context().Done():
			return
		}
	}
}

// serveAPI is the role of the API server: it serves until its standard input ends, and prints its address first.
func serveAPI(certificate, key string, rate float64) error {
	ctx, cancel := context.WithCancel(context.Background())
	h := &hub{watches: map[chan []byte]struct{}{}}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		cancel()
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		cancel()
		return err
	}
	// As many streams on a connection as kube-apiserver allows (k8s.io/apiserver pkg/server/secure_serving.go).
	server := &http.Server{
		Handler:   h,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: 100},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	var running sync.WaitGroup
	running.Go(func() { h.run(ctx, rate) })
	running.Go(func() { _ = server.ServeTLS(ln, "", "") })
	fmt.Println("port", strconv.Itoa(ln.Addr().(*net.TCPAddr).Port))
	_, err = io.Copy(io.Discard, os.Stdin)
	cancel()
	_ = server.Close()
	running.Wait()
	return err
}
