package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// axe is the accessibility checker's script. It is installed from a11y/package-lock.json unless that version is there.
var axe = sync.OnceValues(func() (string, error) {
	e2e, err := layout.E2E()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(e2e, "a11y")
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	var have struct{ Version string }
	if err := readJSON(filepath.Join(dir, "package-lock.json"), &lock); err != nil {
		return "", err
	}
	module := filepath.Join(dir, "node_modules", "axe-core")
	err = readJSON(filepath.Join(module, "package.json"), &have)
	if want := lock.Packages["node_modules/axe-core"].Version; err != nil || have.Version != want {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return "", fmt.Errorf("the accessibility checker axe-core %s is not installed and npm is not found: install Node.js 20 or later with npm (nodejs.org, "+
				"or apt-get install nodejs npm), or run npm ci in e2e/a11y elsewhere and copy node_modules here: %w", want, err)
		}
		cmd := exec.Command(npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("npm ci in e2e/a11y: %w\n%s", err, proc.Tail(out, 20))
		}
	}
	text, err := os.ReadFile(filepath.Join(module, "axe.min.js"))
	return string(text), err
})

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// a11yScenes are parts of the page. The steps lead there from the main view, and Escape leads back.
var a11yScenes = []struct {
	name string
	do   []string
}{
	{"main", nil},
	{"sources", []string{"click stage.find('button', /^source/)", "wait stage.find('.pop .row')"}},
	{"resources", []string{"click stage.find('button', /^resource/)", "wait stage.find('.pop [role=option]')"}},
	{"namespaces", []string{"click stage.find('button', /^namespace/)", "wait stage.find('.pop [role=option]')"}},
	{"faults", []string{"click stage.find('.faults .menu-b')", "wait stage.find('.pop .row')"}},
	{"cluster", []string{"click stage.find('button', /^API server/i)", "wait stage.find('.pop input')"}},
	{"group by", []string{"click stage.find('.pickby')", "wait stage.find('.pop')"}},
	{"add a listener", []string{"click stage.find('.sbtn', /add a listener|^add/i)", "wait stage.find('.pop form')"}},
	{"a listener", []string{"click stage.seek('.sbtn', /metrics/)", "wait stage.find('.pop')"}},
	{"find", []string{"wait (document.activeElement?.blur?.(), true)", "keys /", "wait stage.find('.pop [role=option]')"}},
	{"inspector", []string{"press stage.cellPoint()", "wait stage.find('.drawer .hop')"}},
	{"stories", []string{"wait (document.activeElement?.blur?.(), true)", "keys s", "wait stage.find('#story-list [role=option]')"}},
	{"explain", []string{"wait (document.activeElement?.blur?.(), true)", "keys i", "wait stage.find('.exi[aria-expanded=true]')"}},
	{"keys", []string{"click stage.find('.icons button', /^keys/)", "wait stage.find('.kp')"}},
	{"two releases", []string{"wait informerscope.select({era: '1.31,1.37'}).then(() => true)",
		"wait document.getElementById('app').classList.contains('view-lanes')"}},
	{"one era", []string{"wait informerscope.select({era: '1.37'}).then(() => true)", "wait !document.getElementById('app').classList.contains('view-lanes')"}},
	{"presenter", []string{"wait (document.activeElement?.blur?.(), true)", "keys p", "wait document.getElementById('app').classList.contains('view-presenter')"}},
	{"held", []string{"wait informerscope.hold('pop').then(() => true)", "wait stage.find('.sbtn', /^release 1/)"}},
}

// TestAccessibility runs axe-core on the page, its menus and its dialogs, in every theme. It must report nothing serious or critical.
func TestAccessibility(t *testing.T) {
	script, err := axe()
	if err != nil {
		t.Fatal(err)
	}
	srv := startServer(t, "--listen=127.0.0.1:0")
	p := openStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&lang=en", 1280, 720)
	if _, err := browser.Eval[bool](within(t, 30*time.Second), p, script+"\n;true"); err != nil {
		t.Fatal(err)
	}
	await(t, p, 20*time.Second, "s.seq > 5200")
	for _, theme := range []string{"dark", "light", "contrast"} {
		for _, scene := range a11yScenes {
			// A theme changes only colours, so the other themes are checked where colours differ most.
			if theme != "dark" && !(scene.do == nil || theme == "light" && strings.Contains("inspector keys cluster faults", scene.name)) {
				continue
			}
			t.Run(theme+" "+scene.name, func(t *testing.T) {
				dress(t, p, theme, "en", 1280, 720)
				use(t, p, control{do: scene.do})
				settle(t, p)
				if theme != "contrast" {
					shot(t, p, strings.ReplaceAll(theme+"-"+scene.name, " ", "-"))
				}
				expectAccessible(t, p)
				expectWell(t, p)
				// Some scenes are two levels deep: a menu, and the hold below it.
				use(t, p, control{do: []string{"keys Escape", "keys Escape"}})
				if scene.name == "held" {
					call(t, p, "release('pop', 0)")
				}
			})
		}
	}
	p.ExpectClean(t)
}

// expectAccessible runs axe on the page as it is now.
func expectAccessible(t *testing.T, p *browser.Page) {
	t.Helper()
	found := evalIn[[]string](t, p, `(async () => {
		const r = await axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]});
		// The lines of a panel (.prow) are as close as the lines of the text below them. WCAG 2.5.8 allows that where the place of a target is the
		// information; the search offers the same actions. A menu covers a control below it only while it is open.
		const under = (n) => document.querySelector(".pop, .exc:not([hidden])") && /partially obscured/.test(JSON.stringify(n.any));
		const allowed = (v, n) => v.id === "target-size" && (/class="prow"/.test(n.html) || under(n));
		return r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
			.flatMap((v) => v.nodes.filter((n) => !allowed(v, n)).map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 160) + " — " + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; ").slice(0, 200)));
	})()`)
	if len(found) > 0 {
		t.Errorf("axe finds:\n  %s", first(found, 12))
	}
}
