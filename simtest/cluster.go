package simtest

import (
	"cmp"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"example.org/informerscope/probe"
	"informerscope/core/pipe"
	"informerscope/core/simcluster"
	"informerscope/server/simapi"
)

// Options of a Cluster. The zero value is usable.
type Options struct {
	// Seed determines names, uids and timeouts of watches: with one seed, the same requests in the same order make the same cluster.
	Seed uint64
	// CRDs are created, and established, before Start returns; Start does not change them.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// CRDPaths are YAML or JSON files with further definitions, or directories of such files. Objects of other kinds in them are left out.
	CRDPaths []string
	// Controllers makes the cluster live: a deployment gets pods, a pod gets a node and runs, what has lost its owner goes. Without them only requests change
	// the cluster, as with envtest, and a deleted pod is gone at once.
	Controllers bool
	// Pods is about how many pods of deployments there are at the start, up to 100,000. There are always four namespaces or more, and nodes.
	Pods int
}

// Cluster is a simulated cluster that ends with its test. Its methods are safe for concurrent use, but those that can fail the test are for the test's own
// goroutine.
type Cluster struct {
	t        testing.TB
	api      *simapi.API
	server   *http.Server
	listener *pipe.Listener
	direct   *http.Transport
	stop     context.CancelFunc
	running  sync.WaitGroup

	probe    *probe.Probe
	recorder recorder
	log      accessLog

	mu      sync.Mutex
	holds   map[string][]chan struct{} // by the name of the resource; one is closed by its release
	watches map[*heldWatch]bool        // that are open
}

// host is the name in the URLs of requests. Nothing resolves it.
const host = "simulated.cluster"

// Start starts a cluster for a test. A cleanup of t ends it. In a bubble of testing/synctest, t must be the bubble's.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	definitions, err := readDefinitions(o)
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Cluster{t: t, stop: stop, listener: pipe.Listen(), probe: probe.New(probe.Options{}), holds: map[string][]chan struct{}{},
		watches: map[*heldWatch]bool{},
		// Of its options, 0 objects are the default, and -1 are none.
		api: simapi.NewAPI(simcluster.Options{Seed: o.Seed, Objects: cmp.Or(o.Pods, -1), Still: !o.Controllers})}
	c.direct = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.listener.Dial(ctx) }}
	c.server = &http.Server{Handler: c, BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0)}
	c.running.Go(func() { c.api.Cluster().Run(ctx) })
	c.running.Go(func() { _ = c.server.Serve(c.listener) }) // returns http.ErrServerClosed
	t.Cleanup(c.close)
	for _, d := range definitions {
		if err := c.establish(ctx, d); err != nil {
			t.Fatalf("simtest: %v", err)
		}
	}
	return c
}

// shutdownTimeout is how long answers under way may take at the end.
const shutdownTimeout = time.Second

// close ends the cluster. When it returns, no goroutine of the cluster runs.
func (c *Cluster) close() {
	c.probe.Close() // ends the recording
	c.recorder.close(c.t)
	c.stop() // also the watches, which never end by themselves
	grace, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if c.server.Shutdown(grace) != nil {
		_ = c.server.Close()
	}
	c.direct.CloseIdleConnections()
	c.running.Wait()
}

// Config is the connection of the controller under test: its writes are the controller's own, and its lists and watches are in the recording. There is no
// limit of requests a second. The caller owns the result.
func (c *Cluster) Config() *rest.Config {
	return c.probe.WrapConfig(c.config(&controllerTransport{c}))
}

// UserConfig is the connection of someone else, such as the test itself, like that of a user with kubectl. The caller owns the result.
func (c *Cluster) UserConfig() *rest.Config { return c.config(c.direct) }

func (c *Cluster) config(transport http.RoundTripper) *rest.Config {
	return &rest.Config{Host: "http://" + host, Transport: transport, QPS: -1}
}

// Probe is the probe in the controller, for its work queues: probe.NewQueue[string](c.Probe(), probe.QueueOptions{}). Its informers come by Factory,
// Informer or NewInformer of the Cluster.
func (c *Cluster) Probe() *probe.Probe { return c.probe }
