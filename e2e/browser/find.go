package browser

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// EnvChromium names the environment variable that chooses the browser.
const EnvChromium = "INFORMERSCOPE_CHROMIUM"

var names = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell", "headless_shell", "microsoft-edge",
}

var macApps = []string{
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
}

// Find returns the path of a Chromium: the one INFORMERSCOPE_CHROMIUM names,
// else the first known one on PATH or, on macOS, among the applications.
func Find() (string, error) {
	if chosen := os.Getenv(EnvChromium); chosen != "" {
		path, err := exec.LookPath(chosen)
		if err != nil {
			return "", fmt.Errorf("%s names no program: %w", EnvChromium, err)
		}
		return path, nil
	}
	candidates := names
	if runtime.GOOS == "darwin" {
		candidates = append(candidates[:len(candidates):len(candidates)], macApps...)
	}
	for _, name := range candidates {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium found: run e2e/install-chromium.sh, or set %s to a Chromium or Chrome program", EnvChromium)
}
