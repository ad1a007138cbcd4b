package relay_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// healthy matches what must not be shown beside a trouble: that things agree, are current, or live.
var healthy = regexp.MustCompile(`(?i)cluster agree|is current|: current|^current$|, current\b|as new as the cluster|here, cluster|· live|^live$|, live$|^0 behind|the watch is open|stays current|集群一致|是最新|：最新|^最新$|· 实时|^实时$|与集群一致`)

// raw matches errors of net/http's HTTP/2, which must not be the first thing that a person reads.
var raw = regexp.MustCompile(`INTERNAL_ERROR|stream ID|GOAWAY|http2:|stream error`)

// long is a remedy of 600 characters with a word of 80, as an exec plugin's own output can be.
var long = func() string {
	s := "The command /opt/company/bin/login-helper failed: " + strings.Repeat("x", 80) + ". "
	for len(s) < 530 {
		s += "Log in again with the company's portal and see what it says. "
	}
	return s + strings.Repeat("z", 600-len(s)-4) + "END."
}()

// TestCauses shows every cause in every view, in both languages. Each has its own name, and nothing beside it claims that all is well. A text that is
// cut can be opened whole, and no error of HTTP/2 comes first.
func TestCauses(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, view := range []struct {
		name, fragment string
		w, h           int64
		second         string
	}{
		{"stage", "", 1280, 720, "null"},
		{"lanes", "&era=1.31,1.37", 1280, 720, `{era: "1.31", queue: {kind: "DeltaFIFO"}}`},
		{"presenter", "&presenter=1", 1280, 720, "null"},
		{"presenter 4 to 3", "&presenter=1", 1024, 768, "null"},
		{"phone", "", 390, 844, "null"},
		{"phone presenting", "&presenter=1", 390, 844, "null"},
	} {
		for _, lang := range []string{"en", "zh"} {
			if lang == "zh" && view.name != "stage" && view.name != "phone" {
				continue
			}
			t.Run(view.name+" "+lang, func(t *testing.T) {
				t.Parallel()
				p := harness.OpenFake(t, b, srv, "&source=live&context=kind-kind&namespace=&lang="+lang+view.fragment, view.w, view.h)
				for _, cause := range harness.EvalIn[[]string](t, p, `import("./kit/causes.js").then((m) => m.all())`) {
					source := fmt.Sprintf(`{kind: "live", context: "kind-kind", server: "10.0.0.1:6443", cause: %q, trouble: "The API server of kind-kind at 10.0.0.1:6443 did what is called %s: stream error: stream ID 7; INTERNAL_ERROR; received from peer. Do as the manual says."}`, cause, cause)
					harness.EvalIn[bool](t, p, "fake.show({source: %s}, {second: %s, wait: 3}).then(() => fake.caption()).then(() => (document.querySelector('.newlink "+
						"button:last-of-type')?.click(), true))", source, view.second)
					expectTrouble(t, p, cause)
				}
				// The link between the page and its worker, and causes that the page has no text for.
				harness.EvalIn[bool](t, p, "fake.show({source: {kind: 'live', context: 'kind-kind', cause: 'of-tomorrow', trouble: %q}}, {second: %s})", long, view.second)
				expectTrouble(t, p, "of-tomorrow")
				expectWhole(t, p, long)
				harness.EvalIn[bool](t, p, "fake.show({source: {kind: 'live', context: 'kind-kind', cause: 'exec-plugin', trouble: %q}}, {second: %s})", long, view.second)
				expectWhole(t, p, long)
				harness.Shot(t, p, strings.ReplaceAll(view.name, " ", "-")+"-"+lang+"-long")
				harness.EvalIn[bool](t, p,
					"fake.show({source: {kind: 'live', context: 'kind-kind'}, reflector: {phase: 'backoff', backoffMillis: 4000, backoffCause: 'stream "+
						"error: stream ID 5; INTERNAL_ERROR; received from peer', lastError: 'stream error: stream ID 5; INTERNAL_ERROR; received from peer'}}, {second: %s})",
					view.second)
				expectTrouble(t, p, "backoff")
				p.ExpectClean(t)
			})
		}
	}
}

