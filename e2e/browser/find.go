package browser

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// The headless shell comes first: it has the same engine and no window, whose own pages (the address bar's) cost a test more than the page does.
var names = []string{
	"chromium-headless-shell", "chrome-headless-shell", "headless-shell", "headless_shell",
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
}

var macApps = []string{
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
}

// Find returns the path of a Chromium: the one INFORMERSCOPE_CHROMIUM names,
// else the first known one on PATH or, on macOS, among the applications.
func Find() (string, error) {
	candidates := names
	if runtime.GOOS == "darwin" {
		candidates = append(candidates[:len(candidates):len(candidates)], macApps...)
	}
	return FindProgram("Chromium or Chrome", "INFORMERSCOPE_CHROMIUM", "install-chromium.sh", candidates...)
}

// FindProgram returns the path of the program that the environment variable env names, else the first of names that is a program. The error names
// what is missing and the script in e2e that installs it.
func FindProgram(what, env, script string, names ...string) (string, error) {
	if chosen := os.Getenv(env); chosen != "" {
		path, err := exec.LookPath(chosen)
		if err != nil {
			return "", fmt.Errorf("%s names no program: %w", env, err)
		}
		return path, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s found: run e2e/%s, or set %s to its program", what, script, env)
}
