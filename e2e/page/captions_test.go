package page_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"informerscope/core/lab/action"
	"informerscope/core/log/facts"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// events are what a caption or the timeline may claim to have happened.
var events = regexp.MustCompile(`(?i)relisted|lists everything again|relist\b|watch broke|already|已 relist|重新 list|断了`)

// TestCaptionsHaveWords shows every sentence that a moment can have, in both languages. Each is complete, with its arguments and, if there is one,
// its reason. core/page/view tests which sentence belongs to which moment.
func TestCaptionsHaveWords(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	unfit := regexp.MustCompile(`undefined|NaN|null|[{}\[\]]|cap\.|head\.|: *[.。]|^ *[,;.，；。]`)
	for _, lang := range []string{"en", "zh"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel() // each has a browser of its own: a page in the background paints nothing
			b := browser.StartForTest(t)
			p := harness.OpenFake(t, b, srv, "&source=live&context=kind-kind&namespace=&lang="+lang, 1280, 720)
			said := map[string]string{}
			for _, tc := range []struct {
				member string
				ids    []string
			}{{"headline", facts.Headlines}, {"sentence", facts.Sentences}} {
				for _, id := range tc.ids {
					for _, args := range []string{
						`n: 3, m: 4, name: "printer", key: "default/a", rv: "5355", op: "Bookmark", why: "too old", until: 90000, since: 500, ` + act(id),
						`n: 0, ` + act(id),
					} {
						// Of another moment, so that it is shown at once.
						mode := "paused"
						if id == "act" { // what the user does is answered while time runs
							mode = "live"
						}
						harness.EvalIn[bool](t, p, fmt.Sprintf("fake.show({}, {jump: true, view: {mode: %q}, facts: {%s: {id: %q, %s}}})", mode, tc.member, id, args))
						words := harness.EvalIn[string](t, p, "fake.caption().then((said) => said + ' ' + document.querySelector('.why').textContent)")
						if words == "" || unfit.MatchString(words) {
							t.Errorf("%s is said as %q", id, words)
						}
						if strings.Contains(args, "why") {
							if other := said[words]; other != "" {
								t.Errorf("%s and %s are both said as %q", id, other, words)
							}
							said[words] = id
						}
					}
				}
			}
			p.ExpectClean(t)
		})
	}
}

// act are the words of a sentence about an act, which come from Go.
func act(id string) string {
	if id != "act" {
		return ""
	}
	en, zh := action.Words("fault:cut", func(int32) string { return "printer" })
	return fmt.Sprintf("en: %q, zh: %q", en, zh)
}

// TestACaptionOfAnotherMomentDoesNotStay goes from a trouble to a source without one, and from a relist to a moment before it. The old caption is
// gone at once.
func TestACaptionOfAnotherMomentDoesNotStay(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=live&context=kind-kind&namespace=&lang=en", 1280, 720)
	for _, step := range []struct{ show, want string }{
		{`{...fake.before(), source: {kind: "live", context: "a", cause: "refused", trouble: "The cluster refuses."}},
			{reset: true, facts: {headline: {id: ""}}}`, `refuses`},
		{`{...fake.before(), source: {kind: "live", context: "b"}}, {reset: true, facts: {headline: {id: "start"}}}`, `^The Reflector has not asked`},
		{`{}, {whole: true, jump: true, facts: {headline: {id: "relisted", why: "too old"}}}`, `took the place of a lost watch: Too old\.$`},
		{`{...fake.before()}, {jump: true, view: {mode: "paused", seq: 1, atMillis: 1}, facts: {headline: {id: "start"}}}`, `^The Reflector has not asked`},
		{`{}, {whole: true, jump: true, facts: {headline: {id: "halfOpen"}}}`, `^The watch looks open`},
	} {
		harness.EvalIn[bool](t, p, "fake.show("+step.show+")")
		if said := harness.EvalIn[string](t, p, "fake.caption()"); !regexp.MustCompile(step.want).MatchString(said) {
			t.Errorf("after %s it says %q", step.show, said)
		}
	}
	p.ExpectClean(t)
}

// TestACaptionsNumberCanBeRead: while time runs a caption has another number once a second, and then its station's. A paused one has it at once.
func TestACaptionsNumberCanBeRead(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=sim&lang=en", 1280, 720)
	got := harness.EvalIn[string](t, p, `(async () => {
		const said = new Set();
		const show = (n, mode) => fake.show({}, {wait: 2, view: {mode}, facts: {headline: {id: "slow", name: "printer", n, m: 400}}});
		const says = () => document.querySelector(".say").textContent.match(/: (\d+)/)?.[1];
		await show(88, "live");
		await fake.caption(); // it replaces another sentence, which fades
		const from = performance.now();
		let n = 89;
		for (; performance.now() - from < 2500; n++) {
			await show(n % 100, "live");
			said.add(says());
		}
		const few = said.size <= 4 ? "few" : [...said].join(" ");
		await show(77, "paused");
		return few + " " + says();
	})()`)
	if got != "few 77" {
		t.Errorf("in 2.5 s, and then paused at 77, it says %s", got)
	}
	p.ExpectClean(t)
}

// TestCaptionsOfTheSimulation collects every caption of a simulated cluster from its first event on, through a change of releases, and then goes to
// each of its first hundred events. None reports a relist or a broken connection.
func TestCaptionsOfTheSimulation(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	for _, script := range []string{harness.StageTools(t), `globalThis.__said = [];
		addEventListener("DOMContentLoaded", () => new MutationObserver(() => { const w = document.querySelector(".say")?.textContent; if (w && __said.at(-1) !== w) __said.push(w); }).observe(document.body, {childList: true, subtree: true, characterData: true}));`} {
		if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&objects=300&lang=en"); err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{"1.31", "1.33", "1.37", "1.31,1.37"} {
		harness.Await(t, p, time.Minute, "s.queue.synced && s.seq > 400")
		harness.Call(t, p, "select({era: %q})", release)
		harness.Settle(t, p)
	}
	harness.Await(t, p, time.Minute, "s.queue.synced && s.seq > 400")
	said := harness.EvalIn[[]string](t, p, "__said")
	harness.Pause(t, p)
	for seq := range 100 {
		harness.Call(t, p, "seek(%d)", seq+1)
		said = append(said, fmt.Sprintf("%d: ", seq+1)+harness.EvalIn[string](t, p, "stage.settled().then(() => document.querySelector('.say').textContent)"))
	}
	for _, w := range said {
		if m := events.FindString(w); m != "" || strings.Contains(w, " 0 objects to go") || strings.Contains(w, "undefined") {
			t.Errorf("it says %q", w)
		}
	}
	if len(said) < 102 { // a caption is shown for 2.5 s, so their number depends on how long the releases take
		t.Errorf("only %d captions were heard: %q", len(said), said)
	}
	p.ExpectClean(t)
}
