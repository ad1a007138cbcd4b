package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestLinkInAnOpenPage pastes links into the address of an open page. A valid one leads exactly to its moment, whatever was in force there, without
// loading the page again. An invalid one is reported and changes nothing.
func TestLinkInAnOpenPage(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	for _, script := range []string{harness.StageTools(t), harness.CatchFiles} {
		if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&objects=120&rate=20&lang=en"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, time.Minute, "s.queue.synced && s.seq > 1000")
	harness.EvalIn[bool](t, p, `(async () => { await informerscope.cluster("burst", {n: 60}); await informerscope.fault("cut"); await new Promise((r) => setTimeout(r, 1500)); await informerscope.pause(); return globalThis.__here = true; })()`)
	harness.Await(t, p, time.Minute, "s.view.mode === 'paused'")
	harness.Settle(t, p)
	harness.Share(t, p, 0)
	harness.WaitUntil(t, p, `__files.copied !== ""`)
	link := harness.EvalIn[string](t, p, "__files.copied")
	want := harness.EvalIn[harness.Story](t, p, harness.Tell, false)
	if strings.Contains(link, "token") || !strings.Contains(link, "do=") {
		t.Fatalf("the link is %s", link)
	}

	// Another cluster, with all kinds of things in force.
	harness.Call(t, p, `select({source: "sim", seed: 9, objects: 40, era: "1.33"})`)
	for _, act := range []string{`fault("delay", {on: true, millis: 300})`, `fault("slow", {on: true})`, `fault("nobookmarks", {on: true})`, `hold("store")`,
		`writes(false)`, `fault("refuse", {on: true})`} {
		harness.Call(t, p, "%s", act)
	}
	harness.Await(t, p, time.Minute, "s.holds.length === 1 && s.faults.filter((f) => f.on).length >= 4 && s.source.seed === 9")
	harness.EvalIn[bool](t, p, "((location.hash = %s), true)", harness.Quote(link[strings.Index(link, "#"):]))
	s := harness.Await(t, p, 2*time.Minute, "s.view.mode === 'paused' && s.seq === %d && s.source.seed === 7", want.Seq)
	got := harness.EvalIn[harness.Story](t, p, harness.Tell, false)
	if got.Hash != want.Hash || got.Events != want.Events || got.State != want.State {
		t.Errorf("%d events with hash %s, want %d with %s; the state is\n%.2000s\nwant\n%.2000s", got.Events, got.Hash, want.Events, want.Hash, got.State, want.State)
	}
	if !harness.EvalIn[bool](t, p, "informerscope.state().then((s) => !s.holds.length && !s.faults.some((f) => f.on))") {
		t.Error("something of before is still in force")
	}
	if !harness.EvalIn[bool](t, p, "globalThis.__here === true") {
		t.Error("the page was loaded again")
	}
	if !harness.EvalIn[bool](t, p, "location.hash.includes('token=')") {
		t.Error("the page has lost its token")
	}
	harness.Settle(t, p)
	harness.Shot(t, p, "pasted")

	for _, broken := range []struct{ change, says string }{
		{`q.set("do", "12:nonsense:x")`, "nonsense"},
		{`q.set("objects", "many")`, "objects=many"},
		{`q.set("at", "-4")`, "at=-4"},
		{`q.set("speed", "fast"), q.set("seed", "8")`, "speed=fast"},
		{`q.set("era", "1.2"), q.set("seed", "8")`, "1.2"},
	} {
		hash := harness.EvalIn[string](t, p, "location.hash")
		harness.EvalIn[bool](t, p, `(() => { document.querySelector(".toast")?.remove(); const q = new URLSearchParams(location.hash.slice(1)); %s; location.hash = q.toString(); return true; })()`, broken.change)
		harness.WaitUntil(t, p, `document.querySelector(".toast.bad")?.textContent.includes(`+harness.Quote(broken.says)+`)`)
		harness.Settle(t, p)
		now := harness.EvalIn[harness.Story](t, p, harness.Tell, false)
		if now.Seq != s.Seq || now.Hash != want.Hash {
			t.Errorf("%s: the page stands at event %d of another log", broken.change, now.Seq)
		}
		if h := harness.EvalIn[string](t, p, "location.hash"); h != hash {
			t.Errorf("%s: the address is %s, it was %s", broken.change, h, hash)
		}
	}
	// The page continues as from a normal start.
	harness.Call(t, p, "play()")
	harness.Await(t, p, time.Minute, "s.view.head > %d", s.Seq+20)
	p.ExpectClean(t)
}
