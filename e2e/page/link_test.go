package page_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestLinkIsExact opens the simulated cluster, does things to it, shares the moment as a person does, and opens the link in a page under other
// conditions. The log up to there is the same, event for event, and so is the state.
func TestLinkIsExact(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	token := srv.URL[strings.Index(srv.URL, "token="):]
	type experiment struct {
		name, fragment, do string
	}
	for i, tt := range harness.Layouts(4, []experiment{
		{"burst, hold, cut", "&seed=7&objects=240&rate=6", `
			await sleep(900); await I.hold('pop'); await I.cluster('burst', {n: 300}); await sleep(700); await I.release('pop', 1); await I.release('pop', 0);
			await sleep(500); await I.fault('cut'); await sleep(2500)`},
		{"two releases, trouble", "&seed=11&objects=120&rate=40&era=1.31,1.37", `
			await sleep(700); await I.fault('410'); await sleep(800); await I.fault('slow'); await I.cluster('create', {namespace: 'shop', name: 'extra', replicas: 9});
			await sleep(300); await I.fault('500', {count: 2}); await sleep(2600)`},
		{"another release later", "&seed=5&objects=80&rate=60&transform=metadata", `
			await sleep(600); await I.cluster('delete'); await I.fault('delay', {millis: 40}); await sleep(400);
			await I.select({era: '1.33', transform: 'managedFields'});
			await sleep(500); const id = await I.addListener({name: 'my own', paceMillis: 7}); await sleep(500);
			await I.panic(id); await I.cluster('compact'); await I.fault('cut'); await sleep(2500)`},
		// Objects that are queued and gone from the cluster become tombstones; their order must not depend on a map.
		{"a relist with Pop held", "&seed=9&objects=60&rate=20&era=1.31", `
			await I.cluster('create', {namespace: 'shop', name: 'gone', replicas: 40}); await sleep(2500); await I.hold('pop'); await I.cluster('burst', {n: 300});
			await I.cluster('deleteDeployment', {namespace: 'shop', name: 'gone'}); await sleep(2500); await I.fault('410'); await sleep(3500);
			await I.release('pop', 3); await I.release('pop', 0); await sleep(500)`},
		{"busy", "&seed=3&objects=1000&rate=400", `await sleep(1500); await I.cluster('burst', {n: 1000}); await sleep(1000)`},
	}) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // each has a browser of its own: a page in the background paints nothing
			b := browser.StartForTest(t)
			open := func(fragment string) *browser.Page {
				t.Helper()
				page := b.OpenForTest(t, "about:blank", 1280, 720)
				if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.CatchFiles); err != nil {
					t.Fatal(err)
				}
				if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+fragment); err != nil {
					t.Fatal(err)
				}
				return page
			}
			first := open("&source=sim" + tt.fragment)
			harness.Await(t, first, 2*time.Minute, "s.queue.synced && s.indexer.count > 0")
			harness.EvalIn[bool](t, first, `(async () => {
				const I = informerscope;
				const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
				%s;
				await I.pause();
				await I.seek((await I.state()).seq);
				return true;
			})()`, tt.do)
			paused := harness.Await(t, first, time.Minute, "s.view.mode === 'paused'")
			// Not always the very end of the log.
			seq := paused.Seq - uint64(rand.IntN(200))
			harness.Call(t, first, "seek(%d)", seq)
			harness.Await(t, first, time.Minute, "s.seq === %d", seq)
			harness.WaitUntil(t, first, `(document.querySelector(".clock small").textContent.replace(/\D/g, "") === "`+fmt.Sprint(seq)+`")`)
			harness.Share(t, first, 0)
			harness.WaitUntil(t, first, `__files.copied !== ""`)
			link := harness.EvalIn[string](t, first, "__files.copied")
			if strings.Contains(link, "token") {
				t.Errorf("the link gives the token away: %s", link)
			}
			want := harness.EvalIn[harness.Story](t, first, harness.Tell, true)

			second := open("")
			// Under other conditions: the page's own thread is busy most of the time, and sends requests meanwhile.
			harness.EvalIn[bool](t, second, `(async () => {
				await informerscope.ready;
				const %s;
				setInterval(() => { const end = performance.now() + busy; while (performance.now() < end); }, 50);
				setInterval(() => { for (const ask of ["state", "namespaces", "resources"]) informerscope[ask]().catch(() => {}); }, 130);
				location.hash = %q + "&%s";
				return true;
			})()`, fmt.Sprintf("busy = %d", 10+10*i), link[strings.Index(link, "#"):], token)
			harness.Await(t, second, 3*time.Minute, "s.view.mode === 'paused' && s.seq === %d", seq)
			got := harness.EvalIn[harness.Story](t, second, harness.Tell, true)
			t.Logf("event %d, log of %d events, hash %s; the link is %d characters: %s", seq, want.Events, want.Hash, len(link), link[strings.Index(link, "#"):])
			if got.Hash != want.Hash || got.Events != want.Events || want.Events < 500 {
				t.Errorf("played again the log of %d events has hash %s, it was %d and %s", got.Events, got.Hash, want.Events, want.Hash)
				for j := range min(len(want.Lines), len(got.Lines)) {
					if want.Lines[j] != got.Lines[j] {
						t.Logf("first\n%.400s\nthen\n%.400s", want.Lines[j], got.Lines[j])
						break
					}
				}
			}
			if got.State != want.State {
				at := 0
				for at < min(len(want.State), len(got.State)) && want.State[at] == got.State[at] {
					at++
				}
				t.Errorf("the state differs from character %d: it was\n%.600s\nand is\n%.600s",
					at, want.State[max(0, at-200):], got.State[max(0, at-200):])
			}
			// Time is stopped there, and continues when the person plays.
			harness.Call(t, second, "play()")
			harness.Await(t, second, time.Minute, "s.view.head > %d", got.Seq+20)
			first.ExpectClean(t)
			second.ExpectClean(t)
		})
	}
}
