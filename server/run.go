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
	// shutdownTimeout bounds how long requests under way may take to finish when the server ends. Watches are cut first.
	shutdownTimeout = 3 * time.Second
	// anonymousConnections is how many connections may be open without a token: for files, for health checks, and those that are about to become a
	// viewer's. A viewer's WebSocket does not count.
	anonymousConnections = 512
	// arrivals is how many more connections without a token may be open when there is an audience.
	arrivals = 4096
	// probeConnections bounds the connections of the listener of --metrics-listen.
	probeConnections = 32
	// idleTimeout is how long a connection is kept open between two requests.
	idleTimeout = 15 * time.Second
	// headerTimeout bounds the time until a request's headers are complete, from the connection's first byte and with the TLS handshake.
	headerTimeout = 5 * time.Second
	// streamsAtOnce is how many requests of one HTTP/2 connection are served at the same time; browsers queue the rest.
	streamsAtOnce = 32
	// maxHeaderBytes bounds the headers of a request for a file, with the cookies of other programs on localhost.
	maxHeaderBytes = 32 << 10
)

// run runs the program until ctx ends. When it returns, all its goroutines have ended.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	root := newCommand(os.LookupEnv, func(ctx context.Context, s settings) error { return act(ctx, s, stdout, stderr) })
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(spell(root, args))
	return root.ExecuteContext(ctx)
}

// act does what the settings say: it serves, or prints the version or a running server's health.
func act(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	if err := hideTokens(); err != nil {
		return err
	}
	switch {
	case s.version:
		_, err := fmt.Fprintln(stdout, versionLine())
		return err
	case s.ask != "":
		if s.askOldName {
			fmt.Fprintln(stderr, "informerscope: --probe is now --check; the next release no longer has the old name")
		}
		return ask(ctx, s, stdout)
	}
	return logFinalError(s, serve(ctx, s, web.Files(), stdout, stderr), stderr)
}

// hideTokens removes the tokens from the environment: the programs that this one starts, the browser and credential plugins, must not see them.
func hideTokens() error {
	return errors.Join(os.Unsetenv(envPrefix+"TOKEN"), os.Unsetenv(envPrefix+"ATTACH_TOKEN"))
}

// serve runs the server with the given settings and the page's files.
func serve(ctx context.Context, s settings, page fs.FS, stdout, stderr io.Writer) error {
	kubeconfig := clusters.NewLoader(s.kubeconfig, s.context)
	kubeconfig.InNamespace(s.namespace)
	if s.contexts == nil && kubeconfig.InCluster() { // its only context, chosen when the program was deployed
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
	listing, err := own.Read()
	if err != nil {
		return fmt.Errorf("--stories: %w", err)
	}
	for _, problem := range listing.Problems {
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
	defer func() { _ = ln.Close() }() // also when serving never begins
	var probing net.Listener
	if s.metricsListen != "" {
		if probing, err = bind("--metrics-listen", s.metricsListen, false); err != nil {
			return err
		}
		defer func() { _ = probing.Close() }()
		log.Info("metrics and health checks have a listener of their own", "address", probing.Addr().String())
	}
	address := ln.Addr().(*net.TCPAddr)
	if !address.IP.IsLoopback() {
		manner := "with TLS"
		if tlsConfig == nil {
			manner = "WITHOUT TLS (--insecure): anyone who can read the network can read the token and the objects"
		}
		log.Warn("listening on more than the loopback interface, "+manner, "address", address.String())
	}
	hosts, others := names(s, address)
	if outside := s.publicName(); outside != "" {
		if s.contexts == nil {
			kubeconfig.ServeOnly(nil)
			log.Warn("the page is published for other machines, so it serves only named contexts, and none is named; start it with --context or --contexts", "as",
				outside)
		}
		if strings.HasPrefix(outside, "http://") {
			log.Warn("the page is published for other machines WITHOUT TLS: anyone who can read the network can read the token and the objects", "as", outside)
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
	door := guard.NewDoor(hosts, scheme, s.token, s.publicNames...)
	hall, err := openHall(s, kubeconfig.Scrubber(), refusals, log)
	if err != nil {
		return err
	}
	carrier := relay.New(relay.Config{Door: door, Rules: s.rules, Clusters: kubeconfig, Metrics: numbers, Log: log, Refusals: refusals,
		MaxViewers: s.maxViewers, MaxStreams: s.maxStreams, Audit: audited, Hall: hall, Probe: s.attach})
	serves := parts{door: door, refusals: refusals, files: files, stories: own, relay: carrier, numbers: numbers, ready: ready,
		separateMetrics: s.metricsListen != ""}
	if hall != nil {
		serves.hall = hall
	}
	server := newServer(serves.handler(), log)
	server.TLSConfig = tlsConfig
	places := anonymousConnections
	if hall != nil { // each follower first loads the page, without a token, and all of an audience do so at once
		places += min(s.maxFollowers, arrivals)
	}
	limits := anonymousLimits(places, refusals)
	limits.Admitted = 2 * s.maxFollowers // two for each follower's browser that has shown the audience's token; the relay bounds its viewers itself
	limited := connlimit.New(ln, limits)
	limited.Attach(server)

	var background sync.WaitGroup
	stopPacking := make(chan struct{})
	background.Go(func() { files.Pack(stopPacking) })
	failed := make(chan error, 2)
	ready.Serving()
	if probing != nil {
		// This listener closes last, so that /readyz can report the shutdown until the end.
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
	if links.warning != "" {
		log.Warn(links.warning)
	}
	if s.tokenArgument {
		log.Warn("the token is on the command line, where every user of this machine can read it; --token-file keeps it out of there")
	}
	_, err = io.WriteString(stdout, links.lines(address)+links.audience(hall))
	if err == nil {
		if s.open {
			closeFile := openBrowser(links.ownLink, log)
			defer closeFile()
		}
		log.Info("serving", "address", address.String(), "protocols", protocolNames(address), "maxViewers", s.maxViewers, "version", versionLine())
		select {
		case <-ctx.Done():
			log.Info("shutting down")
		case err = <-failed:
		}
	}

	ready.Close()
	close(stopPacking)
	if hall != nil {
		hall.Close() // before the rest: followers' requests wait for the speaker
	}
	limit := shutdownTimeout
	if audited != nil {
		audited.Hurry() // requests no longer wait for an audit log that is stuck
		limit -= auditPatience
	}
	// The parent context has ended; the rest of the shutdown shares one deadline.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err = errors.Join(err, carrier.Close()) // watches first: they never end on their own
	if server.Shutdown(grace) != nil {
		_ = server.Close()
	}
	background.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// newServer returns an http.Server with timeouts and limits for every connection.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       15 * time.Second, // for requests, which have no body; a WebSocket is hijacked and exempt
		WriteTimeout:      5 * time.Minute,  // for the largest file over a slow network
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streamsAtOnce},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// anonymousLimits returns a listener's limits on connections that have not sent a token: at most places of them, and each eviction is counted as a refusal.
func anonymousLimits(places int, refusals *guard.Tally) connlimit.Options {
	return connlimit.Options{Places: places, Evicted: func(remote net.Addr) {
		refusals.Refused(slog.LevelWarn, "connections", slog.String("remote", remote.String()), slog.Int("max", places))
	}}
}

// serveProbes serves the listener of --metrics-listen; end closes it. A listener that fails sends its error to failed.
func serveProbes(ln net.Listener, handler http.Handler, refusals *guard.Tally, log *slog.Logger, failed chan<- error) (end func()) {
	server := newServer(handler, log)
	limited := connlimit.New(ln, anonymousLimits(probeConnections, refusals))
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
