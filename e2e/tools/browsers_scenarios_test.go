package tools_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

// browserPods is how many pods the live cluster of the scenarios has.
const browserPods = 40

// TestBrowsers plays the same scenarios on Chromium, Firefox and WebKitGTK. The page does the same in each, without a problem. The artifacts have
// screenshots of each.
func TestBrowsers(t *testing.T) {
	cp := cluster.StartForTest(t, cluster.Options{})
	if err := cluster.PopulatePods(t.Context(), cp.Client(), browserPods, 4); err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+cp.Kubeconfig)
	host, file := staticHost(t)+sitePath, standalone(t)
	same := &agreement{}
	eachEngine(t, func(t *testing.T, v *visitor) {
		v.url = srv.URL
		for _, s := range []struct {
			name string
			play func(v *visitor)
		}{
			{"up", pageUp},
			{"painted", func(v *visitor) { pagePainted(v, same) }},
			{"releases", twoReleases},
			{"story", storyOnStage},
			{"recording", recordingAgain},
			{"link", func(v *visitor) { linkFollowed(v, same) }},
			{"live", func(v *visitor) { liveCluster(v, cp) }},
			{"site", func(v *visitor) { withoutServer(v, host+"#", same) }},
			{"one file", func(v *visitor) { withoutServer(v, file+"#", same) }},
		} {
			v.play(t, s.name, s.play)
		}
	})
}

// agreement is the first browser's results, with which the others must agree.
type agreement struct{ said map[string]string }

// expect compares a browser's value with the first browser's.
func (a *agreement) expect(v *visitor, thing, says string) {
	v.t.Helper()
	if a.said == nil {
		a.said = map[string]string{}
	}
	if first, ok := a.said[thing]; !ok {
		a.said[thing] = says
	} else if first != says {
		from := 0 // a little before they differ
		for from < min(len(first), len(says)) && first[from] == says[from] {
			from++
		}
		from = max(0, from-200)
		v.t.Errorf("%s differs from character %d on: it is\n%.800s\nand was in another browser\n%.800s", thing, from, says[from:], first[from:])
	}
}

// pageUp opens the page with nothing chosen but its language.
func pageUp(v *visitor) {
	v.open("&lang=en")
	v.await(time.Minute, "s.queue.synced && s.reflector.phase === 'watching' && s.indexer.count > 0")
	v.settle()
	if !evalIn[bool](v, "crossOriginIsolated") {
		v.t.Error("the page is not isolated, and its clock is coarse")
	}
	// This lock shows the page that its worker lives.
	held := evalIn[[]string](v, "navigator.locks.query().then((q) => q.held.map((l) => l.name))")
	if !slices.ContainsFunc(held, func(name string) bool { return strings.HasPrefix(name, "informerscope ") }) {
		v.t.Errorf("the worker holds no lock: %q", held)
	}
	size := evalIn[[]int](v, "(({scrollWidth, scrollHeight}) => [scrollWidth, scrollHeight, innerWidth, innerHeight])(document.scrollingElement)")
	if size[0] > size[2] || size[1] > size[3] {
		v.t.Errorf("the page is %dx%d in a window of %dx%d, want no scrolling", size[0], size[1], size[2], size[3])
	}
	v.shot("1-up")
}

// pagePainted compares what is drawn of a simulated cluster with the state, at past moments and at the live edge.
func pagePainted(v *visitor, same *agreement) {
	ages := regexp.MustCompile(`\d+(\.\d+)? m?s\b`) // workers run in real time
	v.open("&source=sim&seed=7&objects=240&rate=20&lang=en&theme=dark")
	v.await(time.Minute, "s.queue.synced && s.indexer.count >= 240 && s.seq > 6000")
	v.pause()
	head := v.await(time.Minute, "s.view.mode === 'paused'").Seq
	for _, seq := range []uint64{200, 5000, 6000} {
		v.call("seek(%d)", seq)
		v.await(time.Minute, "s.seq === %d && !s.live", seq)
		s := evalIn[fold.State](v, "informerscope.state()")
		v.until(10*time.Second, fmt.Sprintf("stage.event() === '%d'", seq), "stage.event()")
		v.settle()
		d := evalIn[harness.Drawn](v, "stage.drawn()")
		harness.ExpectDrawn(v.t, s, d)
		same.expect(v, fmt.Sprintf("what the rows say at event %d", seq), ages.ReplaceAllString(fmt.Sprint(d.Rows, d.Head), "age"))
		if seq == 6000 {
			v.looksWell()
			v.shot("2-painted-dark")
			evalIn[bool](v, "stage.dress('light', 'en')")
			v.settle()
			v.looksWell()
			v.shot("2-painted-light")
		}
	}
	// The map of the store is a canvas without text: each object has some pixels there.
	if painted := evalIn[int](v, `(() => {
		const canvas = stage.find('.world-store canvas');
		const copy = document.createElement('canvas');
		copy.width = canvas.width; copy.height = canvas.height;
		const g = copy.getContext('2d');
		g.drawImage(canvas, 0, 0);
		return new Uint32Array(g.getImageData(0, 0, copy.width, copy.height).data.buffer).filter((p) => p >>> 24 > 0).length;
	})()`); painted < 10*240 {
		v.t.Errorf("%d pixels of the map of the store are painted, for 240 objects", painted)
	}
	v.call("step(-1)")
	v.await(time.Minute, "s.seq === 5999")
	v.call("live()")
	v.await(time.Minute, "s.live && s.seq > %d", head)
	v.until(10*time.Second, fmt.Sprintf("Number(stage.event()) > %d", head), "stage.event()")
}

