package soak

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/wire/relayclient"
	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/relay"
)

// contextName is the kubeconfig's only context.
const contextName = "soak"

// maxEnd bounds how long a relay may take to end, whatever its viewers and its API server do.
const maxEnd = 3 * time.Second

// maxGoroutineEnd is how long stopped goroutines may take to end. The backoff of an informer whose WatchList was refused ignores its context, as in
// client-go, and lasts up to a minute. synctest reports goroutines that remain after that.
const maxGoroutineEnd = 2 * time.Minute

// maxForget is how long the relay may keep connections of closed pages. It detects one whose network lost the close after 5 minutes. client-go
// closes a connection without requests after another minute and a half.
const maxForget = 8 * time.Minute

// world is one play of a script.
type world struct {
	script   *Script
	dir      string
	networks [hops]*network
	cluster  *simcluster.Cluster
	api      *apiServer
	history  *history
	pages    []*page

	token  string // the relay's
	relay  *relayProcess
	login  int // how often credentials were renewed
	timers []*time.Timer
	due    chan func() // with room for all of them

	intrusion  atomic.Bool // a client without the token was served
	turnedAway atomic.Int64
	result     Result
}

// Result is the result of a script.
type Result struct {
	Seed int64
	// Problems are the violated invariants, empty for none.
	Problems []string
	// Counts of the work done.
	Requests, Notifications, Transitions, Faults, Writes, Dials, TurnedAway int
	// Notified counts the notifications by release.
	Notified map[string]int
	Pages    int
	// Virtual is the virtual time of the pages, and Recovery the longest time from healing until every check passed.
	Virtual, Recovery time.Duration
}

// relayProcess is a relay and the server around it.
type relayProcess struct {
	relay   *relay.Relay
	server  *http.Server
	serving sync.WaitGroup
}

// page is an open page.
type page struct {
	Page
	number       int
	browser      *browser
	link         *relayclient.Link
	token        string
	lab          *lab.Lab
	rec          *trace.Recorder
	last         chan struct{} // closed when the last job is done
	jobs         sync.WaitGroup
	lateHandlers []int32 // handlers that were added
}

// play plays a script in a bubble of virtual time. dir is for its kubeconfig.
func play(s *Script, dir string) Result {
	w := &world{script: s, dir: dir, token: "soak-token-00000000", due: make(chan func(), 2*len(s.Ops))}
	w.result.Seed, w.result.Notified = s.Seed, map[string]int{}
	began := time.Now()
	for h := range hops {
		w.networks[h] = newNetwork(h)
	}
	w.cluster = simcluster.New(simcluster.Options{Seed: uint64(s.Seed), Objects: -1, Still: true,
		BookmarkPeriod: 20 * time.Second, HistorySize: 64})
	w.history = newHistory(w.cluster, s.Resource, s.Bulk)
	d := dice{rand.New(rand.NewPCG(uint64(s.Seed), 1))}
	for range s.Objects {
		w.history.write(d)
	}
	w.api = newAPIServer(w.cluster, w.networks[upstreamHop], w.credential())
	w.writeKubeconfig()
	w.startRelay()
	for i, p := range s.Pages {
		w.pages = append(w.pages, w.openPage(i, p))
	}
	for _, o := range s.Ops {
		w.sleep(o.After)
		w.perform(o)
	}
	w.heal()
	w.settle("after the last fault")
	w.history.touch()
	w.settle("after one more write")
	w.result.Virtual = time.Since(began)
	for _, p := range w.pages {
		w.count(p)
		p.close()
	}
	time.Sleep(maxForget)
	w.checkConnections()
	w.stopRelay()
	w.api.close()
	if w.intrusion.Load() {
		w.fail("a client without the relay's token was served")
	}
	w.result.TurnedAway = int(w.turnedAway.Load())
	time.Sleep(maxGoroutineEnd)
	w.result.Requests, w.result.Writes = w.api.requests, w.history.writes
	w.result.Faults += w.api.faults
	w.result.Pages = len(w.pages)
	for _, n := range w.networks {
		w.result.Dials += n.dials
	}
	return w.result
}

func (w *world) fail(format string, args ...any) {
	w.result.Problems = append(w.result.Problems, fmt.Sprintf(format, args...))
}

// schedule runs job after d, between two ops or during a wait, unless everything is healed before.
func (w *world) schedule(d time.Duration, job func()) {
	w.timers = append(w.timers, time.AfterFunc(d, func() { w.due <- job }))
}

// sleep waits for d, and meanwhile does what is due.
func (w *world) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case job := <-w.due:
			job()
		case <-timer.C:
			return
		}
	}
}

// credential is the bearer token that the API server accepts now.
func (w *world) credential() string { return fmt.Sprintf("api-credential-%04d", w.login) }

