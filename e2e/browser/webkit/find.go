package webkit

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// EnvDriver and EnvBrowser name the environment variables that choose
// WebKitWebDriver and MiniBrowser.
const (
	EnvDriver  = "INFORMERSCOPE_WEBKIT_DRIVER"
	EnvBrowser = "INFORMERSCOPE_WEBKIT_BROWSER"
)

// browsers are where distributions install MiniBrowser, which is not on PATH; e2e/install-browsers.sh looks there too.
var browsers = []string{
	"/usr/lib/*/webkit2gtk-4.1/MiniBrowser", "/usr/lib*/webkit2gtk-4.1/MiniBrowser", "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
}

// Programs are the paths of the programs of a WebKitGTK under test.
type Programs struct{ Driver, Browser, Xvfb string }

// Find returns the paths of WebKitWebDriver, MiniBrowser and Xvfb: those that the environment names, else those where distributions install them.
func Find() (Programs, error) {
	var p Programs
	var err error
	if p.Driver, err = exec.LookPath(cmp.Or(os.Getenv(EnvDriver), "WebKitWebDriver")); err != nil {
		return p, missing("WebKitWebDriver", EnvDriver, err)
	}
	p.Browser = os.Getenv(EnvBrowser)
	for _, pattern := range browsers {
		if p.Browser == "" {
			found, _ := filepath.Glob(pattern)
			if slices.Sort(found); len(found) > 0 {
				p.Browser = found[len(found)-1]
			}
		}
	}
	if p.Browser, err = exec.LookPath(cmp.Or(p.Browser, "MiniBrowser")); err != nil {
		return p, missing("MiniBrowser", EnvBrowser, err)
	}
	if p.Xvfb, err = exec.LookPath("Xvfb"); err != nil {
		return p, fmt.Errorf("no Xvfb, the virtual display, found: run e2e/install-browsers.sh (%w)", err)
	}
	return p, nil
}

func missing(what, env string, err error) error {
	if os.Getenv(env) != "" {
		return fmt.Errorf("%s names no program: %w", env, err)
	}
	return fmt.Errorf("no %s of WebKitGTK found: run e2e/install-browsers.sh, or set %s to its program", what, env)
}