// twoReleases sets two releases side by side on the page, and a burst on both.
func twoReleases(v *visitor) {
	v.open("&source=sim&seed=7&objects=120&rate=10&lang=en&era=1.31,1.37")
	synced := "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced && l.indexer.count > 0 && l.reflector.phase === 'watching')"
	s := v.await(time.Minute, "%s", synced)
	if s.Lanes[0].Queue.Kind != "DeltaFIFO" || s.Lanes[1].Queue.Kind != "RealFIFO" {
		v.t.Errorf("the lanes have a %s and a %s, want a DeltaFIFO and a RealFIFO", s.Lanes[0].Queue.Kind, s.Lanes[1].Queue.Kind)
	}
	v.call("hold('pop')")
	v.call("cluster('burst', {n: 60})")
	v.await(time.Minute, "s.lanes.every((l) => l.queue.depth >= 12)")
	v.pause()
	v.await(time.Minute, "s.view.mode === 'paused'")
	v.settle()
	s = v.await(10*time.Second, "true")
	for _, want := range []string{
		"client-go 1.31: DeltaFIFO", "client-go 1.37: RealFIFO", "rv " + s.Lanes[0].Reflector.ResourceVersion,
	} {
		shown := fmt.Sprintf(`stage.texts().some((t) => t.words.replace(/,/g, '').replace(/\u00a0/g, ' ').includes(%s.replace(/,/g, '')))`, harness.Quote(want))
		v.until(10*time.Second, shown, "stage.texts().map((t) => t.words)")
	}
	v.looksWell()
	v.shot("3-releases")
	v.call("live()")
	v.call("release('pop', 0)")
	v.await(time.Minute, "s.lanes.every((l) => l.queue.depth === 0) && s.lanes[0].indexer.count === s.lanes[1].indexer.count")
}

// storyOnStage plays a story in presenter mode from its first step to its last with a clicker, and goes a step back.
func storyOnStage(v *visitor) {
	v.open("&source=sim&seed=3&objects=20&lang=en&presenter=1")
	v.await(time.Minute, "s.queue.synced")
	n := evalIn[int](v, "informerscope.story('late').then((s) => s.steps)")
	told := func(step int) {
		v.t.Helper()
		// The story's bar, hidden in presenter mode, has the state of the step.
		bar := "document.querySelector('.storybar').dataset"
		v.until(90*time.Second, fmt.Sprintf("%[1]s.step === '%[2]d' && %[1]s.state !== 'telling'", bar, step), bar+".step + ' ' + "+bar+".state")
		if evalIn[bool](v, "['waits', 'stands'].includes("+bar+".state)") { // for the motion, or for an answer: the clicker goes on without one
			v.press("PageDown")
		}
		there := fmt.Sprintf(`%[1]s.step === '%[2]d' && %[1]s.state === 'told' &&
			stage.texts().some((t) => t.words.startsWith('%[2]d of %[3]d'))`, bar, step, n)
		v.until(90*time.Second, there, bar+".step + ' ' + "+bar+".state")
	}
	for step := 1; step <= n; step++ {
		told(step)
		v.settle()
		v.looksWell()
		v.shot(fmt.Sprintf("4-story-%d", step))
		if step < n {
			v.press("PageDown")
		}
	}
	last := v.await(time.Minute, "s.listeners.find((l) => l.name === 'auditor').synced")
	v.press("PageUp")
	told(n - 1)
	v.await(time.Minute, "s.seq < %d && s.view.mode !== 'live'", last.Seq)
	// Leave presenter mode, and then the story.
	v.press("Escape")
	v.until(30*time.Second, "!location.hash.includes('presenter=') && stage.find('.storybar')", "location.hash")
	v.press("Escape")
	v.until(30*time.Second, "!location.hash.includes('story=')", "location.hash")
}

