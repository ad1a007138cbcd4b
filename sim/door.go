package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"informerscope/core/cluster/levers"
)

const (
	// aliveEvery is how often a stream of writes says that it lives.
	aliveEvery = 15 * time.Second
	// doorTimeout bounds a request for a lever with its answer: another kube-apiserver takes half a minute to start on a busy machine. headTimeout bounds the
	// time until the headers of any request are complete.
	doorTimeout = 2 * time.Minute
	headTimeout = 5 * time.Second
)

// door serves the levers and the writes to the program that has its token, over HTTP on loopback.
type door struct {
	token   string
	address string
	server  *http.Server
	running sync.WaitGroup
}

// openDoor serves levers of a cluster, and its writes.
func openDoor(cluster levers.Cluster, writes *writeLog) (*door, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{token: rand.Text(), address: ln.Addr().String()}
	ctx, cancel := context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.Handle(levers.Path, http.TimeoutHandler(levers.Handler(cluster), doorTimeout, "the lever took too long"))
	mux.Handle("GET "+levers.WritesPath, streamWrites(writes))
	d.server = &http.Server{Handler: d.admit(mux), ReadHeaderTimeout: headTimeout, BaseContext: func(net.Listener) context.Context { return ctx }}
	d.server.RegisterOnShutdown(cancel)
	d.running.Go(func() { _ = d.server.Serve(ln) })
	return d, nil
}

func (d *door) url() string { return "http://" + d.address }

// close ends the door. When it returns, none of its requests runs.
func (d *door) close() {
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if d.server.Shutdown(grace) != nil {
		_ = d.server.Close()
	}
	d.running.Wait()
}

// admit lets requests for this host pass that have the token.
func (d *door) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if r.Host != d.address || !ok || subtle.ConstantTimeCompare([]byte(token), []byte(d.token)) != 1 {
			w.Header().Set("Connection", "close")
			http.Error(w, "the token of this launch is required", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// streamWrites answers a line of JSON for each write after the one that the client names, until the client ends.
func streamWrites(writes *writeLog) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var last uint64
		if text := r.URL.Query().Get("after"); text != "" {
			var err error
			if last, err = strconv.ParseUint(text, 10, 64); err != nil {
				http.Error(w, "after is the number of a write, as in ?after=17", http.StatusBadRequest)
				return
			}
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		alive := time.NewTicker(aliveEvery)
		defer alive.Stop()
		lines, flush := json.NewEncoder(w), http.NewResponseController(w)
		for {
			newer, changed := writes.after(last)
			for _, write := range newer {
				if lines.Encode(write) != nil {
					return
				}
				last = write.Seq
			}
			if flush.Flush() != nil {
				return
			}
			select {
			case <-changed:
			case <-alive.C:
				if _, err := w.Write([]byte("\n")); err != nil {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	})
}
