package firefox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// EnvFirefox names the environment variable that chooses the browser.
const EnvFirefox = "INFORMERSCOPE_FIREFOX"

// Find returns the path of a Firefox: the one INFORMERSCOPE_FIREFOX names, else
// firefox-esr or firefox on PATH or, on macOS, among the applications.
func Find() (string, error) {
	if chosen := os.Getenv(EnvFirefox); chosen != "" {
		path, err := exec.LookPath(chosen)
		if err != nil {
			return "", fmt.Errorf("%s names no program: %w", EnvFirefox, err)
		}
		return path, nil
	}
	names := []string{"firefox-esr", "firefox"}
	if runtime.GOOS == "darwin" {
		names = append(names, "/Applications/Firefox.app/Contents/MacOS/firefox")
	}
	var snap string
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if isSnap(path) {
			snap = path
			continue
		}
		return path, nil
	}
	if snap != "" {
		return "", fmt.Errorf("%s is a snap, which cannot see a profile in the temporary directory: set %s to another Firefox", snap, EnvFirefox)
	}
	return "", fmt.Errorf("no Firefox found: run e2e/install-browsers.sh, or set %s to a Firefox program", EnvFirefox)
}

// isSnap reports whether a program is a snap's, or a script that starts one, as
// Ubuntu's package firefox is.
func isSnap(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if strings.HasPrefix(path, "/snap/") || filepath.Base(path) == "snap" {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := f.Read(head)
	return bytes.HasPrefix(head, []byte("#!")) && bytes.Contains(head[:n], []byte("/snap/"))
}