// writeKubeconfig writes the relay's kubeconfig with the current credentials.
func (w *world) writeKubeconfig() {
	user := "token: " + w.credential()
	if w.script.Renews {
		file := filepath.Join(w.dir, "token")
		must(os.WriteFile(file, []byte(w.credential()), 0o600))
		user = "tokenFile: " + file
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: %[1]s
contexts: [{name: %[1]s, context: {cluster: %[1]s, user: %[1]s}}]
clusters: [{name: %[1]s, cluster: {server: "https://%[2]s", certificate-authority-data: %[3]s}}]
users: [{name: %[1]s, user: {%[4]s}}]
`, contextName, apiHost, base64.StdEncoding.EncodeToString(authority().authority), user)
	file := filepath.Join(w.dir, "config")
	if old, err := os.ReadFile(file); err == nil && string(old) == text {
		return
	}
	must(os.WriteFile(file, []byte(text), 0o600))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (w *world) startRelay() {
	resources, err := guard.ParseResources("*")
	must(err)
	loader := clusters.NewLoader(filepath.Join(w.dir, "config"), "")
	loader.DialWith(w.dialUpstream)
	log := slog.New(slog.DiscardHandler)
	r := &relayProcess{relay: relay.New(relay.Config{Door: guard.NewDoor([]string{relayHost}, "http", w.token),
		Rules:    guard.Rules{Resources: resources},
		Clusters: loader, Metrics: new(metrics.Set), Log: log, MaxViewers: w.script.Room})}
	// As in server/run.go.
	r.server = &http.Server{Handler: r.relay, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 5 * time.Minute,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	ln := w.networks[pageHop].listen()
	r.serving.Go(func() { _ = r.server.Serve(ln) })
	w.relay = r
}

// stopRelay ends the relay as a signal does.
func (w *world) stopRelay() {
	r := w.relay
	if r == nil {
		return
	}
	w.relay = nil
	began := time.Now()
	_ = r.relay.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if r.server.Shutdown(ctx) != nil {
		_ = r.server.Close()
	}
	r.serving.Wait()
	if took := time.Since(began); took > maxEnd {
		w.fail("the relay took %v to end", took)
	}
}

// killRelay ends the relay without closing its connections.
func (w *world) killRelay() {
	for _, n := range w.networks {
		for _, wire := range n.openWires() {
			wire.reset()
		}
	}
	w.stopRelay()
}

// openPage opens a page with the page's own client, and begins to watch.
func (w *world) openPage(number int, spec Page) *page {
	p := &page{Page: spec, number: number, browser: &browser{network: w.networks[pageHop]}, token: w.token, last: make(chan struct{})}
	close(p.last)
	p.rec = trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
	p.link = relayclient.NewLink(p.token, clock.RealClock{}, p.browser.open)
	p.lab = lab.New(lab.Options{Recorder: p.rec, Dial: p.link.Dial})
	p.choose(w.script.Resource)
	return p
}

// job runs do in order after the page's earlier jobs.
func (p *page) job(work func(ctx context.Context)) {
	before, done := p.last, make(chan struct{})
	p.last = done
	p.jobs.Go(func() {
		defer close(done)
		<-before
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		work(ctx)
	})
}

// choose makes the page watch what it is to watch.
func (p *page) choose(resource string) {
	source, name, spec := "live", contextName, p.Page
	p.job(func(ctx context.Context) {
		p.lateHandlers = nil
		_, err := p.lab.Select(ctx, selection.Change{Source: &source, Context: &name, Resource: &resource, Namespace: &spec.Namespace, Release: &spec.Releases})
		must(err)
	})
}

// close closes the page.
func (p *page) close() {
	p.jobs.Wait()
	p.lab.Close()
}

// heal ends all faults.
func (w *world) heal() {
	for _, t := range w.timers {
		t.Stop()
	}
	for _, n := range w.networks {
		n.refuse(false)
		n.slow(0)
		n.fill()
	}
	if w.cluster.Down() {
		w.cluster.Restart(0) // it is back at once
	}
	w.api.heal(w.credential())
	w.writeKubeconfig()
	if w.relay == nil {
		w.startRelay()
	}
	for _, p := range w.pages {
		p.heal(w.token)
	}
}

// heal ends the faults of a page, and gives it the current token of the relay.
func (p *page) heal(token string) {
	p.browser.resume()
	p.job(func(ctx context.Context) {
		isOff := false
		for _, fault := range []string{"refuse", "delay", "nobookmarks", "noendmark", "slow"} {
			_, _ = p.lab.Informer(0).Fault(fault, lab.FaultArgs{On: &isOff})
		}
		if p.token != token { // as the page does with a new link
			p.token = token
			must(p.link.Use(token))
			_ = p.lab.Sources(ctx)
			_, err := p.lab.RestartIfTroubled(ctx)
			must(err)
		}
	})
}

// settle waits until all checks pass. What still fails after its patience is a problem.
func (w *world) settle(moment string) {
	patience := time.Hour // a WatchList whose end mark was withheld waits for as long as the API server keeps it
	if w.script.hasty {
		patience = time.Minute
	}
	var wrong []string
	began := time.Now()
	for pause := time.Second; time.Since(began) < patience; pause = min(pause+pause/2, time.Minute) {
		time.Sleep(pause)
		wrong = nil
		for _, p := range w.pages {
			for lane := range len(p.releaseNames()) {
				for _, problem := range w.check(p, lane) {
					wrong = append(wrong, fmt.Sprintf("%s: page %d, lane %d (release %s): %s", moment, p.number, lane, p.releaseNames()[lane], problem))
				}
			}
		}
		if len(wrong) == 0 {
			w.result.Recovery = max(w.result.Recovery, time.Since(began))
			return
		}
	}
	w.result.Problems = append(w.result.Problems, wrong...)
}

// checkConnections checks that the relay keeps no connection after every page is closed.
func (w *world) checkConnections() {
	for h, side := range map[hop]int{pageHop: 1, upstreamHop: 0} {
		for _, wire := range w.networks[h].openWires() {
			if wire.isHeld(side) {
				w.fail("%v after the last page was closed the relay keeps the connection %s", maxForget, wire.name)
			}
		}
	}
}
