package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// goOnAir presses what a speaker presses, and returns the audience's link as the menu shows it.
func goOnAir(t *testing.T, speaker *browser.Page) string {
	t.Helper()
	press(t, speaker, "a")
	clickOn(t, speaker, `document.querySelector(".airmenu .key.main")`)
	waitFor(t, speaker, `document.querySelector(".airmenu .linkfield")?.value.includes("#audience=")`)
	return evalIn[string](t, speaker, `document.querySelector(".airmenu .linkfield").value`)
}

func press(t *testing.T, p *browser.Page, keys string) {
	t.Helper()
	if err := p.Press(within(t, 30*time.Second), keys); err != nil {
		t.Fatal(err)
	}
}

func clickOn(t *testing.T, p *browser.Page, element string) {
	t.Helper()
	waitFor(t, p, element+` && !`+element+`.hidden`)
	if err := p.Click(within(t, 30*time.Second), element); err != nil {
		t.Fatal(err)
	}
}

func waitFor(t *testing.T, p *browser.Page, condition string) {
	t.Helper()
	if err := p.WaitFor(within(t, time.Minute), condition, `document.querySelector("#app")?.innerText.slice(0, 2000)`); err != nil {
		t.Fatal(err)
	}
}

// readdress changes the fragment of a page's address with a script that makes `to` of the parameters `p`. It returns when the page has applied it: a
// language that is applied later would close an open menu.
func readdress(t *testing.T, p *browser.Page, script string, args ...any) {
	t.Helper()
	evalIn[bool](t, p, `new Promise((done) => {
		const p = new URLSearchParams(location.hash.slice(1));
		let to;
		`+script+`;
		if (location.hash === "#" + to) return done(true);
		addEventListener("hashchange", () => done(true), { once: true });
		location.hash = to;
	})`, args...)
}

// openSeat opens a follower's page.
func openSeat(t *testing.T, b *browser.Browser, link string, width, height int64) *browser.Page {
	t.Helper()
	p := b.OpenForTest(t, "about:blank", width, height)
	if err := p.Navigate(within(t, time.Minute), link); err != nil {
		t.Fatal(err)
	}
	return p
}

// seenAt is the state of a page at an event, without what depends on its view.
func seenAt(t *testing.T, p *browser.Page) string {
	t.Helper()
	return evalIn[string](t, p, `informerscope.state().then((s) => JSON.stringify({...s, view: 0, live: 0, source: 0, api: {...s.api, writesPerSecond: 0}}))`)
}

