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

	"informerscope/server/internal/audience"
	"informerscope/server/internal/audit"
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
	// maxStreams is how many requests of one HTTP/2 connection are served at the same time; browsers queue the rest.
	maxStreams = 32
	// maxHeaderBytes bounds the headers of a request for a file, with the cookies of other programs on localhost.
	maxHeaderBytes = 32 << 10
)

// run runs the program until ctx ends. When it returns, all its goroutines have ended.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	stdout, stderr = terminal{stdout}, terminal{stderr}
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
	page := web.Bundle(web.Directory())
	if s.modules {
		page = web.Modules(web.Directory())
	}
	return logFinalError(s, serve(ctx, s, page, stdout, stderr), stderr)
}

// hideTokens removes the tokens from the environment: the programs that this one starts, the browser and credential plugins, must not see them.
func hideTokens() error {
	return errors.Join(os.Unsetenv(envPrefix+"TOKEN"), os.Unsetenv(envPrefix+"ATTACH_TOKEN"))
}

// serve runs the server with the given settings and the page's files.
func serve(ctx context.Context, s settings, page fs.FS, stdout, stderr io.Writer) (err error) {
	if s.sim.isOn {
		var stop func()
		ctx, stop = endWithSignals(ctx)
		defer stop()
	}
	sim, simDoor, err := startSim(ctx, &s, stderr)
	if s.sim.isOn && ctx.Err() != nil { // asked to end before the cluster was ready
		return sim.Close()
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sim.Close()) }() // after all else: the relay watches it
	kubeconfig := openKubeconfig(&s)
	if sim != nil {
		kubeconfig.Scrubber().Learn("the door of the simulated cluster", []string{sim.Token})
	}
	log := newLog(s, kubeconfig.Scrubber(), stderr)
	klog.SetSlogLogger(log.With("from", "client-go"))
	if err := clusters.LogPlugins(log); err != nil {
		return err
	}
	files, stories, err := openFiles(page, s.stories, log)
	if err != nil {
		return err
	}
	numbers := newMetrics(kubeconfig)
	audited, endAudit, err := openAudit(s, kubeconfig.Scrubber(), stdout, numbers, log)
	if err != nil {
		return err
	}
	defer endAudit()
	network, err := openNetwork(s, log)
	if err != nil {
		return err
	}
	defer network.close() // also when serving never begins
	hosts, others := names(s, network.address())
	restrictPublished(s, kubeconfig, log)
	if len(s.contexts) > 0 || s.kubeconfig != "" {
		if problem := kubeconfig.Contexts().Error; problem != "" {
			log.Warn(problem)
		}
	}
	refusals := guard.NewTally(log, numbers.CountRefusal)
	defer refusals.Close()
	ready := health.New(kubeconfig, s.contexts, log)
	defer ready.Close()
	door := guard.NewDoor(hosts, network.scheme(), s.token, s.publicNames...)
	hall, err := openHall(s, kubeconfig.Scrubber(), refusals, log)
	if err != nil {
		return err
	}
	carrier := relay.New(relay.Config{Door: door, Rules: s.rules, Clusters: kubeconfig, Metrics: numbers, Log: log, Refusals: refusals,
		MaxViewers: s.maxViewers, MaxStreams: s.maxStreams, Audit: audited, Hall: hall, Probe: s.attach, Levers: simDoor})
	serves := parts{door: door, refusals: refusals, files: files, stories: stories, relay: carrier, numbers: numbers, ready: ready,
		separateMetrics: s.metricsListen != ""}
	if hall != nil {
		serves.hall = hall
	}
	running := &service{server: newServer(serves.handler(), log), listener: limitPage(network.page, s, refusals), ready: ready, relay: carrier,
		hall: hall, auditLog: audited, failures: make(chan error, 2)}
	running.start(network.tls)
	if network.probes != nil {
		// This listener closes last, so that /readyz can report the shutdown until the end.
		defer serveProbes(network.probes, serves.probes(), refusals, log, running.failures)()
	}
	links := newLinks(s, network.scheme(), hosts, others, stdout)
	links.warn(s, log)
	_, err = io.WriteString(stdout, links.lines(network.address())+exportLine(sim)+links.audience(hall))
	if err == nil {
		if s.open {
			defer openBrowser(links.ownLink, log)()
		}
		log.Info("serving", "address", network.address().String(), "protocols", protocolNames(network.address()), "maxViewers", s.maxViewers, "version",
			versionLine())
		select {
		case <-ctx.Done():
			log.Info("shutting down")
		case err = <-running.failures:
		case <-sim.Ended():
			err = sim.Err()
		}
	}
	return running.stop(ctx, err)
}

