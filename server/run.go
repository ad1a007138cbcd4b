package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
	"k8s.io/klog/v2"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/site"
	"informerscope/web"
)

const (
	// shutdownTimeout bounds how long files under way may take after the watches have been cut.
	shutdownTimeout = 3 * time.Second
	// spareConnections is how many connections there may be beside the viewers' WebSockets: for files and probes.
	spareConnections = 64
	// maxHeaderBytes bounds the headers of a request for a file, cookies of other programs on localhost included.
	maxHeaderBytes = 32 << 10
)

// run is the program: it serves until ctx ends, and returns when nothing of it runs any more.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseFlags(args, os.LookupEnv, stderr)
	if err != nil {
		return err
	}
	return serve(ctx, s, web.Files(), stdout, stderr)
}

// serve is run with its settings and the page's files given.
func serve(ctx context.Context, s settings, page fs.FS, stdout, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: s.logLevel}))
	klog.SetSlogLogger(log.With("from", "client-go"))
	files, err := site.New(page)
	if err != nil {
		return err
	}
	if missing := files.Missing(); missing != "" {
		log.Warn(missing)
	}
	scheme := "http"
	var tlsConfig *tls.Config
	if s.tlsCert != "" {
		certificate, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
		if err != nil {
			return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", s.tlsCert, s.tlsKey, err)
		}
		scheme = "https"
		tlsConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	ln, err := listen(s)
	if err != nil {
		return err
	}
	address := ln.Addr().(*net.TCPAddr)
	if !address.IP.IsLoopback() {
		manner := "with TLS"
		if tlsConfig == nil {
			manner = "WITHOUT TLS (--insecure): whoever can read the network can read the token and the objects"
		}
		log.Warn("listening on more than the loopback interface, "+manner, "address", address.String())
	}
	hosts := names(s, address)
	kubeconfig := clusters.NewLoader(s.kubeconfig, s.context)
	if s.context != "" {
		if problem := kubeconfig.Contexts().Error; problem != "" {
			log.Warn(problem)
		}
	}
	numbers := new(metrics.Set)
	door := guard.NewDoor(hosts, scheme, s.token)
	carrier := relay.New(relay.Config{Door: door, Rules: s.rules, Clusters: kubeconfig, Metrics: numbers, Log: log, MaxViewers: s.maxViewers})
	var ready atomic.Bool
	server := &http.Server{
		Handler:           handler(door, files, carrier, numbers, &ready),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second, // of what has no body; a WebSocket is beyond it
		WriteTimeout:      5 * time.Minute,  // of the largest file over a poor network
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		TLSConfig:         tlsConfig,
	}

	var background sync.WaitGroup
	stopPacking := make(chan struct{})
	background.Go(func() { files.Pack(stopPacking) })
	failed := make(chan error, 1)
	ready.Store(true)
	background.Go(func() {
		limited := netutil.LimitListener(ln, s.maxViewers+spareConnections)
		if tlsConfig != nil {
			failed <- server.ServeTLS(limited, "", "")
		} else {
			failed <- server.Serve(limited)
		}
	})
	open := scheme + "://" + hosts[0] + "/#token=" + s.token + s.scene
	_, err = fmt.Fprintf(stdout, "informerscope: open %s\n", open)
	if err == nil {
		if s.open {
			wait := openBrowser(open, log)
			go wait() // the browser may outlive the server
		}
		log.Info("serving", "address", address.String(), "maxViewers", s.maxViewers)
		select {
		case <-ctx.Done():
			log.Info("shutting down")
		case err = <-failed:
		}
	}

	ready.Store(false)
	close(stopPacking)
	err = errors.Join(err, carrier.Close()) // watches first: they would never end by themselves
	// The parent has ended; what is left gets a little time of its own.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(grace) != nil {
		_ = server.Close()
	}
	background.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// handler is everything that is reached without a WebSocket, and the way to it. The list of hosts and the security
// headers hold for all of it.
func handler(door *guard.Door, files, carrier, numbers http.Handler, ready *atomic.Bool) http.Handler {
	return site.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := door.Host(r); refusal != nil {
			if m, ok := numbers.(*metrics.Set); ok {
				m.Refused(refusal.Rule)
			}
			http.Error(w, refusal.Message, http.StatusForbidden)
			return
		}
		if r.ContentLength != 0 {
			w.Header().Set("Connection", "close")
			http.Error(w, "nothing here takes a body", http.StatusRequestEntityTooLarge)
			return
		}
		switch r.URL.Path {
		case "/relay":
			carrier.ServeHTTP(w, r)
		case "/healthz":
			probe(w, r, true)
		case "/readyz":
			probe(w, r, ready.Load())
		case "/metrics":
			if r.Method != http.MethodGet {
				http.Error(w, "only GET is served here", http.StatusMethodNotAllowed)
				return
			}
			numbers.ServeHTTP(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	}))
}

// probe answers a health check.
func probe(w http.ResponseWriter, r *http.Request, ok bool) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
	case !ok:
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
	default:
		_, _ = io.WriteString(w, "ok\n")
	}
}
