package probe_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

var foreignControllers = flag.Bool("foreign", false, "run TestForeignControllers and TestEachFaultIsFoundFirst, which compile large controllers")

// The controllers. kube-controller-manager is built of the release that sim/ has, by its go.mod and go.sum. The others have their
// own go.mod and go.sum, under these checksums.
const (
	metallbModule = "go.universe.tf/metallb@v0.16.1"
	metallbSum    = "h1:iVtjCslcUFMOEvuNeAyW2ygZxyW+6YjnNcEuCTOZezc="
	kuberayModule = "github.com/ray-project/kuberay/ray-operator@v1.5.0"
	kuberaySum    = "h1:KCjCQ7PSsvs9Ke+90CZbbs498nuaIJ/JkXk4vd54EVg="
)

// foreignAddress is the probe's address in the lines of the documents. The test replaces its port with a free one.
const foreignAddress = "localhost:6060"

// TestForeignControllers watches three controllers of other projects. It adds the lines of docs/dev/controllers.md to their sources, and runs them
// against a real API server. It compares the recording with the API server's objects, and the number of changes at each station.
func TestForeignControllers(t *testing.T) {
	if !*foreignControllers {
		t.Skip("make judges runs it: large controllers have to be fetched and compiled")
	}
	t.Run("kube-controller-manager", kubeControllerManager)
	t.Run("metallb", metallb)
	t.Run("kuberay", kuberay)
}