// expectTrouble checks what the page shows of a trouble.
func expectTrouble(t *testing.T, p *browser.Page, cause string) {
	t.Helper()
	harness.Settle(t, p)
	for line := range strings.Lines(harness.EvalIn[string](t, p, "fake.words()")) {
		line = strings.TrimSpace(line)
		if m := healthy.FindString(line); m != "" {
			t.Errorf("%s: beside it stands %q", cause, line)
		}
		if m := raw.FindString(line); m != "" {
			t.Errorf("%s: %q is read first", cause, line)
		}
	}
	if lamps := harness.EvalIn[int](t, p, "[...document.querySelectorAll('.src.live:not(.dead)')].filter((el) => el.checkVisibility({visibilityProperty: "+
		"true})).length"); lamps > 0 {
		t.Errorf("%s: the source's lamp is lit", cause)
	}
}

// expectWhole opens the full description of the trouble, with the keyboard alone, and reads all of it.
func expectWhole(t *testing.T, p *browser.Page, words string) {
	t.Helper()
	harness.Settle(t, p)
	more := "[...document.querySelectorAll('[data-do=more]')].find((el) => el.checkVisibility({visibilityProperty: true}))"
	harness.Use(t, p, harness.Control{Do: []string{"wait " + more, "focus " + more, "keys Enter", "wait document.querySelector('.pop .whole')"}, Want: "true"})
	harness.Settle(t, p)
	got := harness.EvalJSON[struct {
		Text                           string
		Wide, Out, Reach, Focus, Cover bool
	}](t, p, `(() => {
		const el = document.querySelector('.pop .whole'), pop = document.querySelector('.pop').getBoundingClientRect();
		el.scrollTop = el.scrollHeight;
		const last = [...el.querySelectorAll('p')].at(-1).getBoundingClientRect(), box = el.getBoundingClientRect();
		return JSON.stringify({Text: el.textContent, Wide: el.scrollWidth > el.clientWidth + 1, Out: pop.left < -1 || pop.top < -1 || pop.right > innerWidth + 1 || pop.bottom > innerHeight + 1,
			Reach: last.bottom <= box.bottom + 2, Focus: document.querySelector('.pop').contains(document.activeElement), Cover: !!document.elementFromPoint(box.left + box.width / 2, box.top + 5)?.closest('.pop')});
	})()`)
	if !strings.Contains(got.Text, words) {
		t.Errorf("in full it says %q", got.Text)
	}
	if got.Wide || got.Out || !got.Reach || !got.Focus || !got.Cover {
		t.Errorf("what is said in full cannot be read: %+v", got)
	}
	harness.Use(t, p, harness.Control{Do: []string{"keys Escape"}, Page: "!document.querySelector('.pop')"})
}

// TestOffer takes the namespace that a refused list offers, with one press, in every view; a recording offers nothing.
func TestOffer(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	const source = `{kind: "live", context: "kind-kind", namespace: "team-a", cause: "forbidden", offer: {namespace: "team-a"}, trouble: "User \"jane\" may not list pods in all namespaces (403). Choose a namespace: the context's own is team-a."}`
	for _, view := range []struct {
		name, fragment string
		w, h           int64
	}{{"stage", "", 1280, 720}, {"presenter", "&presenter=1", 1280, 720}, {"phone", "", 390, 844}, {"phone presenting", "&presenter=1", 390, 844}} {
		for _, how := range []string{"click %s", "focus %s|keys Enter"} {
			p := harness.OpenFake(t, b, srv, "&source=live&context=kind-kind&namespace=&lang=en"+view.fragment, view.w, view.h)
			harness.EvalIn[bool](t, p, "fake.show({...fake.before(), source: %s}, {reset: true})", source)
			offer := "stage.seek('[data-do=offer]', /^show namespace team-a$/)"
			harness.Use(t, p, harness.Control{Do: strings.Split(fmt.Sprintf(how, offer), "|"), Page: `fake.calls.filter(([c]) => c === "select").length === 2 && fake.calls.some(([c, o]) => c === "select" && o.namespace === "team-a" && Object.keys(o).length === 1)`})
			harness.WaitUntil(t, p, "new URLSearchParams(location.hash.slice(1)).get('namespace') === 'team-a'")
			harness.Shot(t, p, strings.ReplaceAll(view.name, " ", "-"))
			harness.EvalIn[bool](t, p, "fake.show({source: {...%s, kind: 'file'}}, {reset: true})", source)
			harness.Settle(t, p)
			if harness.EvalIn[bool](t, p, "!!stage.find('[data-do=offer]')") {
				t.Errorf("%s: a recording offers a namespace", view.name)
			}
			p.ExpectClean(t)
		}
	}
}

