package probe_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

// probeLines are the at most five lines that add a probe to a controller: each line, and the line before it.
var probeLines = [][2]string{
	{`	"k8s.io/client-go/util/workqueue"`, `	"example.org/informerscope/probe"`},
	{`	client, err := dynamic.NewForConfig(cfg)`, `	p := probe.New(probe.Options{})`},
	{`	client, err := dynamic.NewForConfig(cfg)`, `	cfg = p.WrapConfig(cfg)`},
	{`	mux := http.NewServeMux()`, `	p.Factory(factory)`},
	{`	var begun atomic.Bool`, `	mux.Handle("/debug/informerscope/", p.Handler())`},
}

// withProbe adds the lines to a program.
func withProbe(t *testing.T, source string) string {
	t.Helper()
	if len(probeLines) > 5 {
		t.Fatalf("%d lines are changed", len(probeLines))
	}
	for _, x := range probeLines {
		at, behind := x[0], x[0]+"\n"+x[1]
		if strings.Contains(at, "NewForConfig") { // before the client is made
			behind = x[1] + "\n" + x[0]
		}
		if strings.Count(source, at) != 1 {
			t.Fatalf("%q stands in the program %d times", at, strings.Count(source, at))
		}
		source = strings.Replace(source, at, behind, 1)
	}
	return source
}

// tellTo requests a path of the controller.
func tellTo(t *testing.T, url string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(url, resp.Status)
	}
}

