package cluster_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"informerscope/core/cluster/simcluster"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

const (
	pods       = 1000
	namespaces = 20
)

// TestPipeline tests the whole path: a real etcd and kube-apiserver, the server's relay, the WebAssembly informer in a real browser, and the state of
// its panels. The API server's objects decide what is right.
func TestPipeline(t *testing.T) {
	t.Parallel()
	for _, release := range []struct{ name, queue string }{{"1.31", "DeltaFIFO"}, {"1.37", "RealFIFO"}} {
		t.Run(release.name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			cp := cluster.StartForTest(t, cluster.Options{})
			begin := time.Now()
			if err := cluster.PopulatePods(t.Context(), cp.Client(), pods, namespaces); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d pods in %d namespaces created in %s", pods, namespaces, time.Since(begin).Round(10*time.Millisecond))
			srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+cp.Kubeconfig)
			page := browser.StartForTest(t).OpenForTest(t, srv.URL+"&source=sim", 1280, 720)
			run := pipeline{t: t, client: cp.Client(), cp: cp, page: page}

			harness.Await(t, page, time.Minute, "s.queue.synced && s.source.kind === 'sim'")
			harness.Call(t, page, "select({source: 'live', context: %q, group: '', version: 'v1', resource: 'pods', namespace: '', era: %q})",
				cluster.ContextName, release.name)
			s := harness.Await(t, page, time.Minute, "s.source.kind === 'live' && s.queue.synced && s.indexer.count === %d && s.reflector.phase === 'watching'", pods)
			if s.Queue.Kind != release.queue || s.Release != release.name {
				t.Errorf("release %q has a %s, want %q and a %s", s.Release, s.Queue.Kind, release.name, release.queue)
			}
			if s.Source.Context != cluster.ContextName {
				t.Errorf("the page says its context is %q, want %q", s.Source.Context, cluster.ContextName)
			}
			if got := len(s.Indexer.Indices["namespace"]); got != namespaces {
				t.Errorf("the namespace index has %d namespaces, want %d", got, namespaces)
			}
			run.expectVersion(s)
			expectAgreement(t, run.client, page, time.Minute)
			harness.Shot(t, page, "1-synced")
			page.ExpectClean(t)

			// Each begins where the one before ended.
			_ = t.Run("events", func(t *testing.T) { run.at(t).events() }) &&
				t.Run("restart", func(t *testing.T) { run.at(t).restart() }) &&
				t.Run("compaction", func(t *testing.T) { run.at(t).compaction() })
		})
	}
}

