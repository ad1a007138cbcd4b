package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// Axe is the accessibility checker's script. It is installed from a11y/package-lock.json unless that version is there.
var Axe = sync.OnceValues(func() (string, error) {
	e2e, err := layout.E2E()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(e2e, "a11y")
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	var have struct{ Version string }
	if err := ReadJSON(filepath.Join(dir, "package-lock.json"), &lock); err != nil {
		return "", err
	}
	module := filepath.Join(dir, "node_modules", "axe-core")
	err = ReadJSON(filepath.Join(module, "package.json"), &have)
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

// ReadJSON decodes a file.
func ReadJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ExpectAccessible runs axe on the page as it is now.
func ExpectAccessible(t *testing.T, p *browser.Page) {
	t.Helper()
	found := EvalIn[[]string](t, p, `(async () => {
		const r = await axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]});
		// The lines of a panel (.prow) are as close as the lines of the text below them. WCAG 2.5.8 allows that where the place of a target is the
		// information; the search offers the same actions. A menu covers a control below it only while it is open.
		const under = (n) => document.querySelector(".pop, .exc:not([hidden])") && /partially obscured/.test(JSON.stringify(n.any));
		const allowed = (v, n) => v.id === "target-size" && (/class="prow"/.test(n.html) || under(n));
		return r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
			.flatMap((v) => v.nodes.filter((n) => !allowed(v, n)).map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 160) + " — " + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; ").slice(0, 200)));
	})()`)
	if len(found) > 0 {
		t.Errorf("axe finds:\n  %s", Abridge(found, 12))
	}
}