// openKubeconfig returns the loader of the kubeconfig, limited to the contexts that s names. In a pod without a kubeconfig it adds the pod's own
// context to s.
func openKubeconfig(s *settings) *clusters.Loader {
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
	return kubeconfig
}

// openFiles returns the page's files and the stories of the directory, "" for none. The log gets what is missing of them.
func openFiles(page fs.FS, directory string, log *slog.Logger) (*site.Site, *ownstories.Dir, error) {
	files, err := site.New(page)
	if err != nil {
		return nil, nil, err
	}
	if missing := files.Missing(); missing != "" {
		log.Warn(missing)
	}
	stories := ownstories.New(directory)
	listing, err := stories.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("--stories: %w", err)
	}
	for _, problem := range listing.Problems {
		log.Warn("a story is left out: " + problem)
	}
	return files, stories, nil
}

// newMetrics returns the server's metrics, with those of the build and of credential plugins.
func newMetrics(kubeconfig *clusters.Loader) *metrics.Set {
	numbers := new(metrics.Set)
	numbers.SetBuild(buildVersion())
	numbers.SetPluginCount(kubeconfig.RunningPlugins)
	kubeconfig.OnPluginWait(numbers.ObservePluginWait)
	return numbers
}

// restrictPublished lets a page that other machines can reach under a public name serve named contexts only, and warns if it is published without TLS.
func restrictPublished(s settings, kubeconfig *clusters.Loader, log *slog.Logger) {
	address := s.publicName()
	if address == "" {
		return
	}
	if s.contexts == nil {
		kubeconfig.ServeOnly(nil)
		log.Warn("the page is published for other machines, so it serves only named contexts, and none is named; start it with --context or --contexts", "as",
			address)
	}
	if strings.HasPrefix(address, "http://") {
		log.Warn("the page is published for other machines WITHOUT TLS: anyone who can read the network can read the token and the objects", "as", address)
	}
}

// service is the server while it runs.
type service struct {
	server   *http.Server
	listener *connlimit.Listener
	ready    *health.Checker
	relay    *relay.Relay
	hall     *audience.Hall // nil without --broadcast
	auditLog *audit.Log     // nil without --audit-log

	background sync.WaitGroup
	failures   chan error // the error of a listener; has room for both
}

// start serves the page in the background, with TLS unless it is nil.
func (v *service) start(tls *tls.Config) {
	v.server.TLSConfig = tls
	v.listener.Attach(v.server)
	v.ready.SetServing()
	v.background.Go(func() {
		if tls != nil {
			v.failures <- v.server.ServeTLS(v.listener, "", "")
		} else {
			v.failures <- v.server.Serve(v.listener)
		}
	})
}

// stop ends the server and waits for its goroutines. It returns err, the reason to end, joined with what fails meanwhile.
func (v *service) stop(ctx context.Context, err error) error {
	v.ready.Close()
	if v.hall != nil {
		v.hall.Close() // before the rest: followers' requests wait for the speaker
	}
	limit := shutdownTimeout
	if v.auditLog != nil {
		v.auditLog.Hurry() // requests no longer wait for an audit log that is stuck
		limit -= auditPatience
	}
	// The parent context has ended; the rest of the shutdown shares one deadline.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err = errors.Join(err, v.relay.Close()) // watches first: they never end on their own
	if v.server.Shutdown(grace) != nil {
		_ = v.server.Close()
	}
	v.background.Wait()
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
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// anonymousLimits returns a listener's limits on connections that have not sent a token: at most places of them, and each eviction is counted as a refusal.
func anonymousLimits(places int, refusals *guard.Tally) connlimit.Options {
	return connlimit.Options{Places: places, OnEviction: func(remote net.Addr) {
		refusals.Count(slog.LevelWarn, "connections", slog.String("remote", remote.String()), slog.Int("max", places))
	}}
}

// limitPage limits the connections without a token of the page's listener.
func limitPage(ln net.Listener, s settings, refusals *guard.Tally) *connlimit.Listener {
	places := anonymousConnections
	if s.broadcast { // each follower first loads the page, without a token, and all of an audience do so at once
		places += min(s.maxFollowers, arrivals)
	}
	limits := anonymousLimits(places, refusals)
	limits.MaxAdmitted = 2 * s.maxFollowers // two for each follower's browser that has shown the audience's token; the relay bounds its viewers itself
	return connlimit.New(ln, limits)
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
