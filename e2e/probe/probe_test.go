package probe_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

// canary is a Secret's value, which must not be in anything that a probe writes.
const canary = "canary-5f1c8e"

// probed is a controller with a probe in it, built with one release of client-go (testdata/probed).
type probed struct {
	t   *testing.T
	url string
}

// startProbed builds a controller of testdata with a release of a library, and starts it.
func startProbed(t *testing.T, program, library, kubeconfig string) *probed {
	t.Helper()
	begin := time.Now()
	built := buildProbed(t, program, readProgram(t, program), library)
	t.Logf("built with %s in %s", library, time.Since(begin).Round(time.Second))
	url, log, end := startProgram(t, built, kubeconfig)
	t.Cleanup(func() {
		if end(); strings.Contains(log.String(), canary) {
			t.Error("a Secret's value is in the log")
		}
	})
	return &probed{t, url}
}

func (p *probed) get(path string, into any) {
	p.t.Helper()
	resp, err := http.Get(p.url + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %s %v %s", path, resp.Status, err, body)
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			p.t.Fatal(err)
		}
	}
}

// probedState is the controller's report: how many goroutines are in the probe's own functions, and calls of its handlers.
type probedState struct{ Probing, Handled, Late int64 }

func (p *probed) state() (s probedState) { p.t.Helper(); p.get("/state", &s); return s }

func (p *probed) store() (s map[string]map[string]string) {
	p.t.Helper()
	p.get("/store", &s)
	return s
}

// recordingOf is a stream of the probe as it arrives.
type recordingOf struct {
	mu   sync.Mutex
	text bytes.Buffer
	end  func()
}

func (p *probed) attach() *recordingOf { p.t.Helper(); return p.attachTo("") }

// attachTo attaches to some informers, separated by commas.
func (p *probed) attachTo(informers string) *recordingOf {
	p.t.Helper()
	resp, err := http.Get(p.url + "/debug/informerscope/stream?informers=" + url.QueryEscape(informers))
	if err != nil {
		p.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		p.t.Fatal(resp.Status)
	}
	r := &recordingOf{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		in := bufio.NewReader(resp.Body)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			r.mu.Lock()
			r.text.Write(line)
			r.mu.Unlock()
		}
	}()
	r.end = sync.OnceFunc(func() { resp.Body.Close(); <-done })
	p.t.Cleanup(r.end)
	return r
}

func (r *recordingOf) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.text.Bytes())
}

func (r *recordingOf) has(text string) bool { return bytes.Contains(r.bytes(), []byte(text)) }

// waitUntil checks again and again until the condition holds.
func waitUntil(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !met(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not after three minutes: %s", what)
		}
	}
}

// lists is what the API server has of what the controller watches.
func lists(t *testing.T, c kubernetes.Interface) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{"configmaps": {}, "secrets": {}, "namespaces": {}}
	put := func(kind string, m metav1.ObjectMeta) {
		key := m.Name
		if m.Namespace != "" {
			key = m.Namespace + "/" + m.Name
		}
		out[kind][key] = m.ResourceVersion
	}
	a, err := c.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Items {
		put("configmaps", a.Items[i].ObjectMeta)
	}
	b, err := c.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Items {
		put("secrets", b.Items[i].ObjectMeta)
	}
	n, err := c.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n.Items {
		put("namespaces", n.Items[i].ObjectMeta)
	}
	return out
}

func sameStores(a, b map[string]map[string]string) bool { return maps.EqualFunc(a, b, maps.Equal) }