// TestNewLink gives the page the link of the server's present launch. The page asks for it once, accepts a link as a terminal shows it and a bare
// token, explains what is wrong with other text, and continues without being loaded again.
func TestNewLink(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenFake(t, b, srv, "&source=live&context=kind-kind&namespace=&lang=en", 1280, 720)
	bringAxe(t, p)
	here := srv.URL[:strings.Index(srv.URL, "/#")]
	const bad = `{kind: "live", context: "kind-kind", cause: "token", trouble: "The server runs, but this page's link is of another launch. Open the link that it printed."}`
	harness.EvalIn[bool](t, p,
		"(globalThis.__here = true, fake.answers.token = (t) => ({sim: true, live: {contexts: [], cause: t.startsWith('WRONG') ? 'token' : "+
			"'', error: t.startsWith('WRONG') ? 'refused' : ''}}), fake.show({source: %s}))", bad)
	harness.WaitUntil(t, p, "document.activeElement === document.querySelector('.newlink input')")
	harness.Shot(t, p, "asked")
	for pasted, says := range map[string]string{
		"rubbish":            "no token",
		here + "/#context=a": "no token",
		"http://10.1.2.3:8080/#token=ABCDEFGHIJKLMNOP": "leads to 10.1.2.3:8080",
		srv.URL:                "has this token already",
		"WRONGWRONGWRONGWRONG": "refuses this token too",
	} {
		harness.EvalIn[bool](t, p, "(document.querySelector('.newlink input').value = %q, true)", pasted)
		harness.Use(t, p, harness.Control{Do: []string{"focus document.querySelector('.newlink input')", "keys Enter"},
			Page: "document.getElementById('link-said').textContent.includes(" + harness.Quote(says) + ")"})
	}
	// None of its keys reaches the page's shortcuts.
	before := harness.EvalIn[string](t, p, "document.documentElement.className + document.documentElement.lang")
	if err := p.Press(harness.Timeout(t, 10*time.Second), "tleb"); err != nil {
		t.Fatal(err)
	}
	if now := harness.EvalIn[string](t, p, "document.documentElement.className + document.documentElement.lang"); now != before {
		t.Errorf("typing made of %q %q", before, now)
	}
	harness.ExpectAccessible(t, p)
	// Once closed, it opens again only from the description of the trouble.
	harness.Use(t, p, harness.Control{Do: []string{"keys Escape"}, Page: "!document.querySelector('.newlink')"})
	harness.EvalIn[bool](t, p, "fake.show()")
	harness.Use(t, p, harness.Control{Do: []string{"click stage.seek('[data-do=link]')"}, Page: "!!document.querySelector('.newlink')"})
	harness.EvalIn[bool](t, p, "(document.querySelector('.newlink input').value = %q, true)", "informerscope: open "+here+"/#token=ABCDEFGH\n  IJKLMNOPQRSTUVWXYZ")
	harness.Use(t, p, harness.Control{Do: []string{"click stage.find('.newlink button', /^use/)"},
		Page: `!document.querySelector('.newlink') && fake.calls.some(([c, t]) => c === "token" && t === "ABCDEFGHIJKLMNOPQRSTUVWXYZ")`})
	if hash := harness.EvalIn[string](t, p, "location.hash"); !strings.Contains(hash, "token=ABCDEFGHIJKLMNOPQRSTUVWXYZ") || !strings.Contains(hash,
		"context=kind-kind") {
		t.Errorf("the address is %s", hash)
	}
	// The link also works in the address bar of the page, with a scene and without one.
	harness.EvalIn[bool](t, p, `(location.hash = "#token=ZZZZYYYYXXXXWWWW", true)`)
	harness.WaitUntil(t, p, `location.hash.includes("token=ZZZZYYYYXXXXWWWW") && location.hash.includes("context=kind-kind") && fake.calls.some(([c, t]) => c === "token" && t === "ZZZZYYYYXXXXWWWW") && __here`)
	p.ExpectClean(t)
}

// bringAxe puts the accessibility checker into the page.
func bringAxe(t *testing.T, p *browser.Page) {
	t.Helper()
	script, err := harness.Axe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := browser.Eval[bool](harness.Timeout(t, 30*time.Second), p, script+"\n;true"); err != nil {
		t.Fatal(err)
	}
}

