package audience_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// readdress changes the fragment of a page's address with a script that makes `to` of the parameters `p`. It returns when the page has applied it: a
// language that is applied later would close an open menu.
func readdress(t *testing.T, p *browser.Page, script string, args ...any) {
	t.Helper()
	harness.EvalIn[bool](t, p, `new Promise((done) => {
		const p = new URLSearchParams(location.hash.slice(1));
		let to;
		`+script+`;
		if (location.hash === "#" + to) return done(true);
		addEventListener("hashchange", () => done(true), { once: true });
		location.hash = to;
	})`, args...)
}

// seenAt is the state of a page at an event, without what depends on its view.
func seenAt(t *testing.T, p *browser.Page) string {
	t.Helper()
	return harness.EvalIn[string](t, p, `informerscope.state().then((s) => JSON.stringify({...s, view: 0, live: 0, source: 0, api: {...s.api, writesPerSecond: 0}}))`)
}

// TestBroadcast has a speaker and an audience. Every follower sees the speaker's state, may look at other moments and return, and can act on nothing.
// Speaker and followers outlive the server.
func TestBroadcast(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "talks")
	args := []string{"--broadcast", "--broadcast-dir=" + dir, "--token=a-token-of-more-than-enough-letters"}
	srv := harness.StartServer(t, append(args, "--listen=127.0.0.1:0")...)
	b := browser.StartForTest(t)
	speaker := b.OpenForTest(t, srv.URL+"&source=sim&seed=7&objects=60&broadcast=1", 1280, 720)
	harness.Await(t, speaker, 2*time.Minute, "s.queue.synced && s.seq > 300")
	harness.WaitFor(t, speaker, `document.querySelector(".key.air") && !document.querySelector(".key.air").hidden`)
	harness.Shot(t, speaker, "1-offered")
	link := harness.GoOnAir(t, speaker)
	if !strings.Contains(link, "/?audience#audience=") || strings.Contains(link, "a-token-of") {
		t.Fatalf("the audience's link is %s", link)
	}
	hall := harness.OpenSeat(t, b, link, 1280, 720)
	phone := harness.OpenSeat(t, b, link, 390, 844)
	seats := map[string]*browser.Page{"hall": hall, "phone": phone}
	for _, p := range seats {
		harness.Await(t, p, 2*time.Minute, "s.source.kind === 'broadcast' && s.seq > 300 && s.indexer.count > 0")
		harness.WaitFor(t, p, `informerscope.hearing()?.phase === 'following'`)
	}
	// Followers are counted by their connections, and a browser may use one for two pages.
	harness.WaitFor(t, speaker, `/[12] follower/.test(document.querySelector(".airmenu .airstate")?.textContent)`)
	harness.Shot(t, speaker, "2-on-the-air")
	harness.Press(t, speaker, "\x1b")

	t.Run("same state", func(t *testing.T) {
		harness.Pause(t, speaker)
		s := harness.Await(t, speaker, time.Minute, "s.view.mode === 'paused'")
		harness.Call(t, speaker, "seek(%d)", s.Seq-5)
		want := seenAt(t, speaker)
		for name, p := range seats {
			harness.Await(t, p, time.Minute, "s.view.mode === 'paused' && s.seq === %d", s.Seq-5)
			if got := seenAt(t, p); got != want {
				t.Errorf("at event %d the speaker has\n%s\nand the %s\n%s", s.Seq-5, want, name, got)
			}
			harness.Shot(t, p, "3-"+name)
		}
		harness.Call(t, speaker, "step(-1)")
		for _, p := range seats {
			harness.Await(t, p, time.Minute, "s.seq === %d", s.Seq-6)
		}
	})
	t.Run("looks", func(t *testing.T) {
		for _, look := range []struct {
			page          *browser.Page
			name, hash    string
			width, height int64
		}{
			{hall, "light-zh", "&theme=light&lang=zh", 1920, 1080}, {hall, "dark", "", 1920, 1080}, {phone, "light-zh", "&theme=light&lang=zh", 390, 844},
			{speaker, "light-zh", "&theme=light&lang=zh", 1920, 1080}, {speaker, "light", "&theme=light", 1280, 720},
		} {
			if err := look.page.Resize(harness.Timeout(t, time.Minute), look.width, look.height); err != nil {
				t.Fatal(err)
			}
			readdress(t, look.page, `p.delete("theme"); p.delete("lang"); to = p + %q`, look.hash)
			if look.page == speaker {
				harness.Press(t, speaker, "a")
				harness.WaitFor(t, speaker, `document.querySelector(".airmenu .qr")`)
			}
			harness.Shot(t, look.page, fmt.Sprintf("look-%s-%s-%d", map[*browser.Page]string{hall: "hall", phone: "phone",
				speaker: "speaker"}[look.page], look.name, look.width))
			if look.page != phone {
				harness.ExpectFits(t, look.page)
			}
			if look.page == speaker {
				harness.Press(t, speaker, "\x1b")
			}
		}
		for _, p := range []*browser.Page{speaker, hall} {
			readdress(t, p, `p.set("theme", "dark"); p.set("lang", "en"); to = String(p)`)
			if err := p.Resize(harness.Timeout(t, time.Minute), 1280, 720); err != nil {
				t.Fatal(err)
			}
		}
		readdress(t, phone, `p.set("theme", "dark"); p.set("lang", "en"); to = String(p)`)
	})
	t.Run("alone and back", func(t *testing.T) {
		harness.Call(t, speaker, "live()")
		harness.Await(t, hall, time.Minute, "s.live")
		// The key stops what the page shows as running, which it does a frame after the worker.
		harness.WaitFor(t, hall, `document.querySelector(".transport .main, .key.main")?.getAttribute("aria-label")?.startsWith("pause")`)
		harness.Press(t, hall, " ")
		s := harness.Await(t, hall, time.Minute, "s.view.mode === 'paused'")
		if err := hall.Keys(harness.Timeout(t, 30*time.Second), "ArrowLeft"); err != nil {
			t.Fatal(err)
		}
		harness.Await(t, hall, time.Minute, "s.seq === %d && s.view.head > %d", s.Seq-1, s.Seq+50)
		harness.WaitFor(t, hall, `document.querySelector(".hall .key").textContent === "Back to the speaker" && !document.querySelector(".hall .key").hidden`)
		harness.Shot(t, hall, "4-alone")
		harness.Await(t, phone, time.Minute, "s.live") // the follower that stayed live stays so
		harness.Press(t, hall, "a")
		harness.Await(t, hall, time.Minute, "s.live && s.seq > %d", s.Seq+50)
		harness.WaitFor(t, hall, `document.querySelector(".hall .key").hidden`)

		const main = `document.querySelector(".phonev .phrow.big .main")`
		harness.WaitFor(t, phone, main+`.getAttribute("aria-label")?.startsWith("pause")`)
		harness.ClickOn(t, phone, main)
		harness.Await(t, phone, time.Minute, "s.view.mode === 'paused'")
		harness.Shot(t, phone, "5-phone-alone")
		harness.ClickOn(t, phone, `document.querySelector(".hall .key")`)
		harness.Await(t, phone, time.Minute, "s.live")
	})
	t.Run("what the speaker opens", func(t *testing.T) {
		key := harness.EvalIn[string](t, speaker, `informerscope.state().then((s) => informerscope.index("namespace", "default").then((x) => x.keys[0]))`)
		harness.Call(t, speaker, "selectObject(%q)", key)
		for _, p := range seats {
			harness.WaitFor(t, p, fmt.Sprintf(`document.querySelector(".drawer:not(.shut) h2")?.textContent.includes(%q)`, key))
		}
		harness.Call(t, speaker, "selectObject('')")
		harness.WaitFor(t, hall, `document.querySelector(".drawer.shut")`)
		harness.Press(t, speaker, "p")
		harness.WaitFor(t, hall, `document.querySelector("#app.presenting")`)
		harness.Shot(t, hall, "6-presenter")
		harness.Shot(t, phone, "6-presenter-phone")
		harness.Press(t, speaker, "p")
		harness.WaitFor(t, hall, `!document.querySelector("#app.presenting")`)
	})
	t.Run("story", func(t *testing.T) {
		harness.Call(t, speaker, "story('ring')")
		harness.WaitFor(t, hall, `document.querySelector(".storybar:not([hidden])[data-step]")`)
		harness.WaitFor(t, hall, `document.querySelector(".cap .say").textContent.trim() === `+jsString(t, speaker,
			`document.querySelector(".cap .say").textContent.trim()`)+` || document.querySelector(".storybar").dataset.state === "told"`)
		harness.Shot(t, hall, "7-story")
		harness.Shot(t, phone, "7-story-phone")
		harness.Press(t, speaker, "\x1b")
		harness.WaitFor(t, hall, `document.querySelector(".storybar").hidden`)
		harness.Call(t, speaker, "live()")
	})
	t.Run("nobody else acts", func(t *testing.T) {
		for _, act := range []string{"fault('cut')", "hold('pop')", "release('pop', 0)", "cluster('burst', {n: 5})",
			"select({era: '1.31'})", "writes(false)", "pace(1, 10)",
			"panic(1)", "addListener({name: 'x'})", "removeListener(1)", "addIndex('a', 'label:app')", "load('{}')", "resources()",
			"namespaces()", "broadcastBegin({take: true})"} {
			said := harness.EvalIn[string](t, phone, `informerscope.`+act+`.then(() => "", (e) => e.message)`)
			if !strings.Contains(said, "only the speaker acts") {
				t.Errorf("%s of a follower: %q", act, said)
			}
		}
		for name, p := range seats {
			if shown := harness.EvalIn[[]string](t, p, actsShown); len(shown) > 0 {
				t.Errorf("the %s shows what acts: %q", name, shown)
			}
		}
		for _, key := range []string{"1", "h2", "n", "e", "b", "s"} {
			harness.Press(t, hall, key)
		}
		s := harness.Await(t, hall, time.Minute, "s.live")
		harness.Await(t, hall, time.Minute, "s.seq > %d && !s.holds.length && s.faults.every((f) => !f.on) && s.era === '1.37'", s.Seq+100)
	})
	t.Run("late", func(t *testing.T) {
		late := harness.OpenSeat(t, b, link, 390, 844)
		harness.Await(t, late, 2*time.Minute, "s.source.kind === 'broadcast' && s.live && s.indexer.count > 0")
		late.Close()
	})
	t.Run("large code", func(t *testing.T) {
		harness.Press(t, speaker, "q")
		harness.WaitFor(t, speaker, `document.querySelector(".qrlarge .qr")`)
		if got := harness.ReadsCode(t, speaker, "8-code"); got != link {
			t.Errorf("the hall's screen shows a code for %q, and the link is %q", got, link)
		}
		harness.Press(t, speaker, "\x1b")
	})
	t.Run("restart and end", func(t *testing.T) {
		address := strings.TrimPrefix(strings.SplitN(srv.URL, "/#", 2)[0], "http://")
		srv.Stop(5 * time.Second)
		harness.WaitFor(t, hall, `informerscope.hearing().phase === 'silent'`)
		harness.WaitFor(t, speaker, `document.querySelector(".key.air.lost")`)
		harness.Shot(t, hall, "9-silent")
		harness.Shot(t, phone, "9-silent-phone")
		harness.Shot(t, speaker, "9-silent-speaker")
		before := harness.Await(t, speaker, time.Minute, "s.seq > 0")
		harness.StartServer(t, append(args, "--listen="+address)...)
		for _, p := range seats {
			harness.WaitFor(t, p, `informerscope.hearing().phase === 'following'`)
			harness.Await(t, p, time.Minute, "s.live && s.seq > %d", before.Seq)
		}
		harness.WaitFor(t, speaker, `document.querySelector(".key.air.on:not(.lost)")`)

		// Then the broadcast ends.
		harness.Call(t, speaker, "broadcastEnd()")
		for name, p := range seats {
			harness.WaitFor(t, p, `informerscope.hearing().phase === 'over'`)
			harness.Shot(t, p, "10-over-"+name)
		}
		again := harness.OpenSeat(t, b, link, 1280, 720)
		harness.Await(t, again, 2*time.Minute, "s.source.kind === 'broadcast' && s.seq > 300 && s.indexer.count > 0")
		harness.WaitFor(t, again, `document.querySelector(".hall span").textContent === "the broadcast is over: this is its recording"`)
		s := harness.Await(t, again, time.Minute, "s.view.mode !== 'paused'")
		harness.Await(t, again, time.Minute, "s.seq > %d", s.Seq)
		harness.Shot(t, again, "11-recording")
	})
	for _, p := range []*browser.Page{speaker, hall, phone} {
		p.ExpectClean(t, "ERR_CONNECTION", "Failed to load resource", "WebSocket connection to", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED")
	}
}

// actsShown are the names of the visible controls that act.
const actsShown = `(() => {
	const acts = ["cut", "refuse", "410", "429", "500", "slow", "faults", "hold", "release", "burst", "writes", "add\\b", "stories",
		"source:", "resource:", "namespace:", "client-go", "story", "broadcast"];
	const pattern = new RegExp("^(" + acts.join("|") + ")", "i");
	return [...document.querySelectorAll("#app button, #app [role=button]")]
		.filter((b) => b.checkVisibility({visibilityProperty: true, opacityProperty: false}) && getComputedStyle(b).pointerEvents !== "none")
		.map((b) => (b.getAttribute("aria-label") || b.textContent).trim())
		.filter((w) => pattern.test(w));
})()`

// jsString is a JavaScript literal of the value of an expression in a page.
func jsString(t *testing.T, p *browser.Page, expression string) string {
	t.Helper()
	text, err := json.Marshal(harness.EvalIn[string](t, p, expression))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
