package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

// kubectlOf returns a function that types into a cluster with the kubectl of informerscope-sim, and returns what it prints.
func kubectlOf(t *testing.T, kubeconfig string) func(says string, args ...string) (out string) {
	t.Helper()
	bin, err := cluster.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return func(says string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bin.Kubectl, append([]string{"--kubeconfig=" + kubeconfig}, args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG=", "KUBECTL_KUBERC=false", "HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte(says)) {
			t.Errorf("kubectl %s: %v, %s; want %q", strings.Join(args, " "), err, out, says)
		}
		return string(out)
	}
}

// TestAPageSaysWhoWrote types into the cluster of "informerscope sim" while a page watches it. What kubectl writes reaches the page's store. The page says
// who did what, and of a pod who wrote its version: not only kubectl, but the kubelet too.
func TestAPageSaysWhoWrote(t *testing.T) {
	t.Parallel()
	srv, kubeconfig := startSim(t, "--objects=20", "--rate=0")
	kubectl := kubectlOf(t, kubeconfig)
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), tapMarks); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count === 20")
	kubectl("deployment.apps/web created", "create", "deployment", "web", "--image=nginx", "--replicas=3")
	kubectl(`deployment "web" successfully rolled out`, "rollout", "status", "deployment/web", "--timeout=50s")
	harness.Await(t, page, time.Minute, "s.indexer.count === 23")
	kubectl("deployment.apps/web scaled", "scale", "deployment", "web", "--replicas=6")
	harness.WaitUntil(t, page, `document.querySelector(".cap .say").textContent === "kubectl just scaled default/web from 3 to 6."`)
	harness.Shot(t, page, "scaled")
	harness.Await(t, page, time.Minute, "s.indexer.count === 26")
	kubectl(`deployment "web" successfully rolled out`, "rollout", "status", "deployment/web", "--timeout=50s")
	// The timeline leaves out words that would run into others, so its first mark's are looked at.
	harness.WaitUntil(t, page, `[...document.querySelectorAll(".tracks-log title")].some((x) => x.textContent.includes("kubectl"))`)
	harness.WaitUntil(t, page, `__marks.some((m) => m.kind === "write" && m.author === "kubectl" && m.text.includes("scaled default/web from 3 to 6"))`)
	pod := kubectl("web-", "get", "pods", "--selector=app=web", "--output=jsonpath={.items[0].metadata.name}")
	harness.Call(t, page, "selectObject(%q)", "default/"+pod)
	harness.WaitUntil(t, page, `document.querySelector(".drawer .author")?.textContent.includes("written by kubelet: wrote the status of pod default/web-")`)
	harness.Shot(t, page, "author")
	page.ExpectClean(t)
}