// recordingAgain saves a recording and opens it again, with the automation API and by dropping the file on the page: the state is the same.
func recordingAgain(v *visitor) {
	v.open("&source=sim&seed=5&objects=100&rate=20&lang=en")
	v.await(time.Minute, "s.queue.synced && s.indexer.count >= 100 && s.seq > 3000")
	v.pause()
	before := v.await(time.Minute, "s.view.mode === 'paused'")
	// All but the source, and what a page that replays does not do.
	const stateNow = `informerscope.state().then(({source, view, live, ...state}) => JSON.stringify(state, (k, value) =>
		value && typeof value === 'object' && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'handlingSince').sort()) : value))`
	want := evalIn[string](v, stateNow)
	file := evalIn[struct{ Name, Text string }](v, "informerscope.record()")
	_, events, damage, err := tracetest.Read(strings.NewReader(file.Text), tracefile.ReadOptions{})
	if err != nil || damage != nil || uint64(len(events)) < before.Seq/2 {
		v.t.Fatalf("the recording, read natively: %d events, %v, %v", len(events), damage, err)
	}
	again := func(way string) {
		v.t.Helper()
		v.await(time.Minute, "s.source.kind === 'file' && s.view.head >= %d", before.Seq)
		v.call("seek(%d)", before.Seq)
		v.await(time.Minute, "s.seq === %d", before.Seq)
		if got := evalIn[string](v, stateNow); got != want {
			v.t.Errorf("%s, the state is\n%.3000s\nand was\n%.3000s", way, got, want)
		}
	}
	v.call("load(%s)", harness.Quote(file.Text))
	again("loaded")
	// A simulated cluster in between, so that the file must be read again.
	v.call("select({source: 'sim', seed: 9, objects: 30})")
	v.await(time.Minute, "s.source.kind === 'sim' && s.queue.synced")
	evalIn[bool](v, `(() => {
		const data = new DataTransfer();
		data.items.add(new File([%s], 'moment.jsonl'));
		for (const kind of ['dragenter', 'dragover', 'drop']) {
			document.body.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data}));
		}
		return true;
	})()`, harness.Quote(file.Text))
	again("dropped")
	const toast = "document.querySelector('.toast')?.textContent"
	v.until(10*time.Second, "/moment\\.jsonl/.test("+toast+")", toast)
	v.settle()
	v.shot("5-recording")
}

// linkFollowed pastes a link to a simulated moment into an open page. The log up to there is the same in every browser, event for event, and so is
// the state.
func linkFollowed(v *visitor, same *agreement) {
	v.open("&source=sim&seed=9&objects=40&rate=5&lang=en")
	v.await(time.Minute, "s.queue.synced && s.indexer.count > 0")
	evalIn[bool](v, "(globalThis.__here = true, true)")
	link := "seed=7&objects=120&rate=20&era=1.31,1.37&source=sim&resource=pods&do=1500:hold:pop,1900:release:pop,2300:fault:cut&at=6500"
	evalIn[bool](v, `((location.hash = '#token=' + new URLSearchParams(location.hash.slice(1)).get('token') + '&' + %s), true)`, harness.Quote(link))
	v.await(2*time.Minute, "s.view.mode === 'paused' && s.seq === 6500 && s.source.seed === 7")
	if !evalIn[bool](v, "globalThis.__here === true") {
		v.t.Error("the page was loaded again")
	}
	got := evalIn[harness.Story](v, fmt.Sprintf(harness.Tell, false))
	if got.Events < 5000 {
		v.t.Errorf("the log of the link has %d events", got.Events)
	}
	same.expect(v, "the log of the link", got.Hash)
	same.expect(v, "the state of the link", got.State)
	// The link is for the moment that is shown, which is a frame behind the worker.
	v.until(10*time.Second, "stage.event() === '6500'", "stage.event()")
	// The test intercepts what the page copies, because no test may read a clipboard.
	evalIn[bool](v, `(() => {
		Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { globalThis.__copied = text; }}});
		document.querySelector('.share').click();
		return true;
	})()`)
	v.until(10*time.Second, "document.querySelector('.pop .row')", "document.querySelector('.pop')?.textContent")
	evalIn[bool](v, "(document.querySelector('.pop .row').click(), true)")
	v.until(10*time.Second, "globalThis.__copied", "document.querySelector('.toast')?.textContent")
	given := evalIn[string](v, "globalThis.__copied")
	if !strings.Contains(given, "at=6500") || strings.Contains(given, "token") {
		v.t.Errorf("the link given away is %s", given)
	}
	same.expect(v, "the link given away", given)
	v.settle()
	v.shot("6-link")
}

