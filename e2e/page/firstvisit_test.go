package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// firstCard is the card of a first visit.
const firstCard = "stage.find('dialog.first')"

// visit opens an address as somebody does who has nothing of it in the browser yet, and runs script before the page's first one.
func visit(t *testing.T, b *browser.Browser, url, script string, width, height int64) *browser.Page {
	t.Helper()
	p := b.OpenForTest(t, "about:blank", width, height)
	for _, s := range []string{harness.StageTools(t), "try { localStorage.clear(); } catch {}", script} {
		if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), url); err != nil {
		t.Fatal(err)
	}
	return p
}

// expectNoCard waits until the page shows its informer, and expects no card over it.
func expectNoCard(t *testing.T, p *browser.Page, when string) {
	t.Helper()
	harness.Await(t, p, time.Minute, "s.queue.synced")
	harness.Settle(t, p)
	if harness.EvalIn[bool](t, p, "!!document.querySelector('dialog.first')") {
		t.Errorf("%s: the card of a first visit", when)
	}
}

// TestFirstVisit opens the page without a scene. The card comes over a stage that goes on, has the keyboard to itself, and follows the language.
func TestFirstVisit(t *testing.T) {
	t.Parallel()
	axe, err := harness.Axe()
	if err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := visit(t, browser.StartForTest(t), srv.URL, axe, 1280, 720)
	harness.WaitUntil(t, p, firstCard)
	began := harness.Await(t, p, time.Minute, "s.queue.synced && s.reflector.phase === 'watching'").Seq
	expect := func(expression string) {
		t.Helper()
		if !harness.EvalIn[bool](t, p, "!!(%s)", expression) {
			t.Errorf("not so: %s; the keyboard is at %s", expression, harness.EvalIn[string](t, p, "stage.describe(document.activeElement)"))
		}
	}
	at := func(way string) string {
		return fmt.Sprintf("document.activeElement === stage.find('dialog.first [data-do=%s]')", way)
	}
	expect(at("tour"))
	expect("stage.name(" + firstCard + ") === 'See inside an informer' && document.querySelector('dialog.first:modal')")
	expect("/reads a copy\\. Here is how/.test(document.getElementById(" + firstCard + ".getAttribute('aria-describedby')).textContent)")
	harness.Press(t, p, "2s?pbe")
	for _, to := range []string{"stories", "cluster", "look", "look"} {
		if err := p.Keys(harness.Timeout(t, 10*time.Second), "ArrowDown"); err != nil {
			t.Fatal(err)
		}
		expect(at(to))
	}
	harness.Await(t, p, time.Minute, "s.seq > %d && s.live && s.era === '1.37' && !s.faults.some((f) => f.on)", began)
	expect(firstCard + " && !document.querySelector('.ov') && !location.hash.includes('presenter')")
	for _, look := range []struct {
		theme, lang string
		w, h        int64
	}{{"dark", "en", 1280, 720}, {"light", "zh", 1920, 1080}, {"contrast", "en", 1024, 768}, {"dark", "en", 390, 844}, {"light", "zh", 390, 844}} {
		harness.SetLook(t, p, look.theme, look.lang, look.w, look.h)
		harness.Shot(t, p, fmt.Sprintf("%s-%s-%d", look.theme, look.lang, look.w))
		harness.ExpectFits(t, p)
		harness.ExpectAccessible(t, p)
		expect("/" + map[string]string{"en": "See inside", "zh": "看看"}[look.lang] + "/.test(stage.name(" + firstCard + "))")
		// The card lies in the middle, and on a phone it is a sheet over the whole width.
		expect(`((box, phone) => box.top > 0 && (phone ? box.left === 0 && box.right === innerWidth && box.bottom === innerHeight
			: Math.abs(box.left + box.right - innerWidth) < 2 && Math.abs(box.top + box.bottom - innerHeight) < 2)
			&& [...stage.find('dialog.first').querySelectorAll('button')].every((b) => b.getBoundingClientRect().height >= (phone ? 44 : 24)))(
			stage.find('dialog.first').getBoundingClientRect(), innerWidth < 600)`)
	}
	p.ExpectClean(t)
}