// TestEachLeverIsSeenOnThePage pulls every lever of the API server's menu on the cluster of "informerscope sim", and sees each on the page.
func TestEachLeverIsSeenOnThePage(t *testing.T) {
	t.Parallel()
	srv, _ := startSim(t, "--objects=20", "--rate=0")
	page := browser.StartForTest(t).OpenForTest(t, srv.URL, 1280, 720)
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count === 20 && s.source.simulated && s.api.objects === 20")
	for i, x := range []struct{ call, sees string }{
		{"cluster('create', {namespace: 'shop', name: 'typed', replicas: 3})", "s.indexer.count === 23 && s.api.objects === 23"},
		{"cluster('scale', {namespace: 'shop', name: 'typed', replicas: 5})", "s.indexer.count === 25"},
		{"cluster('restart', {namespace: 'shop', name: 'typed'})", "s.indexer.count === 25 && s.reflector.events > 60"},
		{"cluster('finalizer', {n: 1})", "s.indexer.count >= 25"},
		{"cluster('finalizer', {n: 0})", "s.indexer.count === 25"},
		{"cluster('deleteDeployment', {namespace: 'shop', name: 'typed'})", "s.indexer.count === 20"},
		{"cluster('crowd', {n: 40})", "s.api.crowd?.clients === 40 && s.api.crowd.watching > 0"},
		{"cluster('crowd', {n: 0})", "!s.api.crowd?.clients"},
		{"cluster('burst', {n: 50})", "s.reflector.events > 120"},
		{"cluster('rate', {perSecond: 20})", "s.api.writesPerSecond > 5"},
		{"cluster('failover', {n: 10})", "s.faults.some((f) => f.name === 'failover')"},
		{"cluster('failover', {n: 0})", "s.reflector.phase === 'watching'"},
		{"cluster('rate', {perSecond: 0})", "s.api.writesPerSecond < 5"},
		{"fault('compact', {})", "s.faults.some((f) => f.name === 'compact') && s.api.oldest !== '0'"},
		{"fault('restart', {})", "s.reflector.relists > 0 && s.reflector.phase === 'watching' && s.indexer.count === 20"},
	} {
		// A failover starts another API server, which takes longer beside other tests than a call may.
		harness.EvalIn[bool](t, page,
			"(window.outcome = '', informerscope."+x.call+".then(() => 'done', (e) => e.message).then((is) => { window.outcome = is; }), true)")
		harness.Await(t, page, 2*time.Minute, "window.outcome && (%s)", x.sees)
		if outcome := harness.EvalIn[string](t, page, "window.outcome"); outcome != "done" {
			t.Errorf("%s: %s", x.call, outcome)
		}
		harness.Shot(t, page, fmt.Sprint("lever-", i))
	}
	page.ExpectClean(t)
}

// TestAPageChangesTheSimulatedCluster opens two pages on the cluster of "informerscope sim". One changes it by the API server's menu and its faults, and
// both see that. A page that is loaded again finds the cluster as it was.
func TestAPageChangesTheSimulatedCluster(t *testing.T) {
	t.Parallel()
	srv, _ := startSim(t, "--objects=20", "--rate=0")
	b := browser.StartForTest(t)
	one, two := b.OpenForTest(t, srv.URL, 1280, 720), b.OpenForTest(t, srv.URL+"&lang=zh", 390, 844)
	for _, p := range []*browser.Page{one, two} {
		harness.Await(t, p, time.Minute, "s.queue.synced && s.indexer.count === 20 && s.source.simulated && s.api.objects === 20")
	}
	click := func(element string) {
		t.Helper()
		harness.WaitFor(t, one, element)
		harness.ClickOn(t, one, element)
	}
	const buttons = "[...document.querySelectorAll('.pop button')]"
	click("document.querySelector('.row-name.cluster')")
	click("document.querySelector('.inside [data-call=cluster]')")
	harness.WaitFor(t, one, buttons+".find((b) => b.textContent === 'create')")
	harness.Shot(t, one, "menu")
	harness.EvalIn[bool](t, one, `((field) => { field.value = 'shop/typed'; return true; })(document.querySelector('.pop input[type=text]'))`)
	click(buttons + ".find((b) => b.textContent === 'create')")
	for _, p := range []*browser.Page{one, two} {
		harness.Await(t, p, time.Minute, "s.indexer.count === 23")
	}
	harness.Shot(t, one, "created")
	harness.Shot(t, two, "phone")
	click("document.querySelector('.src')")
	harness.WaitFor(t, one, "document.querySelector('.pop').textContent.includes('every page, kubectl and controller here shares it')")
	harness.Shot(t, one, "sources")
	harness.Press(t, one, "Escape")
	harness.Call(t, one, "cluster('crowd', {n: 40})")
	for _, p := range []*browser.Page{one, two} {
		harness.Await(t, p, time.Minute, "s.api.crowd?.clients === 40")
	}
	harness.Call(t, one, "fault('compact', {})")
	harness.Await(t, one, time.Minute, "s.faults.some((f) => f.name === 'compact')")
	if err := two.Reload(harness.Timeout(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, two, time.Minute, "s.queue.synced && s.indexer.count === 23")
	one.ExpectClean(t)
	two.ExpectClean(t)
}