// liveCluster watches a real API server through the relay. Objects that are created arrive, and the store is what the API server has.
func liveCluster(v *visitor, cp *cluster.ControlPlane) {
	ctx := harness.Timeout(v.t, 3*time.Minute)
	pods, _, err := harness.InCluster(ctx, cp.Client())
	if err != nil {
		v.t.Fatal(err)
	}
	v.open("&lang=en&source=live&resource=pods&context=" + cluster.ContextName)
	s := v.await(time.Minute, "s.queue.synced && s.reflector.phase === 'watching' && s.indexer.count === %d", len(pods))
	if s.Source.Kind != "live" || s.Source.Context != cluster.ContextName {
		v.t.Errorf("the source is %s %s", s.Source.Kind, s.Source.Context)
	}
	client := cp.Client()
	// Each browser has a number of its own, so that each adds one.
	serial := 1000 + len(pods)
	if err := cluster.CreatePod(ctx, client, cluster.NamespaceOf(0, 4), serial); err != nil {
		v.t.Fatal(err)
	}
	v.await(time.Minute, "s.indexer.count === %d && s.queue.depth === 0", len(pods)+1)
	if err := cluster.DeletePod(ctx, client, cluster.NamespaceOf(0, 4), 0); err != nil {
		v.t.Fatal(err)
	}
	v.await(time.Minute, "s.indexer.count === %d && s.queue.depth === 0", len(pods))
	if err := cluster.CreatePod(ctx, client, cluster.NamespaceOf(0, 4), 0); err != nil {
		v.t.Fatal(err)
	}
	v.await(time.Minute, "s.indexer.count === %d && s.queue.depth === 0", len(pods)+1)
	if trouble := storeDiffers(ctx, v, cp); trouble != "" {
		v.t.Errorf("the Indexer is not what the API server has: %s", trouble)
	}
	v.settle()
	v.until(10*time.Second, fmt.Sprintf("stage.drawn().head.indexer === '%d'", len(pods)+1), "stage.drawn().head")
	v.looksWell()
	v.shot("7-live")
	// A connection that breaks is opened again, and nothing is lost.
	s = v.await(time.Minute, "s.reflector.phase === 'watching'")
	v.call("fault('cut')")
	v.await(time.Minute, "s.reflector.watches > %d && s.reflector.phase === 'watching' && s.indexer.count === %d",
		s.Reflector.Watches, len(pods)+1)
}

// withoutServer opens the page without our server: the simulated cluster runs, a fault strikes, and the same moment is equal to that in other
// browsers.
func withoutServer(v *visitor, url string, same *agreement) {
	v.url = url
	v.open("source=sim&lang=en&seed=7&objects=120&rate=20&resource=pods&do=1200:fault:410&at=5000")
	v.await(2*time.Minute, "s.view.mode === 'paused' && s.seq === 5000 && s.source.kind === 'sim' && s.reflector.relists === 1")
	same.expect(v, "the log where there is no server", evalIn[harness.Story](v, fmt.Sprintf(harness.Tell, false)).Hash)
	v.call("live()")
	v.await(time.Minute, "s.live && s.seq > 5000 && s.queue.synced && s.reflector.phase === 'watching'")
	v.settle()
	v.looksWell()
	v.shot("8-" + strings.ReplaceAll(filepath.Base(v.t.Name()), "_", "-"))
}

// storeDiffers describes how the Indexer of v differs from what the API server has; "" when it does not.
func storeDiffers(ctx context.Context, v *visitor, cp *cluster.ControlPlane) string {
	v.t.Helper()
	want, _, err := harness.InCluster(ctx, cp.Client())
	if err != nil {
		v.t.Fatal(err)
	}
	text := evalIn[string](v, "informerscope.record().then((f) => f.text)")
	_, events, damage, err := tracetest.Read(strings.NewReader(text), tracefile.ReadOptions{})
	if err != nil || damage != nil {
		v.t.Fatal(err, damage)
	}
	return tracetest.Difference(want, harness.InStore(events))
}
