package page_test

import (
	"strings"
	"testing"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestWordsAreTrueOfTheMoment shows states in which a text was once false: nothing of another moment, or of another number, is shown.
func TestWordsAreTrueOfTheMoment(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=sim&namespace=&lang=en", 1280, 720)
	show := func(change string) { t.Helper(); harness.EvalIn[bool](t, p, "fake.show("+change+")") }

	// The speed beside the play button is that of the shown source.
	speed := func() string { return harness.EvalIn[string](t, p, "document.querySelector('.speed').textContent") }
	show(`{}, {view: {mode: "playing", speed: 1 / 32, behind: 9}}`)
	if got := speed(); got != "1/32×" {
		t.Errorf("played slowly it says %s", got)
	}
	show(`{}, {view: {mode: "live", speed: 1, behind: 0}}`)
	if got := speed(); got != "1×" {
		t.Errorf("live it says %s", got)
	}

	// The text about a wait, or about quiet, ends with it.
	for _, step := range []struct{ before, after, over string }{
		{`{}, {jump: true, facts: {headline: {id: "gapPlain", until: 90000}}}`, `{}, {facts: {headline: {id: "relistPlain"}}}`, "There is no watch"},
		{`{}, {jump: true, facts: {headline: {id: "idle"}}}`, `{}, {facts: {headline: {id: "flow", n: 4}}}`, "It brings no changes"},
	} {
		show(step.before)
		if said := harness.EvalIn[string](t, p, "fake.caption()"); !strings.Contains(said, step.over) {
			t.Errorf("after %s it says %q", step.before, said)
		}
		show(step.after)
		if said := harness.EvalIn[string](t, p, "fake.caption()"); strings.Contains(said, step.over) {
			t.Errorf("after %s it still says %q", step.after, said)
		}
	}

	// Chinese as in the Chinese documentation of Kubernetes, not word for word from English.
	odd := harness.EvalIn[[]string](t, p, `(async () => {
		const {keys, setLanguage, t} = await import(new URL("kit/i18n.js", location.href.replace(/#.*$/, "")).href);
		setLanguage("zh");
		const found = keys().filter((k) => !k.startsWith("story.")).map((k) => k + ": " + t(k))
			.filter((w) => /在路上|按住|听说过|迟到者|没人看|已旧|扣下|路程|打开着|一阵|时代|别人|忘掉|响应了错误/.test(w));
		setLanguage("en");
		return found;
	})()`)
	for _, words := range odd {
		t.Error(words)
	}
	p.ExpectClean(t)
}