// writeSome changes, creates and deletes objects of each kind.
func writeSome(t *testing.T, c kubernetes.Interface, random *rand.Rand, n int) {
	t.Helper()
	ctx := t.Context()
	for range n {
		name := fmt.Sprintf("probe-%d", random.IntN(60))
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"n": "0"}}
		patch := fmt.Appendf(nil, `{"data":{"n":"%d"}}`, random.Int())
		if _, err := c.CoreV1().ConfigMaps("default").Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			if _, err := c.CoreV1().ConfigMaps("default").Create(ctx, cm, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		} else if random.IntN(3) == 0 {
			if err := c.CoreV1().ConfigMaps("default").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(8) != 0 {
			continue
		}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"label": canary}, Annotations: map[string]string{"a": canary}},
			StringData: map[string]string{"password": canary}}
		if _, err := c.CoreV1().Secrets("default").Create(ctx, secret, metav1.CreateOptions{}); err != nil {
			if err := c.CoreV1().Secrets("default").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// readRecording reads a recording as the page does; nothing in it may be damaged or unknown.
func readRecording(t *testing.T, text []byte) (tracefile.Header, []event.Entry) {
	t.Helper()
	h, events, warning, err := tracetest.Read(bytes.NewReader(text), tracefile.ReadOptions{})
	if err != nil || warning != nil {
		t.Fatal(err, warning)
	}
	return h, events
}

// TestProbe attaches to controllers with the oldest and the newest client-go, on a real control plane. At moments between random writes it compares
// the recording with the controller, and then opens the recording in the page.
func TestProbe(t *testing.T) {
	for _, x := range []release{{"v0.31.14", "1.31", "DeltaFIFO"}, {"v0.37.2", "1.37", "RealFIFO"}} {
		t.Run(x.clientGo, func(t *testing.T) { probeMatrix(t, x.clientGo, x.release, x.queue) })
	}
}

// release is a release of client-go, with the features of its informers.
type release struct{ clientGo, release, queue string }

var probeReleases = flag.Bool("probe.releases", false, "run TestProbeReleases and TestProbeInControllerRuntime, which compile much")

// TestProbeReleases does so with the releases between.
func TestProbeReleases(t *testing.T) {
	if !*probeReleases {
		t.Skip("make judges runs it: each release of client-go has to be compiled")
	}
	for _, x := range []release{{"v0.32.13", "1.31", "DeltaFIFO"}, {"v0.33.13", "1.33", "RealFIFO"}, {"v0.34.13", "1.33", "RealFIFO"},
		{"v0.35.10", "1.35", "RealFIFO"}, {"v0.36.6", "1.37", "RealFIFO"}, {strings.TrimPrefix(betaClientGo, "k8s.io/client-go@"), "1.38", "RealFIFO"}} {
		t.Run(x.clientGo, func(t *testing.T) { probeMatrix(t, x.clientGo, x.release, x.queue) })
	}
}

// checkOutage waits until the facts of each informer say that the API server refuses connections.
func checkOutage(t *testing.T, r *recordingOf) {
	t.Helper()
	waitForLanes(t, r, "the facts have the outage", func(lane *view.State) bool {
		facts := lane.Facts
		isOpen := func(r fold.WireRequest) bool { return r.Open }
		return lane.Reflector.Phase == "backoff" && !facts.Sure && facts.Trouble.Cause == "refused" && facts.Headline.ID == "refused" &&
			!slices.ContainsFunc(lane.API.Requests, isOpen)
	})
}

// waitForLanes waits until all three informers are in a state, as the recording so far has them.
func waitForLanes(t *testing.T, r *recordingOf, what string, met func(lane *view.State) bool) {
	t.Helper()
	waitUntil(t, what, func() bool {
		text := r.bytes()
		_, events := readRecording(t, text[:bytes.LastIndexByte(text, '\n')+1])
		f := fold.NewFold()
		for i := range events {
			f.Apply(&events[i])
		}
		s := view.StateOf(f)
		s.SetFacts(f, f.At())
		return len(s.Lanes) == 3 && !slices.ContainsFunc(s.Lanes, func(lane *view.State) bool { return !met(lane) })
	})
}

// checkPause pauses the work queue: the recording has it, and its State for as long as it lasts.
func checkPause(t *testing.T, p *probed, r *recordingOf) {
	t.Helper()
	for _, x := range []struct {
		on     string
		kind   string
		paused bool
	}{{"true", `"WorkPaused"`, true}, {"false", `"WorkResumed"`, false}} {
		p.get("/pause?on="+x.on, nil)
		waitUntil(t, x.kind+" is in the recording", func() bool { return r.has(x.kind) })
		text := r.bytes()
		_, events := readRecording(t, text[:bytes.LastIndexByte(text, '\n')+1])
		f := fold.NewFold()
		for i := range events {
			f.Apply(&events[i])
		}
		one := func(lane *fold.State) bool { return lane.Workqueue != nil && lane.Workqueue.Paused }
		if paused := slices.ContainsFunc(f.State().Lanes, one); paused != x.paused {
			t.Errorf("after %s a queue is paused: %v", x.kind, paused)
		}
	}
}

func probeMatrix(t *testing.T, clientGo, release, queue string) {
	cp := cluster.StartForTest(t, cluster.Options{})
	c := cp.Client()
	random := rand.New(rand.NewPCG(1, 2))
	writeSome(t, c, random, 80)
	p := startProbed(t, "probed", "k8s.io/client-go@"+clientGo, cp.Kubeconfig)
	if n := p.state().Probing; n != 0 {
		t.Errorf("%d goroutines of the probe run without a client", n)
	}
	r := p.attach()
	waitUntil(t, "the recording begins", func() bool { return r.has(`"Restored"`) })
	p.get("/start", nil)
	want := map[string]map[string]map[string]string{} // moment → resource → key → resourceVersion
	moment := func() {
		t.Helper()
		got := lists(t, c)
		waitUntil(t, "the controller has what the API server has", func() bool { return sameStores(p.store(), got) })
		name := fmt.Sprintf("moment %d", len(want))
		p.get("/note?text="+url.QueryEscape(name), nil)
		waitUntil(t, name+" is in the recording", func() bool { return r.has(`"` + name + `"`) })
		want[name] = got
	}
	moment()
	for range 4 {
		writeSome(t, c, random, 20+random.IntN(60))
		moment()
	}
	p.get("/late", nil)
	waitUntil(t, "the late handler has its first objects", func() bool { return p.state().Late == int64(len(want["moment 4"]["configmaps"])) })
	p.get("/note?text=counted", nil)
	waitUntil(t, "that is in the recording", func() bool { return r.has(`"counted"`) })
	writeSome(t, c, random, 100)
	moment()
	// Connections that break, and a resourceVersion that is too old: all is listed again.
	if clientGo == "v0.37.2" {
		cp.StopAPIServer()
		checkOutage(t, r)
		if err := cp.StartAPIServer(harness.Timeout(t, 3*time.Minute)); err != nil {
			t.Fatal(err)
		}
		writeSome(t, c, random, 20)
		moment()
		waitForLanes(t, r, "all watch again", func(lane *view.State) bool { return lane.Reflector.Phase == "watching" })
	}
	if release == "1.38" {
		checkPause(t, p, r)
	}
	if p.state().Probing == 0 {
		t.Error("a client is attached, and no goroutine of the probe is seen")
	}
	all := r.bytes()
	r.end()
	waitUntil(t, "nothing runs when nobody is attached", func() bool { return p.state().Probing == 0 })

	h, events := readRecording(t, all)
	if h.ClientGo != clientGo {
		t.Errorf("the header says client-go %s", h.ClientGo)
	}
	checkMoments(t, events, want)
	checkCounts(t, all, p.state().Handled)

	f := fold.NewFold()
	for i := range events {
		f.Apply(&events[i])
	}
	s := f.State()
	for _, lane := range append(s.Lanes, s) {
		if lane.Release != release || lane.Queue.Kind != queue {
			t.Errorf("release %s with a %s, not %s with a %s", lane.Release, lane.Queue.Kind, release, queue)
		}
		if !lane.Synced || lane.Reflector.Phase != "watching" && lane.Reflector.Phase != "idle" {
			t.Errorf("synced %t, phase %s", lane.Synced, lane.Reflector.Phase)
		}
	}

	// A late client gets the present objects first; 50 more clients leave nothing behind.
	late := p.attach()
	got := lists(t, c)
	waitUntil(t, "the second recording has begun", func() bool { return bytes.Count(late.bytes(), []byte(`"Restored"`)) == 3 })
	p.get("/note?text=late", nil)
	waitUntil(t, "the note is there", func() bool { return late.has(`"late"`) })
	late.end()
	_, again := readRecording(t, late.bytes())
	checkMoments(t, again, map[string]map[string]map[string]string{"late": got})
	for range 50 {
		x := p.attach()
		waitUntil(t, "it begins", func() bool { return x.has(`"Restored"`) })
		x.end()
	}
	waitUntil(t, "nothing is left behind", func() bool { return p.state().Probing == 0 })

	var list struct {
		Informers []struct {
			Name string
			Off  map[string]string
		}
	}
	p.get("/debug/informerscope/", &list)
	if len(list.Informers) != 3 {
		t.Errorf("%d informers", len(list.Informers))
	}
	for _, x := range list.Informers {
		for layer, why := range x.Off {
			t.Errorf("%s: %s is off: %s", x.Name, layer, why)
		}
	}

	// The file as a user downloads it. Like the streams it must have neither a Secret's value nor the token of the kubeconfig.
	resp, err := http.Get(p.url + "/debug/informerscope/trace?seconds=1&informers=configmaps")
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	readRecording(t, file)
	for what, text := range map[string][]byte{"stream": all, "late stream": late.bytes(), "file": file} {
		for _, secret := range []string{canary, "Y2FuYXJ5LTVmMWM4Z", cp.Config().BearerToken} {
			if secret != "" && bytes.Contains(text, []byte(secret)) {
				t.Errorf("the %s has a secret in it", what)
			}
		}
	}
	checkKeys(t, all)
	openRecordings(t, file, late.bytes(), got)
}

// recorded are the informers of a recording in the order of its lanes, which is that in which they were added to the probe.
var recorded = []string{"configmaps", "secrets", "namespaces"}

// checkMoments folds the recording, and compares each store at each moment.
func checkMoments(t *testing.T, events []event.Entry, want map[string]map[string]map[string]string) {
	t.Helper()
	f := fold.NewFold()
	found := 0
	for i := range events {
		f.Apply(&events[i])
		wanted, ok := want[events[i].Note().Text]
		if events[i].Kind != event.KindNote || !ok {
			continue
		}
		found++
		for lane, resource := range recorded {
			got := map[string]string{}
			f.Objects(lane).Range(func(c *fold.Cell) bool { got[c.Key] = c.RV; return true })
			if !maps.Equal(got, wanted[resource]) {
				t.Errorf("%s: of %s the recording has %v, the controller has %v", events[i].Note().Text, resource, got, wanted[resource])
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d moments are in the recording", found, len(want))
	}
}

// checkCounts compares the counts of the stations while the calls of one handler are recorded.
func checkCounts(t *testing.T, all []byte, handled int64) {
	t.Helper()
	head, _, _ := bytes.Cut(all, []byte("\n"))
	count := func(text []byte) (n map[string]int) {
		n = map[string]int{}
		_, events := readRecording(t, text)
		for i := range events {
			e := &events[i]
			if e.Lane != 0 {
				continue
			}
			switch e.Kind {
			case event.KindWatchEvent:
				if e.Op() != event.OpBookmark {
					n["frames"]++
				}
			case event.KindQueued:
				n["entries"]++
			case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
				n["store"]++
			case event.KindHandling:
				handling := e.Handling()
				if !handling.InitialList { // a late handler's first objects are mixed with others
					n[fmt.Sprintf("listener %d, new", handling.Listener)]++
				}
			case event.KindHandled:
				n[fmt.Sprintf("listener %d", e.Listener())]++
			}
		}
		return n
	}
	whole := count(all)
	if int64(whole["listener 2"]) != handled && int64(whole["listener 1"]) != handled {
		t.Errorf("the handler counted %d calls, the recording has %v", handled, whole)
	}
	// The part without a list.
	piece := all[bytes.Index(all, []byte(`"txt":"counted"`)):]
	piece = piece[bytes.IndexByte(piece, '\n')+1:]
	if i := bytes.Index(piece, []byte(`"txt":"moment 5"`)); i > 0 {
		piece = piece[:i+bytes.IndexByte(piece[i:], '\n')+1]
	}
	n := count(append(append(append([]byte{}, head...), '\n'), piece...))
	t.Logf("of configmaps: %v", n)
	for _, station := range []string{"entries", "store", "listener 1", "listener 2", "listener 3, new"} {
		if n["frames"] < 100 || n[station] != n["frames"] {
			t.Errorf("not as many at each station: %v", n)
			break
		}
	}
}

// openRecordings drops the files on the page, which must show their content: one of one informer, and one of all.
func openRecordings(t *testing.T, one, all []byte, want map[string]map[string]string) {
	t.Helper()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&lang=en", 1280, 720)
	harness.Await(t, page, time.Minute, "s.queue.synced")
	for _, x := range []struct {
		name   string
		file   []byte
		expect string
	}{
		{"one", one, "!s.lanes && s.fidelity['listeners.ring'].how === 'sampled' && s.workqueue.workers.length === 1 && s.fidelity.workqueue.how === 'exact'"},
		{"all", all, fmt.Sprintf("s.lanes?.length === 3 && s.lanes[2].resource.resource === 'namespaces' && "+
			"s.lanes[1].indexer.count === %d && s.lanes[2].indexer.count === %d", len(want["secrets"]), len(want["namespaces"]))},
	} {
		path := filepath.Join(t.TempDir(), x.name+".trace")
		if err := os.WriteFile(path, x.file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := page.Drop(harness.Timeout(t, 30*time.Second), path, browser.Point{X: 640, Y: 380}); err != nil {
			t.Fatal(err)
		}
		harness.Await(t, page, time.Minute, "s.source.kind === 'file' && s.resource.resource === 'configmaps' && s.indexer.count === %d && "+x.expect,
			len(want["configmaps"]))
		harness.Shot(t, page, "recording-of-"+x.name)
	}
	page.ExpectClean(t)
}

// checkKeys compares the parts of a recording about the keys of the work queue with one another.
func checkKeys(t *testing.T, recording []byte) {
	t.Helper()
	_, events := readRecording(t, recording)
	f := fold.NewFold()
	n, moments := map[event.Kind]int{}, []uint64{}
	for i := range events {
		f.Apply(&events[i])
		n[events[i].Kind]++
		if w := f.LaneState(0).Workqueue; events[i].Kind == event.KindWorkAdded && w.Depth == 1 {
			moments = append(moments, events[i].Seq)
		}
	}
	w := f.LaneState(0).Workqueue
	if w == nil || n[event.KindWorkTaken] < 100 || n[event.KindWorkTaken]-n[event.KindWorkDone] > 1 || len(w.Workers) != 1 ||
		w.Reconciles < n[event.KindReconciled] || len(moments) == 0 {
		t.Fatalf("of the work queue the recording has %+v; events: %v", w, n)
	}
}

// TestProbeInControllerRuntime watches a controller of controller-runtime, whose informers and handlers are added late.
func TestProbeInControllerRuntime(t *testing.T) {
	if !*probeReleases {
		t.Skip("make judges runs it: controller-runtime and every API of Kubernetes have to be compiled")
	}
	cp := cluster.StartForTest(t, cluster.Options{})
	c := cp.Client()
	random := rand.New(rand.NewPCG(3, 4))
	writeSome(t, c, random, 40)
	p := startProbed(t, "probedcr", "sigs.k8s.io/controller-runtime@v0.25.2", cp.Kubeconfig)
	var list struct {
		Informers []struct {
			Name    string
			Synced  bool
			Objects int
			Off     map[string]string
		}
	}
	configMaps := lists(t, c)["configmaps"]
	waitUntil(t, "its informer is seen", func() bool {
		p.get("/debug/informerscope/", &list)
		return len(list.Informers) == 1 && list.Informers[0].Synced && list.Informers[0].Objects == len(configMaps)
	})
	if x := list.Informers[0]; x.Name != "configmaps" || len(x.Off) != 0 {
		t.Errorf("%+v", x)
	}
	r := p.attach()
	waitUntil(t, "the recording begins", func() bool { return r.has(`"Restored"`) })
	writeSome(t, c, random, 60)
	configMaps = lists(t, c)["configmaps"]
	waitUntil(t, "all is in the controller", func() bool {
		p.get("/note?text=now", nil)
		_, events, _, _ := tracetest.Read(bytes.NewReader(r.bytes()), tracefile.ReadOptions{})
		f, got := fold.NewFold(), map[string]string{}
		for i := range events {
			f.Apply(&events[i])
		}
		f.Objects(0).Range(func(c *fold.Cell) bool { got[c.Key] = c.RV; return true })
		return maps.Equal(got, configMaps)
	})
	waitUntil(t, "its handler has had all", func() bool {
		n := map[event.Kind]int{}
		_, events, _, _ := tracetest.Read(bytes.NewReader(r.bytes()), tracefile.ReadOptions{})
		for i := range events {
			n[events[i].Kind]++
		}
		stored := n[event.KindStoreAdded] + n[event.KindStoreUpdated] + n[event.KindStoreDeleted]
		return stored >= 60 && n[event.KindHandled] >= stored && n[event.KindWatchEvent] >= stored // some of the first list may be handled only now
	})
}
