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
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/connlimit"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/health"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/ownstories"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/site"
	"informerscope/web"
)

const (
	// shutdownTimeout bounds how long the files under way may take, and the watches that are cut before.
	shutdownTimeout = 3 * time.Second
	// anonymousConnections is how many connections there may be that have not shown a token, for files, for probes and on their way to
	// becoming a viewer's. A viewer's WebSocket is not among them.
	anonymousConnections = 512
	// arrivals is how many more there may be with an audience.
	arrivals = 4096
	// probeConnections is the same for the listener of --metrics-listen.
	probeConnections = 32
	// idleTimeout is how long a connection is kept that has asked for something and may ask for more.
	idleTimeout = 15 * time.Second
	// headerTimeout is how long a request's headers may take, a connection's first byte and the handshake of TLS included.
	headerTimeout = 5 * time.Second
	// streamsAtOnce is how many requests of one HTTP/2 connection are served at one time; browsers queue the rest.
	streamsAtOnce = 32
	// maxHeaderBytes bounds the headers of a request for a file, cookies of other programs on localhost included.
	maxHeaderBytes = 32 << 10
)

// run is the program: it serves until ctx ends, and returns when nothing of it runs any more.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "story" {
		return storyCommand(args[1:], stdout, stderr)
	}
	s, err := parseFlags(args, os.LookupEnv, stderr)
	if err != nil {
		return err
	}
	// The programs that are started from here, the browser and credential plugins, have no business with it.
	for _, name := range []string{"TOKEN", "ATTACH_TOKEN"} {
		if err := os.Unsetenv(envPrefix + name); err != nil {
			return err
		}
	}
	switch {
	case s.version:
		_, err = fmt.Fprintln(stdout, versionLine())
		return err
	case s.ask != "":
		if s.askOldName {
			fmt.Fprintln(stderr, "informerscope: --probe is now --check; the next release no longer has the old name")
		}
		return ask(ctx, s, stdout)
	}
	return toldAs(s, serve(ctx, s, web.Files(), stdout, stderr), stderr)
}