// TestPickersTellWhy shows what cannot be chosen, with the reason, and distinguishes contexts by more than an address.
func TestPickersTellWhy(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	arn := "arn:aws:eks:eu-central-1:123456789012:cluster/platform-production-eu-central-1-blue-7f3a9c-01"
	for _, size := range [][2]int64{{1280, 720}, {390, 844}} {
		p := harness.OpenFake(t, b, srv, "&source=live&context=kind-kind&namespace=&lang=en", size[0], size[1])
		bringAxe(t, p)
		harness.EvalIn[bool](t, p, `(fake.answers.resources = [
			{group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true},
			{group: "", version: "v1", resource: "bindings", kind: "Binding", namespaced: true, unwatchable: "It can be created only: its verbs are create."},
			{group: "metrics.k8s.io", version: "v1beta1", resource: "", kind: "", namespaced: false, unwatchable: "The API group is down: the server is currently unable to handle the request."},
			{group: "", version: "v1", resource: "secrets", kind: "Secret", namespaced: true, unwatchable: "The server does not serve Secrets."}],
			fake.answers.sources = {sim: true, live: {contexts: [
				{name: "kind-kind", cluster: "kind-kind", server: "127.0.0.1:6443", user: "kind-kind", namespace: "team-a"},
				{name: %q, cluster: %q, server: "ABCDEF0123456789.gr7.eu-central-1.eks.amazonaws.com:443", user: %q, namespace: ""},
				{name: "broken", cluster: "gone", server: "", user: "u", error: "The kubeconfig names the cluster gone, and there is none."}], current: "kind-kind", selected: "kind-kind", error: ""}}, true)`, arn, arn, arn)
		button := func(name string) string { return "stage.find('button', /" + name + "/)" }
		if size[0] == 1280 {
			harness.Use(t, p, harness.Control{Do: []string{"click " + button("^resource"),
				"wait document.querySelectorAll('.pop [role=option]').length === 4"}, Want: "true"})
			harness.Shot(t, p, "resources")
			rows := harness.EvalIn[string](t, p, "[...document.querySelectorAll('.pop [aria-disabled=true]')].map((r) => stage.name(r)).join('|')")
			for _, want := range []string{"bindingsIt can be created only", "metrics.k8s.io/v1beta1the whole API groupThe API group is down",
				"secretsThe server does not serve"} {
				if !strings.Contains(rows, want) {
					t.Errorf("the dimmed rows are %s, want %q", rows, want)
				}
			}
			harness.ExpectAccessible(t, p)
			// The arrows reach it, and Enter does not choose it.
			calls := harness.EvalIn[int](t, p, "fake.calls.length")
			harness.Use(t, p, harness.Control{Do: []string{"type bindings", "keys Enter"},
				Page: "document.getElementById(document.querySelector('.pop input').getAttribute('aria-activedescendant'))?.getAttribute('aria-disabled') === 'true'"})
			harness.Use(t, p, harness.Control{Do: []string{"click stage.find('.pop [role=option]', /^bindings/)"},
				Page: fmt.Sprintf("!!document.querySelector('.pop') && fake.calls.length === %d", calls)})
			harness.Use(t, p, harness.Control{Do: []string{"keys Escape"}, Page: "!document.querySelector('.pop')"})
			harness.Use(t, p, harness.Control{Do: []string{"click " + button("^source"), "wait stage.find('.pop [role=option]', /^broken/)"}, Want: "true"})
		} else {
			harness.Use(t, p, harness.Control{Do: []string{"click stage.find('.psrc')", "wait stage.find('.pop [role=option]', /^broken/)"}, Want: "true"})
		}
		harness.Settle(t, p)
		harness.Shot(t, p, fmt.Sprintf("sources-%d", size[0]))
		got := harness.EvalIn[string](t, p, "[...document.querySelectorAll('.pop [role=option]')].map((r) => stage.name(r)).join('|')")
		for _, want := range []string{"kind-kinduser kind-kind · namespace team-a127.0.0.1:6443", arn + "user " + arn, "brokencluster gone · user u",
			"and there is none."} {
			if !strings.Contains(got, want) {
				t.Errorf("the contexts are %s, want %q", got, want)
			}
		}
		if over := harness.EvalIn[string](t, p, `[...document.querySelectorAll('.pop, .pop .list, .pop .whole, .pop .row')].filter((el) => el.scrollWidth > el.clientWidth + 1 || el.getBoundingClientRect().right > innerWidth).map(stage.describe ?? String).join()`); over != "" {
			t.Errorf("at %d pixels %s overflows", size[0], over)
		}
		p.ExpectClean(t)
	}
}