// TestSimulatedPipeline tests the same path up to the API server: a simulated cluster takes its place, of which nothing has to be compiled.
func TestSimulatedPipeline(t *testing.T) {
	t.Parallel()
	api := httptest.NewUnstartedServer(simcluster.New(simcluster.Options{Seed: 7, Objects: -1, Still: true}))
	api.EnableHTTP2 = true
	api.StartTLS()
	t.Cleanup(func() {
		api.CloseClientConnections() // a watch does not end by itself
		api.Close()
	})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	client, err := kubernetes.NewForConfig(&rest.Config{Host: api.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.PopulatePods(t.Context(), client, pods, namespaces); err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["simulated"] = &clientcmdapi.Cluster{Server: api.URL, CertificateAuthorityData: ca}
	config.Contexts["simulated"] = &clientcmdapi.Context{Cluster: "simulated"}
	config.CurrentContext = "simulated"
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+kubeconfig)
	page := browser.StartForTest(t).OpenForTest(t, srv.URL+"&source=live&resource=pods&context=simulated", 1280, 720)
	harness.Await(t, page, time.Minute, "s.source.kind === 'live' && s.queue.synced && s.indexer.count === %d && s.reflector.phase === 'watching'", pods)
	expectAgreement(t, client, page, time.Minute)
	pipeline{t: t, client: client, page: page}.events()
}

// pipeline is one page on one cluster.
type pipeline struct {
	t      *testing.T
	client kubernetes.Interface
	cp     *cluster.ControlPlane // nil of a simulated cluster
	page   *browser.Page
}

// at is the same pipeline, reporting to a subtest.
func (r pipeline) at(t *testing.T) pipeline { r.t = t; return r }

// expectVersion checks that the Reflector is not ahead of the API server, and not behind the newest pod.
func (r pipeline) expectVersion(s browser.State) {
	r.t.Helper()
	pods, _, err := harness.InCluster(r.t.Context(), r.client)
	if err != nil {
		r.t.Fatal(err)
	}
	list, err := r.client.CoreV1().Pods("").List(r.t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	newest := uint64(0)
	for _, rv := range pods {
		newest = max(newest, number(r.t, rv))
	}
	got, latest := number(r.t, s.Reflector.ResourceVersion), number(r.t, list.ResourceVersion)
	if got < newest || got > latest {
		r.t.Errorf("the Reflector is at resourceVersion %d, want one from the newest pod's %d to the API server's %d", got, newest, latest)
	}
}

func number(t *testing.T, rv string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		t.Fatalf("resourceVersion %q: %v", rv, err)
	}
	return n
}

// update labels pod i, so that its resourceVersion changes.
func (r pipeline) update(i int, value string) {
	r.t.Helper()
	r.patch(i, namespaces, value)
}

// patch labels pod i of a cluster with so many namespaces.
func (r pipeline) patch(i, namespaces int, value string) {
	r.t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]string{"touched": value}}})
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = r.client.CoreV1().Pods(cluster.NamespaceOf(i, namespaces)).Patch(r.t.Context(), fmt.Sprintf("pod-%d", i), types.MergePatchType, patch,
		metav1.PatchOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r pipeline) create(from, to int) {
	r.t.Helper()
	err := cluster.Parallel(to-from, func(i int) error {
		return cluster.CreatePod(r.t.Context(), r.client, cluster.NamespaceOf(from+i, namespaces), from+i)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r pipeline) delete(from, to int) {
	r.t.Helper()
	err := cluster.Parallel(to-from, func(i int) error {
		return cluster.DeletePod(r.t.Context(), r.client, cluster.NamespaceOf(from+i, namespaces), from+i)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// state returns the page's state now.
func (r pipeline) state() browser.State {
	r.t.Helper()
	s, err := r.page.State(harness.Timeout(r.t, 30*time.Second))
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// events changes the cluster while the page watches, and waits for each change to arrive through the open watch.
func (r pipeline) events() {
	t, before := r.t, r.state()
	r.update(3, "once")
	harness.Await(t, r.page, 30*time.Second, "s.reflector.events > %d", before.Reflector.Events)
	expectAgreement(t, r.client, r.page, 30*time.Second)

	r.delete(40, 60)
	harness.Await(t, r.page, 30*time.Second, "s.indexer.count === %d", pods-20)
	r.create(pods, pods+20)
	harness.Await(t, r.page, 30*time.Second, "s.indexer.count === %d", pods)
	expectAgreement(t, r.client, r.page, 30*time.Second)

	after := harness.Await(t, r.page, 30*time.Second, "s.listeners.length > 0 && s.listeners.every((l) => l.pending === 0 && l.handled === l.delivered)")
	if after.Reflector.Relists != before.Reflector.Relists || after.Reflector.Watches != before.Reflector.Watches {
		t.Errorf("the changes took %d relists and %d watches, want none", after.Reflector.Relists-before.Reflector.Relists,
			after.Reflector.Watches-before.Reflector.Watches)
	}
	harness.Shot(t, r.page, "2-events")
	r.page.ExpectClean(t)
}

// restart stops the API server and starts it again. The Reflector must back off meanwhile and miss nothing that is written after the start.
func (r pipeline) restart() {
	t, before := r.t, r.state()
	r.cp.StopAPIServer()
	away := harness.Await(t, r.page, time.Minute, "s.reflector.phase === 'backoff' && s.reflector.backoffMillis > 0")
	if away.Indexer.Count != pods {
		t.Errorf("without an API server the Indexer has %d pods, want all %d still", away.Indexer.Count, pods)
	}
	if away.Reflector.LastError == "" {
		t.Error("the Reflector backs off without saying why")
	}
	harness.Shot(t, r.page, "3-backoff")
	if err := r.cp.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.update(5, "after-the-restart")
	r.create(2*pods, 2*pods+10)
	r.delete(2*pods, 2*pods+5)
	// One wait of the Reflector may be 30 s, times up to two.
	harness.Await(t, r.page, 2*time.Minute, "s.reflector.phase === 'watching' && s.indexer.count === %d && s.reflector.watches > %d", pods+5,
		before.Reflector.Watches)
	expectAgreement(t, r.client, r.page, time.Minute)
	harness.Shot(t, r.page, "4-back")
}

// compaction cuts the page off, deletes pods meanwhile, and compacts the history of those deletions. When the network is back, the Reflector must get
// 410, relist, and notify of the deletions that it missed.
func (r pipeline) compaction() {
	t := r.t
	// A watch that ends within its first second without an event is followed by a list. This one must be resumed, so it needs an event.
	r.update(9, "while-it-watches")
	expectAgreement(t, r.client, r.page, time.Minute)
	harness.Call(t, r.page, "fault('refuse', {on: true})")
	harness.Await(t, r.page, time.Minute, "s.reflector.phase === 'backoff'")
	before := r.state()

	r.delete(100, 150)
	r.update(7, "while-away")
	r.create(3*pods, 3*pods+10)
	r.cp.StopAPIServer()
	if _, err := r.cp.CompactEtcd(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A new watch cache begins here, so the old resourceVersion is gone there too.
	if err := r.cp.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.state(); s.Indexer.Count != before.Indexer.Count {
		t.Errorf("cut off, the Indexer went from %d to %d pods", before.Indexer.Count, s.Indexer.Count)
	}
	harness.Shot(t, r.page, "5-cut-off")

	harness.Call(t, r.page, "fault('refuse', {on: false})")
	harness.Await(t, r.page, 2*time.Minute, "s.reflector.phase === 'watching' && s.indexer.count === %d", before.Indexer.Count-40)
	expectAgreement(t, r.client, r.page, time.Minute)
	after := r.state()
	if after.Reflector.Relists <= before.Reflector.Relists {
		t.Errorf("relists went from %d to %d, want more", before.Reflector.Relists, after.Reflector.Relists)
	}
	events, err := harness.Recording(harness.Timeout(t, time.Minute), r.page)
	if err != nil {
		t.Fatal(err)
	}
	if !harness.HasExpired(events, before.Seq) {
		t.Error("the recording has no 410 after the compaction")
	}
	lost := lostDeletions(events, before.Seq)
	var want []string
	for i := 100; i < 150; i++ {
		want = append(want, fmt.Sprintf("%s/pod-%d", cluster.NamespaceOf(i, namespaces), i))
	}
	slices.Sort(want)
	if !slices.Equal(lost, want) {
		t.Errorf("the relist found %d deletions, want the 50 made while away: %v", len(lost), lost)
	}
	harness.Shot(t, r.page, "6-relisted")
}