// TestBroadcast has a speaker and an audience. Every follower sees the speaker's state, may look at other moments and return, and can act on nothing.
// Speaker and followers outlive the server.
func TestBroadcast(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "talks")
	args := []string{"--broadcast", "--broadcast-dir=" + dir, "--token=a-token-of-more-than-enough-letters"}
	srv := startServer(t, append(args, "--listen=127.0.0.1:0")...)
	b := browser.StartForTest(t)
	speaker := b.OpenForTest(t, srv.url+"&source=sim&seed=7&objects=60&broadcast=1", 1280, 720)
	await(t, speaker, 2*time.Minute, "s.queue.synced && s.seq > 300")
	waitFor(t, speaker, `document.querySelector(".key.air") && !document.querySelector(".key.air").hidden`)
	shot(t, speaker, "1-offered")
	link := goOnAir(t, speaker)
	if !strings.Contains(link, "/?audience#audience=") || strings.Contains(link, "a-token-of") {
		t.Fatalf("the audience's link is %s", link)
	}
	hall := openSeat(t, b, link, 1280, 720)
	phone := openSeat(t, b, link, 390, 844)
	seats := map[string]*browser.Page{"hall": hall, "phone": phone}
	for _, p := range seats {
		await(t, p, 2*time.Minute, "s.source.kind === 'broadcast' && s.seq > 300 && s.indexer.count > 0")
		waitFor(t, p, `informerscope.hearing()?.phase === 'following'`)
	}
	// Followers are counted by their connections, and a browser may use one for two pages.
	waitFor(t, speaker, `/[12] follower/.test(document.querySelector(".airmenu .airstate")?.textContent)`)
	shot(t, speaker, "2-on-the-air")
	press(t, speaker, "\x1b")

	t.Run("same state", func(t *testing.T) {
		call(t, speaker, "pause()")
		s := await(t, speaker, time.Minute, "s.view.mode === 'paused'")
		call(t, speaker, "seek(%d)", s.Seq-5)
		want := seenAt(t, speaker)
		for name, p := range seats {
			await(t, p, time.Minute, "s.view.mode === 'paused' && s.seq === %d", s.Seq-5)
			if got := seenAt(t, p); got != want {
				t.Errorf("at event %d the speaker has\n%s\nand the %s\n%s", s.Seq-5, want, name, got)
			}
			shot(t, p, "3-"+name)
		}
		call(t, speaker, "step(-1)")
		for _, p := range seats {
			await(t, p, time.Minute, "s.seq === %d", s.Seq-6)
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
			if err := look.page.Resize(within(t, time.Minute), look.width, look.height); err != nil {
				t.Fatal(err)
			}
			readdress(t, look.page, `p.delete("theme"); p.delete("lang"); to = p + %q`, look.hash)
			if look.page == speaker {
				press(t, speaker, "a")
				waitFor(t, speaker, `document.querySelector(".airmenu .qr")`)
			}
			shot(t, look.page, fmt.Sprintf("look-%s-%s-%d", map[*browser.Page]string{hall: "hall", phone: "phone",
				speaker: "speaker"}[look.page], look.name, look.width))
			if look.page != phone {
				expectFits(t, look.page)
			}
			if look.page == speaker {
				press(t, speaker, "\x1b")
			}
		}
		for _, p := range []*browser.Page{speaker, hall} {
			readdress(t, p, `p.set("theme", "dark"); p.set("lang", "en"); to = String(p)`)
			if err := p.Resize(within(t, time.Minute), 1280, 720); err != nil {
				t.Fatal(err)
			}
		}
		readdress(t, phone, `p.set("theme", "dark"); p.set("lang", "en"); to = String(p)`)
	})
	t.Run("alone and back", func(t *testing.T) {
		call(t, speaker, "live()")
		await(t, hall, time.Minute, "s.live")
		// The key stops what the page shows as running, which it does a frame after the worker.
		waitFor(t, hall, `document.querySelector(".transport .main, .key.main")?.getAttribute("aria-label")?.startsWith("pause")`)
		press(t, hall, " ")
		s := await(t, hall, time.Minute, "s.view.mode === 'paused'")
		if err := hall.Keys(within(t, 30*time.Second), "ArrowLeft"); err != nil {
			t.Fatal(err)
		}
		await(t, hall, time.Minute, "s.seq === %d && s.view.head > %d", s.Seq-1, s.Seq+50)
		waitFor(t, hall, `document.querySelector(".hall .key").textContent === "Back to the speaker" && !document.querySelector(".hall .key").hidden`)
		shot(t, hall, "4-alone")
		await(t, phone, time.Minute, "s.live") // the follower that stayed live stays so
		press(t, hall, "a")
		await(t, hall, time.Minute, "s.live && s.seq > %d", s.Seq+50)
		waitFor(t, hall, `document.querySelector(".hall .key").hidden`)

		clickOn(t, phone, `document.querySelector(".phonev .phrow.big .main")`)
		await(t, phone, time.Minute, "s.view.mode === 'paused'")
		shot(t, phone, "5-phone-alone")
		clickOn(t, phone, `document.querySelector(".hall .key")`)
		await(t, phone, time.Minute, "s.live")
	})
	t.Run("what the speaker opens", func(t *testing.T) {
		key := evalIn[string](t, speaker, `informerscope.state().then((s) => informerscope.index("namespace", "default").then((x) => x.keys[0]))`)
		call(t, speaker, "selectObject(%q)", key)
		for _, p := range seats {
			waitFor(t, p, fmt.Sprintf(`document.querySelector(".drawer:not(.shut) h2")?.textContent.includes(%q)`, key))
		}
		call(t, speaker, "selectObject('')")
		waitFor(t, hall, `document.querySelector(".drawer.shut")`)
		press(t, speaker, "p")
		waitFor(t, hall, `document.querySelector("#app.view-presenter")`)
		shot(t, hall, "6-presenter")
		shot(t, phone, "6-presenter-phone")
		press(t, speaker, "p")
		waitFor(t, hall, `!document.querySelector("#app.view-presenter")`)
	})
	t.Run("story", func(t *testing.T) {
		call(t, speaker, "story('ring')")
		waitFor(t, hall, `document.querySelector(".storybar:not([hidden])[data-step]")`)
		waitFor(t, hall, `document.querySelector(".cap .say").textContent.trim() === `+jsString(t, speaker,
			`document.querySelector(".cap .say").textContent.trim()`)+` || document.querySelector(".storybar").dataset.state === "told"`)
		shot(t, hall, "7-story")
		shot(t, phone, "7-story-phone")
		press(t, speaker, "\x1b")
		waitFor(t, hall, `document.querySelector(".storybar").hidden`)
		call(t, speaker, "live()")
	})
	t.Run("nobody else acts", func(t *testing.T) {
		for _, act := range []string{"fault('cut')", "hold('pop')", "release('pop', 0)", "cluster('burst', {n: 5})",
			"select({era: '1.31'})", "writes(false)", "pace(1, 10)",
			"panic(1)", "addListener({name: 'x'})", "removeListener(1)", "addIndex('a', 'label:app')", "load('{}')", "resources()",
			"namespaces()", "broadcastBegin({take: true})"} {
			said := evalIn[string](t, phone, `informerscope.`+act+`.then(() => "", (e) => e.message)`)
			if !strings.Contains(said, "only the speaker acts") {
				t.Errorf("%s of a follower: %q", act, said)
			}
		}
		for name, p := range seats {
			if shown := evalIn[[]string](t, p, actsShown); len(shown) > 0 {
				t.Errorf("the %s shows what acts: %q", name, shown)
			}
		}
		for _, key := range []string{"1", "h2", "n", "e", "b", "s"} {
			press(t, hall, key)
		}
		s := await(t, hall, time.Minute, "s.live")
		await(t, hall, time.Minute, "s.seq > %d && !s.holds.length && s.faults.every((f) => !f.on) && s.era === '1.37'", s.Seq+100)
	})
	t.Run("late", func(t *testing.T) {
		late := openSeat(t, b, link, 390, 844)
		await(t, late, 2*time.Minute, "s.source.kind === 'broadcast' && s.live && s.indexer.count > 0")
		late.Close()
	})
	t.Run("large code", func(t *testing.T) {
		press(t, speaker, "q")
		waitFor(t, speaker, `document.querySelector(".qrlarge .qr")`)
		if got := readsCode(t, speaker, "8-code"); got != link {
			t.Errorf("the hall's screen shows a code for %q, and the link is %q", got, link)
		}
		press(t, speaker, "\x1b")
	})
	t.Run("restart and end", func(t *testing.T) {
		address := strings.TrimPrefix(strings.SplitN(srv.url, "/#", 2)[0], "http://")
		srv.Stop(5 * time.Second)
		waitFor(t, hall, `informerscope.hearing().phase === 'silent'`)
		waitFor(t, speaker, `document.querySelector(".key.air.lost")`)
		shot(t, hall, "9-silent")
		shot(t, phone, "9-silent-phone")
		shot(t, speaker, "9-silent-speaker")
		before := await(t, speaker, time.Minute, "s.seq > 0")
		startServer(t, append(args, "--listen="+address)...)
		for _, p := range seats {
			waitFor(t, p, `informerscope.hearing().phase === 'following'`)
			await(t, p, time.Minute, "s.live && s.seq > %d", before.Seq)
		}
		waitFor(t, speaker, `document.querySelector(".key.air.on:not(.lost)")`)

		// Then the broadcast ends.
		call(t, speaker, "broadcastEnd()")
		for name, p := range seats {
			waitFor(t, p, `informerscope.hearing().phase === 'over'`)
			shot(t, p, "10-over-"+name)
		}
		again := openSeat(t, b, link, 1280, 720)
		await(t, again, 2*time.Minute, "s.source.kind === 'broadcast' && s.seq > 300 && s.indexer.count > 0")
		waitFor(t, again, `document.querySelector(".hall span").textContent === "the broadcast is over: this is its recording"`)
		s := await(t, again, time.Minute, "s.view.mode !== 'paused'")
		await(t, again, time.Minute, "s.seq > %d", s.Seq)
		shot(t, again, "11-recording")
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
	text, err := json.Marshal(evalIn[string](t, p, expression))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
