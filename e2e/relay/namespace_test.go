package relay_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestNamespaceMenu types a namespace while the list of namespaces is missing. The field is there at once, before and after any answer of the
// cluster. What is typed reaches only the field, and Enter applies it.
func TestNamespaceMenu(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, tt := range []struct{ name, answer, says, not string }{
		{"listed", `{items: ["default", "kube-system"], error: "", reason: ""}`, "", "user"},
		{"listed by an older worker", `["default", "kube-system"]`, "", "user"},
		{"forbidden", `{items: [], error: "namespaces is forbidden", reason: "forbidden"}`, "This user may not list", ""},
		{"left out by --resources", `{items: [], error: "not served", reason: "not-served"}`, "--resources", "user"},
		{"unreachable", `{items: [], error: "dial", reason: "unreachable"}`, "cannot be asked", "user"},
		{"an error", `{error: "stream error: stream ID 5; INTERNAL_ERROR; received from peer"}`, "cannot be asked", "INTERNAL_ERROR"},
		{"no answer", `() => new Promise(() => {})`, "Asking the cluster", "user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := harness.OpenFake(t, b, srv, "&lang=en&source=live&context=kind-kind&namespace=", 1280, 720)
			harness.EvalIn[bool](t, p, "(fake.answers.namespaces = "+tt.answer+", fake.show({source: {kind: 'live', context: 'kind-kind', namespace: 'team-b'}}))")
			before := harness.EvalIn[string](t, p, "document.documentElement.className + location.hash")
			harness.EvalIn[bool](t, p, "(fake.calls.length = 0, true)")
			// The first key is pressed before any answer.
			if err := p.Click(harness.Timeout(t, 10*time.Second), "stage.find('button', /^namespace/)"); err != nil {
				t.Fatal(err)
			}
			if err := p.Press(harness.Timeout(t, 10*time.Second), "team-a"); err != nil {
				t.Fatal(err)
			}
			harness.Settle(t, p)
			if tt.says != "" {
				harness.WaitUntil(t, p, "document.querySelector('.pop .note')?.textContent.includes("+harness.Quote(tt.says)+")")
			}
			harness.Shot(t, p, strings.ReplaceAll(strings.ReplaceAll(tt.name, " ", "-"), "--", ""))
			if said := harness.EvalIn[string](t, p, "[...document.querySelectorAll('.pop .note')].map((n) => n.textContent).join(' ')"); tt.not != "" &&
				strings.Contains(said, tt.not) {
				t.Errorf("the menu says %q", said)
			}
			if got := harness.EvalIn[string](t, p, "document.querySelector('.pop input')?.value"); got != "team-a" {
				t.Fatalf("the field holds %q", got)
			}
			if got := harness.EvalIn[string](t, p, "document.documentElement.className + location.hash"); got != before {
				t.Errorf("typing changed the page from %s to %s", before, got)
			}
			if got := harness.EvalIn[string](t, p, "JSON.stringify(fake.calls.filter(([c]) => c !== 'namespaces'))"); got != "[]" {
				t.Errorf("typing called %s", got)
			}
			if err := p.Keys(harness.Timeout(t, 10*time.Second), "Enter"); err != nil {
				t.Fatal(err)
			}
			harness.WaitUntil(t, p, `fake.calls.some(([c, o]) => c === "select" && o.namespace === "team-a" && Object.keys(o).length === 1) && !document.querySelector(".pop")`)
			harness.WaitUntil(t, p,
				"new URLSearchParams(location.hash.slice(1)).get('namespace') === 'team-a' && document.activeElement === stage.find('button', /^namespace/)")
			// A namespace that was used is offered again, beside all namespaces and the context's own; arrows choose, Escape leaves.
			for _, keys := range []string{"Enter", "ArrowDown", "Escape"} {
				if err := p.Keys(harness.Timeout(t, 10*time.Second), keys); err != nil {
					t.Fatal(err)
				}
				if keys == "Enter" {
					harness.Settle(t, p)
					rows := harness.EvalIn[string](t, p, "[...document.querySelectorAll('.pop [role=option]')].map((r) => stage.name(r)).join('|')")
					for _, want := range []string{"all namespaces", "team-bdefault of the context", "team-aused before"} {
						if !strings.Contains(rows, want) {
							t.Errorf("the rows are %s, want %q among them", rows, want)
						}
					}
				}
			}
			harness.WaitUntil(t, p, "!document.querySelector('.pop') && document.activeElement === stage.find('button', /^namespace/)")
			// An invalid name is not requested.
			harness.Use(t, p, harness.Control{Do: []string{"click stage.find('button', /^namespace/)", "type Not/A name", "keys Enter"},
				Page: "/is not the name/.test(document.querySelector('.pop .note').textContent) && document.activeElement === document.querySelector('.pop input')"})
			// In every field of the list the keyboard focus is visible.
			if got := harness.EvalIn[string](t, p,
				"(() => { const f = document.querySelector('.pop input'); return f.getAttribute('role') + ' ' + "+
					"!!document.getElementById(f.getAttribute('aria-activedescendant')) + ' ' + f.getAttribute('aria-label'); "+
					"})()"); got != "combobox true type a namespace, or search" {
				t.Errorf("the field is %s", got)
			}
			p.ExpectClean(t)
		})
	}
}