func kubeControllerManager(t *testing.T) {
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	sim, dir := filepath.Join(root, "sim"), t.TempDir()
	const upstream = "k8s.io/kubernetes/cmd/kube-controller-manager"
	source := filepath.Join(download(t, sim, "k8s.io/kubernetes").Dir, "cmd", "kube-controller-manager")
	if err := os.CopyFS(filepath.Join(dir, "app"), sources{os.DirFS(filepath.Join(source, "app"))}); err != nil {
		t.Fatal(err)
	}
	program := readFile(t, filepath.Join(source, "controller-manager.go"))
	if strings.Count(program, `"`+upstream+`/app"`) != 1 {
		t.Fatal("the program imports its package app otherwise")
	}
	writeFile(t, filepath.Join(dir, "main.go"), strings.Replace(program, `"`+upstream+`/app"`, `"kube-controller-manager/app"`, 1))
	for _, name := range []string{"go.mod", "go.sum"} {
		writeFile(t, filepath.Join(dir, name), readFile(t, filepath.Join(sim, name)))
	}
	harness.Go(t, dir, "mod", "edit", "-module=kube-controller-manager", "-droprequire=informerscope", "-dropreplace=informerscope")
	diff := diffOf(t, "docs/dev/controllers.md", "app/controllermanager.go")
	binary, address := buildForeign(t, "kube-controller-manager", dir, ".", diff, 5)

	cp := cluster.StartForTest(t, cluster.Options{})
	client := cp.Client()
	p := startForeign(t, binary, address, "--kubeconfig="+cp.Kubeconfig, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=1000", "--kube-api-burst=1000")
	watched := map[string]schema.GroupVersionResource{
		"deployments": {Group: "apps", Version: "v1", Resource: "deployments"},
		"replicasets": {Group: "apps", Version: "v1", Resource: "replicasets"},
		"pods":        {Version: "v1", Resource: "pods"}, "services": {Version: "v1", Resource: "services"},
		"namespaces": {Version: "v1", Resource: "namespaces"}, "configmaps": {Version: "v1", Resource: "configmaps"},
		"serviceaccounts": {Version: "v1", Resource: "serviceaccounts"},
		"endpointslices":  {Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
	}
	f := follow(t, p, cp, watched)

	// Work for it: namespaces, which get a ServiceAccount and a ConfigMap; Deployments, which get ReplicaSets and Pods; Services with EndpointSlices.
	ctx := t.Context()
	deploy := func(ns, name string, replicas int32) {
		t.Helper()
		labels := map[string]string{"app": name}
		_, err := client.AppsV1().Deployments(ns).Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}}}}},
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.CoreV1().Services(ns).Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	scale := func(ns, name string, replicas int) {
		t.Helper()
		patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
		if _, err := client.AppsV1().Deployments(ns).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		ns := fmt.Sprintf("%s-%d", foreignPrefix, i)
		if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		for j := range 4 {
			deploy(ns, fmt.Sprintf("web-%d", j), int32(2+j))
		}
	}
	const here = foreignPrefix + "-0"
	for i := range 3 {
		ns := fmt.Sprintf("%s-%d", foreignPrefix, i)
		waitUntil(t, "every Deployment of "+ns+" has its Pods", func() bool { return countDeployedPods(t, client, ns) == 2+3+4+5 })
	}
	scale(here, "web-0", 9)
	scale(here, "web-3", 1)
	rollout := []byte(`{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"100%"}},"template":{"metadata":{"annotations":{"round":"2"}}}}}`)
	if _, err := client.AppsV1().Deployments(here).Patch(ctx, "web-1", types.MergePatchType, rollout, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	background := metav1.DeletePropagationBackground
	if err := client.AppsV1().Deployments(here).Delete(ctx, "web-2", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(ctx, foreignPrefix+"-2", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "it has scaled, rolled out, and collected what belonged to the Deployment", func() bool { return countDeployedPods(t, client, here) == 9+3+1 })
	waitUntil(t, "the namespace is gone with all that was in it", func() bool {
		all, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(all.Items, func(n corev1.Namespace) bool { return n.Name == foreignPrefix+"-2" })
	})
	f.expect(map[string]int{
		"deployments": 50, "replicasets": 50, "pods": 100, "services": 16,
		"namespaces": 5, "configmaps": 4, "serviceaccounts": 4, "endpointslices": 16,
	})
	f.open("pods", func(n int) { scale(here, "web-0", 9+n) })
}

// countDeployedPods is how many Pods the Deployments of a namespace have, or -1 while one of them does not have the number it asks for.
func countDeployedPods(t *testing.T, client kubernetes.Interface, ns string) int {
	t.Helper()
	deployments, err := client.AppsV1().Deployments(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deployments.Items {
		if d.Status.ObservedGeneration != d.Generation || d.Status.Replicas != *d.Spec.Replicas || d.Status.UpdatedReplicas != *d.Spec.Replicas {
			return -1
		}
	}
	pods, err := client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return len(pods.Items)
}

func metallb(t *testing.T) {
	dir := sourcesOf(t, metallbModule, metallbSum)
	diff := diffOf(t, "docs/dev/controllers.md", "internal/k8s/controllers/service_controller.go")
	binary, address := buildForeign(t, "metallb-controller", dir, "./controller", diff, 10, "controllerruntime")

	cp := cluster.StartForTest(t, cluster.Options{})
	client := cp.Client()
	ctx := t.Context()
	applyCRDs(t, cp, dir)
	// It needs its own Pod, which does not run here, and its pools.
	const own = "metallb-system"
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: own}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := client.CoreV1().Pods(own).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "controller"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	untyped, err := dynamic.NewForConfig(cp.Config())
	if err != nil {
		t.Fatal(err)
	}
	pools := schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "ipaddresspools"}
	_, err = untyped.Resource(pools).Namespace(own).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool", "metadata": map[string]any{"name": foreignPrefix},
		"spec": map[string]any{"addresses": []any{"192.0.2.0/24"}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := startForeign(t, binary, address, "--kubeconfig="+cp.Kubeconfig, "--namespace="+own, "--pod-name=controller", "--webhook-mode=disabled", "--port=0",
		"--health-probe-port=0")
	f := follow(t, p, cp, map[string]schema.GroupVersionResource{"services": {Version: "v1", Resource: "services"}, "ipaddresspools": pools})

	// Work for it: Services that need an address.
	balanced := func(i int) {
		t.Helper()
		_, err := client.CoreV1().Services("default").Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", foreignPrefix, i)},
			Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	const n = 40
	for i := range n {
		balanced(i)
	}
	addresses := func() map[string]bool {
		got := map[string]bool{}
		all, err := client.CoreV1().Services("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all.Items {
			for _, x := range s.Status.LoadBalancer.Ingress {
				got[x.IP] = strings.HasPrefix(x.IP, "192.0.2.")
			}
		}
		return got
	}
	waitUntil(t, "each Service has an address of the pool, and none has another's", func() bool { return len(addresses()) == n })
	// Count once it is done: what it reads late of deleted Services would disturb the comparison.
	waitUntil(t, "the pool says how many addresses are taken", func() bool {
		pool, err := untyped.Resource(pools).Namespace(own).Get(ctx, foreignPrefix, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		taken, _, _ := unstructured.NestedInt64(pool.Object, "status", "assignedIPv4")
		return taken == n
	})
	for i := range 10 {
		if err := client.CoreV1().Services("default").Delete(ctx, fmt.Sprintf("%s-%d", foreignPrefix, i), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	f.expect(map[string]int{"services": 2*n + 10, "ipaddresspools": 1})
	f.expectKeys("services", n)
	// Its channel, which asks to look at all Services again, is a source on a goroutine of its own.
	f.expectCauses("services", func(key string) bool { return strings.HasPrefix(key, "metallbreload/") })
	f.open("services", func(i int) { balanced(n + i) })
	for ip, ours := range addresses() {
		if !ours {
			t.Errorf("%s is no address of the pool", ip)
		}
	}
}

// sourcesOf returns a copy of a module's sources.
func sourcesOf(t *testing.T, module, sum string) (dir string) {
	t.Helper()
	d := download(t, t.TempDir(), module)
	if d.Sum != sum {
		t.Fatalf("%s is not what it was: %s", module, d.Sum)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, sources{os.DirFS(d.Dir)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// applyCRDs makes the custom resources of a controller's sources.
func applyCRDs(t *testing.T, cp *cluster.ControlPlane, dir string) {
	t.Helper()
	if out, err := cp.Kubectl(harness.Timeout(t, 2*time.Minute), "apply", "--server-side", "-f", filepath.Join(dir, "config", "crd", "bases")); err != nil {
		t.Fatal(out, err)
	}
	waitUntil(t, "the custom resources are established", func() bool { // kubectl refuses one that has no conditions yet
		_, err := cp.Kubectl(harness.Timeout(t, 2*time.Minute), "wait", "--for=condition=Established", "--timeout=100s", "crd", "--all")
		return err == nil
	})
}

// foreignPrefix begins the names, or the namespaces, of all that the tests make, so that nothing else is counted.
const foreignPrefix = "foreign"

// foreign is a controller that is watched from before there is work for it.
type foreign struct {
	t       *testing.T
	p       *probed
	dynamic dynamic.Interface
	watched map[string]schema.GroupVersionResource // by the name of its informer
	all     []string                               // the names of all informers
	r       *recordingOf
}

// foreignList is a probe's list of informers.
type foreignList struct {
	ClientGo  string
	Informers []struct {
		Name    string
		Synced  bool
		Objects int
		Off     map[string]string
		Queue   string
	}
}

// follow attaches once all informers have synced, and checks the probe's list: each requested informer is there under its name, once, and with every
// layer on.
func follow(t *testing.T, p *probed, cp *cluster.ControlPlane, watched map[string]schema.GroupVersionResource) *foreign {
	t.Helper()
	untyped, err := dynamic.NewForConfig(cp.Config())
	if err != nil {
		t.Fatal(err)
	}
	f := &foreign{t: t, p: p, dynamic: untyped, watched: watched}
	var list foreignList
	waitUntil(t, "its informers have synced", func() bool {
		list = foreignList{}
		p.get("/debug/informerscope/", &list)
		named := map[string]bool{}
		for _, x := range list.Informers {
			if !x.Synced {
				return false
			}
			resource, _, _ := strings.Cut(x.Name, ".") // the group follows
			named[resource] = true
		}
		for name := range watched {
			if !named[name] {
				return false
			}
		}
		return true
	})
	names := []string{}
	for _, x := range list.Informers {
		for layer, why := range x.Off {
			t.Errorf("%s: %s is off: %s", x.Name, layer, why)
		}
		if slices.Contains(names, x.Name) {
			t.Errorf("two informers are called %s", x.Name)
		}
		names = append(names, x.Name)
	}
	t.Logf("%d informers, of client-go %s: %s", len(names), list.ClientGo, strings.Join(names, " "))
	f.all = names
	f.r = p.attachTo(strings.Join(slices.Sorted(maps.Keys(watched)), ","))
	waitUntil(t, "the recording begins", func() bool { return strings.Count(string(f.r.bytes()), `"Restored"`) == len(watched) })
	return f
}

// list is what the API server has of a resource.
func (f *foreign) list(name string) map[string]string {
	f.t.Helper()
	all, err := f.dynamic.Resource(f.watched[name]).List(f.t.Context(), metav1.ListOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range all.Items {
		key := x.GetName()
		if x.GetNamespace() != "" {
			key = x.GetNamespace() + "/" + key
		}
		out[key] = x.GetResourceVersion()
	}
	return out
}

// foreignCounts is what was counted at one informer's stations, of the objects that the test made or that were made for them.
type foreignCounts struct {
	frames, entries, store int
	listeners              map[int32]int
	keys                   map[string]int // keys that workers took from its work queue
	// stored counts the changes of each key in the store, handled the calls for it that a handler has ended; its id comes first.
	stored, handled map[string]int
}

func (c *foreignCounts) agree() bool {
	for _, n := range c.listeners {
		if n != c.frames {
			return false
		}
	}
	return c.entries == c.frames && c.store == c.frames
}

// read folds what was recorded so far.
func (f *foreign) read() (stores map[string]map[string]string, counts map[string]*foreignCounts) {
	f.t.Helper()
	_, events := readRecording(f.t, f.r.bytes())
	folded := fold.NewFold()
	lanes := []*foreignCounts{}
	for i := range events {
		e := &events[i]
		folded.Apply(e)
		for len(lanes) < folded.Lanes() {
			lanes = append(lanes, &foreignCounts{listeners: map[int32]int{}, keys: map[string]int{}, stored: map[string]int{}, handled: map[string]int{}})
		}
		if int(e.Lane) >= len(lanes) || !strings.HasPrefix(e.Key(), foreignPrefix) && !strings.Contains(e.Key(), "/"+foreignPrefix) {
			continue
		}
		c := lanes[e.Lane]
		switch e.Kind {
		case event.KindWatchEvent:
			if e.Op() != event.OpBookmark {
				c.frames++
			}
		case event.KindQueued:
			c.entries++
		case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
			c.store++
			c.stored[e.Key()]++
		case event.KindHandled:
			// A call for a change from before the recording may end in it.
			if call := fmt.Sprint(e.Listener(), " ", e.Key()); c.handled[call] < c.stored[e.Key()] {
				c.handled[call]++
				c.listeners[e.Listener()]++
			}
		case event.KindWorkTaken:
			c.keys[e.Key()]++
		}
	}
	stores, counts = map[string]map[string]string{}, map[string]*foreignCounts{}
	for i, c := range lanes {
		s := folded.LaneState(i)
		for _, l := range s.Listeners {
			c.listeners[l.ID] += 0 // a handler without a notification counts too
		}
		got := map[string]string{}
		folded.Objects(i).Range(func(c *fold.Cell) bool { got[c.Key] = c.RV; return true })
		stores[s.Resource.Resource], counts[s.Resource.Resource] = got, c
	}
	return stores, counts
}

// expect waits until the recording's stores are what the API server lists, as many changes have passed at each station, and there are at least so
// many.
func (f *foreign) expect(least map[string]int) {
	f.t.Helper()
	var counts map[string]*foreignCounts
	why := ""
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		var stores map[string]map[string]string
		stores, counts = f.read()
		why = ""
		for name := range f.watched {
			switch c := counts[name]; {
			case c == nil:
				why += fmt.Sprintf("\n%s is not in the recording", name)
			case !c.agree():
				why += fmt.Sprintf("\nof %s not as many at each station: frames %d, entries %d, store %d, listeners %v", name, c.frames, c.entries, c.store, c.listeners)
			case !maps.Equal(stores[name], f.list(name)):
				why += fmt.Sprintf("\nof %s the recording has %v\nthe API server %v", name, stores[name], f.list(name))
			}
		}
		if why == "" {
			break
		}
		if time.Now().After(end) {
			f.t.Fatalf("after three minutes:%s", why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.watched)) {
		c := counts[name]
		f.t.Logf("%s: %d frames, entries, changes of the store, and calls of each of %d handlers", name, c.frames, len(c.listeners))
		if c.frames < least[name] || len(c.listeners) == 0 {
			f.t.Errorf("%s: %d changes for %d handlers; there were to be %d", name, c.frames, len(c.listeners), least[name])
		}
	}
}

// expectKeys looks for the keys of so many objects among those that workers took from the informer's work queue.
func (f *foreign) expectKeys(name string, n int) {
	f.t.Helper()
	_, counts := f.read()
	missing := 0
	for i := range n {
		if counts[name].keys[fmt.Sprintf("default/%s-%d", foreignPrefix, i)] == 0 {
			missing++
		}
	}
	if missing > 0 {
		f.t.Errorf("%d of %d keys were taken from no work queue: %v", missing, n, counts[name].keys)
	}
}

// open shows the controller in the page, live and from a file, while there is work for it.
func (f *foreign) open(resource string, work func(int)) {
	t := f.t
	t.Helper()
	// This stream, the page's and the file's: below the number that a probe admits.
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--attach="+f.p.url+"/debug/informerscope/")
	b := browser.StartForTest(t)
	page := b.OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.StageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&lang=en"); err != nil {
		t.Fatal(err)
	}
	const synced = "s.source.kind === 'probe' && s.lanes?.length === %d && s.lanes.every((l) => l.synced)"
	harness.Await(t, page, time.Minute, synced, min(8, len(f.all)))
	harness.Settle(t, page)
	harness.Shot(t, page, "first")
	harness.ExpectWell(t, page)
	harness.Call(t, page, "select({source: 'probe', resource: %s})", harness.Quote(strings.Join(slices.Sorted(maps.Keys(f.watched)), ",")))
	harness.Await(t, page, time.Minute, synced, len(f.watched))
	harness.Settle(t, page)
	harness.Shot(t, page, "factory")
	harness.ExpectWell(t, page)
	harness.SetLook(t, page, "light", "zh", 1920, 1080)
	harness.Shot(t, page, "factory-light")
	harness.ExpectWell(t, page)
	harness.SetLook(t, page, "dark", "en", 1280, 720)

	// One of them on the stage, while there is work.
	harness.Call(t, page, "select({source: 'probe', resource: %s})", harness.Quote(resource))
	before := harness.Await(t, page, time.Minute, "!s.lanes && s.resource.resource === %s && s.synced && s.indexer.count === %d",
		harness.Quote(resource), len(f.list(resource)))
	file := make(chan []byte, 1)
	go func() {
		defer close(file)
		resp, err := http.Get(f.p.url + "/debug/informerscope/trace?seconds=5&informers=" + url.QueryEscape(resource))
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Error(resp.Status, err)
		}
		file <- text
	}()
	for i := range 6 {
		work(i + 1)
	}
	waitUntil(t, "the page has what the API server has", func() bool {
		return harness.EvalIn[int](t, page,
			"informerscope.state().then((s) => s.indexer.count)") == len(f.list(resource)) && len(f.list(resource)) > before.Indexer.Count
	})
	harness.WaitFor(t, page, fmt.Sprintf("stage.drawn().head.indexer === '%d'", len(f.list(resource))))
	harness.Settle(t, page)
	harness.Shot(t, page, "stage")
	harness.ExpectWell(t, page)
	harness.SetLook(t, page, "light", "zh", 1920, 1080)
	harness.Shot(t, page, "stage-light")
	harness.ExpectWell(t, page)
	page.ExpectClean(t)

	text, ok := <-file
	if !ok {
		t.Fatal("there is no file")
	}
	_, events := readRecording(t, text)
	fold := fold.NewFold()
	for i := range events {
		fold.Apply(&events[i])
	}
	path := filepath.Join(t.TempDir(), "foreign.trace")
	writeFile(t, path, string(text))
	if err := page.Drop(harness.Timeout(t, 30*time.Second), path, browser.Point{X: 640, Y: 380}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.source.kind === 'file' && s.resource.resource === %s && s.indexer.count === %d", harness.Quote(resource),
		fold.State().Indexer.Count)
	harness.Shot(t, page, "file")
	page.ExpectClean(t)
}

// downloaded is the go command's report on a module.
type downloaded struct{ Dir, Sum string }

// download fetches a module, whose checksum the go command checks.
func download(t *testing.T, dir, module string) (d downloaded) {
	t.Helper()
	if err := json.Unmarshal([]byte(harness.Go(t, dir, "mod", "download", "-json", module)), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// diffOf is the diff of a document that begins with the given file.
func diffOf(t *testing.T, document, file string) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	_, diff, ok := strings.Cut(readFile(t, filepath.Join(root, document)), "```diff\n--- "+file+"\n")
	diff, _, ended := strings.Cut(diff, "\n```\n")
	if !ok || !ended {
		t.Fatalf("%s has no diff that begins with %s", document, file)
	}
	return "--- " + file + "\n" + diff + "\n"
}

// patch applies such a diff, which has no line numbers: the context of a hunk must occur once in its file. It returns how many non-empty lines it
// added.
func patch(dir, diff string) (added int, err error) {
	for part := range strings.SplitSeq(strings.TrimPrefix(diff, "--- "), "\n--- ") {
		name, hunks, _ := strings.Cut(part, "\n")
		path := filepath.Join(dir, filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		source := string(text)
		for hunk := range strings.SplitSeq(strings.TrimSuffix(hunks, "\n"), "\n@@\n") {
			old, now := "\n", "\n"
			for line := range strings.SplitSeq(hunk, "\n") {
				switch {
				case strings.HasPrefix(line, "+"):
					now += line[1:] + "\n"
					if strings.TrimSpace(line[1:]) != "" {
						added++
					}
				case strings.HasPrefix(line, "-"):
					old += line[1:] + "\n"
				case strings.HasPrefix(line, " "):
					old, now = old+line[1:]+"\n", now+line[1:]+"\n"
				default:
					return 0, fmt.Errorf("%s: %q is no line of a diff", name, line)
				}
			}
			if n := strings.Count(source, old); n != 1 {
				return 0, fmt.Errorf("%s: these lines stand there %d times:%s", name, n, old)
			}
			source = strings.Replace(source, old, now, 1)
		}
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			return 0, err
		}
	}
	return added, nil
}

// TestPatch checks that a diff of the documents applies only at its context, and only once.
func TestPatch(t *testing.T) {
	for _, x := range []struct{ name, diff, want string }{
		{"lines before and behind", "--- f.go\n a\n+x\n+\n b\n@@\n-d\n+y\n", "a\nx\n\nb\nc\ny\nc\n"},
		{"found twice", "--- f.go\n+x\n c\n", ""},
		{"not found", "--- f.go\n+x\n e\n", ""},
		{"half a line", "--- f.go\n+x\n \n", ""},
		{"no diff", "--- f.go\nx\n a\n", ""},
		{"no such file", "--- g.go\n+x\n a\n", ""},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f.go")
		writeFile(t, path, "\na\nb\nc\nd\nc\n")
		n, err := patch(dir, x.diff)
		if x.want == "" {
			if err == nil || readFile(t, path) != "\na\nb\nc\nd\nc\n" {
				t.Errorf("%s: %v, and it is now %q", x.name, err, readFile(t, path))
			}
			continue
		}
		if err != nil || readFile(t, path) != "\n"+x.want || n != 2 {
			t.Errorf("%s: %v, %d lines, %q", x.name, err, n, readFile(t, path))
		}
	}
}

// buildForeign adds a document's lines, whose number it checks, to a controller's sources, makes it use this probe, and builds it.
func buildForeign(t *testing.T, name, dir, pkg, diff string, lines int, modules ...string) (binary, address string) {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	if strings.Count(diff, `"`+foreignAddress+`"`) != 1 {
		t.Fatalf("it listens at %s not once:\n%s", foreignAddress, diff)
	}
	n, err := patch(dir, strings.Replace(diff, `"`+foreignAddress+`"`, `"`+address+`"`, 1))
	if err != nil {
		t.Fatal(err)
	}
	if n != lines {
		t.Errorf("%d lines are put in, the documents say %d", n, lines)
	}
	begin := time.Now()
	for _, m := range append([]string{""}, modules...) {
		path := strings.TrimSuffix("example.org/informerscope/probe/"+m, "/")
		harness.Go(t, dir, "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"="+filepath.Join(root, "probe", m))
	}
	harness.Go(t, dir, "build", "-mod=mod", "-buildvcs=false", "-ldflags", "-s -w", "-o", name, pkg)
	t.Logf("built in %s", time.Since(begin).Round(time.Second))
	return filepath.Join(dir, name), address
}

// startForeign starts such a controller, and waits until its probe answers.
func startForeign(t *testing.T, binary, address string, args ...string) *probed {
	t.Helper()
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, "controller.log"))
	c, err := proc.Start("controller", dir, binary, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Stop(5 * time.Second)
		if t.Failed() {
			t.Logf("the controller's last words:\n%s", c.LogTail(20))
		}
	})
	waitUntil(t, "the controller answers", func() bool {
		select {
		case <-c.Done:
			t.Fatalf("the controller has ended:\n%s", c.LogTail(20))
		default:
		}
		resp, err := http.Get("http://" + address + "/debug/informerscope/")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return &probed{t, "http://" + address}
}
