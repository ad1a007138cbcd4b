package page_test

import (
	"regexp"
	"strings"
	"testing"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

var (
	marked = regexp.MustCompile(`\[\w+:[^\]]*\|`)
	// ones finds "1 objects": a number and a plural of what the page counts.
	ones = regexp.MustCompile(`\b1 (\w+ )?(objects|keys|deltas|events|workers|writes|retries|conflicts|listeners|hops|values|others|panics|changes|versions|bytes|stories|failures|notifications|frames|watches|pods|batches)\b`)
)

func replaceOnes(s string) string { return strings.ReplaceAll(s, "1", "2") }

// TestWords asks the page's own dictionary for every text with a plural: the number 1 gives the singular, and no markup of plurals is shown.
func TestWords(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20&lang=en", 1280, 720)
	got := harness.EvalJSON[map[string][]string](t, p, `import("./kit/i18n.js").then(({t, keys, setLanguage, language}) => {
		const was = language();
		const args = (n) => new Proxy({}, {has: () => true, get: () => n});
		const out = {};
		for (const k of keys()) {
			setLanguage("en");
			const one = t(k, args("1")), many = t(k, args("2"));
			setLanguage("zh");
			out[k] = [one, many, t(k, args("1"))];
		}
		setLanguage(was);
		return JSON.stringify(out);
	})`)
	if len(got) < 300 {
		t.Fatalf("found only %d words", len(got))
	}
	plural := 0
	for k, w := range got {
		if w[1] != replaceOnes(w[0]) {
			plural++
		}
		for _, s := range w {
			if marked.MatchString(s) {
				t.Errorf("%s: %q shows how it is written", k, s)
			}
		}
		// In Chinese too, where a term stays English.
		for _, one := range []string{w[0], w[2]} {
			if m := ones.FindString(one); m != "" {
				t.Errorf("%s: %q in %q", k, m, one)
			}
		}
	}
	if plural < 20 {
		t.Errorf("only %d words know a plural", plural)
	}
	for k, want := range map[string][2]string{
		"inside.objects":   {"1 object", "2 objects"},
		"inside.work.note": {"1 of 1 worker busy", "2 of 2 workers busy"},
		"row.say.wait":     {"1 change waits", "2 changes wait"},
	} {
		if w := got[k]; len(w) < 2 || w[0] != want[0] || w[1] != want[1] {
			t.Errorf("%s is %q, want %q", k, w, want)
		}
	}
}