// TestEnterBeforeTheList presses Enter before the cluster has listed its resources: it chooses the first that matches.
func TestEnterBeforeTheList(t *testing.T) {
	t.Parallel()
	p := harness.OpenFake(t, browser.StartForTest(t), harness.StartServer(t, "--listen=127.0.0.1:0"),
		"&lang=en&source=live&context=kind-kind&namespace=", 1280, 720)
	harness.EvalIn[bool](t, p, `(fake.answers.resources = () => new Promise((done) => (globalThis.__answer = () => done([{group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true}, {group: "", version: "v1", resource: "nodes", kind: "Node", namespaced: false}]))), true)`)
	harness.Use(t, p, harness.Control{Do: []string{"focus stage.find('button', /^resource/)", "keys Enter", "type nod", "keys Enter"},
		Page: "!!document.querySelector('.pop input')"})
	harness.EvalIn[bool](t, p, "(__answer(), true)")
	harness.WaitUntil(t, p, `!document.querySelector(".pop") && fake.calls.some(([c, o]) => c === "select" && o.resource === "nodes")`)
	p.ExpectClean(t)
}

// TestTextFieldsKeepTheirKeys types every shortcut of the page into each of its text fields, and where a pop-up is open without one.
func TestTextFieldsKeepTheirKeys(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=60&lang=en", 1280, 720)
	const typed = "tleEbpswfcr.1234567890hnN?i[]-+ /"
	look := "JSON.stringify([document.documentElement.className, document.documentElement.lang, location.hash.replace(/&?(at|do|from|speed)=[^&]*/g, ''), " +
		"document.querySelectorAll('.ov, .black').length, document.querySelectorAll('.pop').length])"
	for name, open := range map[string][]string{
		"resource":    {"click stage.find('button', /^resource/)"},
		"namespace":   {"click stage.find('button', /^namespace/)"},
		"find object": {"keys /", "wait document.querySelector('.pop input')"},
		"index": {"click stage.seek('.row-name', /^Indexer/)", "click stage.seek('.inside button', /by an index/)", "wait document.querySelector('.pop .form input')",
			"click document.querySelectorAll('.pop .form input')[1]"},
		"listener": {"click stage.find('button', /^add a handler/i)", "wait document.querySelector('.pop input')"},
		"no field": {"click stage.find('button', /^source/)", "wait stage.find('.pop h2')", "click stage.find('.pop h2')"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range open {
				harness.Use(t, p, harness.Control{Do: []string{step}, Want: "true"})
			}
			harness.Settle(t, p)
			before, faults := harness.EvalIn[string](t, p, look), harness.EvalIn[string](t, p,
				"informerscope.state().then((s) => JSON.stringify([s.faults, s.holds, s.era]))")
			if err := p.Press(harness.Timeout(t, 10*time.Second), typed); err != nil {
				t.Fatal(err)
			}
			harness.Settle(t, p)
			if now := harness.EvalIn[string](t, p, look); now != before {
				t.Errorf("typing made of\n%s\n%s", before, now)
			}
			if now := harness.EvalIn[string](t, p, "informerscope.state().then((s) => JSON.stringify([s.faults, s.holds, s.era]))"); now != faults {
				t.Errorf("typing made of %s %s", faults, now)
			}
			for range 2 {
				if err := p.Keys(harness.Timeout(t, 10*time.Second), "Escape"); err != nil {
					t.Fatal(err)
				}
			}
			harness.WaitUntil(t, p, "!document.querySelector('.pop, .ov')")
		})
	}
	p.ExpectClean(t)
}
