package simtest

import (
	"cmp"
	"context"
	"fmt"
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
	"example.org/informerscope/simtest/internal/kubeapi"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/wire/pipe"
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
	// Pods is about how many pods of deployments there are at the start, up to 100,000, with the namespaces that they need.
	Pods int
	// Nodes is how many nodes there are at the start, up to 1,000. Zero means none, or as many as Pods need.
	Nodes int
}

// Cluster is a simulated cluster that ends with its test. Its methods are safe for concurrent use, but those that can fail the test are for the test's own
// goroutine.
type Cluster struct {
	t        testing.TB
	api      *kubeapi.API
	server   *http.Server
	listener *pipe.Listener
	direct   *http.Transport
	end      context.CancelFunc
	running  sync.WaitGroup
	stopOnce sync.Once

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
	nodes := o.Nodes
	if nodes == 0 && o.Pods == 0 {
		nodes = -1 // of the cluster's options, 0 is the default, and -1 is none
	}
	ctx, end := context.WithCancel(context.Background())
	c := &Cluster{t: t, end: end, listener: pipe.Listen(), probe: probe.New(probe.Options{}), holds: map[string][]chan struct{}{},
		watches: map[*heldWatch]bool{},
		api:     kubeapi.New(simcluster.Options{Seed: o.Seed, Objects: cmp.Or(o.Pods, -1), Nodes: nodes, Still: !o.Controllers})}
	c.direct = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.listener.Dial(ctx) }}
	c.server = &http.Server{Handler: c, BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0)}
	c.running.Go(func() { c.api.Cluster().Run(ctx) })
	c.running.Go(func() { _ = c.server.Serve(c.listener) }) // returns http.ErrServerClosed
	t.Cleanup(c.close)
	if err := c.createOwnService(ctx); err != nil {
		t.Fatalf("simtest: %v", err)
	}
	for _, d := range definitions {
		if err := c.establish(ctx, d); err != nil {
			t.Fatalf("simtest: %v", err)
		}
	}
	return c
}

// createOwnService creates what every cluster has for its API server: the Service default/kubernetes, and where it is. Nothing listens there.
func (c *Cluster) createOwnService(ctx context.Context) error {
	for _, x := range []struct{ path, object string }{
		{"/api/v1/namespaces/default/services", `{"metadata":{"name":"kubernetes","labels":{"component":"apiserver","provider":"kubernetes"}},
			"spec":{"ports":[{"name":"https","port":443,"protocol":"TCP","targetPort":6443}]}}`},
		{"/api/v1/namespaces/default/endpoints", `{"metadata":{"name":"kubernetes","labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}},
			"subsets":[{"addresses":[{"ip":"192.0.2.1"}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}]}`},
		{"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", `{"metadata":{"name":"kubernetes","labels":{"kubernetes.io/service-name":"kubernetes"}},
			"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"],"conditions":{"ready":true}}],"ports":[{"name":"https","port":6443,"protocol":"TCP"}]}`},
	} {
		code, answer, err := c.ask(ctx, http.MethodPost, x.path+"?fieldManager=kube-apiserver", []byte(x.object))
		if err != nil {
			return err
		}
		if code != http.StatusCreated {
			return fmt.Errorf("%s: %d %s", x.path, code, answer)
		}
	}
	return nil
}

// shutdownTimeout is how long answers under way may take at the end.
const shutdownTimeout = time.Second

// Stop ends the cluster before the test ends: watches break off, and requests fail as if no API server listened. A second call does nothing. When Stop
// returns, no goroutine of the cluster runs.
func (c *Cluster) Stop() {
	c.stopOnce.Do(func() {
		c.end() // also the watches, which never end by themselves
		grace, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		if c.server.Shutdown(grace) != nil {
			_ = c.server.Close()
		}
		c.direct.CloseIdleConnections()
		c.running.Wait()
	})
}

// close ends the recording and the cluster.
func (c *Cluster) close() {
	c.probe.Close() // ends the recording
	c.recorder.close(c.t)
	c.Stop()
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