// TestFirstVisitLeads takes each way of the card, on the stage and on the phone. Each does what it says, and is the last of the card.
func TestFirstVisitLeads(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	way := func(name string) string { return "click stage.find('dialog.first [data-do=" + name + "]')" }
	const (
		tour    = "stage.find('.storybar')?.dataset.step === '1' && location.hash.includes('story=tour')"
		stories = "stage.find('.srow.foc')?.id === 'story-ring'"
		sources = "stage.find('.pop [role=option][aria-selected=true]', /^simulated/)"
		alone   = "document.activeElement === document.body && s.live && s.seq > b.seq"
		phone   = 390
	)
	for _, test := range []struct {
		name, do string
		width    int64
		page     string
		want     string
	}{
		{"the tour", way("tour"), 1280, tour, ""},
		{"the tour by Enter", "keys Enter", 1280, tour, ""},
		{"stories", way("stories"), 1280, stories, ""},
		{"a cluster", way("cluster"), 1280, sources, ""},
		{"a look", way("look"), 1280, "", alone},
		{"Escape", "keys Escape", 1280, "", alone},
		{"a press beside", "press ({X: 200, Y: 650})", 1280, "", alone},
		{"the tour, phone", way("tour"), phone, "location.hash.includes('story=tour') && stage.find('.pkey[aria-label*=next]')", ""},
		{"stories, phone", way("stories"), phone, stories, ""},
		{"a cluster, phone", way("cluster"), phone, sources, ""},
		{"a press beside, phone", "press ({X: 200, Y: 100})", phone, "", alone},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := visit(t, browser.StartForTest(t), srv.URL, "", test.width, map[int64]int64{1280: 720, phone: 844}[test.width])
			harness.WaitUntil(t, p, firstCard)
			gone := "!document.querySelector('dialog.first')"
			if test.page != "" {
				gone += " && " + test.page
			}
			harness.Use(t, p, harness.Control{Do: []string{test.do}, Want: test.want, Page: gone})
			harness.Settle(t, p)
			harness.Shot(t, p, strings.NewReplacer(" ", "-", ",", "").Replace(test.name))
			if !harness.EvalIn[bool](t, p, "JSON.parse(localStorage.getItem('informerscope.tour')).offered") {
				t.Error("the page does not keep that this was the first visit")
			}
			p.ExpectClean(t)
		})
	}
}

// TestNoFirstVisit opens addresses that choose something, and pages that go on with what they began: nothing may lie over them.
func TestNoFirstVisit(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, fragment := range []string{"&presenter=1", "&embed=queue", "&story=ring", "&lang=en", "&source=sim&seed=3"} {
		t.Run(fragment, func(t *testing.T) { expectNoCard(t, visit(t, b, srv.URL+fragment, "", 1280, 720), fragment) })
	}
	t.Run("nothing is kept", func(t *testing.T) {
		p := visit(t, b, srv.URL, "Object.defineProperty(globalThis, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})", 1280, 720)
		harness.WaitUntil(t, p, firstCard)
		if err := p.Reload(harness.Timeout(t, time.Minute)); err != nil {
			t.Fatal(err)
		}
		expectNoCard(t, p, "a reload")
		p.ExpectClean(t)
	})
	t.Run("something else begins", func(t *testing.T) {
		p := visit(t, b, srv.URL, "", 1280, 720)
		harness.WaitUntil(t, p, firstCard)
		harness.Call(t, p, "select({source: 'sim', seed: 3, objects: 20})")
		harness.WaitUntil(t, p, "!document.querySelector('dialog.first')")
		p.ExpectClean(t)
	})
	t.Run("a menu is open", func(t *testing.T) {
		p := visit(t, b, srv.URL, `document.addEventListener("DOMContentLoaded", () => document.querySelector(".src").click())`, 1280, 720)
		harness.WaitUntil(t, p, "stage.find('.pop')")
		expectNoCard(t, p, "who has opened a menu meanwhile")
	})
}
