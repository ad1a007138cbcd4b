package page_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// fork is the part of state() about the lanes of a fork.
type fork struct {
	Parting, Instead *struct {
		Seq      uint64
		AtMillis float64
		Lane     int
		Kind     string
	}
	AtMillis float64
	Stores   struct {
		Counts, Only [2]int
		Other        int
		Map          string
	}
	Handlers []struct {
		Name   string
		Differ bool
		Calls  [2]struct{ Added, Updated, Deleted int }
	}
}

// TestForkHere forks a running cluster by the menu, with Pop held in the second lane alone, and sees where the lanes part and how their stores differ. A link
// leads to the same fork in another page, in the other language. The end of the fork leaves one lane.
func TestForkHere(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	token := srv.URL[strings.Index(srv.URL, "token="):]
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
	forkOf := func(page *browser.Page) (f fork) {
		t.Helper()
		text := harness.EvalIn[string](t, page, "informerscope.state().then((s) => JSON.stringify(s.fork ?? null))")
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := open("&source=sim&seed=7&objects=120&rate=8&lang=en")
	harness.Await(t, first, 2*time.Minute, "s.queue.synced && s.indexer.count > 0 && s.atMillis > 3000")
	if said := harness.EvalIn[string](t, first, "informerscope.fork('dance').then(() => '', (e) => e.message)"); !strings.Contains(said, "is not an action") {
		t.Errorf("a fork by no act: %q", said)
	}
	harness.Press(t, first, "y")
	harness.WaitUntil(t, first, `!!document.querySelector('.pop [data-fork="hold:pop"]')`)
	harness.EvalIn[bool](t, first, `(document.querySelector('.pop [data-fork="hold:pop"]').click(), true)`)
	harness.Await(t, first, 2*time.Minute, "s.lanes?.length === 2 && s.fork.parting && s.lanes[1].queue.depth > 0")
	harness.Call(t, first, "cluster('burst', {n: 20})")
	harness.Await(t, first, time.Minute, "s.fork.stores.other > 10 && s.lanes[0].queue.depth === 0 && s.lanes[1].queue.depth > 20")
	harness.EvalIn[bool](t, first, `informerscope.pause().then(() => informerscope.state()).then((s) => informerscope.seek(s.seq)).then(() => true)`)
	paused := harness.Await(t, first, time.Minute, "s.view.mode === 'paused'")

	want := forkOf(first)
	if p := want.Parting; p.Kind != "Popped" || p.Lane != 0 || p.AtMillis < want.AtMillis || want.Instead == nil || want.Instead.Kind != "GateWaiting" {
		t.Errorf("they part at %+v and %+v", p, want.Instead)
	}
	if s := want.Stores; strings.Count(s.Map, "~") != s.Other || strings.Count(s.Map, "<") != s.Only[0] || strings.Count(s.Map, ">") != s.Only[1] ||
		len(s.Map) != s.Counts[0]+s.Only[1] {
		t.Errorf("the stores: %+v", s)
	}
	for _, h := range want.Handlers {
		if !h.Differ || h.Calls[0].Updated < 20 || h.Calls[1].Updated != 0 {
			t.Errorf("%+v", h)
		}
	}
	// What the page shows is what the state says.
	shows := func(page *browser.Page, words ...string) {
		t.Helper()
		for _, w := range append(words, "printer") {
			harness.WaitUntil(t, page, `[...document.querySelectorAll('.inside, .row-head')].some((el) => el.checkVisibility() && el.textContent.includes("`+w+`"))`)
		}
		harness.WaitUntil(t, page, fmt.Sprintf(`JSON.stringify([...document.querySelectorAll('.world-count, .world-number')]
			.map((el) => Number(el.textContent.replace(/\D/g, ''))).sort((a, b) => a - b)) === JSON.stringify([%d, %d, %d].sort((a, b) => a - b))`,
			want.Stores.Counts[0], want.Stores.Counts[1], want.Stores.Only[0]+want.Stores.Only[1]+want.Stores.Other))
	}
	shows(first, "As it was", "With Pop held", "They part at", "Pop takes from the queue")

	readInLanes(t, first)
	harness.Share(t, first, 0)
	harness.WaitUntil(t, first, `__files.copied !== ""`)
	link := harness.EvalIn[string](t, first, "__files.copied")
	if !strings.Contains(link, "fork=") || !strings.Contains(link, ":hold:pop") || !strings.Contains(link, "burst:20") || strings.Contains(link, "token") {
		t.Errorf("the link %s", link)
	}
	told := harness.EvalIn[harness.Story](t, first, harness.Tell, true)
	second := open("")
	harness.EvalIn[bool](t, second, `(async () => { await informerscope.ready; location.hash = %q + "&%s"; return true; })()`,
		strings.Replace(link[strings.Index(link, "#"):], "lang=en", "lang=zh", 1), token)
	harness.Await(t, second, 3*time.Minute, "s.view.mode === 'paused' && s.seq === %d", paused.Seq)
	if again := harness.EvalIn[harness.Story](t, second, harness.Tell, true); again.Hash != told.Hash || again.Events != told.Events {
		t.Errorf("by the link the log of %d events has hash %s, it was %d and %s", again.Events, again.Hash, told.Events, told.Hash)
	}
	shows(second, "原样", "Pop 被拦住", "它们在", "Pop 出队")

	harness.Call(t, second, "play()")
	harness.Await(t, second, time.Minute, "s.view.head > %d && s.fork", paused.Seq+20)
	harness.Press(t, second, "y") // it ends the fork
	harness.Await(t, second, 2*time.Minute, "!s.fork && !s.lanes && s.queue.depth === 0 && s.atMillis > %f", want.AtMillis)
	harness.WaitUntil(t, second, `!location.hash.includes('fork=')`)
	first.ExpectClean(t)
	second.ExpectClean(t)
}

// readInLanes presses an object that differs, on the second store's map. The inspector shows the second lane's, and leads to the first lane's. A press
// leads to the event that differs first.
func readInLanes(t *testing.T, page *browser.Page) {
	t.Helper()
	at := harness.EvalIn[browser.Point](t, page, `informerscope.state().then(({fork: {stores: {otherKeys}}}) => {
		const canvas = document.querySelector('.world-store canvas'), box = canvas.getBoundingClientRect();
		for (let Y = box.top + 2; Y < box.bottom; Y += 3) for (let X = box.left + 2; X < box.right; X += 3) {
			canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: X, clientY: Y}));
			const [head, tail] = document.querySelector('.world-name').textContent.split(', ')[0].split('…');
			if (head && tail === undefined ? otherKeys.includes(head) : otherKeys.some((key) => key.startsWith(head) && key.endsWith(tail))) return {X, Y};
		}
		throw new Error('no cell has the name of one that differs');
	})`)
	if err := page.ClickAt(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	shows := func(lane int, words string) {
		t.Helper()
		harness.WaitUntil(t, page, fmt.Sprintf(`informerscope.state().then(async (s) => {
			const drawer = document.querySelector('.drawer:not(.shut)'), key = drawer.querySelector('h2').textContent;
			const it = await informerscope.object(key, %d), other = await informerscope.object(key, %d);
			return s.fork.stores.otherKeys.includes(key) && it.rv !== other.rv && drawer.querySelector('.sub span').textContent.endsWith(it.rv) &&
				drawer.querySelector('[role=tab][aria-selected=true]').textContent === %q;
		})`, lane, 1-lane, words))
	}
	shows(1, "with Pop held")
	harness.EvalIn[bool](t, page, `(document.querySelector('.drawer [role=tab]').click(), true)`)
	shows(0, "as it was")
	harness.EvalIn[bool](t, page, `(document.querySelector(".drawer .x").click(), true)`)
	harness.WaitUntil(t, page, `!!document.querySelector('.drawer.shut')`)
	seq := harness.EvalIn[uint64](t, page, "informerscope.state().then((s) => s.seq)")
	pushButton(t, page, ".inside", "^go there$")
	harness.Await(t, page, time.Minute, "s.seq !== %d && s.fork.parting && s.atMillis - s.fork.parting.atMillis <= 100", seq)
	harness.Call(t, page, "seek(%d)", seq)
	harness.Await(t, page, time.Minute, "s.seq === %d", seq)
}

// TestAForkOnThePhone: each lane has its name, and says the version of its own Reflector.
func TestAForkOnThePhone(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := browser.StartForTest(t).OpenForTest(t, srv.URL+"&source=sim&seed=7&objects=20&rate=2&lang=en", 390, 844)
	harness.Await(t, page, 2*time.Minute, "s.queue.synced && s.atMillis > 2000")
	harness.Call(t, page, "fork('hold:pop')")
	harness.Call(t, page, "cluster('burst', {n: 5})")
	harness.Await(t, page, 2*time.Minute, "s.lanes?.length === 2 && s.lanes[0].api.resourceVersion !== s.lanes[1].api.resourceVersion")
	harness.Pause(t, page)
	harness.WaitUntil(t, page, `informerscope.state().then((s) => s.lanes.every(({reflector: {resourceVersion}}, lane) => [...document.querySelectorAll(
		'.tracks-rows [data-station=reflector] .sr')][lane]?.textContent.endsWith(', version ' + resourceVersion)))`)
	harness.WaitUntil(t, page, `[...document.querySelectorAll('.row-head')].map((x) => x.textContent).join() === 'As it was,With Pop held'`)
	page.ExpectClean(t)
}

// TestForksNeedTheSimulatedCluster: what cannot be played again does not fork, and the error says what to do.
func TestForksNeedTheSimulatedCluster(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := browser.StartForTest(t).OpenForTest(t, srv.URL+"&source=sim&objects=20&rate=0&lang=en", 1280, 720)
	harness.Await(t, page, 2*time.Minute, "s.queue.synced")
	harness.EvalIn[bool](t, page, `informerscope.record().then((r) => informerscope.load(r.text)).then(() => true)`)
	harness.Await(t, page, time.Minute, "s.source.kind === 'file'")
	harness.WaitUntil(t, page, `document.querySelector(".src").textContent.includes("recording")`) // the page is a frame behind the worker
	if said := harness.EvalIn[string](t, page, "informerscope.fork('fault:cut').then(() => '', (e) => e.message)"); !strings.Contains(said,
		"Choose the simulated cluster") {
		t.Errorf("a recording forks: %q", said)
	}
	harness.Press(t, page, "y")
	harness.WaitUntil(t, page, `(document.querySelector(".toast")?.textContent ?? "").includes("Only the simulated cluster forks")`)
	if harness.EvalIn[bool](t, page, `document.querySelector(".forkb").checkVisibility()`) {
		t.Error("the button shows in a recording")
	}
	page.ExpectClean(t)
}