// manyConfigMaps makes n ConfigMaps.
func manyConfigMaps(t *testing.T, cp *cluster.ControlPlane, n int) kubernetes.Interface {
	t.Helper()
	config := rest.CopyConfig(cp.Config())
	config.QPS, config.Burst = 2000, 2000
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	next := make(chan int)
	var making sync.WaitGroup
	for range 16 {
		making.Go(func() {
			for i := range next {
				cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("attach-%d", i)}}
				if _, err := c.CoreV1().ConfigMaps("default").Create(t.Context(), cm, metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	making.Wait()
	return c
}

// grown records, in each frame that the browser draws, whether the page shows that a ring has grown, and when it first did.
const grown = `(() => {
	const look = async () => {
		const words = document.querySelector('#app')?.textContent ?? '';
		if (/of 2,048/.test(words)) {
			const said = document.querySelector('.cap, .caption, [role=status]')?.textContent ?? '';
			const s = await informerscope.state();
			window.grown = {seq: s.seq, said, rings: s.listeners.map((l) => ({name: l.name, capacity: l.capacity, capacities: l.capacities}))};
			return;
		}
		requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
	return true;
})()`

// TestAttach watches a controller like sample-controller live in the page. It shows its informers singly and together, a ring that grows, and a
// process that ends and returns. A recording has the same content.
func TestAttach(t *testing.T) {
	cp := cluster.StartForTest(t, cluster.Options{})
	client := manyConfigMaps(t, cp, 1100)
	program := buildProbed(t, "attached", withProbe(t, readProgram(t, "attached")), newestClientGo)
	controller, _, end := startProgram(t, program, cp.Kubeconfig, "127.0.0.1:0")
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--attach="+controller+"/debug/informerscope/")
	if !strings.Contains(srv.URL, "source=probe") {
		t.Errorf("the link does not choose the process: %s", srv.URL)
	}
	b := browser.StartForTest(t)
	page := b.OpenForTest(t, srv.URL+"&lang=en", 1280, 720)
	harness.Await(t, page, time.Minute, "s.source.kind === 'probe' && s.lanes?.length === 2")

	// One informer on the stage, from before it starts.
	harness.Call(t, page, "select({source: 'probe', resource: 'configmaps'})")
	harness.Await(t, page, time.Minute, "s.source.kind === 'probe' && !s.lanes && s.listeners.length === 2 && s.indexer.count === 0")
	// The rings are inside the rows of their handlers.
	harness.WaitUntil(t, page, "document.querySelectorAll('.row-name.handler').length === 2")
	harness.EvalIn[bool](t, page, "([...document.querySelectorAll('.row-name.handler')].at(-1).click(), true)")
	if !harness.EvalIn[bool](t, page, grown) {
		t.Fatal("it is not looked at")
	}
	tellTo(t, controller+"/begin")
	harness.Await(t, page, time.Minute, "s.indexer.count >= 1100 && s.listeners.some((l) => l.capacity === 2048 && l.capacities[0] === 1024)")
	named := func() bool { return harness.EvalIn[bool](t, page, "!!window.grown") }
	waitUntil(t, "the page names the ring", named)
	var first struct {
		Seq   uint64
		Rings []struct {
			Name       string
			Capacity   int
			Capacities []int
		}
	}
	text := harness.EvalIn[string](t, page, "JSON.stringify(window.grown)")
	if err := json.Unmarshal([]byte(text), &first); err != nil {
		t.Fatal(err)
	}
	harness.Shot(t, page, "ring-grown")
	harness.WaitUntil(t, page, "/in one call for \\d.*: (≈ )?1,\\d{3} changes wait/.test(document.querySelector('.cap .say').textContent)")
	// The page does not show what a probe cannot see: whether the queue is locked, and the weight of objects without JSON.
	words := harness.EvalIn[string](t, page, "document.querySelector('#app').textContent")
	if strings.Contains(words, "unlocked") {
		t.Errorf("it says of the queue's lock what it cannot know: %s", words)
	}
	events, err := harness.Recording(harness.Timeout(t, time.Minute), page)
	if err != nil {
		t.Fatal(err)
	}
	checkGrowth(t, events, first.Seq)
	tellTo(t, controller+"/wake")
	harness.Await(t, page, time.Minute, "s.listeners.every((l) => l.ring === 0 && l.synced)")

	// Writes in the cluster appear in the page.
	before := harness.Await(t, page, time.Minute, "s.live").Indexer.Count
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "seen-live"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), cm, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.indexer.count === %d && s.listeners.every((l) => l.handled > %d)", before+1, before)
	if err := client.CoreV1().ConfigMaps("default").Delete(t.Context(), "attach-7", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.indexer.count === %d", before)

	// Step back and forward; the fold of the recording is what the page showed.
	checkMomentsOf(t, page, b, srv)

	// The process ends: the page reports it and keeps its content. It then returns at the same address.
	seq := harness.Await(t, page, time.Minute, "s.live").Seq
	end()
	harness.Await(t, page, time.Minute, "s.source.cause === 'probe-gone' && s.source.trouble.length > 0 && s.indexer.count >= 1100")
	harness.Shot(t, page, "process-gone")
	again, _, _ := startProgram(t, program, cp.Kubeconfig, strings.TrimPrefix(controller, "http://"))
	tellTo(t, again+"/begin")
	tellTo(t, again+"/wake")
	harness.Await(t, page, time.Minute, "!s.source.cause && !s.source.trouble && s.synced && s.indexer.count >= 1100 && s.seq > %d", seq)
	harness.Call(t, page, "seek(%d)", seq)
	harness.Await(t, page, time.Minute, "s.seq === %d && s.indexer.count >= 1100", seq) // the earlier events are still there

	// All informers, from the menu of sources.
	harness.Call(t, page, "live()")
	if err := page.Click(harness.Timeout(t, 30*time.Second), "document.querySelector('.top .src')"); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the menu names the informers", func() bool {
		return harness.EvalIn[bool](t, page,
			"[...document.querySelectorAll('[role=option]')].filter((e) => /^(configmaps|namespaces|all its)/.test(e.textContent)).length === 3")
	})
	harness.Shot(t, page, "source-menu")
	if err := page.Press(harness.Timeout(t, 30*time.Second), "Escape"); err != nil {
		t.Fatal(err)
	}
	harness.Call(t, page, "select({source: 'probe'})")
	harness.Await(t, page, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.synced)")
	harness.Shot(t, page, "both")
	if why := harness.EvalIn[string](t, page, "informerscope.fault('cut').then(() => '', (e) => e.message)"); why == "" {
		t.Error("a fault was taken for a process that is only watched")
	}
	page.ExpectClean(t)

	// A second opinion: the API server has what the process's stores have.
	doctor, err := harness.BuildServer()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(harness.Timeout(t, time.Minute), doctor, "doctor", again+"/debug/informerscope/", "--seconds=3",
		"--context", cluster.ContextName, "--kubeconfig", cp.Kubeconfig).CombinedOutput()
	if n := strings.Count(string(out), "; the store differs in 0"); n != 2 {
		t.Errorf("the doctor compared %d stores of 2 without a difference, %v:\n%s", n, err, out)
	}
}

// checkGrowth finds the first sample in which a ring is larger, and compares it with what the page had when it reported the growth.
func checkGrowth(t *testing.T, events []event.Entry, named uint64) {
	t.Helper()
	var grew uint64
	var at time.Duration
	between := 0
	for i := range events {
		e := &events[i]
		if event.KindName(e.Kind) != "Sampled" {
			continue
		}
		var s fold.Sampled
		if err := json.Unmarshal([]byte(e.Sampled().Sample), &s); err != nil {
			t.Fatal(err)
		}
		for _, l := range s.Listeners {
			if grew == 0 && l.Capacity == 2048 {
				grew, at = e.Seq, e.At
			}
		}
		if grew > 0 && e.Seq > grew && e.Seq <= named {
			between++
		}
	}
	if grew == 0 || named < grew {
		t.Fatalf("the sample is event %d, and the page named the ring at event %d", grew, named)
	}
	t.Logf("the ring was seen to grow in event %d at %s; the page named it at event %d, with %d samples between", grew, at, named, between)
}

// checkMomentsOf compares the page's State at ten random events with the fold of its recording, and with the State of the page that opens the
// recording.
func checkMomentsOf(t *testing.T, page *browser.Page, b *browser.Browser, srv *harness.Server) {
	t.Helper()
	harness.Pause(t, page)
	text := harness.EvalIn[string](t, page, "informerscope.record().then((f) => f.text)")
	decode := func(raw []byte) (any, error) { return object.Parse(raw) }
	_, events, warning, err := tracetest.Read(strings.NewReader(text), tracefile.ReadOptions{DecodeObject: decode})
	if err != nil || warning != nil {
		t.Fatal(err, warning)
	}
	path := filepath.Join(t.TempDir(), "attached.trace")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	offline := harness.OpenStage(t, b, srv, "&source=sim&lang=en", 1280, 720)
	if err := offline.Drop(harness.Timeout(t, 30*time.Second), path, browser.Point{X: 640, Y: 380}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, offline, time.Minute, "s.source.kind === 'file' && s.indexer.count > 0")
	random := rand.New(rand.NewPCG(14, 4))
	for range 10 {
		e := &events[3+random.IntN(len(events)-3)]
		fold := fold.NewFold()
		for i := range events {
			if events[i].Seq <= e.Seq {
				fold.Apply(&events[i])
			}
		}
		want := whatIsShown(t, asJSON(t, fold.State()))
		for name, p := range map[string]*browser.Page{"live": page, "offline": offline} {
			state := harness.EvalIn[string](t, p, fmt.Sprintf("informerscope.seek(%d).then(() => informerscope.state()).then(JSON.stringify)", e.Seq))
			if got := whatIsShown(t, state); got != want {
				t.Errorf("event %d: the %s page has\n%s\nthe recording's fold\n%s", e.Seq, name, got, want)
			}
		}
	}
	offline.ExpectClean(t)
	harness.Call(t, page, "live()")
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// whatIsShown is a State without the viewer's own parts, and without its source.
func whatIsShown(t *testing.T, text string) string {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{"view", "facts", "live", "factory", "compare", "source"} {
		delete(s, own)
	}
	return asJSON(t, s)
}