// serve is run with its settings and the page's files given.
func serve(ctx context.Context, s settings, page fs.FS, stdout, stderr io.Writer) error {
	kubeconfig := clusters.NewLoader(s.kubeconfig, s.context)
	kubeconfig.InNamespace(s.namespace)
	if s.contexts == nil && kubeconfig.InCluster() { // there is this one, and who put the program there named it
		s.contexts = []string{clusters.InCluster}
	}
	if s.contexts != nil {
		kubeconfig.ServeOnly(s.contexts)
	}
	kubeconfig.Scrubber().Learn("the launch", []string{s.token})
	if s.attachToken != "" {
		kubeconfig.Scrubber().Learn("the attached process", []string{s.attachToken})
	}
	log := newLog(s, kubeconfig.Scrubber(), stderr)
	klog.SetSlogLogger(log.With("from", "client-go"))
	if err := clusters.LogPlugins(log); err != nil {
		return err
	}
	files, err := site.New(page)
	if err != nil {
		return err
	}
	if missing := files.Missing(); missing != "" {
		log.Warn(missing)
	}
	own := ownstories.New(s.stories)
	told, err := own.Read()
	if err != nil {
		return fmt.Errorf("--stories: %w", err)
	}
	for _, problem := range told.Problems {
		log.Warn("a story is left out: " + problem)
	}
	numbers := new(metrics.Set)
	numbers.Build(builtFrom())
	numbers.PluginsWaitedFor(kubeconfig.PluginsWaitedFor)
	kubeconfig.OnPluginWait(numbers.PluginWaited)
	audited, endAudit, err := openAudit(s, kubeconfig.Scrubber(), stdout, numbers, log)
	if err != nil {
		return err
	}
	defer endAudit()
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
	defer func() { _ = ln.Close() }() // whatever keeps it from being served
	var probing net.Listener
	if s.metricsListen != "" {
		if probing, err = bind("--metrics-listen", s.metricsListen, false); err != nil {
			return err
		}
		defer func() { _ = probing.Close() }()
		log.Info("metrics and probes have a listener of their own", "address", probing.Addr().String())
	}
	address := ln.Addr().(*net.TCPAddr)
	if !address.IP.IsLoopback() {
		manner := "with TLS"
		if tlsConfig == nil {
			manner = "WITHOUT TLS (--insecure): whoever can read the network can read the token and the objects"
		}
		log.Warn("listening on more than the loopback interface, "+manner, "address", address.String())
	}
	hosts, others := names(s, address)
	if outside := s.elsewhere(); outside != "" {
		if s.contexts == nil {
			kubeconfig.ServeOnly(nil)
			log.Warn("the page is published for other machines, so contexts have to be named: none is served; start the server with --context or --contexts", "as",
				outside)
		}
		if strings.HasPrefix(outside, "http://") {
			log.Warn("the page is published for other machines WITHOUT TLS: whoever can read the network can read the token and the objects", "as", outside)
		}
	}
	if len(s.contexts) > 0 || s.kubeconfig != "" {
		if problem := kubeconfig.Contexts().Error; problem != "" {
			log.Warn(problem)
		}
	}
	refusals := guard.NewTally(log, numbers.Refused)
	defer refusals.Close()
	ready := health.New(kubeconfig, s.contexts, log)
	defer ready.Close()
	door := guard.NewDoor(hosts, scheme, s.token, s.published...)
	hall, err := openHall(s, kubeconfig.Scrubber(), refusals, log)
	if err != nil {
		return err
	}
	carrier := relay.New(relay.Config{Door: door, Rules: s.rules, Clusters: kubeconfig, Metrics: numbers, Log: log, Refusals: refusals,
		MaxViewers: s.maxViewers, MaxStreams: s.maxStreams, Audit: audited, Hall: hall, Probe: s.attach})
	serves := parts{door: door, refusals: refusals, files: files, own: own, carrier: carrier, numbers: numbers, ready: ready, apart: s.metricsListen != ""}
	if hall != nil {
		serves.hall = hall
	}
	server := newServer(serves.handler(), log)
	server.TLSConfig = tlsConfig
	places := anonymousConnections
	if hall != nil { // who follows loads the page first, without a token, and a hall does so all at once
		places += min(s.maxFollowers, arrivals)
	}
	limits := crowded(places, refusals)
	limits.Admitted = 2 * s.maxFollowers // who has shown the audience's token, with two connections of a browser; the relay bounds its viewers itself
	limited := connlimit.New(ln, limits)
	limited.Attach(server)

	var background sync.WaitGroup
	stopPacking := make(chan struct{})
	background.Go(func() { files.Pack(stopPacking) })
	failed := make(chan error, 2)
	ready.Serving()
	if probing != nil {
		// They are answered to the end: that the server goes away is what /readyz has to say.
		defer serveProbes(probing, serves.probes(), refusals, log, failed)()
	}
	background.Go(func() {
		if tlsConfig != nil {
			failed <- server.ServeTLS(limited, "", "")
		} else {
			failed <- server.Serve(limited)
		}
	})
	links := newLinks(s, scheme, hosts, others, stdout)
	if links.says != "" {
		log.Warn(links.says)
	}
	if s.tokenArgument {
		log.Warn("the token stands on the command line, where every user of this machine can read it; --token-file keeps it out of there")
	}
	_, err = io.WriteString(stdout, links.lines(address)+links.audience(hall))
	if err == nil {
		if s.open {
			closeFile := openBrowser(links.open, log)
			defer closeFile()
		}
		log.Info("serving", "address", address.String(), "protocols", spoken(address), "maxViewers", s.maxViewers, "version", versionLine())
		select {
		case <-ctx.Done():
			log.Info("shutting down")
		case err = <-failed:
		}
	}

	ready.Close()
	close(stopPacking)
	if hall != nil {
		hall.Close() // before the rest: its requests would wait for a speaker
	}
	limit := shutdownTimeout
	if audited != nil {
		audited.Hurry() // no request waits any more for a log that takes nothing
		limit -= auditPatience
	}
	// The parent has ended; what is left gets a little time of its own, all of it together.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err = errors.Join(err, carrier.Close()) // watches first: they would never end by themselves
	if server.Shutdown(grace) != nil {
		_ = server.Close()
	}
	background.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// newServer is an http.Server that waits for nobody long.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       15 * time.Second, // of what has no body; a WebSocket is beyond it
		WriteTimeout:      5 * time.Minute,  // of the largest file over a poor network
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streamsAtOnce},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// crowded is how a listener treats connections of which nothing is known: places of them may wait, and who has to go is counted.
func crowded(places int, refusals *guard.Tally) connlimit.Options {
	return connlimit.Options{Places: places, Evicted: func(remote net.Addr) {
		refusals.Refused(slog.LevelWarn, "connections", slog.String("remote", remote.String()), slog.Int("max", places))
	}}
}

// serveProbes serves the listener of --metrics-listen, and returns what ends it.
func serveProbes(ln net.Listener, handler http.Handler, refusals *guard.Tally, log *slog.Logger, failed chan<- error) (end func()) {
	server := newServer(handler, log)
	limited := connlimit.New(ln, crowded(probeConnections, refusals))
	limited.Attach(server)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(limited); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("--metrics-listen: %w", err)
		}
	})
	return func() {
		_ = server.Close()
		serving.Wait()
	}
}
